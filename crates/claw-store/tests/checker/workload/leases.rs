//! Processes that own sessions under a lease, and take those of dead ones.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use claw_store::lease::{LeaseState, NodeLease, hold};
use claw_store::{ClaimReason, NodeRecord, Revision, StoreError};
use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

use super::owner::Owner;
use super::{Phase, Worker};
use crate::history::{Call, Health, Item, Outcome, Reply, Session, now};

/// The lease of a process.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct LeasePlan {
    pub(crate) term_ms: u64,
    /// The process claims one session of so many, from this one on, when it starts.
    pub(crate) share: Option<(Session, Session)>,
}

impl LeasePlan {
    fn term(self) -> Duration {
        Duration::from_millis(self.term_ms)
    }
}

pub(super) async fn run(mut worker: Worker, plan: LeasePlan) {
    let mut share: Vec<Session> = match plan.share {
        Some((first, step)) => worker
            .plan
            .sessions
            .all()
            .skip(first as usize)
            .step_by(step as usize)
            .collect(),
        None => Vec::new(),
    };
    while worker.is_loading() {
        let record = NodeRecord {
            node: worker.node.clone(),
            counter: 0,
            is_leaving: false,
            body: Bytes::new(),
            revision: Revision(0),
        };
        let held = worker.in_time(hold(worker.store.clone(), record, plan.term()));
        let Ok(lease) = held.await else {
            worker.back_off().await;
            continue;
        };
        worker.node = lease.node().clone();
        live(&worker, plan, Arc::new(lease), std::mem::take(&mut share)).await;
    }
}

/// Owns sessions until the lease is lost or the load ends.
async fn live(worker: &Worker, plan: LeasePlan, lease: Arc<NodeLease>, share: Vec<Session>) {
    let recorder = &worker.recorder;
    let node = worker.node.node.to_string();
    let call = Call::Lease {
        node: node.clone(),
        incarnation: worker.node.incarnation,
        term_ms: plan.term_ms,
    };
    let op = recorder.begin(&worker.name, call);
    let orphans_op = recorder.begin(&worker.name, Call::Orphans { node });
    // Dropping the tasks ends the ownerships.
    let mut owners = JoinSet::new();
    for session in share {
        owners.spawn(own(
            worker.clone(),
            lease.clone(),
            session,
            ClaimReason::Open,
        ));
    }
    let mut orphans = lease.orphans();
    let mut phases = worker.phases.clone();
    let mut states = lease.watch();
    let end = async {
        tokio::select! {
            _ = phases.wait_for(|phase| *phase > Phase::Load) => {}
            _ = states.wait_for(|state| *state == LeaseState::Dead) => {}
        }
    };
    tokio::pin!(end);
    let mut samples = tokio::time::interval(plan.term() / 30);
    loop {
        tokio::select! {
            () = &mut end => break,
            _ = samples.tick() => {
                let before = now();
                let health = match lease.state() {
                    LeaseState::Live => Health::Live,
                    LeaseState::Doubt => Health::Doubt,
                    LeaseState::Dead => Health::Dead,
                };
                recorder.item_at(before, op, Item::Lease(health, now()));
            }
            orphan = orphans.next() => {
                let session = orphan.and_then(|(key, _)| worker.plan.sessions.of_key(&key));
                if let Some(session) = session {
                    recorder.item(orphans_op, Item::Orphan(session));
                    let (worker, lease) = (worker.clone(), lease.clone());
                    owners.spawn(own(worker, lease, session, ClaimReason::Takeover));
                }
            }
        }
    }
    recorder.end(op, Outcome::Ok(Reply::Done));
    recorder.end(orphans_op, Outcome::Ok(Reply::Done));
    if lease.state() != LeaseState::Dead {
        // Appends under way end.
        super::join(&mut owners).await;
    }
}

/// Owns a session while the lease is live.
async fn own(mut worker: Worker, lease: Arc<NodeLease>, session: Session, reason: ClaimReason) {
    worker.rng.0 ^= u64::from(session);
    let mut owner = loop {
        match Owner::claim(&worker, session, reason).await {
            Ok(owner) => break owner,
            Err(StoreError::Unavailable { .. }) if worker.is_loading() => worker.back_off().await,
            Err(_) => return,
        }
    };
    while worker.is_loading() {
        match lease.state() {
            LeaseState::Live => {
                if owner.step().await.is_break() {
                    return;
                }
                worker.pause().await;
            }
            LeaseState::Doubt => worker.back_off().await,
            LeaseState::Dead => return,
        }
    }
}
