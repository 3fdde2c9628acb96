//! Reads from streams.

use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::stream::RawMessage;
use async_nats::{HeaderMap, Message};
use bytes::Bytes;
use futures_util::StreamExt as _;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::wire::{Attempts, EXPECTED, Stored, TIMEOUT, Wire, code};
use crate::error::StoreError;
use crate::store::Result;

/// How much the server sends in response to one request.
const BATCH: (usize, usize) = (256, 1024 * 1024);

const LAGGING: &str = "a replica lags behind the leader";

#[derive(Deserialize)]
struct GetResponse {
    message: RawMessage,
}

impl Wire {
    /// Returns the last message of a subject, or of all subjects that match a wildcard, from the
    /// leader of the stream.
    pub(super) async fn last(&self, stream: &str, subject: &str) -> Result<Option<Stored>> {
        self.get(stream, &json!({ "last_by_subj": subject })).await
    }

    /// Returns the body of the only message of a subject, from any replica that has it.
    pub(super) async fn direct(&self, stream: &str, subject: &str) -> Result<Option<Bytes>> {
        let request = format!("$JS.API.DIRECT.GET.{stream}.{subject}");
        match self.request(&request, None, Bytes::new()).await {
            Ok(message) if message.status.is_none() => Ok(Some(message.payload)),
            // The replica lags or does not respond.
            _ => Ok(self.last(stream, subject).await?.map(|stored| stored.body)),
        }
    }

    /// Returns the first message of a subject from a sequence on, from the leader of the stream.
    pub(super) async fn next(
        &self,
        stream: &str,
        subject: &str,
        from: u64,
    ) -> Result<Option<Stored>> {
        let request = json!({ "seq": from, "next_by_subj": subject });
        self.get(stream, &request).await
    }

    async fn get(&self, stream: &str, request: &Value) -> Result<Option<Stored>> {
        let subject = format!("STREAM.MSG.GET.{stream}");
        let message = match self.api::<GetResponse>(&subject, request).await? {
            Ok(response) => StreamMessage::try_from(response.message),
            Err(error) if error.err_code == code::NOT_FOUND => return Ok(None),
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

    /// Returns the messages of a subject or wildcard from a sequence on, at most about a megabyte,
    /// and whether these are all. Any replica responds, which may lag.
    pub(super) async fn batch(
        &self,
        stream: &str,
        subject: &str,
        from: u64,
        count: usize,
    ) -> Result<(Vec<Stored>, bool)> {
        let mut attempts = Attempts::new();
        loop {
            match self.batch_once(stream, subject, from, count).await {
                Ok(batch) => return Ok(batch),
                Err(reason) => self.pause(&mut attempts, reason).await?,
            }
        }
    }

    async fn batch_once(
        &self,
        stream: &str,
        subject: &str,
        from: u64,
        count: usize,
    ) -> Result<(Vec<Stored>, bool), String> {
        let request = json!({
            "batch": count.clamp(1, BATCH.0),
            "max_bytes": BATCH.1,
            "seq": from.max(1),
            "next_by_subj": subject,
        });
        let inbox = self.client.new_inbox();
        let failed = |error: &dyn std::error::Error| error.to_string();
        let start = async {
            let messages = self.client.subscribe(inbox.clone()).await;
            let messages = messages.map_err(|error| failed(&error))?;
            let subject = format!("$JS.API.DIRECT.GET.{stream}");
            let body = Bytes::from(request.to_string());
            let sent = self.client.publish_with_reply(subject, inbox, body).await;
            sent.map_err(|error| failed(&error))?;
            Ok::<_, String>(messages)
        };
        let late = |_| "the server does not respond to a read".to_owned();
        let mut messages = timeout(TIMEOUT, start).await.map_err(late)??;
        let mut batch = Vec::new();
        loop {
            let message = timeout(TIMEOUT, messages.next()).await.map_err(late)?;
            let message = message.ok_or("the connection was closed")?;
            match message.status.map(|status| status.as_u16()) {
                None => batch.push(stored(message).ok_or("the response has no sequence")?),
                // The end of the batch; nothing found.
                Some(204) => {
                    let headers = message.headers.unwrap_or_default();
                    return Ok((batch, number(&headers, "Nats-Num-Pending") == Some(0)));
                }
                Some(404) => return Ok((batch, true)),
                Some(status) => {
                    let description = message.description.unwrap_or_default();
                    return Err(format!("a read fails: {status} {description}"));
                }
            }
        }
    }

    /// Returns messages of a subject from a sequence on. The caller knows that there are some: a
    /// replica that has none lags.
    pub(super) async fn page(&self, stream: &str, subject: &str, from: u64) -> Result<Vec<Stored>> {
        let mut attempts = Attempts::new();
        loop {
            let (messages, _) = self.batch(stream, subject, from, BATCH.0).await?;
            if !messages.is_empty() {
                return Ok(messages);
            }
            self.pause(&mut attempts, LAGGING.to_owned()).await?;
        }
    }

    /// Returns the first sequence of a stream that is not deleted.
    pub(super) async fn first_sequence(&self, stream: &str) -> Result<u64> {
        let subject = format!("STREAM.INFO.{stream}");
        let info: Value = self
            .api(&subject, &json!({}))
            .await?
            .map_err(StoreError::from)?;
        Ok(info["state"]["first_seq"].as_u64().unwrap_or(0))
    }

    /// Returns the subjects of a stream that match a wildcard.
    pub(super) async fn subjects(&self, stream: &str, filter: &str) -> Result<Vec<String>> {
        let subject = format!("STREAM.INFO.{stream}");
        let request = json!({ "subjects_filter": filter });
        let info: Value = self
            .api(&subject, &request)
            .await?
            .map_err(StoreError::from)?;
        let subjects = info["state"]["subjects"].as_object();
        Ok(subjects.map_or_else(Vec::new, |subjects| subjects.keys().cloned().collect()))
    }

    /// Returns at most `limit` messages of a subject or wildcard, from a sequence on, with
    /// everything that was stored when this was called.
    pub(super) async fn scan(
        &self,
        stream: &str,
        subject: &str,
        from: u64,
        limit: usize,
    ) -> Result<Vec<Stored>> {
        let mut attempts = Attempts::new();
        let mut found: Vec<Stored> = Vec::new();
        loop {
            let bound = self.last(stream, subject).await?;
            let bound = bound.map_or(0, |last| last.sequence);
            loop {
                let reached = found
                    .last()
                    .map_or(from.saturating_sub(1), |last| last.sequence);
                if found.len() >= limit || reached >= bound {
                    return Ok(found);
                }
                let missing = limit - found.len();
                let (batch, is_end) = self.batch(stream, subject, reached + 1, missing).await?;
                found.extend(batch);
                if is_end {
                    break;
                }
            }
            if found.last().is_some_and(|last| last.sequence >= bound) {
                return Ok(found);
            }
            // The replica lags, or the last message was deleted meanwhile.
            self.pause(&mut attempts, LAGGING.to_owned()).await?;
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
