//! Open interactions, with the names that clients use for them.

use serde::{Deserialize, Serialize};

use crate::event::{Interaction, InteractionAnswer, InteractionId, InteractionKind};
use crate::ui_message::{BatchPlace, InteractionOutcome};

/// Maximum number of open interactions. The CLI opens a handful at once, but a log may contain
/// anything.
pub(super) const KEPT: usize = 1024;

/// Open interactions. Reporting a resolution needs more than the id: clients may identify an
/// interaction by its call or by its index in a batch that grew later, and an answered question is
/// neither allowed nor denied.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct OpenInteractions {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    open: Vec<Named>,
}

/// How clients refer to an interaction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Named {
    id: InteractionId,
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<BatchPlace>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    asks: bool,
}

impl Named {
    /// The outcome of an answer. The CLI runs only what is explicitly allowed; an unreadable answer
    /// denies.
    pub(super) fn answered(&self, answer: &InteractionAnswer) -> InteractionOutcome {
        let member = |name: &str| answer.answer.get(name).and_then(|text| text.to_text());
        let (behavior, action) = (member("behavior"), member("action"));
        let input = answer.answer.get("updatedInput");
        match (behavior.as_deref(), action.as_deref()) {
            (Some("allow"), _) if input.is_some_and(|input| !input.is_object()) => {
                InteractionOutcome::Denied
            }
            (Some("allow"), _) if self.asks => InteractionOutcome::Answered,
            (Some("allow"), _) => InteractionOutcome::Allowed,
            (Some("completed"), _) | (_, Some("accept")) => InteractionOutcome::Answered,
            _ => InteractionOutcome::Denied,
        }
    }
}

impl OpenInteractions {
    pub(super) fn asked(&mut self, interaction: &Interaction) {
        let place = BatchPlace::of(interaction);
        if let Some(place) = place.as_ref().filter(|place| place.index > 0) {
            self.begins(&place.batch_id);
        }
        self.open.retain(|named| named.id != interaction.id);
        if self.open.len() >= KEPT {
            self.open.remove(0);
        }
        self.open.push(Named {
            id: interaction.id.clone(),
            name: interaction.name().to_owned(),
            place,
            asks: interaction.kind == InteractionKind::Question,
        });
    }

    /// Gives the first of a batch its index: it was opened before the others were known.
    fn begins(&mut self, batch_id: &str) {
        let is_first = |named: &&mut Named| named.id.as_str() == batch_id;
        if let Some(first) = self.open.iter_mut().find(is_first) {
            first.place.get_or_insert_with(|| BatchPlace {
                batch_id: batch_id.to_owned(),
                index: 0,
            });
        }
    }

    /// Removes an interaction and returns its names.
    pub(super) fn resolved(&mut self, id: &InteractionId) -> Named {
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

    pub(super) fn forget(&mut self) {
        self.open.clear();
    }
}
