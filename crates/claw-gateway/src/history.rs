//! Reads the events of a session backwards.

use claw_server::SessionId;
use claw_store::{ReadLimit, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::access::Access;
use crate::caller::Scope;
use crate::error::GatewayError;

/// The most bytes of a page, unless a single event is larger.
const MAX_BYTES: usize = 1024 * 1024;
/// How many events are read at once.
const PART: u64 = 32;

/// A page of the events of a session.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct History {
    /// The events as they are stored, newest last.
    #[schema(value_type = Vec<Object>)]
    pub events: Vec<Box<RawValue>>,
    /// The `before` of the page before this one, if the session has older events.
    pub before: Option<u64>,
}

impl Access {
    /// Returns the last `limit` events before a sequence, or fewer if they are large.
    ///
    /// # Errors
    /// The tenant has no such session, or the log cannot be read.
    pub async fn history(
        &self,
        session_id: SessionId,
        before: Option<u64>,
        limit: usize,
    ) -> Result<History, GatewayError> {
        self.caller.need(Scope::View)?;
        let row = self.tenant.row(session_id).await?;
        let end = before.unwrap_or(u64::MAX).min(row.last + 1).max(1);
        // A log can only be read forwards, so a page is read in parts, the last part first.
        let (mut first, mut events, mut bytes) = (end, Vec::new(), 0);
        while first > 1 && events.len() < limit {
            let wanted = PART.min((limit - events.len()) as u64);
            let part = self.part(&row.key, first.saturating_sub(wanted).max(1), first);
            let Some(part) = part.await? else {
                first = 1;
                break;
            };
            for event in part.into_iter().rev() {
                bytes += event.body.len();
                if !events.is_empty() && bytes > MAX_BYTES {
                    return page(events, first);
                }
                first = event.sequence;
                events.push(event);
            }
        }
        page(events, first)
    }

    /// Reads the events from `first` to before `end`, or `None` if they are no longer stored.
    async fn part(
        &self,
        key: &claw_store::SessionKey,
        first: u64,
        end: u64,
    ) -> Result<Option<Vec<claw_store::Event>>, GatewayError> {
        let (mut after, mut part) = (first - 1, Vec::new());
        while after + 1 < end {
            let limit = ReadLimit {
                events: usize::try_from(end - 1 - after).unwrap_or(usize::MAX),
                ..ReadLimit::default()
            };
            match self.tenant.store.read(key, after, limit).await {
                Err(StoreError::Truncated { first }) if first < end => after = first - 1,
                Err(StoreError::Truncated { .. }) => return Ok(None),
                Ok(events) if events.is_empty() => break,
                events => {
                    part.extend(events?);
                    after = part
                        .last()
                        .map_or(end, |event: &claw_store::Event| event.sequence);
                }
            }
        }
        Ok((!part.is_empty()).then_some(part))
    }
}

/// Creates a page from events, which are newest first.
fn page(events: Vec<claw_store::Event>, first: u64) -> Result<History, GatewayError> {
    let json = |event: claw_store::Event| {
        let text = String::from_utf8(event.body.into()).map_err(|error| error.to_string());
        let json =
            text.and_then(|text| RawValue::from_string(text).map_err(|error| error.to_string()));
        json.map_err(|reason| GatewayError::Unavailable { reason })
    };
    let events: Result<Vec<_>, _> = events.into_iter().rev().map(json).collect();
    Ok(History {
        events: events?,
        before: (first > 1).then_some(first),
    })
}
