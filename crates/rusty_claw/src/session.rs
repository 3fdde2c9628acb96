//! A running conversation.

mod attach;
mod end;
mod ledger;
mod mirroring;
mod start;
mod turn;
mod turn_stream;
mod verbs;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use rusty_claw_protocol::control::{
    ControlRequest, ControlResponse, InitializeRequest, InitializeResponse, Interrupt,
    InterruptResponse, Verb,
};
use rusty_claw_protocol::{Json, Str};
use tokio::sync::{mpsc, oneshot, watch};

use crate::error::SessionError;
use crate::host::Host;
use crate::prompt::Prompt;
use crate::pump::{Command, Lane, LaneCounts, Status, over};

pub use self::attach::{Attached, Detached};
pub use self::end::{CloseReport, ClosedBy, EndCause, SessionEnd};
pub use self::ledger::{Ledger, Resolved};
pub(crate) use self::mirroring::{ConfigDir, StoreLane};
#[cfg(test)]
pub(crate) use self::mirroring::{LAST_LINES, STORE_CALL};
use self::turn::TurnSlot;
pub use self::turn::{Turn, TurnLimit, TurnOutcome, TurnReport};
pub use self::turn_stream::{TurnEvent, TurnStream};

/// A running conversation with Claude Code.
///
/// A handle: cloning it is cheap, and all its methods can be called at any time from anywhere,
/// while messages are read and turns run. When the last handle is dropped, the session is closed
/// in the background; [`Session::close`] does the same and says how it went.
///
/// ```no_run
/// use rusty_claw::{Options, Session};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let (session, _) = Session::start(Options::new()).await?;
/// let mut turn = session.chat("What is in this folder?").await?;
/// while let Some(received) = turn.next_message().await {
///     println!("{}", received.message.message_type());
/// }
/// println!("{}", turn.outcome().await);
/// println!("closed by {}", session.close().await.by);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Session {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    commands: mpsc::UnboundedSender<Command>,
    status: watch::Receiver<Status>,
    lane: Arc<Lane>,
    /// What was said first, as text, to be said again.
    initialize: Json,
    /// The reply to it, as text: it is large, and few look at it.
    initialized: Json,
    /// What is served here. The pump holds it: callbacks go with the session, not with handles.
    host: Weak<Host>,
    pid: Option<u32>,
    control_limit: Duration,
    idle_limit: Option<Duration>,
    /// Whether prompts are taken as they are written.
    verbatim: bool,
    /// Ids of requests are unique among all hosts that a CLI may have had.
    id_prefix: Str,
    next_id: AtomicU64,
}

impl Session {
    /// Sends a prompt: a text, or a [`Prompt`] with images and documents.
    ///
    /// Returns once the CLI's input has taken it; the turn is what happens next. A prompt may be
    /// sent while a turn runs: it is queued, or folded into the running turn.
    ///
    /// # Errors
    /// The session is over, or the CLI's input does not take the prompt in time; then it may
    /// still be taken later, so do not just send it again.
    ///
    /// Dropping the future before it is done leaves open whether the prompt was sent.
    pub async fn send(&self, prompt: impl Into<Prompt>) -> Result<Turn, SessionError> {
        let slot = TurnSlot::new(&self.shared.lane);
        self.send_prompt(prompt.into(), slot).await
    }

    /// Sends a prompt and returns a stream of the turn's messages, which ends with the outcome.
    ///
    /// ```no_run
    /// # use rusty_claw::{Options, Session};
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let (session, _) = Session::start(Options::new()).await?;
    /// for prompt in ["My name is Ada.", "What is my name?"] {
    ///     let mut turn = session.chat(prompt).await?;
    ///     while let Some(received) = turn.next_message().await {
    ///         println!("{}", received.message.message_type());
    ///     }
    ///     println!("{}", turn.outcome().await);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// This is [`Session::send`] followed by [`Turn::messages`], except that no message of the turn
    /// can reach the session's stream in between: that stream stops before them until this returns.
    ///
    /// # Errors
    /// The same errors as [`Session::send`]. If the CLI reads the prompt after an error, the
    /// messages of its turn go to the session's stream.
    ///
    /// If the future is dropped before it completes, the prompt may or may not have been sent. If
    /// it was, the messages of its turn go to the session's stream.
    pub async fn chat(&self, prompt: impl Into<Prompt>) -> Result<TurnStream, SessionError> {
        let slot = TurnSlot::new(&self.shared.lane);
        slot.hold();
        Ok(self.send_prompt(prompt.into(), slot).await?.messages())
    }

