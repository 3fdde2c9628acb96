//! Replay of a long session beside many others, and what many sessions cost.

use std::path::Path;
use std::time::{Duration, Instant};

use claw_store::{Batch, Claim, JetStreamConfig, JetStreamStore, Live, Log as _, ReadLimit};
use claw_testkit::figure::{Bar, Figure, quick};
use claw_testkit::nats::{NatsOptions, NatsServers};
use claw_testkit::processes::cpu_time;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::{Value, json};

use super::{EVENT, PARTITIONS, claim, events, key_of, load, spread};
use crate::Failure;

const ROUNDS: usize = 7;
/// The sessions that are created at the same time.
const PARALLEL: usize = 64;
const SHORT: usize = 10;
const LONG: usize = 10_000;
/// The events of a frame of the long session: 64 KiB, as a busy session packs them.
const FRAME: usize = 64;
/// The index of the long session.
const LONG_INDEX: usize = 999_999;
const REPLAY_BAR: f64 = 100_000.0;
const FIRST_BAR_MS: f64 = 20.0;
const ATTACH_BAR: f64 = 2.0;

pub(crate) async fn figures() -> Result<Vec<Figure>, Failure> {
    let stages: &[usize] = if quick() {
        &[100, 200, 400]
    } else {
        &[1000, 10_000, 100_000]
    };
    let most = stages.last().copied().unwrap_or(0);
    let folder = tempfile::tempdir()?;
    let mut loader = Loader::default();
    let (mut rows, mut attach) = (Vec::new(), Vec::new());
    let mut loading = Duration::ZERO;
    for stage in stages {
        let start = Instant::now();
        let servers = start_servers(folder.path(), false)?;
        let owner = loader.fill(&servers, *stage, most).await?;
        loading += start.elapsed();
        drop(servers);
        let servers = start_servers(folder.path(), true)?;
        // Read once before it is measured.
        attached(&servers, *stage).await?;
        let report = attached(&servers, *stage).await?;
        let number = |name: &str| report[name].as_f64().unwrap_or(f64::NAN);
        attach.push(number("median_ms"));
        rows.push(format!(
            "{stage} sessions: server {:.0} MiB, client {:.0} MiB with {} followers, the client that owns all {owner:.0} MiB; attach median {:.2} ms, p99 {:.2} ms",
            resident_mib(servers.pid(0).unwrap_or(0))?, number("resident_mib"),
            report["followers"], number("median_ms"), number("p99_ms"),
        ));
    }
    let ratio = attach.last().copied().unwrap_or(f64::NAN) / attach[0];
    let scale = Figure::new("attach time on JetStream from 1,000 to 100,000 sessions; memory of engine and client", "≤ 2×, printed")
        .measured(format!("{ratio:.2}×"), ratio <= ATTACH_BAR)
        .list("after a restart of the server, one replica", &rows)
        .note("attach: `follow` from the start of a session until its first event, one after the other, in a process of its own")
        .note(load());
    loader.claims.clear();
    let mut figures = replay(folder.path(), most, loading).await?;
    figures.push(scale);
    Ok(figures)
}

async fn replay(folder: &Path, sessions: usize, loading: Duration) -> Result<Vec<Figure>, Failure> {
    let servers = start_servers(folder, true)?;
    let (cold_rate, cold_first) = read_all(&open(&servers).await?).await?;
    let (mut rates, mut firsts) = (Vec::new(), Vec::new());
    let engine = servers.pid(0).unwrap_or(0);
    let before = (cpu_time(), cpu_of(engine)?);
    for _ in 0..ROUNDS {
        // A new handle remembers nothing.
        let (rate, first) = read_all(&open(&servers).await?).await?;
        rates.push(rate);
        firsts.push(first);
    }
    let each = |time: Duration| time.as_secs_f64() * 1e6 / (ROUNDS * LONG) as f64;
    let client = each(cpu_time() - before.0);
    let server = each(cpu_of(engine)?.saturating_sub(before.1));
    let (rate, first) = (spread(&rates)?, spread(&firsts)?);
    let title = |what: &str| {
        format!(
            "replay of one session of 10,000 events beside 100,000 of {SHORT} on JetStream, warm: {what}"
        )
    };
    let rate_text = format!(
        "{:.0} events/s ({:.0}–{:.0})",
        rate.median, rate.min, rate.max
    );
    let first_text = format!("{:.1} ms ({:.1}–{:.1})", first.median, first.min, first.max);
    Ok(vec![
        Figure::new(title("events per second"), "≥ 100,000 events/s")
            .judged(rate_text, rate, Bar::AtLeast(REPLAY_BAR))
            .note(format!("{sessions} other sessions; events of {EVENT} bytes, one replica, {PARTITIONS} partitions; the frames of {FRAME} events lie between those of the others, evenly; {ROUNDS} rounds, each with a new handle"))
            .note(format!("cold, after a restart of the server: {cold_rate:.0} events/s, first events after {cold_first:.1} ms; the system keeps the files in memory"))
            .note(format!("processor time of an event, warm, which does not depend on the load: client {client:.1} µs, server {server:.1} µs"))
            .note(format!("written in {:.0} s without `sync_interval: always`, which was on for the measurement", loading.as_secs_f64()))
            .note(load()),
        Figure::new(title("first events"), "≤ 20 ms").judged(first_text, first, Bar::AtMost(FIRST_BAR_MS)),
    ])
}

