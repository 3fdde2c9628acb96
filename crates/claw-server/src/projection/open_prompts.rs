//! The prompts that wait, as far as clients were told how to name them.

use serde::{Deserialize, Serialize};

use crate::event::{AskedPrompt, PromptId};
use crate::ui_message::BatchPlace;

/// How many are kept. A CLI asks a handful at once; a log may hold anything.
const KEPT: usize = 1024;

/// Prompts whose end cannot be told by their id alone: clients know them by their call, or by
/// their place in a batch.
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
}

impl OpenPrompts {
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn asked(&mut self, prompt: &AskedPrompt) {
        let place = BatchPlace::of(prompt);
        if place.is_none() && prompt.name() == prompt.id.as_str() {
            return;
        }
        self.open.retain(|named| named.id != prompt.id);
        if self.open.len() >= KEPT {
            self.open.remove(0);
        }
        self.open.push(Named {
            id: prompt.id.clone(),
            name: prompt.name().to_owned(),
            place,
        });
    }

    /// By what clients know a prompt that waits no more.
    pub(super) fn resolved(&mut self, id: &PromptId) -> Named {
        match self.open.iter().position(|named| named.id == *id) {
            Some(at) => self.open.remove(at),
            None => Named {
                id: id.clone(),
                name: id.as_str().to_owned(),
                place: None,
            },
        }
    }

    /// There is no process, so nobody waits.
    pub(super) fn forget(&mut self) {
        self.open.clear();
    }
}
