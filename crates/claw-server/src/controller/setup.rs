//! Settings of a session to open.

use std::path::{Path, PathBuf};

use rusty_claw::permission::PermissionMode;
use rusty_claw::sessions::SessionLibrary;
use rusty_claw::transport::Transport;
use rusty_claw::{Attached, BoxFuture, Detached, MessageStream, Options, Session, StartError};
use rusty_claw_protocol::Json;

use super::forwarder::{DialectSink, Listener};
use super::parking::Parking;
use super::rest::ReadRest;
use super::state::SessionRecord;
use crate::projection::UiProjection;
use crate::session_id::SessionId;
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
    pub(super) id: Option<SessionId>,
    pub(super) number: Option<i64>,
    pub(super) tenant: String,
    pub(super) folder: Option<PathBuf>,
    pub(super) home: Option<PathBuf>,
    pub(super) sinks: Vec<Listen>,
    pub(super) continues: bool,
    pub(super) epoch: Option<u64>,
    pub(super) stored_options: Option<Json>,
    pub(super) prepare: Option<Prepare>,
    pub(super) rest: Option<ReadRest>,
    pub(super) start: Start,
    pub(super) parks: Option<PermissionMode>,
    pub(super) repeats_calls: bool,
    /// Whether the CLI outlives this process.
    pub(super) is_held: bool,
}

/// Creates a listener for the session with this number, starting after this sequence.
type Listen = Box<dyn FnOnce(i64, u64) -> Box<dyn Listener> + Send>;
pub(super) type Prepare =
    Box<dyn FnOnce(Option<String>) -> BoxFuture<'static, Result<(), StartError>> + Send>;
type Started = Result<(Session, MessageStream), StartError>;
type Attaches = Box<dyn FnOnce(Options, Detached) -> BoxFuture<'static, AttachResult> + Send>;
type AttachResult = Result<Attached, StartError>;

