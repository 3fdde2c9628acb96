//! The figures of the store on SQLite.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use claw_store::{
    Claim, ClaimReason, IdempotencyKey, NewSession, NodeId, NodeRef, SessionId, SqliteOptions,
    SqliteStore, Store, TenantId,
};
use claw_testkit::figure::{Spread, quick};

use crate::Failure;

pub(crate) mod append;
pub(crate) mod erased;
pub(crate) mod followers;
mod loaded;
pub(crate) mod replay;
pub(crate) mod scale;
pub(crate) mod visible;

/// Events have 1 KB on average.
const BODY: usize = 1024;
const TENANT: &str = "ada";

fn body() -> Bytes {
    Bytes::from(vec![b'x'; BODY])
}

/// How often each way is measured.
fn rounds() -> usize {
    if quick() { 3 } else { 7 }
}

async fn open(path: &Path) -> Result<SqliteStore, Failure> {
    Ok(SqliteStore::open(path, SqliteOptions::default()).await?)
}

fn tenant() -> Result<TenantId, Failure> {
    Ok(TenantId::new(TENANT)?)
}

fn node() -> Result<NodeRef, Failure> {
    let (node, incarnation) = (NodeId::new("node-1")?, 1);
    Ok(NodeRef { node, incarnation })
}

fn new_session() -> Result<NewSession, Failure> {
    let session = SessionId::random();
    Ok(NewSession {
        tenant: tenant()?,
        key: IdempotencyKey::new(session.as_str())?,
        session: Some(session),
        attributes: Bytes::new(),
    })
}

/// Creates a session and claims it.
async fn owned(store: &dyn Store) -> Result<Claim, Failure> {
    let key = store.create(new_session()?).await?.row.key;
    Ok(store.claim(&key, &node()?, ClaimReason::Open).await?)
}

fn spread(values: &[f64]) -> Result<Spread, Failure> {
    Spread::of(values).ok_or_else(|| "no rounds".into())
}

/// Returns the value below which a share of all values is.
fn percentile(values: &mut [f64], share: f64) -> Result<f64, Failure> {
    values.sort_by(f64::total_cmp);
    let index = (values.len() as f64 * share) as usize;
    let value = values.get(index.min(values.len().saturating_sub(1)));
    value.copied().ok_or_else(|| "no values".into())
}

/// The time in nanoseconds since 1970, which other processes of this machine see too.
fn now_ns() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_nanos() as u64)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Returns the resident memory of this process in KiB.
fn resident_kib() -> Result<u64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let size = line.and_then(|line| line.split_whitespace().next());
    Ok(size.ok_or("no VmRSS in /proc/self/status")?.parse()?)
}
