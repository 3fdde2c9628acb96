//! More sessions than may be awake, each with an input.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use claw_gateway::StoreLog;
use claw_gateway::client::NewInput;
use claw_server::event::{Fact, LifecycleState};
use claw_server::{EventLog as _, PageLimit, SessionId};
use claw_testkit::Turn;
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::World;

use crate::processes::{Process, Role, all};
use crate::served::Host;
use crate::session::close;

/// How long the model thinks, so that CLIs are awake at the same time.
const THINKS: Duration = Duration::from_secs(8);
/// How long everything may take.
const LIMIT: Duration = Duration::from_secs(1500);
const LOOK: Duration = Duration::from_millis(500);
/// Starts that are closer together than this, in milliseconds, have no order: two sessions that
/// got their places together read the store at the same time.
const TOGETHER: i64 = 250;
const GIB: f64 = (1 << 20) as f64;

/// What a session had: when its CLI was started, and whether its only input was processed.
struct Served {
    started: Option<i64>,
    is_processed: bool,
    starts: usize,
}

pub(crate) async fn figures(count: usize, limit: usize) -> Vec<Figure> {
    let awake = format!("--awake={limit}");
    let host = Host::new(None, &[&awake, "--idle=1s"]).await;
    let world = &host.world;
    world.api.fallback(Turn::text("It is done.").delay(THINKS));
    let gateway = host.serve("2").await;
    let mut targets = Vec::new();
    for _ in 0..count {
        targets.push(host.target().await);
    }
    let is_over = Arc::new(AtomicBool::new(false));
    let watching = tokio::task::spawn_blocking({
        let (world, is_over) = (Arc::clone(world), Arc::clone(&is_over));
        move || watch(&world, &is_over)
    });
    let log = host.log().await;
    let begin = Instant::now();
    for target in &targets {
        let input = NewInput::text("Do it.");
        target.client.input(target.session, &input).await.unwrap();
    }
    let mut failures = Vec::new();
    let mut sessions: BTreeSet<SessionId> = targets.iter().map(|one| one.session).collect();
    while !sessions.is_empty() && begin.elapsed() < LIMIT {
        tokio::time::sleep(LOOK).await;
        for session in sessions.clone() {
            if served(&log, session).await.is_processed {
                sessions.remove(&session);
            }
        }
    }
    let took = begin.elapsed();
    is_over.store(true, Ordering::Relaxed);
    let (most, memory) = watching.await.unwrap();
    let mut starts = Vec::new();
    for (number, target) in targets.iter().enumerate() {
        let served = served(&log, target.session).await;
        if !served.is_processed || served.starts != 1 {
            failures.push(format!("session {number}: {} starts", served.starts));
        }
        starts.push(served.started.unwrap_or(i64::MAX));
    }
    failures.extend(close(&host, gateway).await);
    let overtakes = |place: usize| {
        let earlier = starts[..place].iter();
        earlier
            .copied()
            .max()
            .is_some_and(|latest| starts[place] + TOGETHER < latest)
    };
    let overtaking = (0..count).filter(|place| overtakes(*place)).count();
    let name = format!("{count} awake real CLIs asked for at a limit of {limit}");
    let memory = memory as f64 / GIB;
    let seconds = took.as_secs();
    vec![
        Figure::new(
            format!("{name}: sessions that overtake an earlier one"),
            "0",
        )
        .measured(overtaking.to_string(), overtaking == 0),
        Figure::new(format!("{name}: CLIs alive at once"), format!("≤ {limit}"))
            .measured(most.to_string(), most <= limit && most * 2 > limit),
        Figure::new(
            format!("{name}: memory of gateway, holders and CLIs"),
            "≤ 6 GiB",
        )
        .measured(format!("{memory:.2} GiB"), memory <= 6.0)
        .note("The memory is the proportional set size of all processes, at its highest."),
        Figure::new(format!("{name}: failures"), "0")
            .measured(failures.len().to_string(), failures.is_empty())
            .note(format!("All turns took {seconds} s."))
            .list("failures", failures),
    ]
}

async fn served(log: &StoreLog, session: SessionId) -> Served {
    let events = log.read(session, 0, PageLimit::ALL).await.unwrap();
    let starts: Vec<i64> = events
        .iter()
        .filter(|event| {
            matches!(&event.fact, Fact::Lifecycle(now) if now.state == LifecycleState::Starting)
        })
        .map(|event| event.at_ms)
        .collect();
    let is_processed = |fact: &Fact| matches!(fact, Fact::InputProcessed(_));
    Served {
        started: starts.first().copied(),
        is_processed: events.iter().any(|event| is_processed(&event.fact)),
        starts: starts.len(),
    }
}

/// Returns the most CLIs at once, and the most memory in KiB, until `is_over`.
fn watch(world: &World, is_over: &AtomicBool) -> (usize, u64) {
    let (mut most, mut memory) = (0, 0);
    while !is_over.load(Ordering::Relaxed) {
        let all = all(world);
        most = most.max(all.iter().filter(|one| one.role == Role::Cli).count());
        memory = memory.max(all.iter().map(Process::memory).sum());
        std::thread::sleep(LOOK);
    }
    (most, memory)
}
