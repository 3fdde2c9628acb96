//! The event log of a controller, in a store.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use claw_server::{
    Checkpoint, EventLog, Fence, Latest, LogError, LogStream, LogUpdate, PageLimit, SessionEvent,
    SessionId, SessionList, TextDelta,
};
use claw_store::{
    Batch, Claim, ClaimReason, Live, NodeRef, PageToken, ReadLimit, SessionKey, Store, StoreError,
    TenantId,
};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use rusty_claw::BoxFuture;

use self::owned::Owned;
use crate::cli_host::{CliHost, HostedSession};
use crate::live_text::Received;

mod applied;
mod owned;

/// Stores the events of sessions in a [`Store`], one event per record, as JSON.
///
/// A log has one tenant, and sessions of other tenants are not visible through it. To append, this
/// process must own the session: see [`StoreLog::claim`].
#[derive(Clone)]
pub struct StoreLog {
    store: Arc<dyn Store>,
    tenant: TenantId,
    claims: Arc<Mutex<HashMap<SessionId, Owned>>>,
    /// Receives the offsets in the output of CLIs whose events are stored.
    host: Option<Arc<dyn CliHost>>,
}

impl std::fmt::Debug for StoreLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoreLog")
            .field("tenant", &self.tenant)
            .field("claims", &self.claims().len())
            .finish_non_exhaustive()
    }
}

impl StoreLog {
    /// Creates the log of a tenant.
    pub fn new(store: Arc<dyn Store>, tenant: TenantId) -> Self {
        Self {
            store,
            tenant,
            claims: Arc::default(),
            host: None,
        }
    }

    /// Reports stored offsets to the host of the CLIs.
    pub(crate) fn reporting_to(mut self, host: Option<Arc<dyn CliHost>>) -> Self {
        self.host = host;
        self
    }

    /// Takes ownership of a session for this process, and returns the epoch to open it with
    /// ([`SessionSetup::epoch`](claw_server::SessionSetup::epoch)). Earlier owners can no longer
    /// append.
    ///
    /// # Errors
    /// The tenant has no such session, or the store is unavailable.
    pub async fn claim(
        &self,
        session_id: SessionId,
        node: &NodeRef,
        reason: ClaimReason,
    ) -> Result<u64, StoreError> {
        let claim = self
            .store
            .claim(&self.key(session_id)?, node, reason)
            .await?;
        let epoch = claim.epoch();
        self.claims().insert(session_id, Owned::new(claim));
        Ok(epoch)
    }

    /// Returns the ownership of a session, if this process has claimed it. It may be fenced.
    pub fn claimed(&self, session_id: SessionId) -> Option<Arc<Claim>> {
        let claims = self.claims();
        claims
            .get(&session_id)
            .map(|owned| Arc::clone(&owned.claim))
    }

    /// Marks the commands of a session up to a position as applied, with its next append. Until
    /// then, a next owner receives them again.
    pub fn set_applied(&self, session_id: SessionId, position: u64) {
        if let Some(owned) = self.claims().get_mut(&session_id) {
            owned.set_applied(position);
        }
    }

    /// Gives up the ownership of a session under an epoch. Does nothing if this process has no
    /// such claim.
    ///
    /// # Errors
    /// `Unavailable` or `Full`: repeat the call. After any other error, the claim is dropped.
    pub async fn release(
        &self,
        session_id: SessionId,
        epoch: u64,
        to: claw_store::SessionState,
    ) -> Result<(), StoreError> {
        let Ok(claim) = self.claim_of(session_id, epoch) else {
            return Ok(());
        };
        let released = self.store.release(&claim, to).await;
        if !matches!(
            released,
            Err(StoreError::Unavailable { .. } | StoreError::Full { .. })
        ) {
            self.abandon(session_id, epoch);
        }
        released
    }

    pub(crate) fn key(&self, session_id: SessionId) -> Result<SessionKey, StoreError> {
        let session = claw_store::SessionId::new(&session_id.to_string());
        let session = session.map_err(|error| StoreError::NotFound {
            what: error.to_string(),
        })?;
        Ok(SessionKey::new(self.tenant.clone(), session))
    }

    /// Returns the claim for a write under this epoch.
    fn claim_of(&self, session_id: SessionId, epoch: u64) -> Result<Arc<Claim>, LogError> {
        let claim = self.claimed(session_id);
        let current = claim.filter(|claim| claim.epoch() == epoch);
        current.ok_or(LogError::Fenced)
    }

