//! Requests to the server, repeated until it responds.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use async_nats::client::RequestErrorKind;
use async_nats::{Client, HeaderMap, HeaderValue, Message, Request};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::{sleep, timeout};

use crate::error::StoreError;
use crate::hub::lock;
use crate::store::Result;

/// How long the server may take for a request.
pub(super) const TIMEOUT: Duration = Duration::from_secs(2);
/// After this time without success, another server is tried: this one may be cut off.
const RECONNECT_AFTER: Duration = Duration::from_secs(3);
/// The first and the longest pause before a request is repeated.
const PAUSE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));
/// Names the sequence that must be the last one of the subject.
pub(super) const EXPECTED: &str = "Nats-Expected-Last-Subject-Sequence";

/// The last message of the subject is another one, or an earlier one is still being stored.
const REFUSED: [u64; 2] = [10071, 10164];
/// There is no such message.
pub(super) const NOT_FOUND: u64 = 10037;
/// The servers of a new cluster have not found each other yet.
const NO_PEERS: u64 = 10005;
const TOO_LARGE: u64 = 10054;
/// The account or the server has no space.
const NO_SPACE: [u64; 2] = [10023, 10047];
/// The description has the reason.
const STORE_FAILED: u64 = 10077;

const NOT_FINISHED: Failure = Failure::Early("an earlier write is not finished");

/// A subject, or several as a wildcard, with the stream that stores it.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    pub(super) stream: String,
    pub(super) name: String,
}

/// A stored message.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub(super) sequence: u64,
    pub(super) subject: String,
    /// The sequence that its writer named as the last one of the subject.
    pub(super) expected: Option<u64>,
    pub(super) body: Bytes,
}

/// The result of a conditional write.
#[derive(Debug)]
pub(super) enum Cas {
    /// It is stored, with this sequence.
    Stored(u64),
    /// The subject has a later message. It may be the same one, if its acknowledgement was lost.
    Refused(Stored),
}

/// Why an attempt failed.
pub(super) enum Failure {
    /// The outcome is not known, or the server cannot respond now.
    Unknown(String),
    /// The server has responded, and will respond in another way soon.
    Early(&'static str),
    Final(StoreError),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Final(error)
    }
}

/// An error in a response.
#[derive(Debug, Deserialize)]
pub(super) struct ApiError {
    #[serde(default)]
    pub(super) err_code: u64,
    #[serde(default)]
    code: u64,
    #[serde(default)]
    description: String,
}

#[derive(Deserialize)]
struct Response<T> {
    error: Option<ApiError>,
    #[serde(flatten)]
    content: Option<T>,
}

#[derive(Deserialize)]
struct PublishAck {
    seq: u64,
}

/// A connection. All calls repeat a request until the server responds or the deadline is reached.
#[derive(Debug)]
pub(super) struct Wire {
    pub(super) client: Client,
    deadline: Duration,
    reconnected: Mutex<Instant>,
}

/// Counts the time and the pauses of a call.
pub(super) struct Attempts {
    start: Instant,
    pause: Duration,
    /// Whether the server did not respond to an attempt.
    is_unanswered: bool,
}

impl Wire {
    pub(super) fn new(client: Client, deadline: Duration) -> Self {
        Self {
            client,
            deadline,
            reconnected: Mutex::new(Instant::now()),
        }
    }

    /// Stores a message if `expected` is the last sequence of its subject, 0 for none.
    pub(super) async fn cas(&self, subject: &Subject, expected: u64, body: Bytes) -> Result<Cas> {
        self.retry(|| async {
            if let Some(sequence) = self.publish(subject, Some(expected), &body).await? {
                return Ok(Cas::Stored(sequence));
            }
            // The refusal may come from a server that lost leadership, or that was just elected and
            // has not stored everything yet. Only a later message proves it.
            let last = self.last(subject).await?;
            let later = last.filter(|last| last.sequence > expected);
            later.map(Cas::Refused).ok_or(NOT_FINISHED)
        })
        .await
    }

    /// Stores a message. It may be stored several times.
    pub(super) async fn put(&self, subject: &Subject, body: Bytes) -> Result<u64> {
        self.retry(|| async {
            let stored = self.publish(subject, None, &body).await?;
            stored.ok_or(NOT_FINISHED)
        })
        .await
    }

    /// Publishes a message for a stream. Returns its sequence, or `None` if a server refused it.
    async fn publish(
        &self,
        subject: &Subject,
        expected: Option<u64>,
        body: &Bytes,
    ) -> Result<Option<u64>, Failure> {
        let headers = expected.map(|expected| {
            let mut headers = HeaderMap::new();
            headers.insert(EXPECTED, HeaderValue::from(expected));
            headers
        });
        match self.request(&subject.name, headers, body.clone()).await? {
            Ok(PublishAck { seq }) => Ok(Some(seq)),
            Err(error) if REFUSED.contains(&error.err_code) => Ok(None),
            Err(error) if error.err_code == TOO_LARGE => Err(self.too_large(body.len()).into()),
            Err(error) => Err(StoreError::from(error).into()),
        }
    }

