//! Tells whether a store keeps what [`SessionStore`] promises.
//!
//! Run it in the tests of a store of your own. Every check writes under keys that no other check
//! and no other run uses, so it can be run against a database that is in use; where the store can
//! [`delete`](SessionStore::delete), it takes away what it wrote.
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

mod checks;
mod listing_checks;
mod reopen_checks;

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::FutureExt as _;
use uuid::Uuid;

use super::batch::{Batch, BatchId};
use super::error::StoreError;
use super::key::SessionKey;
use super::{Json, SessionStore};
use crate::future::BoxFuture;

/// How long one check may take.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs every check that needs one open store. `open` is called once for each check, and may
/// open the same place each time or a new one.
///
/// Needs a tokio runtime with timers. Dropping the future stops between two calls of the store
/// and leaves what was written so far.
pub async fn run<S, F, Opening>(open: F) -> Report
where
    S: SessionStore,
    F: Fn() -> Opening,
    Opening: Future<Output = S>,
{
    let mut report = Report::default();
    for (name, check) in checks::ALL.iter().chain(listing_checks::ALL) {
        let scope = Scope::new();
        let checked = async {
            let store = open().await;
            let verdict = check(&store, &scope).await;
            scope.clean(&store).await;
            verdict
        };
        report.add(name, checked).await;
    }
    report
}

/// Runs every check, also those that open the store again: here `open` must open the same place
/// each time it is called. For stores that outlive the process.
///
/// Dropping the future stops between two calls of the store and leaves what was written so far.
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
        let scope = Scope::new();
        let checked = async {
            let store = open().await;
            before(&store, &scope).await?;
            drop(store);
            let store = open().await;
            let verdict = after(&store, &scope).await;
            scope.clean(&store).await;
            verdict
        };
        report.add(name, checked).await;
    }
    report
}

/// What the checks have found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Each check, in the order in which they ran.
    pub checks: Vec<Check>,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Check {
    /// What must be.
    pub name: &'static str,
    /// Whether it is.
    pub outcome: Outcome,
}

/// Whether a store does what a check asks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It does.
    Passed,
    /// It does not, and what it does instead.
    Failed(String),
    /// It has no such operation, which is its right.
    Unsupported(&'static str),
}

impl Report {
    /// Whether no check has failed, and there were checks. An operation that a store does not have
    /// is no failure.
    pub fn passed(&self) -> bool {
        !self.checks.is_empty() && self.failed().next().is_none()
    }

    /// The checks that have failed.
    pub fn failed(&self) -> impl Iterator<Item = &Check> {
        self.checks
            .iter()
            .filter(|check| matches!(check.outcome, Outcome::Failed(_)))
    }

    async fn add(&mut self, name: &'static str, check: impl Future<Output = Verdict>) {
        let check = tokio::time::timeout(LIMIT, AssertUnwindSafe(check).catch_unwind());
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

/// A check of one open store.
type CheckFn = for<'a> fn(&'a dyn SessionStore, &'a Scope) -> BoxFuture<'a, Verdict>;
type Verdict = Result<(), Miss>;

/// Why a check did not pass.
enum Miss {
    Wrong(String),
    Unsupported(&'static str),
}

impl From<StoreError> for Miss {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unsupported {
                operation:
                    operation @ ("list_projects" | "list_sessions" | "list_subkeys" | "delete"),
            } => Self::Unsupported(operation),
            error => Self::Wrong(error.chain()),
        }
    }
}

/// Keys and batches of one check, used by no other.
struct Scope {
    project: String,
    session: String,
    writer: Uuid,
    sequence: AtomicU64,
}

impl Scope {
    fn new() -> Self {
        Self {
            project: format!("conformance-{}", Uuid::new_v4().simple()),
            session: Uuid::new_v4().to_string(),
            writer: Uuid::new_v4(),
            sequence: AtomicU64::new(1),
        }
    }

    /// The session of this check.
    fn key(&self) -> SessionKey {
        SessionKey::new(&self.project, &self.session)
    }

    /// Another session in the same project.
    fn other_key(&self) -> SessionKey {
        SessionKey::new(&self.project, format!("other-{}", self.session))
    }

    /// A session of the same id in another project.
    fn other_project(&self) -> SessionKey {
        SessionKey::new(format!("{}-b", self.project), &self.session)
    }

    fn batch(&self, texts: &[&str]) -> Result<Batch, Miss> {
        let entries = texts
            .iter()
            .map(|text| Json::from_text(text).map_err(|error| Miss::Wrong(error.to_string())))
            .collect::<Result<_, _>>()?;
        let id = BatchId {
            writer: self.writer,
            sequence: self.sequence.fetch_add(1, Ordering::Relaxed),
        };
        Ok(Batch::new(id, entries))
    }

    async fn clean(&self, store: &dyn SessionStore) {
        for key in [self.key(), self.other_key(), self.other_project()] {
            // A store that cannot is not asked to.
            let _ = store.delete(&key).await;
        }
    }
}

/// Checks that a key has these lines.
async fn expect(store: &dyn SessionStore, key: &SessionKey, texts: &[&str]) -> Verdict {
    let Some(entries) = store.load(key).await? else {
        return Err(Miss::Wrong(format!("nothing is stored for {key}")));
    };
    let found: Vec<&str> = entries.iter().map(Json::text).collect();
    if found == texts {
        return Ok(());
    }
    let differs = found
        .iter()
        .zip(texts)
        .position(|(found, expected)| found != expected)
        .unwrap_or_else(|| found.len().min(texts.len()));
    let shown = |texts: &[&str]| match texts.get(differs) {
        Some(text) => text.chars().take(120).collect(),
        None => "nothing".to_owned(),
    };
    Err(Miss::Wrong(format!(
        "{} lines instead of {}; line {} is {} instead of {}",
        found.len(),
        texts.len(),
        differs + 1,
        shown(&found),
        shown(texts)
    )))
}

/// Checks that a key was never written, or is gone.
async fn expect_none(store: &dyn SessionStore, key: &SessionKey) -> Verdict {
    match store.load(key).await? {
        None => Ok(()),
        Some(entries) => Err(Miss::Wrong(format!(
            "{key} has {} lines and should not be there",
            entries.len()
        ))),
    }
}