    /// Calls a function with the claim of an epoch, if this process has it.
    fn owned<T>(
        &self,
        session_id: SessionId,
        epoch: u64,
        call: impl FnOnce(&mut Owned) -> T,
    ) -> Option<T> {
        let mut claims = self.claims();
        let owned = claims.get_mut(&session_id);
        owned.filter(|owned| owned.claim.epoch() == epoch).map(call)
    }

    /// Converts an update of the store for a follower. Deltas that cannot be decoded are dropped.
    fn updates(
        &self,
        session_id: SessionId,
        live: Live,
        received: &mut Received,
    ) -> Result<Vec<LogUpdate>, LogError> {
        let (event, epoch) = match &live {
            Live::Event(event) => (Some(decode(event)?), Some(event.epoch)),
            Live::Delta(delta) => (None, Some(delta.epoch)),
            _ => (None, None),
        };
        let claims = self.claims();
        // Another process may have claimed the session since.
        let owned = claims.get(&session_id);
        let owned = owned.filter(|owned| epoch.is_none_or(|epoch| epoch == owned.claim.epoch()));
        let text = owned.map(|owned| &owned.text);
        Ok(match (event, live) {
            (Some(event), _) => received.event(event, text),
            (None, Live::Delta(delta)) => serde_json::from_slice(&delta.body)
                .map_or_else(|_| Vec::new(), |delta| received.delta(delta, text)),
            (None, Live::Head { .. } | Live::Behind) => received.behind(text),
            (None, _) => Vec::new(),
        })
    }

