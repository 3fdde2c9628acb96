//! The loop that runs a session: lines come in, each goes where it belongs.
//!
//! One task for each session. It never waits for a stranger: messages go to a [`Lane`], callbacks
//! run in tasks of their own, and another task writes. Whatever can wake it is one arm of one
//! `select!`, so a flood on one side starves nobody on another.

mod calls;
mod closing;
mod lane;
mod route;
mod spill;
mod timing;
mod writer;

use std::collections::HashMap;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::{ControlRequest, ControlResponse};
use rusty_claw_protocol::messages::{Message, UserMessage};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

use self::calls::Calls;
use self::closing::Closing;
use self::timing::Timing;
use self::writer::Writer;
use crate::error::SessionError;
use crate::framing::{Frame, LineFramer};
use crate::future::BoxFuture;
use crate::host::Host;
use crate::options::Limits;
use crate::outgoing::line_of;
use crate::session::{CloseReport, EndCause, Ledger, Resolved, SessionEnd, TurnOutcome};
use crate::transport::{Connection, Custody, Exit};

pub use self::lane::LaneCounts;
pub(crate) use self::lane::{Front, Lane, Unread};

/// Where copies of session files go.
pub(crate) trait MirrorLane: Send {
    /// Takes one `transcript_mirror` line. Does not wait.
    fn push(&self, raw: Bytes);
    /// A turn ended: what was taken should be stored soon. Does not wait.
    fn flush(&self);
    /// The session is over: stores everything that was taken.
    fn close(self: Box<Self>) -> BoxFuture<'static, ()>;
}

/// What a handle asks of the pump.
pub(crate) enum Command {
    /// Ask the CLI something.
    Request {
        id: Str,
        request: Box<ControlRequest>,
        reply: oneshot::Sender<Result<ControlResponse, SessionError>>,
    },
    /// Nobody waits for that answer any more.
    Forget { id: Str },
    /// Send a prompt. The sender is told once it is written.
    Prompt {
        id: Str,
        message: Box<UserMessage>,
        outcome: oneshot::Sender<TurnOutcome>,
        written: oneshot::Sender<()>,
    },
    /// End the session.
    Close {
        report: oneshot::Sender<CloseReport>,
    },
    /// Let go of the session, and leave it running.
    Detach { state: oneshot::Sender<PumpState> },
}

/// What another pump needs to go on where this one stopped.
#[derive(Debug, Default)]
pub(crate) struct PumpState {
    /// How many bytes of the CLI's output have been taken care of.
    pub(crate) offset: u64,
    pub(crate) open_turns: Vec<Str>,
    pub(crate) open_calls: Vec<(Str, ControlRequest)>,
    pub(crate) total_cost: Option<f64>,
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
    /// How it ended.
    pub(crate) end: Option<Arc<SessionEnd>>,
}

pub(crate) struct Pump {
    reader: Box<dyn AsyncRead + Send + Unpin>,
    buffer: BytesMut,
    framer: LineFramer,
    /// Bytes of the CLI's output up to the end of the last whole line.
    offset: u64,
    custody: Box<dyn Custody>,
    writer: Writer,
    lane: Arc<Lane>,
    batch: Vec<Unread>,
    commands: mpsc::UnboundedReceiver<Command>,
    status: watch::Sender<Status>,
    host: Arc<Host>,
    calls: Calls,
    /// Questions that an attached session repeats before it is initialized: see `route`.
    replayed: Option<Vec<(Str, ControlRequest)>>,
    pending: HashMap<Str, oneshot::Sender<Result<ControlResponse, SessionError>>>,
    ledger: Ledger,
    turns: HashMap<Str, oneshot::Sender<TurnOutcome>>,
    /// Outcomes that are told once the reader has the lines they come from.
    resolved: Vec<Resolved>,
    timing: Timing,
    limits: Limits,
    closing: Option<Closing>,
    mirror: Option<Box<dyn MirrorLane>>,
    /// Whether the lane was full when last looked at.
    stalled: bool,
    exit: Option<Exit>,
    output_over: bool,
}

/// What a pump is made of.
pub(crate) struct PumpParts {
    pub(crate) connection: Connection,
    pub(crate) lane: Arc<Lane>,
    pub(crate) commands: mpsc::UnboundedReceiver<Command>,
    pub(crate) status: watch::Sender<Status>,
    pub(crate) host: Arc<Host>,
    pub(crate) limits: Limits,
    pub(crate) mirror: Option<Box<dyn MirrorLane>>,
    pub(crate) ledger: Ledger,
    /// Outcomes of turns that an earlier host began.
    pub(crate) turns: HashMap<Str, oneshot::Sender<TurnOutcome>>,
    /// Where in the CLI's output this pump begins, and the questions that were open there, when
    /// it takes over from another.
    pub(crate) attach: Option<(u64, Vec<(Str, ControlRequest)>)>,
}

