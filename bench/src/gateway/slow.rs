//! Many clients of one session, with and without clients that read slowly or never.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Result, ensure};
use claw_server::SessionId;
use claw_testkit::fake_claude::{FakeTurn, Flood};
use claw_testkit::figure::{Bar, Figure, quick};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::attempts::Attempts;
use super::clients::{Clients, Measured, if_delivered, window};
use super::follower::{Transport, connect};
use super::served::{DELTAS, EVENTS, Served, steady};
use crate::process::resident_kib;
use crate::verdicts::{as_ratio, judged};

/// How much a slow client reads in a second, and the buffer of its socket.
const SLOW_BYTES: usize = 16 * 1024;
const SLOW_BUFFER: u32 = 4096;
/// The size of a stored event. Clients that do not read are behind at once.
const BACKLOG_BYTES: u64 = 4000;
/// The memory that a client that does not read may use, in MiB. Ours, not of the issue.
const MEMORY_BAR: f64 = 1.0;

/// Sizes of a run.
#[derive(Clone, Copy)]
struct Plan {
    readers: usize,
    /// Clients that read slowly, and as many that never read.
    slow: usize,
    /// Events that are stored before.
    backlog: u64,
    rounds: usize,
}

const FULL: Plan = Plan {
    readers: 2000,
    slow: 100,
    backlog: 4000,
    rounds: 3,
};
const QUICK: Plan = Plan {
    readers: 100,
    slow: 10,
    backlog: 1000,
    rounds: 1,
};

struct Run {
    measured: Measured,
    /// The memory of the gateway in MiB before the clients.
    idle: f64,
    /// How many bytes the slow clients read.
    slow_bytes: usize,
}

pub(super) async fn figures() -> Result<Vec<Figure>> {
    let plan = if quick() { QUICK } else { FULL };
    let mut rounds = Attempts::new();
    let both = async || anyhow::Ok([run(plan, 0).await?, run(plan, plan.slow).await?]);
    while rounds.done.len() < plan.rounds && rounds.add(both()).await {}
    rounds.check()?;
    let ratio =
        rounds.spread(|[without, with]| with.measured.durable.p99 / without.measured.durable.p99);
    let each = rounds.spread(|[without, with]| {
        (with.measured.peak - without.measured.peak).max(0.0) / (2 * plan.slow) as f64
    });
    let slow = FULL.slow;
    let name = format!(
        "2,000 clients on one session with {EVENTS} durable events/s and {DELTAS} deltas/s: p99 of the others with {slow} clients that read slowly and {slow} that never read"
    );
    let bar = ("≤ 1.5×", Bar::AtMost(1.5));
    let mut others = judged(name, bar, as_ratio, ratio);
    let name = "memory of the gateway with 2,000 clients, and for each client that does not read";
    let bar = ("bounded: ≤ 1 MiB each", Bar::AtMost(MEMORY_BAR));
    let mut memory = judged(name, bar, |mib| format!("{mib:.2} MiB each"), each);
    if let Some(peak) = rounds.spread(|[_, with]| with.measured.peak) {
        memory.measured += &format!(", {:.0} MiB at most in all", peak.median);
    }
    for (number, pair) in (1..).zip(&rounds.done) {
        for (name, run) in ["without", "with"].into_iter().zip(pair) {
            others = others.note(format!("round {number}, {name}: {}", run.measured));
            let Measured {
                memory: end, peak, ..
            } = &run.measured;
            memory = memory.note(format!(
                "round {number}, {name}: {:.0} MiB before the clients, {end:.0} MiB at the end, {peak:.0} MiB at most; slow clients read {:.1} MB",
                run.idle,
                run.slow_bytes as f64 / 1e6
            ));
        }
    }
    let others = others.note(format!(
        "{} rounds of {:?}, in turns; half of all clients on SSE, half on WebSocket; the slow ones read {SLOW_BYTES} bytes/s and start from the first event, with {:.0} MB to read",
        plan.rounds,
        window(),
        (plan.backlog * BACKLOG_BYTES) as f64 / 1e6
    ));
    let runs = rounds.done.iter().flatten();
    let others = if_delivered(others, runs.map(|run| run.measured.delivered));
    Ok(vec![rounds.judge(others), rounds.judge(memory)])
}

async fn run(plan: Plan, slow: usize) -> Result<Run> {
    let backlog = Flood::new(plan.backlog).bytes(BACKLOG_BYTES);
    let served = Served::start([FakeTurn::new().step(backlog), steady()])?;
    let session = served.session().await?;
    served.prompt(session).await?;
    let after = wait_for_backlog(&served, session, plan.backlog).await?;
    let idle = resident_kib(served.process())? as f64 / 1024.0;
    let mut clients = Clients::default();
    for _ in 0..plan.readers {
        clients.follow(&served, session, after).await?;
    }
    // They are kept open, and their buffers fill.
    let (mut silent, mut slow_readers) = (Vec::new(), JoinSet::new());
    let slow_bytes = Arc::new(AtomicUsize::new(0));
    for index in 0..slow {
        let transport = Transport::of(index);
        let open = || connect(&served, transport, session, 0, Some(SLOW_BUFFER));
        silent.push(open().await?);
        slow_readers.spawn(read_slowly(open().await?.0, Arc::clone(&slow_bytes)));
    }
    served.prompt(session).await?;
    clients.wait_until_active().await?;
    let measured = clients.measure(&served, window()).await?;
    let slow_bytes = slow_bytes.load(Ordering::Relaxed);
    ensure!(slow == 0 || slow_bytes > 0, "the slow clients read nothing");
    Ok(Run {
        measured,
        idle,
        slow_bytes,
    })
}

/// Waits until the first turn is stored. Returns the sequence of its last event.
async fn wait_for_backlog(served: &Served, session: SessionId, backlog: u64) -> Result<u64> {
    let (start, mut last) = (Instant::now(), 0);
    loop {
        let now = served.last(session).await?;
        if now == last && now > backlog {
            return Ok(now);
        }
        last = now;
        let is_in_time = start.elapsed() < Duration::from_secs(60);
        ensure!(is_in_time, "{last} events of the backlog are stored");
        sleep(Duration::from_millis(500)).await;
    }
}

/// Reads a little at a time, and counts the bytes.
async fn read_slowly(mut stream: TcpStream, bytes: Arc<AtomicUsize>) {
    let mut buffer = vec![0; SLOW_BYTES / 10];
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        bytes.fetch_add(read, Ordering::Relaxed);
        sleep(Duration::from_millis(100)).await;
    }
}
