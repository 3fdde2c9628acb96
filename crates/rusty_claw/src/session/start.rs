//! How sessions begin.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use rusty_claw_protocol::control::{ControlRequest, ControlResponse, InitializeRequest};
use rusty_claw_protocol::messages::{Message, ResultMessage};
use rusty_claw_protocol::{Json, Line, Str};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use tracing::Instrument;

use super::mirroring::MirrorPlan;
use super::{Ledger, Session, Shared, TurnOutcome};
use crate::error::{SessionError, StartError};
use crate::host::Host;
use crate::options::{Limits, Options};
use crate::pump::{Command, Lane, Pump, PumpParts, Status, TurnNumber};
use crate::stream::MessageStream;
use crate::transport::{Connection, Transport, custody};

/// What a session is made of, once there is a connection.
pub(super) struct Beginning {
    pub(super) connection: Connection,
    pub(super) host: Host,
    pub(super) limits: Limits,
    pub(super) initialize: InitializeRequest,
    pub(super) mirror: Option<MirrorPlan>,
    pub(super) verbatim: bool,
    pub(super) ledger: Ledger,
    pub(super) lane: Arc<Lane>,
    pub(super) turns: HashMap<Str, (TurnNumber, oneshot::Sender<TurnOutcome>)>,
    pub(super) attach: Option<(u64, Vec<(Str, ControlRequest)>)>,
}

impl Session {
    /// Starts Claude Code and gets it ready.
    ///
    /// If many sessions start at once, the start waits in a queue first: see
    /// [`StartLimiter`](crate::StartLimiter).
    ///
    /// # Errors
    /// The CLI is missing, too old, does not know an option, or ends or hangs before it is ready.
    ///
    /// Dropping the future leaves the queue, or ends the started CLI.
    pub async fn start(options: Options) -> Result<(Self, MessageStream), StartError> {
        if options.process.sweep_orphans {
            // What an earlier program left behind must not outlive the next start.
            custody::sweep_once().await;
        }
        Self::start_on(options.child_process(), options).await
    }

    /// Starts a session on a transport of your own.
    ///
    /// # Errors
    /// The transport fails, or the CLI ends or hangs before it is ready.
    ///
    /// Dropping the future leaves nothing running.
    pub async fn start_on(
        transport: impl Transport,
        options: Options,
    ) -> Result<(Self, MessageStream), StartError> {
        let limits = options.limits.clone();
        let (mut launch, files) = options.launch()?;
        let mirror = MirrorPlan::make(&options, &mut launch).await?;
        let _starting = match &limits.limiter {
            Some(limiter) => limiter.acquire().await,
            None => None,
        };
        // The store has its own timeouts and the queue has none, so the start timeout begins here.
        let started = Instant::now();
        let mut ledger = Ledger::default();
        if !options.resumes() {
            ledger.starts_at_zero();
        }
        let opening = Box::new(transport).open(launch);
        let connection = tokio::time::timeout(limits.start, opening)
            .await
            .map_err(|_| timed_out(limits.start, String::new()))??;
        let initialize = options.initialize();
        let verbatim = options.prompt.verbatim;
        let beginning = Beginning {
            connection: files.kept_by(connection),
            host: options.host,
            initialize,
            mirror,
            verbatim,
            ledger,
            lane: limits.lane(),
            turns: HashMap::new(),
            attach: None,
            limits,
        };
        begin(beginning, started).await
    }
}

