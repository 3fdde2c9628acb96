//! Memory and attach time as the number of sessions grows, and replay on the largest store.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use claw_store::{Live, ReadLimit, Store};
use claw_testkit::figure::{Bar, Figure, Spread, quick};
use futures_util::StreamExt as _;

use super::loader::{Loader, SHORT};
use super::nats::{partitioned, server_in};
use super::replay::{self, fast};
use super::sessions::{key, rounds, sqlite};
use crate::percentiles::{Percentiles, ms};
use crate::process::{json_of, measured, resident_kib};
use crate::verdicts::{as_ratio, judged};

/// The process that attaches.
pub(super) const PROGRAM: &str = "store-attach";
/// The most sessions to which it attaches.
const ATTACHED: usize = 500;
/// The first ones open connections and compile statements, and are not counted.
const WARM_UP: usize = 20;
/// The events of a frame of the long session on JetStream: 64 KiB, as a busy session packs them.
const FRAME: usize = 64;

fn stages() -> [usize; 3] {
    if quick() {
        [50, 100, 200]
    } else {
        [1_000, 10_000, 100_000]
    }
}

pub(super) async fn on_sqlite() -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir()?;
    let mut loader = Loader::new(stages()[2], 1, 1);
    let mut measured = Vec::new();
    for stage in stages() {
        let store = fast(&folder.path().join("store.db")).await?;
        loader.fill(&store, stage).await?;
        drop(store);
        measured.push(Stage::measure(folder.path(), "store.db", stage)?);
    }
    let name =
        "memory of engine and client, and attach time at 1,000 / 10,000 / 100,000 sessions: SQLite";
    let bar = "printed; attach ≤ 2× from first to last";
    Ok(vec![figure(name, bar, &measured)])
}

pub(super) async fn on_jetstream() -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let mut loader = Loader::new(stages()[2], SHORT, FRAME);
    let (mut measured, mut engines) = (Vec::new(), Vec::new());
    for stage in stages() {
        // Without `sync_interval: always`, which is on for the measurement.
        let server = server_in(folder, false)?;
        let store = partitioned(&server.urls()[0]).await?;
        loader.fill(&store, stage).await?;
        let owner = mb(std::process::id())?;
        drop((store, server));
        let server = server_in(folder, true)?;
        measured.push(Stage::measure(folder, &server.urls()[0], stage)?);
        let engine = mb(server.pid(0).context("the server has ended")?)?;
        engines.push(format!(
            "{stage} sessions: server {engine:.0} MB, the client that owns all {owner:.0} MB"
        ));
    }
    drop(loader);
    let name =
        "attach time on JetStream from 1,000 to 100,000 sessions; memory of engine and client";
    let scale = figure(name, "≤ 2×, printed", &measured);
    let scale = scale.list("after a restart of the server, one replica", engines);
    let server = server_in(folder, true)?;
    // What a client gets first may be short.
    let first = ReadLimit {
        events: FRAME,
        ..ReadLimit::default()
    };
    let mut replays = Vec::new();
    for _ in 0..=rounds() {
        // A new handle remembers nothing.
        let store = partitioned(&server.urls()[0]).await?;
        replays.push(replay::read(&store, first).await?);
    }
    let cold = replays.remove(0);
    let name = |what: &str| {
        format!(
            "replay of one session of 10,000 events beside 100,000 of {SHORT} on JetStream, warm: {what}"
        )
    };
    let [all, first] = replay::figures(name, "events per second", &replays);
    let all = all.note(format!("{} other sessions, one replica; the frames of {FRAME} events lie between those of the others, evenly", stages()[2]));
    let cold = format!(
        "cold, after a restart of the server: {cold}; the system keeps the files in memory"
    );
    Ok(vec![all.note(cold), first, scale])
}

/// What a process reports: the p50 and the p99 of the times in milliseconds, and its memory in MB
/// before and afterwards.
type Attached = [f64; 4];

/// What processes report that attach to so many sessions of a store.
struct Stage(usize, Vec<Attached>);

impl Stage {
    fn measure(folder: &Path, store: &str, sessions: usize) -> Result<Self> {
        let args = [store, &sessions.to_string()];
        let run = |_| json_of::<Attached>(measured(PROGRAM, folder)?.args(args));
        // Read once before it is measured.
        run(0)?;
        let runs = (0..rounds()).map(run).collect::<Result<_>>()?;
        Ok(Self(sessions, runs))
    }

    fn row(&self) -> String {
        let [p50, p99, opened, attached] = [0, 1, 2, 3].map(|at| {
            let values: Vec<f64> = self.1.iter().map(|run| run[at]).collect();
            Spread::of(&values).map_or(f64::NAN, |spread| spread.median)
        });
        let (sessions, followed) = (self.0, self.0.min(ATTACHED));
        format!(
            "{sessions} sessions: attach p50 {p50:.3} ms, p99 {p99:.2} ms; memory {opened:.1} MB after the start, {attached:.1} MB with {followed} followed sessions"
        )
    }
}

fn figure(name: &str, bar: &str, stages: &[Stage]) -> Figure {
    let (first, last) = (&stages[0].1, &stages[stages.len() - 1].1);
    let runs = first.iter().zip(last);
    let ratios: Vec<f64> = runs.map(|(first, last)| last[0] / first[0]).collect();
    judged(name, (bar, Bar::AtMost(2.0)), as_ratio, Spread::of(&ratios))
        .list("sizes", stages.iter().map(Stage::row))
        .note(format!("attach: `follow` from the start of a session until its first event, one after the other, spread over all sessions of {SHORT} events of 1 KB; {} rounds, each in a process of its own", rounds()))
}

fn mb(process: u32) -> Result<f64> {
    Ok(resident_kib(process)? as f64 / 1e3)
}

/// Attaches to sessions of a store, which is a file in the working folder or on a server, and
/// prints what that costs.
pub(super) async fn attach(args: &[String]) -> Result<()> {
    let [place, sessions] = args else {
        bail!("usage: {PROGRAM} STORE SESSIONS");
    };
    let sessions: usize = sessions.parse()?;
    let store: Arc<dyn Store> = if place.ends_with(".db") {
        Arc::new(sqlite(Path::new(place)).await?)
    } else {
        Arc::new(partitioned(place).await?)
    };
    let opened = mb(std::process::id())?;
    let followers = sessions.min(ATTACHED);
    let (mut times, mut streams) = (Vec::new(), Vec::new());
    for number in 0..followers {
        let key = key(number * sessions / followers)?;
        let start = Instant::now();
        let mut stream = store.follow(&key, 0).await?;
        let live = stream.next().await.context("the stream has ended")??;
        let is_first = matches!(&live, Live::Event(event) if event.sequence == 1);
        ensure!(is_first, "{live:?} comes first");
        times.push(ms(start.elapsed()));
        streams.push(stream);
    }
    let Percentiles { p50, p99, .. } = Percentiles::of(times.split_off(WARM_UP));
    let report: Attached = [p50, p99, opened, mb(std::process::id())?];
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}
