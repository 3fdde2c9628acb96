//! Replay of one long session beside many short ones.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use claw_store::{Live, Log as _, ReadLimit, SqliteStore};
use claw_testkit::figure::{Bar, Figure, quick};
use futures_util::StreamExt as _;

use super::loaded::{EVENTS, LONG, key, load};
use super::{ms, open, rounds, spread};
use crate::Failure;

pub(crate) async fn figures() -> Result<Vec<Figure>, Failure> {
    let sessions = if quick() { 1_000 } else { 100_000 };
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("store.db");
    let start = Instant::now();
    load(&path, sessions).await?;
    let loading = start.elapsed();
    let megabytes = std::fs::metadata(&path)?.len() / 1_000_000;
    let mut cold = Vec::new();
    for _ in 0..3 {
        drop_cache(&path)?;
        let store = open(&path).await?;
        cold.push(read(&store).await?);
    }
    let store = open(&path).await?;
    let (mut rates, mut firsts, mut followed) = (vec![], vec![], vec![]);
    for _ in 0..rounds() {
        let (first, all) = read(&store).await?;
        firsts.push(ms(first));
        rates.push(LONG as f64 / all.as_secs_f64());
        followed.push(LONG as f64 / follow(&store).await?.as_secs_f64());
    }
    let (rate, first, followed) = (spread(&rates)?, spread(&firsts)?, spread(&followed)?);
    let cold = cold.iter().map(|(first, all)| {
        let rate = LONG as f64 / all.as_secs_f64();
        format!(
            "{rate:.0} events/s, first events after {:.1} ms",
            ms(*first)
        )
    });
    let name = |what: &str| {
        format!(
            "replay of one session of {LONG} events beside {sessions} sessions of {EVENTS} events, SQLite, warm: {what}"
        )
    };
    let all = Figure::new(name("all events"), "≥ 100,000 events/s").judged(
        format!(
            "{:.0} events/s ({:.0}–{:.0})",
            rate.median, rate.min, rate.max
        ),
        rate,
        Bar::AtLeast(100_000.0),
    );
    let start = Figure::new(name("first events"), "≤ 20 ms").judged(
        format!("{:.2} ms ({:.2}–{:.2})", first.median, first.min, first.max),
        first,
        Bar::AtMost(20.0),
    );
    Ok(vec![
        all.note(format!(
            "{} rounds of pages of 1,024 events or 1 MiB; as a follower, one event at a time: {:.0} events/s ({:.0}–{:.0})",
            rounds(), followed.median, followed.min, followed.max
        ))
        .note(format!("{megabytes} MB, the events of the long session are spread over all of it; loaded in {:.0} s", loading.as_secs_f64()))
        .list("cold: opened again, with the pages of the file dropped from the cache", cold),
        start,
    ])
}

/// Reads the long session. Returns the times until the first page and until the end.
async fn read(store: &SqliteStore) -> Result<(Duration, Duration), Failure> {
    let (start, key) = (Instant::now(), key(0)?);
    let (mut last, mut first) = (0, None);
    while last < LONG {
        let page = store.read(&key, last, ReadLimit::default()).await?;
        first.get_or_insert_with(|| start.elapsed());
        last = page.last().ok_or("events are missing")?.sequence;
    }
    Ok((first.unwrap_or_default(), start.elapsed()))
}

/// Follows the long session until its end. Returns the time.
async fn follow(store: &SqliteStore) -> Result<Duration, Failure> {
    let start = Instant::now();
    let mut stream = store.follow(&key(0)?, 0).await?;
    loop {
        match stream.next().await.ok_or("the stream has ended")?? {
            Live::Head { last: LONG } => return Ok(start.elapsed()),
            Live::Head { last } => return Err(format!("the history ends at {last}").into()),
            _ => {}
        }
    }
}

/// Drops the pages of a file from the cache of the system.
fn drop_cache(path: &Path) -> Result<(), Failure> {
    let mut dd = Command::new("dd");
    dd.arg(format!("of={}", path.display()));
    dd.args(["oflag=nocache", "conv=notrunc,fdatasync", "count=0"]);
    let status = dd.stdin(Stdio::null()).stderr(Stdio::null()).status()?;
    match status.success() {
        true => Ok(()),
        false => Err("dd did not drop the pages of the file".into()),
    }
}
