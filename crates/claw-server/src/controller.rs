//! Runs many sessions in one process.

mod activity;
mod appending;
mod backpressure;
mod builder;
mod call_ledger;
mod cli_requests;
mod clock;
mod close_signal;
mod closing;
mod command;
mod content;
mod continuing;
mod delivery;
mod error;
mod forwarder;
mod grant_book;
mod input;
mod interaction_handling;
#[cfg(test)]
mod limits_page;
mod notices;
mod open;
mod parking;
mod permission_bridge;
mod policy_runner;
mod queue;
pub(crate) mod rearming;
mod recorder;
mod recovery;
mod redelivery;
mod registries;
mod rest;
mod scheduled_prompts;
mod serving;
mod session;
mod settings;
mod setup;
mod shared;
mod shutdown;
mod slot;
mod state;
mod unstarted;
mod upcoming_calls;
mod watchers;
mod watching;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::oneshot;

use self::close_signal::CloseSignal;
use self::command::Command;
use self::forwarder::DialectSink;
use self::shared::{SessionHandle, Shared};
use crate::projection::UiProjection;
use crate::registry::{PermissionRegistry, UserInteractionRegistry};
use crate::sequenced::{Sequenced, SequencedMessage};
use crate::session_id::SessionId;
use crate::sink::{Dialect, EventSink};

pub use activity::Activity;
pub use builder::ControllerBuilder;
pub use error::ControllerError;
pub use input::{Input, InputReceipt};
pub use setup::SessionSetup;
pub use shutdown::SessionClosed;
pub use watching::{Watch, WatchEnd};

/// Runs sessions: accepts input, asks people, and sends messages to all sinks.
///
/// A handle that is cheap to clone. When the last clone is dropped, its sessions are closed in the
/// background; [`Controller::shutdown`] also returns how they ended.
///
/// ```no_run
/// use claw_server::registry::PermissionResponse;
/// use claw_server::{Controller, Input, SessionSetup, UiMessage};
/// use rusty_claw::Options;
/// use rusty_claw::permission::PermissionMode;
/// use std::time::Duration;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let controller = Controller::builder().build();
/// let (sink, mut messages) = tokio::sync::mpsc::channel(64);
/// let options = Options::new().permission_mode(PermissionMode::Default);
/// let session = controller.open(SessionSetup::new(options).sink(sink)).await?;
/// controller.input(Input::text(session, "What is in this folder?")).await?;
/// while let Some(message) = messages.recv().await {
///     match message {
///         UiMessage::TextChunk { text, .. } => print!("{text}"),
///         UiMessage::PermissionRequired { tool_use_id, request, .. } => {
///             println!("{} — allowed this once", request.description);
///             let yes = PermissionResponse::allow().by("terminal");
///             controller.permissions().respond(session, &tool_use_id, yes).await?;
///         }
///         UiMessage::Complete { .. } => break,
///         _ => {}
///     }
/// }
/// for closed in controller.shutdown(Duration::from_secs(10)).await {
///     println!("session {}: {}", closed.session_id, closed.reason);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Controller {
    shared: Arc<Shared>,
}

impl Controller {
    /// Sends input to a session. When this returns, the input is stored.
    ///
    /// # Errors
    /// The input is rejected or cannot be stored.
    ///
    /// If the future is dropped, the input may be stored or not: send it again with the same key.
    pub async fn input(&self, input: Input) -> Result<InputReceipt, ControllerError> {
        let session_id = input.session_id;
        let command = |reply| Command::Input { input, reply };
        self.send_command(session_id, command).await?
    }

    /// Interrupts the running turn. It ends with
    /// [`UiMessage::Complete`](crate::UiMessage::Complete); queued inputs follow.
    ///
    /// # Errors
    /// There is no such session, or the CLI does not respond.
    ///
    /// Dropping the future does not cancel an interrupt that was sent.
    pub async fn interrupt(&self, session_id: SessionId) -> Result<(), ControllerError> {
        let command = |reply| Command::Interrupt { turn: None, reply };
        self.send_command(session_id, command).await?
    }

    /// Interrupts a turn, if it is the one that runs. Does nothing after it, so a late request does
    /// not end the next turn.
    ///
    /// # Errors
    /// There is no such session, or the CLI does not respond.
    ///
    /// Dropping the future does not cancel an interrupt that was sent.
    pub async fn interrupt_turn(
        &self,
        session_id: SessionId,
        turn: u64,
    ) -> Result<(), ControllerError> {
        let turn = Some(turn);
        let command = |reply| Command::Interrupt { turn, reply };
        self.send_command(session_id, command).await?
    }

