//! Things that must be true, each with a name.

use anyhow::{Context, Result};

use super::stage::PATIENCE;
use crate::prove::figure::Figure;

/// Things that were looked at, and what was seen.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    true_: Vec<String>,
    false_: Vec<String>,
}

impl Checks {
    /// Looks at several things that one session shows; when it breaks, that is noted under the
    /// name of the whole.
    pub(crate) async fn part(
        &mut self,
        name: &str,
        look: impl AsyncFnOnce(&mut Self) -> Result<()>,
    ) {
        let done = tokio::time::timeout(2 * PATIENCE, look(self)).await;
        if let Err(error) = done.context("took too long").flatten() {
            self.false_.push(format!("{name}: {error:#}"));
        }
    }

    /// Notes whether something is true; what was seen instead is said only when it is not.
    pub(crate) fn that(&mut self, name: &str, holds: bool, seen: impl std::fmt::Debug) {
        if holds {
            self.true_.push(name.to_owned());
        } else {
            let seen: String = format!("{seen:?}").chars().take(600).collect();
            self.false_.push(format!("{name}: {seen}"));
        }
    }

    /// The row: `expected` is how many there are when none was left out.
    pub(crate) fn figure(self, name: &'static str, bar: &'static str, expected: usize) -> Figure {
        let good = self.true_.len();
        let passed = good == expected && self.false_.is_empty();
        Figure::new(name, bar)
            .measured(format!("{good} of {expected}"), passed)
            .list("true", self.true_)
            .list("NOT true", self.false_)
    }
}