    /// Sends a request of the management API.
    pub(super) async fn api<T: for<'de> Deserialize<'de>>(
        &self,
        subject: &str,
        request: &Value,
    ) -> Result<Result<T, ApiError>> {
        let subject = format!("$JS.API.{subject}");
        let body = Bytes::from(request.to_string());
        self.retry(|| self.request(&subject, None, body.clone()))
            .await
    }

    /// Publishes a message that is not stored, unless the connection is congested.
    pub(super) fn notify(&self, subject: String, body: Bytes) {
        use futures_util::FutureExt as _;
        let _lossy = self.client.publish(subject, body).now_or_never();
    }

    async fn request<T: for<'de> Deserialize<'de>>(
        &self,
        subject: &str,
        headers: Option<HeaderMap>,
        body: Bytes,
    ) -> Result<Result<T, ApiError>, Failure> {
        let size = body.len();
        let mut request = Request::new().payload(body);
        if let Some(headers) = headers {
            request = request.headers(headers);
        }
        let request = self.client.send_request(subject.to_owned(), request);
        let message: Message = match timeout(TIMEOUT, request).await {
            Ok(Ok(message)) => message,
            Ok(Err(error)) if error.kind() == RequestErrorKind::MaxPayloadExceeded => {
                return Err(self.too_large(size).into());
            }
            Ok(Err(error)) => return Err(unknown(error)),
            Err(_) => return Err(unknown("the server does not respond")),
        };
        let response = serde_json::from_slice(&message.payload).map_err(unknown)?;
        match response {
            Response {
                error: Some(error), ..
            } if error.is_temporary() => Err(unknown(error.description)),
            Response {
                error: Some(error), ..
            } => Ok(Err(error)),
            Response { content, .. } => content
                .map(Ok)
                .ok_or_else(|| unknown("the response is not complete")),
        }
    }

    fn too_large(&self, size: usize) -> StoreError {
        StoreError::TooLarge {
            size: size as u64,
            limit: self.client.max_payload() as u64,
        }
    }

    /// Repeats a request until its outcome is known or the deadline is reached.
    pub(super) async fn retry<T, F: Future<Output = Result<T, Failure>>>(
        &self,
        mut request: impl FnMut() -> F,
    ) -> Result<T> {
        let mut attempts = Attempts::new();
        loop {
            match request().await {
                Ok(outcome) => return Ok(outcome),
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Early(reason)) => self.pause(&mut attempts, reason).await?,
                Err(Failure::Unknown(reason)) => {
                    attempts.is_unanswered = true;
                    self.pause(&mut attempts, &reason).await?;
                }
            }
        }
    }

    /// Returns whether the last reconnect of any call is long ago.
    fn may_reconnect(&self) -> bool {
        let mut reconnected = lock(&self.reconnected);
        let is_due = reconnected.elapsed() >= RECONNECT_AFTER;
        if is_due {
            *reconnected = Instant::now();
        }
        is_due
    }

    /// Waits before a request is repeated. Fails if the deadline is reached.
    pub(super) async fn pause(&self, attempts: &mut Attempts, reason: &str) -> Result<()> {
        if attempts.start.elapsed() >= self.deadline {
            return Err(StoreError::unavailable(reason));
        }
        let is_failing = attempts.is_unanswered && attempts.start.elapsed() >= RECONNECT_AFTER;
        if is_failing && self.may_reconnect() {
            tracing::warn!(reason, "the server does not respond: trying another one");
            // It fails only if the client was closed.
            let _ = timeout(TIMEOUT, self.client.force_reconnect()).await;
        }
        let nanos = u64::from(attempts.start.elapsed().subsec_nanos()) % 1_000_000;
        // Jitter, so that writers of one subject do not repeat at the same time.
        sleep(attempts.pause + Duration::from_nanos(nanos)).await;
        attempts.pause = (attempts.pause * 2).min(PAUSE.1);
        Ok(())
    }
}

impl Attempts {
    pub(super) fn new() -> Self {
        Self {
            start: Instant::now(),
            pause: PAUSE.0,
            is_unanswered: false,
        }
    }
}

pub(super) fn unknown(reason: impl ToString) -> Failure {
    Failure::Unknown(reason.to_string())
}

impl ApiError {
    fn is_full(&self) -> bool {
        let reasons = ["exceeded", "no space"];
        let has_reason = reasons
            .iter()
            .any(|reason| self.description.contains(reason));
        NO_SPACE.contains(&self.err_code) || self.err_code == STORE_FAILED && has_reason
    }

    /// Returns whether the cluster may respond in another way soon.
    fn is_temporary(&self) -> bool {
        (self.code == 503 || self.err_code == NO_PEERS) && !self.is_full()
    }
}

impl From<ApiError> for StoreError {
    fn from(error: ApiError) -> Self {
        let is_full = error.is_full();
        let ApiError {
            err_code,
            description,
            ..
        } = error;
        match is_full {
            true => Self::full("the stream", format!("{description}: give it more space")),
            false => Self::unavailable(format!("{description} ({err_code})")),
        }
    }
}
