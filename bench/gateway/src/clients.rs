//! Many clients of one session, with and without clients that read slowly or never.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use claw_testkit::fake_claude::{FakeTurn, Flood};
use claw_testkit::figure::{Bar, Figure, Spread, quick};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::Failure;
use crate::client::{Clients, Transport, Window, connect};
use crate::percentiles::Percentiles;
use crate::processors::{Shares, Snapshot, resident_mib};
use crate::served::{DELTAS, EVENTS, Served, steady};

/// Clients that read slowly, and as many that never read.
const SLOW: usize = 100;
/// How much a slow client reads in a second, and the buffer of its socket.
const SLOW_BYTES: usize = 16 * 1024;
const SLOW_BUFFER: u32 = 4096;
/// What is stored before, so that clients that do not read are behind at once: 16 MB.
const BACKLOG: u64 = 4000;
const BACKLOG_BYTES: u64 = 4000;
/// The most that the latency of the others may grow.
const BAR: f64 = 1.5;
/// The memory that a client that does not read may use, in MiB. Ours, not of the issue.
const MEMORY_BAR: f64 = 1.0;

fn readers() -> usize {
    if quick() { 100 } else { 2000 }
}

fn slow() -> usize {
    if quick() { 10 } else { SLOW }
}

fn rounds() -> usize {
    if quick() { 1 } else { 3 }
}

fn window() -> Duration {
    Duration::from_secs(if quick() { 2 } else { 15 })
}

struct Run {
    durable: Percentiles,
    deltas: Percentiles,
    shares: Shares,
    /// The memory of the gateway in MiB: before the clients, at the end, and the most.
    idle: f64,
    memory: f64,
    peak: f64,
    /// How many bytes the slow clients read.
    slow_bytes: usize,
}

pub(crate) async fn figures() -> Result<Vec<Figure>, Failure> {
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..rounds() {
        without.push(run(false).await?);
        with.push(run(true).await?);
    }
    let pairs = || without.iter().zip(&with);
    let spread = |values: Vec<f64>| Spread::of(&values).ok_or("no rounds");
    let ratio = spread(
        pairs()
            .map(|(one, two)| two.durable.p99 / one.durable.p99)
            .collect(),
    )?;
    let each = spread(
        pairs()
            .map(|(one, two)| (two.peak - one.peak).max(0.0) / (2 * slow()) as f64)
            .collect(),
    )?;
    let peak = spread(with.iter().map(|run| run.peak).collect())?;
    let mut others = Figure::new(
        format!(
            "2,000 clients on one session with {EVENTS} durable events/s and {DELTAS} deltas/s: p99 of the others with {SLOW} clients that read slowly and {SLOW} that never read"
        ),
        "≤ 1.5×",
    )
    .judged(
        format!("{:.2}× ({:.2}–{:.2})", ratio.median, ratio.min, ratio.max),
        ratio,
        Bar::AtMost(BAR),
    );
    for (number, (one, two)) in (1..).zip(pairs()) {
        for (name, run) in [("without", one), ("with", two)] {
            others = others.note(format!(
                "round {number}, {name}: durable {}; deltas p50 {:.1} / p99 {:.1} ms; {}",
                run.durable, run.deltas.p50, run.deltas.p99, run.shares
            ));
        }
    }
    let mut memory = Figure::new(
        "memory of the gateway with 2,000 clients, and for each client that does not read",
        "bounded: ≤ 1 MiB each",
    )
    .judged(
        format!(
            "{:.0} MiB at most in all, {:.2} MiB each ({:.2}–{:.2})",
            peak.median, each.median, each.min, each.max
        ),
        each,
        Bar::AtMost(MEMORY_BAR),
    );
    for (number, (one, two)) in (1..).zip(pairs()) {
        for (name, run) in [("without", one), ("with", two)] {
            memory = memory.note(format!(
                "round {number}, {name}: {:.0} MiB before the clients, {:.0} MiB at the end, {:.0} MiB at most; slow clients read {:.1} MB",
                run.idle,
                run.memory,
                run.peak,
                run.slow_bytes as f64 / 1e6
            ));
        }
    }
    let backlog = BACKLOG * BACKLOG_BYTES / 1_000_000;
    Ok(vec![
        others.note(format!(
            "{} rounds of {:?}, in turns; half of all clients on SSE, half on WebSocket; the slow ones read {SLOW_BYTES} bytes/s and start from the first event, with {backlog} MB to read",
            rounds(),
            window()
        )),
        memory,
    ])
}

async fn run(has_slow: bool) -> Result<Run, Failure> {
    let backlog = Flood::new(BACKLOG).bytes(BACKLOG_BYTES);
    let served = Served::start([FakeTurn::new().step(backlog), steady()])?;
    let session = served.session().await?;
    served.prompt(&session).await?;
    let after = wait_for_backlog(&served, &session).await?;
    let idle = resident_mib(served.process())?.0;
    let transport = |index: usize| match index % 2 {
        0 => Transport::Sse,
        _ => Transport::WebSocket,
    };
    let mut clients = Clients::default();
    for index in 0..readers() {
        let transport = transport(index);
        clients.follow(&served, transport, &session, after).await?;
    }
    // They are kept open, and their buffers fill.
    let (mut silent, mut slow_readers) = (Vec::new(), JoinSet::new());
    let slow_bytes = Arc::new(AtomicUsize::new(0));
    for index in 0..if has_slow { slow() } else { 0 } {
        let open = || connect(&served, transport(index), &session, 0, Some(SLOW_BUFFER));
        silent.push(open().await?);
        slow_readers.spawn(read_slowly(open().await?.0, Arc::clone(&slow_bytes)));
    }
    served.prompt(&session).await?;
    clients.wait_until_active().await?;
    sleep(Duration::from_secs(2)).await;
    let before = Snapshot::take(served.process())?;
    let window = Window::wait(window()).await;
    let shares = before.until(Snapshot::take(served.process())?);
    clients.check()?;
    let (memory, peak) = resident_mib(served.process())?;
    Ok(Run {
        durable: window.durable(&clients, None),
        deltas: window.deltas(&clients, None),
        shares,
        idle,
        memory,
        peak,
        slow_bytes: slow_bytes.load(Ordering::Relaxed),
    })
}

/// Waits until the first turn is stored. Returns the sequence of its last event.
async fn wait_for_backlog(served: &Served, session: &str) -> Result<u64, Failure> {
    let start = Instant::now();
    let mut last = 0;
    while start.elapsed() < Duration::from_secs(60) {
        let now = served.last(session).await?;
        if now == last && now > BACKLOG {
            return Ok(now);
        }
        last = now;
        sleep(Duration::from_millis(500)).await;
    }
    Err(format!("{last} events of the backlog are stored").into())
}

/// Reads a little at a time, and counts the bytes.
async fn read_slowly(mut stream: TcpStream, bytes: Arc<AtomicUsize>) {
    let mut buffer = vec![0; SLOW_BYTES / 10];
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        bytes.fetch_add(read, Ordering::Relaxed);
        sleep(Duration::from_millis(100)).await;
    }
}
