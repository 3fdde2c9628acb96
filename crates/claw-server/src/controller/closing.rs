//! The state of a close.

use std::time::Duration;

use rusty_claw::{BoxFuture, CloseReport, ClosedBy};
use tokio::time::Instant;

use crate::event::InteractionId;

/// How long sinks may take to receive the last messages of a session.
pub(super) const FLUSH: Duration = Duration::from_secs(5);

pub(super) struct Closing {
    grace: Instant,
    state: State,
    /// The work that was open when the CLI was asked to exit. It may still complete.
    cut_off: CutOff,
}

/// The turn and the interactions that the end of a session interrupts.
#[derive(Debug, Default)]
pub(super) struct CutOff {
    pub(super) turn: Option<u64>,
    pub(super) interactions: Vec<InteractionId>,
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

    /// Sets the deadline. The earliest one applies.
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
            // After that, only the end of the output is awaited.
            State::Closed(_, until) => Some(*until).filter(|until| Instant::now() < *until),
        }
    }

    pub(super) fn take_cut_off(&mut self) -> CutOff {
        std::mem::take(&mut self.cut_off)
    }

    pub(super) fn how(&self) -> Option<ClosedBy> {
        match &self.state {
            State::Closed(report, _) => Some(report.by),
            _ => None,
        }
    }
}
