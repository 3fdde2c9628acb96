//! The tokens that a turn has used so far.

use rusty_claw_protocol::Str;
use serde::{Deserialize, Serialize};

use crate::ui_message::UiMessage;

/// The input tokens of the last message, and the output tokens of the turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Tokens {
    input: u64,
    /// Output tokens of the messages before the last.
    before: u64,
    /// Output tokens of the last message so far.
    output: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<Str>,
}

impl Tokens {
    pub(super) fn turn_began(&mut self) {
        *self = Self::default();
    }

    /// Records the usage of a message so far, and returns an update if it changed. The lines of a
    /// message repeat the counts from its start, so counts never decrease.
    pub(super) fn used(
        &mut self,
        message: Option<Str>,
        input: u64,
        output: u64,
        session_id: i64,
    ) -> Option<UiMessage> {
        let seen = self.seen();
        if message.is_none() || self.message != message {
            self.before = self.before.saturating_add(self.output);
            self.output = 0;
            self.input = 0;
            self.message = message;
        }
        self.input = self.input.max(input);
        self.output = self.output.max(output);
        self.news(seen, session_id)
    }

    /// Records the output tokens of the whole turn, from its result.
    pub(super) fn wrote(&mut self, output: u64, session_id: i64) -> Option<UiMessage> {
        let seen = self.seen();
        self.output = self.output.max(output.saturating_sub(self.before));
        self.news(seen, session_id)
    }

    fn seen(&self) -> (u64, u64) {
        (self.input, self.before.saturating_add(self.output))
    }

    fn news(&self, seen: (u64, u64), session_id: i64) -> Option<UiMessage> {
        let now = self.seen();
        (now != seen).then(|| UiMessage::TokenUpdate {
            input_tokens: i64::try_from(now.0).unwrap_or(i64::MAX),
            output_tokens: i64::try_from(now.1).unwrap_or(i64::MAX),
            session_id,
        })
    }
}
