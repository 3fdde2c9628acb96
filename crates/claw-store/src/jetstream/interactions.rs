//! Interactions: a record each, which the first answer replaces.

use std::collections::BTreeMap;

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::{Deserialize, Serialize};

use super::chunks::Chunks;
use super::directory::PARALLEL;
use super::engine::Engine;
use super::layout::Place;
use super::records::{decode, encode};
use super::wire::{Cas, Stored, Subject};
use crate::claim::Claim;
use crate::error::StoreError;
use crate::event::check_size;
use crate::id::{IdempotencyKey, InteractionId, SessionId, SessionKey};
use crate::interaction::{
    Closing, Interaction, InteractionAnswer, InteractionFilter, InteractionState, NewInteraction,
    Verdict,
};
use crate::store::Result;

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

impl Engine {
    pub(super) async fn open_interaction(&self, claim: &Claim, new: NewInteraction) -> Result<()> {
        check_size([&new.request])?;
        let (place, _) = self.guard(claim).await?;
        let interaction = Interaction::open(claim.key().clone(), new.clone());
        let body = self.encode_interaction(&place, &interaction, None).await?;
        let [subject, mark] = self.subjects_of(claim.key(), &new.id);
        self.wire.put(&mark, Bytes::new()).await?;
        match self.wire.cas(&subject, 0, body).await? {
            Cas::Stored(at) => {
                // A claim that was fenced meanwhile must not leave a pending interaction.
                if let Err(error) = self.guard(claim).await {
                    self.wire.purge(&subject, Some(at + 1)).await;
                    return Err(error);
                }
                Ok(())
            }
            Cas::Refused(stored) => {
                let (_, earlier) = self.decode_interaction(&place, stored).await?;
                earlier.check_repeat(&new)
            }
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
        Ok(self.settle(&place, id, state).await?.verdict(&answer))
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
        let [subject, mark] = self.subjects_of(&place.key, id);
        loop {
            let stored = self.wire.last(&subject).await?;
            let stored = stored.ok_or_else(|| StoreError::not_found("the interaction"))?;
            let at = stored.sequence;
            let (opened, mut interaction) = self.decode_interaction(place, stored).await?;
            if interaction.state != InteractionState::Pending {
                return Ok(interaction);
            }
            interaction.state = state.clone();
            let body = self
                .encode_interaction(place, &interaction, Some(opened))
                .await?;
            if let Cas::Stored(_) = self.wire.cas(&subject, at, body).await? {
                // A leftover mark only costs a read.
                self.wire.purge(&mark, None).await;
                return Ok(interaction);
            }
        }
    }

    pub(super) async fn interaction(
        &self,
        key: &SessionKey,
        id: &InteractionId,
    ) -> Result<Interaction> {
        let place = self.alive(key).await?;
        let [subject, _] = self.subjects_of(key, id);
        let stored = self.wire.last(&subject).await?;
        let stored = stored.ok_or_else(|| StoreError::not_found("the interaction"))?;
        Ok(self.decode_interaction(&place, stored).await?.1)
    }

    pub(super) async fn interactions(
        &self,
        filter: &InteractionFilter,
    ) -> Result<Vec<Interaction>> {
        if let Some(key) = filter.key() {
            self.alive(&key).await?;
        }
        let subject = |kind| {
            let session = filter.session.as_ref();
            self.names.interaction(kind, &filter.tenant, session, None)
        };
        let records: Vec<Stored> = match filter.pending {
            false => self.wire.scan(&subject('a'), 0, usize::MAX).await?,
            true => {
                let marks = self.wire.scan(&subject('p'), 0, usize::MAX).await?;
                let records = marks.into_iter().map(|mark| async move {
                    let subject = Subject {
                        name: mark.subject.replacen(".p.", ".a.", 1),
                        ..subject('a')
                    };
                    self.wire.last(&subject).await
                });
                let records = stream::iter(records).buffered(PARALLEL);
                let found = records.try_filter_map(async |found| Ok(found));
                found.try_collect().await?
            }
        };
        // By session, and by subject: a record that is replaced during the scan is found twice.
        let mut sessions = BTreeMap::<_, BTreeMap<_, _>>::new();
        for record in records {
            let session = record.subject.rsplit('.').nth(1).unwrap_or_default();
            if let Ok(session) = SessionId::new(session) {
                let records = sessions.entry(session).or_default();
                records.insert(record.subject.clone(), record);
            }
        }
        let mut found = Vec::new();
        for (session, records) in sessions {
            let key = SessionKey::new(filter.tenant.clone(), session);
            let place = match self.alive(&key).await {
                Ok(place) => place,
                // The interactions of an erased session are no longer readable.
                Err(StoreError::Deleted | StoreError::NotFound { .. }) => continue,
                Err(error) => return Err(error),
            };
            let first = found.len();
            for record in records.into_values() {
                found.push(self.decode_interaction(&place, record).await?);
            }
            found[first..].sort_by_key(|(opened, _)| *opened);
        }
        let found = found.into_iter().map(|(_, interaction)| interaction);
        Ok(found.filter(|one| filter.lists(one)).collect())
    }

    /// Returns the subjects of an interaction and of its mark.
    fn subjects_of(&self, key: &SessionKey, id: &InteractionId) -> [Subject; 2] {
        let SessionKey { tenant, session } = key;
        ['a', 'p'].map(|kind| {
            self.names
                .interaction(kind, tenant, Some(session), Some(id))
        })
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
        let body = encode(&meta, [&interaction.request, &answer])?;
        self.seal(place, body, Chunks::Kept).await
    }

    /// Returns an interaction and its position among those of its session.
    async fn decode_interaction(
        &self,
        place: &Place,
        stored: Stored,
    ) -> Result<(u64, Interaction)> {
        let subject = stored.subject;
        let body = self.unseal(place, stored.body).await?;
        let (meta, [request, answer]): (Meta, _) = decode(&subject, body)?;
        let is_damaged = |error| StoreError::damaged(&subject, error);
        let state = match meta.state {
            State::Pending => InteractionState::Pending,
            State::Answered(key) => InteractionState::Answered(InteractionAnswer {
                key: IdempotencyKey::new(&key).map_err(is_damaged)?,
                body: answer,
            }),
            State::Expired => InteractionState::Closed(Closing::Expired),
            State::Withdrawn => InteractionState::Closed(Closing::Withdrawn),
        };
        let interaction = Interaction {
            session: place.key.clone(),
            id: InteractionId::new(&meta.id).map_err(is_damaged)?,
            request,
            expires_at_ms: meta.expires_at_ms,
            state,
        };
        Ok((meta.opened.unwrap_or(stored.sequence), interaction))
    }
}
