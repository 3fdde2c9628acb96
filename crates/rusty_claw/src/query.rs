//! One prompt, from start to end.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::Stream;
use rusty_claw_protocol::control::GetSettingsResponse;
use rusty_claw_protocol::{Line, Received};

use crate::error::{SessionError, StartError};
use crate::future::BoxFuture;
use crate::options::Options;
use crate::prompt::Prompt;
use crate::session::{NotAnswered, Session, Turn, TurnOutcome};
use crate::stream::MessageStream;

/// Runs one prompt in a session of its own.
///
/// ```no_run
/// use rusty_claw::{Options, query};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let answer = query("What is 2 + 2?", Options::new()).await?.text().await?;
/// println!("{answer}");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The session does not start; see [`StartError`].
///
/// Dropping the future leaves nothing running.
pub async fn query(prompt: impl Into<Prompt>, options: Options) -> Result<Query, StartError> {
    let (session, messages) = Session::start(options).await?;
    Query::begin(session, messages, prompt.into()).await
}

/// A running prompt: a stream of messages that ends once the prompt is answered and the CLI is
/// idle.
///
/// The last item is an error if the process was lost or a time limit was reached. Dropping it
/// closes the session in the background.
#[derive(Debug)]
pub struct Query {
    session: Session,
    messages: MessageStream,
    state: State,
}

/// Returns the settings that a session with these options would run with, and the source of each.
///
/// Starts the CLI with the options, requests its settings, and ends it, so that the CLI's own rules
/// for merging settings apply. Use [`GetSettingsResponse::source_of`] for the source of a setting,
/// and [`GetSettingsResponse::without_escalating_mode`] before you act on a permission mode.
///
/// ```no_run
/// use rusty_claw::{Options, resolve_settings};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let settings = resolve_settings(Options::new().cwd("/srv/shop")).await?;
/// println!("{} by {:?}", settings.effective, settings.source_of("model"));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The session does not start, or the CLI does not answer in time; see [`StartError`].
///
/// Dropping the future ends the CLI.
pub async fn resolve_settings(options: Options) -> Result<GetSettingsResponse, StartError> {
    let (session, _messages) = Session::start(options).await?;
    let settings = session.get_settings().await;
    let settings = match settings {
        Ok(settings) => Ok(settings),
        Err(error) => Err(not_begun(&session, error).await),
    };
    session.close().await;
    settings
}

/// Converts an error of a session's first request into a start error.
async fn not_begun(session: &Session, error: SessionError) -> StartError {
    match error {
        SessionError::Over {
            exit, stderr_tail, ..
        } => StartError::Ended {
            exit,
            said: None,
            stderr_tail,
        },
        SessionError::TimedOut { after, .. } => StartError::TimedOut {
            after,
            option: "control_timeout",
            stderr_tail: session.stderr_tail().await,
        },
        other => StartError::Refused {
            error: other.to_string(),
        },
    }
}

enum State {
    Open(Turn),
    /// The turn has its outcome; the remaining messages are read.
    Draining(TurnOutcome, BoxFuture<'static, ()>),
    /// The CLI is idle; messages that arrived at the last moment are read.
    LastLook(TurnOutcome),
    /// Everything was read.
    Over(TurnOutcome),
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Open(_) => f.write_str("Open"),
            Self::Draining(outcome, _) => write!(f, "Draining({outcome})"),
            Self::LastLook(outcome) => write!(f, "LastLook({outcome})"),
            Self::Over(outcome) => write!(f, "Over({outcome})"),
        }
    }
}

impl Query {
    /// Runs a prompt in a session that was just started, on any transport.
    ///
    /// # Errors
    /// The session ended before it read the prompt, or did not read it in time.
    ///
    /// Dropping the future closes the session.
    pub async fn begin(
        session: Session,
        messages: MessageStream,
        prompt: Prompt,
    ) -> Result<Self, StartError> {
        let error = match session.send(prompt).await {
            Ok(turn) => {
                return Ok(Self {
                    session,
                    messages,
                    state: State::Open(turn),
                });
            }
            Err(error) => error,
        };
        Err(not_begun(&session, error).await)
    }

