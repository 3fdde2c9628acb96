//! Workers that submit commands.

use claw_store::{NewCommand, StoreError};

use super::Worker;
use crate::bodies::{body, idempotency_key};
use crate::history::{Call, Id, Reply, Session};

/// Submits commands, and some of them again at once or later.
pub(super) async fn run(mut worker: Worker) {
    let mut submitted: Vec<(Session, Id)> = Vec::new();
    while worker.is_loading() {
        worker.pause().await;
        let repeat = worker.rng.percent(30);
        let earlier = worker.rng.pick(&submitted).copied();
        let (session, command) = match earlier.filter(|_| repeat) {
            Some(earlier) => earlier,
            None => (worker.any_session(), worker.recorder.id()),
        };
        loop {
            let new = NewCommand {
                key: idempotency_key(command),
                body: body(session, command),
                is_urgent: false,
            };
            let key = worker.plan.sessions.key(session);
            let call = Call::Submit { session, command };
            let submit = worker.store.submit(&key, new);
            let result = worker.call(call, submit, |submitted| Reply::Submitted {
                position: submitted.position,
                is_repeat: submitted.is_repeat,
            });
            match result.await {
                Err(StoreError::Unavailable { .. }) if worker.is_loading() => {
                    worker.back_off().await;
                }
                Err(_) => break,
                Ok(_) => {
                    submitted.push((session, command));
                    break;
                }
            }
        }
    }
}
