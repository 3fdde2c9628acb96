//! How sessions end, and what is said about it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use rusty_claw::transport::Exit;
use rusty_claw::{BoxFuture, CloseReport, ClosedBy, EndCause, SessionEnd};
use tokio::time::Instant;

use super::session::Running;
use crate::event::{Fact, InputFailure, InputId, Lifecycle, LifecycleState, PromptId};
use crate::log::LogError;
use crate::prompts::PromptEnd;

/// How long those who watch may take for the last of what a session says.
pub(super) const FLUSH: Duration = Duration::from_secs(5);

/// How a session ended: one for each, whatever happened.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SessionClosed {
    /// The session.
    pub session_id: i64,
    /// Whether it was closed or lost.
    pub state: LifecycleState,
    /// With what the process ended, where that is known.
    pub exit_code: Option<i32>,
    /// What happened, in words, with the last of what the CLI printed on standard error.
    pub reason: String,
    /// What it took, when it was closed.
    pub closed_by: Option<ClosedBy>,
    /// The CLI's own id of the conversation, to resume it.
    pub cli_session_id: Option<String>,
    /// How many turns it had.
    pub turns: u64,
    /// The turn that its end cut off. The CLI may still have brought it to an end of its own.
    pub cut_off_turn: Option<u64>,
    /// The prompts that its end left without an answer. They were denied, and are withdrawn; after
    /// a [`log_error`](Self::log_error) the log does not say so, and the next owner withdraws
    /// those that it has as open.
    pub withdrawn: Vec<PromptId>,
    /// The inputs that were stored and not sent. They have failed; after a
    /// [`log_error`](Self::log_error) the log does not say so, and they wait for the next owner.
    pub unsent: Vec<InputId>,
    /// The sequence of the last of its events that the log has taken.
    pub sequence: u64,
    /// How many sinks did not take all of it in time, or could not be brought what was said before
    /// they came; what they miss is in the log.
    pub sinks_behind: usize,
    /// How many sinks panicked, and were let go of for that.
    pub sinks_panicked: usize,
    /// Whether the log failed, so that the last of what happened is not in it. Nobody who watches
    /// was told of the end then, because nobody is told what is not stored: their sinks were
    /// dropped.
    pub log_error: Option<LogError>,
}

impl SessionClosed {
    /// A session of which no more is known than that it is over.
    pub(super) fn lost(session_id: i64, reason: String, sequence: u64) -> Self {
        Self {
            session_id,
            state: LifecycleState::Lost,
            exit_code: None,
            reason,
            closed_by: None,
            cli_session_id: None,
            turns: 0,
            cut_off_turn: None,
            withdrawn: Vec::new(),
            unsent: Vec::new(),
            sequence,
            sinks_behind: 0,
            sinks_panicked: 0,
            log_error: None,
        }
    }
}

/// A session that is being closed.
pub(super) struct Closing {
    /// Until when what runs may go on.
    grace: Instant,
    state: State,
    /// What ran and what was open when its time was over. The CLI ends them as well as it can.
    cut_off: CutOff,
}

/// What the end of a session cuts off.
#[derive(Debug, Default)]
pub(super) struct CutOff {
    pub(super) turn: Option<u64>,
    pub(super) prompts: Vec<PromptId>,
}

enum State {
    Waiting,
    Closing(BoxFuture<'static, CloseReport>),
    Closed(CloseReport, Instant),
}

impl Closing {
    pub(super) fn new(grace: Instant) -> Self {
        Self {
            grace,
            state: State::Waiting,
            cut_off: CutOff::default(),
        }
    }

    /// The shortest of all that was said counts.
    pub(super) fn by(&mut self, grace: Instant) {
        self.grace = self.grace.min(grace);
    }

    pub(super) fn is_due(&self, rests: bool) -> bool {
        matches!(self.state, State::Waiting) && (rests || Instant::now() >= self.grace)
    }

    pub(super) fn begin(&mut self, closing: BoxFuture<'static, CloseReport>, cut_off: CutOff) {
        self.state = State::Closing(closing);
        self.cut_off = cut_off;
    }

    pub(super) fn future(&mut self) -> Option<&mut BoxFuture<'static, CloseReport>> {
        match &mut self.state {
            State::Closing(future) => Some(future),
            _ => None,
        }
    }

    pub(super) fn closed(&mut self, report: CloseReport) {
        self.state = State::Closed(report, Instant::now() + FLUSH);
    }