/// While little comes, a small buffer does; 1,000 sessions sleep in one process.
const SMALL_READ: usize = 2 << 10;
const LARGE_READ: usize = 64 << 10;

impl Pump {
    pub(crate) fn new(parts: PumpParts) -> Self {
        let framer = parts
            .limits
            .line
            .map_or_else(LineFramer::new, LineFramer::with_limit);
        let (offset, replayed) = match parts.attach {
            Some((offset, calls)) => (offset, Some(calls)),
            None => (0, None),
        };
        Self {
            reader: parts.connection.reader,
            buffer: BytesMut::new(),
            framer,
            offset,
            custody: parts.connection.custody,
            writer: Writer::spawn(parts.connection.writer),
            lane: parts.lane,
            batch: Vec::new(),
            commands: parts.commands,
            status: parts.status,
            host: parts.host,
            calls: Calls::default(),
            replayed,
            pending: HashMap::new(),
            ledger: parts.ledger,
            turns: parts.turns,
            resolved: Vec::new(),
            timing: Timing::new(&parts.limits),
            limits: parts.limits,
            closing: None,
            mirror: parts.mirror,
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
            tokio::select! {
                command = self.commands.recv(), if self.closing.as_ref().is_none_or(Closing::takes_commands) => {
                    match command {
                        Some(Command::Detach { state }) => return self.detach(state).await,
                        Some(command) => self.on_command(command),
                        // The last handle is gone.
                        None => self.begin_closing(EndCause::Closed, None),
                    }
                }
                read = read_some(&mut self.reader, &mut self.buffer), if !self.output_over && !self.stalled => {
                    self.on_read(read).await;
                }
                () = self.lane.room(), if self.stalled => {}
                exit = self.custody.exited(), if self.exit.is_none() => self.on_exit(exit),
                () = self.calls.ended() => self.timing.heard(),
                () = sleep_until(wakeup) => self.on_time(Instant::now()),
            }
        }
        self.finish().await;
    }

    /// Whether there is nothing left to wait for.
    fn is_over(&self) -> bool {
        self.output_over && self.exit.is_some()
    }

