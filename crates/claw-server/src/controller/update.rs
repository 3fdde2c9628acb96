//! Updates for the sinks of a session.

use std::sync::Arc;

use crate::event::{SessionEvent, TextDelta};
use crate::log::weight;

#[derive(Debug, Clone)]
pub(super) enum Update {
    /// Stored in the log.
    Event(Arc<SessionEvent>),
    /// Not stored.
    Delta(Arc<TextDelta>),
}

impl Update {
    pub(super) fn weight(&self) -> usize {
        match self {
            Self::Event(event) => weight(event),
            Self::Delta(delta) => delta.text.len() + 64,
        }
    }
}
