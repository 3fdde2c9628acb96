//! From lines of the CLI to events with turns. Pure: no clock, no I/O.

mod input_state;
mod lines;

use std::sync::Arc;

use rusty_claw::{TextAssembler, TurnLedger};
use rusty_claw_protocol::{Line, RawLine, Str};

use self::input_state::Inputs;
use crate::event::{
    AcceptedInput, EndedTurn, Fact, InputFailure, InputId, Lifecycle, LifecycleState,
    ProgressUpdate, SessionEvent, TextDelta, TurnEnding,
};
use crate::progress::ProgressTracker;

/// Makes the events of a session from what its CLI prints, and stamps them.
///
/// It counts sequences and turns. A turn begins when the CLI begins to work and ends with its
/// result: prompts that the CLI merged share one, a prompt that it folds into a running turn joins
/// that one, a task that ends in the background has one of its own, and a process that is lost
/// ends the turn it was in. Which result belongs to which prompt is known by the SDK's own ledger.
///
/// ```
/// use claw_server::event::{Fact, InputId};
/// use claw_server::{Output, SessionLedger};
///
/// let mut ledger = SessionLedger::new(1);
/// let mut output = Output::default();
/// ledger.sent(InputId::new("in_1"));
/// for line in [
///     r#"{"type":"system","subtype":"init","session_id":"s","tools":[],"mcp_servers":[]}"#,
///     r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Hi"}]}}"#,
///     r#"{"type":"result","subtype":"success","is_error":false,"result":"Hi"}"#,
/// ] {
///     ledger.line(0, line, &mut output);
/// }
/// let kinds: Vec<&str> = output.events.iter().map(|event| event.fact.kind()).collect();
/// assert_eq!(
///     kinds,
///     ["input_delivered", "turn_started", "message", "message", "message", "input_processed", "turn_ended"]
/// );
/// assert!(output.events[1..].iter().all(|event| event.turn == Some(1)));
/// assert_eq!(output.events[1].fact, Fact::TurnStarted(vec![InputId::new("in_1")]));
/// ```
#[derive(Debug, Default)]
pub struct SessionLedger {
    epoch: u64,
    /// The last sequence and the last turn that were given away.
    sequence: u64,
    turns: u64,
    turn: Option<OpenTurn>,
    prompts: TurnLedger,
    inputs: Inputs,
    /// Prompts that the CLI has begun, and no turn yet.
    begun: Vec<InputId>,
    /// Inputs that were delivered to the process of the owner before.
    inherited: Vec<InputId>,
    text: TextAssembler,
    /// The latest line that became an event, for those who ask that event what its line says.
    latest: Option<Arc<Line>>,
    progress: ProgressTracker,
    /// What follows from the message that is being taken in, to be said right behind it.
    due: Vec<ProgressUpdate>,
}

#[derive(Debug)]
struct OpenTurn {
    number: u64,
    inputs: Vec<InputId>,
}

/// What came of a line: events for the log, and text that is still being written.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Output {
    /// For the log, in order.
    pub events: Vec<SessionEvent>,
    /// For those who watch.
    pub deltas: Vec<TextDelta>,
}

impl SessionLedger {
    /// The ledger of a new session.
    pub fn new(epoch: u64) -> Self {
        Self {
            epoch,
            ..Self::default()
        }
    }

    /// The ledger of a session that has events already, by their last sequence and last turn.
    pub fn after(epoch: u64, sequence: u64, turns: u64) -> Self {
        Self {
            sequence,
            turns,
            ..Self::new(epoch)
        }
    }

    /// Goes on from how far everything was, as the tracker of the owner before has it. Without it
    /// a thing that is heard of again is new.
    #[must_use]
    pub fn with_progress(mut self, progress: ProgressTracker) -> Self {
        self.progress = progress;
        self
    }

    /// How far everything is, to be put away.
    pub fn progress(&self) -> &ProgressTracker {
        &self.progress
    }

    /// Learns from an event of the owner before, in order, what was open when that one was lost.
    /// [`SessionLedger::ended`] then says what became of it.
    pub fn replay(&mut self, event: &SessionEvent) {
        self.sequence = self.sequence.max(event.sequence);
        self.turns = self.turns.max(event.turn.unwrap_or(0));
        match &event.fact {
            Fact::TurnStarted(inputs) => {
                let number = event.turn.unwrap_or(self.turns + 1);
                self.turns = self.turns.max(number);
                let inputs = inputs.clone();
                self.turn = Some(OpenTurn { number, inputs });
            }
            Fact::TurnEnded(_) => self.turn = None,
            Fact::InputDelivered(id) => self.inherited.push(id.clone()),
            Fact::InputProcessed(id) => self.inherited.retain(|open| open != id),
            Fact::InputFailed(failure) => self.inherited.retain(|open| *open != failure.id),
            Fact::Message(_) => {
                if let Some(message) = event.line().as_deref().and_then(Line::message) {
                    // What follows from it is in the log.
                    self.progress.message(event.at_ms, message, &mut Vec::new());
                }
            }
            Fact::Lifecycle(lifecycle) if lifecycle.state != LifecycleState::Ready => {
                self.progress.process_ended(event.at_ms, &mut Vec::new());
            }
            _ => {}
        }
    }