    async fn send_prompt(&self, prompt: Prompt, slot: TurnSlot) -> Result<Turn, SessionError> {
        let (id, mut message) = prompt.into_message();
        if self.shared.verbatim {
            message.client_composed.get_or_insert(true);
        }
        let (outcome, resolved) = oneshot::channel();
        let (written, sent) = oneshot::channel();
        let command = Command::Prompt {
            id: id.clone(),
            number: slot.number,
            message: Box::new(message),
            outcome,
            written,
        };
        if self.shared.commands.send(command).is_err() {
            return Err(self.over());
        }
        let mut turn = Turn {
            id,
            outcome: resolved,
            resolved: None,
            slot,
        };
        let after = self.shared.control_limit;
        tokio::select! {
            biased;
            () = tokio::time::sleep(after) => Err(SessionError::TimedOut {
                verb: "the prompt",
                after,
            }),
            sent = sent => match sent {
                Ok(()) => Ok(turn),
                Err(_) => Err(self.ended_soon().await),
            },
            outcome = &mut turn.outcome => match outcome {
                // It was answered so fast that both are true.
                Ok(outcome) if !matches!(outcome, TurnOutcome::ProcessLost(_)) => {
                    turn.resolved = Some(outcome);
                    Ok(turn)
                }
                _ => Err(self.ended_soon().await),
            },
        }
    }

    /// Stops the running turn. Prompts that wait are run next, see [`Session::interrupt_all`].
    ///
    /// The receipt comes at once, however many messages are unread; the turn's outcome follows.
    ///
    /// # Errors
    /// The session is over, or the CLI does not answer.
    ///
    /// Dropping the future does not take the interrupt back.
    pub async fn interrupt(&self) -> Result<InterruptResponse, SessionError> {
        self.request(Interrupt::default()).await
    }

    /// Stops the running turn and drops the prompts that wait.
    ///
    /// # Errors
    /// The session is over, or the CLI does not answer.
    ///
    /// Dropping the future does not take the interrupt back.
    pub async fn interrupt_all(&self) -> Result<InterruptResponse, SessionError> {
        let mut request = Interrupt::new();
        request.cancel_queued = Some(true);
        self.request(request).await
    }

    /// Asks the CLI something, and waits for the answer that belongs to it.
    ///
    /// Every request of the control protocol has a method of its own; this is for those that have
    /// none yet.
    ///
    /// # Errors
    /// The session is over, the CLI refuses, or it does not answer in time.
    ///
    /// Dropping the future tells the CLI that nobody waits any more.
    pub async fn request<V: Verb>(&self, request: V) -> Result<V::Response, SessionError> {
        let response = self.ask(V::SUBTYPE, request.into()).await?;
        read_answer::<V>(response)
    }

    pub(crate) async fn ask(
        &self,
        verb: &'static str,
        request: ControlRequest,
    ) -> Result<ControlResponse, SessionError> {
        let number = self.shared.next_id.fetch_add(1, Ordering::Relaxed);
        let id = Str::from(format!("{}-{number}", self.shared.id_prefix));
        let (reply, told) = oneshot::channel();
        let command = Command::Request {
            id: id.clone(),
            request: Box::new(request),
            reply,
        };
        if self.shared.commands.send(command).is_err() {
            return Err(self.over());
        }
        let forget = ForgetOnDrop {
            commands: &self.shared.commands,
            id: Some(id),
        };
        let after = self.shared.control_limit;
        match tokio::time::timeout(after, told).await {
            Ok(Ok(answer)) => {
                forget.answered();
                answer
            }
            Ok(Err(_)) => {
                forget.answered();
                Err(self.ended_soon().await)
            }
            Err(_) => Err(SessionError::TimedOut { verb, after }),
        }
    }

