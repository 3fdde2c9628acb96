//! SQLite under fault: processes are killed while they write to one file.

use std::time::Duration;

use claw_testkit::figure::{Figure, quick, record};

use crate::bodies::{Rng, seed};
use crate::check::Counts;
use crate::fleet::Fleet;
use crate::process::Engine;
use crate::workload::Plan;

/// Kills in a run, after which the sessions are checked.
const KILLS_PER_RUN: usize = 20;
const PROCESSES: usize = 3;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_during_load_lose_and_double_nothing() {
    let seed = seed("sqlite-kills");
    let runs = if quick() { 1 } else { 10 };
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::Sqlite(folder.path().join("store.db"));
    let mut counts = Counts::default();
    let (mut kills, mut opened) = (0, 0);
    let mut rng = Rng(seed);
    for run in 0..runs {
        let plan = Plan::new(rng.next(), 4);
        let mut fleet = Fleet::new(engine.clone(), plan).await;
        fleet.start_all(PROCESSES).await;
        let end = kills + KILLS_PER_RUN;
        while kills < end {
            tokio::time::sleep(Duration::from_millis(rng.between(10, 200) as u64)).await;
            // All at once: the next process recovers the log of the file.
            let count = if rng.percent(20) { PROCESSES } else { 1 };
            for _ in 0..count {
                let victim = rng.between(0, fleet.processes.len());
                fleet.kill(victim);
                kills += 1;
            }
            match rng.percent(80) {
                true => fleet.start_all(count).await,
                // The next kill meets a process that opens the file.
                false => {
                    for _ in 0..count {
                        fleet.start(None, None);
                    }
                }
            }
        }
        let verdict = fleet.finish().await;
        verdict.assert_clean(&format!("run {run}"));
        counts += verdict.counts;
        opened += verdict.opened();
    }
    let figure = Figure::new(
        "SQLite: SIGKILL during load",
        "0 lost, 0 doubled, opens every time",
    )
    .measured(
        format!("{kills} kills, 0 violations, opened {opened} times"),
        true,
    )
    .note(counts.to_string());
    record("sqlite-kills", vec![figure]);
}