/// How the CLI is reached.
pub(super) enum Start {
    New(Box<dyn FnOnce(Options) -> BoxFuture<'static, Started> + Send>),
    Attach(Attaches),
}

impl SessionSetup {
    /// A session with these options. The controller handles permissions, elicitations and dialogs:
    /// handlers for them in the options are replaced.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            id: None,
            number: None,
            tenant: TENANT.to_owned(),
            folder: None,
            home: None,
            sinks: Vec::new(),
            continues: false,
            epoch: None,
            stored_options: None,
            prepare: None,
            rest: None,
            parks: None,
            repeats_calls: true,
            start: Start::New(Box::new(|options| Box::pin(Session::start(options)))),
            is_held: false,
        }
    }

    /// Uses this transport instead of starting a process.
    #[must_use]
    pub fn on(mut self, transport: impl Transport) -> Self {
        self.start = Start::New(Box::new(|options| {
            Box::pin(Session::start_on(transport, options))
        }));
        self
    }

    /// Uses a transport to a CLI that outlives this process, so that a later owner can
    /// [attach](SessionSetup::attach) to it. Its events carry [offsets](crate::SessionEvent::offset).
    #[must_use]
    pub fn on_held(mut self, transport: impl Transport) -> Self {
        self.is_held = true;
        self.on(transport)
    }

    /// Continues the session with this id on the CLI that it was [started](SessionSetup::on_held)
    /// with, which still runs. `make` returns a transport that serves the CLI's output from the
    /// given offset on.
    ///
    /// Nothing is ended: the turn goes on, inputs in flight keep their ids, and interactions stay
    /// open if the CLI still waits for them; the others are withdrawn. The answer to an interaction
    /// is sent again if the CLI has not received it. An input that was stored and is not known to
    /// be delivered is written again with the same id, so the transport must write each input once.
    ///
    /// Until then, nobody answers the CLI. It waits at requests for permission and at dialogs, as
    /// it does for a person. It also waits, and may fail, at the hooks and the in-process MCP
    /// servers of the options: the controller registers none, and the options of a session that
    /// may be attached to should have none, except PreToolUse hooks with an explicit timeout.
    ///
    /// [`Controller::open`](crate::Controller::open) returns
    /// [`NotRunning`](crate::ControllerError::NotRunning) or
    /// [`Attach`](crate::ControllerError::Attach) if there is no such CLI, and nothing is recorded
    /// then.
    #[must_use]
    pub fn attach<T: Transport>(
        mut self,
        session_id: SessionId,
        make: impl FnOnce(u64) -> T + Send + 'static,
    ) -> Self {
        self.is_held = true;
        self.start = Start::Attach(Box::new(|options, from| {
            let transport = make(from.offset);
            Box::pin(Session::attach(transport, options, from))
        }));
        self.reopen(session_id)
    }

    /// Sets the id of the session. By default, it is random. To continue a session,
    /// [reopen](SessionSetup::reopen) it.
    #[must_use]
    pub fn id(mut self, session_id: SessionId) -> Self {
        self.id = Some(session_id);
        self
    }

    /// Sets the number of the session in [`UiMessage`](crate::UiMessage)s, unique among the sessions
    /// of its tenant and below 2^53. By default, the controller counts its sessions.
    #[must_use]
    pub fn number(mut self, number: i64) -> Self {
        self.number = Some(number);
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
        self.sinks.push(Box::new(|number, seen| {
            let dialect = UiProjection::new(number).beginning_behind(seen);
            Box::new(DialectSink { dialect, sink })
        }));
        self
    }

    /// Continues the session with this id from its log, as a new owner: from the latest checkpoint
    /// and the events after it. What the previous owner left open is ended first; inputs that were
    /// stored but not delivered are delivered; grants for the session apply again. The CLI
    /// resumes the conversation by its recorded id. A session without events is new.
    #[must_use]
    pub fn reopen(mut self, session_id: SessionId) -> Self {
        self.id = Some(session_id);
        self.continues = true;
        self
    }

    /// Sets a function that is called before the CLI starts, and before its session files are read.
    /// It receives the CLI's id of the conversation in the log, if there is one, and can restore
    /// its files. If it fails, the session does not start.
    #[must_use]
    pub fn prepare<F>(mut self, prepare: impl FnOnce(Option<String>) -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<(), StartError>> + Send + 'static,
    {
        self.prepare = Some(Box::new(|conversation| Box::pin(prepare(conversation))));
        self
    }

    /// Sets a function that reads the output of the last CLI from an offset to its end. Set this for
    /// a CLI that [outlived](SessionSetup::on_held) its owner and has exited: what it printed is
    /// recorded before its turn ends.
    #[must_use]
    pub fn rest<F>(mut self, read: impl FnOnce(u64) -> F + Send + 'static) -> Self
    where
        F: Future<Output = std::io::Result<Vec<u8>>> + Send + 'static,
    {
        self.rest = Some(Box::new(|offset| Box::pin(read(offset))));
        self
    }

    /// Sets the epoch of this ownership, which a store assigned. By default, it is the next one
    /// after that of the last event.
    #[must_use]
    pub fn epoch(mut self, epoch: u64) -> Self {
        self.epoch = Some(epoch);
        self
    }

    /// Lets a permission, a question or a plan wait without a process: if the CLI is lost, put to
    /// sleep or [parked](crate::Controller::park) while it waits, the interaction stays open, and the
    /// CLI asks for it again when the session is opened. Pass the permission mode of the session; the
    /// CLI must be started in this mode again.
    #[must_use]
    pub fn parks(mut self, mode: PermissionMode) -> Self {
        self.parks = Some(mode);
        self
    }

    /// Sets whether the CLI asks for a parked call again when it is resumed (default: true, as
    /// observed for 2.1.325). If not, an interaction that waits without a process is asked again by
    /// a continued turn, which calls the model. The answer is used if the model makes the same call
    /// with the same input.
    #[must_use]
    pub fn repeats_calls(mut self, yes: bool) -> Self {
        self.repeats_calls = yes;
        self
    }

    /// How the calls of the session are parked.
    pub(super) fn parking(&self, record: &SessionRecord) -> Option<Parking> {
        let mode = self.parks.clone()?;
        let folder = self.working_folder(record)?;
        let library = self.library(record)?;
        Some(Parking {
            library,
            folder,
            mode,
            repeats_calls: self.repeats_calls,
        })
    }

    /// The session files of the folder in which the agent works.
    pub(super) fn library(&self, record: &SessionRecord) -> Option<SessionLibrary> {
        let library = self.options.session_library().ok()?;
        let folder = self.working_folder(record)?;
        Some(library.in_dir(folder).without_worktrees())
    }

    fn working_folder(&self, record: &SessionRecord) -> Option<PathBuf> {
        let opened = record.opened.as_ref();
        let recorded = opened.map(|opened| Path::new(&opened.folder));
        let given = self.folder.as_deref().or(self.options.working_folder());
        given.or(recorded).map(Path::to_owned)
    }

    /// Sets options to store with the session, such as its model and its tools, for a program that
    /// opens it again.
    #[must_use]
    pub fn stored_options(mut self, options: Json) -> Self {
        self.stored_options = Some(options);
        self
    }
}

impl std::fmt::Debug for SessionSetup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionSetup")
            .field("id", &self.id)
            .field("tenant", &self.tenant)
            .field("sinks", &self.sinks.len())
            .field("continues", &self.continues)
            .finish_non_exhaustive()
    }
}
