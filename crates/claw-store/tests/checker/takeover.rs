//! How long sessions are without an owner after theirs has died.

use std::time::Duration;

use claw_testkit::figure::{Figure, Spread, quick, record};

use crate::bodies::{Rng, seed};
use crate::check::{Counts, Rule, explain};
use crate::fleet::{Fleet, Verdict};
use crate::history::{Call, Nanos, Outcome, now};
use crate::nemesis::cluster::Cluster;
use crate::process::Engine;
use crate::workload::{LeasePlan, Plan};

const SESSIONS: u32 = 6;

/// What happens to the process that owns all sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Death {
    Kill,
    /// It is paused for two terms, and then goes on.
    Pause,
}

/// Returns how long each session had no owner, in seconds.
async fn take_over(
    engine: &Engine,
    seed: u64,
    term: Duration,
    death: Death,
) -> (Vec<f64>, Verdict) {
    let mut plan = Plan::new(seed, SESSIONS);
    (plan.writers, plan.takers) = (0, 0);
    let mut fleet = Fleet::new(engine.clone(), plan).await;
    let term_ms = term.as_millis() as u64;
    for share in [Some((0, 1)), None] {
        let index = fleet.start(Some(LeasePlan { term_ms, share }), None);
        fleet.processes[index].wait_for("started").await;
    }
    // The owner claims its sessions, and the other one sees its record.
    tokio::time::sleep(term / 2 + Duration::from_secs(1)).await;
    let (owner, other) = (fleet.processes[0].number, fleet.processes[1].number);
    let begin = now();
    match death {
        Death::Kill => {
            fleet.kill(0);
            tokio::time::sleep(term + Duration::from_secs(2)).await;
        }
        Death::Pause => {
            let fault = pause(&fleet, engine).await;
            tokio::time::sleep(term * 2).await;
            fleet.resume(0, fault);
            // It tries to append.
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
    }
    let verdict = fleet.finish().await;
    verdict.assert_clean(&format!("{death:?} of process {owner}, term {term:?}"));
    let times = (0..SESSIONS).map(|session| {
        let claim = verdict.history.session(session).find_map(|operation| {
            let is_taken = operation.worker.starts_with(&format!("{other}."))
                && matches!(operation.call, Call::Claim { .. })
                && matches!(operation.outcome, Outcome::Ok(_));
            operation.end.filter(|_| is_taken)
        });
        let claim = claim.unwrap_or(Nanos::MAX);
        claim.saturating_sub(begin) as f64 / 1e9
    });
    (times.collect(), verdict)
}

/// Pauses the owner, but not while it holds the lock of SQLite, which would block every takeover.
async fn pause(fleet: &Fleet, engine: &Engine) -> u64 {
    for _ in 0..1000 {
        let fault = fleet.pause(0);
        let Engine::Sqlite(path) = engine else {
            return fault;
        };
        let conn = rusqlite::Connection::open(path).unwrap();
        conn.busy_timeout(Duration::ZERO).unwrap();
        if conn.execute_batch("BEGIN IMMEDIATE; ROLLBACK").is_ok() {
            return fault;
        }
        fleet.resume(0, fault);
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
    panic!("the owner always locks the file");
}

/// Measures takeovers with a term.
async fn measure(
    engine: &Engine,
    name: &str,
    term: Duration,
    deaths: &[Death],
    rng: &mut Rng,
) -> Figure {
    let mut times = Vec::new();
    let mut counts = Counts::default();
    for death in deaths {
        let (taken, verdict) = take_over(engine, rng.next(), term, *death).await;
        eprintln!("{name}, term {term:?}, {death:?}: {taken:.2?}");
        times.extend(taken);
        counts += verdict.counts;
    }
    let spread = Spread::of(&times).unwrap();
    let limit = term + Duration::from_secs(1);
    let bar = format!("≤ {} s, 0 stolen, 0 stale", limit.as_secs());
    let seconds = term.as_secs();
    let Counts { refused, .. } = counts;
    let name = format!("{name}: new owner after the death of the old one, term {seconds} s");
    Figure::new(name, bar)
        .measured(
            format!("{:.2} s at most, 0, 0", spread.max),
            spread.max <= limit.as_secs_f64(),
        )
        .note(format!(
            "{deaths:?} (two terms) with {SESSIONS} sessions each: {:.2} s to {:.2} s, median \
             {:.2} s; {refused} stale appends were refused; {counts}",
            spread.min, spread.max, spread.median
        ))
}

async fn figures(engine: &Engine, name: &str, rng: &mut Rng) -> Vec<Figure> {
    use Death::{Kill, Pause};
    let terms: &[(u64, &[Death])] = match quick() {
        true => &[(3, &[Kill])],
        false => &[(3, &[Kill, Pause, Kill, Pause]), (10, &[Kill, Pause])],
    };
    let mut figures = Vec::new();
    for (term, deaths) in terms {
        let term = Duration::from_secs(*term);
        figures.push(measure(engine, name, term, deaths, rng).await);
    }
    figures
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_sessions_get_a_new_owner_in_time() {
    let mut rng = Rng(seed("takeover-sqlite"));
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::Sqlite(folder.path().join("store.db"));
    let figures = figures(&engine, "SQLite", &mut rng).await;
    record("takeover-sqlite", figures);
}

/// The stream with the records of nodes.
const NODES: &str = "claw_NODE";

/// Kills the server that leads the records of nodes while all owners live.
async fn change_leader(cluster: &mut Cluster, seed: u64, term: Duration) -> Verdict {
    let mut plan = Plan::new(seed, SESSIONS);
    (plan.writers, plan.takers) = (0, 0);
    let mut fleet = Fleet::new(cluster.engine(), plan).await;
    let term_ms = term.as_millis() as u64;
    for index in 0..2 {
        let share = Some((index, 2));
        fleet.start(Some(LeasePlan { term_ms, share }), None);
    }
    for process in &mut fleet.processes {
        process.wait_for("started").await;
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let leader = cluster.servers.leader_of(NODES).unwrap();
    cluster.servers.kill(leader);
    cluster.servers.leader_of(NODES).unwrap();
    cluster.recover();
    // A lease that was lost shows after a term.
    tokio::time::sleep(term + Duration::from_secs(2)).await;
    fleet.finish().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jetstream_sessions_get_a_new_owner_in_time_and_none_is_stolen() {
    let mut rng = Rng(seed("takeover-jetstream"));
    let mut cluster = Cluster::start();
    let mut figures = figures(&cluster.engine(), "three servers", &mut rng).await;
    let terms: &[(u64, usize)] = if quick() {
        &[(3, 1)]
    } else {
        &[(3, 4), (10, 2)]
    };
    for (seconds, rounds) in terms {
        let term = Duration::from_secs(*seconds);
        let mut counts = Counts::default();
        let (mut stolen, mut text) = (0, Vec::new());
        for _ in 0..*rounds {
            let verdict = change_leader(&mut cluster, rng.next(), term).await;
            counts += verdict.counts;
            let thefts = verdict
                .violations
                .iter()
                .filter(|found| found.rule == Rule::Theft);
            stolen += thefts.count();
            if !verdict.violations.is_empty() {
                text.push(explain(&verdict.history, &verdict.violations));
            }
        }
        let name = format!(
            "three servers: leases stolen from a live holder in {rounds} leader changes, term \
             {seconds} s"
        );
        let figure = Figure::new(name, "0")
            .measured(stolen.to_string(), text.is_empty())
            .note(counts.to_string())
            .list("violations", text);
        figures.push(figure);
    }
    record("takeover-jetstream", figures);
}
