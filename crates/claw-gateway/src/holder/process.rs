//! The loop of a holder: one CLI, and one gateway at a time.

mod client;
#[cfg(feature = "simulation")]
pub(super) mod simulated;
mod starting;

use std::convert::Infallible;
use std::ffi::OsString;
use std::future::pending;
use std::io;
use std::time::Duration;

use rusty_claw::transport::{Connection, Custody, Stop};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::inputs::{Accepted, Inputs};
use super::protocol::{Exited, Frame, Hello, Limits, Welcome, own_version};
use super::spool::Spool;
use client::{Client, Event, Incoming};
use starting::Started;

const PIECE: usize = 64 << 10;
/// How long output is read after the exit, if a process that the CLI left behind holds the pipe.
const REST: Duration = Duration::from_secs(2);
/// How long the processes that the CLI left behind may take to end.
const CLEAN_UP: Duration = Duration::from_secs(5);
/// How long the holder waits before it tries again to write a full spool, or to accept.
const RETRY: Duration = Duration::from_secs(1);

/// Holds one CLI, which the first client starts, until a client ends it.
pub(super) async fn serve(first: UnixStream, version: u16) -> io::Result<()> {
    let (events, received) = mpsc::channel(8);
    let Some((started, client)) = starting::start(first, version, &events).await? else {
        return Ok(());
    };
    let Started {
        connection,
        listener,
        limits,
        place,
        config_dir,
        relay,
        epoch,
    } = started;
    let accepting = accept(listener, version, events);
    let spool = Spool::new(place.spool(), limits.memory, limits.file);
    let mut holder = Holder::new(connection, client, received, spool, limits);
    holder.version = version;
    holder.epoch = epoch;
    holder.config_dir = config_dir;
    tokio::select! {
        ended = holder.run() => ended,
        never = accepting => match never {},
    }
    // The CLI is gone: its token and its files are not needed any more.
    drop(relay);
    drop(place);
    Ok(())
}

/// Accepts connections for ever.
async fn accept(listener: UnixListener, version: u16, events: mpsc::Sender<Event>) -> Infallible {
    for number in 1.. {
        match listener.accept().await {
            Ok((stream, _)) => client::spawn(number, stream, version, events.clone()),
            Err(_) => sleep(RETRY).await,
        }
    }
    pending().await
}

/// The process id of the holder; 0 in a simulation, which has no process to kill.
fn own_pid() -> u32 {
    match rusty_claw::runtime::is_simulated() {
        true => 0,
        false => std::process::id(),
    }
}

struct Holder {
    version: u16,
    /// The highest epoch of a client so far.
    epoch: u64,
    /// `None` after the end of the output.
    reader: Option<Box<dyn AsyncRead + Send + Unpin>>,
    /// `None` after the input was closed.
    writer: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    custody: Box<dyn Custody>,
    spool: Spool,
    /// Output that could not be added to the spool, because the disk is full.
    unspooled: Vec<u8>,
    inputs: Inputs,
    client: Option<Client>,
    received: mpsc::Receiver<Event>,
    limits: Limits,
    config_dir: Option<OsString>,
    /// Whether the first client could still give up: then the CLI ends.
    is_starting: bool,
    alone_since: Instant,
    exit: Option<Exited>,
    exited_at: Option<Instant>,
    /// When output was read, or there was room for it again.
    read_at: Instant,
    /// Whether the gateway has ended the holder, or none has connected for too long. Output and exit
    /// are kept until then: a gateway that crashes has read more than it has stored.
    is_ending: bool,
    buffer: Vec<u8>,
}

/// What happened.
enum Step {
    Event(Option<Event>),
    Read(io::Result<usize>),
    Written(io::Result<usize>),
    Exited(Exited),
    Sent(io::Result<()>),
    Time,
}

impl Holder {
    fn new(
        connection: Connection,
        client: Client,
        received: mpsc::Receiver<Event>,
        spool: Spool,
        limits: Limits,
    ) -> Self {
        Self {
            version: own_version(),
            epoch: 0,
            reader: Some(connection.reader),
            writer: Some(connection.writer),
            custody: connection.custody,
            spool,
            unspooled: Vec::new(),
            inputs: Inputs::default(),
            client: Some(client),
            received,
            limits,
            config_dir: None,
            is_starting: true,
            alone_since: Instant::now(),
            exit: None,
            exited_at: None,
            read_at: Instant::now(),
            is_ending: false,
            buffer: vec![0; PIECE],
        }
    }