    /// Says again what the session began with and what is served here: hooks, in-process servers,
    /// dialogs. Takes up the prompts that still wait for an answer, and returns what the CLI says
    /// of itself now.
    ///
    /// Sessions do this by themselves when they begin and when they are attached to.
    ///
    /// # Errors
    /// The session is over, the CLI refuses or cannot do what is relied on here, or it does not
    /// answer in time.
    ///
    /// Dropping the future tells the CLI that nobody waits any more.
    pub async fn reinitialize(&self) -> Result<InitializeResponse, SessionError> {
        let verb = InitializeRequest::SUBTYPE;
        // It was written from such a value, so it can be read as one.
        let request: InitializeRequest = self.shared.initialize.view().unwrap_or_default();
        let response = self.ask(verb, request.into()).await?;
        if let ControlResponse::Success {
            response: Some(payload),
            ..
        } = &response
            && let Some(host) = self.shared.host.upgrade()
        {
            host.check(payload).map_err(|error| SessionError::Refused {
                verb,
                error,
                code: None,
            })?;
        }
        read_answer::<InitializeRequest>(response)
    }

    /// Ends the session: asks the CLI to end, then closes its input, then SIGTERM, then SIGKILL,
    /// each with time for the step before. Its session file is written to the end.
    ///
    /// Messages that were not read can still be read.
    ///
    /// Dropping the future does not take it back.
    pub async fn close(&self) -> CloseReport {
        let (report, told) = oneshot::channel();
        let _ = self.shared.commands.send(Command::Close { report });
        match told.await {
            Ok(report) => report,
            Err(_) => self.already_over().await,
        }
    }

    /// Waits until the session is over, for whatever reason.
    ///
    /// Dropping the future changes nothing.
    pub async fn ended(&self) -> Arc<SessionEnd> {
        let mut status = self.shared.status.clone();
        let ended = status.wait_for(|status| status.end.is_some()).await;
        let end = ended.ok().and_then(|status| status.end.clone());
        end.unwrap_or_else(|| {
            Arc::new(SessionEnd::unknown(
                "the task that runs the session was dropped",
            ))
        })
    }

    /// Waits until the CLI rests: no turn runs, no prompt waits. Background shells may still run.
    ///
    /// # Errors
    /// The session is over.
    ///
    /// Dropping the future changes nothing.
    pub async fn idle(&self) -> Result<(), SessionError> {
        let mut status = self.shared.status.clone();
        // A CLI that does not say when it rests does so when it owes nothing.
        let rests = |status: &Status| {
            status.end.is_some()
                || status.idle == Some(true)
                || status.idle.is_none() && status.open_turns == 0
        };
        match status.wait_for(rests).await {
            Ok(status) if status.end.is_none() => Ok(()),
            _ => Err(self.over()),
        }
    }

    /// The CLI's own id of the conversation, once it has said it: with the first message. It can
    /// change: `/clear` begins another.
    pub fn session_id(&self) -> Option<Str> {
        self.shared.status.borrow().session_id.clone()
    }

    /// Whether the CLI rests, as far as it says so.
    pub fn is_idle(&self) -> Option<bool> {
        self.shared.status.borrow().idle
    }

    /// How many tasks run behind the conversation.
    pub fn background_tasks(&self) -> usize {
        self.shared.status.borrow().background_tasks
    }

    /// The process, where there is one.
    pub fn pid(&self) -> Option<u32> {
        self.shared.pid
    }

    /// What the CLI said when the session began: commands, models, agents, account.
    pub fn initialized(&self) -> InitializeResponse {
        self.shared.initialized.view().unwrap_or_default()
    }

    /// How messages have piled up.
    pub fn lane_counts(&self) -> LaneCounts {
        self.shared.lane.counts()
    }

