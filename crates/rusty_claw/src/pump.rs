//! The loop that runs a session: reads lines and routes each of them.
//!
//! Each session has one task. It never waits for user code: messages go to a [`MessageQueues`], callbacks
//! run in their own tasks, and another task writes. Every event is an arm of one `select!`, so a
//! flood on one side does not starve the others.

mod calls;
mod close;
mod closing;
pub(crate) mod command;
mod commands;
mod ending;
mod lines;
pub(crate) mod message_queues;
mod output;
pub(crate) mod queue;
pub(crate) mod queue_state;
mod read;
mod route;
pub(crate) mod spill;
mod timing;
mod tools;
pub(crate) mod unread;
mod writer;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::{ControlRequest, ControlResponse};
use rusty_claw_protocol::messages::SessionWritesLostMessage;
use tokio::io::AsyncRead;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use tracing::field;

use self::calls::Calls;
use self::closing::Closing;
use self::command::{Command, Status};
use self::message_queues::MessageQueues;
use self::read::read_some;
use self::timing::Timing;
use self::tools::RunningTools;
use self::unread::{TurnNumber, Unread};
use self::writer::Writer;
use crate::error::SessionError;
use crate::framing::LineFramer;
use crate::host::Host;
use crate::options::limits::Limits;
use crate::session::end::EndCause;
use crate::session::ledger::{Ledger, Resolved};
use crate::session::mirroring::RunningMirror;
use crate::session::outcome::TurnOutcome;
use crate::transport::connection::{Connection, Custody};
use crate::transport::exit::Exit;

#[cfg(test)]
pub(crate) use self::timing::{REST, STOP};

pub(crate) struct Pump {
    reader: Box<dyn AsyncRead + Send + Unpin>,
    lines: LineFramer,
    /// Bytes of the CLI's output up to the end of the last whole line.
    offset: u64,
    custody: Box<dyn Custody>,
    /// Whether there is a process. Custody returns no pid once the process was waited for.
    has_process: bool,
    writer: Writer,
    queues: Arc<MessageQueues>,
    _closes_queues: CloseOnDrop,
    batch: Vec<Unread>,
    commands: mpsc::UnboundedReceiver<Command>,
    status: watch::Sender<Status>,
    host: Arc<Host>,
    calls: Calls,
    /// Requests that an attached session reads before it is initialized: see `route`.
    replayed: Option<Vec<(Str, ControlRequest)>>,
    pending: HashMap<Str, oneshot::Sender<Result<ControlResponse, SessionError>>>,
    ledger: Ledger,
    /// In the order in which they began, which is mostly the order in which they end.
    turns: VecDeque<OpenTurn>,
    /// Outcomes that are sent once the reader has the lines they come from.
    resolved: Vec<Resolved>,
    /// Number of sent requests whose responses are ignored.
    unheard: u64,
    /// Number of requests to stop a turn that timed out.
    stops: u64,
    /// The id of the first request.
    initialize_id: Str,
    /// Whether this host is attaching to a session and is not ready yet.
    attaching: bool,
    commands_in_a_row: u32,
    /// Status changes that are published once the reader has the lines they come from.
    next_status: NextStatus,
    timing: Timing,
    tools: RunningTools,
    limits: Limits,
    closing: Option<Closing>,
    mirror: Option<RunningMirror>,
    /// The CLI's report of session data that it could not write.
    writes_lost: Option<Box<SessionWritesLostMessage>>,
    /// Whether the queues were full at the last check.
    stalled: bool,
    exit: Option<Exit>,
    output_over: bool,
}

/// Maximum number of commands in a row before other events are handled.
const MANY_COMMANDS: u32 = 64;

