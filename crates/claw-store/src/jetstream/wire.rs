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

/// Codes of the server's errors.
pub(super) mod code {
    /// The last message of the subject is another one.
    pub(in super::super) const WRONG_LAST: u64 = 10071;
    /// An earlier message of the subject is still being stored.
    pub(super) const IN_PROCESS: u64 = 10164;
    pub(in super::super) const NOT_FOUND: u64 = 10037;
    /// The servers of a new cluster have not found each other yet.
    pub(super) const NO_PEERS: u64 = 10005;
    pub(super) const TOO_LARGE: u64 = 10054;
    /// The account or the server has no space.
    pub(super) const NO_SPACE: [u64; 2] = [10023, 10047];
    /// The description has the reason.
    pub(super) const STORE_FAILED: u64 = 10077;
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
    /// The subject has another last message, or none although one was expected.
    Refused(Option<Stored>),
}

/// Why an attempt failed.
pub(super) enum Failure {
    /// The server refused a condition.
    Refused,
    /// The outcome is not known, or the server cannot respond now.
    Unknown(String),
    Final(StoreError),
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
struct PublishAck {
    error: Option<ApiError>,
    #[serde(default)]
    seq: u64,
}

#[derive(Deserialize)]
struct Response<T> {
    error: Option<ApiError>,
    #[serde(flatten)]
    content: Option<T>,
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
    pub(super) async fn cas(
        &self,
        stream: &str,
        subject: &str,
        expected: u64,
        body: Bytes,
    ) -> Result<Cas> {
        let mut attempts = Attempts::new();
        let mut is_unknown = false;
        loop {
            let failure = match self.publish_once(subject, Some(expected), &body).await {
                Ok(sequence) => return Ok(Cas::Stored(sequence)),
                Err(failure) => failure,
            };
            let reason = match failure {
                Failure::Final(error) => return Err(error),
                Failure::Unknown(reason) => {
                    is_unknown = true;
                    reason
                }
                // A leader that was just elected may not have stored everything yet.
                Failure::Refused => match self.last(stream, subject).await? {
                    Some(last) if last.sequence > expected => {
                        // It may have been stored, and others after it.
                        let next = match is_unknown {
                            true => self.next(stream, subject, expected + 1).await?,
                            false => None,
                        };
                        return Ok(match next.filter(|next| next.body == body) {
                            Some(own) => Cas::Stored(own.sequence),
                            None => Cas::Refused(Some(last)),
                        });
                    }
                    None if expected > 0 => return Ok(Cas::Refused(None)),
                    _ => "an earlier write is not finished".to_owned(),
                },
            };
            self.pause(&mut attempts, reason).await?;
        }
    }

    /// Stores a message. It may be stored several times.
    pub(super) async fn put(&self, subject: &str, body: Bytes) -> Result<u64> {
        let mut attempts = Attempts::new();
        loop {
            let reason = match self.publish_once(subject, None, &body).await {
                Ok(sequence) => return Ok(sequence),
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Unknown(reason)) => reason,
                Err(Failure::Refused) => "an earlier write is not finished".to_owned(),
            };
            self.pause(&mut attempts, reason).await?;
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
        let mut attempts = Attempts::new();
        loop {
            let reason = match self.request(&subject, None, body.clone()).await {
                Ok(message) => match serde_json::from_slice::<Response<T>>(&message.payload) {
                    Ok(Response {
                        error: Some(error), ..
                    }) if error.is_temporary() => error.description,
                    Ok(Response {
                        error: Some(error), ..
                    }) => return Ok(Err(error)),
                    Ok(Response {
                        content: Some(content),
                        ..
                    }) => return Ok(Ok(content)),
                    Ok(_) => "the response is not complete".to_owned(),
                    Err(error) => error.to_string(),
                },
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Unknown(reason)) => reason,
                Err(Failure::Refused) => return Err(StoreError::unavailable("refused")),
            };
            self.pause(&mut attempts, reason).await?;
        }
    }

