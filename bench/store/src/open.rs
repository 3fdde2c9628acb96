//! Opening a long session again on SQLite, until the CLI is started.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use claw_gateway::StoreLog;
use claw_server::{Controller, EventLog as _, Fence, SessionId, SessionSetup};
use claw_store::{
    ClaimReason, Directory as _, IdempotencyKey, NewSession, NodeId, NodeRef, SqliteOptions,
    SqliteStore, TenantId,
};
use claw_testkit::figure::{Bar, Figure, Spread, quick};
use claw_testkit::processes::cpu_time;
use rusty_claw::Options;
use rusty_claw::transport::{Exit, InMemory, InMemoryCli};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::Failure;
use crate::long_session::LongSession;

/// How often each way is measured.
const ROUNDS: usize = 7;
const CHECKPOINT_BAR_MS: f64 = 50.0;
const REPLAY_BAR: f64 = 100_000.0;
const TENANT: &str = "ada";

pub(crate) async fn figures() -> Result<Vec<Figure>, Failure> {
    let events = if quick() { 10_000 } else { 100_000 };
    let folder = tempfile::tempdir()?;
    let filled = folder.path().join("filled.db");
    let session = SessionId::random();
    let (count, bytes) = fill(&filled, session, events).await?;
    let store = SqliteStore::open(&filled, SqliteOptions::default()).await?;
    let (mut replayed, mut restored, mut cpu) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let path = folder.path().join(format!("round-{round}.db"));
        store.backup(&path).await?;
        // The first owner reads all events and leaves a checkpoint for the second one.
        let before = cpu_time();
        let took = open(&path, session).await?;
        replayed.push(count as f64 / took.as_secs_f64());
        cpu.push((cpu_time() - before).as_secs_f64() * 1e6 / count as f64);
        restored.push(open(&path, session).await?.as_secs_f64() * 1e3);
        std::fs::remove_file(&path)?;
    }
    let no_rounds = || Failure::from("no rounds");
    let restored = Spread::of(&restored).ok_or_else(no_rounds)?;
    let replayed = Spread::of(&replayed).ok_or_else(no_rounds)?;
    let cpu = Spread::of(&cpu).ok_or_else(no_rounds)?.median;
    let size = bytes / count;
    let name = |how: &str| {
        format!("opening a session of 100,000 events on SQLite, decoding included: {how}")
    };
    let figure = Figure::new(name("from a checkpoint"), "≤ 50 ms").judged(
        format!(
            "{:.1} ms ({:.1}–{:.1})",
            restored.median, restored.min, restored.max
        ),
        restored,
        Bar::AtMost(CHECKPOINT_BAR_MS),
    );
    let whole = Figure::new(name("from the start"), "≥ 100,000 events/s").judged(
        format!(
            "{:.0} events/s ({:.0}–{:.0})",
            replayed.median, replayed.min, replayed.max
        ),
        replayed,
        Bar::AtLeast(REPLAY_BAR),
    );
    Ok(vec![
        figure
            .note(format!("{count} events of {size} bytes on average, as stored: a recorded turn of the CLI with new ids and outputs; {ROUNDS} rounds, warm pages"))
            .note("from `Controller::open` with `SessionSetup::reopen` to the first line that the CLI receives: claim, checkpoint, tail, and the append of the new owner's first events"),
        whole.note(format!("the same without a checkpoint; {cpu:.1} µs of processor time an event, on two cores")),
    ])
}

/// Creates a session with at least so many events. Returns their number and bytes.
async fn fill(path: &Path, session: SessionId, events: u64) -> Result<(u64, u64), Failure> {
    let store = SqliteStore::open(path, SqliteOptions::default()).await?;
    let new = NewSession {
        tenant: TenantId::new(TENANT)?,
        session: Some(claw_store::SessionId::new(&session.to_string())?),
        attributes: Bytes::new(),
        key: IdempotencyKey::new(&session.to_string())?,
    };
    store.create(new).await?;
    let log = StoreLog::new(Arc::new(store), TenantId::new(TENANT)?);
    let epoch = log.claim(session, &node(1)?, ClaimReason::Open).await?;
    let mut long = LongSession::new(epoch)?;
    let (mut expected_last, mut bytes) = (0, 0);
    while expected_last < events {
        let mut batch = Vec::new();
        while batch.len() < 256 {
            batch.extend(long.turn()?);
        }
        for event in &batch {
            bytes += serde_json::to_vec(&**event)?.len() as u64;
        }
        let fence = Fence {
            epoch,
            expected_last,
        };
        log.append(session, fence, &batch).await?;
        expected_last += batch.len() as u64;
    }
    Ok((expected_last, bytes))
}

fn node(incarnation: u64) -> Result<NodeRef, Failure> {
    let node = NodeId::new("node-1")?;
    Ok(NodeRef { node, incarnation })
}

/// Opens the session as a new process would, and closes it. Returns the time until the CLI gets
/// its first line.
async fn open(path: &Path, session: SessionId) -> Result<Duration, Failure> {
    let store = Arc::new(SqliteStore::open(path, SqliteOptions::default()).await?);
    let log = Arc::new(StoreLog::new(store, TenantId::new(TENANT)?));
    let controller = Controller::builder().log(log.clone()).build();
    let (transport, cli) = InMemory::pair();
    let playing = tokio::spawn(play(cli));
    let start = Instant::now();
    let epoch = log.claim(session, &node(2)?, ClaimReason::Open).await?;
    let setup = SessionSetup::new(Options::new())
        .on(transport)
        .tenant(TENANT);
    let setup = setup.folder("/home/user/project").reopen(session);
    controller.open(setup.epoch(epoch)).await?;
    controller.close(session, Duration::ZERO).await?;
    Ok(playing.await?? - start)
}

/// Plays a CLI that confirms every request. Returns the time of the first one.
async fn play(cli: InMemoryCli) -> Result<Instant, Failure> {
    let mut cli = BufReader::new(cli);
    let (mut line, mut started) = (String::new(), None);
    while cli.read_line(&mut line).await? > 0 {
        started.get_or_insert_with(Instant::now);
        let request: Value = serde_json::from_str(&line)?;
        line.clear();
        let reply = json!({"type": "control_response", "response": {"subtype": "success",
            "request_id": request["request_id"], "response": {"claude_code_version": "2.1.325"}}});
        cli.write_all(format!("{reply}\n").as_bytes()).await?;
        if request["request"]["subtype"] == "end_session" {
            break;
        }
    }
    cli.into_inner().exit(Exit::Code(0));
    started.ok_or_else(|| "the CLI was not started".into())
}