    async fn run(mut self) {
        while !self.is_ending {
            self.offer();
            let step = self.next().await;
            self.apply(step).await;
        }
        // Whatever the last client may still read was written to its socket.
        self.client = None;
        self.custody.stop(Stop::Kill);
        let gone = async {
            self.custody.exited().await;
            self.custody.clean_up().await;
        };
        let _ = timeout(CLEAN_UP, gone).await;
    }

    async fn next(&mut self) -> Step {
        let wakeup = self.wakeup();
        let reads = self.has_room();
        let custody = &mut self.custody;
        let has_exited = self.exit.is_some();
        let exited = async move {
            let exit = custody.exited().await;
            Exited::new(exit, custody.stderr_tail())
        };
        let reader = self.reader.as_mut().filter(|_| reads);
        let buffer = &mut self.buffer;
        let read = async move {
            match reader {
                Some(reader) => reader.read(buffer).await,
                None => pending().await,
            }
        };
        let (writer, inputs) = (&mut self.writer, &mut self.inputs);
        let write = async move {
            match (writer, inputs.next()) {
                (Some(writer), Some(bytes)) => writer.write(bytes).await,
                _ => pending().await,
            }
        };
        let client = &mut self.client;
        let send = async move {
            match client {
                Some(client) => client.send().await,
                None => pending().await,
            }
        };
        tokio::select! {
            event = self.received.recv() => Step::Event(event),
            exit = exited, if !has_exited => Step::Exited(exit),
            written = write => Step::Written(written),
            sent = send => Step::Sent(sent),
            read = read => Step::Read(read),
            () = sleep_until(wakeup) => Step::Time,
        }
    }

    async fn apply(&mut self, step: Step) {
        match step {
            Step::Event(Some(event)) => self.on_event(event),
            Step::Event(None) => self.is_ending = true,
            Step::Read(Ok(length @ 1..)) => {
                self.read_at = Instant::now();
                let bytes = self.buffer.get(..length).unwrap_or_default();
                if self.spool.push(bytes).is_err() {
                    self.unspooled = bytes.to_vec();
                }
            }
            Step::Read(_) => self.reader = None,
            Step::Written(Ok(count)) => self.on_written(count).await,
            Step::Written(Err(_)) => self.inputs.abandon(),
            Step::Exited(exit) => {
                // The relay and the files are needed by no process that stays behind.
                let _ = timeout(CLEAN_UP, self.custody.clean_up()).await;
                self.exit = Some(exit);
                self.exited_at = Some(Instant::now());
                self.inputs.abandon();
            }
            Step::Sent(Ok(())) => {}
            Step::Sent(Err(_)) => self.on_gone(),
            Step::Time => self.on_time(),
        }
        if self.inputs.is_over() {
            self.close_input().await;
        }
    }

    async fn on_written(&mut self, count: usize) {
        if count == 0 {
            self.inputs.abandon();
            return;
        }
        let Some(id) = self.inputs.advance(count) else {
            return;
        };
        if let Some(client) = &mut self.client {
            client.queue(&Frame::Wrote { id });
        }
    }

    async fn close_input(&mut self) {
        if let Some(mut writer) = self.writer.take() {
            let _ = timeout(REST, writer.shutdown()).await;
        }
    }

    fn on_event(&mut self, event: Event) {
        match event {
            Event::Connected(incoming) => self.on_connected(incoming),
            Event::Frame(number, frame) if self.is_client(number) => self.on_frame(frame),
            Event::Gone(number) if self.is_client(number) => self.on_gone(),
            // Of a client that was replaced.
            Event::Frame(..) | Event::Gone(_) => {}
        }
    }

    fn is_client(&self, number: u64) -> bool {
        let client = self.client.as_ref();
        client.is_some_and(|client| client.number == number)
    }

    fn on_connected(&mut self, incoming: Incoming) {
        let Hello { version, epoch } = incoming.hello;
        let version = version.min(self.version);
        let mut client = incoming.into_client(version);
        if version == 0 || epoch < self.epoch {
            let reason = match version {
                0 => "the version is not supported".to_owned(),
                _ => format!("epoch {} owns the session", self.epoch),
            };
            client.queue(&Frame::Refused { reason });
            client.close();
            return;
        }
        if epoch > self.epoch {
            // Nothing of an earlier owner is begun any more.
            self.inputs.drop_waiting();
        }
        self.epoch = epoch;
        self.is_starting = false;
        client.queue(&Frame::Welcome(self.welcome(version)));
        if let Some(mut replaced) = self.client.replace(client) {
            let reason = "another gateway owns the session".to_owned();
            replaced.queue(&Frame::Refused { reason });
            replaced.close();
        }
    }

