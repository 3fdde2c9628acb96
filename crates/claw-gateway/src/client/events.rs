//! Messages of the dialect `events`.

use claw_server::{SessionEvent, TextDelta};
use serde::Deserialize;

/// A message of the dialect [`Events`](crate::DialectName::Events), as clients read it from
/// [`Frame::message`](crate::Frame::message).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(from = "Members")]
#[non_exhaustive]
pub enum EventsMessage {
    /// An event of the log.
    Event(Box<SessionEvent>),
    /// A piece of text while it is written.
    Delta(TextDelta),
    /// Events that the log no longer has.
    Gap {
        /// The first one.
        from: u64,
        /// The last one.
        to: u64,
    },
    /// An unrecognized message.
    Unknown,
}

/// The members of a message. Each message has exactly one.
#[derive(Deserialize)]
struct Members {
    event: Option<Box<SessionEvent>>,
    delta: Option<TextDelta>,
    gap: Option<Gap>,
}

#[derive(Deserialize)]
struct Gap {
    from: u64,
    to: u64,
}

impl From<Members> for EventsMessage {
    fn from(members: Members) -> Self {
        match members {
            Members {
                event: Some(event), ..
            } => Self::Event(event),
            Members {
                delta: Some(delta), ..
            } => Self::Delta(delta),
            Members {
                gap: Some(Gap { from, to }),
                ..
            } => Self::Gap { from, to },
            _ => Self::Unknown,
        }
    }
}
