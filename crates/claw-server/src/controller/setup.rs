//! Settings of a session to open.

use std::path::PathBuf;

use rusty_claw::transport::Transport;
use rusty_claw::{BoxFuture, MessageStream, Options, Session, StartError};

use super::forwarder::{DialectSink, Listener};
use crate::event::SessionEvent;
use crate::projection::UiProjection;
use crate::sink::EventSink;

pub(super) const TENANT: &str = "";

/// A session to open: how to start the CLI, and which sinks watch it.
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

/// Creates a listener for the session with this id, starting after this sequence.
type Listen = Box<dyn FnOnce(i64, u64) -> Box<dyn Listener> + Send>;
type Started = Result<(Session, MessageStream), StartError>;
pub(super) type Start = Box<dyn FnOnce(Options) -> BoxFuture<'static, Started> + Send>;

impl SessionSetup {
    /// A session with these options. The controller handles permissions, elicitations and dialogs:
    /// handlers for them in the options are replaced.
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

    /// Uses this transport instead of starting a process.
    #[must_use]
    pub fn on(mut self, transport: impl Transport) -> Self {
        self.start = Box::new(|options| Box::pin(Session::start_on(transport, options)));
        self
    }

    /// Sets the id of the session. By default, the controller chooses one that it has not used. Use
    /// the id of an ended session only to continue it with its [history](SessionSetup::history):
    /// clients that resume it must not see another session.
    #[must_use]
    pub fn id(mut self, session_id: i64) -> Self {
        self.id = Some(session_id);
        self
    }

    /// Sets the tenant, which selects the policy. Sessions of a tenant share grants.
    #[must_use]
    pub fn tenant(mut self, tenant: impl Into<String>) -> Self {
        self.tenant = tenant.into();
        self
    }

    /// Sets the folder in which the agent works. By default, that of the options, or else the
    /// current one. Rules and grants for relative paths refer to it.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Sets what `~` means in rules and requests. Without it, such paths require confirmation.
    #[must_use]
    pub fn home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// Adds a sink that watches the session until it is closed or the session ends. One that blocks
    /// the session and accepts nothing for
    /// [`ControllerBuilder::sink_timeout`](crate::ControllerBuilder::sink_timeout) is dropped, and
    /// counted in [`SessionClosed::sinks_behind`](crate::SessionClosed::sinks_behind). Call this
    /// again for more sinks. Later, add sinks with [`Controller::watch`](crate::Controller::watch),
    /// or with [`Controller::resume`](crate::Controller::resume) if they may be disconnected.
    #[must_use]
    pub fn sink(mut self, sink: impl EventSink) -> Self {
        self.sinks.push(Box::new(|session_id, seen| {
            let dialect = UiProjection::new(session_id).beginning_behind(seen);
            Box::new(DialectSink { dialect, sink })
        }));
        self
    }

    /// Sets the previous events of the session: all of them, from the log. The session continues as
    /// a new owner. What the previous owner left open is ended first; inputs that were stored but
    /// not delivered are delivered. The options must resume the conversation. Events that have gaps
    /// or differ from the log are rejected.
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
