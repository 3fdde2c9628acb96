//! What the pump must not wait for for ever.

use std::time::Duration;

use rusty_claw_protocol::Str;
use tokio::time::Instant;

use crate::options::Limits;

/// How long the rest of the output may take once the process is gone.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// How long it may take when it does not pause.
const MOST_WORDS: Duration = Duration::from_secs(5);
/// How long the CLI has to stop a turn that ran out of time, before it is ended.
pub(crate) const STOP: Duration = Duration::from_secs(10);
/// How long a CLI that does not say which prompts a result answers may print nothing behind one
/// before it counts as done with all of them. The next prompt it would begin at once, and say so.
pub(crate) const REST: Duration = Duration::from_secs(5);

/// The clocks of a session. Holds no timer: says when to look again.
#[derive(Debug)]
pub(super) struct Timing {
    turn_limit: Option<Duration>,
    idle_limit: Option<Duration>,
    /// When each open turn began.
    turns: Vec<(Str, Instant)>,
    last_heard: Instant,
    /// When the CLI must have stopped a turn that ran out of time.
    stop_by: Option<Instant>,
    /// When the CLI counts as done with all prompts.
    rest_by: Option<Instant>,
    output_until: Option<Instant>,
    /// The same for a leftover child that does not stop printing.
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

    /// The CLI gave a sign of life, or got an answer it waited for.
    pub(super) fn heard(&mut self) {
        self.last_heard = Instant::now();
        if let Some(by) = &mut self.rest_by {
            *by = self.last_heard + REST;
        }
    }

    /// A result came, and prompts are open of which nobody says whether it answers them.
    pub(super) fn may_rest(&mut self) {
        self.rest_by = Some(Instant::now() + REST);
    }

    /// The CLI works on a prompt.
    pub(super) fn works(&mut self) {
        self.rest_by = None;
    }

    /// Whether the CLI has begun nothing since a result that may have answered everything.
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

    /// The CLI was told to stop a turn.
    pub(super) fn must_stop(&mut self) {
        self.stop_by.get_or_insert(Instant::now() + STOP);
    }

    /// The CLI ended a turn, so it obeys.
    pub(super) fn stopped(&mut self) {
        self.stop_by = None;
    }

    /// The process is gone: the rest of its output has a moment, and no more than a few however
    /// much comes.
    pub(super) fn process_gone(&mut self) {
        let now = Instant::now();
        self.output_until = Some(now + LAST_WORDS);
        self.output_hard_until = Some(now + MOST_WORDS);
    }

    /// Whether the CLI was told to stop a turn and has not said a word about it yet.
    pub(super) fn is_stopping(&self) -> bool {
        self.stop_by.is_some()
    }

    /// Whether output still comes although the process is long gone.
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

    /// The turns that have run longer than they may.
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

    /// How long nothing was heard, when that is too long.
    pub(super) fn silent(&self, now: Instant, may_be_silent: bool) -> Option<Duration> {
        let limit = self
            .idle_limit
            .filter(|_| !self.turns.is_empty() && !may_be_silent)?;
        (self.last_heard + limit <= now).then_some(limit)
    }

    /// Whether the CLI did not stop a turn although it was told to.
    pub(super) fn disobeyed(&self, now: Instant) -> bool {
        self.stop_by.is_some_and(|by| by <= now)
    }

    /// Whether the process is gone and its output still open, for too long.
    pub(super) fn output_hangs(&self, now: Instant) -> bool {
        self.output_until.is_some_and(|until| until <= now)
    }
}
