//! Leases of nodes, by observed staleness.
//!
//! A node renews its record five times per term. An observer counts a node as dead if the record
//! did not change for a term of the observer's monotonic clock, and all of the observer's own
//! renewals succeeded during that term. So an outage of the engine does not make nodes dead, and
//! wall clocks are not used.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{Mutex as AsyncMutex, watch};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::directory::Revision;
use crate::error::StoreError;
use crate::hub::lock;
use crate::id::SessionKey;
use crate::node::{NodeRecord, NodeRef};
use crate::owner::Owner;
use crate::store::{BoxStream, Result, Store};

mod holder;
mod observer;
mod orphans;
#[cfg(test)]
mod tests;

pub use holder::LeaseState;
use holder::{Holder, Shared};

/// The lease of this node.
///
/// Dropping it stops the renewals, so that other nodes take its sessions after a term.
/// [`NodeLease::leave`] lets them take the sessions at once.
pub struct NodeLease {
    shared: Arc<Shared>,
    renewer: Arc<AsyncMutex<Renewer>>,
    states: watch::Receiver<LeaseState>,
    task: AbortHandle,
}

/// Registers a node and keeps renewing its lease.
///
/// `info` has the node and its body. An incarnation that is not higher than the stored one is
/// replaced by the next one, and the earlier incarnation loses its lease.
///
/// # Errors
/// `Conflict` if another process registers the same node at the same time; those of
/// [`crate::Nodes`].
pub async fn hold(store: Arc<dyn Store>, info: NodeRecord, term: Duration) -> Result<NodeLease> {
    let is_leaving = false;
    let mut record = NodeRecord { is_leaving, ..info };
    let mut revision = Revision(0);
    if let Some(earlier) = find(&*store, &record.node).await? {
        revision = earlier.revision;
        record.counter = earlier.counter + 1;
        let next = earlier.node.incarnation + 1;
        record.node.incarnation = record.node.incarnation.max(next);
    }
    let sent = Instant::now();
    let revision = store.put_node(record.clone(), revision).await?;
    let holder = Mutex::new(Holder::new(term, sent, Instant::now()));
    let shared = Arc::new(Shared {
        store,
        node: record.node.clone(),
        term,
        holder,
    });
    let renewer = Arc::new(AsyncMutex::new(Renewer {
        shared: shared.clone(),
        record,
        revision,
        first_sent: None,
    }));
    let (sender, states) = watch::channel(LeaseState::Live);
    let task = tokio::spawn(renew(renewer.clone(), sender)).abort_handle();
    Ok(NodeLease {
        shared,
        renewer,
        states,
        task,
    })
}

async fn find(store: &dyn Store, node: &NodeRef) -> Result<Option<NodeRecord>> {
    let mut all = store.nodes().await?.into_iter();
    Ok(all.find(|record| record.node.node == node.node))
}

impl NodeLease {
    /// Returns the node, with the incarnation that it got.
    pub fn node(&self) -> &NodeRef {
        &self.shared.node
    }

    /// Returns the current state. After a pause of the process, receivers of [`NodeLease::watch`]
    /// are notified later than this changes.
    pub fn state(&self) -> LeaseState {
        lock(&self.shared.holder).state(Instant::now())
    }

    /// Returns a receiver of the changes of the state.
    pub fn watch(&self) -> watch::Receiver<LeaseState> {
        self.states.clone()
    }

    /// Returns since when all renewals have been in time; `None` if one is late now.
    pub fn steady_since(&self) -> Option<Instant> {
        lock(&self.shared.holder).steady_since(Instant::now())
    }

    /// Ends the lease: other nodes take the sessions of this one at once.
    ///
    /// # Errors
    /// `Fenced` if the lease is lost; those of [`crate::Nodes::put_node`].
    pub async fn leave(self) -> Result<()> {
        self.task.abort();
        let mut renewer = self.renewer.lock().await;
        renewer.record.is_leaving = true;
        renewer.write().await
    }

    /// Returns the sessions that need an owner, with the one that they had: those of nodes that are
    /// dead or leaving, and those of earlier incarnations of all nodes. Another node may have
    /// claimed the session since.
    ///
    /// A session is returned again after a term if it still needs an owner. The stream does not
    /// end. It returns nothing while the renewals of this node are late.
    pub fn orphans(&self) -> BoxStream<'static, (SessionKey, Owner)> {
        orphans::stream(self.shared.clone())
    }
}

impl fmt::Debug for NodeLease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("NodeLease");
        debug.field("node", self.node()).finish_non_exhaustive()
    }
}

impl Drop for NodeLease {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Writes the record of a node.
struct Renewer {
    shared: Arc<Shared>,
    record: NodeRecord,
    revision: Revision,
    /// When the counter of the record was sent first, until it is acknowledged.
    first_sent: Option<Instant>,
}

impl Renewer {
    /// Writes the record with the next counter, or with the same one again if it was not
    /// acknowledged.
    async fn write(&mut self) -> Result<()> {
        let result = self.try_write().await;
        let mut holder = lock(&self.shared.holder);
        match &result {
            Ok(sent) => {
                self.first_sent = None;
                holder.succeed(*sent, Instant::now());
            }
            Err(StoreError::Fenced { .. }) => holder.lose(),
            Err(_) => holder.fail(Instant::now()),
        }
        result.map(|_| ())
    }

    /// Writes the record. Returns a time that is not after the write.
    async fn try_write(&mut self) -> Result<Instant> {
        let first_sent = *self.first_sent.get_or_insert_with(|| {
            self.record.counter += 1;
            Instant::now()
        });
        loop {
            let (store, sent) = (&self.shared.store, Instant::now());
            match store.put_node(self.record.clone(), self.revision).await {
                Ok(revision) => {
                    self.revision = revision;
                    return Ok(sent);
                }
                Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
            // An earlier try may have been stored without an acknowledgement.
            let stored = find(&**store, &self.record.node).await?;
            let own = &self.record;
            let stored = stored
                .filter(|stored| stored.node == own.node && stored.revision != self.revision)
                .ok_or(StoreError::Fenced { by: None })?;
            self.revision = stored.revision;
            if (stored.counter, stored.is_leaving) == (own.counter, own.is_leaving) {
                return Ok(first_sent);
            }
        }
    }
}

/// Renews a lease until it is lost.
async fn renew(renewer: Arc<AsyncMutex<Renewer>>, states: watch::Sender<LeaseState>) {
    let mut renewer = renewer.lock().await;
    let shared = renewer.shared.clone();
    let term = shared.term;
    let mut next = Instant::now() + term / 5;
    loop {
        let now = Instant::now();
        let (state, change) = lock(&shared.holder).state_until(now);
        states.send_if_modified(|old| std::mem::replace(old, state) != state);
        if state == LeaseState::Dead {
            return;
        }
        if now < next {
            tokio::time::sleep_until(next.min(change)).await;
            continue;
        }
        // A call that hangs is repeated, so that it does not delay a change of the state.
        let limit = change.min(now + term / 2);
        next = match tokio::time::timeout_at(limit, renewer.write()).await {
            Ok(Ok(())) => now + term / 5,
            Ok(Err(error)) => {
                tracing::debug!(%error, "the lease was not renewed");
                Instant::now() + term / 20
            }
            Err(_) => {
                let now = Instant::now();
                lock(&shared.holder).fail(now);
                now
            }
        };
    }
}
