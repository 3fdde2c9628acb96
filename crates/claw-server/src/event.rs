//! What happened in a session, as it is kept.
//!
//! A log holds [`SessionEvent`] values and nothing else. Everything that a client sees is made
//! from them: [`UiMessage`](crate::UiMessage), [`MobileMessage`](crate::MobileMessage) and any
//! later dialect are views, and adding one migrates nothing. Text that is still being written is
//! no event; it travels beside the log as [`TextDelta`], and the message that it becomes is one.

mod amount;
mod decoded;
mod delta;
mod fact;
mod input;
mod lifecycle;
mod progress;
mod prompt;
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
pub use lifecycle::{Lifecycle, LifecycleState};
pub use progress::{Lane, ProgressSource, ProgressUpdate, Regression, WorkKind};
pub(crate) use progress::{is_none, is_over};
pub use prompt::{AskedPrompt, PromptAnswer, PromptId, PromptKind};
pub use turn::{EndedTurn, TurnEnding};

/// The version of the envelope that this library writes.
pub const EVENT_VERSION: u32 = 1;

/// One record of what happened in a session: a fact, and who stamped it when.
///
/// The owner of the session stamps it: sequence and epoch are its, not a client's. On the wire it
/// is one JSON object, and a fact of a kind that this library does not know comes back out as it
/// went in.
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
    /// The version of the envelope it was written in.
    pub version: u32,
    /// Its place in the log, from 1 on, without gaps.
    pub sequence: u64,
    /// Which ownership of the session wrote it; a higher one is a later one.
    pub epoch: u64,
    /// When it happened, in milliseconds since 1970.
    pub at_ms: i64,
    /// The turn that it belongs to, from 1 on; nothing outside of turns.
    pub turn: Option<u64>,
    /// The input that caused it, where one did.
    pub input: Option<InputId>,
    /// What happened.
    pub fact: Fact,
    /// Members of the envelope that are new to this library.
    pub extra: BTreeMap<String, Json>,
    /// What its line says, as long as somebody else keeps that.
    decoded: Decoded,
}

impl SessionEvent {
    /// An event outside of turns that no input caused.
    pub fn new(sequence: u64, epoch: u64, at_ms: i64, fact: Fact) -> Self {
        Self {
            version: EVENT_VERSION,
            sequence,
            epoch,
            at_ms,
            turn: None,
            input: None,
            fact,
            extra: BTreeMap::new(),
            decoded: Decoded::default(),
        }
    }

    /// The line of the CLI, decoded, when it is one. Decoding is most of the work of a projection,
    /// so an event that the [`SessionLedger`](crate::SessionLedger) has made from its latest line
    /// has it at hand; any other decodes it.
    pub fn line(&self) -> Option<Arc<Line>> {
        let Fact::Message(raw) = &self.fact else {
            return None;
        };
        let at_hand = self.decoded.of(raw);
        Some(at_hand.unwrap_or_else(|| Arc::new(Line::decode(raw.clone()))))
    }

    /// Its line is decoded already.
    pub(crate) fn decoded(mut self, line: &Arc<Line>) -> Self {
        self.decoded = Decoded::from(line);
        self
    }

    /// The turn that it belongs to.
    #[must_use]
    pub fn turn(mut self, turn: impl Into<Option<u64>>) -> Self {
        self.turn = turn.into();
        self
    }

    /// The input that caused it.
    #[must_use]
    pub fn input(mut self, input: impl Into<Option<InputId>>) -> Self {
        self.input = input.into();
        self
    }
}
