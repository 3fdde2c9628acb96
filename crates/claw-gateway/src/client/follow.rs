//! Streams that resume.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use claw_server::SessionId;
use futures_util::stream::{self, BoxStream};
use futures_util::{Stream, StreamExt as _};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::{sleep, timeout};

use super::error::ClientError;
use super::sse::SseParser;
use super::transport::{Backoff, Call, Transport};
use crate::frame::{DialectName, Frame};

/// An item of a [`Follow`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Followed {
    /// A frame.
    Frame(Frame),
    /// The connection was lost, or the client was too slow, and the stream resumes. Discard the
    /// frames since `after` last increased: the stream sends their messages again, unless they are
    /// obsolete.
    Lost {
        /// The cursor from which the stream resumes.
        after: u64,
        /// What happened.
        reason: String,
    },
}

/// The frames of a session in a dialect, from a cursor on. Created by
/// [`Client::follow`](super::Client::follow).
///
/// The stream reconnects until it is dropped. It ends with an error if the gateway refuses it (the
/// session was deleted, the device was revoked, or the cursor is ahead of the log), has never
/// responded, or sends anything other than frames.
pub struct Follow {
    items: BoxStream<'static, Result<Followed, ClientError>>,
}

impl std::fmt::Debug for Follow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Follow").finish_non_exhaustive()
    }
}

impl Follow {
    pub(super) fn new(
        transport: Transport,
        session: SessionId,
        dialect: DialectName,
        after: u64,
    ) -> Self {
        let state = State {
            transport,
            session,
            dialect,
            after,
            connection: None,
            backoff: None,
            is_over: false,
        };
        let items = stream::unfold(state, State::step).boxed();
        Self { items }
    }

    /// Returns the next item, or `None` after an error. This method is cancel safe: no item is
    /// lost.
    pub async fn next(&mut self) -> Option<Result<Followed, ClientError>> {
        self.items.next().await
    }
}

impl Stream for Follow {
    type Item = Result<Followed, ClientError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.items.poll_next_unpin(context)
    }
}

/// The data of an event: a frame, or a notice without a message.
#[derive(Deserialize)]
struct Envelope {
    session: SessionId,
    after: u64,
    message: Option<Box<RawValue>>,
    /// Frames were dropped, and the stream continues from `after`.
    #[serde(default)]
    resync: bool,
    /// Nothing follows.
    #[serde(default)]
    ended: bool,
}

struct State {
    transport: Transport,
    session: SessionId,
    dialect: DialectName,
    after: u64,
    connection: Option<Connection>,
    /// Set after a connection or an attempt has failed, until a message arrives.
    backoff: Option<Backoff>,
    is_over: bool,
}

impl State {
    async fn step(mut self) -> Option<(Result<Followed, ClientError>, Self)> {
        if self.is_over {
            return None;
        }
        let item = self.item().await;
        self.is_over = item.is_err();
        Some((item, self))
    }

    async fn item(&mut self) -> Result<Followed, ClientError> {
        loop {
            let Some(connection) = &mut self.connection else {
                self.connect().await?;
                continue;
            };
            let silence = self.transport.silence;
            let data = match connection.next(silence).await {
                Ok(data) => data,
                Err(reason) => return Ok(self.lost(reason)),
            };
            let frame: Envelope = serde_json::from_slice(&data)
                .map_err(|error| self.transport.unexpected(error.to_string()))?;
            if frame.resync {
                // The same connection continues from there.
                self.after = frame.after;
                return Ok(Followed::Lost {
                    after: frame.after,
                    reason: "the client was too slow".to_owned(),
                });
            }
            if frame.ended {
                return Ok(self.lost("the gateway ended the stream".to_owned()));
            }
            self.after = self.after.max(frame.after);
            if let Some(message) = frame.message {
                // Notices do not count: a gateway that cannot read the log sends them as well.
                self.backoff = None;
                return Ok(Followed::Frame(Frame {
                    session: frame.session,
                    after: frame.after,
                    message,
                }));
            }
        }
    }

    fn lost(&mut self, reason: String) -> Followed {
        self.connection = None;
        self.backoff.get_or_insert_default();
        let after = self.after;
        Followed::Lost { after, reason }
    }

    async fn connect(&mut self) -> Result<(), ClientError> {
        if let Some(backoff) = &mut self.backoff {
            sleep(backoff.delay()).await;
        }
        let session = self.session.to_string();
        let path = ["sessions", session.as_str(), "events"];
        let call = Call::get(&path)
            .query("dialect", self.dialect.as_str())
            .query("after", self.after);
        match self.transport.open(&call, "text/event-stream").await {
            Ok(response) => {
                let kind = response.headers().get(CONTENT_TYPE);
                let is_stream = |kind: &str| kind.starts_with("text/event-stream");
                if !kind.is_some_and(|kind| kind.to_str().is_ok_and(is_stream)) {
                    let reason = "it is not a stream of events";
                    return Err(self.transport.unexpected(reason));
                }
                self.connection = Some(Connection {
                    body: response.into_body(),
                    parser: SseParser::default(),
                    ready: VecDeque::new(),
                });
                Ok(())
            }
            Err(error) if self.transport.may_repeat(&error) => {
                let backoff = self.backoff.get_or_insert_default();
                backoff.wait_at_least(error.retry_after());
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}

struct Connection {
    body: Incoming,
    parser: SseParser,
    ready: VecDeque<Vec<u8>>,
}

impl Connection {
    /// Returns the data of the next event, or why there is none.
    async fn next(&mut self, silence: Duration) -> Result<Vec<u8>, String> {
        loop {
            if let Some(data) = self.ready.pop_front() {
                return Ok(data);
            }
            // Comments count as well: the gateway sends them while there are no events.
            let read = timeout(silence, self.body.frame()).await;
            let read = read.map_err(|_| format!("nothing came for {silence:?}"))?;
            let read = read.ok_or("the gateway ended the stream")?;
            let read = read.map_err(|error| error.to_string())?;
            let Some(bytes) = read.data_ref() else {
                continue;
            };
            let mut events = Vec::new();
            let pushed = self.parser.push(bytes, &mut events);
            pushed.map_err(|_| "an event is too large")?;
            self.ready.extend(events);
        }
    }
}
