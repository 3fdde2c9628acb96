//! Starts sessions.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use rusty_claw_protocol::control::{
    ControlRequest, ControlResponse, InitializeRequest, PendingPrompts,
};
use rusty_claw_protocol::messages::{Message, ResultMessage};
use rusty_claw_protocol::{Json, Line, Str};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use tracing::Instrument;

use super::ledger::Ledger;
use super::mirroring::MirrorPlan;
use super::outcome::TurnOutcome;
use super::{Session, Shared};
use crate::error::{SessionError, StartError};
use crate::host::Host;
use crate::options::{Limits, Options};
use crate::pump::command::{Command, Status};
use crate::pump::message_queues::MessageQueues;
use crate::pump::unread::TurnNumber;
use crate::pump::{Pump, PumpParts};
use crate::stream::MessageStream;
use crate::transport::connection::{Connection, Transport};
use crate::transport::custody;

/// The parts of a session, once there is a connection.
pub(super) struct Beginning {
    pub(super) connection: Connection,
    pub(super) host: Host,
    pub(super) limits: Limits,
    pub(super) initialize: InitializeRequest,
    pub(super) mirror: Option<MirrorPlan>,
    pub(super) verbatim: bool,
    pub(super) ledger: Ledger,
    pub(super) queues: Arc<MessageQueues>,
    pub(super) turns: Vec<(Str, TurnNumber, oneshot::Sender<TurnOutcome>)>,
    pub(super) attach: Option<(u64, Vec<(Str, ControlRequest)>)>,
}

impl Session {
    /// Starts Claude Code and waits until it is ready.
    ///
    /// If many sessions start at once, the start waits in a queue first: see
    /// [`StartLimiter`](crate::StartLimiter).
    ///
    /// # Errors
    /// The CLI is missing, too old, does not know a flag, or ends or hangs before it is ready.
    ///
    /// Dropping the future leaves the queue, or ends the started CLI.
    pub async fn start(options: Options) -> Result<(Self, MessageStream), StartError> {
        if options.process.sweep_orphans {
            // End what an earlier program left behind before anything is started.
            custody::sweep_once().await;
        }
        Self::start_on(options.child_process(), options).await
    }

    /// Starts a session on a custom transport.
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
            queues: limits.queues(),
            turns: Vec::new(),
            attach: None,
            limits,
        };
        let (session, messages, _) = begin(beginning, started).await?;
        Ok((session, messages))
    }
}

/// The requests of the CLI that a reply lists as pending.
fn listed(pending: PendingPrompts) -> Vec<ControlRequest> {
    [pending.permissions, pending.dialogs, pending.elicitations]
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|message| match message {
            Message::ControlRequest { request, .. } => Some(request),
            _ => None,
        })
        .collect()
}

/// Starts the pump, sends `initialize` and waits for the reply. Also returns the requests that the
/// CLI listed as pending.
pub(super) async fn begin(
    beginning: Beginning,
    started: Instant,
) -> Result<(Session, MessageStream, Vec<ControlRequest>), StartError> {
    let Beginning {
        connection,
        host,
        limits,
        initialize,
        queues,
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
    host.mcp_servers.notify_with({
        let commands = commands.downgrade();
        move |message| {
            if let Some(commands) = commands.upgrade() {
                // The session may be over.
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
        // The id of the first request, which is sent below.
        initialize_id: Str::from(format!("{prefix}-0")),
        connection,
        queues: Arc::clone(&queues),
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
    let messages = MessageStream::new(Arc::clone(&queues), offset);
    let said = Json::from_serialize(&initialize).unwrap_or_default();
    let mut session = Session {
        shared: Arc::new(Shared {
            commands,
            status: status_seen,
            queues,
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
    let (payload, pending) = match answer {
        Ok(ControlResponse::Success {
            response, pending, ..
        }) => (response.unwrap_or_default(), listed(*pending)),
        Ok(ControlResponse::Error { error, .. }) => return Err(StartError::Refused { error }),
        Ok(other) => {
            return Err(StartError::Refused {
                error: format!("{other:?}"),
            });
        }
        Err(error) => return Err(not_ready(&session, error, messages, start_limit).await),
    };
    // A missing feature must fail the start, not a later turn.
    host.check(&payload)
        .map_err(|error| StartError::Refused { error })?;
    // From here on, dropping an attached session ends it, too.
    let _ = session.shared.commands.send(Command::Ready);
    // There is no other handle yet.
    if let Some(shared) = Arc::get_mut(&mut session.shared) {
        shared.initialized = payload;
        shared.control_limit = control_limit;
    }
    tracing::debug!(took = ?started.elapsed(), "the session is ready");
    Ok((session, messages, pending))
}

impl Session {
    /// The end of the CLI's standard error.
    pub(crate) async fn stderr_tail(&self) -> String {
        let (reply, tail) = oneshot::channel();
        let _ = self.shared.commands.send(Command::StderrTail { reply });
        tail.await.unwrap_or_default()
    }
}

/// Converts the error of `initialize` to a start error.
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
            // Some reasons are printed on standard output, as the result of a turn that never was.
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
