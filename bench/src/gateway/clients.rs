//! Clients that read at once, and the latency of what they receive.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use claw_server::SessionId;
use claw_testkit::fake_claude::Flood;
use claw_testkit::figure::{Figure, quick};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::follower::{PONG, Stream, Transport, connect};
use super::processors::Processors;
use super::served::{DELTAS, EVENTS, Served};
use crate::percentiles::{Percentiles, monotonic_ns};
use crate::process::{peak_kib, resident_kib};

/// Below this share of its lines, a run measures how late lines are, but not how late all are.
pub(super) const DELIVERED: f64 = 0.95;
/// A gateway that delivers less does not work.
const LEAST_DELIVERED: f64 = 0.2;
/// How long clients may take to start: sessions that take longer do not start.
const START: Duration = Duration::from_secs(60);
/// How long the last lines of a window may take.
const LAST_LINES: Duration = Duration::from_secs(1);

/// A line of a CLI: when it was written and received, by the clock of the machine.
#[derive(Debug, Clone, Copy)]
struct Line {
    written: u64,
    received: u64,
    is_durable: bool,
}

/// How long lines are measured in a round.
pub fn window() -> Duration {
    Duration::from_secs(if quick() { 2 } else { 15 })
}

/// Removes the verdict from a figure whose lines did not all arrive: the others may be later.
pub(super) fn if_delivered(mut figure: Figure, delivered: impl Iterator<Item = f64>) -> Figure {
    let least = delivered.fold(f64::INFINITY, f64::min);
    if least < DELIVERED {
        figure.passed &= quick();
        figure.within_spread = false;
        let percent = least * 100.0;
        let note = format!("only {percent:.0} % of the lines arrived in a round");
        figure = figure.note(note);
    }
    figure
}

type Lines = Arc<Mutex<Vec<Line>>>;

/// Clients, and what they received.
#[derive(Debug, Default)]
pub struct Clients {
    received: Vec<(Transport, Lines)>,
    tasks: JoinSet<Result<()>>,
    /// How many have received a line.
    active: Arc<AtomicUsize>,
}

/// What clients received in a window, and what that cost.
#[derive(Debug)]
pub struct Measured {
    pub(super) clients: usize,
    /// The latencies of durable events.
    pub durable: Percentiles,
    /// The latencies of deltas.
    pub deltas: Percentiles,
    /// Of durable events, over SSE and over WebSocket.
    pub(super) by_transport: [Percentiles; 2],
    /// The share of the lines that the CLIs were to write, and clients received.
    pub(super) delivered: f64,
    pub(super) processors: Processors,
    /// The memory of the gateway in MiB: at the end, and the most.
    pub memory: f64,
    pub(super) peak: f64,
}

impl Clients {
    /// The number of clients.
    pub fn count(&self) -> usize {
        self.received.len()
    }

    /// Connects a client that reads a session from a cursor on: every second one over WebSocket.
    pub(super) async fn follow(
        &mut self,
        served: &Served,
        session: SessionId,
        after: u64,
    ) -> Result<()> {
        let transport = Transport::of(self.count());
        let stream = connect(served, transport, session, after, None).await?;
        let lines = Lines::default();
        self.received.push((transport, Arc::clone(&lines)));
        let active = Arc::clone(&self.active);
        self.tasks.spawn(read(stream, transport, lines, active));
        Ok(())
    }

    /// Starts sessions with a client each. Returns when all of them stream, and caches are warm.
    ///
    /// # Errors
    /// Returns an error if the gateway refuses one, or if they do not stream within a minute.
    pub async fn start_sessions(&mut self, served: &Served, count: usize) -> Result<()> {
        for _ in 0..count {
            let session = served.session().await?;
            self.follow(served, session, 0).await?;
            served.prompt(session).await?;
        }
        self.wait_until_active().await
    }

    /// Waits until every client has received a line, and a second longer.
    pub(super) async fn wait_until_active(&mut self) -> Result<()> {
        let (start, all) = (Instant::now(), self.count());
        while self.active.load(Ordering::Relaxed) < all {
            self.check()?;
            let active = self.active.load(Ordering::Relaxed);
            if start.elapsed() > START {
                bail!("after {START:?}, {active} of {all} clients receive lines");
            }
            sleep(Duration::from_millis(50)).await;
        }
        sleep(Duration::from_secs(1)).await;
        Ok(())
    }

