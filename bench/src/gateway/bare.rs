//! The bare commit: appends to the store, without a gateway.

use std::time::Duration;

use anyhow::Result;
use claw_store::Log as _;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::percentiles::{Percentiles, ms};
use crate::store::sessions::{events, key, owned, sqlite};
use crate::tasks::in_tasks;

/// The size of an event, as the gateway stores it in these runs.
const BODY: usize = 1400;

/// Appends one event at a time to each of so many sessions at a rate. Returns the times until the
/// acknowledgement.
pub(super) async fn commits(
    sessions: usize,
    per_second: u32,
    time: Duration,
) -> Result<Percentiles> {
    let folder = tempfile::tempdir()?;
    let store = sqlite(&folder.path().join("bare.db")).await?;
    let mut claims = Vec::new();
    for index in 0..sessions {
        claims.push(owned(&store, &key(index)?).await?);
    }
    let pause = Duration::from_secs(1) / per_second;
    let start = Instant::now() + Duration::from_millis(500);
    let appends = claims.into_iter().enumerate().map(|(index, claim)| {
        // The sessions are out of step.
        let first = start + pause * index as u32 / sessions as u32;
        let (store, batch) = (store.clone(), events(1, BODY));
        async move {
            let mut ticks = interval_at(first, pause);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
            let (mut times, mut last) = (Vec::new(), 0);
            while first.elapsed() < time {
                ticks.tick().await;
                let begin = Instant::now();
                last = store.append(&claim, last, &batch).await?.last;
                times.push(ms(begin.elapsed()));
            }
            Ok(times)
        }
    });
    Ok(Percentiles::of(in_tasks(appends).await?.concat()))
}
