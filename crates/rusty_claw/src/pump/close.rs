//! Closes a session: `end_session`, end of input, SIGTERM, SIGKILL, with a wait after each step.

use std::time::Duration;

use rusty_claw_protocol::control::{CancelAsyncMessage, ControlRequest, EndSession, Interrupt};
use rusty_claw_protocol::messages::Message;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::Pump;
use super::closing::Closing;
use crate::outgoing::line_of;
use crate::session::end::{CloseReport, ClosedBy, EndCause};
use crate::session::outcome::{TurnLimit, TurnOutcome};
use crate::transport::connection::Stop;
use crate::transport::exit::Exit;

/// The id of the request that ends a session; no numbered id is equal to it.
pub(super) const END_SESSION: &str = "end_session";

/// The prefix of ids of requests to stop a turn that timed out.
pub(super) const STOP: &str = "turn_timed_out";
/// How long a process may take to exit after SIGKILL.
const AFTER_KILL: Duration = Duration::from_secs(5);

impl Pump {
    /// Takes the first step, or adds a receiver for the report.
    pub(super) fn begin_closing(
        &mut self,
        cause: EndCause,
        report: Option<oneshot::Sender<CloseReport>>,
    ) {
        let now = Instant::now();
        let has_handles = report.is_some() || cause != EndCause::Closed;
        let closing = self.closing.get_or_insert_with(|| Closing::new(cause, now));
        // No more commands come once the last handle is gone.
        closing.has_handles &= has_handles;
        closing.reports.extend(report);
        if closing.step == ClosedBy::AlreadyOver && self.exit.is_none() {
            self.close_further(now);
        }
    }

    /// Takes the last step at once.
    pub(super) fn kill(&mut self, report: oneshot::Sender<CloseReport>) {
        let now = Instant::now();
        let closing = self
            .closing
            .get_or_insert_with(|| Closing::new(EndCause::Closed, now));
        closing.reports.push(report);
        if self.exit.is_none() && closing.step < ClosedBy::Kill {
            closing.step = ClosedBy::Terminate;
            self.close_further(now);
        }
    }

    /// Takes the next step.
    fn close_further(&mut self, now: Instant) {
        let ladder = &self.limits.ladder;
        let Some(closing) = &mut self.closing else {
            return;
        };
        // A CLI that is lost or unresponsive is not asked.
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
                // Nothing is left to try. A process that survives SIGKILL hangs in the kernel.
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

    /// Takes the next step if the CLI refused `end_session`.
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

    /// Handles a deadline when there was nothing to read.
    pub(super) fn on_quiet(&mut self) {
        let now = Instant::now();
        if self.timing.output_hangs(now) {
            self.output_over = true;
        }
        self.on_time(now);
    }

    /// Handles deadlines.
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

    /// Ends turns that timed out, and makes the CLI stop them.
    fn end_overdue(&mut self, now: Instant) {
        let mut stop_running = false;
        for (id, after) in self.timing.overdue(now) {
            let limit = TurnLimit::Turn;
            if self.ledger.is_running(&id) {
                stop_running = true;
            } else {
                // It is queued, so the running turn need not be stopped. A CLI that does not
                // respond to this either is unresponsive.
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
            // All turns have an outcome now, so none of them may run later.
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

    /// Sends a request whose response is ignored.
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
