//! The loop that runs a session: lines come in, each goes where it belongs.
//!
//! One task for each session. It never waits for a stranger: messages go to a [`Lane`], callbacks
//! run in tasks of their own, and another task writes. Whatever can wake it is one arm of one
//! `select!`, so a flood on one side starves nobody on another.

mod calls;
mod closing;
mod commands;
mod ending;
mod lane;
mod lines;
mod reading;
mod route;
mod spill;
mod timing;
mod tools;
mod writer;

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::{ControlRequest, ControlResponse, McpMessage};
use rusty_claw_protocol::messages::{SessionWritesLostMessage, UserMessage};
use tokio::io::AsyncRead;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use tracing::field;

use self::calls::Calls;
use self::closing::Closing;
use self::lines::Lines;
use self::reading::read_some;
use self::timing::Timing;
use self::tools::RunningTools;
use self::writer::Writer;
use crate::error::SessionError;
use crate::framing::Frame;
use crate::host::Host;
use crate::options::Limits;
use crate::session::{
    CloseReport, ConfigDir, EndCause, Ledger, Resolved, SessionEnd, StoreLane, TurnOutcome,
};
use crate::transport::{Connection, Custody, Exit};

pub(crate) use self::ending::over;
pub use self::lane::LaneCounts;
pub(crate) use self::lane::{Front, Lane, SESSION, TurnNumber, Unread};
pub(crate) use self::spill::ReadAt;
#[cfg(test)]
pub(crate) use self::timing::{REST, STOP};

/// What a handle asks of the pump.
pub(crate) enum Command {
    /// Ask the CLI something.
    Request {
        id: Str,
        request: Box<ControlRequest>,
        reply: oneshot::Sender<Result<ControlResponse, SessionError>>,
    },
    /// Send on a message of an in-process MCP server. Nobody waits for an answer.
    Notify { message: Box<McpMessage> },
    /// Nobody waits for that answer any more.
    Forget { id: Str },
    /// Send a prompt. The sender is told once it is written.
    Prompt {
        id: Str,
        number: TurnNumber,
        message: Box<UserMessage>,
        outcome: oneshot::Sender<TurnOutcome>,
        written: oneshot::Sender<()>,
    },
    /// The host is ready to go on with a session that it took over.
    Ready,
    /// What has the CLI printed on standard error?
    StderrTail { reply: oneshot::Sender<String> },
    /// Tell the reader something that the CLI did not print.
    Tell { raw: Bytes },
    /// End the session.
    Close {
        report: oneshot::Sender<CloseReport>,
    },
    /// Let go of the session, and leave it running.
    Detach {
        state: oneshot::Sender<Result<PumpState, SessionError>>,
    },
}

/// What another pump needs to go on where this one stopped.
#[derive(Debug, Default)]
pub(crate) struct PumpState {
    /// How many bytes of the CLI's output have been taken care of.
    pub(crate) offset: u64,
    pub(crate) open_turns: Vec<Str>,
    pub(crate) open_calls: Vec<(Str, ControlRequest)>,
    pub(crate) total_cost: Option<f64>,
    pub(crate) config_dir: Option<ConfigDir>,
}

/// What handles see of a session without asking.
#[derive(Debug, Clone, Default)]
pub(crate) struct Status {
    /// The CLI's own id of the session; it can change.
    pub(crate) session_id: Option<Str>,
    /// Whether the CLI rests: `None` until it says so.
    pub(crate) idle: Option<bool>,
    /// Tasks that run behind the conversation.
    pub(crate) background_tasks: usize,
    /// Prompts without an outcome.
    pub(crate) open_turns: usize,
    /// How it ended.
    pub(crate) end: Option<Arc<SessionEnd>>,
}

pub(crate) struct Pump {
    reader: Box<dyn AsyncRead + Send + Unpin>,
    lines: Lines,
    /// Bytes of the CLI's output up to the end of the last whole line.
    offset: u64,
    custody: Box<dyn Custody>,
    /// Whether there is a process at all. Custody forgets its number when it has been waited for.
    has_process: bool,
    writer: Writer,
    lane: Arc<Lane>,
    _closes_lane: CloseOnDrop,
    batch: Vec<Unread>,
    commands: mpsc::UnboundedReceiver<Command>,
    status: watch::Sender<Status>,
    host: Arc<Host>,
    calls: Calls,
    /// Questions that an attached session repeats before it is initialized: see `route`.
    replayed: Option<Vec<(Str, ControlRequest)>>,
    pending: HashMap<Str, oneshot::Sender<Result<ControlResponse, SessionError>>>,
    ledger: Ledger,
    turns: HashMap<Str, OpenTurn>,
    /// Outcomes that are told once the reader has the lines they come from.
    resolved: Vec<Resolved>,
    /// How many requests were sent whose answers nobody waits for.
    unheard: u64,
    /// How often the CLI was told to stop a turn that ran out of time.
    stops: u64,
    /// The id of the first request.
    initialize_id: Str,
    /// Whether this host is taking over a session and is not ready yet.
    attaching: bool,
    commands_in_a_row: u32,
    /// What is to be seen of the session once the reader has the lines it comes from.
    next_status: NextStatus,
    timing: Timing,
    tools: RunningTools,
    limits: Limits,
    closing: Option<Closing>,
    mirror: Option<StoreLane>,
    /// What the CLI could not write to its disk.
    writes_lost: Option<Box<SessionWritesLostMessage>>,
    /// Whether the lane was full when last looked at.
    stalled: bool,
    exit: Option<Exit>,
    output_over: bool,
}

