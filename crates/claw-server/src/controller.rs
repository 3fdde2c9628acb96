//! Many sessions in one process.

mod asks;
mod builder;
mod close_request;
mod command;
mod content;
mod deciding;
mod ending;
mod error;
mod expected;
mod forwarder;
mod grant_book;
mod input;
#[cfg(test)]
mod limits_page;
mod notices;
mod open;
mod pace;
mod place;
mod prompting;
mod queue;
mod recorder;
mod registries;
mod serving;
mod session;
mod setup;
mod steady_clock;
mod watchers;
mod watching;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use self::command::Command;
use self::deciding::Deciding;
use self::forwarder::Spoken;
use self::grant_book::GrantBook;
use self::notices::Notices;
use self::place::Address;
use self::session::Limits;
use crate::grants::PermissionPolicy;
use crate::log::{EventLog, MemoryLog};
use crate::projection::UiProjection;
use crate::registry::{PermissionRegistry, UserInteractionRegistry};
use crate::sequenced::{Sequenced, SequencedMessage};
use crate::sink::{Dialect, EventSink};

pub use builder::ControllerBuilder;
pub use ending::SessionClosed;
pub use error::ControllerError;
pub use input::{Input, InputReceipt};
pub use setup::SessionSetup;
pub use watching::{Watch, WatchEnd};

/// Runs sessions: takes input, asks people, and tells everybody who looks.
///
/// A handle: cloning it is cheap. When the last one is dropped, its sessions are closed in the
/// background; [`Controller::shutdown`] does the same and says how it went.
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
///         UiMessage::PermissionRequired { tool_use_id, request, session_id } => {
///             println!("{} — allowed this once", request.description);
///             let yes = PermissionResponse::allow().by("terminal");
///             controller.permissions().respond(session_id, &tool_use_id, yes).await?;
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

struct Shared {
    log: Arc<dyn EventLog>,
    /// The log, when nobody else has it: then nobody reads a session that has ended.
    own_log: Option<Arc<MemoryLog>>,
    policy: Arc<dyn PermissionPolicy>,
    tenants: HashMap<String, Arc<dyn PermissionPolicy>>,
    grants: Arc<GrantBook>,
    deciding: Arc<Deciding>,
    notices: Notices,
    limits: Limits,
    unsent: usize,
    next_id: AtomicI64,
    /// How sessions ended, the latest of them, for those who ask late.
    reports: Mutex<VecDeque<Arc<SessionClosed>>>,
    /// The numbers that sessions of this process had, whose events are in no log any more.
    used: Mutex<HashSet<i64>>,
    is_shutting_down: AtomicBool,
    sessions: Mutex<HashMap<i64, Address>>,
}

impl Controller {
    /// A controller with settings of your own.
    #[must_use]
    pub fn builder() -> ControllerBuilder {
        ControllerBuilder::new()
    }

    /// Sends input to a session. When this returns, it is stored.
    ///
    /// # Errors
    /// It was not taken, and why.
    ///
    /// Dropping the future leaves open whether it was taken: send it again under the same key.
    pub async fn input(&self, input: impl Into<Input>) -> Result<InputReceipt, ControllerError> {
        let input = input.into();
        let session_id = input.session_id;
        let (reply, told) = oneshot::channel();
        let command = Command::Input { input, reply };
        self.tell(session_id, command).await?;
        told.await
            .unwrap_or(Err(ControllerError::NoSession { session_id }))
    }

    /// Stops the turn that runs. Its end is told with
    /// [`UiMessage::Complete`](crate::UiMessage::Complete); inputs that wait come next.
    ///
    /// # Errors
    /// There is no such session, or the CLI does not answer.
    ///
    /// Dropping the future does not take it back.
    pub async fn interrupt(&self, session_id: i64) -> Result<(), ControllerError> {
        let (reply, told) = oneshot::channel();
        self.tell(session_id, Command::Interrupt { reply }).await?;
        told.await
            .unwrap_or(Err(ControllerError::NoSession { session_id }))
    }

    /// Somebody else looks at a session, who has seen nothing of it: from the first event that the
    /// log has on, and then as it happens.
    ///
    /// # Errors
    /// There is no such session.
    ///
    /// Dropping the future leaves open whether the sink was taken.
    pub async fn watch(
        &self,
        session_id: i64,
        sink: impl EventSink,
    ) -> Result<Watch, ControllerError> {
        self.watch_in(session_id, UiProjection::new(session_id), sink)
            .await
    }

    /// The same in another dialect, such as a [`MobileProjection`](crate::MobileProjection): new
    /// ones see all that is kept, and ones that were put away go on where they were.
    ///
    /// # Errors
    /// There is no such session, or the dialect has seen more than happened in it.
    ///
    /// Dropping the future leaves open whether the sink was taken.
    pub async fn watch_in<D: Dialect>(
        &self,
        session_id: i64,
        dialect: D,
        sink: impl EventSink<D::Message>,
    ) -> Result<Watch, ControllerError> {
        self.listen(session_id, 0, dialect, sink).await
    }

