//! Turns lines of the CLI into events with turns. Pure: no clock, no I/O.

#[cfg(test)]
mod attach_tests;
mod input_state;
mod lines;

use std::sync::Arc;

use rusty_claw::{TextAssembler, TurnLedger};
use rusty_claw_protocol::{Line, RawLine, Str};
use serde::{Deserialize, Serialize};

use self::input_state::Inputs;
use crate::event::{
    AcceptedInput, EndedTurn, Fact, InputFailure, InputId, Lifecycle, LifecycleState,
    ProgressUpdate, SessionEvent, TextDelta, TurnEnding,
};
use crate::progress::ProgressTracker;

/// Builds the events of a session from the lines that its CLI prints.
///
/// It assigns sequence numbers and turns. A turn begins when the CLI starts to work and ends with
/// its result. Inputs that the CLI merged share a turn, an input that it adds to a running turn
/// joins that turn, a background task that ends has a turn of its own, and a lost process ends its
/// turn. The SDK's turn ledger maps results to inputs.
///
/// ```
/// use claw_server::event::{Fact, InputId};
/// use claw_server::{Output, EventBuilder};
///
/// let mut builder = EventBuilder::new(1);
/// let mut output = Output::default();
/// builder.sent(InputId::new("in_1"));
/// for line in [
///     r#"{"type":"system","subtype":"init","session_id":"s","tools":[],"mcp_servers":[]}"#,
///     r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Hi"}]}}"#,
///     r#"{"type":"result","subtype":"success","is_error":false,"result":"Hi"}"#,
/// ] {
///     builder.line(0, line, &mut output);
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
pub struct EventBuilder {
    epoch: u64,
    /// The last sequence number that was assigned.
    sequence: u64,
    turns: u64,
    turn: Option<OpenTurn>,
    prompts: TurnLedger,
    inputs: Inputs,
    /// Inputs that the CLI has started and that have no turn yet.
    begun: Vec<InputId>,
    /// Inputs that were stored and not sent. After a loss, the CLI may have received one of them.
    accepted: Vec<InputId>,
    /// Inputs that were delivered to the process of the previous owner.
    inherited: Vec<InputId>,
    text: TextAssembler,
    /// The latest line that became an event. Keeps its decoded form alive for that event.
    latest: Option<Arc<Line>>,
    progress: ProgressTracker,
    /// Updates caused by the current message, recorded right after it.
    due: Vec<ProgressUpdate>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct OpenTurn {
    number: u64,
    inputs: Vec<InputId>,
}

/// The state of a builder at an event, as replaying all events up to it would restore it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedBuilder {
    sequence: u64,
    turns: u64,
    turn: Option<OpenTurn>,
    delivered: Vec<InputId>,
    progress: ProgressTracker,
    #[serde(default)]
    prompts: TurnLedger,
    #[serde(default)]
    inputs: Inputs,
    #[serde(default)]
    begun: Vec<InputId>,
    #[serde(default)]
    accepted: Vec<InputId>,
}

/// The output for a line: events for the log, and streamed text.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Output {
    /// Events for the log, in order.
    pub events: Vec<SessionEvent>,
    /// Streamed text, for clients that are connected.
    pub deltas: Vec<TextDelta>,
}

impl EventBuilder {
    /// Creates the builder of a new session.
    pub fn new(epoch: u64) -> Self {
        Self {
            epoch,
            ..Self::default()
        }
    }

    /// Creates the builder of a session with events, from the last sequence number and the last
    /// turn.
    pub fn after(epoch: u64, sequence: u64, turns: u64) -> Self {
        Self {
            sequence,
            turns,
            ..Self::new(epoch)
        }
    }

    /// Continues from the previous owner's progress tracker. Without it, work that is reported
    /// again counts as new.
    #[must_use]
    pub fn with_progress(mut self, progress: ProgressTracker) -> Self {
        self.progress = progress;
        self
    }

    /// The progress tracker, to be saved.
    pub fn progress(&self) -> &ProgressTracker {
        &self.progress
    }

    /// Replays an event of the previous owner, in order, to restore what was open when that owner
    /// was lost. [`EventBuilder::ended`] then ends it, or [`EventBuilder::attach`] continues it.
    pub fn replay(&mut self, event: &SessionEvent) {
        self.replay_before(event, None);
    }

    /// Replays consecutive events, which is faster than one by one.
    pub fn replay_all(&mut self, events: &[Arc<SessionEvent>]) {
        for (place, event) in events.iter().enumerate() {
            self.replay_before(event, events.get(place + 1).map(AsRef::as_ref));
        }
    }