    /// Adds a sink that has seen nothing. It receives the session from the first event in the log
    /// on, then live.
    ///
    /// # Errors
    /// There is no such session.
    ///
    /// If the future is dropped, the sink may or may not have been added.
    pub async fn watch(
        &self,
        session_id: SessionId,
        sink: impl EventSink,
    ) -> Result<Watch, ControllerError> {
        let number = self.number(session_id);
        let number = number.ok_or(ControllerError::NoSession { session_id })?;
        self.watch_in(session_id, UiProjection::new(number), sink)
            .await
    }

    /// The same in another dialect, such as [`MobileProjection`](crate::MobileProjection): a new
    /// one starts with the first event in the log, a restored one continues where it was saved.
    ///
    /// # Errors
    /// There is no such session, or the dialect is ahead of it.
    ///
    /// If the future is dropped, the sink may or may not have been added.
    pub async fn watch_in<D: Dialect>(
        &self,
        session_id: SessionId,
        dialect: D,
        sink: impl EventSink<D::Message>,
    ) -> Result<Watch, ControllerError> {
        self.listen(session_id, 0, dialect, sink).await
    }

    /// Adds a sink that can resume after a disconnect: `after` is the last cursor that increased in
    /// the messages received before, and 0 the first time. Pass a new dialect each time.
    ///
    /// A client keeps what it has when the cursor increases. After a disconnect it discards what
    /// came since and resumes from the cursor; then it has the same as a client that was never
    /// disconnected: see [`SequencedMessage`]. Events that the log no longer has are reported as a
    /// gap.
    ///
    /// ```no_run
    /// # async fn example(controller: claw_server::Controller, session: claw_server::SessionId) -> Result<(), Box<dyn std::error::Error>> {
    /// use claw_server::UiProjection;
    ///
    /// let (mut after, mut kept, mut provisional) = (0, Vec::new(), Vec::new());
    /// while controller.sessions().contains(&session) {
    ///     let (sink, mut messages) = tokio::sync::mpsc::channel(64);
    ///     let dialect = UiProjection::new(1);
    ///     controller.resume(session, after, dialect, sink).await?;
    ///     // Stands for a connection: it may end at any message.
    ///     while let Some(said) = messages.recv().await {
    ///         provisional.push(said.message);
    ///         if said.after > after {
    ///             after = said.after;
    ///             kept.append(&mut provisional);
    ///         }
    ///     }
    ///     provisional.clear();
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// There is no such session, or `after` is ahead of it. If a session has ended, read its log
    /// through a [`Sequenced`].
    ///
    /// If the future is dropped, the sink may or may not have been added.
    pub async fn resume<D: Dialect>(
        &self,
        session_id: SessionId,
        after: u64,
        dialect: D,
        sink: impl EventSink<SequencedMessage<D::Message>>,
    ) -> Result<Watch, ControllerError> {
        let dialect = Sequenced::new(dialect, after);
        self.listen(session_id, after, dialect, sink).await
    }

    async fn listen<D: Dialect>(
        &self,
        session_id: SessionId,
        after: u64,
        dialect: D,
        sink: impl EventSink<D::Message>,
    ) -> Result<Watch, ControllerError> {
        let listener = Box::new(DialectSink { dialect, sink });
        let command = |reply| Command::Watch {
            listener,
            after,
            reply,
        };
        self.send_command(session_id, command).await?
    }

    /// Sends messages that belong to no session to a sink:
    /// [`UiMessage::Error`](crate::UiMessage::Error) and
    /// [`UiMessage::System`](crate::UiMessage::System) with `session_id: None`. The future ends when the sink is closed or
    /// the controller and its sessions are gone, so spawn it.
    ///
    /// | message | when |
    /// |---|---|
    /// | `Error` | a session cannot be opened, because the log cannot be read or panics |
    /// | `Error` | policy decisions hang and leave no room for others, for one tenant or for all |
    /// | `System` | a hung decision has ended, and requests are decided again |
    /// | `System` | the controller shuts down, and has shut down |
    ///
    /// These messages are not logged, and only messages sent after this call arrive. A sink that is
    /// more than 64 messages behind loses the oldest, and a `System` message reports how many.
    ///
    /// ```no_run
    /// # async fn example(controller: claw_server::Controller) {
    /// let (sink, mut notices) = tokio::sync::mpsc::channel(16);
    /// tokio::spawn(controller.notices(sink));
    /// while let Some(message) = notices.recv().await {
    ///     eprintln!("{message:?}");
    /// }
    /// # }
    /// ```
    ///
    /// Dropping the future loses the messages that the sink has not received.
    pub fn notices<S: EventSink>(&self, sink: S) -> impl Future<Output = ()> + Send + use<S> {
        self.shared.notices.forward(sink)
    }

    /// Returns the registry that answers permissions and plans.
    pub fn permissions(&self) -> &dyn PermissionRegistry {
        self
    }

    /// Returns the registry that answers all other interactions.
    pub fn interactions(&self) -> &dyn UserInteractionRegistry {
        self
    }

