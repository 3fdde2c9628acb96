//! What the checks share: keys, batches and expectations.

use std::sync::atomic::{AtomicU64, Ordering};

use uuid::Uuid;

use crate::Json;
use crate::future::BoxFuture;
use crate::store::batch::{Batch, BatchId};
use crate::store::error::StoreError;
use crate::store::key::SessionKey;
use crate::store::session_store::SessionStore;

/// A check of one open store.
pub(super) type CheckFn = for<'a> fn(&'a Scope<'a>) -> BoxFuture<'a, CheckResult>;
pub(super) type CheckResult = Result<(), Miss>;

/// Lists async functions as [`CheckFn`]s, each with the requirement that it checks.
macro_rules! checks {
    ($($name:literal => $($check:ident),+;)*) => {
        &[$(($name, $(|scope| Box::pin($check(scope))),+)),*]
    };
}
pub(super) use checks;

/// Why a check did not pass.
pub(super) enum Miss {
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

/// The keys and batches of one check, used by no other.
pub(super) struct Names {
    project: String,
    session: String,
    writer: Uuid,
    sequence: AtomicU64,
}

impl Names {
    pub(super) fn new() -> Self {
        Self {
            project: format!("conformance-{}", Uuid::new_v4().simple()),
            session: Uuid::new_v4().to_string(),
            writer: Uuid::new_v4(),
            sequence: AtomicU64::new(1),
        }
    }

    pub(super) fn batch(&self, texts: &[&str]) -> Result<Batch, Miss> {
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
}

/// An open store, and the names of one check.
pub(super) struct Scope<'a> {
    pub(super) store: &'a dyn SessionStore,
    pub(super) names: &'a Names,
}

impl Scope<'_> {
    /// The session of this check.
    pub(super) fn key(&self) -> SessionKey {
        SessionKey::new(&self.names.project, &self.names.session)
    }

    /// A subagent of the session.
    pub(super) fn below(&self) -> SessionKey {
        self.key().with_subpath("subagents/agent-1")
    }

    /// Another session in the same project.
    pub(super) fn other_key(&self) -> SessionKey {
        SessionKey::new(&self.names.project, format!("other-{}", self.names.session))
    }

    /// A session of the same id in another project.
    pub(super) fn other_project(&self) -> SessionKey {
        SessionKey::new(format!("{}-b", self.names.project), &self.names.session)
    }

    /// Keys that differ in one part.
    pub(super) fn keys(&self) -> [SessionKey; 4] {
        [
            self.key(),
            self.other_key(),
            self.other_project(),
            self.below(),
        ]
    }

    /// Appends lines as one batch.
    pub(super) async fn append(&self, key: &SessionKey, texts: &[&str]) -> CheckResult {
        self.store.append(key, &self.names.batch(texts)?).await?;
        Ok(())
    }

    pub(super) async fn clean(&self) {
        for key in [self.key(), self.other_key(), self.other_project()] {
            // The store may not support deletion.
            let _ = self.store.delete(&key).await;
        }
    }

    /// Checks that a key has these lines.
    pub(super) async fn expect(&self, key: &SessionKey, texts: &[&str]) -> CheckResult {
        let Some(entries) = self.store.load(key).await? else {
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

    /// Checks that a key was never written, or was deleted.
    pub(super) async fn expect_none(&self, key: &SessionKey) -> CheckResult {
        match self.store.load(key).await? {
            None => Ok(()),
            Some(entries) => Err(Miss::Wrong(format!(
                "{key} has {} lines and should not be there",
                entries.len()
            ))),
        }
    }
}
