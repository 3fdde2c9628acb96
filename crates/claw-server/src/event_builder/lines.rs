//! The effect of the CLI's lines on turns and inputs.

use std::sync::Arc;

use rusty_claw::{TextAssembler, TextPiece, TurnOutcome};
use rusty_claw_protocol::messages::{
    ApiStreamEvent, CommandState, Message, ResultMessage, SessionState, StreamEvent, SystemMessage,
};
use rusty_claw_protocol::{Line, Received, Str};

use super::{EventBuilder, OpenTurn, Output};
use crate::event::{EndedTurn, Fact, InputFailure, InputId, TextDelta, TurnEnding};

impl EventBuilder {
    pub(super) fn message(
        &mut self,
        at_ms: i64,
        line: &Arc<Line>,
        said: &Received,
        output: &mut Output,
    ) {
        match &said.message {
            Message::StreamEvent(event) => {
                self.streamed(at_ms, event, said, output);
                if matches!(event.event, Some(ApiStreamEvent::MessageDelta(_))) {
                    self.say_line(at_ms, line, output);
                }
            }
            // Control messages, and messages that are recorded in another form.
            Message::ControlRequest { .. }
            | Message::ControlResponse { .. }
            | Message::ControlCancelRequest(_)
            | Message::KeepAlive(_)
            | Message::TranscriptMirror(_) => {}
            Message::CommandLifecycle(said) => {
                self.say_line(at_ms, line, output);
                self.receipt(at_ms, &said.command_uuid, &said.state, output);
            }
            Message::System(SystemMessage::Init { details, .. }) => {
                let named = details.user_message_uuids.as_deref().unwrap_or_default();
                self.begin(at_ms, named, output);
                self.say_line(at_ms, line, output);
            }
            Message::System(SystemMessage::SessionStateChanged(said)) => {
                self.say_line(at_ms, line, output);
                if said.state == SessionState::Idle {
                    self.rested(at_ms, output);
                }
            }
            Message::System(SystemMessage::BackgroundTasksChanged(said)) => {
                let tasks = said.tasks.iter().map(|task| task.task_id.clone());
                self.prompts.background(tasks);
                self.say_line(at_ms, line, output);
            }
            Message::Assistant(assistant) => {
                let works =
                    assistant.parent_tool_use_id.is_none() && assistant.local_command_run.is_none();
                if works {
                    self.begin(at_ms, &[], output);
                }
                // Feed the assembler to keep track of stored blocks. Its output is ignored: stored
                // text is in this line, and projections handle retractions themselves.
                let _ = self.text.feed(said);
                self.text.forget_stored();
                self.say_line(at_ms, line, output);
            }
            Message::Result(result) => self.result(at_ms, line, result, output),
            _ => self.say_line(at_ms, line, output),
        }
    }

    /// Handles a stream event. Text becomes deltas. The end of a message is recorded as an event,
    /// because no other line has its token count; everything else is in the message itself.
    fn streamed(
        &mut self,
        at_ms: i64,
        event: &StreamEvent,
        received: &Received,
        output: &mut Output,
    ) {
        if event.parent_tool_use_id.is_none() {
            self.begin(at_ms, &[], output);
        }
        let blocks = self.text.feed(received);
        let turn = self.turn().unwrap_or(self.turns);
        output.deltas.extend(
            blocks
                .into_iter()
                .filter_map(|piece| delta(turn, event, piece)),
        );
    }

    fn receipt(&mut self, at_ms: i64, id: &str, state: &CommandState, output: &mut Output) {
        let input = InputId::new(id);
        match state {
            CommandState::Queued => self.delivered(at_ms, &input, output),
            CommandState::Started => {
                self.delivered(at_ms, &input, output);
                match &mut self.turn {
                    Some(turn) if !turn.inputs.contains(&input) => turn.inputs.push(input),
                    Some(_) => {}
                    None => self.begun.push(input),
                }
            }
            _ => {}
        }
        if let Some((id, outcome)) = self.prompts.lifecycle(id, state) {
            let id = InputId::new(id.as_str());
            let reason = match outcome {
                TurnOutcome::Interrupted { .. } => "it was taken back".to_owned(),
                other => other.to_string(),
            };
            self.begun.retain(|begun| *begun != id);
            self.inputs.forget(&id);
            let failed = Fact::InputFailed(InputFailure::new(id.clone(), reason));
            let event = self.stamp(at_ms, failed);
            output.events.push(event.turn(None).input(id));
        }
    }