    /// Returns the ids of the open sessions, in ascending order.
    pub fn sessions(&self) -> Vec<SessionId> {
        let mut ids: Vec<SessionId> = self.shared.sessions().keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    /// Returns the number of an open session in [`UiMessage`](crate::UiMessage)s.
    pub fn number(&self, session_id: SessionId) -> Option<i64> {
        self.shared.handle(session_id).map(|handle| handle.number)
    }

    /// Closes a session: running work may finish within `grace`, then the CLI is stopped. Returns
    /// how it ended, also if it had ended before.
    ///
    /// # Errors
    /// There is no such session, or its end is no longer kept.
    ///
    /// Dropping the future does not cancel the close.
    pub async fn close(
        &self,
        session_id: SessionId,
        grace: Duration,
    ) -> Result<Arc<SessionClosed>, ControllerError> {
        self.end(session_id, |close| close.within(grace)).await
    }

    /// Puts a session to sleep: closes its CLI like [`Controller::close`], but the session continues
    /// when it is [reopened](SessionSetup::reopen). Inputs that were not sent stay queued in its log.
    ///
    /// # Errors
    /// There is no such session, or its end is no longer kept.
    ///
    /// Dropping the future does not cancel this.
    pub async fn sleep(
        &self,
        session_id: SessionId,
        grace: Duration,
    ) -> Result<Arc<SessionClosed>, ControllerError> {
        self.end(session_id, |close| close.sleep_within(grace))
            .await
    }

    /// Ends a session in this process and leaves its CLI running, so that the next owner can
    /// [attach](SessionSetup::attach) to it. Waits until everything so far is stored. Returns
    /// `false`, and changes nothing, if the CLI cannot outlive this process or the session is
    /// being closed.
    ///
    /// # Errors
    /// There is no such session.
    pub async fn release(&self, session_id: SessionId) -> Result<bool, ControllerError> {
        let handle = self.shared.handle(session_id);
        let handle = handle.ok_or(ControllerError::NoSession { session_id })?;
        let command = |reply| Command::Release { reply };
        let is_released = self.send_command(session_id, command).await?;
        if is_released {
            handle.ended(session_id).await;
        }
        Ok(is_released)
    }

    async fn end(
        &self,
        session_id: SessionId,
        ask: impl FnOnce(&CloseSignal),
    ) -> Result<Arc<SessionClosed>, ControllerError> {
        let Some(handle) = self.shared.handle(session_id) else {
            return self.shared.report(session_id);
        };
        ask(&handle.close);
        Ok(handle.ended(session_id).await)
    }

    /// Waits until a session has ended, for whatever reason, and returns how. The last 1,024 ends
    /// are kept.
    ///
    /// # Errors
    /// There is no such session, or its end is no longer kept.
    ///
    /// This method is cancel safe.
    pub async fn ended(
        &self,
        session_id: SessionId,
    ) -> Result<Arc<SessionClosed>, ControllerError> {
        match self.shared.handle(session_id) {
            Some(handle) => Ok(handle.ended(session_id).await),
            None => self.shared.report(session_id),
        }
    }

    /// Closes all sessions concurrently and returns how each ended. No more can be opened.
    ///
    /// Returns when all CLIs have exited: after `grace` at the latest, plus a few seconds for each
    /// step in which a CLI, a log or a sink does not respond.
    ///
    /// Dropping the future does not cancel the shutdown.
    pub async fn shutdown(&self, grace: Duration) -> Vec<Arc<SessionClosed>> {
        self.shared.is_shutting_down.store(true, Ordering::SeqCst);
        let open: BTreeMap<SessionId, SessionHandle> = {
            let sessions = self.shared.sessions();
            let open = sessions.iter();
            open.map(|(id, handle)| (*id, handle.clone())).collect()
        };
        let notices = &self.shared.notices;
        let count = open.len();
        notices.system(format!("shutting down: {count} sessions are closed"));
        let closing = open.into_iter().map(|(id, handle)| {
            handle.close.within(grace);
            handle.ended(id)
        });
        let closed = futures_util::future::join_all(closing).await;
        notices.system("shut down: every session has ended".to_owned());
        closed
    }

    async fn send_command<T>(
        &self,
        session_id: SessionId,
        command: impl FnOnce(oneshot::Sender<T>) -> Command,
    ) -> Result<T, ControllerError> {
        let gone = || ControllerError::NoSession { session_id };
        let (reply, response) = oneshot::channel();
        let handle = self.shared.handle(session_id).ok_or_else(gone)?;
        let sent = handle.commands.send(command(reply)).await;
        sent.map_err(|_| gone())?;
        drop(handle);
        response.await.map_err(|_| gone())
    }
}

impl std::fmt::Debug for Controller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Controller")
            .field("sessions", &self.sessions())
            .finish_non_exhaustive()
    }
}