/// So many commands are taken before anything else is looked at.
const MANY_COMMANDS: u32 = 64;

/// Ends the stream of messages also when the pump is dropped, with its runtime or by a panic.
struct CloseOnDrop(Arc<Lane>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Changes of the [`Status`] that are on their way.
#[derive(Debug, Default)]
struct NextStatus {
    session_id: Option<Str>,
    idle: Option<bool>,
    background_tasks: Option<usize>,
}

/// A turn that somebody may be waiting for.
struct OpenTurn {
    number: TurnNumber,
    outcome: oneshot::Sender<TurnOutcome>,
    /// Closed when the turn has its outcome. Holds no word of the prompt.
    span: tracing::Span,
}

impl OpenTurn {
    fn new(id: &Str, number: TurnNumber, outcome: oneshot::Sender<TurnOutcome>) -> Self {
        let span = tracing::info_span!("turn", id = id.as_str(), outcome = field::Empty);
        Self {
            number,
            outcome,
            span,
        }
    }
}

/// What a pump is made of.
pub(crate) struct PumpParts {
    pub(crate) connection: Connection,
    pub(crate) lane: Arc<Lane>,
    pub(crate) commands: mpsc::UnboundedReceiver<Command>,
    pub(crate) status: watch::Sender<Status>,
    pub(crate) host: Arc<Host>,
    pub(crate) limits: Limits,
    pub(crate) mirror: Option<StoreLane>,
    pub(crate) ledger: Ledger,
    /// The id of the first request, by which its reply is known from that to an earlier host.
    pub(crate) initialize_id: Str,
    /// Outcomes of turns that an earlier host began.
    pub(crate) turns: HashMap<Str, (TurnNumber, oneshot::Sender<TurnOutcome>)>,
    /// Where in the CLI's output this pump begins, and the questions that were open there, when
    /// it takes over from another.
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
        for id in parts.turns.keys() {
            timing.turn_began(id.clone());
        }
        let closes_lane = CloseOnDrop(Arc::clone(&parts.lane));
        Self {
            reader: parts.connection.reader,
            lines: Lines::new(parts.limits.line),
            offset,
            has_process: parts.connection.custody.pid().is_some(),
            custody: parts.connection.custody,
            writer: Writer::spawn(parts.connection.writer),
            lane: parts.lane,
            _closes_lane: closes_lane,
            batch: Vec::new(),
            commands: parts.commands,
            status: parts.status,
            host: parts.host,
            calls: Calls::default(),
            replayed,
            pending: HashMap::new(),
            ledger: parts.ledger,
            turns: parts
                .turns
                .into_iter()
                .map(|(id, (number, outcome))| {
                    let turn = OpenTurn::new(&id, number, outcome);
                    (id, turn)
                })
                .collect(),
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
    /// Dropping the future ends the process at once, without a goodbye.
    pub(crate) async fn run(mut self) {
        while !self.is_over() {
            self.look_at_lane();
            let wakeup = self.next_wakeup();
            // Control first, then what was asked of us, then output; time only when nothing else
            // is ready, so that a deadline never cuts off what can still be read. A flood of
            // output must not stop the clocks, so they are looked at here too.
            let now = Instant::now();
            if wakeup.is_some_and(|wakeup| wakeup <= now) {
                self.on_time(now);
            }
            tokio::select! {
                biased;
                command = self.commands.recv(), if self.takes_commands() => {
                    self.commands_in_a_row += 1;
                    match command {
                        // Too late: whoever asks is told that the session is over.
                        Some(Command::Detach { .. }) if self.closing.is_some() || self.exit.is_some() => {}
                        Some(Command::Detach { state }) => match self.custody.release() {
                            Ok(()) => return self.detach(Some(state)).await,
                            Err(error) => drop(state.send(Err(error))),
                        },
                        Some(command) => {
                            self.on_command(command);
                            self.deliver().await;
                        }
                        // Nobody got to use a session that somebody else holds: it is theirs.
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
                // Somebody reads, so the messages are not forgotten.
                () = self.lane.room(), if self.stalled => self.timing.heard(),
                // A CLI that takes no input is no use.
                () = self.writer.broken(), if self.closing.is_none() && self.exit.is_none() => {
                    self.begin_closing(EndCause::Lost, None);
                }
                // Many commands in a row make way for what else is ready, and then go on.
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

    /// Whether there is nothing left to wait for.
    fn is_over(&self) -> bool {
        self.output_over && self.exit.is_some()
    }

    async fn on_read(&mut self, read: std::io::Result<usize>) {
        match read {
            Ok(1..) => {
                self.timing.heard();
                self.take_frames().await;
            }
            Ok(0) => self.on_end_of_output().await,
            Err(error) => {
                tracing::debug!(%error, "reading the CLI's output failed");
                self.on_end_of_output().await;
            }
        }
    }

    async fn take_frames(&mut self) {
        while let Some(frame) = self.lines.next_frame() {
            self.on_frame(frame);
        }
        self.lines.shrink();
        self.deliver().await;
    }

    fn on_frame(&mut self, frame: Frame) {
        match frame {
            Frame::Line(raw) => {
                self.offset += raw.len() as u64 + 1;
                self.on_line(raw);
            }
            Frame::TooLong { head, length } => {
                self.offset += length + 1;
                tracing::warn!(length, "a line was longer than the limit and was cut");
                // What is left of it is no JSON any more, and is handed on as just that. Nothing
                // that the session needs is cut, see `lines`.
                if lines::member(&head, b"type") == Some(b"user") {
                    self.tools.note_cut_result(&head);
                }
                self.on_work(head);
            }
        }
    }

    /// Hands what was queued to the reader, then tells what came of it.
    async fn deliver(&mut self) {
        if !self.batch.is_empty() {
            self.lane.push(&mut self.batch).await;
            if self.batch.capacity() > 1024 {
                self.batch = Vec::new();
            }
        }
        let resolved = std::mem::take(&mut self.resolved);
        self.resolve(resolved);
        self.show_status();
    }

    /// Shows what has become of the session.
    fn show_status(&mut self) {
        let next = std::mem::take(&mut self.next_status);
        let open_turns = self.ledger.open_count();
        self.status.send_if_modified(|status| {
            let before = (
                status.session_id.clone(),
                status.idle,
                status.background_tasks,
                status.open_turns,
            );
            if next.session_id.is_some() {
                status.session_id = next.session_id;
            }
            status.idle = next.idle.or(status.idle);
            status.background_tasks = next.background_tasks.unwrap_or(status.background_tasks);
            status.open_turns = open_turns;
            before
                != (
                    status.session_id.clone(),
                    status.idle,
                    status.background_tasks,
                    status.open_turns,
                )
        });
    }

    /// Queues a line for the current turn.
    fn queue(&mut self, raw: Bytes) {
        let running = self.ledger.running();
        let turn = running.and_then(|id| self.turns.get(id));
        self.queue_for(turn.map_or(SESSION, |turn| turn.number), raw);
    }

    fn queue_for(&mut self, turn: TurnNumber, raw: Bytes) {
        self.batch.push(Unread {
            raw,
            offset: self.offset,
            turn,
        });
    }

    /// Stops and resumes reading as the lane fills and empties.
    fn look_at_lane(&mut self) {
        // A session that is being closed must reach its end; what it still says is little.
        // So must one that was told to stop a turn: what it says about that is behind the rest.
        let full = self.closing.is_none()
            && self.exit.is_none()
            && !self.timing.is_stopping()
            && self.lane.is_full();
        if full && !self.stalled {
            self.lane.count_stall();
            tracing::warn!(
                "too many messages wait to be read: the CLI's output is left alone until some are"
            );
        }
        self.stalled = full;
    }

    async fn on_end_of_output(&mut self) {
        self.output_over = true;
        for frame in self.lines.finish() {
            // The last line has no newline, so it is perhaps not whole: whoever attaches later
            // must get it again, and the offset stays before it.
            let whole = self.offset;
            self.on_frame(frame);
            self.offset = whole;
            if let Some(last) = self.batch.last_mut() {
                last.offset = whole;
            }
        }
        self.deliver().await;
        if !self.has_process {
            // Where there is no process to wait for, the end of the output is the end.
            self.exit.get_or_insert(Exit::Unknown);
        }
        // A CLI that prints nothing more is no use; one that also does not end is made to.
        if self.exit.is_none() {
            self.begin_closing(EndCause::Lost, None);
        }
    }

    fn on_exit(&mut self, exit: Exit) {
        tracing::debug!(%exit, "the CLI ended");
        self.exit = Some(exit);
        // What is still in the pipe is read; but a child that it left behind may hold the pipe
        // open for ever.
        self.timing.process_gone();
    }

    fn resolve(&mut self, resolved: impl IntoIterator<Item = Resolved>) {
        for (id, outcome) in resolved {
            tracing::debug!(turn = id.as_str(), outcome = outcome.name(), "a turn ended");
            self.timing.turn_ended(&id);
            if let Some(turn) = self.turns.remove(&id) {
                turn.span.record("outcome", outcome.name());
                self.lane.end_turn(turn.number);
                // Nobody need be waiting.
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