    fn replay_before(&mut self, event: &SessionEvent, next: Option<&SessionEvent>) {
        self.sequence = self.sequence.max(event.sequence);
        self.turns = self.turns.max(event.turn.unwrap_or(0));
        match &event.fact {
            Fact::TurnStarted(inputs) => {
                let number = event.turn.unwrap_or(self.turns + 1);
                self.turns = self.turns.max(number);
                self.begun.clear();
                inputs.iter().for_each(|id| self.inputs.began(id));
                let inputs = inputs.clone();
                self.turn = Some(OpenTurn { number, inputs });
            }
            Fact::TurnEnded(_) => self.turn = None,
            Fact::InputAccepted(input) => self.accepted.push(input.id.clone()),
            Fact::InputDelivered(id) => {
                self.inherited.push(id.clone());
                self.resent(id);
                self.inputs.deliver(id);
            }
            Fact::InputProcessed(id) => self.closed(id),
            Fact::InputFailed(failure) => self.closed(&failure.id),
            Fact::Message(_) => {
                let Some(line) = event.line() else { return };
                if let Some(message) = line.message() {
                    // The updates of a message are already in the log, right after it.
                    match next.map(|next| &next.fact) {
                        None | Some(Fact::Progress(_)) => {
                            self.progress.message(event.at_ms, message, &mut Vec::new());
                        }
                        Some(_) => self.progress.message_without_update(event.at_ms, message),
                    }
                }
                self.replay_line(&line);
            }
            Fact::Progress(update) => self.progress.recorded(event.at_ms, update),
            Fact::Lifecycle(lifecycle) if lifecycle.state != LifecycleState::Ready => {
                self.progress.process_ended(event.at_ms, &mut Vec::new());
                self.forget_process();
            }
            _ => {}
        }
    }

    /// Restores what a line changes besides the events that are in the log: the states of inputs.
    fn replay_line(&mut self, line: &Arc<Line>) {
        let Line::Message(received) = &**line else {
            return;
        };
        use rusty_claw_protocol::messages::{Message, SystemMessage};
        if !matches!(
            received.message,
            Message::CommandLifecycle(_)
                | Message::Result(_)
                | Message::System(
                    SystemMessage::SessionStateChanged(_)
                        | SystemMessage::BackgroundTasksChanged(_)
                )
        ) {
            return;
        }
        let (sequence, turns, before) = (self.sequence, self.turns, self.turn.clone());
        let inherited = self.inherited.clone();
        let mut scratch = Output::default();
        self.message(0, line, received, &mut scratch);
        self.inherited = inherited;
        self.latest = None;
        (self.sequence, self.turns) = (sequence, turns);
        // Only events begin and end turns; the log may lack the last ones of this line.
        let number = before.as_ref().map(|turn| turn.number);
        if number.is_none() || self.turn() != number {
            self.turn = before;
        }
    }

    /// Continues with the process of the previous owner, after all events were replayed: the turn
    /// and the inputs stay open.
    pub fn attach(&mut self) {
        // If the turn waited without a process, its inputs were sent to an earlier one, and only
        // the end of the turn ends them.
        self.inherited.retain(|id| !self.inputs.has(id));
        self.text = TextAssembler::new().resumed();
    }

    /// Marks an input as sent unless it is already.
    fn resent(&mut self, id: &InputId) {
        if !self.inputs.has(id) {
            self.sent(id.clone());
        }
    }

    fn closed(&mut self, id: &InputId) {
        self.inherited.retain(|open| open != id);
        self.accepted.retain(|open| open != id);
        self.begun.retain(|open| open != id);
        self.inputs.forget(id);
    }

    /// Returns the state to save. `None` while an input was sent and not delivered: only the log
    /// has its content.
    pub(crate) fn save(&self) -> Option<SavedBuilder> {
        let sent = self.inputs.delivered()?;
        let sent = sent.filter(|id| !self.inherited.contains(id));
        Some(SavedBuilder {
            sequence: self.sequence,
            turns: self.turns,
            turn: self.turn.clone(),
            delivered: self.inherited.iter().chain(sent).cloned().collect(),
            progress: self.progress.clone(),
            prompts: self.prompts.clone(),
            inputs: self.inputs.clone(),
            begun: self.begun.clone(),
            accepted: self.accepted.clone(),
        })
    }

