//! How a session is opened.

use std::path::PathBuf;

use rusty_claw::transport::Transport;
use rusty_claw::{BoxFuture, MessageStream, Options, Session, StartError};

use super::forwarder::{Listener, Spoken};
use crate::event::SessionEvent;
use crate::projection::UiProjection;
use crate::sink::EventSink;

/// The tenant of a session that names none.
pub(super) const TENANT: &str = "";

/// A session to be opened: what the CLI is started with, and who looks at it.
///
/// ```no_run
/// use claw_server::{SessionSetup, UiMessage};
/// use rusty_claw::Options;
///
/// let (sink, messages) = tokio::sync::mpsc::channel::<UiMessage>(64);
/// let setup = SessionSetup::new(Options::new())
///     .folder("/srv/app")
///     .tenant("ada")
///     .sink(sink);
/// # let _ = (setup, messages);
/// ```
pub struct SessionSetup {
    pub(super) options: Options,
    pub(super) id: Option<i64>,
    pub(super) tenant: String,
    pub(super) folder: Option<PathBuf>,
    pub(super) home: Option<PathBuf>,
    pub(super) sinks: Vec<Listen>,
    pub(super) history: Vec<SessionEvent>,
    pub(super) start: Start,
}

/// Begins to listen to a session of this number, behind this sequence.
type Listen = Box<dyn FnOnce(i64, u64) -> Box<dyn Listener> + Send>;
type Started = Result<(Session, MessageStream), StartError>;
pub(super) type Start = Box<dyn FnOnce(Options) -> BoxFuture<'static, Started> + Send>;

impl SessionSetup {
    /// A session with these options. Who answers permissions, elicitations and dialogs is the
    /// controller's business: handlers for them in the options are replaced.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            id: None,
            tenant: TENANT.to_owned(),
            folder: None,
            home: None,
            sinks: Vec::new(),
            history: Vec::new(),
            start: Box::new(|options| Box::pin(Session::start(options))),
        }
    }

    /// Reaches the CLI this way, instead of starting a process.
    #[must_use]
    pub fn on(mut self, transport: impl Transport) -> Self {
        self.start = Box::new(|options| Box::pin(Session::start_on(transport, options)));
        self
    }

    /// What clients call the session. The controller finds a number unless set: one that no session
    /// of it had before. The number of a session that has ended is for going on with it, with its
    /// [history](SessionSetup::history): those who come again to it must not see another one.
    #[must_use]
    pub fn id(mut self, session_id: i64) -> Self {
        self.id = Some(session_id);
        self
    }

    /// Whose session it is: by this the policy is chosen, and grants are shared.
    #[must_use]
    pub fn tenant(mut self, tenant: impl Into<String>) -> Self {
        self.tenant = tenant.into();
        self
    }

    /// The folder in which the agent works: that of the options unless set, and the program's own if
    /// they have none. Rules and grants about paths are judged from here.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// What `~` means in rules and requests of the session. Without it, such paths are asked for.
    #[must_use]
    pub fn home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// Somebody who looks at the session from now on, until the sink is closed or the session ends.
    /// One that holds up the session and takes nothing for
    /// [`ControllerBuilder::sink_timeout`](crate::ControllerBuilder::sink_timeout) is dropped, and
    /// counted in [`SessionClosed::sinks_behind`](crate::SessionClosed::sinks_behind).
    /// Call it again for more; others can come later, see
    /// [`Controller::watch`](crate::Controller::watch), and those who may be cut off come with
    /// [`Controller::resume`](crate::Controller::resume).
    #[must_use]
    pub fn sink(mut self, sink: impl EventSink) -> Self {
        self.sinks.push(Box::new(|session_id, seen| {
            let dialect = UiProjection::new(session_id).beginning_behind(seen);
            Box::new(Spoken { dialect, sink })
        }));
        self
    }

    /// What happened in the session before, all of it, from the log: it goes on from there, as a
    /// new owner. What was left open by the owner before is ended first; inputs that were stored
    /// and not delivered are delivered. The options must say how to resume the conversation. Events
    /// that do not follow each other, or that are not what the log has, are refused.
    #[must_use]
    pub fn history(mut self, events: impl IntoIterator<Item = SessionEvent>) -> Self {
        self.history = events.into_iter().collect();
        self
    }
}

impl std::fmt::Debug for SessionSetup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionSetup")
            .field("id", &self.id)
            .field("tenant", &self.tenant)
            .field("sinks", &self.sinks.len())
            .field("history", &self.history.len())
            .finish_non_exhaustive()
    }
}
