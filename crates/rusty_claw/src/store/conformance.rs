//! Checks that a store meets the contract of [`SessionStore`].
//!
//! Run it in the tests of a store of your own. Every check writes under keys that no other check
//! and no other run uses, so it can run against a database that is in use. If the store supports
//! [`delete`](SessionStore::delete), the checks remove what they wrote.
//!
//! ```
//! use rusty_claw::store::{conformance, MemoryStore};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let report = conformance::run(|| async { MemoryStore::new() }).await;
//! assert!(report.passed(), "{report}");
//! # }
//! ```

mod check;
mod checks;
mod listing_checks;
mod reopen_checks;

use std::fmt;
use std::time::Duration;

use self::check::{CheckResult, Miss, Names, Scope};
use super::session_store::SessionStore;
use crate::future::catch_unwind;

/// The time limit of one check.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs every check that needs one open store. `open` is called once for each check, and may open
/// the same location each time or a new one.
///
/// Needs a tokio runtime with timers. Dropping the future stops between two calls of the store;
/// lines that were written remain.
pub async fn run<S, F, Opening>(open: F) -> Report
where
    S: SessionStore,
    F: Fn() -> Opening,
    Opening: Future<Output = S>,
{
    let mut report = Report::default();
    for (name, check) in checks::ALL.iter().chain(listing_checks::ALL) {
        let checked = async {
            let (names, store) = (&Names::new(), &open().await);
            let scope = Scope { store, names };
            let verdict = check(&scope).await;
            scope.clean().await;
            verdict
        };
        report.add(name, checked).await;
    }
    report
}

/// Runs every check, including those that reopen the store: here `open` must open the same location
/// each time it is called. For stores that outlive the process.
///
/// Dropping the future stops between two calls of the store; lines that were written remain.
///
/// ```
/// use rusty_claw::store::{conformance, DirectoryStore};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let folder = tempfile::tempdir().unwrap();
/// let report = conformance::run_durable(|| async { DirectoryStore::new(folder.path()) }).await;
/// assert!(report.passed(), "{report}");
/// # }
/// ```
pub async fn run_durable<S, F, Opening>(open: F) -> Report
where
    S: SessionStore,
    F: Fn() -> Opening,
    Opening: Future<Output = S>,
{
    let mut report = run(&open).await;
    for (name, before, after) in reopen_checks::ALL {
        let checked = async {
            let names = &Names::new();
            let store = open().await;
            before(&Scope {
                store: &store,
                names,
            })
            .await?;
            drop(store);
            let scope = Scope {
                store: &open().await,
                names,
            };
            let verdict = after(&scope).await;
            scope.clean().await;
            verdict
        };
        report.add(name, checked).await;
    }
    report
}

/// The results of the checks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The checks, in the order in which they ran.
    pub checks: Vec<Check>,
}

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Check {
    /// The requirement.
    pub name: &'static str,
    /// The outcome.
    pub outcome: Outcome,
}

/// The outcome of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The store meets the requirement.
    Passed,
    /// The store does not meet the requirement; the text describes the difference.
    Failed(String),
    /// The store does not support this optional operation.
    Unsupported(&'static str),
}

impl Report {
    /// Returns whether there were checks and none has failed. An unsupported operation is not a
    /// failure.
    pub fn passed(&self) -> bool {
        !self.checks.is_empty() && self.failed().next().is_none()
    }

    /// The checks that have failed.
    pub fn failed(&self) -> impl Iterator<Item = &Check> {
        self.checks
            .iter()
            .filter(|check| matches!(check.outcome, Outcome::Failed(_)))
    }

    async fn add(&mut self, name: &'static str, check: impl Future<Output = CheckResult>) {
        let check = tokio::time::timeout(LIMIT, catch_unwind(check));
        let outcome = match check.await {
            Ok(Ok(Ok(()))) => Outcome::Passed,
            Ok(Ok(Err(Miss::Unsupported(operation)))) => Outcome::Unsupported(operation),
            Ok(Ok(Err(Miss::Wrong(what)))) => Outcome::Failed(what),
            Ok(Err(_)) => Outcome::Failed("the store panicked".to_owned()),
            Err(_) => Outcome::Failed("the store did not finish within a minute".to_owned()),
        };
        self.checks.push(Check { name, outcome });
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Check { name, outcome } in &self.checks {
            match outcome {
                Outcome::Passed => writeln!(f, "ok      {name}")?,
                Outcome::Failed(what) => writeln!(f, "FAILED  {name}: {what}")?,
                Outcome::Unsupported(operation) => {
                    writeln!(f, "-       {name}: the store has no {operation}")?;
                }
            }
        }
        Ok(())
    }
}
