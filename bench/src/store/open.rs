//! Opening a long session again on SQLite, until the CLI is started.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use claw_gateway::StoreLog;
use claw_server::{Controller, EventLog as _, Fence, SessionId, SessionSetup};
use claw_store::{ClaimReason, NodeRef, SessionKey, TenantId};
use claw_testkit::figure::{Bar, Figure, Spread, quick};
use claw_testkit::processes::cpu_time;
use rusty_claw::Options;
use rusty_claw::transport::{Exit, InMemory, InMemoryCli};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use super::long_session::LongSession;
use super::sessions::{TENANT, create, node, rounds, sqlite};
use crate::percentiles::ms;
use crate::verdicts::{in_ms, judged, per_second};

pub(super) async fn figures() -> Result<Vec<Figure>> {
    let least = if quick() { 5_000 } else { 100_000 };
    let folder = tempfile::tempdir()?;
    let filled = folder.path().join("filled.db");
    let session = SessionId::random();
    let (count, bytes) = fill(&filled, session, least).await?;
    let store = sqlite(&filled).await?;
    let (mut rates, mut restored, mut micros) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds() {
        let path = folder.path().join(format!("round-{round}.db"));
        store.backup(&path).await?;
        // The first owner reads all events and leaves a checkpoint for the second one.
        let before = cpu_time();
        rates.push(count as f64 / open(&path, session).await?.as_secs_f64());
        micros.push((cpu_time() - before).as_secs_f64() * 1e6 / count as f64);
        restored.push(ms(open(&path, session).await?));
        std::fs::remove_file(&path)?;
    }
    let name = |how: &str| {
        format!("opening a session of 100,000 events on SQLite, decoding included: {how}")
    };
    let bar = ("≤ 50 ms", Bar::AtMost(50.0));
    let restored = judged(name("from a checkpoint"), bar, in_ms, Spread::of(&restored));
    let bar = ("≥ 100,000 events/s", Bar::AtLeast(100_000.0));
    let whole = judged(name("from the start"), bar, per_second, Spread::of(&rates));
    let micros = Spread::of(&micros).context("no rounds")?.median;
    let size = bytes / count;
    Ok(vec![
        restored
            .note(format!("{count} events of {size} bytes on average, as stored: a recorded turn of the CLI with new ids and outputs; {} rounds, warm pages", rounds()))
            .note("from `Controller::open` with `SessionSetup::reopen` to the first line that the CLI receives: claim, checkpoint, tail, and the append of the new owner's first events"),
        whole.note(format!("the same without a checkpoint; {micros:.1} µs of processor time an event")),
    ])
}

/// Creates a session with at least so many events. Returns their number and bytes.
async fn fill(path: &Path, session: SessionId, least: u64) -> Result<(u64, u64)> {
    let store = sqlite(path).await?;
    let tenant = TenantId::new(TENANT)?;
    let id = claw_store::SessionId::new(&session.to_string())?;
    create(&store, &SessionKey::new(tenant.clone(), id)).await?;
    let log = StoreLog::new(Arc::new(store), tenant);
    let epoch = log.claim(session, &node()?, ClaimReason::Open).await?;
    let mut long = LongSession::new(epoch)?;
    let (mut expected_last, mut bytes) = (0, 0);
    while expected_last < least {
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

/// Opens the session as a new process would, and closes it. Returns the time until the CLI gets
/// its first line.
async fn open(path: &Path, session: SessionId) -> Result<Duration> {
    let store = Arc::new(sqlite(path).await?);
    let log = Arc::new(StoreLog::new(store, TenantId::new(TENANT)?));
    let controller = Controller::builder().log(log.clone()).build();
    let (transport, cli) = InMemory::pair();
    let playing = tokio::spawn(play(cli));
    let start = Instant::now();
    let (incarnation, node) = (2, node()?.node);
    let node = NodeRef { node, incarnation };
    let epoch = log.claim(session, &node, ClaimReason::Open).await?;
    let setup = SessionSetup::new(Options::new())
        .on(transport)
        .tenant(TENANT)
        .folder("/home/user/project")
        .reopen(session);
    controller.open(setup.epoch(epoch)).await?;
    controller.close(session, Duration::ZERO).await?;
    Ok(playing.await?? - start)
}

/// Plays a CLI that confirms every request. Returns the time of the first one.
async fn play(cli: InMemoryCli) -> Result<Instant> {
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
    started.context("the CLI was not started")
}
