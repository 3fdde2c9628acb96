//! Writes down what happens, and only then lets anybody know.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use rusty_claw_protocol::Line;

use super::close_request::CloseAsked;
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
    pub(super) close: CloseAsked,
    log: Arc<dyn EventLog>,
    /// The sequence of the last event that is in the log.
    stored: Arc<AtomicU64>,
    /// The log failed: nothing is appended any more, so that it has no gap.
    failed: Option<LogError>,
    output: Output,
    gathered: Vec<Said>,
    events: Vec<Arc<SessionEvent>>,
}

impl Recorder {
    pub(super) fn new(
        session_id: i64,
        epoch: u64,
        log: Arc<dyn EventLog>,
        watchers: Watchers,
        close: CloseAsked,
    ) -> Self {
        Self {
            session_id,
            ledger: SessionLedger::new(epoch),
            desk: PromptDesk::new(),
            queue: InputQueue::default(),
            watchers,
            close,
            log,
            stored: Arc::default(),
            failed: None,
            output: Output::default(),
            gathered: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Learns what happened before this owner.
    pub(super) fn replay(&mut self, event: &SessionEvent) {
        self.stored.fetch_max(event.sequence, Ordering::AcqRel);
        self.ledger.replay(event);
        self.desk.apply(&event.fact);
        self.queue.apply(&event.fact);
    }

    pub(super) fn log(&self) -> Arc<dyn EventLog> {
        Arc::clone(&self.log)
    }

    /// The sequence of the last event that is in the log, also for later.
    pub(super) fn stored(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.stored)
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
        if let Err(error) = self.store().await {
            self.gathered.clear();
            self.failed = Some(error.clone());
            return Err(error);
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

    /// Appends in a task of its own: the log is not stopped half way, whatever becomes of the
    /// session, and the session is not held for good by a log that does not answer.
    async fn store(&mut self) -> Result<(), LogError> {
        let events = std::mem::take(&mut self.events);
        if let Some(failed) = &self.failed {
            return Err(failed.clone());
        }
        let Some(last) = events.last().map(|event| event.sequence) else {
            return Ok(());
        };
        let (log, session_id) = (Arc::clone(&self.log), self.session_id);
        let appending = tokio::spawn(async move { log.append(session_id, &events).await });
        tokio::select! {
            biased;
            appended = appending => appended.unwrap_or_else(|_| {
                Err(LogError::new("it was stopped while it kept events"))
            })?,
            () = self.close.is_overdue() => return Err(LogError::new(
                "it did not say whether it keeps the last events, and the session had to end",
            )),
        }
        self.stored.store(last, Ordering::Release);
        Ok(())
    }
}

/// The time, in milliseconds since 1970, for those who read it. It may go back: nothing waits by
/// it.
pub(super) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.map(|since| since.as_millis()).unwrap_or_default();
    i64::try_from(millis).unwrap_or(i64::MAX)
}
