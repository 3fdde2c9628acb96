//! The way out: ask, close the input, SIGTERM, SIGKILL, each with time for the step before it.

use std::sync::Arc;
use std::time::Duration;

use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::{CancelAsyncMessage, ControlRequest, EndSession, Interrupt};
use rusty_claw_protocol::messages::Message;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::Pump;
use crate::error::LOST;
use crate::outgoing::line_of;
use crate::session::{CloseReport, ClosedBy, EndCause, SessionEnd, TurnLimit, TurnOutcome};
use crate::transport::{Exit, Stop};

/// The id of the request that ends a session; no counted id looks like it.
pub(super) const END_SESSION: &str = "end_session";

/// Begins the ids of requests to stop a turn that ran out of time.
pub(super) const STOP: &str = "turn_timed_out";
/// How long a process may take to be gone after SIGKILL.
const AFTER_KILL: Duration = Duration::from_secs(5);

/// A session on its way out.
#[derive(Debug)]
pub(super) struct Closing {
    cause: EndCause,
    step: ClosedBy,
    since: Instant,
    /// When the next step is due.
    due: Instant,
    reports: Vec<oneshot::Sender<CloseReport>>,
    /// Whether there are handles that may still ask for the report.
    has_handles: bool,
}

impl Closing {
    pub(super) fn cause(&self) -> EndCause {
        self.cause
    }

    /// Whether a signal was sent.
    pub(super) fn was_forced(&self) -> bool {
        self.step >= ClosedBy::Terminate
    }

    pub(super) fn takes_commands(&self) -> bool {
        self.has_handles
    }

    pub(super) fn report(self, end: &Arc<SessionEnd>, open_turns: Vec<Str>) {
        let report = CloseReport {
            by: self.step,
            exit: end.exit,
            took: self.since.elapsed(),
            open_turns,
            stderr_tail: end.stderr_tail.clone(),
            mirror: end.mirror.clone(),
            writes_lost: end.writes_lost.clone(),
        };
        for told in self.reports {
            let _ = told.send(report.clone());
        }
    }
}

pub(super) fn already_over(end: &SessionEnd) -> CloseReport {
    CloseReport {
        by: ClosedBy::AlreadyOver,
        exit: end.exit,
        took: Duration::ZERO,
        open_turns: Vec::new(),
        stderr_tail: end.stderr_tail.clone(),
        mirror: end.mirror.clone(),
        writes_lost: end.writes_lost.clone(),
    }
}

pub(super) fn reason(cause: EndCause) -> &'static str {
    match cause {
        EndCause::Closed => "the program closed it",
        EndCause::Lost => LOST,
        EndCause::Unresponsive => "the CLI did not stop a turn that ran out of time",
        EndCause::Detached => "the program let go of it",
    }
}

impl Pump {
    /// Takes the first step out, or adds somebody who wants to hear how it goes.
    pub(super) fn begin_closing(
        &mut self,
        cause: EndCause,
        report: Option<oneshot::Sender<CloseReport>>,
    ) {
        let now = Instant::now();
        let has_handles = report.is_some() || cause != EndCause::Closed;
        let closing = self.closing.get_or_insert_with(|| Closing {
            cause,
            step: ClosedBy::AlreadyOver,
            since: now,
            due: now,
            reports: Vec::new(),
            has_handles: true,
        });
        // No more commands come once the last handle is gone.
        closing.has_handles &= has_handles;
        closing.reports.extend(report);
        if closing.step == ClosedBy::AlreadyOver && self.exit.is_none() {
            self.close_further(now);
        }
    }

    /// Takes the next step out.
    fn close_further(&mut self, now: Instant) {
        let ladder = &self.limits.ladder;
        let Some(closing) = &mut self.closing else {
            return;
        };
        // Who prints nothing more or does not obey is not asked.
        let skip_asking = closing.cause != EndCause::Closed;
        (closing.step, closing.due) = match closing.step {
            ClosedBy::AlreadyOver if !skip_asking => {
                let ask = Message::control_request(END_SESSION, EndSession::default());
                drop(self.writer.request(line_of(&ask)));
                (ClosedBy::EndSession, now + ladder.end_session)
            }
            ClosedBy::AlreadyOver | ClosedBy::EndSession => {
                self.writer.end_input();
                (ClosedBy::EndOfInput, now + ladder.end_of_input)
            }
            ClosedBy::EndOfInput => {
                self.custody.stop(Stop::Terminate);
                (ClosedBy::Terminate, now + ladder.terminate)
            }
            ClosedBy::Terminate => {
                self.custody.stop(Stop::Kill);
                (ClosedBy::Kill, now + AFTER_KILL)
            }
            ClosedBy::Kill => {
                // Nothing is left to try. A process that outlives SIGKILL sits in the system.
                tracing::error!(pid = self.custody.pid(), "the CLI outlives SIGKILL");
                self.output_over = true;
                self.exit = Some(Exit::Unknown);
                return;
            }
        };
        tracing::debug!(step = %closing.step, "closing the session");
        // Without a process there is nothing to wait for after the last step.
        if closing.step == ClosedBy::Kill && !self.has_process {
            self.output_over = true;
            self.exit = Some(Exit::Unknown);
        }
    }

