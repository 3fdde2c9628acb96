//! Writes down what happens, and only then lets anybody know.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use rusty_claw_protocol::Line;

use super::queue::InputQueue;
use super::watchers::{Said, Watchers};
use crate::event::{AcceptedInput, Fact, Lifecycle, SessionEvent, TextDelta};
use crate::ledger::{Output, SessionLedger};
use crate::log::{EventLog, LogError};
use crate::prompts::PromptDesk;

/// The one place where events of a session are made.
///
/// What happens is gathered, then stored in one go ([`Recorder::commit`]), and then those who act
/// on it learn it: the desk of prompts, the queue of inputs, and whoever watches.
pub(super) struct Recorder {
    pub(super) session_id: i64,
    pub(super) ledger: SessionLedger,
    pub(super) desk: PromptDesk,
    pub(super) queue: InputQueue,
    pub(super) watchers: Watchers,
    log: Arc<dyn EventLog>,
    output: Output,
    gathered: Vec<Said>,
    events: Vec<Arc<SessionEvent>>,
}

impl Recorder {
    pub(super) fn new(session_id: i64, epoch: u64, log: Arc<dyn EventLog>, unsent: usize) -> Self {
        Self {
            session_id,
            ledger: SessionLedger::new(epoch),
            desk: PromptDesk::new(),
            queue: InputQueue::default(),
            watchers: Watchers::new(unsent),
            log,
            output: Output::default(),
            gathered: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Learns what happened before this owner.
    pub(super) fn replay(&mut self, event: &SessionEvent) {
        self.ledger.replay(event);
        self.desk.apply(&event.fact);
        self.queue.apply(&event.fact);
    }

    pub(super) fn log(&self) -> Arc<dyn EventLog> {
        Arc::clone(&self.log)
    }

    /// The CLI printed a line.
    pub(super) fn line(&mut self, line: Line) {
        self.ledger.received(now_ms(), line, &mut self.output);
        self.gather();
    }

    /// Something else happened.
    pub(super) fn fact(&mut self, fact: Fact) {
        let event = self.ledger.fact(now_ms(), fact);
        self.output.events.push(event);
        self.gather();
    }

    /// An input came in.
    pub(super) fn accepted(&mut self, input: AcceptedInput) {
        let event = self.ledger.accepted(now_ms(), input);
        self.output.events.push(event);
        self.gather();
    }

    /// The process is gone.
    pub(super) fn ended(&mut self, lifecycle: Lifecycle) {
        self.ledger.ended(now_ms(), lifecycle, &mut self.output);
        self.gather();
    }

    fn gather(&mut self) {
        for event in self.output.events.drain(..) {
            let event = Arc::new(event);
            self.events.push(Arc::clone(&event));
            self.gathered.push(Said::Event(event));
        }
        let deltas = self.output.deltas.drain(..);
        self.gathered
            .extend(deltas.map(|delta: TextDelta| Said::Delta(Arc::new(delta))));
    }

    /// Stores what was gathered, and lets everybody know.
    ///
    /// # Errors
    /// It is not stored. Nobody knows of it, and the session must not go on.
    pub(super) async fn commit(&mut self) -> Result<(), LogError> {
        if !self.events.is_empty() {
            self.log.append(self.session_id, &self.events).await?;
            self.events.clear();
        }
        for said in self.gathered.drain(..) {
            match &said {
                Said::Event(event) => {
                    self.desk.apply(&event.fact);
                    self.queue.apply(&event.fact);
                }
                Said::Delta(delta) => self.log.live(self.session_id, delta),
            }
            self.watchers.say(&said);
        }
        Ok(())
    }
}

/// The time, in milliseconds since 1970.
pub(super) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.map(|since| since.as_millis()).unwrap_or_default();
    i64::try_from(millis).unwrap_or(i64::MAX)
}
