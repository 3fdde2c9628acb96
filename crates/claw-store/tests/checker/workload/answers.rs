//! Workers that race to answer interactions.

use claw_store::{Interaction, InteractionAnswer, InteractionFilter, InteractionState, Verdict};

use super::Worker;
use super::owner::state_of;
use crate::bodies::{body, id_of_name, idempotency_key};
use crate::history::{Call, Reply, State};

/// Answers interactions, some of them twice or late.
pub(super) async fn run(mut worker: Worker) {
    let mut known: Vec<Interaction> = Vec::new();
    while worker.is_loading() {
        worker.pause().await;
        let session = worker.any_session();
        let filter = InteractionFilter::pending(worker.plan.sessions.tenant(session));
        let listed = worker.in_time(worker.store.interactions(&filter)).await;
        let Ok(pending) = listed else {
            worker.back_off().await;
            continue;
        };
        known.extend(pending.first().cloned());
        // The oldest one, so that the workers meet, or one that is answered already.
        let is_late = worker.rng.percent(20);
        let interaction = match pending.first().filter(|_| !is_late) {
            Some(oldest) => oldest.clone(),
            None => match worker.rng.pick(&known) {
                Some(known) => known.clone(),
                None => continue,
            },
        };
        let Some(session) = worker.plan.sessions.of_key(&interaction.session) else {
            continue;
        };
        let answer = worker.recorder.id();
        let times = if worker.rng.percent(25) { 2 } else { 1 };
        for _ in 0..times {
            let call = Call::Answer {
                session,
                interaction: id_of_name(interaction.id.as_str()),
                answer,
            };
            let given = InteractionAnswer {
                key: idempotency_key(answer),
                body: body(session, answer),
            };
            let key = &interaction.session;
            let verdict = worker.store.answer(key, &interaction.id, given);
            let reply = |verdict: &Verdict| match verdict {
                Verdict::Won => Reply::Won,
                Verdict::Lost(winner) => {
                    let winner = InteractionState::Answered(winner.clone());
                    match state_of(session, &winner) {
                        State::Answered(id) => Reply::Lost(id),
                        state => Reply::State(state),
                    }
                }
                _ => Reply::State(State::Closed),
            };
            let _ = worker.call(call, verdict, reply).await;
        }
    }
}