    /// Begins a turn unless one is running.
    fn begin(&mut self, at_ms: i64, named: &[Str], output: &mut Output) {
        if self.turn.is_some() {
            return;
        }
        let mut inputs = std::mem::take(&mut self.begun);
        for id in named.iter().map(|id| InputId::new(id.as_str())) {
            if !inputs.contains(&id) {
                inputs.push(id);
            }
        }
        if inputs.is_empty() && !self.prompts.has_receipts() {
            // A CLI without receipts processes inputs in order.
            inputs.extend(self.inputs.oldest_that_waits());
        }
        for id in &inputs {
            self.delivered(at_ms, id, output);
            self.inputs.began(id);
        }
        self.turns += 1;
        self.turn = Some(OpenTurn {
            number: self.turns,
            inputs: inputs.clone(),
        });
        self.say(at_ms, Fact::TurnStarted(inputs), output);
    }

    fn result(
        &mut self,
        at_ms: i64,
        line: &Arc<Line>,
        result: &ResultMessage,
        output: &mut Output,
    ) {
        // Streamed text that is not stored by now never will be. Projections retract it when the
        // turn ends.
        self.text = TextAssembler::new();
        let resolved = self.prompts.result(result.clone());
        if self.turn.is_none() {
            if resolved.is_empty() {
                // The result belongs to no turn: the process could not start.
                return self.say_line(at_ms, line, output);
            }
            let named: Vec<Str> = resolved.iter().map(|(id, _)| id.clone()).collect();
            self.begin(at_ms, &named, output);
        }
        self.say_line(at_ms, line, output);
        let turn = self.turn();
        let outcome = resolved.first().map(|(_, outcome)| outcome.clone());
        for (id, _) in resolved {
            self.processed(at_ms, InputId::new(id.as_str()), turn, output);
        }
        // Inputs of a turn that began in an earlier process.
        let inputs = self.turn.as_ref().map(|turn| turn.inputs.clone());
        let mut ended = inputs.unwrap_or_default();
        ended.retain(|id| self.inherited.contains(id));
        self.inherited.retain(|id| !ended.contains(id));
        for id in ended {
            self.processed(at_ms, id, turn, output);
        }
        let outcome = outcome.unwrap_or_else(|| self.prompts.unasked(result.clone()));
        self.end_turn(at_ms, EndedTurn::new(ending(&outcome)), output);
    }

    /// The CLI is idle: inputs that it received and no result named were answered by the last
    /// result.
    pub(super) fn rested(&mut self, at_ms: i64, output: &mut Output) {
        let done = self.prompts.idle();
        let merged = self.prompts.rested();
        for (id, _) in done.into_iter().chain(merged) {
            let last = Some(self.turns).filter(|turn| *turn > 0);
            self.processed(at_ms, InputId::new(id.as_str()), last, output);
        }
    }
}

/// Converts a piece of text; `None` if its position is unknown.
fn delta(turn: u64, event: &StreamEvent, piece: TextPiece) -> Option<TextDelta> {
    match piece {
        TextPiece::Text {
            text,
            message_id,
            index,
            offset,
            ..
        } => {
            let block = u32::try_from(index?).ok()?;
            let id = message_id?;
            Some(TextDelta::new(turn, id, block, offset as u64, text))
        }
        TextPiece::Retracted { .. } => {
            let abandoned = event.abandoned_blocks.as_deref()?;
            let id = abandoned.api_message_id.as_ref();
            let id = id.or(event.api_message_id.as_ref())?;
            let block = u32::try_from(abandoned.from_block_index.unwrap_or(0)).ok()?;
            Some(TextDelta::retraction(turn, id.as_str(), block))
        }
        _ => None,
    }
}

fn ending(outcome: &TurnOutcome) -> TurnEnding {
    match outcome {
        TurnOutcome::Succeeded(_) => TurnEnding::Succeeded,
        TurnOutcome::Interrupted { .. } => TurnEnding::Interrupted,
        TurnOutcome::TimedOut { .. } => TurnEnding::TimedOut,
        TurnOutcome::ProcessLost(_) => TurnEnding::ProcessLost,
        TurnOutcome::ContinuedInBackground { .. } => TurnEnding::ContinuedInBackground,
        TurnOutcome::Detached => TurnEnding::Detached,
        _ => TurnEnding::Failed,
    }
}
