//! The time from the acknowledgement of an event until a follower receives it.

use std::collections::HashMap;
use std::future::ready;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use claw_store::{Live, Store};
use claw_testkit::figure::{Bar, Figure, quick};
use claw_testkit::nats::{NatsOptions, NatsServers};
use futures_util::StreamExt as _;
use rusqlite::Connection;
use tokio::time::{sleep, timeout};

use super::nats::from_leader;
use super::raw::{FRAME, Raw, Sequences};
use super::sessions::{Append, BODY, appending, key, rounds, sqlite};
use crate::percentiles::{Percentiles, monotonic_ns, ms};
use crate::process::{measured, runtime};
use crate::rounds::Rounds;
use crate::tasks::in_tasks;
use crate::verdicts::{in_ms, judged, more_ms};

/// The process that follows.
pub(super) const PROGRAM: &str = "store-follow";
/// How many sessions are followed, and the pause of each one between two appends.
const SESSIONS: usize = 50;
const PAUSE: Duration = Duration::from_millis(50);

/// The index of a session, a sequence, and when it was received.
type Seen = (usize, u64, u64);

/// The appends of a session in a round.
fn appends() -> usize {
    if quick() { 10 } else { 60 }
}

pub(super) fn on_sqlite() -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir()?;
    let runtime = runtime()?;
    let store = runtime.block_on(sqlite(&folder.path().join("store.db")))?;
    let store: Arc<dyn Store> = Arc::new(store);
    let mut first = 0;
    let all = Rounds::measure(rounds(), &["bare", "same", "other"], |at| {
        first += SESSIONS;
        let indices = first..first + SESSIONS;
        runtime.block_on(async {
            let (mut writers, mut followers) = (Vec::new(), Vec::new());
            for index in indices.clone().filter(|_| at > 0) {
                writers.push((index, appending(&store, index, 1).await?));
                if at == 1 {
                    followers.push((index, following(&*store, index).await?));
                }
            }
            match at {
                0 => bare_p99(folder.path()),
                1 => p99(writers, async || receive(followers, appends()).await).await,
                _ => {
                    let mut child = measured(PROGRAM, folder.path())?
                        .arg(appends().to_string())
                        .args(indices.map(|index| index.to_string()))
                        .stdin(Stdio::null())
                        .stdout(Stdio::piped())
                        .spawn()?;
                    let stdout = child.stdout.take().context("no output")?;
                    let mut lines = BufReader::new(stdout).lines();
                    let mut line = move || lines.next().context("no line of the follower");
                    line()??;
                    let p99 = p99(writers, async || Ok(serde_json::from_str(&line()??)?)).await;
                    child.wait()?;
                    p99
                }
            }
        })
    })?;
    let name = |which: &str| {
        format!(
            "event visible to a follower after the ack, p99, over the bare engine's own: {which}"
        )
    };
    let bar = ("≤ +2 ms", Bar::AtMost(2.0));
    let same = all.difference("bare", "same")?;
    let same = judged(name("SQLite, same process"), bar, more_ms, same);
    let bar = ("≤ 100 ms", Bar::AtMost(100.0));
    let other = all.spread("other")?;
    let other = judged(name("a second SQLite process"), bar, in_ms, other);
    Ok(vec![
        same.note(shown(&all)).note("bare: a second connection selects the event after the commit"),
        other.note("the same load; the followers are in a child process, which polls for commits of other processes every 50 ms; not reduced by the bare engine's own time"),
    ])
}

pub(super) fn on_jetstream() -> Result<Vec<Figure>> {
    let servers = NatsServers::start(&NatsOptions::new(3))?;
    let runtime = runtime()?;
    // Writers at the leaders of their streams, readers at other servers.
    let (store, reader, raw) = runtime.block_on(async {
        let store: Arc<dyn Store> = Arc::new(from_leader(&servers, 0).await?);
        let reader = from_leader(&servers, 1).await?;
        anyhow::Ok((store, reader, Raw::new(&servers).await?))
    })?;
    let mut first = 0;
    let mut measure = |at| {
        first += SESSIONS;
        runtime.block_on(async {
            let (mut writers, mut followers) = (Vec::new(), Vec::new());
            for index in first..first + SESSIONS {
                let (append, sequences) = if at == 0 {
                    (raw.appending(index), raw.following(index).await?)
                } else {
                    let append = appending(&store, index, FRAME).await?;
                    (append, following(&reader, index).await?)
                };
                writers.push((index, append));
                followers.push((index, sequences));
            }
            let count = appends() * [1, FRAME][at];
            p99(writers, async || receive(followers, count).await).await
        })
    };
    // Not counted: connections and caches are new.
    for at in 0..2 {
        measure(at)?;
    }
    let all = Rounds::measure(rounds(), &["raw", "store"], measure)?;
    let title = "event visible to a follower on another node of JetStream after the ack, p99, over a raw subscription";
    let bar = ("≤ +5 ms", Bar::AtMost(5.0));
    let extra = judged(title, bar, more_ms, all.difference("raw", "store")?);
    Ok(vec![extra.note(shown(&all)).note(format!("three replicas, `sync_interval: always`, frames of {FRAME} events; the follower is another handle, connected to another server than the leader, and so is the raw subscriber, on the subject to which the stream republishes"))])
}

