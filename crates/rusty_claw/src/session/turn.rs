//! One prompt and what became of it.

use std::borrow::Cow;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rusty_claw_protocol::Str;
use rusty_claw_protocol::messages::{ResultDetails, ResultMessage};
use tokio::sync::oneshot;

use super::end::SessionEnd;
use super::turn_stream::TurnStream;
use crate::error::{SessionError, human};
use crate::pump::{Lane, TurnNumber, over};
use crate::query::NotAnswered;

/// A prompt that was sent. It has exactly one outcome.
///
/// A `Turn` is a future of its outcome, so `&mut turn` works in `select!`. For its messages, call
/// [`Turn::messages`]. Dropping it does not stop the turn; its messages go to the session's stream.
///
/// Until it is awaited or dropped, its messages are kept for [`Turn::messages`], even if the
/// session's stream was dropped. They count as unread: beyond
/// [`Options::unread_in_file`](crate::Options::unread_in_file) the CLI's output waits. If only the
/// prompt matters, drop the turn.
///
/// ```no_run
/// # async fn example(session: rusty_claw::Session) -> Result<(), Box<dyn std::error::Error>> {
/// let mut turn = session.send("Run the tests").await?;
/// tokio::select! {
///     outcome = &mut turn => println!("{outcome}"),
///     _ = tokio::signal::ctrl_c() => {
///         session.interrupt().await?;
///         println!("{}", turn.await);
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Turn {
    pub(super) id: Str,
    pub(super) outcome: oneshot::Receiver<TurnOutcome>,
    /// The outcome, once received.
    pub(super) resolved: Option<TurnOutcome>,
    pub(super) slot: TurnSlot,
}

impl Turn {
    /// The prompt's id: the key by which the CLI speaks of it, its line in the session file, and
    /// the place to rewind files to.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the turn's messages as a stream that ends with the outcome.
    ///
    /// Unread messages of the turn move here from the session's stream, and later ones arrive here.
    /// Messages that the session's stream has already yielded are not repeated. If that stream is
    /// read in another task, use [`Session::chat`](super::Session::chat) instead, which takes the
    /// turn's stream before the prompt is sent. If the session's stream was dropped, call this
    /// before the turn is first polled: after that its messages are not kept.
    pub fn messages(self) -> TurnStream {
        TurnStream::new(self)
    }

    /// Waits for the outcome.
    ///
    /// Never fails: when the process is lost, that is the outcome. It waits as long as the CLI
    /// works or waits for one of the program's callbacks; limits are set with
    /// [`Options::turn_timeout`](crate::Options::turn_timeout) and its neighbours.
    ///
    /// [`Turn::text`] returns only the answer.
    ///
    /// Dropping the future drops the turn; await `&mut turn` to keep it.
    pub async fn outcome(self) -> TurnOutcome {
        self.await
    }

    /// Waits for the outcome and returns the final text.
    ///
    /// ```no_run
    /// # async fn example(session: rusty_claw::Session) -> Result<(), Box<dyn std::error::Error>> {
    /// println!("{}", session.send("What is in this folder?").await?.text().await?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The prompt was not answered; the outcome says why.
    ///
    /// Dropping the future drops the turn.
    pub async fn text(self) -> Result<String, NotAnswered> {
        self.await.into_text()
    }

    pub(super) fn poll_outcome(&mut self, cx: &mut Context<'_>) -> Poll<TurnOutcome> {
        if let Some(outcome) = &self.resolved {
            return Poll::Ready(outcome.clone());
        }
        let outcome = ready!(Pin::new(&mut self.outcome).poll(cx));
        // The pump resolves every open turn before it ends. If it is dropped with its runtime, the
        // channel closes.
        let outcome = outcome.unwrap_or_else(|_| {
            TurnOutcome::ProcessLost(Arc::new(SessionEnd::unknown(
                "the task that runs the session was dropped",
            )))
        });
        self.resolved = Some(outcome.clone());
        Poll::Ready(outcome)
    }
}

