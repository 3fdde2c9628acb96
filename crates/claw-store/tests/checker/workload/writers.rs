//! Workers that own sessions.

use std::ops::Range;

use claw_store::ClaimReason;

use super::Worker;
use super::owner::Owner;

/// Claims sessions, also owned ones, and keeps each for some steps.
pub(super) async fn run(mut worker: Worker, steps: Range<usize>) {
    while worker.is_loading() {
        worker.pause().await;
        let session = worker.any_session();
        let Ok(mut owner) = Owner::claim(&worker, session, ClaimReason::Move).await else {
            worker.back_off().await;
            continue;
        };
        let steps = worker.rng.between(steps.start, steps.end);
        let mut is_fenced = false;
        for _ in 0..steps {
            if !worker.is_loading() || is_fenced {
                break;
            }
            is_fenced = owner.step().await.is_break();
            worker.pause().await;
        }
        if !is_fenced && worker.rng.percent(50) {
            owner.release().await;
        }
    }
}
