//! Continues a cut turn, for an interaction whose call cannot be parked.
//!
//! The CLI continues the turn when it is resumed: the model is called again, and may ask for the
//! same. An answer that was never delivered is then used once, for a request with the same tool,
//! input and agent, and only in a turn that the CLI marks as continued. Otherwise the person is asked
//! anew, or the answer is reported as unused.

use futures_util::FutureExt as _;
use rusty_claw::Options;
use rusty_claw_protocol::Line;
use rusty_claw_protocol::messages::Message;

use super::cli_requests::PendingReply;
use super::clock::deadline;
use super::command::{Command, InteractionRef};
use super::parking::Wait;
use super::rearming::asks_for_the_same;
use super::session::SessionLoop;
use crate::event::{Fact, Interaction};

/// The variable that makes the CLI continue a cut turn.
const CONTINUE: &str = "CLAUDE_CODE_RESUME_INTERRUPTED_TURN";
/// How the CLI marks the messages of a continued turn.
const CONTINUED: &str = "interrupted_turn";

/// Makes the CLI continue the turn that was cut.
pub(super) fn continue_turn(options: Options) -> Options {
    options.env(CONTINUE, "1")
}

impl SessionLoop {
    /// Notes that the turn is a continued one, if this line is marked so.
    pub(super) fn note_continued(&mut self, line: &Line) {
        let Some(Wait::Turn { is_continued }) = self.waking.as_mut().map(|it| &mut it.wait) else {
            return;
        };
        let reason = match line.message() {
            Some(Message::Assistant(message)) => message.resume_reason.as_ref(),
            Some(Message::StreamEvent(event)) => event.resume_reason.as_ref(),
            _ => None,
        };
        *is_continued |= reason.is_some_and(|reason| *reason == CONTINUED);
    }

    /// Opens a request of a continued turn that asks for the same as the interaction that waits, and
    /// directs the answers to it. Returns the pending reply of any other request.
    pub(super) fn renew(
        &mut self,
        asked: &Interaction,
        mut waiting: PendingReply,
    ) -> Option<PendingReply> {
        if !self.is_continued() {
            return Some(waiting);
        }
        let same = |old: &Interaction| asks_for_the_same(old, asked);
        let found = self.inherited.iter();
        let Some(at) = found.clone().position(|one| same(&one.interaction)) else {
            return Some(waiting);
        };
        let old = self.inherited.remove(at).interaction;
        let mut new = asked.clone();
        new.id = self.unused(new.id);
        new.expires_at_ms = old.expires_at_ms;
        waiting.expires_at = new.expires_at_ms.and_then(deadline);
        let again = format!(
            "the continued turn asks for the same as {}",
            new.id.as_str()
        );
        for command in &mut self.deferred {
            let Command::Answer { answers, .. } = command else {
                continue;
            };
            for (named, ..) in answers {
                let names = |name: &String| {
                    *name == *old.id.as_str() || old.tool_use_id.as_ref() == Some(name)
                };
                if matches!(named, InteractionRef::Named(name) if names(name)) {
                    *named = InteractionRef::Named(new.id.as_str().to_owned());
                }
            }
        }
        self.recorder.withdraw(old.id, &again);
        self.waiting.insert(new.id.clone(), waiting);
        self.recorder.fact(Fact::InteractionOpened(new));
        None
    }

    /// Whether the CLI has reported that it continues the turn for which the session waits. It
    /// reports this before it asks.
    fn is_continued(&mut self) -> bool {
        loop {
            let Some(Wait::Turn { is_continued }) = self.waking.map(|waking| waking.wait) else {
                return false;
            };
            if is_continued {
                return true;
            }
            let Some(Some(line)) = self.messages.next().now_or_never() else {
                return false;
            };
            self.lines(line);
        }
    }
}
