//! Named checks that share sessions; each counts in a figure.

use anyhow::{Context, Result};
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::TIMEOUT;

/// Checks and whether they hold.
#[derive(Default)]
pub(crate) struct Checks {
    good: Vec<String>,
    wrong: Vec<String>,
}

impl Checks {
    /// Runs checks that share a session. An error counts as a failed check.
    pub(crate) async fn part(
        &mut self,
        name: &str,
        look: impl AsyncFnOnce(&mut Self) -> Result<()>,
    ) {
        let looked = tokio::time::timeout(2 * TIMEOUT, look(self)).await;
        if let Err(error) = looked.context("it did not end").flatten() {
            self.wrong.push(format!("{name}: {error:#}"));
        }
    }

    /// Counts a check.
    pub(crate) fn that(&mut self, name: &str, holds: bool) {
        let list = if holds {
            &mut self.good
        } else {
            &mut self.wrong
        };
        list.push(name.to_owned());
    }

    /// `expected` is the number of checks.
    pub(crate) fn figure(self, name: &str, expected: usize) -> Figure {
        let good = self.good.len();
        Figure::new(name, "all")
            .measured(
                format!("{good} of {expected}"),
                good == expected && self.wrong.is_empty(),
            )
            .list("true", self.good)
            .list("NOT true", self.wrong)
    }
}