    /// Creates the builder of a new owner from a saved state.
    pub(crate) fn restore(epoch: u64, saved: SavedBuilder) -> Self {
        Self {
            sequence: saved.sequence,
            turns: saved.turns,
            turn: saved.turn,
            inherited: saved.delivered,
            progress: saved.progress,
            prompts: saved.prompts,
            inputs: saved.inputs,
            begun: saved.begun,
            accepted: saved.accepted,
            ..Self::new(epoch)
        }
    }

    /// The epoch of the owner.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The number of the running turn.
    pub fn turn(&self) -> Option<u64> {
        self.turn.as_ref().map(|turn| turn.number)
    }

    /// Whether an input is in the running turn.
    pub(crate) fn is_in_turn(&self, id: &InputId) -> bool {
        self.turn
            .as_ref()
            .is_some_and(|turn| turn.inputs.contains(id))
    }

    /// The number of turns that have begun.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// The sequence number of the last event.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Records that an input was stored.
    pub fn accepted(&mut self, at_ms: i64, input: AcceptedInput) -> SessionEvent {
        let id = input.id.clone();
        self.accepted.push(id.clone());
        let event = self.stamp(at_ms, Fact::InputAccepted(input));
        event.turn(None).input(id)
    }

    /// Records that an input was written to the CLI, with its id as the message's uuid.
    pub fn sent(&mut self, id: InputId) {
        self.accepted.retain(|accepted| *accepted != id);
        self.prompts.sent(Str::from(id.as_str()));
        self.inputs.sent(id);
    }

    /// Records a fact of the session's owner, such as an opened interaction or a started process,
    /// in the running turn.
    pub fn fact(&mut self, at_ms: i64, fact: Fact) -> SessionEvent {
        if let Fact::InputFailed(failure) = &fact {
            self.closed(&failure.id);
        }
        use LifecycleState::{Parked, Starting};
        if matches!(&fact, Fact::Lifecycle(it) if matches!(it.state, Parked | Starting)) {
            self.leave_process();
        }
        self.stamp(at_ms, fact)
    }

    /// Prepares for another process, in which a parked turn goes on. It does not name the inputs of
    /// the turn.
    fn leave_process(&mut self) {
        let inputs = self.turn.iter().flat_map(|turn| &turn.inputs);
        let sent = inputs.filter(|id| self.inputs.has(id) && !self.inherited.contains(id));
        let sent: Vec<InputId> = sent.cloned().collect();
        self.inherited.extend(sent);
        self.forget_process();
    }

    /// Processes a line that the CLI printed.
    pub fn line(&mut self, at_ms: i64, raw: impl Into<RawLine>, output: &mut Output) {
        self.received(at_ms, Line::decode(raw), output);
    }

    /// Like [`EventBuilder::line`], for a line that is already decoded.
    pub fn received(&mut self, at_ms: i64, line: Line, output: &mut Output) {
        self.latest = None;
        let line = Arc::new(line);
        if let Line::Message(received) = &*line {
            let message = &received.message;
            self.progress.message(at_ms, message, &mut self.due);
            self.message(at_ms, &line, received, output);
            // Updates caused by a line that did not become an event.
            self.say_progress(at_ms, output);
        } else {
            // Foreign output between the CLI's messages: it is recorded and has no effect.
            self.say_line(at_ms, &line, output);
        }
    }

    /// Records that the process ended and the session's new state. Everything that is running ends
    /// with it.
    pub fn ended(&mut self, at_ms: i64, lifecycle: Lifecycle, output: &mut Output) {
        // The process of a previous owner may have done more than its last lines report.
        if self.turn.is_none() && self.inherited.is_empty() {
            self.rested(at_ms, output);
        }
        self.progress.process_ended(at_ms, &mut self.due);
        self.say_progress(at_ms, output);
        let lost = lifecycle.state == LifecycleState::Lost;
        let reason = lifecycle.reason.clone();
        self.say(at_ms, Fact::Lifecycle(lifecycle), output);
        let mut open = std::mem::take(&mut self.inherited);
        for id in self.prompts.open_ids() {
            let id = InputId::new(id.as_str());
            if !open.contains(&id) {
                open.push(id);
            }
        }
        for id in open {
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
        self.forget_process();
    }

    /// Resets what belongs to a process: a new one only reports about inputs that are sent to it.
    fn forget_process(&mut self) {
        self.prompts = TurnLedger::default();
        self.inputs = Inputs::default();
        self.begun.clear();
        self.text = TextAssembler::new();
        self.latest = None;
    }

    fn delivered(&mut self, at_ms: i64, id: &InputId, output: &mut Output) {
        if self.accepted.contains(id) {
            // The previous owner sent it and was lost before that was stored.
            self.sent(id.clone());
        }
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