    /// Fails if a client was disconnected.
    fn check(&mut self) -> Result<()> {
        self.tasks.try_join_next().map_or(Ok(()), |ended| ended?)
    }

    /// Measures the lines that the CLIs write in a window.
    ///
    /// # Errors
    /// Returns an error if a client was disconnected.
    pub async fn measure(&mut self, served: &Served, window: Duration) -> Result<Measured> {
        self.received
            .iter()
            .for_each(|(_, lines)| lock(lines).clear());
        let (before, from) = (Processors::read(served.process())?, monotonic_ns());
        sleep(window).await;
        let (after, to) = (Processors::read(served.process())?, monotonic_ns());
        sleep(LAST_LINES).await;
        self.check()?;
        let times = |is_wanted: fn(&Line, Transport) -> bool| {
            let mut times = Vec::new();
            for (transport, lines) in &self.received {
                let lines = lock(lines);
                let wanted = lines.iter().filter(|line| {
                    is_wanted(line, *transport) && (from..to).contains(&line.written)
                });
                times.extend(wanted.map(|line| late_ms(line.written, line.received)));
            }
            Percentiles::of(times)
        };
        let durable = times(|line, _| line.is_durable);
        let deltas = times(|line, _| !line.is_durable);
        let rate = f64::from(EVENTS + DELTAS) * self.count() as f64;
        let expected = (to - from) as f64 / 1e9 * rate;
        let delivered = (durable.count + deltas.count) as f64 / expected;
        ensure!(
            durable.count > 0 && deltas.count > 0 && delivered > LEAST_DELIVERED,
            "{} durable lines and {} deltas arrived of {expected:.0} lines",
            durable.count,
            deltas.count
        );
        let mib = |kib: u64| kib as f64 / 1024.0;
        Ok(Measured {
            clients: self.count(),
            durable,
            deltas,
            by_transport: [
                times(|line, transport| line.is_durable && transport == Transport::Sse),
                times(|line, transport| line.is_durable && transport == Transport::WebSocket),
            ],
            delivered,
            processors: after.since(before),
            memory: mib(resident_kib(served.process())?),
            peak: mib(peak_kib(served.process())?),
        })
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Percentiles { p50, p99, .. } = self.deltas;
        write!(
            f,
            "durable {}; deltas p50 {p50:.2} / p99 {p99:.2} ms; {:.0} % of the lines, gateway {:.0} MiB; {}",
            self.durable,
            self.delivered * 100.0,
            self.memory,
            self.processors
        )
    }
}

/// The milliseconds between two times of [`monotonic_ns`].
pub fn late_ms(written: u64, received: u64) -> f64 {
    received.saturating_sub(written) as f64 / 1e6
}

fn lock(lines: &Lines) -> MutexGuard<'_, Vec<Line>> {
    lines.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads until the stream ends, which is an error.
async fn read(
    Stream(mut stream, mut buffer): Stream,
    transport: Transport,
    lines: Lines,
    active: Arc<AtomicUsize>,
) -> Result<()> {
    let mut is_active = false;
    loop {
        let received = monotonic_ns();
        let mut start = 0;
        while let Some((text, length, is_ping)) = transport.frame(&buffer[start..]) {
            if is_ping {
                stream.write_all(&PONG).await?;
            }
            let text = std::str::from_utf8(text)?;
            let is_durable = text.contains(Flood::WRITTEN);
            let written = Flood::written_at(text).map(|written| Line {
                written,
                received,
                is_durable,
            });
            lock(&lines).extend(written);
            start += length;
        }
        buffer.drain(..start);
        if !is_active && !lock(&lines).is_empty() {
            is_active = true;
            active.fetch_add(1, Ordering::Relaxed);
        }
        if stream.read_buf(&mut buffer).await? == 0 {
            bail!("a stream has ended: {}", String::from_utf8_lossy(&buffer));
        }
    }
}
