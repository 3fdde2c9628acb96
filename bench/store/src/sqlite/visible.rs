//! The time from the acknowledgement of an event until a follower receives it.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use claw_store::{Batch, BoxStream, Claim, Live, Log as _, SessionId, SessionKey, SqliteStore};
use claw_testkit::figure::{Bar, Figure, quick};
use futures_util::StreamExt as _;
use rusqlite::Connection;

use super::{body, now_ns, open, owned, percentile, rounds, spread, tenant};
use crate::Failure;

/// How many sessions are followed, and the pause of each one between two events.
const SESSIONS: usize = 50;
const PAUSE: Duration = Duration::from_millis(50);

fn events() -> u64 {
    if quick() { 10 } else { 60 }
}

pub(crate) async fn figures() -> Result<Vec<Figure>, Failure> {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("store.db");
    let store = open(&path).await?;
    let (mut same, mut other, mut bare, mut over) = (vec![], vec![], vec![], vec![]);
    let mut seen = 0;
    for _ in 0..rounds() {
        bare.push(bare_p99(dir.path())?);
        let mut times = round(&store, None).await?;
        seen += times.len();
        same.push(percentile(&mut times, 0.99)?);
        over.push(same[same.len() - 1] - bare[bare.len() - 1]);
        let mut times = round(&store, Some(&path)).await?;
        other.push(percentile(&mut times, 0.99)?);
    }
    let (same, bare, over, other) = (
        spread(&same)?,
        spread(&bare)?,
        spread(&over)?,
        spread(&other)?,
    );
    let name = |which: &str| {
        format!(
            "event visible to a follower after the ack, p99, over the bare engine's own: {which}"
        )
    };
    let rounds = rounds();
    let own = Figure::new(name("SQLite, same process"), "≤ +2 ms").judged(
        format!("{:+.2} ms ({:+.2}–{:+.2})", over.median, over.min, over.max),
        over,
        Bar::AtMost(2.0),
    );
    let second = Figure::new(name("a second SQLite process"), "≤ 100 ms").judged(
        format!("{:.1} ms ({:.1}–{:.1})", other.median, other.min, other.max),
        other,
        Bar::AtMost(100.0),
    );
    Ok(vec![
        own.note(format!(
            "p99 {:.3} ms, bare {:.3} ms (a second connection selects the event after the commit); {SESSIONS} followed sessions with an event every {PAUSE:?} each; {rounds} rounds, {seen} events",
            same.median, bare.median
        )),
        second.note("the same load; the followers are in a child process, which polls for commits of other processes every 50 ms; not reduced by the bare engine's own time"),
    ])
}

/// Appends to followed sessions. Returns the times from the acknowledgements to the followers in
/// milliseconds. With a path, another process follows.
async fn round(store: &SqliteStore, path: Option<&Path>) -> Result<Vec<f64>, Failure> {
    let mut claims = Vec::new();
    for _ in 0..SESSIONS {
        claims.push(owned(store).await?);
    }
    let keys: Vec<SessionKey> = claims.iter().map(|claim| claim.key().clone()).collect();
    let follow = match path {
        None => {
            let mut streams = Vec::new();
            for key in &keys {
                streams.push((key.session.clone(), store.follow(key, 0).await?));
            }
            tokio::spawn(receive_all(streams, |_, _, _| {}))
        }
        Some(path) => {
            let child = Following::start(path, &keys)?;
            // Its output is read at once: a full pipe would stop it.
            tokio::task::spawn_blocking(|| child.finish())
        }
    };
    let appends = claims.into_iter().enumerate();
    let appends = appends.map(|(index, claim)| tokio::spawn(append(store.clone(), claim, index)));
    let appends: Vec<_> = appends.collect();
    let mut acks = HashMap::new();
    for append in appends {
        acks.extend(append.await??);
    }
    let seen = follow.await??;
    let late = |(event, seen): (Event, u64)| {
        let acked = acks.get(&event).copied();
        // Followers may be notified before the caller of the append is scheduled.
        acked.map(|acked| seen.saturating_sub(acked) as f64 / 1e6)
    };
    let times: Vec<f64> = seen.into_iter().filter_map(late).collect();
    match times.len() == acks.len() {
        true => Ok(times),
        false => Err(format!("{} of {} events were followed", times.len(), acks.len()).into()),
    }
}

/// A session and a sequence.
type Event = (SessionId, u64);

