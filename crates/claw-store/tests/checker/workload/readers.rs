//! Workers that read.

use claw_store::{Event, ReadLimit};

use super::Worker;
use crate::bodies::id_of;
use crate::history::{Call, Reply, Seen, Session};

pub(crate) fn seen(session: Session, event: &Event) -> Seen {
    Seen {
        sequence: event.sequence,
        epoch: event.epoch,
        id: id_of(session, &event.body),
    }
}

/// Reads pages of sessions from any cursor, sometimes as another tenant.
pub(super) async fn run(mut worker: Worker) {
    while worker.is_loading() {
        worker.pause().await;
        let session = worker.any_session();
        let head = worker.head(session) as usize;
        let after = worker.rng.between(0, head + 1) as u64;
        let events = worker.rng.between(1, 64);
        if worker.rng.percent(10) {
            let key = worker.plan.sessions.foreign_key(session);
            let read = worker.store.read(&key, after, ReadLimit::default());
            let reply = |_: &Vec<Event>| Reply::Done;
            let _ = worker
                .call(Call::ReadForeign { session }, read, reply)
                .await;
            continue;
        }
        let _ = read(&worker, session, after, events).await;
    }
}

/// Reads a page.
pub(crate) async fn read(
    worker: &Worker,
    session: Session,
    after: u64,
    events: usize,
) -> claw_store::Result<Vec<Event>> {
    // Only the number of events limits a page, so that a short page means the end of the log.
    let limit = ReadLimit {
        events,
        bytes: usize::MAX / 2,
    };
    let call = Call::Read {
        session,
        after,
        limit: events,
    };
    let key = worker.plan.sessions.key(session);
    let read = worker.store.read(&key, after, limit);
    let reply = |events: &Vec<Event>| {
        Reply::Events(events.iter().map(|event| seen(session, event)).collect())
    };
    worker.call(call, read, reply).await
}