    fn welcome(&self, version: u16) -> Welcome {
        Welcome {
            version,
            holder: own_pid(),
            pid: self.custody.pid(),
            first: self.spool.first(),
            end: self.spool.end(),
            has_exited: self.exit.is_some(),
            config_dir: self.config_dir.clone().filter(|_| version >= 2),
        }
    }

    fn on_frame(&mut self, frame: Frame) {
        match frame {
            Frame::Read { offset } => {
                self.is_starting = false;
                let range = self.spool.first()..=self.spool.end();
                let client = self.client.as_mut();
                match client {
                    Some(client) if range.contains(&offset) => client.read_from(offset),
                    _ => self.refuse(format!("the output at {offset} is not available")),
                }
            }
            Frame::More { until } => {
                if let Some(client) = &mut self.client {
                    client.permit(until);
                }
            }
            Frame::Input { id, line } => match self.inputs.accept(id.clone(), line) {
                Accepted::Queued | Accepted::Closed => {}
                Accepted::Written => {
                    if let Some(client) = &mut self.client {
                        client.queue(&Frame::Wrote { id });
                    }
                }
                Accepted::Refused => self.refuse("an input was refused".to_owned()),
            },
            Frame::CloseInput => self.inputs.close(),
            Frame::Stop { by_force } => self.custody.stop(match by_force {
                true => Stop::Kill,
                false => Stop::Terminate,
            }),
            Frame::Done { offset } => {
                // The output stays if the file cannot be read, and is dropped by the next one.
                let _ = self.spool.drop_to(offset);
                self.retry_spool();
                self.read_at = Instant::now();
            }
            Frame::End => self.is_ending = true,
            _ => self.refuse("the frame is not expected".to_owned()),
        }
    }

    fn refuse(&mut self, reason: String) {
        if let Some(mut client) = self.client.take() {
            client.queue(&Frame::Refused { reason });
            client.close();
            self.on_gone();
        }
    }

    fn on_gone(&mut self) {
        self.client = None;
        self.alone_since = Instant::now();
        self.is_ending |= self.is_starting;
    }

    fn on_time(&mut self) {
        self.retry_spool();
        let now = Instant::now();
        if self.reads_until().is_some_and(|at| at <= now) {
            self.reader = None;
        }
        self.is_ending |= self.gives_up_at().is_some_and(|at| at <= now);
    }

    fn retry_spool(&mut self) {
        if !self.unspooled.is_empty() && self.spool.push(&self.unspooled).is_ok() {
            self.unspooled = Vec::new();
        }
    }

    /// When the holder ends if no gateway connects.
    fn gives_up_at(&self) -> Option<Instant> {
        let time = match self.exited_at {
            Some(_) => self.limits.exit_time,
            None => self.limits.orphan_time,
        };
        let is_alone = self.client.is_none();
        is_alone.then_some(
            self.alone_since
                .max(self.exited_at.unwrap_or(self.alone_since))
                + time,
        )
    }

    fn has_room(&self) -> bool {
        self.unspooled.is_empty() && self.spool.has_room()
    }

    /// When the output of a CLI that has exited is over, even if another process holds its pipe.
    fn reads_until(&self) -> Option<Instant> {
        let exited_at = self.exited_at.filter(|_| self.reader.is_some());
        let exited_at = exited_at.filter(|_| self.has_room());
        exited_at.map(|at| at.max(self.read_at) + REST)
    }

    fn wakeup(&self) -> Instant {
        let far = Instant::now() + Duration::from_secs(60 * 60);
        let retry = (!self.unspooled.is_empty()).then(|| Instant::now() + RETRY);
        let times = [self.gives_up_at(), self.reads_until(), retry];
        times.into_iter().flatten().fold(far, Instant::min)
    }

    /// Queues output for the client, and the exit after all output.
    fn offer(&mut self) {
        let Some(client) = &mut self.client else {
            return;
        };
        if client.is_busy() {
            return;
        }
        if let Some((offset, most)) = client.wanted() {
            match self.spool.read(offset, most) {
                Ok(bytes) if bytes.is_empty() => {}
                Ok(bytes) => {
                    client.queue_output(offset, bytes);
                    return;
                }
                Err(error) => return self.refuse(format!("the spool cannot be read: {error}")),
            }
        }
        let is_all = self.reader.is_none() && self.unspooled.is_empty();
        if !is_all {
            return;
        }
        client.queue_end(self.spool.end());
        if let Some(exit) = &self.exit {
            client.queue_exit(exit);
        }
    }
}