    /// The CLI does not know `end_session`.
    pub(super) fn end_session_refused(&mut self) {
        let asked = |closing: &Closing| closing.step == ClosedBy::EndSession;
        if self.closing.as_ref().is_some_and(asked) {
            self.close_further(Instant::now());
        }
    }

    pub(super) fn next_wakeup(&self) -> Option<Instant> {
        let closing = self.closing.as_ref().filter(|_| self.exit.is_none());
        let closing = closing.map(|closing| closing.due);
        let timing = self.timing.next(self.may_be_silent());
        closing.into_iter().chain(timing).min()
    }

    /// Something is due, and there was nothing to read.
    pub(super) fn on_quiet(&mut self) {
        let now = Instant::now();
        if self.timing.output_hangs(now) {
            self.output_over = true;
        }
        self.on_time(now);
    }

    /// Something is due.
    pub(super) fn on_time(&mut self, now: Instant) {
        if self.timing.output_never_ends(now) {
            self.output_over = true;
        }
        if self.exit.is_none()
            && self
                .closing
                .as_ref()
                .is_some_and(|closing| closing.due <= now)
        {
            self.close_further(now);
        }
        self.end_overdue(now);
        if self.timing.rests(now) {
            self.timing.works();
            let ended = self.ledger.rested();
            self.resolve(ended);
            self.show_status();
        }
        if self.timing.disobeyed(now) {
            self.timing.stopped();
            self.begin_closing(EndCause::Unresponsive, None);
        }
    }

    /// Ends turns that ran out of time, and has the CLI stop them.
    fn end_overdue(&mut self, now: Instant) {
        let mut stop_running = false;
        for (id, after) in self.timing.overdue(now) {
            let limit = TurnLimit::Turn;
            if self.ledger.is_running(&id) {
                stop_running = true;
            } else {
                // It waits its turn: the one that runs need not be stopped for it. A CLI that
                // does not answer this either has stopped reacting.
                self.ask_to_stop(CancelAsyncMessage::new(id.clone()));
            }
            let ended = self.ledger.end(&id, TurnOutcome::TimedOut { limit, after });
            self.resolve(ended);
        }
        if stop_running {
            self.ask_to_stop(Interrupt::default());
        }
        if let Some(after) = self.timing.silent(now, self.may_be_silent()) {
            let limit = if self.stalled {
                TurnLimit::Unread
            } else {
                TurnLimit::Idle
            };
            let ended = self.ledger.end_all(&TurnOutcome::TimedOut { limit, after });
            self.resolve(ended);
            let mut interrupt = Interrupt::new();
            // All turns have this outcome, so none of them can run later.
            interrupt.cancel_queued = Some(true);
            self.ask_to_stop(interrupt);
        }
    }

    fn ask_to_stop(&mut self, request: impl Into<ControlRequest>) {
        self.stops += 1;
        let id = format!("{STOP}-{}", self.stops);
        drop(
            self.writer
                .request(line_of(&Message::control_request(id, request))),
        );
        self.timing.must_stop();
    }

    /// Asks something whose answer nobody waits for.
    pub(super) fn ask_unheard(&mut self, request: impl Into<ControlRequest>) {
        self.unheard += 1;
        let id = format!("unheard-{}", self.unheard);
        drop(
            self.writer
                .request(line_of(&Message::control_request(id, request))),
        );
    }

    /// Returns whether silence of the CLI is expected: it waits for an answer of the program, or
    /// for a tool.
    ///
    /// A CLI that is blocked because messages are not read does not count: the program may never
    /// read them, and the turn must still get its outcome.
    pub(super) fn may_be_silent(&self) -> bool {
        self.calls.any_open() || !self.stalled && self.tools.any()
    }
}
