//! A figure made of variants: each run in a world of its own, each with what was seen there.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::super::figure::Figure;
use super::Inputs;
use crate::cli_package::CliPackage;

/// How many run at once: the CLI is heavy, and what is measured here is not speed.
const AT_ONCE: usize = 3;
/// How long one may take.
const LIMIT: Duration = Duration::from_secs(40);

/// The variants of one figure.
pub(crate) struct Variants {
    cli: CliPackage,
    turn: Arc<Semaphore>,
    running: JoinSet<Seen>,
    count: usize,
}

/// What was seen of one.
struct Seen {
    place: usize,
    name: &'static str,
    seen: Result<String>,
}

impl Variants {
    pub(crate) fn new(inputs: &Inputs) -> Self {
        Self::on(inputs.cli.clone())
    }

    /// The same for figures of other areas.
    pub(crate) fn on(cli: CliPackage) -> Self {
        Self {
            cli,
            turn: Arc::new(Semaphore::new(AT_ONCE)),
            running: JoinSet::new(),
            count: 0,
        }
    }

    /// Adds one. It says what it saw, or why it failed.
    pub(crate) fn add<F, Fut>(mut self, name: &'static str, variant: F) -> Self
    where
        F: FnOnce(CliPackage) -> Fut,
        Fut: Future<Output = Result<String>> + Send + 'static,
    {
        let place = self.count;
        self.count += 1;
        let run = variant(self.cli.clone());
        let turn = Arc::clone(&self.turn);
        self.running.spawn(async move {
            let _turn = turn.acquire().await;
            let seen = tokio::time::timeout(LIMIT, run).await;
            let seen = seen.context("it did not come to an end").flatten();
            Seen { place, name, seen }
        });
        self
    }

    /// Waits for all of them.
    pub(crate) async fn figure(mut self, name: &'static str, bar: &'static str) -> Figure {
        let started = Instant::now();
        let mut all = Vec::new();
        while let Some(ended) = self.running.join_next().await {
            match ended {
                Ok(seen) => all.push(seen),
                Err(error) => all.push(Seen {
                    place: self.count,
                    name: "a variant that broke down",
                    seen: Err(error.into()),
                }),
            }
        }
        all.sort_by_key(|seen| seen.place);
        let good = all.iter().filter(|seen| seen.seen.is_ok()).count();
        let failed: Vec<&str> = all
            .iter()
            .filter(|seen| seen.seen.is_err())
            .map(|seen| seen.name)
            .collect();
        let mut measured = format!("{good} of {}", all.len());
        if !failed.is_empty() {
            measured = format!("{measured}; failed: {}", failed.join("; "));
        }
        let passed = !all.is_empty() && good == all.len();
        let lines = all.iter().map(|seen| match &seen.seen {
            Ok(what) => format!("{}: ok, {what}", seen.name),
            Err(error) => format!("{}: FAILED, {error:#}", seen.name),
        });
        Figure::new(name, bar)
            .measured(measured, passed)
            .list("variants", lines)
            .note(format!("took {:.1} s", started.elapsed().as_secs_f64()))
    }
}