    /// The number of the turn that is running.
    pub fn turn(&self) -> Option<u64> {
        self.turn.as_ref().map(|turn| turn.number)
    }

    /// How many turns have begun.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// The sequence of the last event.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// An input was stored.
    pub fn accepted(&mut self, at_ms: i64, input: AcceptedInput) -> SessionEvent {
        let id = input.id.clone();
        let event = self.stamp(at_ms, Fact::InputAccepted(input));
        event.turn(None).input(id)
    }

    /// An input was written to the CLI, with its id as the message's uuid.
    pub fn sent(&mut self, id: InputId) {
        self.prompts.sent(Str::from(id.as_str()));
        self.inputs.sent(id);
    }

    /// A fact of the session's owner: a prompt was asked or answered, the process came up. It is
    /// stamped with the turn that runs.
    pub fn fact(&mut self, at_ms: i64, fact: Fact) -> SessionEvent {
        self.stamp(at_ms, fact)
    }

    /// The CLI printed a line.
    pub fn line(&mut self, at_ms: i64, raw: impl Into<RawLine>, output: &mut Output) {
        self.received(at_ms, Line::decode(raw), output);
    }

    /// The same, for whoever has decoded the line already.
    pub fn received(&mut self, at_ms: i64, line: Line, output: &mut Output) {
        self.latest = None;
        let line = Arc::new(line);
        if let Line::Message(received) = &*line {
            let message = &received.message;
            self.progress.message(at_ms, message, &mut self.due);
            self.message(at_ms, &line, received, output);
            // What follows from a line that is no event.
            self.say_progress(at_ms, output);
        } else {
            // Somebody printed it into the CLI's output; it is kept, and means nothing.
            self.say_line(at_ms, &line, output);
        }
    }

    /// The process is gone, and this is what becomes of the session. What runs ends with it.
    pub fn ended(&mut self, at_ms: i64, lifecycle: Lifecycle, output: &mut Output) {
        if self.turn.is_none() {
            self.rested(at_ms, output);
        }
        self.progress.process_ended(at_ms, &mut self.due);
        self.say_progress(at_ms, output);
        let lost = lifecycle.state == LifecycleState::Lost;
        let reason = lifecycle.reason.clone();
        self.say(at_ms, Fact::Lifecycle(lifecycle), output);
        let open = self.prompts.open_ids();
        let open = open.iter().map(|id| InputId::new(id.as_str()));
        let inherited = std::mem::take(&mut self.inherited);
        for id in inherited.into_iter().chain(open) {
            let failure = InputFailure::new(id.clone(), "the process ended first").indeterminate();
            let turn = self.turn();
            let event = self.stamp(at_ms, Fact::InputFailed(failure));
            output.events.push(event.turn(turn).input(id));
        }
        if self.turn.is_some() {
            let ended = EndedTurn::new(if lost {
                TurnEnding::ProcessLost
            } else {
                TurnEnding::Interrupted
            });
            let words = reason.unwrap_or_else(|| "the process ended first".to_owned());
            self.end_turn(at_ms, ended.because(words), output);
        }
        // What a new process says of prompts is about prompts that are sent to it.
        self.prompts = TurnLedger::default();
        self.inputs = Inputs::default();
        self.begun.clear();
        self.text = TextAssembler::new();
        self.latest = None;
    }

    fn delivered(&mut self, at_ms: i64, id: &InputId, output: &mut Output) {
        if self.inputs.deliver(id) {
            let event = self.stamp(at_ms, Fact::InputDelivered(id.clone()));
            output.events.push(event.input(id.clone()));
        }
    }

    fn processed(&mut self, at_ms: i64, id: InputId, turn: Option<u64>, output: &mut Output) {
        self.delivered(at_ms, &id, output);
        self.inputs.forget(&id);
        let event = self.stamp(at_ms, Fact::InputProcessed(id.clone()));
        output.events.push(event.turn(turn).input(id));
    }

    fn end_turn(&mut self, at_ms: i64, ended: EndedTurn, output: &mut Output) {
        self.say(at_ms, Fact::TurnEnded(ended), output);
        self.turn = None;
    }

    fn say(&mut self, at_ms: i64, fact: Fact, output: &mut Output) {
        let event = self.stamp(at_ms, fact);
        output.events.push(event);
    }

    fn say_line(&mut self, at_ms: i64, line: &Arc<Line>, output: &mut Output) {
        let event = self.stamp(at_ms, Fact::Message(line.raw().clone()));
        output.events.push(event.decoded(line));
        self.latest = Some(Arc::clone(line));
        self.say_progress(at_ms, output);
    }

    fn say_progress(&mut self, at_ms: i64, output: &mut Output) {
        if self.due.is_empty() {
            return;
        }
        for update in std::mem::take(&mut self.due) {
            let event = self.stamp(at_ms, Fact::Progress(Box::new(update)));
            output.events.push(event);
        }
    }

    fn stamp(&mut self, at_ms: i64, fact: Fact) -> SessionEvent {
        self.sequence += 1;
        let cause = self.turn.as_ref().and_then(|turn| turn.inputs.first());
        SessionEvent::new(self.sequence, self.epoch, at_ms, fact)
            .turn(self.turn())
            .input(cause.cloned())
    }
}