    /// The session of the prompt: to interrupt it, or to send requests.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the next message, or `None` at the end.
    ///
    /// This method is cancel safe: dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Result<Box<Received>, SessionError>> {
        std::future::poll_fn(|cx| self.poll_message(cx)).await
    }

    /// Reads to the end, closes the session and returns the outcome of the prompt.
    ///
    /// Dropping the future closes the session in the background.
    pub async fn outcome(mut self) -> TurnOutcome {
        while self.next().await.is_some() {}
        let outcome = match self.state {
            State::Open(_) => None,
            State::Draining(outcome, _) | State::LastLook(outcome) | State::Over(outcome) => {
                Some(outcome)
            }
        };
        self.session.close().await;
        outcome.unwrap_or(TurnOutcome::Detached)
    }

    /// Reads to the end, closes the session and returns the final text.
    ///
    /// Dropping the future closes the session in the background.
    ///
    /// # Errors
    /// The prompt was not answered; the error contains the outcome.
    pub async fn text(self) -> Result<String, NotAnswered> {
        self.outcome().await.into_text()
    }

    fn poll_message(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Box<Received>, SessionError>>> {
        loop {
            if let State::Over(_) = self.state {
                return Poll::Ready(None);
            }
            match Pin::new(&mut self.messages).poll_next(cx) {
                Poll::Ready(Some(Line::Message(received))) => {
                    if let State::Draining(outcome, rest) = &mut self.state {
                        // The CLI is active, so the wait starts again.
                        *rest = quiet(self.session.clone(), outcome);
                    }
                    return Poll::Ready(Some(Ok(received)));
                }
                Poll::Ready(Some(_)) => continue,
                // The session is over, so the outcome is known.
                Poll::Ready(None) => {
                    let outcome = match &mut self.state {
                        State::Open(turn) => ready!(Pin::new(turn).poll(cx)),
                        State::Draining(outcome, _)
                        | State::LastLook(outcome)
                        | State::Over(outcome) => outcome.clone(),
                    };
                    return Poll::Ready(self.end(outcome));
                }
                // These messages come before anything that is checked below.
                Poll::Pending if self.messages.is_reading_back() => return Poll::Pending,
                Poll::Pending => {}
            }
            match &mut self.state {
                State::Open(turn) => {
                    let outcome = ready!(Pin::new(turn).poll(cx));
                    let rest = quiet(self.session.clone(), &outcome);
                    self.state = State::Draining(outcome, rest);
                }
                State::Draining(outcome, rest) => {
                    ready!(rest.as_mut().poll(cx));
                    let outcome = outcome.clone();
                    self.state = State::LastLook(outcome);
                }
                // Messages are queued before the CLI is reported as idle, so none are left now.
                State::LastLook(outcome) => {
                    let outcome = outcome.clone();
                    return Poll::Ready(self.end(outcome));
                }
                State::Over(_) => return Poll::Ready(None),
            }
        }
    }

    /// Ends the stream, with an error if the answer was cut off.
    fn end(&mut self, outcome: TurnOutcome) -> Option<Result<Box<Received>, SessionError>> {
        let error = outcome.cut_off();
        self.state = State::Over(outcome);
        error.map(Err)
    }
}

/// Waits until the CLI is idle, if it reports that at all.
fn quiet(session: Session, outcome: &TurnOutcome) -> BoxFuture<'static, ()> {
    let lost = matches!(outcome, TurnOutcome::ProcessLost(_) | TurnOutcome::Detached);
    Box::pin(async move {
        if !lost && session.is_idle().is_some() {
            // An error means that the session is over. A CLI that never reports that it is idle is
            // not waited for longer than a silent one during a turn.
            let limit = session.idle_limit().unwrap_or(Duration::MAX);
            let _ = tokio::time::timeout(limit, session.idle()).await;
        }
    })
}

impl Stream for Query {
    type Item = Result<Box<Received>, SessionError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_message(cx)
    }
}
