//! Sessions in a store, and their events.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use bytes::Bytes;
use claw_store::{
    Batch, BoxFuture, Claim, ClaimReason, IdempotencyKey, NewSession, NodeId, NodeRef, SessionId,
    SessionKey, SqliteOptions, SqliteStore, Store, TenantId,
};
use claw_testkit::figure::quick;

/// Events have 1 KB on average.
pub(crate) const BODY: usize = 1024;
/// The tenant of all sessions.
pub(crate) const TENANT: &str = "ada";

/// How often each way is measured.
pub(crate) fn rounds() -> usize {
    if quick() { 3 } else { 7 }
}

/// Opens a store as the product does.
pub(crate) async fn sqlite(path: &Path) -> Result<SqliteStore> {
    Ok(SqliteStore::open(path, SqliteOptions::default()).await?)
}

/// The key of a session.
pub(crate) fn key(index: usize) -> Result<SessionKey> {
    let session = SessionId::new(&format!("session-{index:06}"))?;
    Ok(SessionKey::new(TenantId::new(TENANT)?, session))
}

/// The process that owns the sessions.
pub(crate) fn node() -> Result<NodeRef> {
    let (node, incarnation) = (NodeId::new("node-1")?, 1);
    Ok(NodeRef { node, incarnation })
}

/// Creates a session.
pub(super) async fn create(store: &dyn Store, key: &SessionKey) -> Result<()> {
    let new = NewSession {
        tenant: key.tenant.clone(),
        session: Some(key.session.clone()),
        attributes: Bytes::new(),
        key: IdempotencyKey::new(key.session.as_str())?,
    };
    store.create(new).await?;
    Ok(())
}

/// Creates a session and claims it.
pub(crate) async fn owned(store: &dyn Store, key: &SessionKey) -> Result<Claim> {
    create(store, key).await?;
    Ok(store.claim(key, &node()?, ClaimReason::Open).await?)
}

/// Events of so many bytes.
pub(crate) fn events(count: usize, size: usize) -> Batch {
    Batch::from(vec![Bytes::from(vec![b'x'; size]); count])
}

/// Appends after a sequence. Returns the new last one.
pub(super) type Append = Box<dyn Fn(u64) -> BoxFuture<'static, Result<u64>> + Send>;

/// Creates a session that appends so many events at once.
pub(super) async fn appending(
    store: &Arc<dyn Store>,
    index: usize,
    count: usize,
) -> Result<Append> {
    let claim = Arc::new(owned(&**store, &key(index)?).await?);
    let call = (Arc::clone(store), claim, events(count, BODY));
    Ok(Box::new(move |last| {
        let (store, claim, batch) = call.clone();
        Box::pin(async move { Ok(store.append(&claim, last, &batch).await?.last) })
    }))
}
