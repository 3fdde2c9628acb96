//! Sessions over a WebSocket.

use std::pin::pin;
use std::time::Duration;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocketUpgrade};
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use futures_util::{Sink, SinkExt as _, Stream, StreamExt as _};
use serde::{Deserialize, Serialize};

use super::auth::Authorized;
use super::sessions::session_id;
use super::stream::HEARTBEAT;
use super::{Api, Problem};
use crate::feed::Feed;
use crate::frame::DialectName;

/// The subprotocol of the gateway.
const PROTOCOL: &str = "claw.v1";
/// The prefix of a second subprotocol that contains the token: browsers cannot set headers.
const TOKEN: &str = "claw.token.";
/// The largest message of a client.
const MAX_MESSAGE: usize = 16 * 1024;
/// The close code for a policy violation (RFC 6455, section 7.4.1).
const POLICY: u16 = 1008;
/// How long sending the close frame may take.
const GOODBYE: Duration = Duration::from_millis(200);

/// A client of a WebSocket, with its token in a header or in the list of protocols.
pub(super) struct SocketCaller(Authorized);

impl FromRequestParts<Api> for SocketCaller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        if !parts.headers.contains_key(header::AUTHORIZATION) {
            let offered = parts.headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter();
            let offered = offered.filter_map(|value| value.to_str().ok());
            let mut offered = offered.flat_map(|value| value.split(',')).map(str::trim);
            let token = offered.find_map(|name| name.strip_prefix(TOKEN));
            let value = token.map(|token| HeaderValue::from_str(&format!("Bearer {token}")));
            if let Some(Ok(value)) = value {
                parts.headers.insert(header::AUTHORIZATION, value);
            }
        }
        Authorized::from_request_parts(parts, api).await.map(Self)
    }
}

/// A command of a client.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Command {
    Subscribe(Subscribe),
    Unsubscribe(Unsubscribe),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Subscribe {
    session: String,
    #[serde(default)]
    after: u64,
    #[serde(default = "events")]
    dialect: DialectName,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unsubscribe {
    session: String,
}

fn events() -> DialectName {
    DialectName::Events
}

/// The response to a command. Frames of a subscription follow its response.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Reply {
    Subscribed(Subscribe),
    Unsubscribed(Unsubscribe),
    Refused {
        #[serde(skip_serializing_if = "Option::is_none")]
        session: Option<String>,
        problem: Problem,
    },
}

/// Opens a WebSocket on which sessions are followed: the client sends
/// `{"subscribe":{"session":ID,"after":N,"dialect":NAME}}` and `{"unsubscribe":{"session":ID}}`,
/// and receives the frames and notices of the streams. The protocol is `claw.v1`; a browser names
/// its token as a second protocol, `claw.token.TOKEN`. Needs the scope `view`.
#[utoipa::path(
    get, path = "/v1/ws", tag = "sessions",
    responses((status = 101, description = "The WebSocket is open"), (status = "4XX", body = Problem))
)]
pub(super) async fn connect(
    State(api): State<Api>,
    SocketCaller(caller): SocketCaller,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Problem> {
    let upgrade = upgrade.map_err(|error| {
        let status = StatusCode::UPGRADE_REQUIRED;
        Problem::new(status, "upgrade_required", error.body_text())
    })?;
    let upgrade = upgrade
        .protocols([PROTOCOL])
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE)
        .write_buffer_size(0);
    Ok(upgrade.on_upgrade(move |socket| async move {
        let feed = Feed::new(caller.access);
        let revoked = api.devices.revoked(&caller.device);
        let count = || api.site.count(&caller.device);
        serve(socket, feed, count, HEARTBEAT, revoked).await;
    }))
}

/// Serves a connection until it is closed, the peer does not respond to a ping within two
/// heartbeats, or the device is revoked.
async fn serve<S, E>(
    mut socket: S,
    mut feed: Feed,
    count: impl Fn() -> Result<(), Problem>,
    heartbeat: Duration,
    revoked: impl Future<Output = ()>,
) where
    S: Stream<Item = Result<Message, E>> + Sink<Message> + Unpin,
{
    let mut revoked = pin!(revoked);
    let mut beats = tokio::time::interval(heartbeat);
    beats.reset();
    let mut unanswered = 0;
    loop {
        let message = tokio::select! {
            () = &mut revoked => break,
            _ = beats.tick() => {
                if unanswered == 2 {
                    return;
                }
                unanswered += 1;
                Message::Ping(bytes::Bytes::new())
            }
            received = socket.next() => {
                unanswered = 0;
                match received {
                    Some(Ok(Message::Text(text))) => match count() {
                        Ok(()) => encode(&command(&mut feed, &text).await),
                        Err(problem) => encode(&Reply::Refused { session: None, problem }),
                    },
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                    Some(Ok(Message::Binary(_))) => break,
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                }
            }
            Some(update) = feed.recv(), if !feed.is_empty() => encode(&update),
        };
        let sent = tokio::time::timeout(heartbeat * 2, socket.send(message));
        tokio::select! {
            () = &mut revoked => break,
            sent = sent => if !matches!(sent, Ok(Ok(()))) {
                return;
            }
        }
    }
    let close = Message::Close(Some(CloseFrame {
        code: POLICY,
        reason: "the device was revoked, or the message is not text".into(),
    }));
    let _ = tokio::time::timeout(GOODBYE, socket.send(close)).await;
}