/// Resolves to the outcome. Cancel safe: polling `&mut turn` and stopping loses nothing, and
/// polling again after completion returns the outcome again.
impl Future for Turn {
    type Output = TurnOutcome;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.slot.leave();
        self.poll_outcome(cx)
    }
}

/// A turn's registration in the session's lane.
#[derive(Debug)]
pub(super) struct TurnSlot {
    pub(super) lane: Arc<Lane>,
    pub(super) number: TurnNumber,
    /// Whether the destination of the messages is decided.
    decided: bool,
}

impl TurnSlot {
    pub(super) fn new(lane: &Arc<Lane>) -> Self {
        Self {
            number: lane.add_turn(),
            lane: Arc::clone(lane),
            decided: false,
        }
    }

    /// Keeps the messages unread until [`TurnSlot::take`] or a drop.
    pub(super) fn hold(&self) {
        self.lane.hold_turn(self.number);
    }

    /// Sends the messages to the turn's own stream.
    pub(super) fn take(&mut self) {
        self.decided = true;
        self.lane.take_turn(self.number);
    }

    /// Discards the messages.
    pub(super) fn discard(&self) {
        self.lane.forget_turn(self.number);
    }

    /// Sends the messages to the session's stream, unless the turn's stream is taken.
    fn leave(&mut self) {
        if !self.decided {
            self.decided = true;
            self.lane.leave_turn(self.number);
        }
    }
}

impl Drop for TurnSlot {
    fn drop(&mut self) {
        self.lane.forget_turn(self.number);
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
    /// The time that the program left so many messages unread that no more could be taken from
    /// the CLI, see [`Options::unread_in_file`](crate::Options::unread_in_file).
    Unread,
}

/// How a turn ended, in the CLI's words.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct TurnReport {
    /// The result, where the CLI gave one. Shared by all prompts that it answers together.
    pub result: Option<Arc<ResultMessage>>,
    /// What the turn cost, as a difference: the CLI's own total runs through the whole session.
    /// Counted once for prompts that were answered together: the first of them has it.
    pub cost_usd: Option<f64>,
    /// Why there is no result, in words of this library. Never the model's.
    pub note: Option<Cow<'static, str>>,
}

impl TurnReport {
    /// The final text, or the error, as the CLI gave it; `None` when it gave none.
    pub fn text(&self) -> Option<&str> {
        match self.result.as_deref() {
            Some(ResultMessage::Success { result, .. }) => Some(result),
            Some(ResultMessage::Error { error, .. }) => Some(error),
            _ => None,
        }
    }

    /// A report of a prompt that the CLI gave no result for.
    pub(crate) fn without_result(note: &'static str) -> Self {
        Self {
            note: Some(Cow::Borrowed(note)),
            ..Self::default()
        }
    }

    /// What can be said about it: the CLI's words, or else why there are none.
    fn words(&self) -> &str {
        self.text()
            .or(self.note.as_deref())
            .unwrap_or("the CLI gave a result that has no text")
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
    /// The final text, when the prompt was answered. `None` also when the CLI was done with it
    /// and gave no result.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Succeeded(report) | Self::ContinuedInBackground { report, .. } => report.text(),
            _ => None,
        }
    }

    /// The final text, or this outcome as an error, for `?`.
    ///
    /// # Errors
    /// The prompt was not answered.
    pub fn into_text(self) -> Result<String, NotAnswered> {
        match self.text() {
            Some(text) => Ok(text.to_owned()),
            None => Err(NotAnswered { outcome: self }),
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

    /// Whether the prompt came to a good end. There may be no text all the same.
    pub fn is_success(&self) -> bool {
        matches!(
            self,
            Self::Succeeded(_) | Self::ContinuedInBackground { .. }
        )
    }

    /// The error for a reader of messages if the process was lost or a limit was reached, which is
    /// not the end of the answer.
    pub(crate) fn cut_off(&self) -> Option<SessionError> {
        match self {
            Self::ProcessLost(end) => Some(over(end)),
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

/// What to do about a failure, where the CLI's own words are meant for somebody at its terminal.
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