/// Starts the pump, says the first word and waits for the answer.
pub(super) async fn begin(
    beginning: Beginning,
    started: Instant,
) -> Result<(Session, MessageStream), StartError> {
    let Beginning {
        connection,
        host,
        limits,
        initialize,
        lane,
        ..
    } = beginning;
    let pid = connection.custody.pid();
    let (commands, received) = mpsc::unbounded_channel();
    let (status, status_seen) = watch::channel(Status::default());
    let offset = beginning.attach.as_ref().map_or(0, |(offset, _)| *offset);
    let start_limit = limits.start;
    let control_limit = limits.control;
    let idle_limit = limits.idle;
    let mut host = host;
    host.notify_with({
        let commands = commands.downgrade();
        move |message| {
            if let Some(commands) = commands.upgrade() {
                // A session that is over has nobody to tell.
                let _ = commands.send(Command::Notify {
                    message: Box::new(message),
                });
            }
        }
    });
    let host = Arc::new(host);
    let mirror = beginning
        .mirror
        .map(|plan| plan.start(commands.downgrade()));
    let prefix = uuid::Uuid::new_v4().simple().to_string();
    let prefix = Str::from(prefix.get(..8).unwrap_or(&prefix));
    let pump = Pump::new(PumpParts {
        // The first request that is asked below.
        initialize_id: Str::from(format!("{prefix}-0")),
        connection,
        lane: Arc::clone(&lane),
        commands: received,
        status,
        host: Arc::clone(&host),
        limits,
        mirror,
        ledger: beginning.ledger,
        turns: beginning.turns,
        attach: beginning.attach,
    });
    let span = tracing::info_span!("claude_session", pid);
    tokio::spawn(pump.run().instrument(span));
    let messages = MessageStream::new(Arc::clone(&lane), offset);
    let said = Json::from_serialize(&initialize).unwrap_or_default();
    let mut session = Session {
        shared: Arc::new(Shared {
            commands,
            status: status_seen,
            lane,
            initialize: said,
            initialized: Json::default(),
            host: Arc::downgrade(&host),
            verbatim: beginning.verbatim,
            idle_limit,
            pid,
            control_limit: start_limit.saturating_sub(started.elapsed()),
            id_prefix: prefix,
            next_id: AtomicU64::new(0),
        }),
    };
    let answer = session.ask("initialize", initialize.into()).await;
    let payload = match answer {
        Ok(ControlResponse::Success { response, .. }) => response.unwrap_or_default(),
        Ok(ControlResponse::Error { error, .. }) => return Err(StartError::Refused { error }),
        Ok(other) => {
            return Err(StartError::Refused {
                error: format!("{other:?}"),
            });
        }
        Err(error) => return Err(not_ready(&session, error, messages, start_limit).await),
    };
    // What this host counts on and the CLI cannot do is not found out in mid-turn.
    host.check(&payload)
        .map_err(|error| StartError::Refused { error })?;
    // From here on, dropping the session ends it.
    let _ = session.shared.commands.send(Command::Ready);
    // Nobody else has a handle yet.
    if let Some(shared) = Arc::get_mut(&mut session.shared) {
        shared.initialized = payload;
        shared.control_limit = control_limit;
    }
    tracing::debug!(took = ?started.elapsed(), "the session is ready");
    Ok((session, messages))
}

impl Session {
    /// The last of what the CLI printed on standard error.
    pub(crate) async fn stderr_tail(&self) -> String {
        let (reply, told) = oneshot::channel();
        let _ = self.shared.commands.send(Command::StderrTail { reply });
        told.await.unwrap_or_default()
    }
}

/// Why a CLI did not get ready.
async fn not_ready(
    session: &Session,
    error: SessionError,
    mut messages: MessageStream,
    limit: Duration,
) -> StartError {
    match error {
        SessionError::Over {
            exit, stderr_tail, ..
        } => {
            // Some reasons are given on standard output, as the result of a turn that never was.
            let mut said = None;
            while let Some(line) = messages.next().await {
                if let Line::Message(received) = line
                    && let Message::Result(ResultMessage::Error { error, .. }) = received.message
                {
                    said = Some(error);
                }
            }
            StartError::Ended {
                exit,
                said,
                stderr_tail,
            }
        }
        SessionError::TimedOut { .. } => timed_out(limit, session.stderr_tail().await),
        other => StartError::Refused {
            error: other.to_string(),
        },
    }
}

pub(super) fn timed_out(after: Duration, stderr_tail: String) -> StartError {
    StartError::TimedOut {
        after,
        option: "start_timeout",
        stderr_tail,
    }
}
