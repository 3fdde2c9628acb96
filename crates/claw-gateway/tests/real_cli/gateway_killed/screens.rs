//! Clients that follow a session through kills, in a dialect, over SSE or a WebSocket.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use claw_gateway::DialectName;
use claw_gateway::client::{Client, Follow, Followed};
use claw_server::{SequencedMessage, SessionId, UiMessage};
use futures_util::{SinkExt as _, StreamExt as _};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::phone::{Client as Screen, Shown};

/// The delay before a WebSocket is opened again.
const RECONNECT: Duration = Duration::from_millis(20);

/// A message as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Text(pub(super) String);

impl Shown for Text {
    fn is_piece(&self) -> bool {
        self.0.starts_with("{\"delta\"")
    }

    fn text(_: &[&Self]) -> Result<BTreeMap<u64, String>, String> {
        Ok(BTreeMap::new())
    }
}

/// A message of a dialect.
pub(super) trait Read: Shown {
    fn read(text: &str) -> Self;
}

impl Read for Text {
    fn read(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl Read for UiMessage {
    fn read(text: &str) -> Self {
        serde_json::from_str(text).unwrap()
    }
}

/// What a client connects to.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) client: Client,
    pub(super) address: SocketAddr,
    pub(super) token: String,
    pub(super) session: SessionId,
}

impl Target {
    /// Follows the session from a cursor on.
    pub(super) fn link(&self, dialect: DialectName, is_socket: bool, after: u64) -> Link {
        if !is_socket {
            return Link::Sse(self.client.follow(self.session, dialect, after));
        }
        Link::Socket(Box::new(Socket {
            target: self.clone(),
            dialect,
            stream: None,
        }))
    }
}

/// A client that connects again by itself.
pub(super) enum Link {
    Sse(Follow),
    Socket(Box<Socket>),
}

pub(super) enum Item {
    Frame(u64, String),
    /// The client resumes from its cursor.
    Lost,
}

impl Link {
    /// Returns the next item for a client with a cursor. Cancel safe.
    async fn next(&mut self, cursor: u64) -> Item {
        match self {
            Self::Sse(follow) => match follow.next().await.unwrap().unwrap() {
                Followed::Frame(frame) => Item::Frame(frame.after, frame.message.get().to_owned()),
                Followed::Lost { after, .. } => {
                    assert_eq!(after, cursor, "the client resumes from its cursor");
                    Item::Lost
                }
                other => panic!("{other:?}"),
            },
            Self::Socket(socket) => socket.next(cursor).await,
        }
    }
}

/// A frame or a notice.
#[derive(Deserialize)]
struct Update {
    after: u64,
    message: Option<Box<RawValue>>,
    #[serde(default)]
    resync: bool,
    #[serde(default)]
    ended: bool,
}

pub(super) struct Socket {
    target: Target,
    dialect: DialectName,
    stream: Option<WebSocketStream<TcpStream>>,
}

impl Socket {
    async fn next(&mut self, cursor: u64) -> Item {
        loop {
            let Some(stream) = &mut self.stream else {
                match self.open(cursor).await {
                    Ok(stream) => self.stream = Some(stream),
                    Err(_) => tokio::time::sleep(RECONNECT).await,
                }
                continue;
            };
            let text = match stream.next().await {
                Some(Ok(Message::Text(text))) => text,
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                _ => {
                    self.stream = None;
                    return Item::Lost;
                }
            };
            match serde_json::from_str::<Update>(&text) {
                Ok(update) if update.resync => {
                    assert_eq!(update.after, cursor, "the client resumes from its cursor");
                    return Item::Lost;
                }
                Ok(update) if update.ended => {
                    self.stream = None;
                    return Item::Lost;
                }
                Ok(update) => {
                    if let Some(message) = update.message {
                        return Item::Frame(update.after, message.get().to_owned());
                    }
                }
                Err(_) => {
                    let reply: Value = serde_json::from_str(&text).unwrap();
                    assert!(reply["subscribed"].is_object(), "{reply}");
                }
            }
        }
    }

    async fn open(&self, after: u64) -> Result<WebSocketStream<TcpStream>, Error> {
        let Target { address, token, .. } = &self.target;
        let mut request = format!("ws://{address}/v1/ws").into_client_request()?;
        let bearer = format!("Bearer {token}").parse()?;
        request.headers_mut().insert("authorization", bearer);
        let stream = TcpStream::connect(address).await?;
        let (mut stream, _) = tokio_tungstenite::client_async(request, stream).await?;
        let (session, dialect) = (self.target.session, self.dialect.as_str());
        let start = json!({"session": session, "after": after, "dialect": dialect});
        let subscribe = json!({ "subscribe": start }).to_string();
        stream.send(Message::text(subscribe)).await?;
        Ok(stream)
    }
}

/// What a client has at the end.
pub(super) struct Seen<M> {
    pub(super) screen: Screen<M>,
    /// The frames in the order of arrival, with those that were discarded.
    pub(super) frames: Vec<(u64, M)>,
    /// How often it lost its connection.
    pub(super) losses: u64,
}

/// Follows a session from a cursor until the cursor is at the end, which may be set later.
pub(super) async fn follow<M: Read>(
    mut link: Link,
    after: u64,
    mut end: watch::Receiver<u64>,
    mut see: impl FnMut(&str),
) -> Seen<M> {
    let mut seen = Seen {
        screen: Screen::resumed(Vec::new(), after),
        frames: Vec::new(),
        losses: 0,
    };
    while seen.screen.after < *end.borrow() {
        let item = tokio::select! {
            item = link.next(seen.screen.after) => item,
            Ok(()) = end.changed() => continue,
        };
        match item {
            Item::Frame(after, text) => {
                see(&text);
                let message = M::read(&text);
                seen.frames.push((after, message.clone()));
                seen.screen.take(SequencedMessage { message, after });
            }
            Item::Lost => {
                seen.screen.cut();
                seen.losses += 1;
            }
        }
    }
    seen
}
