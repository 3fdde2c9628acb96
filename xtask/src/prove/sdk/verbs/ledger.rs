//! What became of each verb.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use rusty_claw::SessionError;

use crate::prove::sdk::stage::PATIENCE;

/// What became of a verb.
#[derive(Debug)]
pub(super) enum Verdict {
    /// The CLI did it; how that was seen.
    Succeeded(String),
    /// The CLI does not serve it.
    Refused(String),
    /// An error, or no effect.
    Failed(String),
}

/// What became of all of them.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    verdicts: BTreeMap<&'static str, Verdict>,
    broken: Vec<String>,
}

impl Ledger {
    /// Sends a verb and looks for its effect; the text says how the effect was seen.
    pub(super) async fn enter(
        &mut self,
        verb: &'static str,
        work: impl Future<Output = Result<String>>,
    ) {
        let seen = tokio::time::timeout(PATIENCE, work)
            .await
            .context("took too long")
            .flatten();
        self.note(verb, seen);
    }

    /// The first trouble with a verb stays.
    pub(super) fn note(&mut self, verb: &'static str, seen: Result<String>) {
        let verdict = match seen {
            Ok(evidence) => Verdict::Succeeded(evidence),
            Err(error) => match error.downcast_ref::<SessionError>() {
                Some(SessionError::Refused { code, error, .. })
                    if code.as_deref() == Some("unsupported_request") =>
                {
                    Verdict::Refused(error.clone())
                }
                _ => Verdict::Failed(format!("{error:#}")),
            },
        };
        let worse = !matches!(verdict, Verdict::Succeeded(_));
        let before = self.verdicts.get(verb);
        if before.is_none() || (worse && matches!(before, Some(Verdict::Succeeded(_)))) {
            self.verdicts.insert(verb, verdict);
        }
    }

    /// Keeps why a situation did not come to its end.
    pub(super) fn situation(&mut self, name: &str, outcome: Result<()>) {
        if let Err(error) = outcome {
            self.broken.push(format!("{name}: {error:#}"));
        }
    }

    pub(super) fn verdict(&self, verb: &str) -> Option<&Verdict> {
        self.verdicts.get(verb)
    }

    pub(super) fn verbs(&self) -> impl Iterator<Item = &'static str> {
        self.verdicts.keys().copied()
    }

    pub(super) fn refused(&self) -> Vec<&'static str> {
        let refused = |verdict: &Verdict| matches!(verdict, Verdict::Refused(_));
        self.verdicts
            .iter()
            .filter(|(_, verdict)| refused(verdict))
            .map(|(verb, _)| *verb)
            .collect()
    }

    pub(super) fn broken(&self) -> &[String] {
        &self.broken
    }

    pub(super) fn lines(&self) -> Vec<String> {
        self.verdicts
            .iter()
            .map(|(verb, verdict)| match verdict {
                Verdict::Succeeded(evidence) => format!("`{verb}`: success: {evidence}"),
                Verdict::Refused(error) => format!("`{verb}`: refused: {error}"),
                Verdict::Failed(error) => format!("`{verb}`: FAILED: {error}"),
            })
            .collect()
    }
}
