//! Creates the events of a session, and stores them before they are visible.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rusty_claw_protocol::{Json, Line};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::appending::{PATIENCE, Trouble, append};
use super::clock::now_ms;
use super::close_signal::CloseAsked;
use super::state::SessionState;
use super::watchers::Watchers;
use crate::event::{AcceptedInput, Fact, InteractionId, Lifecycle, LifecycleState, SessionEvent};
use crate::event_builder::Output;
use crate::log::{Checkpoint, EventLog, Fence, LogError, LogUpdate};
use crate::session_id::SessionId;

/// How much is appended at once.
const BATCH_EVENTS: usize = 256;
const BATCH_BYTES: usize = 1024 * 1024;
/// How much may wait for the log, in bytes and in time, before no more lines of the CLI are read.
/// The CLI then blocks when its pipe and the SDK's buffers are full.
pub(super) const WAITING_BYTES: usize = 4 * 1024 * 1024;
pub(super) const WAITING_TIME: Duration = Duration::from_secs(30);
/// The envelope member of messages that were read from the session file.
const RECOVERED: &str = "recovered";
/// How many events are stored between two checkpoints.
pub(super) const CHECKPOINT_EVERY: u64 = 1_000;

/// Creates all events of a session.
///
/// Events change the [state](SessionState) at once, so that later decisions include them. They are
/// stored together, and only then published. Effects that others can see (a reply, a response to
/// the CLI) are passed to [`Recorder::then`] and happen when all events before them are stored. The
/// loop does not wait for the log: while an append is pending, it collects the next events.
pub(super) struct Recorder {
    pub(super) session_id: SessionId,
    pub(super) state: SessionState,
    pub(super) watchers: Watchers,
    pub(super) close: CloseAsked,
    /// Whether the CLI outlives its owner, so that offsets in its output are stored.
    pub(super) is_held: bool,
    log: Arc<dyn EventLog>,
    /// The sequence of the last stored event.
    stored: Arc<AtomicU64>,
    /// The sequence of the last accepted input.
    accepted: u64,
    /// The error with which the log refused an append. Nothing is appended after it.
    failed: Option<LogError>,
    /// The events that were not stored when the log refused.
    pub(super) lost: Vec<Arc<SessionEvent>>,
    output: Output,
    /// The updates that are not published yet and the actions that wait for them, in order.
    steps: VecDeque<Step>,
    waiting_bytes: usize,
    appending: Option<Appending>,
    trouble: Trouble,
    /// The sequence of the last checkpoint.
    saved: u64,
    saving: Option<JoinHandle<()>>,
}

enum Step {
    Update(LogUpdate),
    /// An event that is stored together with the next one, because both include the same line.
    Joined(Arc<SessionEvent>),
    Then(Box<dyn FnOnce() + Send>),
}

impl Step {
    fn event(&self) -> Option<&Arc<SessionEvent>> {
        match self {
            Self::Update(LogUpdate::Event(event)) | Self::Joined(event) => Some(event),
            _ => None,
        }
    }
}

struct Appending {
    task: JoinHandle<Result<Option<Vec<Arc<SessionEvent>>>, LogError>>,
    last: u64,
    since: Instant,
}

impl Recorder {
    pub(super) fn new(
        session_id: SessionId,
        state: SessionState,
        log: Arc<dyn EventLog>,
        watchers: Watchers,
        close: CloseAsked,
    ) -> Self {
        let sequence = state.builder.sequence();
        Self {
            session_id,
            state,
            watchers,
            close,
            is_held: false,
            log,
            stored: Arc::new(AtomicU64::new(sequence)),
            accepted: 0,
            failed: None,
            lost: Vec::new(),
            output: Output::default(),
            steps: VecDeque::new(),
            waiting_bytes: 0,
            appending: None,
            trouble: Trouble::default(),
            saved: sequence,
            saving: None,
        }
    }

    pub(super) fn log(&self) -> Arc<dyn EventLog> {
        Arc::clone(&self.log)
    }

