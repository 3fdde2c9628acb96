//! The prompts that wait, as far as clients were told how to name them.

use serde::{Deserialize, Serialize};

use crate::event::{AskedPrompt, PromptAnswer, PromptId, PromptKind};
use crate::ui_message::{BatchPlace, PromptOutcome};

/// How many are kept. A CLI asks a handful at once; a log may hold anything.
pub(super) const KEPT: usize = 1024;

/// Prompts that wait. Their end cannot be told by their id alone: clients may know them by their
/// call, or by their place in a batch, which others may join, or what is said to them is
/// neither a yes nor a no.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct OpenPrompts {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    open: Vec<Named>,
}

/// By what clients know a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Named {
    id: PromptId,
    /// In messages.
    pub(super) name: String,
    /// In its batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<BatchPlace>,
    /// Whether it asks questions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    asks: bool,
}

impl Named {
    /// What came of it when it was answered. The CLI does what it is told in so many words; what
    /// it cannot read is a no.
    pub(super) fn answered(&self, answer: &PromptAnswer) -> PromptOutcome {
        let member = |name: &str| answer.answer.get(name).and_then(|text| text.to_text());
        let (behavior, action) = (member("behavior"), member("action"));
        let input = answer.answer.get("updatedInput");
        match (behavior.as_deref(), action.as_deref()) {
            (Some("allow"), _) if input.is_some_and(|input| !input.is_object()) => {
                PromptOutcome::Denied
            }
            (Some("allow"), _) if self.asks => PromptOutcome::Answered,
            (Some("allow"), _) => PromptOutcome::Allowed,
            (Some("completed"), _) | (_, Some("accept")) => PromptOutcome::Answered,
            _ => PromptOutcome::Denied,
        }
    }
}

impl OpenPrompts {
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn asked(&mut self, prompt: &AskedPrompt) {
        let place = BatchPlace::of(prompt);
        if let Some(place) = place.as_ref().filter(|place| place.index > 0) {
            self.begins(&place.batch_id);
        }
        self.open.retain(|named| named.id != prompt.id);
        if self.open.len() >= KEPT {
            self.open.remove(0);
        }
        self.open.push(Named {
            id: prompt.id.clone(),
            name: prompt.name().to_owned(),
            place,
            asks: prompt.kind == PromptKind::Question,
        });
    }

    /// The first of a batch was asked alone when nobody knew of the others.
    fn begins(&mut self, batch_id: &str) {
        let is_first = |named: &&mut Named| named.id.as_str() == batch_id;
        if let Some(first) = self.open.iter_mut().find(is_first) {
            first.place.get_or_insert_with(|| BatchPlace {
                batch_id: batch_id.to_owned(),
                index: 0,
            });
        }
    }

    /// By what clients know a prompt that waits no more.
    pub(super) fn resolved(&mut self, id: &PromptId) -> Named {
        match self.open.iter().position(|named| named.id == *id) {
            Some(at) => self.open.remove(at),
            None => Named {
                id: id.clone(),
                name: id.as_str().to_owned(),
                place: None,
                asks: false,
            },
        }
    }

    /// There is no process, so nobody waits.
    pub(super) fn forget(&mut self) {
        self.open.clear();
    }
}
