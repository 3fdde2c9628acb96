//! Commands for owners.
//!
//! A command is a subject in the stream of the log, named after its idempotency key. It is stored
//! only if the subject is empty, so that a repeated call finds the first one at any time later. The
//! position of a command is its sequence in the stream.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use async_nats::Subscriber;
use futures_util::{StreamExt as _, stream};

use super::chunks::Chunks;
use super::engine::Engine;
use super::fold::Fold;
use super::frame::encode_parts;
use super::layout::Place;
use super::log::claimed;
use super::wire::{Cas, Stored};
use crate::claim::Claim;
use crate::error::StoreError;
use crate::event::check_size;
use crate::id::{IdempotencyKey, SessionKey};
use crate::inbox::{Command, MAX_WAITING, NewCommand, RESERVED, Submitted};
use crate::store::{BoxStream, Result};

/// How often an owner looks for commands whose live message was lost.
const POLL: Duration = Duration::from_secs(30);

impl Engine {
    pub(super) async fn submit(&self, key: &SessionKey, new: NewCommand) -> Result<Submitted> {
        check_size([&new.body])?;
        let place = self.alive(key).await?;
        let subject = place.command(Some(new.key.as_str()));
        let earlier = match self.wire.last(&subject).await? {
            Some(stored) => stored,
            None => {
                let waiting = self.waiting(&place).await?;
                let bytes = waiting.iter().map(|(_, size)| size).sum();
                new.check_space(waiting.len(), bytes)?;
                let body = encode_parts([new.key.as_str().as_bytes(), &new.body[..]]);
                let body = self.seal(&place, body, Chunks::Kept).await?;
                match self.wire.cas(&subject, 0, body).await? {
                    Cas::Refused(stored) => stored,
                    Cas::Stored(position) => {
                        let is_repeat = false;
                        return Ok(Submitted {
                            position,
                            is_repeat,
                        });
                    }
                }
            }
        };
        self.repeated(&place, earlier, &new).await
    }

    pub(super) async fn find_command(
        &self,
        key: &SessionKey,
        new: NewCommand,
    ) -> Result<Option<Submitted>> {
        let place = self.alive(key).await?;
        let subject = place.command(Some(new.key.as_str()));
        match self.wire.last(&subject).await? {
            Some(earlier) => self.repeated(&place, earlier, &new).await.map(Some),
            None => Ok(None),
        }
    }

    async fn repeated(
        &self,
        place: &Place,
        earlier: Stored,
        new: &NewCommand,
    ) -> Result<Submitted> {
        let earlier = self.command(place, earlier).await?;
        Submitted::repeat(earlier.position, earlier.body == new.body)
    }

    /// Returns the positions and sizes of the commands that are not applied. Those that were seen
    /// before are not read again.
    pub(super) async fn waiting(&self, place: &Place) -> Result<Vec<(u64, usize)>> {
        let applied = self.head(place).await?.applied;
        let mut waiting = self.cache.waiting(&place.key);
        waiting.retain(|(position, _)| *position > applied);
        let seen = waiting.last().map_or(applied, |(position, _)| *position);
        let subject = place.command(None);
        let limit = MAX_WAITING.events + RESERVED.events;
        for stored in self.wire.scan(&subject, seen + 1, limit).await? {
            let position = stored.sequence;
            waiting.push((position, self.command(place, stored).await?.body.len()));
        }
        self.cache.put_waiting(&place.key, waiting.clone());
        Ok(waiting)
    }

    async fn command(&self, place: &Place, stored: Stored) -> Result<Command> {
        let parts = self.open_parts(place, stored.body).await?;
        let key = parts.first().and_then(|key| std::str::from_utf8(key).ok());
        let key = key.and_then(|key| IdempotencyKey::new(key).ok());
        let (Some(key), Some(body)) = (key, parts.get(1)) else {
            return Err(StoreError::damaged(&stored.subject, "it is not a command"));
        };
        Ok(Command {
            position: stored.sequence,
            key,
            body: body.clone(),
        })
    }

    pub(super) async fn inbox(
        self: &Arc<Self>,
        claim: &Claim,
    ) -> Result<BoxStream<'static, Result<Command>>> {
        let place = self.place(claim.key()).await?;
        let messages = self.wire.client.subscribe(place.live("in.*")).await;
        let messages = messages.map_err(StoreError::unavailable)?;
        let (_, head) = self.guard(claim).await?;
        let receiver = Receiver {
            claimed: claimed(claim),
            engine: self.clone(),
            place,
            messages,
            after: head.applied,
            waiting: VecDeque::new(),
        };
        let next = |mut receiver: Receiver| async { Ok(Some((receiver.next().await?, receiver))) };
        Ok(Box::pin(stream::try_unfold(receiver, next)))
    }
}

/// Receives the commands of a session while a claim is valid.
struct Receiver {
    claimed: Fold,
    engine: Arc<Engine>,
    place: Arc<Place>,
    messages: Subscriber,
    after: u64,
    waiting: VecDeque<Stored>,
}

impl Receiver {
    async fn next(&mut self) -> Result<Command> {
        let mut reconnects = self.engine.reconnects.clone();
        reconnects.mark_unchanged();
        loop {
            // It stays in the queue until it is complete: a read of its parts may fail.
            let command = match self.waiting.front().cloned() {
                Some(stored) => self.engine.command(&self.place, stored).await.map(Some),
                None => self.look().await.map(|()| None),
            };
            match command {
                Ok(Some(command)) => {
                    self.waiting.pop_front();
                    self.after = command.position;
                    return Ok(command);
                }
                Ok(None) if !self.waiting.is_empty() => {}
                Ok(None) => {
                    tokio::select! {
                        _ = self.messages.next() => {}
                        _ = reconnects.changed() => {}
                        () = tokio::time::sleep(POLL) => {}
                    }
                }
                Err(StoreError::Unavailable { .. }) => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Checks the claim, and then reads commands.
    async fn look(&mut self) -> Result<()> {
        let Self { engine, place, .. } = &*self;
        engine.owned_head(place, self.claimed).await?;
        let (subject, limit) = (place.command(None), MAX_WAITING.events);
        let found = engine.wire.scan(&subject, self.after + 1, limit).await?;
        self.waiting.extend(found);
        Ok(())
    }
}
