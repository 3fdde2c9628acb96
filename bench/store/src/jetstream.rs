//! The figures of the store on JetStream.

use std::io::Write as _;
use std::time::{Duration, Instant};

use bytes::Bytes;
use claw_store::{
    Batch, Claim, ClaimReason, Directory as _, IdempotencyKey, JetStreamConfig, JetStreamStore,
    NewSession, NodeId, NodeRef, SessionId, SessionKey, TenantId,
};
use claw_testkit::figure::Spread;
use claw_testkit::nats::NatsServers;

use crate::Failure;

pub(crate) mod append;
pub(crate) mod scale;
pub(crate) mod visible;

/// The partitions of a store with many sessions. The study of the design has 64.
const PARTITIONS: u32 = 16;
/// The stream of the log.
const LOG: &str = "claw_L_0_0";
/// The size of an event.
const EVENT: usize = 1024;

async fn open(servers: &NatsServers) -> Result<JetStreamStore, Failure> {
    open_at(servers, servers.urls()).await
}

/// Opens a handle that connects to one of the given servers.
async fn open_at(servers: &NatsServers, urls: Vec<String>) -> Result<JetStreamStore, Failure> {
    let mut config = JetStreamConfig::new(urls);
    config.replicas = servers.count();
    config.deadline = Duration::from_secs(60);
    Ok(JetStreamStore::open(config).await?)
}

fn key_of(index: usize) -> Result<SessionKey, Failure> {
    let session = SessionId::new(&format!("session-{index:06}"))?;
    Ok(SessionKey::new(TenantId::new("tenant")?, session))
}

/// Creates and claims a session.
async fn claim(store: &JetStreamStore, index: usize) -> Result<Claim, Failure> {
    let key = key_of(index)?;
    let new = NewSession {
        tenant: key.tenant.clone(),
        session: Some(key.session.clone()),
        attributes: Bytes::new(),
        key: IdempotencyKey::new(key.session.as_str())?,
    };
    store.create(new).await?;
    let node = NodeRef {
        node: NodeId::new("node")?,
        incarnation: 1,
    };
    Ok(store.claim(&key, &node, ClaimReason::Open).await?)
}

/// Returns events that do not compress.
fn events(count: usize) -> Batch {
    let mut state = 1u64;
    let event = |_| {
        let bytes = (0..EVENT).map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        });
        bytes.collect::<Bytes>()
    };
    Batch::from((0..count).map(event).collect::<Vec<_>>())
}

/// Returns how often a second the disk of the temporary folder syncs a small write.
fn sync_rate() -> Result<f64, Failure> {
    let mut file = tempfile::tempfile()?;
    let (start, mut count) = (Instant::now(), 0);
    while start.elapsed() < Duration::from_secs(1) {
        file.write_all(&[0; 4096])?;
        file.sync_data()?;
        count += 1;
    }
    Ok(f64::from(count) / start.elapsed().as_secs_f64())
}

fn spread(values: &[f64]) -> Result<Spread, Failure> {
    Spread::of(values).ok_or_else(|| "no rounds".into())
}

/// Returns the value below which 99 % are.
fn p99(values: &mut [f64]) -> Result<f64, Failure> {
    values.sort_by(f64::total_cmp);
    let index = (values.len() * 99 / 100).min(values.len().saturating_sub(1));
    values.get(index).copied().ok_or_else(|| "no values".into())
}

/// Returns the load of the machine, which decides how much a time means.
fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = load.split(' ').next().unwrap_or_default();
    format!("load of the machine at the end: {load} on {cores} cores, engine and client included")
}