    pub(super) fn is_over_time(&self) -> bool {
        matches!(&self.state, State::Closed(_, until) if Instant::now() >= *until)
    }

    pub(super) fn wake_at(&self) -> Option<Instant> {
        match &self.state {
            State::Waiting => Some(self.grace),
            State::Closing(_) => None,
            State::Closed(_, until) => Some(*until),
        }
    }

    fn take_cut_off(&mut self) -> CutOff {
        std::mem::take(&mut self.cut_off)
    }

    fn how(&self) -> Option<ClosedBy> {
        match &self.state {
            State::Closed(report, _) => Some(report.by),
            _ => None,
        }
    }
}

impl Running {
    /// Writes down how the session ended, and tells everybody.
    pub(super) async fn finish(&mut self, ran: Result<(), LogError>) -> SessionClosed {
        if ran.is_err() {
            // It must not do what is not written down: whoever waits for an answer gets a no, also
            // a policy's that was not stored, and then the CLI ends.
            self.waiting.clear();
            self.asks.close();
            while self.asks.try_recv().is_ok() {}
            self.session.close().await;
        }
        let end = self.session.ended().await;
        if let Some(closing) = &mut self.closing
            && let Some(report) = closing.future()
        {
            // Its output ended first; the report is about to come.
            let report = report.await;
            closing.closed(report);
        }
        let lifecycle = self.lifecycle(&end, ran.as_ref().err());
        let cut_off = self.closing.as_mut().map(Closing::take_cut_off);
        let cut_off = cut_off.unwrap_or_default();
        let session_id = self.recorder.session_id;
        let mut closed = SessionClosed {
            state: lifecycle.state.clone(),
            exit_code: lifecycle.exit_code,
            closed_by: self.closing.as_ref().and_then(Closing::how),
            cli_session_id: lifecycle.cli_session_id.clone(),
            turns: self.recorder.ledger.turns(),
            cut_off_turn: self.recorder.ledger.turn().or(cut_off.turn),
            withdrawn: self.withdrawn(cut_off.prompts),
            unsent: self.recorder.queue.unsent().cloned().collect(),
            log_error: ran.err(),
            ..SessionClosed::lost(session_id, end.to_string(), 0)
        };
        for fact in self.recorder.desk.abandoned() {
            if let Fact::PromptWithdrawn(id) = &fact {
                closed.withdrawn.push(id.clone());
            }
            self.recorder.fact(fact);
        }
        for id in &closed.unsent {
            let failure = InputFailure::new(id.clone(), "the session ended before its turn came");
            self.recorder.fact(Fact::InputFailed(failure));
        }
        self.recorder.ended(lifecycle);
        if closed.log_error.is_none()
            && let Err(error) = self.recorder.commit().await
        {
            closed.log_error = Some(error);
        }
        if let Some(error) = &closed.log_error {
            closed.state = LifecycleState::Lost;
            closed.reason = format!("{error}; {}", closed.reason);
        }
        closed.sequence = self.recorder.stored().load(Ordering::Acquire);
        self.grants.session_ended(&self.tenant, session_id);
        let watchers = &mut self.recorder.watchers;
        watchers.finish(FLUSH).await;
        closed.sinks_behind = watchers.behind();
        closed.sinks_panicked = watchers.panicked();
        closed
    }

    /// Those of the prompts that nobody answered before the CLI took them back.
    fn withdrawn(&self, prompts: Vec<PromptId>) -> Vec<PromptId> {
        let desk = &self.recorder.desk;
        let is_withdrawn = |id: &PromptId| desk.ended(id) == Some(&PromptEnd::Withdrawn);
        prompts.into_iter().filter(is_withdrawn).collect()
    }

    fn lifecycle(&self, end: &SessionEnd, log_error: Option<&LogError>) -> Lifecycle {
        let state = match end.cause {
            EndCause::Closed if log_error.is_none() => LifecycleState::Closed,
            _ => LifecycleState::Lost,
        };
        let mut lifecycle = Lifecycle::new(state);
        lifecycle.exit_code = match end.exit {
            Exit::Code(code) => Some(code),
            _ => None,
        };
        lifecycle.cli_session_id = self.session.session_id().map(|id| id.as_str().to_owned());
        lifecycle.reason = Some(match log_error {
            Some(error) => error.to_string(),
            None => end.reason.clone(),
        });
        let tasks = self.session.background_tasks();
        if tasks > 0 {
            lifecycle
                .lost
                .push(format!("{tasks} tasks in the background"));
        }
        lifecycle
    }
}
