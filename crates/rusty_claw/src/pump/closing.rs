//! The state of a session that is being closed.

use std::sync::Arc;

use rusty_claw_protocol::Str;
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::error::LOST;
use crate::session::end::{CloseReport, ClosedBy, EndCause, SessionEnd};

/// A session that is being closed.
#[derive(Debug)]
pub(super) struct Closing {
    pub(super) cause: EndCause,
    pub(super) step: ClosedBy,
    pub(super) since: Instant,
    /// When the next step is due.
    pub(super) due: Instant,
    pub(super) reports: Vec<oneshot::Sender<CloseReport>>,
    /// Whether there are handles that may still request a report.
    pub(super) has_handles: bool,
}

impl Closing {
    pub(super) fn new(cause: EndCause, now: Instant) -> Self {
        Self {
            cause,
            step: ClosedBy::AlreadyOver,
            since: now,
            due: now,
            reports: Vec::new(),
            has_handles: true,
        }
    }

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
        let report = CloseReport::new(end, self.step, self.since.elapsed(), open_turns);
        for receiver in self.reports {
            let _ = receiver.send(report.clone());
        }
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
