//! Accepts inputs, and sends them to the CLI when they are due.

use std::time::Duration;

use rusty_claw::Prompt;

use super::input::{Input, InputReceipt};
use super::queue::Next;
use super::session::SessionLoop;
use super::{ControllerError, content};
use crate::event::{AcceptedInput, Fact, InputFailure, InputId};

/// Delay before an interrupt that failed is repeated.
pub(super) const TRY_AGAIN: Duration = Duration::from_secs(1);

impl SessionLoop {
    /// Accepts an input. The receipt is valid when all events so far are stored.
    pub(super) fn input(&mut self, input: Input) -> Result<InputReceipt, ControllerError> {
        if self.closing.is_some() {
            return Err(ControllerError::ShuttingDown);
        }
        content::prompt(&input.content)?;
        let queue = &self.recorder.state.queue;
        if let Some(repeat) = queue.check(&input, self.limits.queued)? {
            return Ok(repeat);
        }
        let id = InputId::new(uuid::Uuid::new_v4().to_string());
        let receipt = InputReceipt {
            id: id.clone(),
            is_repeat: false,
            turn_id: input.turn_id.clone(),
        };
        let mut accepted = AcceptedInput::new(id, input.content);
        accepted.key = input.key;
        accepted.mode = input.mode;
        accepted.turn_id = input.turn_id;
        accepted.from = input.from;
        accepted.metadata = input.metadata;
        self.recorder.accepted(accepted);
        Ok(receipt)
    }

    /// Sends the next input when it is due, or interrupts the turn for an urgent one.
    pub(super) fn deliver(&mut self) {
        while self.sending.is_none()
            && self.closing.is_none()
            && !self.is_silent()
            && self.recorder.inputs_are_stored()
        {
            let state = &mut self.recorder.state;
            match state.queue.next(state.builder.turn()) {
                Next::Send(input) => {
                    // It was checked when it was accepted.
                    let Ok(prompt) = content::prompt(&input.content) else {
                        let why = "it is neither a text nor a list of content blocks";
                        let failure = InputFailure::new(input.id, why);
                        self.recorder.fact(Fact::InputFailed(failure));
                        continue;
                    };
                    let prompt: Prompt = prompt.with_id(input.id.as_str());
                    self.recorder.state.builder.sent(input.id);
                    let session = self.session.clone();
                    self.sending = Some(Box::pin(async move { session.send(prompt).await }));
                }
                Next::Interrupt => {
                    let session = self.session.clone();
                    self.stopping = Some(Box::pin(async move {
                        let Err(error) = session.interrupt().await else {
                            return true;
                        };
                        tracing::warn!(%error, "a turn was not interrupted; trying again");
                        tokio::time::sleep(TRY_AGAIN).await;
                        false
                    }));
                }
                Next::Wait => return,
            }
        }
    }
}
