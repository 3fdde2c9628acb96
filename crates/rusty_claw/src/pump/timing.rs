//! The deadlines of a session.

use std::time::Duration;

use rusty_claw_protocol::Str;
use tokio::time::Instant;

use crate::options::limits::Limits;

/// How long the rest of the output may take once the process is gone.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// How long it may take if output keeps arriving.
const MOST_WORDS: Duration = Duration::from_secs(5);
/// How long the CLI may take to stop a turn that timed out, before it is ended.
pub(crate) const STOP: Duration = Duration::from_secs(10);
/// If a CLI does not report which prompts a result answers: how long it may print nothing after a
/// result until all prompts count as answered. It would start the next prompt at once.
pub(crate) const REST: Duration = Duration::from_secs(5);

/// The deadlines of a session. Has no timer of its own: [`Timing::next`] returns the next one.
#[derive(Debug)]
pub(super) struct Timing {
    turn_limit: Option<Duration>,
    idle_limit: Option<Duration>,
    /// When each open turn began.
    turns: Vec<(Str, Instant)>,
    last_heard: Instant,
    /// When the CLI must have stopped a turn that timed out.
    stop_by: Option<Instant>,
    /// When the CLI counts as done with all prompts.
    rest_by: Option<Instant>,
    output_until: Option<Instant>,
    /// The same for a leftover child that keeps printing.
    output_hard_until: Option<Instant>,
}

impl Timing {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            turn_limit: limits.turn,
            idle_limit: limits.idle,
            turns: Vec::new(),
            last_heard: Instant::now(),
            stop_by: None,
            rest_by: None,
            output_until: None,
            output_hard_until: None,
        }
    }

    /// Records output of the CLI, or an answer that it waited for.
    pub(super) fn heard(&mut self) {
        self.last_heard = Instant::now();
        if let Some(by) = &mut self.rest_by {
            *by = self.last_heard + REST;
        }
    }

    /// Records a result that may have answered all open prompts.
    pub(super) fn may_rest(&mut self) {
        self.rest_by = Some(Instant::now() + REST);
    }

    /// Records that the CLI works on a prompt.
    pub(super) fn works(&mut self) {
        self.rest_by = None;
    }

    /// Whether the CLI has started nothing since a result that may have answered everything.
    pub(super) fn rests(&self, now: Instant) -> bool {
        self.rest_by.is_some_and(|by| by <= now)
    }

    pub(super) fn turn_began(&mut self, id: Str) {
        let now = Instant::now();
        if self.turns.is_empty() {
            self.last_heard = now;
        }
        self.turns.push((id, now));
    }

    pub(super) fn turn_ended(&mut self, id: &str) {
        self.turns.retain(|(open, _)| open != id);
    }

    /// Records that the CLI was asked to stop a turn.
    pub(super) fn must_stop(&mut self) {
        self.stop_by.get_or_insert(Instant::now() + STOP);
    }

    /// Records that the CLI ended a turn, or responded to a request to stop one.
    pub(super) fn stopped(&mut self) {
        self.stop_by = None;
    }

    /// Records that the process is gone. The rest of its output may take half a second, or a few
    /// seconds while more arrives.
    pub(super) fn process_gone(&mut self) {
        let now = Instant::now();
        self.output_until = Some(now + LAST_WORDS);
        self.output_hard_until = Some(now + MOST_WORDS);
    }

    /// Whether the CLI was asked to stop a turn and has not responded yet.
    pub(super) fn is_stopping(&self) -> bool {
        self.stop_by.is_some()
    }

    /// Whether output still arrives long after the process is gone.
    pub(super) fn output_never_ends(&self, now: Instant) -> bool {
        self.output_hard_until.is_some_and(|until| until <= now)
    }

    /// The next deadline, given whether the CLI may be silent.
    pub(super) fn next(&self, may_be_silent: bool) -> Option<Instant> {
        let turn = self.turn_limit.and_then(|limit| {
            let oldest = self.turns.iter().map(|(_, began)| *began).min();
            oldest.map(|began| began + limit)
        });
        let idle = self
            .idle_limit
            .filter(|_| !may_be_silent && !self.turns.is_empty())
            .map(|limit| self.last_heard + limit);
        [turn, idle, self.stop_by, self.rest_by, self.output_until]
            .into_iter()
            .flatten()
            .min()
    }

    /// The turns that exceed their time limit.
    pub(super) fn overdue(&self, now: Instant) -> Vec<(Str, Duration)> {
        let Some(limit) = self.turn_limit else {
            return Vec::new();
        };
        self.turns
            .iter()
            .filter(|(_, began)| *began + limit <= now)
            .map(|(id, _)| (id.clone(), limit))
            .collect()
    }

    /// Returns the idle limit if the CLI was silent for longer.
    pub(super) fn silent(&self, now: Instant, may_be_silent: bool) -> Option<Duration> {
        let limit = self
            .idle_limit
            .filter(|_| !self.turns.is_empty() && !may_be_silent)?;
        (self.last_heard + limit <= now).then_some(limit)
    }

    /// Whether the CLI did not stop a turn in time.
    pub(super) fn disobeyed(&self, now: Instant) -> bool {
        self.stop_by.is_some_and(|by| by <= now)
    }

    /// Whether the output is still open too long after the process is gone.
    pub(super) fn output_hangs(&self, now: Instant) -> bool {
        self.output_until.is_some_and(|until| until <= now)
    }
}
