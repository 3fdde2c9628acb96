//! Events: the persistent record of a session.
//!
//! A log contains [`SessionEvent`] values and nothing else. Everything that a client receives is
//! derived from them: [`UiMessage`](crate::UiMessage) and [`MobileMessage`](crate::MobileMessage)
//! are views, and adding another needs no migration. Streamed text is not an event: it is sent as
//! [`TextDelta`] and not logged. The complete message is an event.

mod amount;
mod decoded;
mod delta;
mod fact;
mod input;
mod interaction;
mod lifecycle;
mod opened;
mod progress;
mod text_id;
mod turn;
mod wire;

use std::collections::BTreeMap;
use std::sync::Arc;

use rusty_claw_protocol::{Json, Line};

use self::decoded::Decoded;

pub use amount::Amount;
pub use delta::TextDelta;
pub use fact::Fact;
pub use input::{AcceptedInput, InputFailure, InputId, InputMode};
pub use interaction::{Interaction, InteractionAnswer, InteractionId, InteractionKind};
pub use lifecycle::{Gap, Lifecycle, LifecycleState};
pub use opened::{Omitted, Opened};
pub(crate) use progress::is_over;
pub use progress::{Lane, ProgressSource, ProgressUpdate, Regression, WorkKind};
pub use turn::{EndedTurn, TurnEnding};

/// The version of the envelope that this library writes.
pub const EVENT_VERSION: u32 = 1;

/// One event of a session: a fact with its sequence number, epoch and time.
///
/// Sequence and epoch are assigned by the owner of the session, not by a client. On the wire an
/// event is one JSON object; a fact of an unrecognized kind is written back unchanged.
///
/// ```
/// use claw_server::event::{Fact, SessionEvent};
///
/// let event = SessionEvent::new(7, 1, 1_794_700_000_000, Fact::message(r#"{"type":"x"}"#)).turn(3);
/// let json = serde_json::to_string(&event)?;
/// assert_eq!(
///     json,
///     r#"{"v":1,"seq":7,"epoch":1,"at":1794700000000,"turn":3,"kind":"message","body":{"type":"x"}}"#
/// );
/// assert_eq!(serde_json::from_str::<SessionEvent>(&json)?, event);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SessionEvent {
    /// The envelope version that it was written with.
    pub version: u32,
    /// The sequence number in the log, starting at 1, without gaps.
    pub sequence: u64,
    /// The ownership epoch in which it was written; later owners have higher epochs.
    pub epoch: u64,
    /// The time in milliseconds since the Unix epoch.
    pub at_ms: i64,
    /// The turn it belongs to, starting at 1; `None` outside of turns.
    pub turn: Option<u64>,
    /// The input that caused it, if any.
    pub input: Option<InputId>,
    /// The end of the last line that this event includes, as a position in the output of the CLI.
    /// Only in sessions whose CLI outlives its owner, on the last event of a line: the next owner
    /// reads on from there. `0` when the CLI starts.
    pub offset: Option<u64>,
    /// What happened.
    pub fact: Fact,
    /// Unrecognized members of the envelope.
    pub extra: BTreeMap<String, Json>,
    /// The decoded line, while it is alive elsewhere.
    decoded: Decoded,
}

impl SessionEvent {
    /// Creates an event outside of turns that was not caused by an input.
    pub fn new(sequence: u64, epoch: u64, at_ms: i64, fact: Fact) -> Self {
        Self {
            version: EVENT_VERSION,
            sequence,
            epoch,
            at_ms,
            turn: None,
            input: None,
            offset: None,
            fact,
            extra: BTreeMap::new(),
            decoded: Decoded::default(),
        }
    }

    /// The decoded line, if the fact is a [`Fact::Message`]. Decoding is most of the work of a
    /// projection: the event that [`EventBuilder`](crate::EventBuilder) made from its latest line
    /// reuses the decoded form, any other event decodes it again.
    pub fn line(&self) -> Option<Arc<Line>> {
        let Fact::Message(raw) = &self.fact else {
            return None;
        };
        let at_hand = self.decoded.of(raw);
        Some(at_hand.unwrap_or_else(|| Arc::new(Line::decode(raw.clone()))))
    }

    pub(crate) fn decoded(mut self, line: &Arc<Line>) -> Self {
        self.decoded = Decoded::from(line);
        self
    }

    /// Sets the turn it belongs to.
    #[must_use]
    pub fn turn(mut self, turn: impl Into<Option<u64>>) -> Self {
        self.turn = turn.into();
        self
    }

    /// Sets the input that caused it.
    #[must_use]
    pub fn input(mut self, input: impl Into<Option<InputId>>) -> Self {
        self.input = input.into();
        self
    }
}
