//! Stores with many sessions, one of which is long.

use std::pin::pin;

use anyhow::Result;
use claw_store::{Batch, Claim, Store};
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use super::sessions::{BODY, events, key, owned};

/// The events of a session, except for the long one.
pub(super) const SHORT: usize = 10;
/// The events of the long session, and its index.
pub(super) const LONG: usize = 10_000;
pub(super) const LONG_INDEX: usize = 999_999;
/// The calls at the same time.
const PARALLEL: usize = 64;

/// Fills a store. The events of the long session lie between those of the others, evenly.
pub(super) struct Loader {
    /// What a short session appends at once.
    batch: Batch,
    /// What the long session appends at once.
    frame: Batch,
    /// The sessions in the end.
    most: usize,
    sessions: Vec<(Claim, u64)>,
    long: Option<(Claim, u64)>,
}

impl Loader {
    pub(super) fn new(most: usize, batch: usize, frame: usize) -> Self {
        Self {
            batch: events(batch, BODY),
            frame: events(frame, BODY),
            most,
            sessions: Vec::new(),
            long: None,
        }
    }

    /// Creates sessions until there are so many. The short ones append in turns, as sessions that
    /// run at the same time do.
    pub(super) async fn fill(&mut self, store: &dyn Store, stage: usize) -> Result<()> {
        if self.long.is_none() {
            self.long = Some((owned(store, &key(LONG_INDEX)?).await?, 0));
        }
        let first = self.sessions.len();
        let created = (first..stage).map(|index| async move { owned(store, &key(index)?).await });
        let mut created = pin!(stream::iter(created).buffered(PARALLEL));
        while let Some(claim) = created.try_next().await? {
            self.sessions.push((claim, 0));
        }
        let turns = SHORT / self.batch.events.len();
        let frames = LONG.div_ceil(self.frame.events.len());
        let step = (self.most * turns / frames).max(1);
        for _ in 0..turns {
            for start in (first..stage).step_by(step) {
                let batch = &self.batch;
                let some = &mut self.sessions[start..stage.min(start + step)];
                let appends = some.iter_mut().map(|(claim, last)| async move {
                    *last = store.append(claim, *last, batch).await?.last;
                    anyhow::Ok(())
                });
                let appends = stream::iter(appends).buffer_unordered(PARALLEL);
                appends.try_collect::<()>().await?;
                self.append_long(store, 1).await?;
            }
        }
        if stage == self.most {
            self.append_long(store, LONG).await?;
        }
        Ok(())
    }

    /// Appends so many frames to the long session, but not more than it must have.
    async fn append_long(&mut self, store: &dyn Store, frames: usize) -> Result<()> {
        if let Some((claim, last)) = &mut self.long {
            for _ in 0..frames {
                let mut frame = self.frame.clone();
                frame.events.truncate(LONG - *last as usize);
                if frame.events.is_empty() {
                    break;
                }
                *last = store.append(claim, *last, &frame).await?.last;
            }
        }
        Ok(())
    }
}
