//! Workers that use a store at random, and record what they do.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use claw_store::{NodeRef, Result, Store, StoreError};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::bodies::{Rng, Sessions};
use crate::history::{Call, Outcome, Recorder, Reply, Session};

mod answers;
mod followers;
mod leases;
pub(crate) mod owner;
mod readers;
mod submitters;
mod writers;

pub(crate) use leases::LeasePlan;
pub(crate) use readers::{read, seen};

/// What a process does.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) sessions: Sessions,
    /// Workers that keep a session for long.
    pub(crate) writers: usize,
    /// Workers that keep a session for a few appends.
    pub(crate) takers: usize,
    pub(crate) readers: usize,
    /// Workers that attach and detach. In addition, each session has a follower that stays.
    pub(crate) followers: usize,
    pub(crate) answerers: usize,
    pub(crate) submitters: usize,
    /// Owns sessions under a lease. Writers and takers ignore leases.
    pub(crate) lease: Option<LeasePlan>,
    /// The longest pause between two steps of a worker.
    pub(crate) pause_us: usize,
    /// How long anything may take that must happen.
    pub(crate) patience_ms: u64,
    /// One of so many calls fails without an effect and another one with its effect, as those of an
    /// engine that is out of reach. Zero for an engine that fails by itself.
    pub(crate) lossy: u64,
}

impl Plan {
    pub(crate) fn new(seed: u64, sessions: Session) -> Self {
        Self {
            seed,
            sessions: Sessions::new(sessions),
            writers: 3,
            takers: 1,
            readers: 1,
            followers: 2,
            answerers: 3,
            submitters: 1,
            lease: None,
            pause_us: 4000,
            patience_ms: 60_000,
            lossy: 0,
        }
    }

    pub(crate) fn patience(&self) -> Duration {
        Duration::from_millis(self.patience_ms)
    }
}

/// What the workers of a run do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Phase {
    /// All workers run.
    Load,
    /// Only followers run.
    Settle,
    /// Followers receive what is stored, and end.
    Finish,
}

/// The workers of a process.
pub(crate) struct Crew {
    phase: watch::Sender<Phase>,
    loaders: JoinSet<()>,
    followers: JoinSet<()>,
}

impl Crew {
    /// Starts the workers of a process.
    pub(crate) fn start(store: Arc<dyn Store>, plan: &Plan, recorder: &Arc<Recorder>) -> Self {
        let (phase, phases) = watch::channel(Phase::Load);
        let (mut loaders, mut followers) = (JoinSet::new(), JoinSet::new());
        let worker = Worker {
            name: String::new(),
            node: owner::node(recorder.process()),
            heads: plan.sessions.all().map(|_| AtomicU64::new(0)).collect(),
            store,
            plan: Arc::new(plan.clone()),
            recorder: recorder.clone(),
            phases,
            rng: Rng(0),
        };
        for index in 0..plan.writers {
            loaders.spawn(writers::run(worker.named("writer", index), 10..60));
        }
        for index in 0..plan.takers {
            loaders.spawn(writers::run(worker.named("taker", index), 1..6));
        }
        for index in 0..plan.readers {
            loaders.spawn(readers::run(worker.named("reader", index)));
        }
        for index in 0..plan.answerers {
            loaders.spawn(answers::run(worker.named("answerer", index)));
        }
        for index in 0..plan.submitters {
            loaders.spawn(submitters::run(worker.named("submitter", index)));
        }
        if let Some(lease) = plan.lease {
            loaders.spawn(leases::run(worker.named("holder", 0), lease));
        }
        for session in plan.sessions.all() {
            let worker = worker.named("stayer", session as usize);
            followers.spawn(followers::stay(worker, session));
        }
        for index in 0..plan.followers {
            followers.spawn(followers::roam(worker.named("follower", index)));
        }
        Self {
            phase,
            loaders,
            followers,
        }
    }

    /// Ends all workers but followers.
    pub(crate) async fn settle(&mut self) {
        self.phase.send_replace(Phase::Settle);
        join(&mut self.loaders).await;
    }

    /// Lets followers receive everything, and ends them.
    pub(crate) async fn finish(mut self) {
        self.phase.send_replace(Phase::Finish);
        join(&mut self.followers).await;
    }
}

