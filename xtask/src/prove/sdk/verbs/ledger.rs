//! What became of each verb.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use rusty_claw::SessionError;

use crate::prove::sdk::stage::PATIENCE;

/// What became of a verb.
#[derive(Debug)]
pub(super) enum Verdict {
    /// The CLI did it; how that was seen.
    Seen(String),
    /// The CLI says that it did it; why nobody can see whether it did.
    Acknowledged(String),
    /// The CLI does not serve it.
    Refused(String),
    /// An error, or no effect.
    Failed(String),
}

impl Verdict {
    /// The better, the higher. A refusal and a failure are equally bad: the first one stays.
    fn rank(&self) -> u8 {
        match self {
            Self::Seen(_) => 2,
            Self::Acknowledged(_) => 1,
            Self::Refused(_) | Self::Failed(_) => 0,
        }
    }
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
        self.note(verb, in_time(work).await.map(Verdict::Seen));
    }

    /// Sends a verb without an effect that can be seen; the text says why it cannot.
    pub(super) async fn acknowledged(
        &mut self,
        verb: &'static str,
        work: impl Future<Output = Result<String>>,
    ) {
        self.note(verb, in_time(work).await.map(Verdict::Acknowledged));
    }

    /// The least that became of a verb stays.
    pub(super) fn note(&mut self, verb: &'static str, became: Result<Verdict>) {
        let verdict = match became {
            Ok(verdict) => verdict,
            Err(error) => match error.downcast_ref::<SessionError>() {
                Some(SessionError::Refused { code, error, .. })
                    if code.as_deref() == Some("unsupported_request") =>
                {
                    Verdict::Refused(error.clone())
                }
                _ => Verdict::Failed(format!("{error:#}")),
            },
        };
        let before = self.verdicts.get(verb);
        if before.is_none_or(|before| before.rank() > verdict.rank()) {
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
        self.those(|verdict| matches!(verdict, Verdict::Refused(_)))
    }

    /// Those that the CLI only says it did.
    pub(super) fn only_acknowledged(&self) -> Vec<&'static str> {
        self.those(|verdict| matches!(verdict, Verdict::Acknowledged(_)))
    }

    fn those(&self, is: impl Fn(&Verdict) -> bool) -> Vec<&'static str> {
        let verdicts = self.verdicts.iter().filter(|(_, verdict)| is(verdict));
        verdicts.map(|(verb, _)| *verb).collect()
    }

    pub(super) fn broken(&self) -> &[String] {
        &self.broken
    }

    pub(super) fn lines(&self) -> Vec<String> {
        self.verdicts
            .iter()
            .map(|(verb, verdict)| match verdict {
                Verdict::Seen(evidence) => format!("`{verb}`: success: {evidence}"),
                Verdict::Acknowledged(why) => format!("`{verb}`: acknowledged: {why}"),
                Verdict::Refused(error) => format!("`{verb}`: refused: {error}"),
                Verdict::Failed(error) => format!("`{verb}`: FAILED: {error}"),
            })
            .collect()
    }
}

async fn in_time<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::time::timeout(PATIENCE, work)
        .await
        .context("took too long")
        .flatten()
}