    /// Somebody looks who may be cut off and come again, or who comes again: `after` is the number
    /// that rose last in the messages that came before, and 0 the first time. The dialect is a new
    /// one each time.
    ///
    /// A client keeps what has come when the number rises; when it is cut off it throws away what
    /// came since, and goes on from that number. Then it has what one has who was never cut off:
    /// see [`SequencedMessage`]. What the log has forgotten is said as a gap.
    ///
    /// ```no_run
    /// # async fn example(controller: claw_server::Controller, session: i64) -> Result<(), Box<dyn std::error::Error>> {
    /// use claw_server::UiProjection;
    ///
    /// let (mut after, mut kept, mut provisional) = (0, Vec::new(), Vec::new());
    /// while controller.sessions().contains(&session) {
    ///     let (sink, mut messages) = tokio::sync::mpsc::channel(64);
    ///     let dialect = UiProjection::new(session);
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
    /// There is no such session, or `after` is ahead of what happened in it. Of a session that has
    /// ended, read the log through a [`Sequenced`].
    ///
    /// Dropping the future leaves open whether the sink was taken.
    pub async fn resume<D: Dialect>(
        &self,
        session_id: i64,
        after: u64,
        dialect: D,
        sink: impl EventSink<SequencedMessage<D::Message>>,
    ) -> Result<Watch, ControllerError> {
        let dialect = Sequenced::new(dialect, after);
        self.listen(session_id, after, dialect, sink).await
    }

    async fn listen<D: Dialect>(
        &self,
        session_id: i64,
        after: u64,
        dialect: D,
        sink: impl EventSink<D::Message>,
    ) -> Result<Watch, ControllerError> {
        let (reply, told) = oneshot::channel();
        let command = Command::Watch {
            listener: Box::new(Spoken { dialect, sink }),
            after,
            reply,
        };
        self.tell(session_id, command).await?;
        told.await
            .unwrap_or(Err(ControllerError::NoSession { session_id }))
    }

    /// Where permissions are answered.
    pub fn permissions(&self) -> &dyn PermissionRegistry {
        self
    }

    /// Where questions are answered.
    pub fn interactions(&self) -> &dyn UserInteractionRegistry {
        self
    }

    /// The numbers of the sessions that are open, in order.
    pub fn sessions(&self) -> Vec<i64> {
        let mut ids: Vec<i64> = self.shared.sessions().keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    /// Closes a session: what runs may end first, for so long; then the CLI is ended. Of one that
    /// has ended already it says how.
    ///
    /// # Errors
    /// There is no such session, or it ended so long ago that nobody remembers.
    ///
    /// Dropping the future does not take it back.
    pub async fn close(
        &self,
        session_id: i64,
        grace: Duration,
    ) -> Result<Arc<SessionClosed>, ControllerError> {
        let Some(address) = self.shared.address(session_id) else {
            return self.shared.report(session_id);
        };
        address.close.within(grace);
        Ok(address.ended(session_id).await)
    }

    /// Waits until a session has ended, by itself or because somebody closed it, and says how. The
    /// last 1,024 ends are remembered.
    ///
    /// # Errors
    /// There is no such session, or it ended so long ago that nobody remembers.
    ///
    /// Dropping the future changes nothing.
    pub async fn ended(&self, session_id: i64) -> Result<Arc<SessionClosed>, ControllerError> {
        match self.shared.address(session_id) {
            Some(address) => Ok(address.ended(session_id).await),
            None => self.shared.report(session_id),
        }
    }

    /// Closes all sessions at once, and says of each how it ended. No other is opened any more.
    ///
    /// It returns when the CLIs have ended: at the latest when the time that was given is over, with
    /// some seconds more for each step of an end that a CLI, a log or a sink does not take by
    /// itself.
    ///
    /// Dropping the future does not take it back.
    pub async fn shutdown(&self, grace: Duration) -> Vec<Arc<SessionClosed>> {
        self.shared.is_shutting_down.store(true, Ordering::SeqCst);
        let open: BTreeMap<i64, Address> = {
            let sessions = self.shared.sessions();
            let open = sessions.iter();
            open.map(|(id, address)| (*id, address.clone())).collect()
        };
        let notices = &self.shared.notices;
        let count = open.len();
        notices.system(format!("shutting down: {count} sessions are closed"));
        let closing = open.into_iter().map(|(id, address)| {
            address.close.within(grace);
            address.ended(id)
        });
        let closed = futures_util::future::join_all(closing).await;
        notices.system("shut down: every session has ended".to_owned());
        closed
    }

    async fn tell(&self, session_id: i64, command: Command) -> Result<(), ControllerError> {
        let gone = ControllerError::NoSession { session_id };
        let Some(address) = self.shared.address(session_id) else {
            return Err(gone);
        };
        address.commands.send(command).await.map_err(|_| gone)
    }
}

impl Shared {
    fn reports(&self) -> MutexGuard<'_, VecDeque<Arc<SessionClosed>>> {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn used(&self) -> MutexGuard<'_, HashSet<i64>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<i64, Address>> {
        // Nothing in here panics half way.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Controller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Controller")
            .field("sessions", &self.sessions())
            .finish_non_exhaustive()
    }
}
