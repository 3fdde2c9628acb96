//! Rounds that may fail: a slow machine ends with figures as well.

use std::time::Duration;

use anyhow::{Result, ensure};
use claw_testkit::figure::{Figure, Spread};
use tokio::time::{Instant, timeout_at};

/// How long the rounds of a group may take. [`steady`](super::served::steady) turns are longer.
pub(super) const LIMIT: Duration = Duration::from_secs(540);

/// The rounds that were completed, until one failed or the time was over.
pub(super) struct Attempts<T> {
    pub(super) done: Vec<T>,
    /// Why there are no more.
    pub(super) problem: Option<String>,
    end: Instant,
}

impl<T> Attempts<T> {
    pub(super) fn new() -> Self {
        Self {
            done: Vec::new(),
            problem: None,
            end: Instant::now() + LIMIT,
        }
    }

    /// Adds a round. Returns whether it was completed.
    pub(super) async fn add(&mut self, round: impl Future<Output = Result<T>>) -> bool {
        match timeout_at(self.end, round).await {
            Ok(Ok(round)) => self.done.push(round),
            Ok(Err(error)) => self.problem = Some(format!("{error:#}")),
            Err(_) => self.problem = Some(format!("{LIMIT:?} were over")),
        }
        self.problem.is_none()
    }

    /// Returns an error if no round was completed: there are no figures then.
    pub(super) fn check(&self) -> Result<()> {
        let problem = self.problem.as_deref().unwrap_or("there was no time");
        ensure!(!self.done.is_empty(), "no round was completed: {problem}");
        Ok(())
    }

    pub(super) fn spread(&self, value: impl Fn(&T) -> f64) -> Option<Spread> {
        Spread::of(&self.done.iter().map(value).collect::<Vec<_>>())
    }

    /// Lets a figure fall short if a round failed.
    pub(super) fn judge(&self, mut figure: Figure) -> Figure {
        if let Some(problem) = &self.problem {
            (figure.passed, figure.within_spread) = (false, false);
            let done = self.done.len();
            figure = figure.note(format!("after {done} rounds, one failed: {problem}"));
        }
        figure
    }
}
