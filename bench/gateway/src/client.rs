//! Clients that follow a session and record when each line arrives.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use claw_testkit::fake_claude::Flood;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use crate::Failure;
use crate::percentiles::{Percentiles, monotonic_ns};
use crate::served::Served;

/// A pong of a client, with the mask 0.
const PONG: [u8; 6] = [0x8A, 0x80, 0, 0, 0, 0];
/// Only ends a hang.
const TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Sse,
    WebSocket,
}

/// A line of the CLI: when it was written, and when a client received it.
#[derive(Debug, Clone, Copy)]
struct Sample {
    written: u64,
    received: u64,
}

/// What a client received.
#[derive(Debug)]
struct Received {
    transport: Transport,
    durable: Vec<Sample>,
    deltas: Vec<Sample>,
}

/// Clients that read at once, and what they received.
#[derive(Default)]
pub(crate) struct Clients {
    received: Vec<Arc<Mutex<Received>>>,
    tasks: JoinSet<Result<(), Failure>>,
    /// How many have received a line.
    active: Arc<AtomicUsize>,
}

impl Clients {
    pub(crate) fn count(&self) -> usize {
        self.received.len()
    }

    /// Connects a client that reads a session from a cursor on.
    pub(crate) async fn follow(
        &mut self,
        served: &Served,
        transport: Transport,
        session: &str,
        after: u64,
    ) -> Result<(), Failure> {
        let opened = connect(served, transport, session, after, None).await?;
        let received = Arc::new(Mutex::new(Received {
            transport,
            durable: Vec::new(),
            deltas: Vec::new(),
        }));
        self.received.push(Arc::clone(&received));
        let active = Arc::clone(&self.active);
        self.tasks.spawn(read(opened, transport, received, active));
        Ok(())
    }

    /// Waits until every client has received a line.
    pub(crate) async fn wait_until_active(&mut self) -> Result<(), Failure> {
        let start = Instant::now();
        while self.active.load(Ordering::Relaxed) < self.count() {
            self.check()?;
            if start.elapsed() > TIMEOUT {
                let active = self.active.load(Ordering::Relaxed);
                return Err(format!("{active} of {} clients receive", self.count()).into());
            }
            sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    /// Fails if a client was disconnected.
    pub(crate) fn check(&mut self) -> Result<(), Failure> {
        match self.tasks.try_join_next() {
            None => Ok(()),
            Some(ended) => ended?,
        }
    }
}

/// A part of a run, in nanoseconds of the monotonic clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    from: u64,
    to: u64,
}

impl Window {
    /// Waits for so long, and then until the last lines have arrived. Returns the first part.
    pub(crate) async fn wait(time: Duration) -> Self {
        let from = monotonic_ns();
        sleep(time).await;
        let to = monotonic_ns();
        sleep(Duration::from_millis(500)).await;
        Self { from, to }
    }

    pub(crate) fn seconds(self) -> f64 {
        (self.to - self.from) as f64 / 1e9
    }

    pub(crate) fn durable(self, clients: &Clients, of: Option<Transport>) -> Percentiles {
        self.latencies(clients, of, |received| &received.durable)
    }

    pub(crate) fn deltas(self, clients: &Clients, of: Option<Transport>) -> Percentiles {
        self.latencies(clients, of, |received| &received.deltas)
    }