fn encode(message: &impl Serialize) -> Message {
    // Serialization cannot fail: no message has a map whose keys are not strings.
    Message::text(serde_json::to_string(message).unwrap_or_default())
}

async fn command(feed: &mut Feed, text: &str) -> Reply {
    let (session, done) = match serde_json::from_str(text) {
        Ok(Command::Subscribe(start)) => {
            let session = start.session.clone();
            (Some(session), subscribe(feed, start).await)
        }
        Ok(Command::Unsubscribe(stop)) => {
            let id = session_id(&stop.session).map(|id| feed.unsubscribe(id));
            (
                Some(stop.session.clone()),
                id.map(|()| Reply::Unsubscribed(stop)),
            )
        }
        Err(error) => (None, Err(Problem::invalid(error.to_string()))),
    };
    done.unwrap_or_else(|problem| Reply::Refused { session, problem })
}

async fn subscribe(feed: &mut Feed, start: Subscribe) -> Result<Reply, Problem> {
    let session = session_id(&start.session)?;
    feed.subscribe(session, start.dialect, start.after).await?;
    Ok(Reply::Subscribed(start))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::sync::Arc;
    use std::task::{Context, Poll};

    use claw_store::{MemoryStore, NodeId, TenantId};
    use tokio::sync::mpsc;
    use tokio::time::{Instant, timeout};

    use super::*;
    use crate::caller::{Caller, Scope};
    use crate::gateway::{Gateway, Settings};

    /// A connection whose peer is the test.
    struct Connection {
        sent: mpsc::UnboundedSender<Message>,
        received: mpsc::UnboundedReceiver<Message>,
        is_full: bool,
    }

    impl Stream for Connection {
        type Item = Result<Message, Infallible>;

        fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            self.received.poll_recv(cx).map(|message| message.map(Ok))
        }
    }

    impl Sink<Message> for Connection {
        type Error = ();

        fn poll_ready(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), ()>> {
            match self.is_full {
                true => Poll::Pending,
                false => Poll::Ready(Ok(())),
            }
        }

        fn start_send(self: Pin<&mut Self>, message: Message) -> Result<(), ()> {
            self.sent.send(message).map_err(|_| ())
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), ()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), ()>> {
            Poll::Ready(Ok(()))
        }
    }

    async fn feed() -> Feed {
        let node = NodeId::new("one").unwrap();
        let mut settings = Settings::new(Vec::new());
        settings.tenant = Some(TenantId::new("ada").unwrap());
        let gateway = Gateway::start(Arc::new(MemoryStore::default()), node, settings).await;
        Feed::new(gateway.unwrap().access(Caller {
            tenant: TenantId::new("ada").unwrap(),
            device: "screen".to_owned(),
            scope: Scope::View,
        }))
    }

    fn connection(
        is_full: bool,
    ) -> (
        Connection,
        mpsc::UnboundedSender<Message>,
        mpsc::UnboundedReceiver<Message>,
    ) {
        let (sent, out) = mpsc::unbounded_channel();
        let (peer, received) = mpsc::unbounded_channel();
        let connection = Connection {
            sent,
            received,
            is_full,
        };
        (connection, peer, out)
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_does_not_respond_is_disconnected_after_two_heartbeats() {
        let beat = Duration::from_secs(15);
        for is_full in [false, true] {
            let (socket, _peer, mut out) = connection(is_full);
            let start = Instant::now();
            serve(
                socket,
                feed().await,
                || Ok(()),
                beat,
                std::future::pending(),
            )
            .await;
            assert_eq!(
                start.elapsed(),
                beat * 3,
                "a ping, and two intervals after it"
            );
            let mut pings = 0;
            while let Some(Message::Ping(_)) = out.recv().await {
                pings += 1;
            }
            assert_eq!(pings, if is_full { 0 } else { 2 });
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_responds_stays_connected() {
        let beat = Duration::from_secs(15);
        let (socket, peer, mut out) = connection(false);
        let serving = tokio::spawn(serve(
            socket,
            feed().await,
            || Ok(()),
            beat,
            std::future::pending(),
        ));
        for _ in 0..10 {
            let ping = timeout(beat * 2, out.recv()).await.unwrap().unwrap();
            assert!(matches!(ping, Message::Ping(_)));
            peer.send(Message::Pong(bytes::Bytes::new())).unwrap();
        }
        drop(peer);
        serving.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_revoked_device_is_disconnected_while_its_peer_does_not_read() {
        let beat = Duration::from_secs(15);
        let (socket, peer, _out) = connection(true);
        peer.send(Message::text("{}")).unwrap();
        let revoked = tokio::time::sleep(Duration::from_millis(100));
        let served = serve(socket, feed().await, || Ok(()), beat, revoked);
        timeout(Duration::from_secs(1), served).await.unwrap();
    }
}
