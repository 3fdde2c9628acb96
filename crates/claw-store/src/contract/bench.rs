//! Helpers of the tests.

use std::ops::Deref;

pub(super) use std::sync::Arc;
pub(super) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
pub(super) use std::time::Duration;

pub(super) use bytes::Bytes;
pub(super) use futures_util::future::{join_all, try_join_all};
pub(super) use futures_util::{StreamExt as _, TryStreamExt as _, stream};

pub(super) use super::failure::{Failure, ensure, ensure_eq, ensure_err, ensure_matches};
pub(super) use super::{Harness, numbered_body};
pub(super) use crate::*;

/// The result of a test or a part of it.
pub(super) type Check<T = ()> = Result<T, Failure>;
/// What a follower receives.
pub(super) type Follow = BoxStream<'static, Result<Live>>;

/// How long anything may take that has no limit in the contract.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// A handle of a store under test.
#[derive(Clone)]
pub(super) struct Bench {
    pub(super) harness: Arc<dyn Harness>,
    pub(super) store: Arc<dyn Store>,
}

impl Deref for Bench {
    type Target = dyn Store;

    fn deref(&self) -> &Self::Target {
        &*self.store
    }
}

/// Defines functions that return valid names.
macro_rules! names {
    ($($name:ident $type:ident)*) => {$(
        #[allow(clippy::expect_used, reason = "the suite uses valid names")]
        pub(super) fn $name(name: impl ToString) -> $type {
            $type::new(&name.to_string()).expect("the name is valid")
        }
    )*};
}
names! { tenant TenantId  request_key IdempotencyKey  interaction_id InteractionId  node_id NodeId }

pub(super) fn node(name: &str) -> NodeRef {
    let (node, incarnation) = (node_id(name), 1);
    NodeRef { node, incarnation }
}

pub(super) fn bytes(text: impl ToString) -> Bytes {
    Bytes::from(text.to_string())
}

/// Returns a batch of events with numbered bodies.
pub(super) fn numbered(after: u64, count: u64) -> Batch {
    let bodies = (after + 1..=after + count).map(numbered_body);
    Batch::from(bodies.collect::<Vec<_>>())
}

/// Returns a batch that also applies commands.
pub(super) fn applying(after: u64, count: u64, position: u64) -> Batch {
    let applied = Some(position);
    Batch {
        applied,
        ..numbered(after, count)
    }
}

pub(super) fn command(name: impl ToString, body: Bytes) -> NewCommand {
    let key = request_key(name);
    let is_urgent = false;
    NewCommand {
        key,
        body,
        is_urgent,
    }
}

pub(super) fn urgent_command(name: impl ToString, body: Bytes) -> NewCommand {
    NewCommand {
        is_urgent: true,
        ..command(name, body)
    }
}

pub(super) fn checkpoint(sequence: u64, body: Bytes) -> Checkpoint {
    Checkpoint { sequence, body }
}

pub(super) fn new_interaction(name: &str, expires_at_ms: Option<i64>) -> NewInteraction {
    let (id, request) = (interaction_id(name), bytes(format!("request {name}")));
    NewInteraction {
        id,
        request,
        expires_at_ms,
    }
}

pub(super) fn answer(name: impl ToString) -> InteractionAnswer {
    let (key, body) = (request_key(name.to_string()), bytes(name));
    InteractionAnswer { key, body }
}

/// The interactions of a session.
pub(super) fn of_session(key: &SessionKey, pending: bool) -> InteractionFilter {
    let session = Some(key.session.clone());
    let all = InteractionFilter::pending(key.tenant.clone());
    InteractionFilter {
        session,
        pending,
        ..all
    }
}

/// Waits with a limit.
pub(super) async fn within<T>(awaited: &str, future: impl Future<Output = T>) -> Check<T> {
    let result = tokio::time::timeout(PATIENCE, future).await;
    result.map_err(|_| Failure::new(format_args!("{awaited} takes longer than {PATIENCE:?}")))
}

/// Receives the next item of a stream.
pub(super) async fn next<T>(stream: &mut BoxStream<'static, Result<T>>) -> Check<T> {
    let item = within("the next item of a stream", stream.next()).await?;
    Ok(item.ok_or_else(|| Failure::new("a stream ends"))??)
}