    async fn on_read(&mut self, read: std::io::Result<usize>) {
        let length = match read {
            Ok(length) if length > 0 => length,
            ended => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "reading the CLI's output failed");
                }
                return self.on_end_of_output().await;
            }
        };
        self.timing.heard();
        self.framer.push(&self.buffer);
        self.buffer.clear();
        if length < SMALL_READ {
            // Nothing is kept while nothing comes.
            self.buffer = BytesMut::new();
        } else {
            self.buffer.reserve(LARGE_READ);
        }
        self.take_frames().await;
    }

    async fn take_frames(&mut self) {
        while let Some(frame) = self.framer.next_frame() {
            self.on_frame(frame);
        }
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
                // What is left of it is no JSON any more, and is handed on as just that.
                self.queue(head);
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
    }

    fn queue(&mut self, raw: Bytes) {
        self.batch.push(Unread {
            raw,
            offset: self.offset,
        });
    }

    /// Stops and resumes reading as the lane fills and empties.
    fn look_at_lane(&mut self) {
        // A session that is being closed must reach its end; what it still says is little.
        let full = self.closing.is_none() && self.exit.is_none() && self.lane.is_full();
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
        let framer = std::mem::take(&mut self.framer);
        for frame in framer.finish() {
            // The last line has no newline; one byte less was read.
            self.on_frame(frame);
        }
        self.deliver().await;
        if self.custody.pid().is_none() {
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
        self.timing
            .output_may_take_until(Instant::now() + timing::LAST_WORDS);
    }

    fn on_command(&mut self, command: Command) {
        match command {
            Command::Request { id, request, reply } => {
                let line = line_of(&Message::control_request(id.clone(), *request));
                self.pending.insert(id, reply);
                drop(self.writer.request(line));
            }
            Command::Forget { id } => {
                if self.pending.remove(&id).is_some() {
                    let cancel = rusty_claw_protocol::messages::ControlCancelRequest {
                        request_id: id,
                        ..Default::default()
                    };
                    drop(
                        self.writer
                            .request(line_of(&Message::ControlCancelRequest(cancel))),
                    );
                }
            }
            Command::Prompt {
                id,
                message,
                outcome,
                written,
            } => {
                let line = line_of(&Message::User(message));
                self.ledger.sent(id.clone());
                self.turns.insert(id.clone(), outcome);
                self.timing.turn_began(id);
                let told = self.writer.request(line);
                // The sender waits beside the loop, not in it.
                tokio::spawn(async move {
                    if told.await.is_ok() {
                        let _ = written.send(());
                    }
                });
            }
            Command::Close { report } => self.begin_closing(EndCause::Closed, Some(report)),
            Command::Detach { .. } => {}
        }
    }

    fn resolve(&mut self, resolved: impl IntoIterator<Item = Resolved>) {
        for (id, outcome) in resolved {
            tracing::debug!(turn = id.as_str(), outcome = outcome.name(), "a turn ended");
            self.timing.turn_ended(&id);
            if let Some(told) = self.turns.remove(&id) {
                // Nobody need be waiting.
                let _ = told.send(outcome);
            }
        }
    }

    /// Says how it ended to everybody who waits.
    async fn finish(mut self) {
        // Descendants that hold on to nothing of ours are ended with the process.
        self.deliver().await;
        let exit = self.exit.unwrap_or(Exit::Unknown);
        let cause = self.closing.as_ref().map_or(EndCause::Lost, Closing::cause);
        let end = Arc::new(SessionEnd {
            cause,
            exit,
            reason: closing::reason(cause).to_owned(),
            stderr_tail: self.custody.stderr_tail(),
        });
        let open = self.ledger.open_ids();
        let lost = self
            .ledger
            .end_all(&TurnOutcome::ProcessLost(Arc::clone(&end)));
        self.resolve(lost);
        for (_, reply) in self.pending.drain() {
            let _ = reply.send(Err(over(&end)));
        }
        if let Some(mirror) = self.mirror.take() {
            mirror.close().await;
        }
        self.lane.close();
        self.status
            .send_modify(|status| status.end = Some(Arc::clone(&end)));
        if let Some(closing) = self.closing.take() {
            closing.report(&end, open);
        }
        // Requests that were asked while the session ended.
        self.commands.close();
        while let Ok(command) = self.commands.try_recv() {
            match command {
                Command::Request { reply, .. } => {
                    let _ = reply.send(Err(over(&end)));
                }
                Command::Prompt { outcome, .. } => {
                    let _ = outcome.send(TurnOutcome::ProcessLost(Arc::clone(&end)));
                }
                Command::Close { report } => {
                    let _ = report.send(closing::already_over(&end));
                }
                Command::Forget { .. } | Command::Detach { .. } => {}
            }
        }
    }

    async fn detach(mut self, state: oneshot::Sender<PumpState>) {
        self.deliver().await;
        self.custody.release();
        let open_turns = self.ledger.open_ids();
        let detached = self.ledger.end_all(&TurnOutcome::Detached);
        self.resolve(detached);
        let end = Arc::new(SessionEnd {
            cause: EndCause::Detached,
            exit: Exit::Unknown,
            reason: closing::reason(EndCause::Detached).to_owned(),
            stderr_tail: String::new(),
        });
        for (_, reply) in self.pending.drain() {
            let _ = reply.send(Err(over(&end)));
        }
        let open_calls = self.calls.abandon();
        if let Some(mirror) = self.mirror.take() {
            mirror.close().await;
        }
        self.lane.close();
        self.status.send_modify(|status| status.end = Some(end));
        let _ = state.send(PumpState {
            offset: self.offset,
            open_turns,
            open_calls,
            total_cost: self.ledger.total_cost(),
        });
    }
}

/// The error that everybody gets who asks something of a session that is over.
pub(crate) fn over(end: &SessionEnd) -> SessionError {
    SessionError::Over {
        reason: end.reason.clone(),
        exit: end.exit,
        stderr_tail: end.stderr_tail.clone(),
    }
}

async fn read_some(
    reader: &mut (dyn AsyncRead + Send + Unpin),
    buffer: &mut BytesMut,
) -> std::io::Result<usize> {
    if buffer.capacity() == 0 {
        buffer.reserve(SMALL_READ);
    }
    reader.read_buf(buffer).await
}

async fn sleep_until(wakeup: Option<Instant>) {
    match wakeup {
        Some(wakeup) => tokio::time::sleep_until(wakeup).await,
        None => std::future::pending().await,
    }
}
