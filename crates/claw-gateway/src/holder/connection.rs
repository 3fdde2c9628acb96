//! A gateway's connection to a holder, as a transport of the SDK.

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use rusty_claw::transport::{Connection, Custody, Exit, Stop, custody};
use rusty_claw::{BoxFuture, SessionError};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};

use super::frames::{FrameReader, Sink, Source};
use super::inputs::input_id;
use super::protocol::{Exited, Frame, Hello, Start, Welcome};

/// How long a holder may take to reply.
pub(super) const REPLY: Duration = Duration::from_secs(10);
/// The output that may be on its way. The reader never blocks the other frames.
const WINDOW: u64 = 256 << 10;
/// How long a holder may take to end a CLI by force, before it is killed itself.
const KILL: Duration = Duration::from_secs(5);

/// Connects to the holder at a socket.
pub(super) async fn connect(socket: &Path) -> io::Result<UnixStream> {
    let stream = UnixStream::connect(socket).await?;
    if stream.peer_cred()?.uid() != rustix::process::getuid().as_raw() {
        let why = "the holder belongs to another user";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    Ok(stream)
}

/// A connection that a holder has accepted.
pub(super) struct Link {
    frames: FrameReader<Source>,
    sink: Sink,
    pub(super) welcome: Welcome,
}

impl Link {
    /// Introduces this gateway under an epoch, and has the CLI started if `start` is given.
    pub(super) async fn open(
        (source, mut sink): (Source, Sink),
        hello: Hello,
        start: Option<&Start>,
    ) -> io::Result<Self> {
        let mut frames = FrameReader::new(source);
        sink.write_all(&Frame::Hello(hello).encode()?).await?;
        if let Some(start) = start {
            sink.write_all(&Frame::start(start)?.encode()?).await?;
        }
        match frames.next().await? {
            Some(Frame::Welcome(welcome)) => Ok(Self {
                frames,
                sink,
                welcome,
            }),
            Some(Frame::Refused { reason }) => Err(io::Error::other(reason)),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Ends the CLI and the holder, and waits until the holder has closed the connection.
    pub(super) async fn end(mut self) -> io::Result<()> {
        self.sink.write_all(&Frame::End.encode()?).await?;
        while self.frames.next().await?.is_some() {}
        Ok(())
    }

    /// Reads the output from an offset on. Also returns what reports stored output.
    pub(super) async fn read_from(
        mut self,
        offset: u64,
    ) -> io::Result<(Connection, mpsc::WeakUnboundedSender<Frame>)> {
        let until = offset + WINDOW;
        self.sink
            .write_all(&Frame::Read { offset }.encode()?)
            .await?;
        self.sink
            .write_all(&Frame::More { until }.encode()?)
            .await?;
        let (sending, queued) = mpsc::unbounded_channel();
        let (output, received) = mpsc::unbounded_channel();
        let (ended, end) = watch::channel(None);
        let shared = Arc::new(Shared::default());
        tokio::spawn(send(self.sink, queued));
        tokio::spawn(receive(
            self.frames,
            offset,
            output,
            Arc::clone(&shared),
            ended,
        ));
        let weak = sending.downgrade();
        let acknowledges = self.welcome.version >= 2;
        let connection = Connection {
            reader: Box::new(Output {
                received,
                piece: Bytes::new(),
                read: offset,
                permitted: until,
                sending: sending.clone(),
            }),
            writer: Box::new(Input {
                line: BytesMut::new(),
                sending: sending.clone(),
                acknowledges,
                shared: Arc::clone(&shared),
            }),
            custody: Box::new(HolderCustody {
                welcome: self.welcome,
                sending,
                end,
                shared,
            }),
        };
        Ok((connection, weak))
    }
}

/// Sends frames until all senders are gone or the connection is broken.
async fn send(mut sink: Sink, mut queued: mpsc::UnboundedReceiver<Frame>) {
    while let Some(frame) = queued.recv().await {
        let Ok(bytes) = frame.encode() else { return };
        if sink.write_all(&bytes).await.is_err() {
            return;
        }
    }
}

/// How the connection ended.
#[derive(Debug, Clone)]
enum End {
    Exited(Exited),
    /// The holder serves another gateway.
    Refused,
    /// The holder is gone.
    Lost,
}

async fn receive(
    mut frames: FrameReader<Source>,
    mut next: u64,
    output: mpsc::UnboundedSender<Bytes>,
    shared: Arc<Shared>,
    ended: watch::Sender<Option<End>>,
) {
    let end = loop {
        match frames.next().await {
            Ok(Some(Frame::Output { offset, bytes })) => {
                if offset != next {
                    break End::Lost;
                }
                next += bytes.len() as u64;
                let _ = output.send(bytes);
            }
            Ok(Some(Frame::Wrote { id })) => shared.written(&id),
            Ok(Some(Frame::Exited(exited))) => break End::Exited(exited),
            Ok(Some(Frame::Refused { reason })) => {
                tracing::warn!(reason, "the holder of a CLI has closed the connection");
                break End::Refused;
            }
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => break End::Lost,
        }
    };
    shared.close();
    ended.send_replace(Some(end));
}

/// What the parts of a connection share.
#[derive(Debug, Default)]
struct Shared {
    lines: Mutex<Lines>,
    is_released: AtomicBool,
}

/// The lines that the holder has not written yet.
#[derive(Debug, Default)]
struct Lines {
    unwritten: HashSet<String>,
    is_closed: bool,
    waker: Option<Waker>,
}

impl Shared {
    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn written(&self, id: &str) {
        let mut lines = self.lines();
        lines.unwritten.remove(id);
        lines.waker.take().into_iter().for_each(Waker::wake);
    }

    fn close(&self) {
        let mut lines = self.lines();
        lines.is_closed = true;
        lines.waker.take().into_iter().for_each(Waker::wake);
    }
}

/// The output of the CLI.
struct Output {
    received: mpsc::UnboundedReceiver<Bytes>,
    piece: Bytes,
    read: u64,
    permitted: u64,
    sending: mpsc::UnboundedSender<Frame>,
}

impl AsyncRead for Output {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.piece.is_empty() {
            // An empty piece is the end of the output.
            match ready!(this.received.poll_recv(context)) {
                Some(piece) if !piece.is_empty() => this.piece = piece,
                _ => {
                    this.received.close();
                    return Poll::Ready(Ok(()));
                }
            }
        }
        let count = this.piece.len().min(buffer.remaining());
        buffer.put_slice(&this.piece.split_to(count));
        this.read += count as u64;
        if this.permitted - this.read <= WINDOW / 2 {
            this.permitted = this.read + WINDOW;
            let until = this.permitted;
            let _ = this.sending.send(Frame::More { until });
        }
        Poll::Ready(Ok(()))
    }
}

/// The input of the CLI. A flush waits until the holder has written all lines, if it reports that.
struct Input {
    /// A line that is not complete.
    line: BytesMut,
    sending: mpsc::UnboundedSender<Frame>,
    acknowledges: bool,
    shared: Arc<Shared>,
}

impl Input {
    fn send(&self, frame: Frame) -> io::Result<()> {
        let sent = self.sending.send(frame);
        match self.shared.lines().is_closed {
            false => sent.map_err(|_| io::ErrorKind::BrokenPipe.into()),
            true => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl AsyncWrite for Input {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let count = end.map_or(bytes.len(), |end| end + 1);
        this.line
            .extend_from_slice(bytes.get(..count).unwrap_or(bytes));
        if end.is_some() {
            let line = this.line.split().freeze();
            let id = input_id(&line).unwrap_or_else(unique_id);
            if this.acknowledges {
                this.shared.lines().unwritten.insert(id.clone());
            }
            this.send(Frame::Input { id, line })?;
        }
        Poll::Ready(Ok(count))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut lines = self.shared.lines();
        if lines.is_closed {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        if lines.unwritten.is_empty() {
            return Poll::Ready(Ok(()));
        }
        lines.waker = Some(context.waker().clone());
        Poll::Pending
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The CLI of a session that was released continues, so its input stays open.
        if !self.shared.is_released.load(Ordering::Acquire) {
            let _ = self.send(Frame::CloseInput);
        }
        Poll::Ready(Ok(()))
    }
}

/// An id for a line without one.
fn unique_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{}.{}", claw_server::SessionId::random(), number)
}

/// The custody of a CLI that has a holder.
struct HolderCustody {
    welcome: Welcome,
    sending: mpsc::UnboundedSender<Frame>,
    end: watch::Receiver<Option<End>>,
    shared: Arc<Shared>,
}

impl HolderCustody {
    fn end(&self) -> Option<End> {
        self.end.borrow().clone()
    }
}

impl Custody for HolderCustody {
    fn pid(&self) -> Option<u32> {
        self.welcome.pid
    }

    fn exited(&mut self) -> BoxFuture<'_, Exit> {
        Box::pin(async {
            match self.end.wait_for(Option::is_some).await.as_deref() {
                Ok(Some(End::Exited(exited))) => exited.exit(),
                _ => Exit::Unknown,
            }
        })
    }

    fn stop(&mut self, how: Stop) {
        let _ = self.sending.send(Frame::stop(how));
        if how == Stop::Terminate {
            return;
        }
        let (mut end, holder) = (self.end.clone(), self.welcome.holder);
        tokio::spawn(async move {
            let ended = end.wait_for(Option::is_some);
            if timeout(KILL, ended).await.is_err() {
                // It still holds the connection, so the pid is its own. The CLI ends with it.
                kill(holder);
            }
        });
    }

    fn clean_up(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            // A holder cleans up before it reports an exit.
            if !matches!(self.end(), Some(End::Lost)) {
                return;
            }
            // A killed process closes its sockets before it counts as dead, so the first sweep may
            // be too early.
            let cli = self.welcome.pid;
            let swept = async {
                loop {
                    custody::sweep().await;
                    if cli.and_then(super::started).is_none() {
                        return;
                    }
                    sleep(super::GLANCE).await;
                }
            };
            let _ = timeout(KILL, swept).await;
        })
    }

    fn stderr_tail(&self) -> String {
        match self.end() {
            Some(End::Exited(exited)) => exited.stderr_tail,
            _ => String::new(),
        }
    }

    fn release(&mut self) -> Result<(), SessionError> {
        self.shared.is_released.store(true, Ordering::Release);
        Ok(())
    }
}

impl Drop for HolderCustody {
    fn drop(&mut self) {
        if !self.shared.is_released.load(Ordering::Acquire) && self.end().is_none() {
            let _ = self.sending.send(Frame::stop(Stop::Kill));
        }
    }
}

/// Kills a process.
pub(super) fn kill(pid: u32) {
    use rustix::process::{Pid, Signal, kill_process};

    let pid = i32::try_from(pid).ok().filter(|pid| *pid > 1);
    if let Some(pid) = pid.and_then(Pid::from_raw) {
        let _ = kill_process(pid, Signal::KILL);
    }
}
