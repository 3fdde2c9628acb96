//! Replay of one long session beside many short ones.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use claw_store::{Live, ReadLimit, SqliteOptions, SqliteStore, Store};
use claw_testkit::figure::{Bar, Figure, Spread, quick};
use futures_util::StreamExt as _;

use super::loader::{LONG, LONG_INDEX, Loader, SHORT};
use super::sessions::{key, rounds, sqlite};
use crate::percentiles::ms;
use crate::verdicts::{in_ms, judged, per_second, with_spread};

pub(super) async fn on_sqlite() -> Result<Vec<Figure>> {
    let sessions = if quick() { 200 } else { 100_000 };
    let folder = tempfile::tempdir()?;
    let (filled, path) = (folder.path().join("filled"), folder.path().join("store.db"));
    let start = Instant::now();
    let store = fast(&filled).await?;
    Loader::new(sessions, 1, 1).fill(&store, sessions).await?;
    // A copy has no log beside it.
    store.backup(&path).await?;
    let loading = start.elapsed().as_secs_f64();
    let megabytes = std::fs::metadata(&path)?.len() / 1_000_000;
    let mut cold = Vec::new();
    for _ in 0..3 {
        drop_cache(&path)?;
        let one = read(&sqlite(&path).await?, ReadLimit::default()).await?;
        cold.push(one.to_string());
    }
    let store: Arc<dyn Store> = Arc::new(sqlite(&path).await?);
    let (mut warm, mut followed) = (Vec::new(), Vec::new());
    for _ in 0..rounds() {
        warm.push(read(&*store, ReadLimit::default()).await?);
        followed.push(follow(&*store).await?);
    }
    let followed = Spread::of(&followed).context("no rounds")?;
    let name = |what: &str| {
        format!(
            "replay of one session of {LONG} events beside {sessions} sessions of {SHORT} events, SQLite, warm: {what}"
        )
    };
    let [all, first] = figures(name, "all events", &warm);
    Ok(vec![
        all.note(format!(
            "{} rounds of pages of 1,024 events or 1 MiB; as a follower, one event at a time: {}",
            rounds(), with_spread(followed, per_second)
        ))
        .note(format!("{megabytes} MB, the events of the long session are spread over all of it; loaded in {loading:.0} s"))
        .list("cold: opened again, with the pages of the file dropped from the cache", cold),
        first,
    ])
}

/// Opens a store that does not wait for the disk.
pub(super) async fn fast(path: &Path) -> Result<SqliteStore> {
    let options = SqliteOptions {
        is_synchronous: false,
        ..SqliteOptions::default()
    };
    Ok(SqliteStore::open(path, options).await?)
}

/// A replay of the long session: the milliseconds until the first page, and the events per second.
pub(super) struct Replay {
    first: f64,
    rate: f64,
}

impl std::fmt::Display for Replay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { first, rate } = self;
        write!(f, "{rate:.0} events/s, first events after {first:.1} ms")
    }
}

/// The figures of some replays.
pub(super) fn figures(name: impl Fn(&str) -> String, all: &str, replays: &[Replay]) -> [Figure; 2] {
    let rates: Vec<f64> = replays.iter().map(|replay| replay.rate).collect();
    let firsts: Vec<f64> = replays.iter().map(|replay| replay.first).collect();
    let bar = ("≥ 100,000 events/s", Bar::AtLeast(100_000.0));
    let all = judged(name(all), bar, per_second, Spread::of(&rates));
    let bar = ("≤ 20 ms", Bar::AtMost(20.0));
    [
        all,
        judged(name("first events"), bar, in_ms, Spread::of(&firsts)),
    ]
}

/// Reads the long session.
pub(super) async fn read(store: &dyn Store, first_page: ReadLimit) -> Result<Replay> {
    let (start, key) = (Instant::now(), key(LONG_INDEX)?);
    let (mut last, mut limit, mut first) = (0, first_page, None);
    while last < LONG as u64 {
        let page = store.read(&key, last, limit).await?;
        first.get_or_insert_with(|| ms(start.elapsed()));
        last = page.last().context("events are missing")?.sequence;
        limit = ReadLimit::default();
    }
    ensure!(last == LONG as u64, "{last} events were read");
    Ok(Replay {
        first: first.unwrap_or(f64::NAN),
        rate: LONG as f64 / start.elapsed().as_secs_f64(),
    })
}

/// Follows the long session until its end. Returns the events per second.
async fn follow(store: &dyn Store) -> Result<f64> {
    let start = Instant::now();
    let mut stream = store.follow(&key(LONG_INDEX)?, 0).await?;
    loop {
        let live = stream.next().await.context("the stream has ended")??;
        if let Live::Head { last } = live {
            ensure!(last == LONG as u64, "the history ends at {last}");
            return Ok(LONG as f64 / start.elapsed().as_secs_f64());
        }
    }
}

/// Drops the pages of a file from the cache of the system.
fn drop_cache(path: &Path) -> Result<()> {
    let mut dd = Command::new("dd");
    dd.arg(format!("of={}", path.display()));
    dd.args(["oflag=nocache", "conv=notrunc,fdatasync", "count=0"]);
    let status = dd.stdin(Stdio::null()).stderr(Stdio::null()).status()?;
    ensure!(status.success(), "dd did not drop the pages of the file");
    Ok(())
}