/// Reads the long session. Returns the events per second, and the milliseconds until the first page.
async fn read_all(store: &JetStreamStore) -> Result<(f64, f64), Failure> {
    let key = key_of(LONG_INDEX)?;
    let start = Instant::now();
    let (mut last, mut first) = (0, None);
    loop {
        // What a client gets first may be short.
        let limit = match first {
            None => ReadLimit {
                events: FRAME,
                ..ReadLimit::default()
            },
            Some(_) => ReadLimit::default(),
        };
        let events = store.read(&key, last, limit).await?;
        let Some(event) = events.last() else {
            break;
        };
        first.get_or_insert_with(|| start.elapsed().as_secs_f64() * 1e3);
        last = event.sequence;
    }
    if last as usize != LONG {
        return Err(format!("{last} of {LONG} events were read").into());
    }
    let rate = LONG as f64 / start.elapsed().as_secs_f64();
    Ok((rate, first.unwrap_or(f64::NAN)))
}

async fn open(servers: &NatsServers) -> Result<JetStreamStore, Failure> {
    let mut config = JetStreamConfig::new(servers.urls());
    config.partitions = Some(PARTITIONS);
    config.deadline = Duration::from_secs(60);
    Ok(JetStreamStore::open(config).await?)
}

fn start_servers(folder: &Path, is_synced: bool) -> Result<NatsServers, Failure> {
    let mut options = NatsOptions::new(1);
    options.folder = Some(folder.to_path_buf());
    options.is_synced = is_synced;
    Ok(NatsServers::start(&options)?)
}

/// Creates sessions, and the long one between them.
#[derive(Default)]
struct Loader {
    claims: Vec<Claim>,
    long: Option<Claim>,
    last: u64,
}

impl Loader {
    /// Creates sessions until there are `stage` of `most`. Returns the memory of this process.
    async fn fill(
        &mut self,
        servers: &NatsServers,
        stage: usize,
        most: usize,
    ) -> Result<f64, Failure> {
        let store = open(servers).await?;
        let (batch, frame) = (events(SHORT), events(FRAME));
        let long = match self.long.take() {
            Some(long) => long,
            None => claim(&store, LONG_INDEX).await?,
        };
        let store = &store;
        let step = (most / LONG.div_ceil(FRAME)).max(1);
        while self.claims.len() < stage {
            let first = self.claims.len();
            let indices = first..stage.min(first + step);
            let created = indices.map(|index| create(store, index, &batch));
            let created = stream::iter(created).buffer_unordered(PARALLEL);
            self.claims.extend(created.try_collect::<Vec<_>>().await?);
            self.append_long(store, &long, &frame, FRAME).await?;
        }
        if stage == most {
            self.append_long(store, &long, &frame, LONG).await?;
        }
        self.long = Some(long);
        resident_mib(std::process::id())
    }

    /// Appends frames to the long session until it has `count` more events or all.
    async fn append_long(
        &mut self,
        store: &JetStreamStore,
        long: &Claim,
        frame: &Batch,
        count: usize,
    ) -> Result<(), Failure> {
        let end = (self.last as usize + count).min(LONG);
        while (self.last as usize) < end {
            let mut frame = frame.clone();
            frame.events.truncate(end - self.last as usize);
            self.last = store.append(long, self.last, &frame).await?.last;
        }
        Ok(())
    }
}

async fn create(store: &JetStreamStore, index: usize, batch: &Batch) -> Result<Claim, Failure> {
    let claim = claim(store, index).await?;
    store.append(&claim, 0, batch).await?;
    Ok(claim)
}

/// Measures in another process how long it takes to attach to sessions.
async fn attached(servers: &NatsServers, sessions: usize) -> Result<Value, Failure> {
    let program = std::env::current_exe()?;
    let url = servers.urls().remove(0);
    let args = ["attach-jetstream", &url, &sessions.to_string()].map(str::to_owned);
    let run = move || std::process::Command::new(program).args(args).output();
    let output = tokio::task::spawn_blocking(run).await??;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Attaches to some of the sessions and prints how long that takes, and the memory with all of the
/// followers.
pub(crate) async fn attach(url: &str, sessions: &str) -> Result<(), Failure> {
    let sessions: usize = sessions.parse()?;
    let config = JetStreamConfig::new(vec![url.to_owned()]);
    let store = JetStreamStore::open(config).await?;
    let sample = sessions.min(500);
    let (mut followers, mut times) = (Vec::new(), Vec::new());
    for index in 0..sample {
        let key = key_of(index * (sessions / sample))?;
        let start = Instant::now();
        let mut follower = store.follow(&key, 0).await?;
        while !matches!(follower.next().await, Some(Ok(Live::Event(_)))) {}
        times.push(start.elapsed().as_secs_f64() * 1e3);
        followers.push(follower);
    }
    let report = json!({
        "followers": sample,
        "median_ms": spread(&times)?.median,
        "p99_ms": super::p99(&mut times)?,
        "resident_mib": resident_mib(std::process::id())?,
    });
    println!("{report}");
    Ok(())
}

/// Returns the processor time of another process.
fn cpu_of(pid: u32) -> Result<Duration, Failure> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks = ticks.map(str::parse::<u64>).sum::<Result<u64, _>>()?;
    // Linux reports 100 ticks a second to programs.
    Ok(Duration::from_millis(ticks * 10))
}

/// Returns the memory of a process.
fn resident_mib(pid: u32) -> Result<f64, Failure> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    Ok(kib.ok_or("the memory of a process cannot be read")? / 1024.0)
}
