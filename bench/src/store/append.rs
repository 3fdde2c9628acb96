//! Append throughput beside the bare engine: the same statements, or the same frames.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use claw_store::Store;
use claw_testkit::figure::{Bar, Figure, quick};
use claw_testkit::nats::{NatsOptions, NatsServers};
use rusqlite::{Connection, ToSql};

use super::nats::from_leader;
use super::raw::{FRAME, Raw};
use super::sessions::{Append, BODY, appending, rounds, sqlite};
use crate::percentiles::{Percentiles, ms};
use crate::process::runtime;
use crate::rounds::Rounds;
use crate::tasks::in_tasks;
use crate::verdicts::{as_ratio, judged, per_second, with_spread};

/// The sessions of JetStream that append at the same time, each one frame after the other.
pub(super) const WRITERS: usize = 64;

pub(super) fn on_sqlite() -> Result<Vec<Figure>> {
    let compare = |sessions, who: &str| {
        let folder = tempfile::tempdir()?;
        let bare = folder.path().join("bare");
        let runtime = runtime()?;
        let writers = |path| {
            runtime
                .block_on(async { Writers::new(Arc::new(sqlite(path).await?), sessions, 1).await })
        };
        // The bare engine has the same tables and sessions.
        drop(writers(&bare)?);
        let own = writers(&folder.path().join("own"))?;
        let name = format!("append throughput against the bare engine: SQLite, {who}");
        let bare = |time| bare_rate(&bare, sessions, time);
        let figure = compare(name, &runtime, own, bare)?;
        Ok(figure.note(format!("bare: one connection with the same tables, triggers, settings and fence, {sessions} events in a transaction")))
    };
    [(100, "100 sessions"), (1, "one session")]
        .map(|(count, who)| compare(count, who))
        .into_iter()
        .collect()
}

pub(super) fn on_jetstream() -> Result<Vec<Figure>> {
    let compare = |count, replicas: &str| {
        let servers = NatsServers::start(&NatsOptions::new(count))?;
        let runtime = runtime()?;
        let store = runtime.block_on(from_leader(&servers, 0))?;
        let own = runtime.block_on(Writers::new(Arc::new(store), WRITERS, FRAME))?;
        let raw = runtime.block_on(Raw::new(&servers))?;
        let mut bare = Writers {
            calls: (0..WRITERS)
                .map(|index| (raw.appending(index), 0))
                .collect(),
            events: FRAME,
        };
        let name = format!("append throughput on JetStream against a raw client: {replicas}");
        let bare = |time| runtime.block_on(bare.append(time, &mut Vec::new()));
        let figure = compare(name, &runtime, own, bare)?;
        Ok(figure
            .note(format!("{WRITERS} sessions, each with frames of {FRAME} events over one connection; `sync_interval: always`, republish on"))
            .note(format!("the raw client repeated {} frames that the server refused because the one before was still being stored (10164)", raw.refusals())))
    };
    [(1, "one replica"), (3, "three replicas")]
        .map(|(count, replicas)| compare(count, replicas))
        .into_iter()
        .collect()
}

/// Measures a store and the bare engine in turns, because other programs slow both down.
fn compare(
    name: String,
    runtime: &tokio::runtime::Runtime,
    mut writers: Writers,
    mut bare: impl FnMut(Duration) -> Result<f64>,
) -> Result<Figure> {
    let time = Duration::from_millis(if quick() { 300 } else { 3000 });
    let mut acks = Vec::new();
    let mut measure = |at| match at {
        0 => runtime.block_on(writers.append(time, &mut acks)),
        _ => bare(time),
    };
    // Not counted: connections and caches are new.
    for at in 0..2 {
        measure(at)?;
    }
    let rounds = Rounds::measure(rounds(), &["store", "bare"], measure)?;
    let bar = ("≥ 0.8×", Bar::AtLeast(0.8));
    let mut figure = judged(name, bar, as_ratio, rounds.ratio("bare", "store")?);
    let [own, bare] = [rounds.spread("store")?, rounds.spread("bare")?];
    figure.measured += &format!(", {}", per_second(own.median));
    let [own, bare] = [own, bare].map(|rates| with_spread(rates, per_second));
    let (syncs, acks) = (sync_rate()?, Percentiles::of(acks));
    let notes = [
        format!("store {own}, bare {bare}; rounds of {time:?}, in turns"),
        format!("events of {BODY} bytes; time to the acknowledgement: {acks}"),
        format!("the disk syncs {syncs:.0} writes of 4 KiB a second (fdatasync)"),
    ];
    Ok(notes.into_iter().fold(figure, Figure::note))
}

