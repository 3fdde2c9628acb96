//! Append throughput against the bare engine.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use claw_store::{Batch, Claim, Log as _, SqliteStore};
use claw_testkit::figure::{Bar, Figure, quick};
use rusqlite::{Connection, ToSql};

use super::{BODY, body, open, owned, percentile, rounds, spread};
use crate::Failure;

/// The sessions that append at the same time, each one event at a time.
const SESSIONS: usize = 100;
const AT_LEAST: f64 = 0.8;

fn round() -> Duration {
    Duration::from_millis(if quick() { 300 } else { 2000 })
}

pub(crate) async fn figures() -> Result<Vec<Figure>, Failure> {
    let mut figures = Vec::new();
    for sessions in [SESSIONS, 1] {
        figures.push(compare(sessions).await?);
    }
    Ok(figures)
}

/// A session and its last event.
type Writer = (Arc<Claim>, Arc<AtomicU64>);

async fn writers(store: &SqliteStore, count: usize) -> Result<Vec<Writer>, Failure> {
    let mut writers = Vec::new();
    for _ in 0..count {
        writers.push((Arc::new(owned(store).await?), Arc::default()));
    }
    Ok(writers)
}

/// Measures the store and the bare engine in turns, because other programs slow both down.
async fn compare(sessions: usize) -> Result<Figure, Failure> {
    let dir = tempfile::tempdir()?;
    let paths = ["store.db", "bare.db"].map(|name| dir.path().join(name));
    let store = open(&paths[0]).await?;
    let own = writers(&store, sessions).await?;
    writers(&open(&paths[1]).await?, sessions).await?;
    let (mut times, mut ratios, mut rates) = (Vec::new(), Vec::new(), Vec::new());
    let (mut bares, mut syncs) = (Vec::new(), Vec::new());
    for number in 0..rounds() {
        syncs.push(fdatasync_rate(dir.path())?);
        let bare = || bare_rate(&paths[1], sessions);
        // Each one is first in half of the rounds.
        let early = (number % 2 == 1).then(bare).transpose()?;
        let rate = append_all(&store, &own, &mut times).await?;
        let bare = early.map_or_else(bare, Ok)?;
        ratios.push(rate / bare);
        rates.push(rate);
        bares.push(bare);
    }
    let ratio = spread(&ratios)?;
    let [rate, bare, sync] = [&rates, &bares, &syncs].map(|values| spread(values));
    let (rate, bare, sync) = (rate?, bare?, sync?);
    let (p50, p99) = (percentile(&mut times, 0.5)?, percentile(&mut times, 0.99)?);
    let who = match sessions {
        1 => "one session".to_owned(),
        _ => format!("{sessions} sessions"),
    };
    let name = format!("append throughput against the bare engine: SQLite, {who}");
    let text = format!(
        "{:.2}× ({:.2}–{:.2}), {:.0} events/s",
        ratio.median, ratio.min, ratio.max, rate.median
    );
    Ok(Figure::new(name, "≥ 0.8×")
        .judged(text, ratio, Bar::AtLeast(AT_LEAST))
        .note(format!(
            "store {:.0} events/s ({:.0}–{:.0}), bare {:.0} ({:.0}–{:.0}), raw fdatasync of {BODY} bytes {:.0}/s ({:.0}–{:.0}); {} rounds of {:?}, in turns",
            rate.median, rate.min, rate.max, bare.median, bare.min, bare.max,
            sync.median, sync.min, sync.max, ratios.len(), round(),
        ))
        .note(format!("time to the acknowledgement: p50 {p50:.2} ms, p99 {p99:.2} ms"))
        .note(format!("bare: one connection with the same tables, triggers, settings and fence, {sessions} events in a transaction")))
}

fn fdatasync_rate(dir: &Path) -> Result<f64, Failure> {
    let mut file = File::create(dir.join("raw"))?;
    let (start, mut count) = (Instant::now(), 0);
    while start.elapsed() < round() / 8 {
        file.write_all(&body())?;
        file.sync_data()?;
        count += 1;
    }
    Ok(f64::from(count) / start.elapsed().as_secs_f64())
}

/// Appends with the statements of the store, one event of each session in a transaction.
fn bare_rate(path: &Path, sessions: usize) -> Result<f64, Failure> {
    let conn = Connection::open(path)?;
    conn.execute_batch("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000")?;
    conn.set_prepared_statement_cache_capacity(64);
    let execute = |sql: &str, params: &[&dyn ToSql]| conn.prepare_cached(sql)?.execute(params);
    let mut lasts = Vec::new();
    for sid in 1..=sessions as i64 {
        let sql = "SELECT last FROM head WHERE id = ?";
        lasts.push(conn.query_row(sql, [sid], |row| row.get::<_, i64>(0))?);
    }
    let body = body();
    let (start, mut count) = (Instant::now(), 0u64);
    while start.elapsed() < round() {
        execute("BEGIN IMMEDIATE", &[])?;
        for (sid, last) in (1i64..).zip(&mut lasts) {
            let sql = "UPDATE head SET last = ?1, bytes = bytes + ?2
                WHERE id = ?3 AND epoch = ?4 AND status = 1 AND last = ?5";
            let changed = execute(sql, &[&(*last + 1), &(BODY as i64), &sid, &1, last])?;
            if changed != 1 {
                return Err("the fence of the bare engine refused an event".into());
            }
            *last += 1;
            let sql = "INSERT INTO event (sid, k, epoch, at, body) VALUES (?, ?, ?, ?, ?)";
            let at = 1_700_000_000_000_i64;
            execute(sql, &[&sid, last, &1, &at, &body.as_ref()])?;
            count += 1;
        }
        execute("COMMIT", &[])?;
    }
    Ok(count as f64 / start.elapsed().as_secs_f64())
}

/// Appends from all sessions at the same time. Returns the events per second, and adds the times to
/// the acknowledgements in milliseconds.
async fn append_all(
    store: &SqliteStore,
    writers: &[Writer],
    times: &mut Vec<f64>,
) -> Result<f64, Failure> {
    let start = Instant::now();
    let mut tasks = Vec::new();
    for (claim, last) in writers {
        let (store, claim, last) = (store.clone(), claim.clone(), last.clone());
        tasks.push(tokio::spawn(async move {
            let batch = Batch::from(vec![body()]);
            let mut times = Vec::new();
            while start.elapsed() < round() {
                let sent = Instant::now();
                let after = last.load(Ordering::Relaxed);
                let appended = store.append(&claim, after, &batch).await?;
                last.store(appended.last, Ordering::Relaxed);
                times.push(super::ms(sent.elapsed()));
            }
            Ok::<_, Failure>(times)
        }));
    }
    let before = times.len();
    for task in tasks {
        times.extend(task.await??);
    }
    Ok((times.len() - before) as f64 / start.elapsed().as_secs_f64())
}
