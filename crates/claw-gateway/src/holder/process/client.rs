//! The connections of gateways to a holder.

use std::collections::VecDeque;
use std::future::pending;
use std::io;
use std::time::Duration;

use bytes::{Buf as _, Bytes};
use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::holder::frames::{FrameReader, Sink, Source, split};
use crate::holder::protocol::{Exited, Frame, Hello};

/// How long the first frame may take.
const HELLO: Duration = Duration::from_secs(10);
/// How long the last frames of a closed connection may take.
const GOODBYE: Duration = Duration::from_secs(5);

/// What a connection received.
pub(super) enum Event {
    Connected(Incoming),
    Frame(u64, Frame),
    Gone(u64),
}

/// A connection that sent its first frame.
pub(super) struct Incoming {
    number: u64,
    pub(super) hello: Hello,
    sink: Sink,
    reading: AbortHandle,
}

impl Incoming {
    pub(super) fn into_client(self, version: u16) -> Client {
        Client::new(self.number, version, self.sink, self.reading)
    }
}

/// Reads the frames of a new connection. A connection of another user is closed.
pub(super) fn spawn(number: u64, stream: UnixStream, version: u16, events: mpsc::Sender<Event>) {
    let uid = rustix::process::getuid().as_raw();
    if !stream.peer_cred().is_ok_and(|peer| peer.uid() == uid) {
        return;
    }
    spawn_on(number, split(stream), version, events);
}

/// Reads the frames of a new connection.
pub(super) fn spawn_on(
    number: u64,
    (source, mut sink): (Source, Sink),
    version: u16,
    events: mpsc::Sender<Event>,
) {
    let mut frames = FrameReader::new(source);
    tokio::spawn(async move {
        let Ok(Ok(Some(Frame::Hello(hello)))) = timeout(HELLO, frames.next()).await else {
            // A later version may not send this frame first, so the reason is sent.
            let reason = format!("the first frame is not that of version {version}");
            if let Ok(refused) = (Frame::Refused { reason }).encode() {
                let _ = timeout(GOODBYE, sink.write_all(&refused)).await;
            }
            return;
        };
        let (ready, is_ready) = tokio::sync::oneshot::channel();
        let reading = tokio::spawn({
            let events = events.clone();
            async move {
                // Frames come after the connection itself.
                if is_ready.await.is_ok() {
                    read(number, frames, events).await;
                }
            }
        });
        let incoming = Incoming {
            number,
            hello,
            sink,
            reading: reading.abort_handle(),
        };
        if events.send(Event::Connected(incoming)).await.is_ok() {
            let _ = ready.send(());
        }
    });
}

/// Sends the frames of a connection as events.
pub(super) async fn read(
    number: u64,
    mut frames: FrameReader<Source>,
    events: mpsc::Sender<Event>,
) {
    while let Ok(Some(frame)) = frames.next().await {
        if events.send(Event::Frame(number, frame)).await.is_err() {
            return;
        }
    }
    let _ = events.send(Event::Gone(number)).await;
}

/// The connection that is served.
pub(super) struct Client {
    pub(super) number: u64,
    /// The version of the connection.
    version: u16,
    sink: Sink,
    reading: AbortHandle,
    queue: VecDeque<Bytes>,
    /// The offset of the output that is sent next, once the client reads.
    next: Option<u64>,
    /// The output before this offset may be sent.
    until: u64,
    has_end: bool,
    has_exit: bool,
}

impl Drop for Client {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

impl Client {
    pub(super) fn new(number: u64, version: u16, sink: Sink, reading: AbortHandle) -> Self {
        Self {
            number,
            version,
            sink,
            reading,
            queue: VecDeque::new(),
            next: None,
            until: 0,
            has_end: false,
            has_exit: false,
        }
    }

    /// Queues a frame, if the version of the connection has it.
    pub(super) fn queue(&mut self, frame: &Frame) {
        if frame.since() <= self.version
            && let Ok(bytes) = frame.encode()
        {
            self.queue.push_back(bytes);
        }
    }

    pub(super) fn read_from(&mut self, offset: u64) {
        self.next = Some(offset);
        self.has_end = false;
        self.has_exit = false;
    }

    pub(super) fn permit(&mut self, until: u64) {
        self.until = self.until.max(until);
    }

    /// Returns the offset and the number of bytes of the output that may be sent.
    pub(super) fn wanted(&self) -> Option<(u64, u64)> {
        let next = self.next?;
        (self.until > next).then(|| (next, self.until - next))
    }

    pub(super) fn queue_output(&mut self, offset: u64, bytes: Bytes) {
        self.next = Some(offset + bytes.len() as u64);
        self.queue(&Frame::Output { offset, bytes });
    }

    /// Queues the end of the output, if the output before it was sent.
    pub(super) fn queue_end(&mut self, end: u64) {
        if self.next == Some(end) && !self.has_end {
            self.has_end = true;
            let bytes = Bytes::new();
            self.queue(&Frame::Output { offset: end, bytes });
        }
    }

    /// Queues the exit after the end of the output, once.
    pub(super) fn queue_exit(&mut self, exit: &Exited) {
        if self.has_end && !self.has_exit {
            self.has_exit = true;
            self.queue(&Frame::Exited(exit.clone()));
        }
    }

    /// Whether something is queued.
    pub(super) fn is_busy(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Sends what is queued, in part. Never completes if nothing is queued. Cancel safe.
    pub(super) async fn send(&mut self) -> io::Result<()> {
        let Some(front) = self.queue.front_mut() else {
            return pending().await;
        };
        let count = self.sink.write(front).await?;
        front.advance(count);
        if front.is_empty() {
            self.queue.pop_front();
        }
        Ok(())
    }

    /// Sends what is queued and closes the connection, without waiting for it.
    pub(super) fn close(self) {
        tokio::spawn(self.closed());
    }

    /// Like [`Client::close`], and waits for it.
    pub(super) async fn closed(mut self) {
        self.reading.abort();
        let sent = async {
            while self.is_busy() {
                self.send().await?;
            }
            self.sink.shutdown().await
        };
        let _ = timeout(GOODBYE, sent).await;
    }
}