    /// Publishes a message that is not stored, unless the connection is congested.
    pub(super) fn notify(&self, subject: String, body: Bytes) {
        use futures_util::FutureExt as _;
        let _lossy = self.client.publish(subject, body).now_or_never();
    }

    async fn publish_once(
        &self,
        subject: &str,
        expected: Option<u64>,
        body: &Bytes,
    ) -> Result<u64, Failure> {
        let headers = expected.map(|expected| {
            let mut headers = HeaderMap::new();
            headers.insert(EXPECTED, HeaderValue::from(expected));
            headers
        });
        let message = self.request(subject, headers, body.clone()).await?;
        let ack: PublishAck = serde_json::from_slice(&message.payload)
            .map_err(|error| Failure::Unknown(error.to_string()))?;
        let Some(error) = ack.error else {
            return Ok(ack.seq);
        };
        Err(match error.err_code {
            code::WRONG_LAST | code::IN_PROCESS => Failure::Refused,
            code::TOO_LARGE => Failure::Final(self.too_large(body.len())),
            _ if error.is_temporary() => Failure::Unknown(error.description),
            _ => Failure::Final(error.into()),
        })
    }

    pub(super) async fn request(
        &self,
        subject: &str,
        headers: Option<HeaderMap>,
        body: Bytes,
    ) -> Result<Message, Failure> {
        let size = body.len();
        let mut request = Request::new().payload(body);
        if let Some(headers) = headers {
            request = request.headers(headers);
        }
        let request = self.client.send_request(subject.to_owned(), request);
        match timeout(TIMEOUT, request).await {
            Ok(Ok(message)) => Ok(message),
            Ok(Err(error)) => Err(match error.kind() {
                RequestErrorKind::MaxPayloadExceeded => Failure::Final(self.too_large(size)),
                _ => Failure::Unknown(error.to_string()),
            }),
            Err(_) => Err(Failure::Unknown("the server does not respond".to_owned())),
        }
    }

    fn too_large(&self, size: usize) -> StoreError {
        StoreError::TooLarge {
            size: size as u64,
            limit: self.client.max_payload() as u64,
        }
    }

    /// Waits before a request is repeated, unless it is too late for that.
    pub(super) async fn pause(&self, attempts: &mut Attempts, reason: String) -> Result<()> {
        if attempts.start.elapsed() >= self.deadline {
            return Err(StoreError::unavailable(reason));
        }
        let is_failing = attempts.start.elapsed() >= RECONNECT_AFTER && {
            let mut reconnected = lock(&self.reconnected);
            let is_due = reconnected.elapsed() >= RECONNECT_AFTER;
            if is_due {
                *reconnected = Instant::now();
            }
            is_due
        };
        if is_failing {
            tracing::warn!(reason, "the server does not respond: trying another one");
            // It fails only if the client was closed.
            let _ = timeout(TIMEOUT, self.client.force_reconnect()).await;
        }
        let nanos = u64::from(attempts.start.elapsed().subsec_nanos()) % 1_000_000;
        // Writers of one subject must not repeat in step.
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
        }
    }
}

impl ApiError {
    fn is_full(&self) -> bool {
        let reasons = ["exceeded", "no space"];
        code::NO_SPACE.contains(&self.err_code)
            || self.err_code == code::STORE_FAILED
                && reasons
                    .iter()
                    .any(|reason| self.description.contains(reason))
    }

    /// Returns whether the cluster may respond in another way soon.
    fn is_temporary(&self) -> bool {
        (self.code == 503 || self.err_code == code::NO_PEERS) && !self.is_full()
    }
}

impl From<ApiError> for StoreError {
    fn from(error: ApiError) -> Self {
        let ApiError {
            err_code,
            description,
            ..
        } = &error;
        match error.is_full() {
            true => Self::full("the stream", format!("{description}: give it more space")),
            false => Self::unavailable(format!("{description} ({err_code})")),
        }
    }
}