async fn append(
    store: SqliteStore,
    claim: Claim,
    index: usize,
) -> Result<Vec<(Event, u64)>, Failure> {
    let batch = Batch::from(vec![body()]);
    let mut acks = Vec::new();
    // The sessions are out of step.
    tokio::time::sleep(PAUSE * index as u32 / SESSIONS as u32).await;
    for after in 0..events() {
        store.append(&claim, after, &batch).await?;
        acks.push(((claim.key().session.clone(), after + 1), now_ns()));
        tokio::time::sleep(PAUSE).await;
    }
    Ok(acks)
}

type Stream = BoxStream<'static, claw_store::Result<Live>>;

/// Receives all events of sessions, and when. Calls a function for each.
async fn receive_all(
    streams: Vec<(SessionId, Stream)>,
    seen: impl Fn(&SessionId, u64, u64) + Clone + Send + 'static,
) -> Result<Vec<(Event, u64)>, Failure> {
    let tasks = streams.into_iter().map(|(session, mut stream)| {
        let seen = seen.clone();
        tokio::spawn(async move {
            let mut times = Vec::new();
            while (times.len() as u64) < events() {
                let live = stream.next().await.ok_or("a stream has ended")??;
                if let Live::Event(event) = live {
                    let now = now_ns();
                    seen(&session, event.sequence, now);
                    times.push(((session.clone(), event.sequence), now));
                }
            }
            Ok::<_, Failure>(times)
        })
    });
    let tasks: Vec<_> = tasks.collect();
    let mut all = Vec::new();
    for task in tasks {
        let received = tokio::time::timeout(Duration::from_secs(60), task).await;
        all.extend(received.map_err(|_| "a follower waits for more than 60 s")???);
    }
    Ok(all)
}

/// Another process that follows sessions.
struct Following {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Following {
    /// Returns when all sessions are followed.
    fn start(path: &Path, keys: &[SessionKey]) -> Result<Self, Failure> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("follow")
            .arg(path)
            .args(keys.iter().map(|key| key.session.as_str()))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdout = child.stdout.take().ok_or("no output")?;
        let mut lines = BufReader::new(stdout).lines();
        let ready = lines.next().transpose()?;
        if ready.as_deref() != Some("ready") {
            return Err(format!("the process that follows printed {ready:?}").into());
        }
        Ok(Self { child, lines })
    }

    /// Returns what the process received, and when.
    fn finish(mut self) -> Result<Vec<(Event, u64)>, Failure> {
        let mut seen = Vec::new();
        for line in self.lines {
            let line = line?;
            let mut words = line.split(' ');
            let mut word = || words.next().ok_or("a line is too short");
            let session = SessionId::new(word()?)?;
            seen.push(((session, word()?.parse()?), word()?.parse()?));
        }
        match self.child.wait()?.success() {
            true => Ok(seen),
            false => Err("the process that follows has failed".into()),
        }
    }
}

/// The process that follows: prints each event and when it was received.
pub(crate) async fn follow(path: &str, sessions: &[&str]) -> Result<(), Failure> {
    let store = open(&PathBuf::from(path)).await?;
    let mut streams = Vec::new();
    for session in sessions {
        let session = SessionId::new(session)?;
        let key = SessionKey::new(tenant()?, session.clone());
        streams.push((session, store.follow(&key, 0).await?));
    }
    println!("ready");
    receive_all(streams, |session, sequence, now| {
        println!("{session} {sequence} {now}")
    })
    .await?;
    Ok(())
}

/// Commits events, and selects each one on another connection. Returns the p99 of the second part.
fn bare_p99(dir: &Path) -> Result<f64, Failure> {
    let path = dir.join("bare.db");
    let (writer, reader) = (Connection::open(&path)?, Connection::open(&path)?);
    writer.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    writer.execute_batch(
        "PRAGMA synchronous = FULL;
        CREATE TABLE IF NOT EXISTS event (id INTEGER PRIMARY KEY, body BLOB NOT NULL)",
    )?;
    let mut times = Vec::new();
    for _ in 0..SESSIONS as u64 * events() {
        let mut insert = writer.prepare_cached("INSERT INTO event (body) VALUES (?)")?;
        insert.execute([body().as_ref()])?;
        let committed = Instant::now();
        let mut select = reader.prepare_cached("SELECT body FROM event WHERE id = ?")?;
        let size = select.query_row([writer.last_insert_rowid()], |row| {
            Ok(row.get::<_, Vec<u8>>(0)?.len())
        })?;
        times.push(super::ms(committed.elapsed()));
        if size != body().len() {
            return Err("the event has another size".into());
        }
    }
    percentile(&mut times, 0.99)
}