async fn join(tasks: &mut JoinSet<()>) {
    while let Some(ended) = tasks.join_next().await {
        ended.expect("a worker does not panic");
    }
}

/// A worker.
#[derive(Clone)]
pub(crate) struct Worker {
    name: String,
    pub(crate) node: NodeRef,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) plan: Arc<Plan>,
    pub(crate) recorder: Arc<Recorder>,
    phases: watch::Receiver<Phase>,
    /// The highest sequence of each session that a worker of this process has seen.
    heads: Arc<[AtomicU64]>,
    pub(crate) rng: Rng,
}

impl Worker {
    /// Returns a worker outside a crew.
    pub(crate) fn alone(
        name: &str,
        store: Arc<dyn Store>,
        plan: &Plan,
        recorder: &Arc<Recorder>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            node: owner::node(recorder.process()),
            store,
            plan: Arc::new(plan.clone()),
            recorder: recorder.clone(),
            phases: watch::channel(Phase::Finish).1,
            heads: plan.sessions.all().map(|_| AtomicU64::new(0)).collect(),
            rng: Rng(plan.seed),
        }
    }

    fn named(&self, role: &str, index: usize) -> Self {
        let name = format!("{role}{index}");
        let mix = name.bytes().fold(self.recorder.process(), |mix, byte| {
            mix.wrapping_mul(31).wrapping_add(u64::from(byte))
        });
        let rng = Rng(self.plan.seed.wrapping_add(mix.wrapping_mul(0x9E37_79B9)));
        Self {
            name,
            rng,
            ..self.clone()
        }
    }

    fn phase(&self) -> Phase {
        *self.phases.borrow()
    }

    fn is_loading(&self) -> bool {
        self.phase() == Phase::Load
    }

    fn any_session(&mut self) -> Session {
        let count = self.plan.sessions.count as usize;
        self.rng.between(0, count) as Session
    }

    async fn pause(&mut self) {
        let pause = self.rng.between(0, self.plan.pause_us.max(1));
        tokio::time::sleep(Duration::from_micros(pause as u64)).await;
    }

    /// Waits before a call is repeated.
    pub(crate) async fn back_off(&mut self) {
        let pause = self.rng.between(5, 50);
        tokio::time::sleep(Duration::from_millis(pause as u64)).await;
    }

    fn head(&self, session: Session) -> u64 {
        self.heads[session as usize].load(Ordering::Relaxed)
    }

    fn raise_head(&self, session: Session, last: u64) {
        self.heads[session as usize].fetch_max(last, Ordering::Relaxed);
    }

    /// Records a call and its outcome. A call that takes too long is dropped.
    pub(crate) async fn call<T>(
        &self,
        call: Call,
        future: impl Future<Output = Result<T>>,
        reply: impl FnOnce(&T) -> Reply,
    ) -> Result<T> {
        let op = self.recorder.begin(&self.name, call);
        let is_lost = |rest| self.plan.lossy > 0 && op % self.plan.lossy == rest;
        let lost = || {
            let reason = "the call is lost".to_owned();
            Err(StoreError::Unavailable { reason })
        };
        let result = if is_lost(0) {
            lost()
        } else {
            let result = self.in_time(future).await;
            result.and_then(|value| if is_lost(1) { lost() } else { Ok(value) })
        };
        let outcome = match &result {
            Ok(value) => Outcome::Ok(reply(value)),
            Err(error) => outcome_of(error),
        };
        self.recorder.end(op, outcome);
        result
    }

    pub(crate) async fn in_time<T>(&self, future: impl Future<Output = Result<T>>) -> Result<T> {
        let limit = self.plan.patience();
        let result = tokio::time::timeout(limit, future).await;
        result.unwrap_or_else(|_| {
            let reason = format!("no reply within {limit:?}");
            Err(StoreError::Unavailable { reason })
        })
    }
}

pub(crate) fn outcome_of(error: &StoreError) -> Outcome {
    match error {
        StoreError::Unavailable { reason } => Outcome::Unknown(reason.clone()),
        error => Outcome::Failed(format!("{error:?}")),
    }
}
