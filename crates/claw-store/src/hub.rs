//! Live delivery to the followers of a session, for all engines.
//!
//! A store handle has one hub. A session with followers has one topic: one subscription of the
//! engine and one ring with the latest events and deltas. Each follower has a position in the ring.
//! The events of a ring are dense. A hole, which the engine's messages or [`Hub::head`] reveal, is
//! filled from the log once for all followers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use futures_util::stream;

use crate::{BoxStream, Delta, Event, Live, Owner, Result, SessionKey, StoreError};

mod follower;
mod ring;
#[cfg(test)]
mod tests;
mod topic;

use follower::Follower;
use ring::Ring;
use topic::Topic;
pub(crate) use topic::{Attached, Source, lock};

/// The followers of a store handle.
#[derive(Default)]
pub(crate) struct Hub {
    topics: Mutex<HashMap<SessionKey, (Arc<Topic>, usize)>>,
}

impl Hub {
    /// Follows a session from a sequence.
    ///
    /// # Errors
    /// Those of [`Source::attach`], and those of the first read.
    pub(crate) async fn follow(
        self: &Arc<Self>,
        source: Arc<dyn Source>,
        key: &SessionKey,
        after: u64,
    ) -> Result<BoxStream<'static, Result<Live>>> {
        let guard = self.enter(source, key);
        let mut follower = Follower::new(guard.topic.clone(), after);
        follower.start().await?;
        let state = (follower, guard);
        Ok(Box::pin(stream::try_unfold(
            state,
            |mut state| async move {
                match state.0.next().await {
                    Ok(live) => Ok(Some((live, state))),
                    Err(StoreError::Deleted) => Ok(None),
                    Err(error) => Err(error),
                }
            },
        )))
    }

    /// Delivers stored events. Duplicates, late events and gaps are allowed.
    pub(crate) fn events(&self, key: &SessionKey, events: &[Event]) {
        self.change(key, |ring| ring.push_batch(events));
    }

    /// Announces that there may be events up to `last`. Followers that have less read the log.
    #[cfg(any(feature = "sqlite", test))]
    pub(crate) fn head(&self, key: &SessionKey, last: u64) {
        self.change(key, |ring| ring.head = ring.head.max(last));
    }

    /// Delivers a delta.
    pub(crate) fn delta(&self, key: &SessionKey, delta: Delta) {
        self.change(key, |ring| ring.push(Live::Delta(delta)));
    }

    /// Announces a new owner. One with an older epoch is ignored.
    pub(crate) fn moved(&self, key: &SessionKey, owner: Owner) {
        self.change(key, |ring| {
            if ring.epoch() < owner.epoch {
                ring.owner = Some(owner);
            }
        });
    }

    /// Ends the streams of an erased session.
    pub(crate) fn deleted(&self, key: &SessionKey) {
        self.failed(key, StoreError::Deleted);
    }

    /// Ends the streams of a session with an error.
    pub(crate) fn failed(&self, key: &SessionKey, error: StoreError) {
        self.change(key, |ring| ring.end = Some(error));
    }

    fn change(&self, key: &SessionKey, change: impl FnOnce(&mut Ring)) {
        let Some(topic) = lock(&self.topics).get(key).map(|(topic, _)| topic.clone()) else {
            return;
        };
        topic.change(change);
    }

    fn enter(self: &Arc<Self>, source: Arc<dyn Source>, key: &SessionKey) -> TopicGuard {
        let mut topics = lock(&self.topics);
        let entry = topics.entry(key.clone());
        let (topic, followers) =
            entry.or_insert_with(|| (Arc::new(Topic::new(source.clone(), key)), 0));
        if topic.ring().end.is_some() {
            (*topic, *followers) = (Arc::new(Topic::new(source, key)), 0);
        }
        *followers += 1;
        TopicGuard {
            hub: self.clone(),
            topic: topic.clone(),
        }
    }
}

/// Removes a follower from its topic when it is dropped.
struct TopicGuard {
    hub: Arc<Hub>,
    topic: Arc<Topic>,
}

impl Drop for TopicGuard {
    fn drop(&mut self) {
        let mut topics = lock(&self.hub.topics);
        let current = topics.get_mut(&self.topic.key);
        // A topic that has ended may have been replaced.
        if let Some((topic, followers)) = current
            && Arc::ptr_eq(topic, &self.topic)
        {
            *followers -= 1;
            if *followers == 0 {
                topics.remove(&self.topic.key);
            }
        }
    }
}
