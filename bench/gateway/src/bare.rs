//! The bare commit: appends to the store, without a gateway.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use claw_store::{
    Batch, Claim, ClaimReason, Directory as _, IdempotencyKey, Log as _, NewSession, NodeId,
    NodeRef, SessionId, SqliteOptions, SqliteStore, TenantId,
};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::Failure;
use crate::percentiles::Percentiles;

/// The size of an event, as the gateway stores it in these runs.
const BODY: usize = 1400;

/// Appends one event at a time to each of so many sessions at a rate. Returns the times until the
/// acknowledgement.
pub(crate) async fn commits(
    folder: &Path,
    sessions: usize,
    per_second: u32,
    time: Duration,
) -> Result<Percentiles, Failure> {
    let path = folder.join("bare.db");
    let store = SqliteStore::open(&path, SqliteOptions::default()).await?;
    let pause = Duration::from_secs(1) / per_second;
    let mut tasks = Vec::new();
    let start = Instant::now() + Duration::from_millis(500);
    for index in 0..sessions {
        let claim = owned(&store).await?;
        // The sessions are out of step.
        let first = start + pause * index as u32 / sessions as u32;
        tasks.push(tokio::spawn(append(
            store.clone(),
            claim,
            first,
            pause,
            time,
        )));
    }
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await??);
    }
    Ok(Percentiles::of(times))
}

async fn append(
    store: SqliteStore,
    claim: Claim,
    first: Instant,
    pause: Duration,
    time: Duration,
) -> Result<Vec<f64>, Failure> {
    let batch = Batch::from(vec![Bytes::from(vec![b'x'; BODY])]);
    let mut ticks = interval_at(first, pause);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let (mut times, mut after) = (Vec::new(), 0);
    while first.elapsed() < time {
        ticks.tick().await;
        let begin = Instant::now();
        store.append(&claim, after, &batch).await?;
        times.push(begin.elapsed().as_secs_f64() * 1e3);
        after += 1;
    }
    Ok(times)
}

/// Creates a session and claims it.
async fn owned(store: &SqliteStore) -> Result<Claim, Failure> {
    let session = SessionId::random();
    let new = NewSession {
        tenant: TenantId::new("ada")?,
        key: IdempotencyKey::new(session.as_str())?,
        session: Some(session),
        attributes: Bytes::new(),
    };
    let key = store.create(new).await?.row.key;
    let (node, incarnation) = (NodeId::new("node-1")?, 1);
    let node = NodeRef { node, incarnation };
    Ok(store.claim(&key, &node, ClaimReason::Open).await?)
}