/// Receives events up to a sequence, each once and in order after `after`.
pub(super) async fn expect_events(stream: &mut Follow, after: u64, last: u64) -> Check<Vec<Event>> {
    let mut events = Vec::new();
    while events.len() as u64 + after < last {
        if let Live::Event(event) = next(stream).await? {
            events.push(event);
            check_sequences(&events[events.len() - 1..], after + events.len() as u64 - 1)?;
        }
    }
    Ok(events)
}

/// As [`expect_events`], for events with numbered bodies.
pub(super) async fn expect_numbered(stream: &mut Follow, after: u64, last: u64) -> Check {
    check_numbered(&expect_events(stream, after, last).await?, after)
}

fn check_sequences(events: &[Event], after: u64) -> Check {
    for (event, sequence) in events.iter().zip(after + 1..) {
        ensure_eq!(event.sequence => sequence);
    }
    Ok(())
}

/// Fails unless events are numbered from `after` on and have numbered bodies.
pub(super) fn check_numbered(events: &[Event], after: u64) -> Check {
    check_sequences(events, after)?;
    for event in events {
        ensure_eq!(event.body => numbered_body(event.sequence));
    }
    Ok(())
}

impl Bench {
    pub(super) async fn new(harness: Arc<dyn Harness>) -> Check<Self> {
        let store = harness.open().await?;
        Ok(Self { harness, store })
    }

    /// Returns a bench with another handle.
    pub(super) async fn other(&self) -> Check<Self> {
        Self::new(self.harness.clone()).await
    }

    /// Returns a bench with a new handle after a restart.
    pub(super) async fn restarted(&self) -> Check<Self> {
        self.harness.restart().await?;
        self.other().await
    }

    pub(super) async fn session(&self) -> Check<SessionKey> {
        self.session_of("tenant").await
    }

    pub(super) async fn session_of(&self, tenant_name: &str) -> Check<SessionKey> {
        let id = SessionId::random();
        let new = new_session(tenant_name, id.as_str(), Some(id.clone()));
        Ok(self.create(new).await?.row.key)
    }

    /// Claims a session.
    pub(super) async fn own(&self, key: &SessionKey) -> Check<Claim> {
        self.own_as(key, &node("node")).await
    }

    pub(super) async fn own_as(&self, key: &SessionKey, node: &NodeRef) -> Check<Claim> {
        Ok(self.claim(key, node, ClaimReason::Open).await?)
    }

    /// Returns a new session that is claimed.
    pub(super) async fn owned(&self) -> Check<(SessionKey, Claim)> {
        let key = self.session().await?;
        let claim = self.own(&key).await?;
        Ok((key, claim))
    }

    /// Appends a batch, and repeats the call while the store is unavailable or full.
    pub(super) async fn retry(&self, claim: &Claim, last: u64, batch: &Batch) -> Check<u64> {
        let append = async {
            loop {
                match self.append(claim, last, batch).await {
                    Err(StoreError::Unavailable { .. } | StoreError::Full { .. }) => {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                    }
                    result => return result,
                }
            }
        };
        let appended = within("an append", append).await??;
        ensure_eq!(appended.last => last + batch.events.len() as u64);
        Ok(appended.last)
    }

    /// Appends events with numbered bodies.
    pub(super) async fn write(&self, claim: &Claim, last: u64, count: u64) -> Check<u64> {
        self.retry(claim, last, &numbered(last, count)).await
    }

    /// Reads all events after a sequence.
    pub(super) async fn all(&self, key: &SessionKey, after: u64) -> Check<Vec<Event>> {
        let mut events: Vec<Event> = Vec::new();
        loop {
            let last = events.last().map_or(after, |event| event.sequence);
            let page = self.read(key, last, ReadLimit::default()).await?;
            if page.is_empty() {
                return Ok(events);
            }
            events.extend(page);
        }
    }

    /// Fails unless a session has these events after a sequence, with numbered bodies.
    pub(super) async fn check(&self, key: &SessionKey, after: u64, last: u64) -> Check {
        let events = self.all(key, after).await?;
        ensure_eq!(events.len() as u64 => last - after);
        check_numbered(&events, after)
    }
}

pub(super) fn new_session(tenant_name: &str, name: &str, session: Option<SessionId>) -> NewSession {
    let (tenant, key, attributes) = (tenant(tenant_name), request_key(name), bytes(name));
    NewSession {
        tenant,
        session,
        attributes,
        key,
    }
}