    /// Returns the sequence of the last stored event, as a shared counter.
    pub(super) fn stored(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.stored)
    }

    fn last_stored(&self) -> u64 {
        self.stored.load(Ordering::Acquire)
    }

    /// Records a line that ends at this offset in the CLI's output.
    pub(super) fn line(&mut self, line: Line, offset: u64) {
        // First, because an append may end between the two.
        if let Some(id) = self.state.new_cli_session(&line) {
            let event = self.state.builder.fact(now_ms(), Fact::CliSession(id));
            self.output.events.push(event);
        }
        let builder = &mut self.state.builder;
        builder.received(now_ms(), line, &mut self.output);
        if self.is_held
            && let Some(last) = self.output.events.last_mut()
        {
            last.offset = Some(offset);
        }
        self.gather();
    }

    /// Records a message of the session file, as if the CLI had printed it.
    pub(super) fn recovered(&mut self, line: Line) {
        let builder = &mut self.state.builder;
        builder.received(now_ms(), line, &mut self.output);
        let is_message = |event: &&mut SessionEvent| matches!(event.fact, Fact::Message(_));
        for event in self.output.events.iter_mut().filter(is_message) {
            event
                .extra
                .insert(RECOVERED.to_owned(), Json::from_value(&true.into()));
        }
        self.gather();
    }

    /// Records that the CLI is starting. Its output begins at 0.
    pub(super) fn starting(&mut self) {
        let starting = Fact::Lifecycle(Lifecycle::new(LifecycleState::Starting));
        let mut event = self.state.builder.fact(now_ms(), starting);
        event.offset = self.is_held.then_some(0);
        self.output.events.push(event);
        self.gather();
    }

    pub(super) fn fact(&mut self, fact: Fact) {
        let event = self.state.builder.fact(now_ms(), fact);
        self.output.events.push(event);
        self.gather();
    }

    /// Records that an interaction is withdrawn, with the reason.
    pub(super) fn withdraw(&mut self, id: InteractionId, reason: &str) {
        let fact = Fact::InteractionWithdrawn(id);
        let mut event = self.state.builder.fact(now_ms(), fact);
        let reason = Json::from_text_value(reason);
        event.extra.insert("reason".to_owned(), reason);
        self.output.events.push(event);
        self.gather();
    }

    pub(super) fn accepted(&mut self, input: AcceptedInput) {
        let event = self.state.builder.accepted(now_ms(), input);
        self.accepted = event.sequence;
        self.output.events.push(event);
        self.gather();
    }

    pub(super) fn ended(&mut self, lifecycle: Lifecycle) {
        let builder = &mut self.state.builder;
        builder.ended(now_ms(), lifecycle, &mut self.output);
        self.gather();
    }

    fn gather(&mut self) {
        let mut events = self.output.events.drain(..).peekable();
        while let Some(event) = events.next() {
            self.state.apply(&event);
            let event = Arc::new(event);
            self.waiting_bytes += crate::log::weight(&event);
            self.steps
                .push_back(match self.is_held && events.peek().is_some() {
                    true => Step::Joined(event),
                    false => Step::Update(LogUpdate::Event(event)),
                });
        }
        drop(events);
        for delta in self.output.deltas.drain(..) {
            let update = LogUpdate::Delta(Arc::new(delta));
            self.waiting_bytes += update.weight();
            self.steps.push_back(Step::Update(update));
        }
    }

    /// Calls `done` when all events so far are stored. If the log refuses them, `done` is dropped.
    pub(super) fn then(&mut self, done: impl FnOnce() + Send + 'static) {
        self.steps.push_back(Step::Then(Box::new(done)));
    }

    /// Whether all accepted inputs are stored: only then is one sent to the CLI.
    pub(super) fn inputs_are_stored(&self) -> bool {
        self.accepted <= self.last_stored()
    }

    /// Whether more lines of the CLI may be read.
    pub(super) fn has_room(&self) -> bool {
        let is_patient = |since: Instant| since.elapsed() < WAITING_TIME;
        let appending = self.appending.as_ref().map(|appending| appending.since);
        let since = self.trouble.since().or(appending);
        self.waiting_bytes < WAITING_BYTES && since.is_none_or(is_patient)
    }

    /// Returns the error of the log, if it has failed or not responded for so long that clients
    /// receive it.
    pub(super) fn trouble(&self) -> Option<LogError> {
        let is_late = |appending: &Appending| appending.since.elapsed() >= PATIENCE;
        let late = || LogError::unavailable("it does not respond");
        let is_late = self.appending.as_ref().is_some_and(is_late);
        self.trouble.lasting().or_else(|| is_late.then(late))
    }

    /// Starts to store the collected events, unless an append is pending.
    ///
    /// # Errors
    /// The log has refused an earlier append.
    pub(super) fn flush(&mut self) -> Result<(), LogError> {
        if self.appending.is_some() {
            return Ok(());
        }
        self.run_steps(self.last_stored());
        if let Some(failed) = &self.failed {
            return Err(failed.clone());
        }
        let events = self.next_batch();
        let Some(last) = events.last().map(|event| event.sequence) else {
            self.checkpoint_if_due();
            return Ok(());
        };
        let fence = Fence {
            epoch: self.state.builder.epoch(),
            expected_last: self.last_stored(),
        };
        let (log, trouble) = (self.log(), self.trouble.clone());
        let task = tokio::spawn(append(log, self.session_id, fence, events, trouble));
        let since = Instant::now();
        self.appending = Some(Appending { task, last, since });
        Ok(())
    }

    /// Returns the events to append next. Joined events are not separated.
    fn next_batch(&self) -> Vec<Arc<SessionEvent>> {
        let (mut batch, mut bytes, mut is_joined) = (Vec::new(), 0, false);
        for step in &self.steps {
            let Some(event) = step.event() else { continue };
            let weight = crate::log::weight(event);
            let is_full = batch.len() >= BATCH_EVENTS || bytes + weight > BATCH_BYTES;
            if is_full && !is_joined && !batch.is_empty() {
                break;
            }
            bytes += weight;
            batch.push(Arc::clone(event));
            is_joined = matches!(step, Step::Joined(_));
        }
        batch
    }

    /// Waits for the pending append. Never returns if there is none.
    ///
    /// # Errors
    /// The events are not known to be stored, and the session must end.
    ///
    /// This method is cancel safe.
    pub(super) async fn appended(&mut self) -> Result<(), LogError> {
        let Some(appending) = &mut self.appending else {
            return std::future::pending().await;
        };
        let appended = tokio::select! {
            biased;
            appended = &mut appending.task => appended.unwrap_or_else(|_| {
                Err(LogError::unavailable("it was stopped while it stored events"))
            }),
            () = self.close.is_overdue(appending.since) => Err(LogError::unavailable(
                "it did not confirm the last events before the session had to end",
            )),
        };
        let last = appending.last;
        self.appending = None;
        match appended {
            Ok(None) => {}
            Ok(Some(stored)) => self.replace(stored),
            Err(error) => {
                let lost = self.steps.iter().filter_map(Step::event);
                self.lost.extend(lost.cloned());
                self.steps.clear();
                self.failed = Some(error.clone());
                return Err(error);
            }
        }
        self.stored.store(last, Ordering::Release);
        self.run_steps(last);
        Ok(())
    }

    /// Replaces queued events with the stored ones.
    fn replace(&mut self, stored: Vec<Arc<SessionEvent>>) {
        let mut stored = stored.into_iter();
        for step in &mut self.steps {
            if let Step::Update(LogUpdate::Event(event)) | Step::Joined(event) = step {
                let Some(replaced) = stored.next() else {
                    return;
                };
                self.waiting_bytes -= crate::log::weight(event);
                self.waiting_bytes += crate::log::weight(&replaced);
                *event = replaced;
            }
        }
    }

    /// Stores all collected events.
    ///
    /// # Errors
    /// The events are not known to be stored, and the session must end.
    pub(super) async fn commit(&mut self) -> Result<(), LogError> {
        self.flush()?;
        while self.appending.is_some() {
            self.appended().await?;
            self.flush()?;
        }
        Ok(())
    }

    /// Publishes the stored events, and runs the actions that waited for them.
    fn run_steps(&mut self, stored: u64) {
        while let Some(step) = self.steps.pop_front() {
            if step.event().is_some_and(|event| event.sequence > stored) {
                return self.steps.push_front(step);
            }
            let update = match step {
                Step::Update(update) => update,
                Step::Joined(event) => LogUpdate::Event(event),
                Step::Then(done) => {
                    done();
                    continue;
                }
            };
            self.waiting_bytes -= update.weight();
            if let LogUpdate::Delta(delta) = &update {
                self.log.live(self.session_id, delta);
            }
            self.watchers.publish(&update);
        }
    }

    /// Returns a checkpoint, or `None` if the state includes events that are not stored. The next
    /// owner would store other events with the same sequence numbers.
    fn stored_state(&self) -> Option<Checkpoint> {
        let checkpoint = self.state.save()?;
        (checkpoint.sequence == self.last_stored()).then_some(checkpoint)
    }

    /// Saves a checkpoint in the background every [`CHECKPOINT_EVERY`] events.
    fn checkpoint_if_due(&mut self) {
        let is_saving = self.saving.as_ref().is_some_and(|task| !task.is_finished());
        if is_saving || self.last_stored() < self.saved + CHECKPOINT_EVERY {
            return;
        }
        if let Some(checkpoint) = self.stored_state() {
            self.saving = Some(self.save(checkpoint));
        }
    }

    /// Saves the state at the end of the session.
    pub(super) async fn last_checkpoint(&mut self) {
        if self.failed.is_some() || self.last_stored() == self.saved {
            return;
        }
        if let Some(checkpoint) = self.stored_state() {
            let saving = self.save(checkpoint);
            tokio::select! {
                _ = saving => {}
                () = self.close.is_overdue(Instant::now()) => {}
            }
        }
    }

    fn save(&mut self, checkpoint: Checkpoint) -> JoinHandle<()> {
        self.saved = checkpoint.sequence;
        let (log, session_id) = (self.log(), self.session_id);
        let epoch = self.state.builder.epoch();
        tokio::spawn(async move {
            if let Err(error) = log.save_checkpoint(session_id, epoch, checkpoint).await {
                tracing::warn!(%error, "a checkpoint was not saved; the session continues");
            }
        })
    }
}
