//! The speed of the store against the bare engine. Run with `--release -- --ignored --nocapture`.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use claw_store::{Batch, Claim, Log as _, ReadLimit, SqliteStore};
use rusqlite::Connection;
use tempfile::TempDir;

use super::fixture::{open, owned};

const ROUND: Duration = Duration::from_secs(1);
const ROUNDS: usize = 5;

fn body() -> Bytes {
    Bytes::from(vec![b'x'; 1024])
}

fn fdatasync_rate(dir: &Path) -> f64 {
    let mut file = File::create(dir.join("raw")).unwrap();
    let start = Instant::now();
    let mut count = 0;
    while start.elapsed() < ROUND / 4 {
        file.write_all(&body()).unwrap();
        file.sync_data().unwrap();
        count += 1;
    }
    f64::from(count) / start.elapsed().as_secs_f64()
}

/// Appends with the statements of the store, in groups of a size.
fn bare_rate(path: &Path, group: u64, sids: &[i64]) -> f64 {
    let conn = Connection::open(path).unwrap();
    conn.execute_batch("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000")
        .unwrap();
    conn.set_prepared_statement_cache_capacity(64);
    let execute = |sql: &str, params: &[&dyn rusqlite::ToSql]| {
        conn.prepare_cached(sql).unwrap().execute(params).unwrap()
    };
    let mut lasts: Vec<i64> = sids
        .iter()
        .map(|sid| {
            let sql = "SELECT last FROM head WHERE id = ?";
            conn.query_row(sql, [sid], |row| row.get(0)).unwrap()
        })
        .collect();
    let body = body();
    let (start, mut count) = (Instant::now(), 0u64);
    while start.elapsed() < ROUND {
        execute("BEGIN IMMEDIATE", &[]);
        for _ in 0..group {
            let index = count as usize % sids.len();
            let (sid, last) = (sids[index], &mut lasts[index]);
            let sql = "UPDATE head SET last = ?1, bytes = bytes + ?2
                WHERE id = ?3 AND epoch = ?4 AND status = 1 AND last = ?5";
            assert_eq!(execute(sql, &[&(*last + 1), &1024, &sid, &1, last]), 1);
            *last += 1;
            let sql = "INSERT INTO event (sid, k, epoch, at, body) VALUES (?, ?, ?, ?, ?)";
            execute(
                sql,
                &[&sid, last, &1, &1_700_000_000_000_i64, &body.as_ref()],
            );
            count += 1;
        }
        execute("COMMIT", &[]);
    }
    count as f64 / start.elapsed().as_secs_f64()
}

/// A session and its last event.
type Writer = (Arc<Claim>, Arc<AtomicU64>);

async fn writers(store: &SqliteStore, count: u64) -> Vec<Writer> {
    let mut writers = Vec::new();
    for _ in 0..count {
        writers.push((Arc::new(owned(store).await.1), Arc::default()));
    }
    writers
}

/// Appends from all sessions at the same time. Returns the number of appends, and adds their times.
async fn append_all(store: &SqliteStore, writers: &[Writer], times: &mut Vec<Duration>) -> f64 {
    let start = Instant::now();
    let mut tasks = Vec::new();
    for (claim, last) in writers {
        let (store, claim, last) = (store.clone(), claim.clone(), last.clone());
        tasks.push(tokio::spawn(async move {
            let batch = Batch::from(vec![body()]);
            let mut times = Vec::new();
            while start.elapsed() < ROUND {
                let sent = Instant::now();
                let after = last.load(Ordering::Relaxed);
                let appended = store.append(&claim, after, &batch).await.unwrap();
                last.store(appended.last, Ordering::Relaxed);
                times.push(sent.elapsed());
            }
            times
        }));
    }
    let before = times.len();
    for task in tasks {
        times.extend(task.await.unwrap());
    }
    (times.len() - before) as f64 / start.elapsed().as_secs_f64()
}

/// Measures the store and the bare engine in turns, because other programs slow both down.
async fn compare(dir: &Path, count: u64) {
    let paths = ["store.db", "bare.db"].map(|name| dir.join(format!("{count}-{name}")));
    let store = open(&paths[0]).await;
    let own = writers(&store, count).await;
    writers(&open(&paths[1]).await, count).await;
    let sids: Vec<i64> = (1..=count as i64).collect();
    let (mut times, mut rates) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let syncs = fdatasync_rate(dir);
        let rate = append_all(&store, &own, &mut times).await;
        let bare = bare_rate(&paths[1], count, &sids);
        println!("{count} sessions: {rate:.0}/s, bare {bare:.0}/s, fdatasync {syncs:.0}/s");
        rates.push(rate / bare);
    }
    times.sort_unstable();
    rates.sort_by(f64::total_cmp);
    let at = |share: usize| times[times.len() * share / 100];
    let median = rates[rates.len() / 2];
    println!(
        "{count} sessions: p50 {:?}, p99 {:?}, median {median:.2}x",
        at(50),
        at(99)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes half a minute and needs an idle machine"]
async fn store_reaches_most_of_the_bare_engine() {
    let dir = TempDir::new().unwrap();
    compare(dir.path(), 100).await;
    compare(dir.path(), 1).await;

    let store = open(&dir.path().join("read.db")).await;
    let all = writers(&store, 1001).await;
    let batch = Batch::from(vec![body(); 10]);
    for round in 0..1000 {
        for (claim, last) in [&all[0], &all[round + 1]] {
            let after = last.fetch_add(10, Ordering::Relaxed);
            store.append(claim, after, &batch).await.unwrap();
        }
    }
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let (mut last, mut first) = (0, None);
        loop {
            let read = store.read(all[0].0.key(), last, ReadLimit::default());
            let page = read.await.unwrap();
            first.get_or_insert_with(|| start.elapsed());
            let Some(event) = page.last() else { break };
            last = event.sequence;
        }
        let rate = last as f64 / start.elapsed().as_secs_f64();
        println!("{last} events: read {rate:.0}/s, first page after {first:?}");
    }
}
