//! A run: the load, the end of all work, and the state that is read back.

use std::sync::Arc;

use bytes::Bytes;
use claw_store::{
    ClaimReason, IdempotencyKey, InteractionFilter, NewSession, Result, SessionRow, Store,
    StoreError,
};

use crate::bodies::{id_of, id_of_name};
use crate::history::{Call, History, Id, Outcome, Recorder, Reply, Seen, Session, State};
use crate::workload::owner::{Owner, state_of};
use crate::workload::{Crew, Plan, Worker, read, seen};

/// The process that prepares a run and reads its end.
pub(crate) const JUDGE: u64 = 1;

/// The state of a session at the end.
#[derive(Debug, Clone)]
pub(crate) struct Final {
    pub(crate) session: Session,
    pub(crate) last: u64,
    pub(crate) epoch: u64,
    pub(crate) events: Vec<Seen>,
    pub(crate) interactions: Vec<(Id, State)>,
    /// Whether the last owner received every acknowledged command.
    pub(crate) is_drained: bool,
}

/// Repeats a call until the store is reachable.
async fn persist<T, F: Future<Output = Result<T>>>(worker: &Worker, call: impl Fn() -> F) -> T {
    let mut worker = worker.clone();
    let start = std::time::Instant::now();
    loop {
        match worker.in_time(call()).await {
            Ok(value) => return value,
            Err(error @ StoreError::Unavailable { .. }) => {
                let limit = worker.plan.patience();
                assert!(start.elapsed() < limit, "{error} for {limit:?}");
                worker.back_off().await;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// Creates the sessions of a run.
pub(crate) async fn create_sessions(store: &Arc<dyn Store>, plan: &Plan) {
    let recorder = Arc::new(Recorder::new(0));
    let worker = Worker::alone("judge", store.clone(), plan, &recorder);
    for session in plan.sessions.all() {
        let key = plan.sessions.key(session);
        let new = NewSession {
            tenant: key.tenant.clone(),
            session: Some(key.session.clone()),
            attributes: Bytes::new(),
            key: IdempotencyKey::new(key.session.as_str()).unwrap(),
        };
        persist(&worker, || store.create(new.clone())).await;
    }
}

/// Applies the commands that wait, and reads the state of all sessions. All workers but followers
/// have ended; `history` is what they did.
pub(crate) async fn settle(
    store: &Arc<dyn Store>,
    plan: &Plan,
    recorder: &Arc<Recorder>,
    history: &History,
) -> Vec<Final> {
    let worker = Worker::alone("judge", store.clone(), plan, recorder);
    let mut finals = Vec::new();
    for session in plan.sessions.all() {
        finals.push(settle_session(&worker, session, history).await);
    }
    finals
}

async fn settle_session(worker: &Worker, session: Session, history: &History) -> Final {
    let key = worker.plan.sessions.key(session);
    let position =
        |operation: &crate::history::Operation| match (&operation.call, &operation.outcome) {
            (Call::Submit { .. }, Outcome::Ok(Reply::Submitted { position, .. })) => {
                Some(*position)
            }
            _ => None,
        };
    let position = history.session(session).filter_map(position).max();
    let claim = || Owner::claim(worker, session, ClaimReason::Move);
    let mut owner = persist(worker, claim).await;
    let is_drained = owner.apply_until(position.unwrap_or(0)).await;
    owner.release().await;

    let store = &worker.store;
    let row: SessionRow = persist(worker, || store.get(&key)).await;
    let mut events: Vec<Seen> = Vec::new();
    loop {
        let after = events.last().map_or(0, |event| event.sequence);
        let page = persist(worker, || read(worker, session, after, 1000)).await;
        if page.is_empty() {
            break;
        }
        events.extend(page.iter().map(|event| seen(session, event)));
        assert!(events.len() < 10_000_000, "reading does not end");
    }
    let filter = InteractionFilter {
        tenant: key.tenant.clone(),
        session: Some(key.session.clone()),
        pending: false,
        expired_at_ms: None,
    };
    let listed = persist(worker, || store.interactions(&filter)).await;
    let interactions = listed.iter().map(|interaction| {
        let id = id_of_name(interaction.id.as_str());
        let is_whole = id_of(session, &interaction.request) == id;
        let id = if is_whole { id } else { 0 };
        (id, state_of(session, &interaction.state))
    });
    Final {
        session,
        last: row.last,
        epoch: row.epoch,
        events,
        interactions: interactions.collect(),
        is_drained,
    }
}

/// Runs workers in this process, those of each handle as one process, until `load` ends. All plans
/// have the same sessions.
pub(crate) async fn in_process(
    handles: &[(Arc<dyn Store>, Plan)],
    load: impl Future<Output = ()>,
) -> (History, Vec<Final>) {
    let judge = Arc::new(Recorder::new(JUDGE));
    let (store, plan) = &handles[0];
    create_sessions(store, plan).await;
    let mut recorders = vec![judge.clone()];
    let mut crews = Vec::new();
    for ((store, plan), process) in handles.iter().zip(JUDGE + 1..) {
        let recorder = Arc::new(Recorder::new(process));
        crews.push(Crew::start(store.clone(), plan, &recorder));
        recorders.push(recorder);
    }
    load.await;
    for crew in &mut crews {
        crew.settle().await;
    }
    let history = History::read(&recorders, []);
    let finals = settle(store, plan, &judge, &history).await;
    for crew in crews {
        crew.finish().await;
    }
    (History::read(&recorders, []), finals)
}
