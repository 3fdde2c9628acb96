//! The log: where it ends, appends and reads.

use std::sync::Arc;

use bytes::Bytes;

use super::chunks::Chunks;
use super::engine::Engine;
use super::fold::{Damage, Fold, Phase};
use super::frame::{Frame, Kind, encode_parts};
use super::layout::Place;
use super::wire::{Attempts, Cas, Stored};
use crate::claim::Claim;
use crate::error::StoreError;
use crate::event::{Appended, Batch, Event, ReadLimit, check_size};
use crate::id::SessionKey;
use crate::store::Result;

/// A search ends when this many events or messages are left: they are read.
const NEAR: u64 = 512;

/// A frame that counts, with the state before it.
pub(super) struct Counted {
    pub(super) frame: Frame,
    pub(super) before: Fold,
}

impl Engine {
    /// Returns the state of the session after its last message, read from the leader.
    pub(super) async fn head(&self, place: &Place) -> Result<Fold> {
        let last = self.wire.last(&place.events).await?;
        let latest = self.cache.latest(&place.key).unwrap_or_default();
        // A leader that was just elected may have less than what was read before, or nothing.
        let Some(last) = last.filter(|last| last.sequence > latest.at) else {
            return Ok(latest);
        };
        let mut fold = latest;
        if let (Ok(frame), Some(expected)) = (Frame::decode(&last.body), last.expected) {
            // Without a message in between, the server has checked the state that the writer named.
            let next = self.wire.next(&place.events, expected + 1).await?;
            if next.is_some_and(|next| next.sequence == last.sequence) {
                fold = Fold::after(last.sequence, &frame);
            }
        }
        while fold.at < last.sequence {
            for message in self.wire.page(&place.events, fold.at + 1).await? {
                self.step(place, &mut fold, &message).await?;
            }
        }
        self.cache.put_fold(&place.key, fold);
        Ok(fold)
    }

    /// Applies a message. Returns its frame if it counts.
    pub(super) async fn step(
        &self,
        place: &Place,
        fold: &mut Fold,
        message: &Stored,
    ) -> Result<Option<Counted>> {
        let mut before = *fold;
        let (at, frame) = (message.sequence, Frame::decode(&message.body));
        let mut counted = fold.apply(at, message.expected, frame.clone());
        if counted == Err(Damage::Lost) && self.was_cut(place, message).await? {
            // The earlier messages were deleted.
            (before, *fold) = Default::default();
            counted = Ok(fold.apply(at, message.expected, frame).ok().flatten());
        }
        let stream = &place.events.stream;
        let counted = counted.map_err(|damage| {
            let reason = format!("{damage:?} in session {}", place.key);
            StoreError::damaged(format!("message {at} of {stream}"), reason)
        })?;
        if counted.is_none() {
            tracing::error!(stream, at, session = %place.key, "void frame");
        }
        Ok(counted.map(|frame| Counted { frame, before }))
    }

    /// Returns whether the message that was written before this one was deleted with the start of
    /// the stream.
    async fn was_cut(&self, place: &Place, message: &Stored) -> Result<bool> {
        let info = self.wire.info(&place.events.stream, None).await?;
        let first = info["state"]["first_seq"].as_u64().unwrap_or(0);
        Ok(message.expected.is_some_and(|expected| expected < first))
    }

    /// Returns the location and the state of a session if a claim is valid.
    pub(super) async fn guard(&self, claim: &Claim) -> Result<(Arc<Place>, Fold)> {
        let place = self.place(claim.key()).await?;
        let head = self.owned_head(&place, claimed(claim)).await?;
        Ok((place, head))
    }

    /// Returns the state of a session if the owner is still that of a claim, whose state is given.
    pub(super) async fn owned_head(&self, place: &Place, claimed: Fold) -> Result<Fold> {
        self.cache.latest_since(&place.key, claimed);
        let head = self.head(place).await?;
        if head.is_owned_by(claimed.epoch) {
            return Ok(head);
        }
        if head.phase == Phase::Deleted {
            return Err(StoreError::Deleted);
        }
        // The directory may not have the new owner yet.
        let row = self.stored_row(&place.key).await?;
        let by = row.owner().filter(|owner| owner.epoch > claimed.epoch);
        Err(StoreError::Fenced { by })
    }