/// Closes the stream of messages even if the pump is dropped, with its runtime or by a panic.
struct CloseOnDrop(Arc<MessageQueues>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Pending changes of the [`Status`].
#[derive(Debug, Default)]
struct NextStatus {
    session_id: Option<Str>,
    idle: Option<bool>,
    background_tasks: Option<usize>,
}

/// A turn without an outcome.
struct OpenTurn {
    id: Str,
    number: TurnNumber,
    outcome: oneshot::Sender<TurnOutcome>,
    /// Closed when the turn has its outcome. Contains no text of the prompt.
    span: tracing::Span,
}

impl OpenTurn {
    fn new(id: Str, number: TurnNumber, outcome: oneshot::Sender<TurnOutcome>) -> Self {
        let span = tracing::info_span!("turn", id = id.as_str(), outcome = field::Empty);
        Self {
            id,
            number,
            outcome,
            span,
        }
    }
}

pub(crate) struct PumpParts {
    pub(crate) connection: Connection,
    pub(crate) queues: Arc<MessageQueues>,
    pub(crate) commands: mpsc::UnboundedReceiver<Command>,
    pub(crate) status: watch::Sender<Status>,
    pub(crate) host: Arc<Host>,
    pub(crate) limits: Limits,
    pub(crate) mirror: Option<RunningMirror>,
    pub(crate) ledger: Ledger,
    /// The id of the first request, which distinguishes its reply from replies to an earlier host.
    pub(crate) initialize_id: Str,
    /// Senders for the outcomes of turns that an earlier host began.
    pub(crate) turns: Vec<(Str, TurnNumber, oneshot::Sender<TurnOutcome>)>,
    /// If it takes over from another pump: the offset in the CLI's output at which it begins, and
    /// the requests that were open there.
    pub(crate) attach: Option<(u64, Vec<(Str, ControlRequest)>)>,
}

impl Pump {
    pub(crate) fn new(parts: PumpParts) -> Self {
        let (offset, replayed) = match parts.attach {
            Some((offset, calls)) => (offset, Some(calls)),
            None => (0, None),
        };
        let attaching = replayed.is_some();
        let mut timing = Timing::new(&parts.limits);
        let mut turns = VecDeque::new();
        for (id, number, outcome) in parts.turns {
            timing.turn_began(id.clone());
            turns.push_back(OpenTurn::new(id, number, outcome));
        }
        let closes_queues = CloseOnDrop(Arc::clone(&parts.queues));
        Self {
            reader: parts.connection.reader,
            lines: lines::framer(parts.limits.line),
            offset,
            has_process: parts.connection.custody.pid().is_some(),
            custody: parts.connection.custody,
            writer: Writer::spawn(parts.connection.writer),
            queues: parts.queues,
            _closes_queues: closes_queues,
            batch: Vec::new(),
            commands: parts.commands,
            status: parts.status,
            host: parts.host,
            calls: Calls::default(),
            replayed,
            pending: HashMap::new(),
            ledger: parts.ledger,
            turns,
            resolved: Vec::new(),
            unheard: 0,
            stops: 0,
            initialize_id: parts.initialize_id,
            attaching,
            commands_in_a_row: 0,
            next_status: NextStatus::default(),
            timing,
            tools: RunningTools::default(),
            limits: parts.limits,
            closing: None,
            mirror: parts.mirror,
            writes_lost: None,
            stalled: false,
            exit: None,
            output_over: false,
        }
    }

    /// Runs the session to its end.
    ///
    /// Dropping the future kills the process without a graceful shutdown.
    pub(crate) async fn run(mut self) {
        while !self.is_over() {
            self.check_queues();
            let wakeup = self.next_wakeup();
            // Commands first, then answered requests and the exit, then output. Time comes last, so
            // that a deadline never cuts off output that can still be read. A flood of output must
            // not stop the timers, so they are checked here too.
            let now = Instant::now();
            if wakeup.is_some_and(|wakeup| wakeup <= now) {
                self.on_time(now);
            }
            tokio::select! {
                biased;
                command = self.commands.recv(), if self.takes_commands() => {
                    self.commands_in_a_row += 1;
                    match command {
                        // Too late: the caller gets an error that the session is over.
                        Some(Command::Detach { .. }) if self.closing.is_some() || self.exit.is_some() => {}
                        Some(Command::Detach { state }) => match self.custody.release() {
                            Ok(()) => return self.detach(Some(state)).await,
                            Err(error) => drop(state.send(Err(error))),
                        },
                        Some(command) => {
                            self.on_command(command);
                            self.deliver().await;
                        }
                        // The attached session was never used: leave it to its holder, if possible.
                        None if self.attaching && self.custody.release().is_ok() => {
                            return self.detach(None).await;
                        }
                        // The last handle is gone.
                        None => self.begin_closing(EndCause::Closed, None),
                    }
                }
                () = self.calls.ended() => self.timing.heard(),
                exit = self.custody.exited(), if self.exit.is_none() => self.on_exit(exit),
                read = read_some(&mut self.reader, &mut self.lines), if !self.output_over && !self.stalled => {
                    self.on_read(read).await;
                }
                // The program reads messages again, so the idle timeout restarts.
                () = self.queues.room(), if self.stalled => self.timing.heard(),
                // A CLI that accepts no input is useless.
                () = self.writer.broken(), if self.closing.is_none() && self.exit.is_none() => {
                    self.begin_closing(EndCause::Lost, None);
                }
                // After many commands in a row, handle what else is ready, then continue.
                () = std::future::ready(()), if self.commands_in_a_row >= MANY_COMMANDS => {
                    self.commands_in_a_row = 0;
                }
                () = sleep_until(wakeup) => self.on_quiet(),
            }
        }
        self.finish().await;
    }

    fn takes_commands(&self) -> bool {
        self.commands_in_a_row < MANY_COMMANDS
            && self.closing.as_ref().is_none_or(Closing::takes_commands)
    }

    /// Whether the process has ended and its output was read.
    fn is_over(&self) -> bool {
        self.output_over && self.exit.is_some()
    }

    /// Stops and resumes reading as the queues fill and drain.
    fn check_queues(&mut self) {
        // A session that is being closed must reach its end; its remaining output is short. So must
        // one that stops a turn: the response comes after the other output.
        let full = self.closing.is_none()
            && self.exit.is_none()
            && !self.timing.is_stopping()
            && self.queues.is_full();
        if full && !self.stalled {
            self.queues.count_stall();
            tracing::warn!(
                "too many messages wait to be read: the CLI's output is left alone until some are"
            );
        }
        self.stalled = full;
    }

    fn on_exit(&mut self, exit: Exit) {
        tracing::debug!(%exit, "the CLI ended");
        self.exit = Some(exit);
        // Read what is left in the pipe, but not for ever: a child that the CLI left behind may
        // hold the pipe open.
        self.timing.process_gone();
    }

    fn resolve(&mut self, resolved: impl IntoIterator<Item = Resolved>) {
        for (id, outcome) in resolved {
            tracing::debug!(turn = id.as_str(), outcome = outcome.name(), "a turn ended");
            self.timing.turn_ended(&id);
            let at = self.turns.iter().position(|turn| turn.id == id);
            if let Some(turn) = at.and_then(|at| self.turns.remove(at)) {
                turn.span.record("outcome", outcome.name());
                self.queues.end_turn(turn.number);
                // The receiver may be gone.
                let _ = turn.outcome.send(outcome);
            }
        }
    }
}

async fn sleep_until(wakeup: Option<Instant>) {
    match wakeup {
        Some(wakeup) => tokio::time::sleep_until(wakeup).await,
        None => std::future::pending().await,
    }
}