    /// How long a CLI that works may be silent.
    pub(crate) fn idle_limit(&self) -> Option<Duration> {
        self.shared.idle_limit
    }

    /// The error for a session that is over.
    fn over(&self) -> SessionError {
        match &self.shared.status.borrow().end {
            Some(end) => over(end),
            None => over(&SessionEnd::unknown("the CLI ended")),
        }
    }

    /// The error for a session that is about to be over: waits until it can say how.
    async fn ended_soon(&self) -> SessionError {
        let wait = Duration::from_secs(5);
        match tokio::time::timeout(wait, self.ended()).await {
            Ok(end) => over(&end),
            Err(_) => over(&SessionEnd::unknown("the CLI's input is closed")),
        }
    }

    async fn already_over(&self) -> CloseReport {
        let end = self.ended().await;
        CloseReport {
            by: ClosedBy::AlreadyOver,
            exit: end.exit,
            took: Duration::ZERO,
            open_turns: Vec::new(),
            stderr_tail: end.stderr_tail.clone(),
            mirror: end.mirror.clone(),
            writes_lost: end.writes_lost.clone(),
        }
    }
}

/// Reads the answer to a request.
fn read_answer<V: Verb>(response: ControlResponse) -> Result<V::Response, SessionError> {
    let verb = V::SUBTYPE;
    match response {
        ControlResponse::Success { response, .. } => {
            // A plain acknowledgement has no payload.
            let payload = response.unwrap_or_else(|| Json::from_value(&serde_json::json!({})));
            payload
                .view()
                .ok_or_else(|| unreadable(verb, payload.text()))
        }
        ControlResponse::Error {
            error, error_code, ..
        } => Err(SessionError::Refused {
            verb,
            error,
            code: error_code.map(|code| code.as_str().to_owned()),
        }),
        other => Err(unreadable(verb, &format!("{other:?}"))),
    }
}

fn unreadable(verb: &'static str, answer: &str) -> SessionError {
    SessionError::Unreadable {
        verb,
        answer: answer.chars().take(200).collect(),
    }
}

/// Tells the pump that nobody waits, unless there was an answer.
struct ForgetOnDrop<'a> {
    commands: &'a mpsc::UnboundedSender<Command>,
    id: Option<Str>,
}

impl ForgetOnDrop<'_> {
    fn answered(mut self) {
        self.id = None;
    }
}

impl Drop for ForgetOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            let _ = self.commands.send(Command::Forget { id });
        }
    }
}

#[cfg(test)]
mod tests {
    use rusty_claw_protocol::control::{SeedReadState, SetModel};

    use super::*;

    fn answer<V: Verb>(text: &str) -> Result<V::Response, SessionError> {
        use rusty_claw_protocol::messages::Message;
        let line = format!(r#"{{"type":"control_response","response":{text}}}"#);
        match Message::from_json(&line) {
            Ok(Message::ControlResponse { response, .. }) => read_answer::<V>(response),
            other => panic!("not an answer: {other:?}"),
        }
    }

    #[test]
    fn a_plain_acknowledgement_is_an_answer() {
        let bare = r#"{"subtype":"success","request_id":"1"}"#;
        answer::<SeedReadState>(bare).expect("an acknowledgement");
        assert_eq!(answer::<SetModel>(bare).expect("an answer").model, None);
    }

    #[test]
    fn a_refusal_names_the_verb_and_the_code() {
        let refusal =
            r#"{"subtype":"error","request_id":"1","error":"no","error_code":"invalid_mode"}"#;
        let error = answer::<SetModel>(refusal).expect_err("a refusal");
        assert!(
            matches!(&error, SessionError::Refused { verb: "set_model", code: Some(code), .. } if code == "invalid_mode"),
            "{error:?}"
        );
        let other = answer::<SetModel>(r#"{"subtype":"success","request_id":"1","response":7}"#);
        assert!(
            matches!(other, Err(SessionError::Unreadable { .. })),
            "{other:?}"
        );
    }
}
