//! Interactions: a record each, which the first answer replaces.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Engine;
use super::chunks::Chunks;
use super::frame::encode_parts;
use super::layout::Place;
use super::wire::{Cas, Stored};
use crate::claim::Claim;
use crate::error::StoreError;
use crate::event::check_size;
use crate::id::{IdempotencyKey, InteractionId, SessionId, SessionKey};
use crate::interaction::{
    Closing, Interaction, InteractionAnswer, InteractionFilter, InteractionState, NewInteraction,
    Verdict,
};
use crate::store::Result;

const PARALLEL: usize = 16;

#[derive(Clone, Serialize, Deserialize)]
struct Meta {
    id: String,
    expires_at_ms: Option<i64>,
    /// The sequence of the first record, unless this is the first.
    opened: Option<u64>,
    state: State,
}

#[derive(Clone, Serialize, Deserialize)]
enum State {
    Pending,
    /// With the key of the answer. Its body follows the request.
    Answered(String),
    Expired,
    Withdrawn,
}

/// A stored interaction and its position among those of its session.
struct Found {
    interaction: Interaction,
    opened: u64,
    at: u64,
}

impl Engine {
    pub(super) async fn open_interaction(&self, claim: &Claim, new: NewInteraction) -> Result<()> {
        check_size([&new.request])?;
        let (place, _) = self.guard(claim).await?;
        let subject = self.subject_of(claim.key(), &new.id);
        let interaction = Interaction {
            session: claim.key().clone(),
            id: new.id,
            request: new.request,
            expires_at_ms: new.expires_at_ms,
            state: InteractionState::Pending,
        };
        let body = self.encode_interaction(&place, &interaction, None).await?;
        self.wire
            .put(&self.names.swap_mark(&subject), Bytes::new())
            .await?;
        let stream = self.names.stream("ASK");
        match self.wire.cas(&stream, &subject, 0, body).await? {
            Cas::Stored(at) => {
                // A claim that was fenced in between must not leave a question without an owner.
                if let Err(error) = self.guard(claim).await {
                    let subject = format!("STREAM.MSG.DELETE.{stream}");
                    let request = json!({ "seq": at });
                    let _gone = self
                        .wire
                        .api::<serde_json::Value>(&subject, &request)
                        .await?;
                    return Err(error);
                }
                Ok(())
            }
            Cas::Refused(Some(stored)) => {
                let earlier = self.decode_interaction(&place, stored).await?.interaction;
                let is_same = earlier.request == interaction.request
                    && earlier.expires_at_ms == interaction.expires_at_ms;
                match is_same {
                    true => Ok(()),
                    false => Err(StoreError::conflict("the interaction of this id")),
                }
            }
            Cas::Refused(None) => Err(StoreError::conflict("the interaction of this id")),
        }
    }

    pub(super) async fn answer(
        &self,
        key: &SessionKey,
        id: &InteractionId,
        answer: InteractionAnswer,
    ) -> Result<Verdict> {
        check_size([&answer.body])?;
        let place = self.alive(key).await?;
        let state = InteractionState::Answered(answer.clone());
        let settled = self.settle(&place, id, state).await?;
        Ok(match settled.state {
            InteractionState::Answered(winner) if winner.key == answer.key => Verdict::Won,
            InteractionState::Answered(winner) => Verdict::Lost(winner),
            InteractionState::Closed(closing) => Verdict::Closed(closing),
            InteractionState::Pending => return Err(StoreError::not_found("the interaction")),
        })
    }

    pub(super) async fn close_interaction(
        &self,
        claim: &Claim,
        id: &InteractionId,
        closing: Closing,
    ) -> Result<Interaction> {
        let (place, _) = self.guard(claim).await?;
        self.settle(&place, id, InteractionState::Closed(closing))
            .await
    }

    /// Ends an interaction unless it has ended. Returns it as it is now.
    async fn settle(
        &self,
        place: &Place,
        id: &InteractionId,
        state: InteractionState,
    ) -> Result<Interaction> {
        let (stream, subject) = (self.names.stream("ASK"), self.subject_of(&place.key, id));
        loop {
            let stored = self.wire.last(&stream, &subject).await?;
            let stored = stored.ok_or_else(|| StoreError::not_found("the interaction"))?;
            let mut found = self.decode_interaction(place, stored).await?;
            if found.interaction.state != InteractionState::Pending {
                return Ok(found.interaction);
            }
            found.interaction.state = state.clone();
            let opened = Some(found.opened);
            let body = self
                .encode_interaction(place, &found.interaction, opened)
                .await?;
            if let Cas::Stored(_) = self.wire.cas(&stream, &subject, found.at, body).await? {
                // A mark that stays is only read in vain.
                let _ = self
                    .purge(&stream, &self.names.swap_mark(&subject), None)
                    .await;
                return Ok(found.interaction);
            }
        }
    }

