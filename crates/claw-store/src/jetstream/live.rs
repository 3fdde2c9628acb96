//! Live delivery: one subscription for each session with followers.
//!
//! The server sends a message after it has stored it, with its sequence and the one before. If
//! messages were lost, the log is read. The loss of the last message is found by the position that
//! the owner publishes a second after an append.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use async_nats::{Message, Subscriber};
use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use futures_util::StreamExt as _;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Interval;

use super::engine::Engine;
use super::fold::{Fold, Phase, owner_of};
use super::frame::{Kind, decode_parts};
use super::layout::Place;
use super::log::{Counted, numbered};
use super::reads::{number, stored};
use crate::claim::Claim;
use crate::error::StoreError;
use crate::event::{Delta, Event, ReadLimit};
use crate::hub::{Attached, Source, lock};
use crate::id::SessionKey;
use crate::store::{BoxFuture, Result};

/// How long after an append its position is published.
const BEACON: Duration = Duration::from_secs(1);
/// How often the log is read if nothing arrives: the owner may have died.
const POLL: Duration = Duration::from_secs(30);

/// How long a message may take that was stored before a position was published.
const GRACE: Duration = Duration::from_millis(100);

/// The engine as the source of a hub.
pub(super) struct LiveSource(pub(super) Arc<Engine>);

impl Source for LiveSource {
    fn attach<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<Attached>> {
        Box::pin(async {
            let engine = &self.0;
            let place = engine.alive(key).await?;
            let mut reconnects = engine.reconnects.clone();
            reconnects.mark_unchanged();
            let messages = engine.wire.client.subscribe(place.live("*")).await;
            let messages = messages.map_err(StoreError::unavailable)?;
            let fold = engine.head(&place).await?;
            if fold.phase == Phase::Deleted {
                return Err(StoreError::Deleted);
            }
            let mut poll = tokio::time::interval(POLL);
            poll.reset();
            let follow = Follow {
                engine: engine.clone(),
                place,
                fold,
                poll,
            };
            // It ends when the set is dropped.
            let mut task = JoinSet::new();
            task.spawn(follow.run(messages, reconnects));
            Ok(Attached {
                last: fold.last,
                guard: Box::new(task),
            })
        })
    }

    fn read<'a>(
        &'a self,
        key: &'a SessionKey,
        after: u64,
        limit: ReadLimit,
    ) -> BoxFuture<'a, Result<Vec<Event>>> {
        Box::pin(self.0.read(key, after, limit))
    }
}

struct Follow {
    engine: Arc<Engine>,
    place: Arc<Place>,
    /// The state after the last message that was delivered.
    fold: Fold,
    poll: Interval,
}

impl Follow {
    async fn run(mut self, mut messages: Subscriber, mut reconnects: watch::Receiver<u64>) {
        loop {
            let result = tokio::select! {
                message = messages.next() => match message {
                    Some(message) => self.receive(message).await,
                    None => return,
                },
                Ok(()) = reconnects.changed() => self.catch_up().await,
                _ = self.poll.tick() => self.catch_up().await,
            };
            match result {
                Ok(()) => {}
                Err(StoreError::Unavailable { .. }) => self.poll.reset_after(BEACON),
                Err(error) => return self.engine.hub.failed(&self.place.key, error),
            }
        }
    }

    async fn receive(&mut self, message: Message) -> Result<()> {
        let (hub, key) = (&self.engine.hub, &self.place.key);
        match message.subject.rsplit('.').next() {
            Some("x") => {
                let delta = decode_delta(message.payload);
                // A stale owner may still publish deltas.
                if let Some(delta) = delta.filter(|delta| delta.epoch >= self.fold.epoch) {
                    hub.delta(key, delta);
                }
                Ok(())
            }
            Some("h") => {
                let at = message.payload.clone().try_get_u64_le().unwrap_or(0);
                if at > self.fold.at {
                    // The position may arrive before the message.
                    self.poll.reset_after(GRACE);
                }
                Ok(())
            }
            _ => {
                let headers = message.headers.as_ref();
                let before = headers.and_then(|headers| number(headers, "Nats-Last-Sequence"));
                match stored(message) {
                    Some(stored) if stored.sequence <= self.fold.at => Ok(()),
                    Some(stored) if before == Some(self.fold.at) => {
                        let step = self
                            .engine
                            .step(&self.place, &mut self.fold, &stored)
                            .await?;
                        if let Some(counted) = step {
                            self.deliver(counted);
                        }
                        Ok(())
                    }
                    _ => self.catch_up().await,
                }
            }
        }
    }

    fn deliver(&self, Counted { frame, .. }: Counted) {
        let (hub, key) = (&self.engine.hub, &self.place.key);
        match frame.kind {
            Kind::EVENTS => match decode_parts(frame.body.clone()) {
                Some(bodies) => hub.events(key, &numbered(&frame, bodies)),
                // The hub reads a body that is stored in parts.
                None => hub.head(key, frame.last()),
            },
            Kind::FENCE => {
                if let Some(owner) = owner_of(&frame) {
                    hub.moved(key, owner);
                }
            }
            Kind::DELETED => hub.deleted(key),
            _ => {}
        }
    }

    /// Looks up the end of the log. The hub reads the missing events.
    async fn catch_up(&mut self) -> Result<()> {
        let (hub, key) = (&self.engine.hub, &self.place.key);
        let head = self.engine.head(&self.place).await?;
        if head.at <= self.fold.at {
            return Ok(());
        }
        match head.phase {
            Phase::Deleted => hub.deleted(key),
            Phase::Owned if head.epoch > self.fold.epoch => {
                if let Some(owner) = self.engine.get(key).await?.owner {
                    hub.moved(key, owner);
                }
            }
            _ => {}
        }
        hub.head(key, head.last);
        self.fold = head;
        Ok(())
    }
}

impl Engine {
    /// Schedules publishing the last position, for followers that lost the last message.
    pub(super) fn beacon(&self, key: &SessionKey) {
        let mut due = lock(&self.beacons);
        if !due.contains_key(key) {
            due.insert(key.clone(), Instant::now() + BEACON);
        }
    }

    pub(super) fn publish_delta(&self, claim: &Claim, body: &Bytes) {
        let Some(place) = self.cache.place(claim.key()) else {
            return;
        };
        let delta = claim.delta(body.clone());
        let mut message = BytesMut::with_capacity(16 + delta.body.len());
        message.put_u64_le(delta.epoch);
        message.put_u64_le(delta.number);
        message.put_slice(&delta.body);
        self.wire.notify(place.live("x"), message.freeze());
    }
}

fn decode_delta(mut message: Bytes) -> Option<Delta> {
    Some(Delta {
        epoch: message.try_get_u64_le().ok()?,
        number: message.try_get_u64_le().ok()?,
        body: message,
    })
}

/// Publishes the positions that are due.
pub(super) async fn run_beacons(engine: Weak<Engine>) {
    loop {
        tokio::time::sleep(BEACON / 8).await;
        let Some(engine) = engine.upgrade() else {
            return;
        };
        let now = Instant::now();
        let due: HashMap<_, _> = lock(&engine.beacons)
            .extract_if(|_, due| *due <= now)
            .collect();
        for key in due.keys() {
            if let (Some(place), Some(fold)) = (engine.cache.place(key), engine.cache.latest(key)) {
                let at = Bytes::copy_from_slice(&fold.at.to_le_bytes());
                engine.wire.notify(place.live("h"), at);
            }
        }
    }
}
