//! One prompt and what became of it.

use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use rusty_claw_protocol::Str;
use rusty_claw_protocol::messages::{ResultDetails, ResultMessage};
use tokio::sync::oneshot;

use super::end::SessionEnd;
use crate::error::human;
use crate::future::BoxFuture;

/// A prompt that was sent. It has exactly one outcome.
///
/// Await it, or call [`Turn::outcome`]. Dropping it changes nothing: the turn goes on, and nobody
/// is told how it ended.
#[derive(Debug)]
pub struct Turn {
    pub(crate) id: Str,
    pub(crate) outcome: oneshot::Receiver<TurnOutcome>,
}

impl Turn {
    /// The prompt's id: the key by which the CLI speaks of it, its line in the session file, and
    /// the place to rewind files to.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Waits for the outcome.
    ///
    /// Never fails: when the process is lost, that is the outcome. It waits as long as the CLI
    /// works or waits for one of the program's callbacks; limits are set with
    /// [`Options::turn_timeout`](crate::Options::turn_timeout) and its neighbours.
    /// Dropping the future changes nothing but that nobody is told.
    pub async fn outcome(self) -> TurnOutcome {
        // The pump resolves every open turn before it ends, also when it is dropped with its
        // runtime; then the channel closes.
        self.outcome.await.unwrap_or_else(|_| {
            TurnOutcome::ProcessLost(Arc::new(SessionEnd::unknown(
                "the task that runs the session was dropped",
            )))
        })
    }
}

impl IntoFuture for Turn {
    type Output = TurnOutcome;
    type IntoFuture = BoxFuture<'static, TurnOutcome>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.outcome())
    }
}

/// What became of a prompt.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[must_use = "a turn that failed, was interrupted or lost its process is no error but an outcome"]
pub enum TurnOutcome {
    /// It was answered.
    Succeeded(TurnReport),
    /// It came to its end with an error: the API failed, a limit was reached, or the CLI would
    /// not run it.
    Failed(TurnReport),
    /// Somebody stopped it, or took it back before it began.
    Interrupted {
        /// Its result, when it had begun.
        report: Option<TurnReport>,
    },
    /// It took longer than the program allows. It was told to stop.
    TimedOut {
        /// Which limit it was.
        limit: TurnLimit,
        /// How long it had.
        after: Duration,
    },
    /// The process ended first.
    ProcessLost(Arc<SessionEnd>),
    /// It was answered, and tasks that it started still run; more results may follow unasked.
    ContinuedInBackground {
        /// The answer so far.
        report: TurnReport,
        /// The tasks, by their ids.
        tasks: Vec<Str>,
    },
    /// The program let go of the session while the turn was open; whoever attaches to it next
    /// gets the outcome.
    Detached,
}

/// Which limit a turn ran into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TurnLimit {
    /// The time from the prompt to its outcome.
    Turn,
    /// The time without a sign of life from the CLI.
    Idle,
}

/// How a turn ended, in the CLI's words.
#[derive(Debug, Clone)]
pub struct TurnReport {
    /// The result, where the CLI gave one. Shared by all prompts that it answers together.
    pub result: Option<Arc<ResultMessage>>,
    /// What the turn cost, as a difference: the CLI's own total runs through the whole session.
    /// Counted once for prompts that were answered together: the first of them has it.
    pub cost_usd: Option<f64>,
    /// Why, when there is no result.
    pub note: Option<&'static str>,
}

impl TurnReport {
    /// The final text, or the error.
    pub fn text(&self) -> &str {
        match self.result.as_deref() {
            Some(ResultMessage::Success { result, .. }) => result,
            Some(ResultMessage::Error { error, .. }) => error,
            _ => self.note.unwrap_or_default(),
        }
    }

    /// What the result says beside its text.
    pub fn details(&self) -> Option<&ResultDetails> {
        details(self.result.as_deref()?)
    }
}

/// The details of a result that has them.
pub(crate) fn details(result: &ResultMessage) -> Option<&ResultDetails> {
    match result {
        ResultMessage::Success { details, .. } | ResultMessage::Error { details, .. } => {
            Some(details)
        }
        _ => None,
    }
}

impl TurnOutcome {
    /// The final text, when the prompt was answered.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Succeeded(report) | Self::ContinuedInBackground { report, .. } => {
                Some(report.text())
            }
            _ => None,
        }
    }

    /// How the turn ended in the CLI's words, where it said so.
    pub fn report(&self) -> Option<&TurnReport> {
        match self {
            Self::Succeeded(report)
            | Self::Failed(report)
            | Self::ContinuedInBackground { report, .. } => Some(report),
            Self::Interrupted { report } => report.as_ref(),
            _ => None,
        }
    }

    /// Whether the prompt was answered.
    pub fn is_success(&self) -> bool {
        self.text().is_some()
    }

    /// The outcome in one word, for tables and logs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Succeeded(_) => "succeeded",
            Self::Failed(_) => "failed",
            Self::Interrupted { .. } => "interrupted",
            Self::TimedOut { .. } => "timed out",
            Self::ProcessLost(_) => "process lost",
            Self::ContinuedInBackground { .. } => "continued in background",
            Self::Detached => "detached",
        }
    }
}

impl std::fmt::Display for TurnOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Failed(report) => write!(f, "failed: {}{}", report.text(), what_to_do(report)),
            Self::TimedOut { limit, after } => match limit {
                TurnLimit::Turn => write!(f, "timed out after {}", human(after)),
                TurnLimit::Idle => write!(f, "timed out: nothing heard for {}", human(after)),
            },
            Self::ProcessLost(end) => write!(f, "process lost: {end}"),
            other => f.write_str(other.name()),
        }
    }
}

/// What to do about a failure, where the CLI's own words are meant for somebody at its terminal.
fn what_to_do(report: &TurnReport) -> &'static str {
    let text = report.text();
    let status = report
        .details()
        .and_then(|details| details.api_error_status);
    if text.contains("/login") || status == Some(401) {
        " (give the CLI a key with the variable ANTHROPIC_API_KEY, or log in once: start `claude` \
         in a terminal and type /login)"
    } else if status == Some(529) {
        " (tried as often as Options::max_retries says; try again later)"
    } else {
        ""
    }
}