/// Sessions that append at the same time, each with its last event, and so many events at once.
struct Writers {
    calls: Vec<(Append, u64)>,
    events: usize,
}

impl Writers {
    async fn new(store: Arc<dyn Store>, count: usize, events: usize) -> Result<Self> {
        let mut calls = Vec::new();
        for index in 0..count {
            calls.push((appending(&store, index, events).await?, 0));
        }
        Ok(Self { calls, events })
    }

    /// Appends for a time, one call after the other in each session. Returns the events per second,
    /// and adds the milliseconds until each acknowledgement.
    async fn append(&mut self, time: Duration, acks: &mut Vec<f64>) -> Result<f64> {
        let start = Instant::now();
        let calls = std::mem::take(&mut self.calls).into_iter();
        let appends = calls.map(|(append, mut last)| async move {
            let mut acks = Vec::new();
            while start.elapsed() < time {
                let sent = Instant::now();
                last = append(last).await?;
                acks.push(ms(sent.elapsed()));
            }
            Ok(((append, last), acks))
        });
        let mut count = 0;
        for (call, some) in in_tasks(appends).await? {
            self.calls.push(call);
            count += some.len() * self.events;
            acks.extend(some);
        }
        Ok(count as f64 / start.elapsed().as_secs_f64())
    }
}

/// Appends with the statements of the store, one event of each session in a transaction.
fn bare_rate(path: &Path, sessions: usize, time: Duration) -> Result<f64> {
    let conn = Connection::open(path)?;
    conn.execute_batch("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000")?;
    conn.set_prepared_statement_cache_capacity(64);
    let execute = |sql: &str, params: &[&dyn ToSql]| conn.prepare_cached(sql)?.execute(params);
    let mut lasts = Vec::new();
    for sid in 1..=sessions as i64 {
        let sql = "SELECT last FROM head WHERE id = ?";
        lasts.push(conn.query_row(sql, [sid], |row| row.get::<_, i64>(0))?);
    }
    let body = vec![b'x'; BODY];
    let (start, mut count) = (Instant::now(), 0u64);
    while start.elapsed() < time {
        execute("BEGIN IMMEDIATE", &[])?;
        for (sid, last) in (1i64..).zip(&mut lasts) {
            let sql = "UPDATE head SET last = ?1, bytes = bytes + ?2
                WHERE id = ?3 AND epoch = ?4 AND status = 1 AND last = ?5";
            let changed = execute(sql, &[&(*last + 1), &(BODY as i64), &sid, &1, last])?;
            ensure!(changed == 1, "the bare engine's fence refused an event");
            *last += 1;
            let sql = "INSERT INTO event (sid, k, epoch, at, body) VALUES (?, ?, ?, ?, ?)";
            let at = 1_700_000_000_000_i64;
            execute(sql, &[&sid, last, &1, &at, &body])?;
            count += 1;
        }
        execute("COMMIT", &[])?;
    }
    Ok(count as f64 / start.elapsed().as_secs_f64())
}

/// How often a second the disk of the temporary folder syncs a small write.
fn sync_rate() -> Result<f64> {
    let mut file = tempfile::tempfile()?;
    let (start, mut count) = (Instant::now(), 0);
    while start.elapsed() < Duration::from_millis(500) {
        file.write_all(&[0; 4096])?;
        file.sync_data()?;
        count += 1;
    }
    Ok(f64::from(count) / start.elapsed().as_secs_f64())
}