fn shown(all: &Rounds) -> String {
    let (medians, rounds, appends) = (all.shown(more_ms), rounds(), appends());
    format!(
        "p99: {medians}; {SESSIONS} followed sessions with an append every {PAUSE:?} each; {rounds} rounds of {appends} appends, in turns; negative if an event arrives before the ack"
    )
}

async fn following(store: &dyn Store, index: usize) -> Result<Sequences> {
    let live = store.follow(&key(index)?, 0).await?;
    Ok(Box::pin(live.filter_map(|live| match live {
        Ok(Live::Event(event)) => ready(Some(event.sequence)),
        _ => ready(None),
    })))
}

/// Appends to sessions. Returns the p99 of the milliseconds from the acknowledgements until what was
/// seen.
async fn p99(
    writers: Vec<(usize, Append)>,
    seen: impl AsyncFnOnce() -> Result<Vec<Seen>>,
) -> Result<f64> {
    let appends = writers.into_iter().map(|(index, append)| async move {
        let (mut acks, mut last) = (Vec::new(), 0);
        // The sessions are out of step.
        sleep(PAUSE * (index % SESSIONS) as u32 / SESSIONS as u32).await;
        for _ in 0..appends() {
            last = append(last).await?;
            acks.push(((index, last), monotonic_ns()));
            sleep(PAUSE).await;
        }
        Ok(acks)
    });
    // The followers receive at the same time.
    let (acks, seen) = tokio::try_join!(in_tasks(appends), seen())?;
    let acks: HashMap<_, _> = acks.into_iter().flatten().collect();
    let late = |(index, sequence, at): Seen| {
        let acked = acks.get(&(index, sequence));
        acked.map(|acked| (at as f64 - *acked as f64) / 1e6)
    };
    let times: Vec<f64> = seen.into_iter().filter_map(late).collect();
    let (found, all) = (times.len(), acks.len());
    ensure!(found == all, "{found} of {all} events were followed");
    Ok(Percentiles::of(times).p99)
}

/// Receives so many events of each session.
async fn receive(followers: Vec<(usize, Sequences)>, count: usize) -> Result<Vec<Seen>> {
    let followers = followers.into_iter().map(|(index, sequences)| async move {
        let seen = sequences.map(|sequence| (index, sequence, monotonic_ns()));
        let all = seen.take(count).collect::<Vec<_>>();
        let all = timeout(Duration::from_secs(60), all).await;
        all.context("a follower waits for more than 60 s")
    });
    Ok(in_tasks(followers).await?.concat())
}

/// Follows sessions in the store of the working folder: prints a line when all are followed, and
/// one with what was received, and when.
pub(super) async fn follow(args: &[String]) -> Result<()> {
    let (count, indices) = args.split_first().context("no count")?;
    let store = sqlite(Path::new("store.db")).await?;
    let mut followers = Vec::new();
    for index in indices {
        let index = index.parse()?;
        followers.push((index, following(&store, index).await?));
    }
    println!("ready");
    let seen = receive(followers, count.parse()?).await?;
    println!("{}", serde_json::to_string(&seen)?);
    Ok(())
}

/// Commits events, and selects each one on another connection. Returns the p99 of the latter.
fn bare_p99(folder: &Path) -> Result<f64> {
    let path = folder.join("bare.db");
    let (writer, reader) = (Connection::open(&path)?, Connection::open(&path)?);
    writer.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    writer.execute_batch(
        "PRAGMA synchronous = FULL;
        CREATE TABLE IF NOT EXISTS event (id INTEGER PRIMARY KEY, body BLOB NOT NULL)",
    )?;
    let mut times = Vec::new();
    for _ in 0..SESSIONS * appends() {
        let mut insert = writer.prepare_cached("INSERT INTO event (body) VALUES (?)")?;
        insert.execute([vec![b'x'; BODY]])?;
        let committed = Instant::now();
        let mut select = reader.prepare_cached("SELECT body FROM event WHERE id = ?")?;
        let body: Vec<u8> = select.query_row([writer.last_insert_rowid()], |row| row.get(0))?;
        times.push(ms(committed.elapsed()));
        ensure!(body.len() == BODY, "the event has another size");
    }
    Ok(Percentiles::of(times).p99)
}
