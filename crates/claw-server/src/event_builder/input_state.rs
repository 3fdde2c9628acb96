//! The state of inputs that were sent.

use serde::{Deserialize, Serialize};

use crate::event::InputId;

/// Inputs that were sent and not yet processed, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Inputs {
    open: Vec<Sent>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Sent {
    id: InputId,
    is_delivered: bool,
    has_begun: bool,
}

impl Inputs {
    pub(super) fn sent(&mut self, id: InputId) {
        self.open.push(Sent {
            id,
            is_delivered: false,
            has_begun: false,
        });
    }

    /// Marks an input as delivered. Returns false if it already was.
    pub(super) fn deliver(&mut self, id: &InputId) -> bool {
        match self.find(id) {
            Some(sent) => !std::mem::replace(&mut sent.is_delivered, true),
            None => false,
        }
    }

    pub(super) fn began(&mut self, id: &InputId) {
        if let Some(sent) = self.find(id) {
            sent.has_begun = true;
        }
    }

    pub(super) fn has(&self, id: &InputId) -> bool {
        self.open.iter().any(|sent| sent.id == *id)
    }

    /// Returns the delivered inputs; `None` if one was not delivered.
    pub(super) fn delivered(&self) -> Option<impl Iterator<Item = &InputId>> {
        let all = self.open.iter().all(|sent| sent.is_delivered);
        all.then(|| self.open.iter().map(|sent| &sent.id))
    }

    /// The oldest input without a turn.
    pub(super) fn oldest_that_waits(&self) -> Option<InputId> {
        let waits = self.open.iter().find(|sent| !sent.has_begun);
        waits.map(|sent| sent.id.clone())
    }

    pub(super) fn forget(&mut self, id: &InputId) {
        self.open.retain(|sent| sent.id != *id);
    }

    fn find(&mut self, id: &InputId) -> Option<&mut Sent> {
        self.open.iter_mut().find(|sent| sent.id == *id)
    }
}
