//! Three servers under fault: killed, paused, cut off and without power.

use std::time::Duration;

use claw_testkit::figure::{Figure, Spread, quick, record};

use crate::bodies::{Rng, seed};
use crate::check::{Counts, explain};
use crate::fleet::Fleet;
use crate::history::now;
use crate::workload::{LeasePlan, Plan};

pub(crate) mod cluster;
mod faults;
mod network;
mod tests;

use cluster::Cluster;
use faults::{Fault, PROCESSES, Pause};

/// The term of leases in the rounds that use them.
const TERM: Duration = Duration::from_secs(3);

/// What the rounds of a fault showed.
struct Rounds {
    fault: Fault,
    stalls: Vec<f64>,
    /// The slowest append of each round.
    slowest: Vec<f64>,
    counts: Counts,
    violations: Vec<String>,
}

/// Runs a fault under load and checks the sessions.
async fn round(cluster: &mut Cluster, fault: Fault, rng: &mut Rng, rounds: &mut Rounds) {
    let mut plan = Plan::new(rng.next(), 6);
    (plan.writers, plan.answerers, plan.followers) = (2, 2, 1);
    plan.pause_us = 20_000;
    if fault.needs_leases() {
        (plan.writers, plan.takers) = (0, 0);
    }
    let mut fleet = Fleet::new(cluster.engine(), plan).await;
    for index in 0..PROCESSES {
        let lease = fault.needs_leases().then_some(LeasePlan {
            term_ms: TERM.as_millis() as u64,
            share: Some((index as u32, PROCESSES as u32)),
        });
        let namespace = cluster.namespace_of_process(index);
        fleet.start(lease, namespace.as_deref());
    }
    for process in &mut fleet.processes {
        process.wait_for("started").await;
    }
    let load = Duration::from_millis(rng.between(1000, 2500) as u64);
    tokio::time::sleep(load).await;
    let begin = now();
    fault.run(cluster, &fleet, rng).await;
    // The load goes on for a while after the end of the fault.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let end = now();
    let verdict = fleet.finish().await;
    rounds.stalls.push(verdict.stall(begin..end));
    rounds.slowest.push(verdict.slowest_append(begin..end));
    rounds.counts += verdict.counts;
    if !verdict.violations.is_empty() {
        let text = explain(&verdict.history, &verdict.violations);
        eprintln!("{fault:?}: {text}");
        rounds.violations.push(text);
    }
}

/// Runs faults, each as often as the table requests, and records a figure for each.
async fn run(group: &str, cluster: &mut Cluster, faults: &[(Fault, usize)]) {
    let mut rng = Rng(seed(group));
    let mut figures = Vec::new();
    for (fault, count) in faults {
        let mut rounds = Rounds {
            fault: *fault,
            stalls: Vec::new(),
            slowest: Vec::new(),
            counts: Counts::default(),
            violations: Vec::new(),
        };
        let count = if quick() { 1 } else { *count };
        for _ in 0..count {
            round(cluster, *fault, &mut rng, &mut rounds).await;
        }
        let figure = rounds.figure();
        eprintln!("{}: {}; {}", figure.name, figure.measured, figure.notes[0]);
        figures.push(figure);
    }
    record(group, figures);
}

impl Rounds {
    fn figure(self) -> Figure {
        let Self {
            fault,
            stalls,
            slowest,
            counts,
            violations,
        } = self;
        let stall = Spread::of(&stalls).unwrap();
        let slowest = Spread::of(&slowest).unwrap();
        let measured = format!(
            "{} rounds: {} violations; no append acknowledged for {:.1} s (median) and {:.1} s at \
             most",
            stalls.len(),
            violations.len(),
            stall.median,
            stall.max
        );
        let is_enough = counts.events > 50 * stalls.len() && counts.followed > counts.events;
        let name = format!("three servers: {fault}");
        Figure::new(name, "0 violations; unavailability printed")
            .measured(measured, violations.is_empty() && is_enough)
            .note(counts.to_string())
            .note(format!(
                "The slowest append of an owner that kept its session took {:.1} s (median of the \
                 rounds) and {:.1} s at most. A server that does not lead the log leads other \
                 streams, which claims wait for.",
                slowest.median, slowest.max
            ))
            .list("violations", violations)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_servers_lose_and_double_nothing() {
    let faults = [
        (Fault::KillLeader, 8),
        (Fault::KillFollower, 4),
        (Fault::KillTwo, 4),
        (Fault::KillAll, 4),
    ];
    run("faults-kills", &mut Cluster::start(), &faults).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn paused_leaders_lose_and_double_nothing() {
    let pauses = [(1, 4), (5, 4), (15, 3)];
    let faults = pauses.map(|(seconds, count)| (Fault::PauseLeader(seconds), count));
    run("faults-pauses", &mut Cluster::start(), &faults).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cut_networks_lose_and_double_nothing() {
    let faults = [
        (Fault::CutLeaderFromPeers, 5),
        (Fault::UnplugLeader, 5),
        (Fault::MuteLeader, 3),
        (Fault::DeafenLeader, 3),
    ];
    run("faults-networks", &mut Cluster::start(), &faults).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_are_cut_off_or_paused_lose_their_sessions_only() {
    let faults = [
        (Fault::CutProcess, 4),
        (Fault::PauseProcess(Pause::Half), 3),
        (Fault::PauseProcess(Pause::Two), 4),
        (Fault::PauseProcess(Pause::Ten), 2),
    ];
    run("faults-processes", &mut Cluster::start(), &faults).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn power_cuts_lose_and_double_nothing() {
    let faults = [(1, 4), (2, 3), (3, 6)];
    let faults = faults.map(|(servers, count)| (Fault::CutPower(servers), count));
    run("faults-power", &mut Cluster::start_on_disks(), &faults).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_networks_lose_and_double_nothing() {
    let mut cluster = Cluster::start_behind_proxies().await;
    run("faults-slow", &mut cluster, &[(Fault::Slow, 4)]).await;
}