    fn claims(&self) -> MutexGuard<'_, HashMap<SessionId, Owned>> {
        // Nothing panics while the lock is held.
        self.claims.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Converts an error of the store.
pub(crate) fn log_error(error: StoreError) -> LogError {
    match error {
        StoreError::Fenced { .. } => LogError::Fenced,
        // While a claim is valid, the last event is the expected one.
        StoreError::Conflict { .. } => LogError::Fenced,
        StoreError::Deleted | StoreError::NotFound { .. } => LogError::Deleted,
        StoreError::TooLarge { size, limit } => LogError::TooLarge { size, limit },
        StoreError::Full { .. } => LogError::Full {
            reason: error.to_string(),
        },
        StoreError::Damaged { .. } => LogError::Damaged {
            sequence: 0,
            reason: error.to_string(),
        },
        other => LogError::unavailable(other.to_string()),
    }
}

/// Treats a session that the tenant does not have as one without events.
fn or_nothing<T: Default>(result: Result<T, StoreError>) -> Result<T, LogError> {
    match result {
        Err(StoreError::NotFound { .. }) => Ok(T::default()),
        result => result.map_err(log_error),
    }
}

fn encode(event: &SessionEvent) -> Result<Bytes, LogError> {
    let json = serde_json::to_vec(event);
    json.map(Bytes::from).map_err(|error| LogError::Damaged {
        sequence: event.sequence,
        reason: error.to_string(),
    })
}

fn decode(event: &claw_store::Event) -> Result<Arc<SessionEvent>, LogError> {
    let damaged = |reason: String| LogError::Damaged {
        sequence: event.sequence,
        reason,
    };
    let decoded: SessionEvent =
        serde_json::from_slice(&event.body).map_err(|error| damaged(error.to_string()))?;
    if decoded.sequence != event.sequence {
        return Err(damaged(format!("it has the number {}", decoded.sequence)));
    }
    Ok(Arc::new(decoded))
}

impl EventLog for StoreLog {
    fn append<'a>(
        &'a self,
        session_id: SessionId,
        fence: Fence,
        events: &'a [Arc<SessionEvent>],
    ) -> BoxFuture<'a, Result<(), LogError>> {
        Box::pin(async move {
            let (claim, appending) = self.begin_append(session_id, fence.epoch).await?;
            let encoded: Result<Vec<Bytes>, _> = events.iter().map(|event| encode(event)).collect();
            let start = |owned: &mut Owned| owned.start_append(fence.expected_last, events);
            let applied = self.owned(session_id, fence.epoch, start).flatten();
            let batch = Batch {
                events: encoded?,
                applied,
            };
            let appended = self.store.append(&claim, fence.expected_last, &batch).await;
            let appended = appended.map_err(log_error)?;
            let end = |owned: &mut Owned| owned.end_append(appended.last, applied);
            self.owned(session_id, fence.epoch, end);
            drop(appending);
            let offset = events.iter().rev().find_map(|event| event.offset);
            if let (Some(host), Some(offset)) = (&self.host, offset) {
                let session = HostedSession {
                    tenant: self.tenant.clone(),
                    session_id,
                    epoch: fence.epoch,
                };
                host.handled(&session, offset);
            }
            Ok(())
        })
    }

    fn read(
        &self,
        session_id: SessionId,
        after: u64,
        limit: PageLimit,
    ) -> BoxFuture<'_, Result<Vec<Arc<SessionEvent>>, LogError>> {
        Box::pin(async move {
            let key = self.key(session_id).map_err(log_error)?;
            let mut after = after;
            let mut page = Vec::new();
            // The store limits pages by stored bytes, callers by events and by memory.
            while page.len() < limit.events {
                let part = ReadLimit {
                    events: limit.events - page.len(),
                    ..ReadLimit::default()
                };
                let events = match self.store.read(&key, after, part).await {
                    Err(StoreError::Truncated { first }) => {
                        after = first.saturating_sub(1);
                        continue;
                    }
                    events => or_nothing(events)?,
                };
                let Some(last) = events.last() else { break };
                after = last.sequence;
                let decoded: Result<Vec<_>, _> = events.iter().map(decode).collect();
                page.extend(decoded?);
                let cut = limit.page(page.iter().cloned());
                if cut.len() < page.len() {
                    return Ok(cut);
                }
            }
            Ok(page)
        })
    }

    fn latest(&self, session_id: SessionId) -> BoxFuture<'_, Result<Latest, LogError>> {
        Box::pin(async move {
            let key = self.key(session_id).map_err(log_error)?;
            let row = or_nothing(self.store.get(&key).await.map(Some))?;
            Ok(row.map_or_else(Latest::default, |row| Latest {
                sequence: row.last,
                epoch: row.epoch,
            }))
        })
    }

    fn list<'a>(
        &'a self,
        tenant: &'a str,
        from: Option<String>,
        limit: usize,
    ) -> BoxFuture<'a, Result<SessionList, LogError>> {
        Box::pin(async move {
            if tenant != self.tenant.as_str() {
                return Ok(SessionList::default());
            }
            let page = self
                .store
                .list(&self.tenant, from.map(PageToken), limit)
                .await;
            let page = page.map_err(log_error)?;
            let ids = page
                .rows
                .iter()
                .filter_map(|row| row.key.session.as_str().parse().ok());
            Ok(SessionList {
                sessions: ids.collect(),
                next: page.next.map(|token| token.0),
            })
        })
    }

    fn subscribe(
        &self,
        session_id: SessionId,
        after: u64,
    ) -> BoxFuture<'_, Result<LogStream, LogError>> {
        Box::pin(async move {
            let key = self.key(session_id).map_err(log_error)?;
            let live = match self.store.follow(&key, after).await {
                Err(StoreError::Truncated { first }) => {
                    self.store.follow(&key, first.saturating_sub(1)).await
                }
                live => live,
            };
            let log = self.clone();
            let mut received = Received::new(after);
            let updates = live.map_err(log_error)?.map(move |live| {
                let live = live.map_err(log_error)?;
                log.updates(session_id, live, &mut received)
            });
            let updates = updates.map_ok(|updates| stream::iter(updates).map(Ok));
            Ok(updates.try_flatten().boxed() as LogStream)
        })
    }

    fn checkpoint(
        &self,
        session_id: SessionId,
    ) -> BoxFuture<'_, Result<Option<Checkpoint>, LogError>> {
        Box::pin(async move {
            let key = self.key(session_id).map_err(log_error)?;
            let checkpoint = or_nothing(self.store.checkpoint(&key).await)?;
            Ok(checkpoint.and_then(|saved| {
                let state = String::from_utf8(saved.body.into()).ok()?;
                Some(Checkpoint {
                    sequence: saved.sequence,
                    state,
                })
            }))
        })
    }

    fn save_checkpoint(
        &self,
        session_id: SessionId,
        epoch: u64,
        checkpoint: Checkpoint,
    ) -> BoxFuture<'_, Result<(), LogError>> {
        Box::pin(async move {
            let claim = self.claim_of(session_id, epoch)?;
            let checkpoint = claw_store::Checkpoint {
                sequence: checkpoint.sequence,
                body: checkpoint.state.into(),
            };
            let saved = self.store.save_checkpoint(&claim, &checkpoint).await;
            saved.map_err(log_error)
        })
    }

    fn live(&self, session_id: SessionId, delta: &Arc<TextDelta>) {
        let claim = self.claims().get_mut(&session_id).map(|owned| {
            owned.text.delta(delta);
            Arc::clone(&owned.claim)
        });
        if let Some(claim) = claim
            && let Ok(body) = serde_json::to_vec(&**delta)
        {
            self.store.publish_delta(&claim, body.into());
        }
    }
}