    pub(super) async fn append(
        &self,
        claim: &Claim,
        expected_last: u64,
        batch: &Batch,
    ) -> Result<Appended> {
        check_size(&batch.events)?;
        let place = self.place(claim.key()).await?;
        let count = u32::try_from(batch.events.len()).unwrap_or(u32::MAX);
        let body = encode_parts(batch.events.iter().map(|event| &event[..]));
        let body = self.seal(&place, body, Chunks::Kept).await?;
        let (epoch, is_empty) = (claim.epoch(), count == 0 && batch.applied.is_none());
        let mut attempts = Attempts::new();
        let mut fold = self.cache.latest_since(&place.key, claimed(claim));
        if !fold.is_owned_by(epoch) || fold.last != expected_last || is_empty {
            fold = self.owned_head(&place, claimed(claim)).await?;
        }
        loop {
            if expected_last.saturating_add(u64::from(count)) == fold.last && count > 0 {
                return self.repeat(claim, expected_last, batch).await;
            }
            if fold.last > expected_last {
                return Err(StoreError::conflict("the last event"));
            }
            if fold.last == expected_last {
                if is_empty {
                    return Ok(Appended { last: fold.last });
                }
                let kind = match count {
                    0 => Kind::APPLIED,
                    _ => Kind::EVENTS,
                };
                let frame = Frame {
                    kind,
                    epoch,
                    first: expected_last + 1,
                    count,
                    applied: fold.applied.max(batch.applied.unwrap_or(0)),
                    body: body.clone(),
                };
                if let Some(after) = self.write_frame(&place, fold.at, &frame).await? {
                    self.beacon(&place.key);
                    return Ok(Appended { last: after.last });
                }
            } else if let Err(_late) = self.wire.pause(&mut attempts, "").await {
                // The caller is wrong, unless a server has not recovered everything.
                return Err(StoreError::conflict("the last event"));
            }
            fold = self.owned_head(&place, claimed(claim)).await?;
        }
    }

    /// Writes a frame after a message. Returns the state after it, or `None` if another message
    /// follows.
    pub(super) async fn write_frame(
        &self,
        place: &Place,
        after: u64,
        frame: &Frame,
    ) -> Result<Option<Fold>> {
        let body = frame.encode();
        let at = match self.wire.cas(&place.events, after, body.clone()).await? {
            Cas::Stored(at) => Some(at),
            // An earlier attempt may have been stored, and others after it. Or a disconnected
            // server that still acts as the leader has refused what the leader stores.
            Cas::Refused(_) => {
                let next = self.wire.next(&place.events, after + 1).await?;
                let own = next.filter(|next| next.body == body);
                own.map(|own| own.sequence)
            }
        };
        let fold = at.map(|at| Fold::after(at, frame));
        if let Some(fold) = fold {
            self.cache.put_fold(&place.key, fold);
        }
        Ok(fold)
    }

    /// Returns the result of an append that may have been stored before. Events of a later owner may
    /// follow it by now.
    async fn repeat(&self, claim: &Claim, after: u64, batch: &Batch) -> Result<Appended> {
        let mut last = after;
        let mut bodies = &batch.events[..];
        while !bodies.is_empty() {
            let stored = self.read(claim.key(), last, ReadLimit::default()).await?;
            let count = stored.len().min(bodies.len());
            let (page, rest) = bodies.split_at(count);
            let is_same = |(event, body): (&Event, &Bytes)| {
                event.epoch == claim.epoch() && event.body == *body
            };
            if count == 0 || !stored.iter().zip(page).all(is_same) {
                return Err(StoreError::conflict("the last event"));
            }
            last += count as u64;
            bodies = rest;
        }
        Ok(Appended { last })
    }