    pub(super) async fn interactions(
        &self,
        filter: &InteractionFilter,
    ) -> Result<Vec<Interaction>> {
        let key = |session: &SessionId| SessionKey::new(filter.tenant.clone(), session.clone());
        if let Some(session) = &filter.session {
            self.alive(&key(session)).await?;
        }
        let stream = &self.names.stream("ASK");
        let subject = self
            .names
            .interaction(&filter.tenant, filter.session.as_ref(), None);
        let records = match filter.pending {
            false => self.wire.scan(stream, &subject, 0, usize::MAX).await?,
            true => {
                let subject = self.names.swap_mark(&subject);
                let marks = self.wire.scan(stream, &subject, 0, usize::MAX).await?;
                let records = marks.into_iter().map(|mark| async move {
                    self.wire
                        .last(stream, &self.names.swap_mark(&mark.subject))
                        .await
                });
                let records = stream::iter(records).buffered(PARALLEL);
                records
                    .try_filter_map(async |found| Ok(found))
                    .try_collect()
                    .await?
            }
        };
        // A record that is replaced during the scan is found twice.
        let records: BTreeMap<_, _> = records
            .into_iter()
            .map(|r| (r.subject.clone(), r))
            .collect();
        let session_of = |record: &Stored| SessionId::new(record.subject.rsplit('.').nth(1)?).ok();
        let sessions: BTreeSet<_> = records.values().filter_map(session_of).collect();
        let mut found = Vec::new();
        for session in sessions {
            let place = match self.alive(&key(&session)).await {
                Ok(place) => place,
                // The interactions of an erased session are no longer readable.
                Err(StoreError::Deleted | StoreError::NotFound { .. }) => continue,
                Err(error) => return Err(error),
            };
            let first = found.len();
            let own = |record: &&Stored| session_of(record).as_ref() == Some(&session);
            for record in records.values().filter(own) {
                found.push(self.decode_interaction(&place, record.clone()).await?);
            }
            found[first..].sort_by_key(|found| found.opened);
        }
        let is_listed = |interaction: &Interaction| {
            let is_pending = interaction.state == InteractionState::Pending;
            let expires = interaction.expires_at_ms.unwrap_or(i64::MAX);
            (is_pending || !filter.pending)
                && filter.expired_at_ms.is_none_or(|until| expires <= until)
        };
        let found = found.into_iter().map(|found| found.interaction);
        Ok(found.filter(is_listed).collect())
    }

    fn subject_of(&self, key: &SessionKey, id: &InteractionId) -> String {
        self.names
            .interaction(&key.tenant, Some(&key.session), Some(id))
    }

    async fn encode_interaction(
        &self,
        place: &Place,
        interaction: &Interaction,
        opened: Option<u64>,
    ) -> Result<Bytes> {
        let mut answer = Bytes::new();
        let state = match &interaction.state {
            InteractionState::Pending => State::Pending,
            InteractionState::Answered(winner) => {
                answer = winner.body.clone();
                State::Answered(winner.key.to_string())
            }
            InteractionState::Closed(Closing::Expired) => State::Expired,
            InteractionState::Closed(Closing::Withdrawn) => State::Withdrawn,
        };
        let meta = Meta {
            id: interaction.id.to_string(),
            expires_at_ms: interaction.expires_at_ms,
            opened,
            state,
        };
        let meta = serde_json::to_vec(&meta).map_err(|error| damaged(place, error))?;
        let body = encode_parts([&meta[..], &interaction.request[..], &answer[..]]);
        self.seal(place, body, Chunks::Kept).await
    }

    async fn decode_interaction(&self, place: &Place, stored: Stored) -> Result<Found> {
        let parts = self.open_parts(place, stored.body).await?;
        let [meta, request, answer] = &parts[..] else {
            return Err(damaged(place, "it has no parts"));
        };
        let meta: Meta = serde_json::from_slice(meta).map_err(|error| damaged(place, error))?;
        let state = match meta.state {
            State::Pending => InteractionState::Pending,
            State::Answered(key) => InteractionState::Answered(InteractionAnswer {
                key: IdempotencyKey::new(&key).map_err(|error| damaged(place, error))?,
                body: answer.clone(),
            }),
            State::Expired => InteractionState::Closed(Closing::Expired),
            State::Withdrawn => InteractionState::Closed(Closing::Withdrawn),
        };
        Ok(Found {
            interaction: Interaction {
                session: place.key.clone(),
                id: InteractionId::new(&meta.id).map_err(|error| damaged(place, error))?,
                request: request.clone(),
                expires_at_ms: meta.expires_at_ms,
                state,
            },
            opened: meta.opened.unwrap_or(stored.sequence),
            at: stored.sequence,
        })
    }
}

fn damaged(place: &Place, reason: impl ToString) -> StoreError {
    StoreError::Damaged {
        at: format!("an interaction of session {}", place.key),
        reason: reason.to_string(),
    }
}
