//! A running conversation.

mod attach;
pub(crate) mod end;
pub(crate) mod ledger;
pub(crate) mod mirroring;
pub(crate) mod outcome;
mod requests;
mod start;
mod turn;
mod verbs;

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Weak};
use std::time::Duration;

use rusty_claw_protocol::control::{InitializeResponse, Interrupt, InterruptResponse};
use rusty_claw_protocol::{Json, Str};
use tokio::sync::{mpsc, oneshot, watch};

use crate::error::SessionError;
use crate::host::Host;
use crate::prompt::Prompt;
use crate::pump::command::{Command, Status};
use crate::pump::message_queues::MessageQueues;
use crate::pump::queue_state::LaneCounts;

pub use self::attach::{Attached, Detached};
pub use self::end::{CloseReport, ClosedBy, EndCause, SessionEnd};
pub use self::ledger::{Ledger, Resolved};
#[cfg(test)]
pub(crate) use self::mirroring::{LAST_LINES, STORE_CALL};
pub use self::outcome::{NotAnswered, TurnLimit, TurnOutcome, TurnReport};
use self::turn::TurnSlot;
pub use self::turn::{Turn, TurnEvent, TurnStream};

/// A running conversation with Claude Code.
///
/// This is a handle: clones are cheap, and all methods can be called at any time from any task,
/// while messages are read and turns run. When the last handle is dropped, the session is closed in
/// the background; [`Session::close`] does the same and reports how it ended.
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
    queues: Arc<MessageQueues>,
    /// The `initialize` request as JSON, to be sent again.
    initialize: Json,
    /// The reply to it as JSON: it is large and rarely read.
    initialized: Json,
    /// What is served. Owned by the pump: callbacks end with the session, not with its handles.
    host: Weak<Host>,
    pid: Option<u32>,
    control_limit: Duration,
    idle_limit: Option<Duration>,
    /// Whether prompts are sent verbatim.
    verbatim: bool,
    /// Makes the ids of requests unique among all hosts that a CLI may have had.
    id_prefix: Str,
    next_id: AtomicU64,
}

impl Session {
    /// Sends a prompt: a text, or a [`Prompt`] with images and documents.
    ///
    /// Returns once the prompt is written to the CLI's input; then the turn begins. A prompt that
    /// is sent while a turn runs is queued, or folded into the running turn.
    ///
    /// # Errors
    /// The session is over, or the prompt cannot be written in time. The CLI may still read it
    /// later, so do not just send it again.
    ///
    /// If the future is dropped before it completes, the prompt may or may not have been sent.
    pub async fn send(&self, prompt: impl Into<Prompt>) -> Result<Turn, SessionError> {
        let slot = TurnSlot::new(&self.shared.queues);
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
        let slot = TurnSlot::new(&self.shared.queues);
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
                // It was answered so fast that both are ready.
                Ok(outcome) if !matches!(outcome, TurnOutcome::ProcessLost(_)) => {
                    turn.resolved = Some(outcome);
                    Ok(turn)
                }
                _ => Err(self.ended_soon().await),
            },
        }
    }

    /// Stops the running turn. Queued prompts run next, see [`Session::interrupt_all`].
    ///
    /// The response comes at once, however many messages are unread; the turn's outcome follows.
    ///
    /// # Errors
    /// The session is over, or the CLI does not answer.
    ///
    /// Dropping the future does not cancel the interrupt.
    pub async fn interrupt(&self) -> Result<InterruptResponse, SessionError> {
        self.request(Interrupt::default()).await
    }

    /// Stops the running turn and drops queued prompts.
    ///
    /// # Errors
    /// The session is over, or the CLI does not answer.
    ///
    /// Dropping the future does not cancel the interrupt.
    pub async fn interrupt_all(&self) -> Result<InterruptResponse, SessionError> {
        let mut request = Interrupt::new();
        request.cancel_queued = Some(true);
        self.request(request).await
    }

    /// Ends the session: sends `end_session`, closes the CLI's input, then sends SIGTERM and
    /// SIGKILL, with a wait after each step so that the CLI can complete its session file.
    ///
    /// Unread messages can still be read.
    ///
    /// Dropping the future does not stop the close.
    pub async fn close(&self) -> CloseReport {
        self.report_of(|report| Command::Close { report }).await
    }

    /// Kills the CLI and everything that it started, without a graceful end.
    ///
    /// The CLI does not respond to open requests then, so that one of them can be parked:
    /// [`SessionLibrary::park`](crate::sessions::SessionLibrary::park).
    ///
    /// Dropping the future does not stop this.
    pub async fn kill(&self) -> CloseReport {
        self.report_of(|report| Command::Kill { report }).await
    }

    async fn report_of(
        &self,
        command: impl FnOnce(oneshot::Sender<CloseReport>) -> Command,
    ) -> CloseReport {
        let (report, closed) = oneshot::channel();
        let _ = self.shared.commands.send(command(report));
        match closed.await {
            Ok(report) => report,
            Err(_) => CloseReport::already_over(&*self.ended().await),
        }
    }

    /// Waits until the session is over, for any reason.
    ///
    /// Dropping the future has no effect.
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

    /// Waits until the CLI is idle: no turn or queued prompt. Background shells may still run.
    ///
    /// # Errors
    /// The session is over.
    ///
    /// Dropping the future has no effect.
    pub async fn idle(&self) -> Result<(), SessionError> {
        let mut status = self.shared.status.clone();
        // A CLI that does not report when it is idle is idle if no prompt is open.
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

    /// The CLI's own id of the conversation, known from the first message on. It can change:
    /// `/clear` begins another conversation.
    pub fn session_id(&self) -> Option<Str> {
        self.shared.status.borrow().session_id.clone()
    }

    /// Whether the CLI is idle; `None` if it has not reported that.
    pub fn is_idle(&self) -> Option<bool> {
        self.shared.status.borrow().idle
    }

    /// The number of background tasks.
    pub fn background_tasks(&self) -> usize {
        self.shared.status.borrow().background_tasks
    }

    /// The process id, if there is a process.
    pub fn pid(&self) -> Option<u32> {
        self.shared.pid
    }

    /// The CLI's reply to `initialize`: commands, models, agents, account.
    pub fn initialized(&self) -> InitializeResponse {
        self.shared.initialized.view().unwrap_or_default()
    }

    /// Number of delivered, spilled and dropped messages.
    pub fn lane_counts(&self) -> LaneCounts {
        self.shared.queues.counts()
    }

    /// How long the CLI may be silent during a turn.
    pub(crate) fn idle_limit(&self) -> Option<Duration> {
        self.shared.idle_limit
    }

    fn over(&self) -> SessionError {
        match &self.shared.status.borrow().end {
            Some(end) => end.error(),
            None => SessionEnd::unknown("the CLI ended").error(),
        }
    }

    /// The error for a session that is about to be over: waits until the reason is known.
    async fn ended_soon(&self) -> SessionError {
        let wait = Duration::from_secs(5);
        match tokio::time::timeout(wait, self.ended()).await {
            Ok(end) => end.error(),
            Err(_) => SessionEnd::unknown("the CLI's input is closed").error(),
        }
    }
}
