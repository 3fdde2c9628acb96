//! Reads from streams.

use std::time::Duration;

use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::stream::RawMessage;
use async_nats::{HeaderMap, Message};
use bytes::Bytes;
use futures_util::StreamExt as _;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::wire::{
    Attempts, EXPECTED, Failure, NOT_FOUND, Stored, Subject, TIMEOUT, Wire, unknown,
};
use crate::error::StoreError;
use crate::store::Result;

/// How many messages and bytes the server sends in response to one request.
const BATCH: (usize, usize) = (256, 1024 * 1024);

/// How long a call waits for a purge.
const PURGE: Duration = Duration::from_secs(1);

const LAGGING: &str = "a replica lags behind the leader";

#[derive(Deserialize)]
struct GetResponse {
    message: RawMessage,
}

impl Wire {
    /// Returns the last message of a subject, or of all subjects that match a wildcard, from the
    /// leader of the stream.
    pub(super) async fn last(&self, subject: &Subject) -> Result<Option<Stored>> {
        let request = json!({ "last_by_subj": subject.name });
        self.get(subject, &request).await
    }

    /// Returns the first message of a subject from a sequence on, from the leader of the stream.
    pub(super) async fn next(&self, subject: &Subject, from: u64) -> Result<Option<Stored>> {
        let request = json!({ "seq": from, "next_by_subj": subject.name });
        self.get(subject, &request).await
    }

    async fn get(&self, subject: &Subject, request: &Value) -> Result<Option<Stored>> {
        let subject = format!("STREAM.MSG.GET.{}", subject.stream);
        let message = match self.api::<GetResponse>(&subject, request).await? {
            Ok(response) => StreamMessage::try_from(response.message),
            Err(error) if error.err_code == NOT_FOUND => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let message = message.map_err(StoreError::unavailable)?;
        Ok(Some(Stored {
            sequence: message.sequence,
            subject: message.subject.to_string(),
            expected: number(&message.headers, EXPECTED),
            body: message.payload,
        }))
    }

    /// Returns the messages of a subject or wildcard from a sequence on, at most about a megabyte.
    /// Any replica responds, which may lag.
    pub(super) async fn batch(
        &self,
        subject: &Subject,
        from: u64,
        count: usize,
    ) -> Result<Vec<Stored>> {
        self.retry(|| self.batch_once(subject, from, count)).await
    }

    async fn batch_once(
        &self,
        subject: &Subject,
        from: u64,
        count: usize,
    ) -> Result<Vec<Stored>, Failure> {
        let request = json!({
            "batch": count.clamp(1, BATCH.0),
            "max_bytes": BATCH.1,
            "seq": from.max(1),
            "next_by_subj": subject.name,
        });
        let inbox = self.client.new_inbox();
        let start = async {
            let messages = self.client.subscribe(inbox.clone()).await;
            let messages = messages.map_err(unknown)?;
            let subject = format!("$JS.API.DIRECT.GET.{}", subject.stream);
            let body = Bytes::from(request.to_string());
            let sent = self.client.publish_with_reply(subject, inbox, body).await;
            sent.map_err(unknown)?;
            Ok::<_, Failure>(messages)
        };
        let late = |_| unknown("the server does not respond to a read");
        let mut messages = timeout(TIMEOUT, start).await.map_err(late)??;
        let mut batch = Vec::new();
        loop {
            let message = timeout(TIMEOUT, messages.next()).await.map_err(late)?;
            let message = message.ok_or_else(|| unknown("the connection was closed"))?;
            match message.status.map(|status| status.as_u16()) {
                None => {
                    let stored = stored(message);
                    batch.push(stored.ok_or_else(|| unknown("the response has no sequence"))?);
                }
                // The end of the batch; nothing found.
                Some(204 | 404) => return Ok(batch),
                Some(status) => {
                    let description = message.description.unwrap_or_default();
                    return Err(unknown(format!("a read fails: {status} {description}")));
                }
            }
        }
    }

    /// Returns messages of a subject from a sequence on. There must be some: a replica without
    /// them lags.
    pub(super) async fn page(&self, subject: &Subject, from: u64) -> Result<Vec<Stored>> {
        self.retry(|| async {
            let messages = self.batch_once(subject, from, BATCH.0).await?;
            match messages.is_empty() {
                true => Err(Failure::Early(LAGGING)),
                false => Ok(messages),
            }
        })
        .await
    }

    /// Returns at most `limit` messages of a subject or wildcard, from a sequence on, with
    /// everything that was stored when this was called.
    pub(super) async fn scan(
        &self,
        subject: &Subject,
        from: u64,
        limit: usize,
    ) -> Result<Vec<Stored>> {
        let mut attempts = Attempts::new();
        let mut found: Vec<Stored> = Vec::new();
        let mut reached = from.saturating_sub(1);
        loop {
            // Read again each time, because the last message may be deleted meanwhile.
            let bound = self.last(subject).await?;
            if found.len() >= limit || bound.is_none_or(|last| last.sequence <= reached) {
                return Ok(found);
            }
            let batch = self
                .batch(subject, reached + 1, limit - found.len())
                .await?;
            match batch.last() {
                Some(last) => reached = last.sequence,
                None => self.pause(&mut attempts, LAGGING).await?,
            }
            found.extend(batch);
        }
    }

    /// Returns the state of a stream, with the subjects that match a wildcard.
    pub(super) async fn info(&self, stream: &str, subjects: Option<&str>) -> Result<Value> {
        let request = json!({ "subjects_filter": subjects });
        let info = self.api(&format!("STREAM.INFO.{stream}"), &request).await?;
        info.map_err(StoreError::from)
    }

    /// Deletes the messages of a subject, all or those before a sequence, if the server responds
    /// soon: after power cuts, some servers do not respond to purges for minutes.
    pub(super) async fn purge(&self, subject: &Subject, before: Option<u64>) {
        let mut request = json!({ "filter": subject.name });
        if let Some(before) = before {
            request["seq"] = json!(before);
        }
        let stream = format!("STREAM.PURGE.{}", subject.stream);
        let purged = timeout(PURGE, self.api::<Value>(&stream, &request)).await;
        if !matches!(purged, Ok(Ok(Ok(_)))) {
            tracing::warn!(subject = subject.name, "old messages were not deleted");
        }
    }
}

/// Reads a message that a direct get or the republishing of a stream delivered.
pub(super) fn stored(message: Message) -> Option<Stored> {
    let headers = message.headers.unwrap_or_default();
    let subject = headers.get("Nats-Subject")?.to_string();
    Some(Stored {
        sequence: number(&headers, "Nats-Sequence")?,
        subject,
        expected: number(&headers, EXPECTED),
        body: message.payload,
    })
}

pub(super) fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.as_str().parse().ok()
}
