//! Sessions that need an owner.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
use tokio::time::Instant;

use super::holder::Shared;
use super::observer::Observer;
use crate::hub::lock;
use crate::{BoxStream, NodeId, Owner, Result, SessionKey};

/// The longest time between two reads of the records: a takeover takes up to two of them longer
/// than a term.
const POLL: Duration = Duration::from_millis(250);

pub(super) fn stream(shared: Arc<Shared>) -> BoxStream<'static, (SessionKey, Owner)> {
    let scan = Scan {
        observer: Observer::new(shared.term),
        shared,
        lists: HashMap::new(),
        found: VecDeque::new(),
        next_poll: Instant::now(),
    };
    Box::pin(stream::unfold(scan, |mut scan| async move {
        let orphan = scan.next().await;
        Some((orphan, scan))
    }))
}

struct Scan {
    shared: Arc<Shared>,
    observer: Observer,
    /// The incarnation of each node below which its sessions need an owner, and when they are
    /// listed next.
    lists: HashMap<NodeId, (u64, Instant)>,
    found: VecDeque<(SessionKey, Owner)>,
    next_poll: Instant,
}

impl Scan {
    async fn next(&mut self) -> (SessionKey, Owner) {
        loop {
            if let Some(orphan) = self.found.pop_front() {
                return orphan;
            }
            tokio::time::sleep_until(self.next_poll).await;
            self.next_poll = Instant::now() + POLL.min(self.shared.term / 20);
            if let Err(error) = self.poll().await {
                tracing::debug!(%error, "the records of nodes were not read");
            }
        }
    }

    async fn poll(&mut self) -> Result<()> {
        let start = Instant::now();
        let records = self.shared.store.nodes().await?;
        let end = Instant::now();
        let Some(steady) = lock(&self.shared.holder).steady_since(end) else {
            return Ok(());
        };
        for record in records {
            let is_gone = self.observer.is_gone(&record, start..end, steady);
            let node = &record.node;
            let is_own = node.node == self.shared.node.node;
            let below = match is_gone && !is_own {
                true => node.incarnation.saturating_add(1),
                false => node.incarnation,
            };
            let list = self.lists.get(&node.node);
            if list.is_some_and(|(listed, next)| *listed == below && end < *next) {
                continue;
            }
            let sessions = match self.shared.store.sessions_of(&node.node, below).await {
                Ok(sessions) => sessions,
                Err(error) => {
                    tracing::debug!(%error, node = %node.node, "its sessions were not listed");
                    continue;
                }
            };
            // Without sessions, a process that was paused may still resume, and claim one before it
            // checks its lease.
            let pause = if sessions.is_empty() { 10 } else { 1 };
            self.found.extend(sessions);
            let next = end + pause * self.shared.term;
            self.lists.insert(node.node.clone(), (below, next));
        }
        Ok(())
    }
}
