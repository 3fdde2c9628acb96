//! The outcome of a prompt.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use rusty_claw_protocol::Str;
use rusty_claw_protocol::messages::{ResultDetails, ResultMessage};

use super::end::SessionEnd;
use crate::duration::human;
use crate::error::{SessionError, variant_name};

/// The outcome of a prompt.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[must_use = "a turn that failed, was interrupted or lost its process is no error but an outcome"]
pub enum TurnOutcome {
    /// It was answered.
    Succeeded(TurnReport),
    /// It ended with an error: the API failed, a limit was reached, or the CLI refused it.
    Failed(TurnReport),
    /// It was stopped, or cancelled before it began.
    Interrupted {
        /// Its result, if it had begun.
        report: Option<TurnReport>,
    },
    /// It exceeded a time limit of the program and was interrupted.
    TimedOut {
        /// Which limit.
        limit: TurnLimit,
        /// The duration of the limit.
        after: Duration,
    },
    /// The process ended first.
    ProcessLost(Arc<SessionEnd>),
    /// It was answered, but tasks that it started still run; more results may follow unprompted.
    ContinuedInBackground {
        /// The answer so far.
        report: TurnReport,
        /// The tasks, by their ids.
        tasks: Vec<Str>,
    },
    /// The program detached from the session while the turn was open; the next host that attaches
    /// gets the outcome.
    Detached,
}

/// The time limit that a turn exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TurnLimit {
    /// The time from the prompt to its outcome.
    Turn,
    /// The time without output of the CLI.
    Idle,
    /// The time in which the program read no messages while the CLI's output could not be read, see
    /// [`Options::unread_in_file`](crate::Options::unread_in_file).
    Unread,
}

/// The CLI's report about the end of a turn.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct TurnReport {
    /// The result, if the CLI gave one. Shared by all prompts that it answers together.
    pub result: Option<Arc<ResultMessage>>,
    /// The cost of the turn: the difference of the CLI's totals, which are of the whole session. If
    /// prompts were answered together, only the first has it.
    pub cost_usd: Option<f64>,
    /// Why there is no result, in words of this library, never of the model.
    pub note: Option<Cow<'static, str>>,
}

impl TurnReport {
    /// The final text, or the error, as the CLI gave it; `None` if there is none.
    pub fn text(&self) -> Option<&str> {
        match self.result.as_deref() {
            Some(ResultMessage::Success { result, .. }) => Some(result),
            Some(ResultMessage::Error { error, .. }) => Some(error),
            _ => None,
        }
    }

    /// Creates a report for a prompt without a result.
    pub(crate) fn without_result(note: &'static str) -> Self {
        Self {
            note: Some(Cow::Borrowed(note)),
            ..Self::default()
        }
    }

    /// The text of the result, or else why there is none.
    fn words(&self) -> &str {
        self.text()
            .or(self.note.as_deref())
            .unwrap_or("the CLI gave a result that has no text")
    }

    /// The other fields of the result.
    pub fn details(&self) -> Option<&ResultDetails> {
        details(self.result.as_deref()?)
    }
}

pub(crate) fn details(result: &ResultMessage) -> Option<&ResultDetails> {
    match result {
        ResultMessage::Success { details, .. } | ResultMessage::Error { details, .. } => {
            Some(details)
        }
        _ => None,
    }
}

impl TurnOutcome {
    /// The final text, if the prompt was answered; `None` also if the CLI completed it without a
    /// result.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Succeeded(report) | Self::ContinuedInBackground { report, .. } => report.text(),
            _ => None,
        }
    }

    /// Returns the final text, or this outcome as an error, for `?`.
    ///
    /// # Errors
    /// The prompt was not answered.
    pub fn into_text(self) -> Result<String, NotAnswered> {
        match self.text() {
            Some(text) => Ok(text.to_owned()),
            None => Err(NotAnswered { outcome: self }),
        }
    }

    /// The CLI's report about the end of the turn, if there is one.
    pub fn report(&self) -> Option<&TurnReport> {
        match self {
            Self::Succeeded(report)
            | Self::Failed(report)
            | Self::ContinuedInBackground { report, .. } => Some(report),
            Self::Interrupted { report } => report.as_ref(),
            _ => None,
        }
    }

    /// Whether the prompt succeeded. There may still be no text.
    pub fn is_success(&self) -> bool {
        matches!(
            self,
            Self::Succeeded(_) | Self::ContinuedInBackground { .. }
        )
    }

    /// The error for a reader of messages if the answer was cut off: the process was lost or a
    /// limit was reached.
    pub(crate) fn cut_off(&self) -> Option<SessionError> {
        match self {
            Self::ProcessLost(end) => Some(end.error()),
            Self::TimedOut { after, .. } => Some(SessionError::TimedOut {
                verb: "the prompt",
                after: *after,
            }),
            _ => None,
        }
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
            Self::Failed(report) => write!(f, "failed: {}{}", report.words(), what_to_do(report)),
            Self::Succeeded(report) if report.text().is_none() => {
                write!(f, "ended without a text: {}", report.words())
            }
            Self::TimedOut { limit, after } => match limit {
                TurnLimit::Turn => write!(f, "timed out after {}", human(after)),
                TurnLimit::Idle => write!(f, "timed out: nothing heard for {}", human(after)),
                TurnLimit::Unread => write!(
                    f,
                    "timed out: for {} the program read none of the messages that wait, and there \
                     was room for no more; read them or drop the stream, or give them more room \
                     with Options::unread_in_file",
                    human(after)
                ),
            },
            Self::ProcessLost(end) => write!(f, "process lost: {end}"),
            other => f.write_str(other.name()),
        }
    }
}

/// Advice for failures in which the CLI's own text is meant for a user at its terminal.
fn what_to_do(report: &TurnReport) -> &'static str {
    let text = report.words();
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

/// A prompt that was not answered.
///
/// The `Debug` output is the outcome's variant and the `Display` text, because a `main` that
/// returns an error prints its `Debug` output. See the outcome for details.
#[derive(Clone, thiserror::Error)]
#[error("the prompt was not answered: {outcome}")]
#[non_exhaustive]
pub struct NotAnswered {
    /// The outcome of the prompt.
    pub outcome: TurnOutcome,
}

impl std::fmt::Debug for NotAnswered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NotAnswered({}): {self}", variant_name(&self.outcome))
    }
}
