//! Workers that follow.

use std::time::Duration;

use claw_store::{BoxStream, Live, Result};
use futures_util::StreamExt as _;
use tokio::time::Instant;

use super::readers::seen;
use super::{Phase, Worker, outcome_of};
use crate::history::{Call, Item, Outcome, Reply, Session};

/// A follower of a session.
struct Follower {
    worker: Worker,
    session: Session,
    op: u64,
    stream: BoxStream<'static, Result<Live>>,
    last: u64,
}

impl Follower {
    async fn attach(worker: &Worker, session: Session, after: u64) -> Option<Self> {
        let op = worker
            .recorder
            .begin(&worker.name, Call::Follow { session, after });
        let key = worker.plan.sessions.key(session);
        match worker.in_time(worker.store.follow(&key, after)).await {
            Ok(stream) => Some(Self {
                worker: worker.clone(),
                session,
                op,
                stream,
                last: after,
            }),
            Err(error) => {
                worker.recorder.end(op, outcome_of(&error));
                None
            }
        }
    }

    /// Receives the next item. Returns whether the stream goes on.
    async fn receive(&mut self) -> bool {
        let item = match self.stream.next().await {
            Some(Ok(Live::Event(event))) => {
                self.last = event.sequence;
                self.worker.raise_head(self.session, event.sequence);
                Item::Event(seen(self.session, &event))
            }
            Some(Ok(Live::Head { last })) => Item::Head(last),
            Some(Ok(Live::Behind)) => Item::Behind,
            Some(Ok(Live::Moved(owner))) => Item::Moved(owner.epoch),
            Some(Ok(_)) => return true,
            Some(Err(error)) => {
                self.worker.recorder.end(self.op, outcome_of(&error));
                return false;
            }
            None => {
                let outcome = Outcome::Failed("the stream ended".to_owned());
                self.worker.recorder.end(self.op, outcome);
                return false;
            }
        };
        self.worker.recorder.item(self.op, item);
        true
    }

    /// Receives until a time has passed or a phase begins. Returns whether the stream goes on.
    async fn receive_until(&mut self, phase: Phase, time: Duration) -> bool {
        let mut phases = self.worker.phases.clone();
        let end = async {
            let begun = phases.wait_for(|now| *now >= phase);
            let _ = tokio::time::timeout(time, begun).await;
        };
        tokio::pin!(end);
        loop {
            tokio::select! {
                () = &mut end => return true,
                goes_on = self.receive() => if !goes_on {
                    return false;
                },
            }
        }
    }

    /// Receives everything that is stored. Returns whether it was possible to try.
    async fn drain(&mut self) -> bool {
        let worker = self.worker.clone();
        let key = worker.plan.sessions.key(self.session);
        let Ok(row) = worker.in_time(worker.store.get(&key)).await else {
            return false;
        };
        let limit = Instant::now() + worker.plan.patience();
        while self.last < row.last {
            match tokio::time::timeout_at(limit, self.receive()).await {
                Ok(true) => {}
                Ok(false) => return false,
                Err(_) => {
                    worker.recorder.item(self.op, Item::Stuck(row.last));
                    break;
                }
            }
        }
        true
    }

    fn detach(self) {
        self.worker.recorder.end(self.op, Outcome::Ok(Reply::Done));
    }
}

/// Follows a session from its start to the end of the run, and then receives what is stored.
pub(super) async fn stay(mut worker: Worker, session: Session) {
    let mut after = 0;
    let mut limit = None;
    loop {
        if worker.phase() == Phase::Finish {
            let limit = *limit.get_or_insert_with(|| Instant::now() + worker.plan.patience());
            if Instant::now() > limit {
                let call = Call::Follow { session, after };
                let op = worker.recorder.begin(&worker.name, call);
                return worker.recorder.item(op, Item::Stuck(after + 1));
            }
        }
        let follower = Follower::attach(&worker, session, after).await;
        let Some(mut follower) = follower else {
            worker.back_off().await;
            continue;
        };
        let time = Duration::from_secs(86_400);
        if follower.receive_until(Phase::Finish, time).await && follower.drain().await {
            return follower.detach();
        }
        after = follower.last;
        worker.back_off().await;
    }
}

/// Follows sessions from any cursor for a short time, and continues some of them after a while.
pub(super) async fn roam(mut worker: Worker) {
    let mut earlier: Vec<(Session, u64)> = Vec::new();
    while worker.phase() == Phase::Load {
        worker.pause().await;
        let session = worker.any_session();
        let head = worker.head(session) as usize;
        let is_continued = worker.rng.percent(50);
        let (session, after) = match earlier.pop().filter(|_| is_continued) {
            Some(earlier) => earlier,
            None if worker.rng.percent(30) => (session, head as u64),
            None => (session, worker.rng.between(0, head + 1) as u64),
        };
        let Some(mut follower) = Follower::attach(&worker, session, after).await else {
            worker.back_off().await;
            continue;
        };
        let time = Duration::from_millis(worker.rng.between(1, 300) as u64);
        if follower.receive_until(Phase::Settle, time).await {
            earlier.push((session, follower.last));
            follower.detach();
        }
    }
}