    pub(super) async fn read(
        &self,
        key: &SessionKey,
        after: u64,
        limit: ReadLimit,
    ) -> Result<Vec<Event>> {
        let place = self.place(key).await?;
        let head = self.head(&place).await?;
        if head.phase == Phase::Deleted {
            return Err(StoreError::Deleted);
        }
        let mut events: Vec<Event> = Vec::new();
        if after >= head.last {
            return Ok(events);
        }
        let mut bytes = 0;
        let mut fold = self.find(&place, after, head).await?;
        while fold.at < head.at {
            for message in self.wire.page(&place.events, fold.at + 1).await? {
                let Some(Counted { frame, before }) =
                    self.step(&place, &mut fold, &message).await?
                else {
                    continue;
                };
                if before.phase == Phase::Start && frame.first > after + 1 {
                    return Err(StoreError::Truncated { first: frame.first });
                }
                if frame.kind != Kind::EVENTS || frame.last() <= after {
                    continue;
                }
                let bodies = self.open_parts(&place, frame.body.clone()).await?;
                for event in numbered(&frame, bodies) {
                    bytes += event.body.len();
                    if event.sequence <= after {
                        bytes = 0;
                        continue;
                    }
                    let is_full = events.len() >= limit.events || bytes > limit.bytes;
                    if is_full && !events.is_empty() {
                        self.cache.put_fold(&place.key, before);
                        return Ok(events);
                    }
                    events.push(event);
                }
            }
        }
        self.cache.put_fold(&place.key, fold);
        Ok(events)
    }

    /// Returns a state of the session before the event that follows `after`, near to it.
    ///
    /// The sequences of events rise with those of messages. A message that follows the one which
    /// its writer named has the right state.
    async fn find(&self, place: &Place, after: u64, head: Fold) -> Result<Fold> {
        let mut low = self.cache.fold_before(&place.key, after);
        let mut high = (head.at, head.last);
        for round in 0..24 {
            let (messages, events) = (high.0.saturating_sub(low.at), after - low.last);
            if messages <= NEAR || events <= NEAR {
                break;
            }
            let share = match round % 2 {
                0 => u128::from(events) * u128::from(messages) / u128::from(high.1 - low.last),
                _ => u128::from(messages / 2),
            };
            let guess = low.at + u64::try_from(share).unwrap_or(0).clamp(1, messages - 1);
            let pair = self.wire.batch(&place.events, guess, 2).await?;
            let found = match &pair[..] {
                [one, two] if two.expected == Some(one.sequence) => Frame::decode(&two.body)
                    .ok()
                    .map(|frame| Fold::after(two.sequence, &frame)),
                _ => None,
            };
            match found {
                Some(fold) if fold.last <= after => low = fold,
                Some(fold) => high = (guess, fold.last),
                None => high.0 = guess,
            }
        }
        Ok(low)
    }

    /// Returns how many messages of a session's log do not count, after reading all of them.
    pub(super) async fn void_frames(&self, key: &SessionKey) -> Result<u64> {
        let place = self.place(key).await?;
        let messages = self.wire.scan(&place.events, 0, usize::MAX).await?;
        let (mut fold, mut voids) = (Fold::default(), 0);
        for message in messages {
            voids += u64::from(self.step(&place, &mut fold, &message).await?.is_none());
        }
        Ok(voids)
    }
}

/// Returns the state of a session right after a claim.
pub(super) fn claimed(claim: &Claim) -> Fold {
    Fold {
        at: claim.position(),
        epoch: claim.epoch(),
        last: claim.last(),
        applied: claim.applied(),
        phase: Phase::Owned,
    }
}

/// Returns bodies as the events of a frame.
pub(super) fn numbered(frame: &Frame, bodies: Vec<Bytes>) -> Vec<Event> {
    let events = bodies.into_iter().zip(frame.first..);
    events
        .map(|(body, sequence)| Event {
            sequence,
            epoch: frame.epoch,
            body,
        })
        .collect()
}
