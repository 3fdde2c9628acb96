//! Stores what happens before anything acts on it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rusty_claw_protocol::Line;

use super::clock::now_ms;
use super::close_signal::CloseAsked;
use super::queue::InputQueue;
use super::update::Update;
use super::watchers::Watchers;
use crate::event::{AcceptedInput, Fact, Lifecycle, SessionEvent, TextDelta};
use crate::event_builder::{EventBuilder, Output};
use crate::interactions::InteractionRegistry;
use crate::log::{EventLog, LogError};

/// Creates all events of a session.
///
/// Events are collected, stored together ([`Recorder::commit`]), and only then applied to the
/// interactions and the input queue, and sent to the watchers.
pub(super) struct Recorder {
    pub(super) session_id: i64,
    pub(super) builder: EventBuilder,
    pub(super) interactions: InteractionRegistry,
    pub(super) queue: InputQueue,
    pub(super) watchers: Watchers,
    pub(super) close: CloseAsked,
    log: Arc<dyn EventLog>,
    /// The sequence of the last stored event.
    stored: Arc<AtomicU64>,
    /// Set when the log has failed: nothing more is appended, so that it has no gap.
    failed: Option<LogError>,
    output: Output,
    gathered: Vec<Update>,
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
            builder: EventBuilder::new(epoch),
            interactions: InteractionRegistry::new(),
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

    pub(super) fn replay(&mut self, event: &SessionEvent) {
        self.stored.fetch_max(event.sequence, Ordering::AcqRel);
        self.builder.replay(event);
        self.interactions.apply(&event.fact);
        self.queue.apply(&event.fact);
    }

    pub(super) fn log(&self) -> Arc<dyn EventLog> {
        Arc::clone(&self.log)
    }

    /// Returns the sequence of the last stored event, as a shared counter.
    pub(super) fn stored(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.stored)
    }

    pub(super) fn line(&mut self, line: Line) {
        self.builder.received(now_ms(), line, &mut self.output);
        self.gather();
    }

    pub(super) fn fact(&mut self, fact: Fact) {
        let event = self.builder.fact(now_ms(), fact);
        self.output.events.push(event);
        self.gather();
    }

    pub(super) fn accepted(&mut self, input: AcceptedInput) {
        let event = self.builder.accepted(now_ms(), input);
        self.output.events.push(event);
        self.gather();
    }

    pub(super) fn ended(&mut self, lifecycle: Lifecycle) {
        self.builder.ended(now_ms(), lifecycle, &mut self.output);
        self.gather();
    }

    fn gather(&mut self) {
        for event in self.output.events.drain(..) {
            let event = Arc::new(event);
            self.events.push(Arc::clone(&event));
            self.gathered.push(Update::Event(event));
        }
        let deltas = self.output.deltas.drain(..);
        self.gathered
            .extend(deltas.map(|delta: TextDelta| Update::Delta(Arc::new(delta))));
    }

    /// Stores the collected events, then applies and publishes them.
    ///
    /// # Errors
    /// The events are not known to be stored. Nothing is published, and the session must end.
    pub(super) async fn commit(&mut self) -> Result<(), LogError> {
        if let Err(error) = self.store().await {
            self.gathered.clear();
            self.failed = Some(error.clone());
            return Err(error);
        }
        for update in self.gathered.drain(..) {
            match &update {
                Update::Event(event) => {
                    self.interactions.apply(&event.fact);
                    self.queue.apply(&event.fact);
                }
                Update::Delta(delta) => self.log.live(self.session_id, delta),
            }
            self.watchers.publish(&update);
        }
        Ok(())
    }

    /// Appends in a separate task: the append is not cancelled with the session, and a log that
    /// does not respond cannot block the session for good.
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
                Err(LogError::new("it was stopped while it stored events"))
            })?,
            () = self.close.is_overdue() => return Err(LogError::new(
                "it did not say whether it keeps the last events, and the session had to end",
            )),
        }
        self.stored.store(last, Ordering::Release);
        Ok(())
    }
}