    /// The latencies of the lines that were written in the window.
    fn latencies(
        self,
        clients: &Clients,
        of: Option<Transport>,
        samples: impl Fn(&Received) -> &Vec<Sample>,
    ) -> Percentiles {
        let mut latencies = Vec::new();
        for received in &clients.received {
            let received = lock(received);
            if of.is_none_or(|of| of == received.transport) {
                let samples = samples(&received).iter();
                let samples = samples.filter(|one| (self.from..self.to).contains(&one.written));
                latencies.extend(
                    samples.map(|one| one.received.saturating_sub(one.written) as f64 / 1e6),
                );
            }
        }
        Percentiles::of(latencies)
    }
}

fn lock(received: &Mutex<Received>) -> MutexGuard<'_, Received> {
    received.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens a stream. Returns it with the first bytes of its body: a gateway has few connections that
/// it has not authenticated, so each one waits for the head of its response.
pub(crate) async fn connect(
    served: &Served,
    transport: Transport,
    session: &str,
    after: u64,
    receive_buffer: Option<u32>,
) -> Result<(TcpStream, Vec<u8>), Failure> {
    let socket = TcpSocket::new_v4()?;
    if let Some(bytes) = receive_buffer {
        socket.set_recv_buffer_size(bytes)?;
    }
    let mut stream = socket.connect(served.address).await?;
    stream.set_nodelay(true)?;
    let request = match transport {
        Transport::Sse => {
            let path = format!("GET /v1/sessions/{session}/events?dialect=events&after={after}");
            format!("{}\r\n", served.head(&path)).into_bytes()
        }
        Transport::WebSocket => {
            let head = served
                .head("GET /v1/ws")
                .replacen("HTTP/1.0", "HTTP/1.1", 1);
            let head = format!(
                "{head}Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            );
            let subscribe =
                json!({"subscribe": {"session": session, "after": after, "dialect": "events"}});
            let text = subscribe.to_string();
            // A text with a mask of 0, sent without waiting for the response to the upgrade.
            let length = u16::try_from(text.len())?;
            let mut bytes = head.into_bytes();
            bytes.extend([0x81, 0x80 | 126]);
            bytes.extend(length.to_be_bytes());
            bytes.extend([0; 4]);
            bytes.extend(text.as_bytes());
            bytes
        }
    };
    stream.write_all(&request).await?;
    let mut buffer = Vec::with_capacity(1024);
    loop {
        let read = timeout(TIMEOUT, stream.read_buf(&mut buffer)).await??;
        let head = position(&buffer, b"\r\n\r\n").map(|end| end + 4);
        let text = String::from_utf8_lossy(&buffer[..head.unwrap_or(buffer.len())]);
        match head {
            None if read > 0 => {}
            Some(end) if text.contains(" 200 ") || text.contains(" 101 ") => {
                buffer.drain(..end);
                return Ok((stream, buffer));
            }
            _ => return Err(format!("no stream: {text}").into()),
        }
    }
}

/// Reads until the stream ends, which is an error.
async fn read(
    (mut stream, mut buffer): (TcpStream, Vec<u8>),
    transport: Transport,
    received: Arc<Mutex<Received>>,
    active: Arc<AtomicUsize>,
) -> Result<(), Failure> {
    let mut is_active = false;
    loop {
        let mut start = 0;
        let now = monotonic_ns();
        while let Some((text, length, is_ping)) = transport.frame(&buffer[start..]) {
            if is_ping {
                stream.write_all(&PONG).await?;
            } else if lock(&received).add(std::str::from_utf8(text)?, now) && !is_active {
                is_active = true;
                active.fetch_add(1, Ordering::Relaxed);
            }
            start += length;
        }
        buffer.drain(..start);
        if stream.read_buf(&mut buffer).await? == 0 {
            let rest = String::from_utf8_lossy(&buffer);
            return Err(format!("a stream has ended: {rest}").into());
        }
    }
}

impl Received {
    /// Adds the lines of a frame. Returns whether there are any.
    fn add(&mut self, frame: &str, now: u64) -> bool {
        let samples = match frame.contains(Flood::WRITTEN) {
            true => &mut self.durable,
            false => &mut self.deltas,
        };
        let before = samples.len();
        samples.extend(Flood::written_at(frame).map(|written| Sample {
            written,
            received: now,
        }));
        samples.len() > before
    }
}

impl Transport {
    /// Returns the first frame in the bytes, its length with everything around it, and whether it
    /// is a ping.
    pub(crate) fn frame(self, bytes: &[u8]) -> Option<(&[u8], usize, bool)> {
        match self {
            Self::Sse => {
                let end = position(bytes, b"\n\n")?;
                Some((&bytes[..end], end + 2, false))
            }
            Self::WebSocket => {
                let [kind, length, rest @ ..] = bytes else {
                    return None;
                };
                let (size, length) = match length {
                    126 => (2, u64::from(u16::from_be_bytes(*rest.first_chunk()?))),
                    127 => (8, u64::from_be_bytes(*rest.first_chunk()?)),
                    length => (0, u64::from(*length)),
                };
                let length = usize::try_from(length).ok()?;
                let text = rest.get(size..size + length)?;
                Some((text, 2 + size + length, kind & 0x0F == 9))
            }
        }
    }
}

fn position(bytes: &[u8], end: &[u8]) -> Option<usize> {
    bytes.windows(end.len()).position(|some| some == end)
}
