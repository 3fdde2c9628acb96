//! A gateway on a real socket, and clients of its streams.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::Arc;

use axum::http::{HeaderValue, Request};
use claw_gateway::http::{Api, Site};
use claw_gateway::{Access, Devices, Scope};
use claw_server::{InputMode, Json, SessionId};
use claw_store::{IdempotencyKey, Store, TenantId};
use claw_testkit::FakeScript;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::host::{Host, TIMEOUT};

pub(crate) struct Served {
    pub(crate) host: Host,
    pub(crate) devices: Devices,
    pub(crate) address: SocketAddr,
    /// Of a device with the scope `view`.
    pub(crate) token: String,
    pub(crate) device: String,
    server: tokio::task::JoinHandle<()>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.server.abort();
    }
}

pub(crate) fn key(name: &str) -> IdempotencyKey {
    IdempotencyKey::new(name).unwrap()
}

impl Served {
    pub(crate) async fn start(store: Arc<dyn Store>, script: &FakeScript) -> Self {
        let host = Host::start(Arc::clone(&store), script).await;
        let devices = Devices::new(store);
        let tenant = TenantId::new("ada").unwrap();
        let (device, token) = devices.add(&tenant, "screen", Scope::View).await.unwrap();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let api = Api {
            gateway: host.gateway.clone(),
            devices: devices.clone(),
            site: Site::new(address).rate(NonZeroU32::MAX, NonZeroU32::MAX),
        };
        let serving = axum::serve(listener, api.router());
        let server = tokio::spawn(async move { serving.await.unwrap() });
        Self {
            host,
            devices,
            address,
            token,
            device: device.id,
            server,
        }
    }

    pub(crate) fn access(&self) -> Access {
        self.host.access("ada", "laptop", Scope::Drive)
    }

    /// Creates a session.
    pub(crate) async fn session(&self, name: &str) -> SessionId {
        let created = self.access().create(self.host.spec(), key(name)).await;
        created.unwrap().id
    }

    pub(crate) async fn input(&self, session: SessionId, text: &str) {
        let content = Json::from_text_value(text);
        let name = format!("in-{text}");
        let sent = self
            .access()
            .input(session, content, InputMode::Queue, key(&name))
            .await;
        sent.unwrap();
    }

    pub(crate) async fn get(&self, path: &str, headers: &str) -> Body {
        self.send(&format!("GET {path}"), &self.token, headers, "")
            .await
    }

    /// Sends JSON with a token. Returns the head of the response, and its JSON.
    pub(crate) async fn json(&self, line: &str, token: &str, body: &Value) -> (String, Value) {
        self.json_with(line, token, "", body).await
    }

    /// Like [`Served::json`], with more headers.
    pub(crate) async fn json_with(
        &self,
        line: &str,
        token: &str,
        headers: &str,
        body: &Value,
    ) -> (String, Value) {
        let text = body.to_string();
        let length = text.len();
        let headers =
            format!("{headers}Content-Type: application/json\r\nContent-Length: {length}\r\n");
        let mut response = self.send(line, token, &headers, &text).await;
        let json = serde_json::from_slice(&response.all().await).unwrap();
        (response.head, json)
    }

    /// Sends a request of HTTP/1.0, whose response ends with the connection and has no chunks.
    async fn send(&self, line: &str, token: &str, headers: &str, body: &str) -> Body {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let address = self.address;
        let request = format!(
            "{line} HTTP/1.0\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n{headers}\r\n{body}"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut body = Body {
            stream,
            head: String::new(),
            rest: Vec::new(),
        };
        while body.head.is_empty() {
            assert!(body.read().await, "no response to {line}");
            let end = body.rest.windows(4).position(|four| four == b"\r\n\r\n");
            if let Some(end) = end {
                let head: Vec<u8> = body.rest.drain(..end + 4).collect();
                body.head = String::from_utf8(head).unwrap();
            }
        }
        body
    }

    /// Opens a WebSocket with these headers.
    pub(crate) async fn socket(&self, headers: &[(&'static str, String)]) -> Result<Socket, Error> {
        let address = self.address;
        let mut request = Request::get(format!("ws://{address}/v1/ws"))
            .header("host", address.to_string())
            .header("connection", "upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
            .body(())
            .unwrap();
        for (name, value) in headers {
            let value = HeaderValue::from_str(value).unwrap();
            request.headers_mut().append(*name, value);
        }
        let stream = TcpStream::connect(address).await.unwrap();
        let opened = tokio_tungstenite::client_async(request, stream).await?;
        Ok(Socket(opened.0))
    }

    pub(crate) fn bearer(&self) -> (&'static str, String) {
        ("authorization", format!("Bearer {}", self.token))
    }

    pub(crate) async fn revoke(&self) {
        let tenant = TenantId::new("ada").unwrap();
        self.devices.revoke(&tenant, &self.device).await.unwrap();
    }
}

/// A response that is being read.
pub(crate) struct Body {
    stream: TcpStream,
    pub(crate) head: String,
    pub(crate) rest: Vec<u8>,
}

impl Body {
    /// Reads more. Returns whether there was more.
    pub(crate) async fn read(&mut self) -> bool {
        let read = timeout(TIMEOUT, self.stream.read_buf(&mut self.rest)).await;
        let so_far = String::from_utf8_lossy(&self.rest);
        let read = read.unwrap_or_else(|_| panic!("nothing follows {so_far}"));
        read.unwrap_or(0) > 0
    }

    pub(crate) async fn all(&mut self) -> Vec<u8> {
        while self.read().await {}
        std::mem::take(&mut self.rest)
    }

    /// Returns the data of the next server-sent event, or `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.rest.windows(2).position(|two| two == b"\n\n") {
                let event: Vec<u8> = self.rest.drain(..end + 2).collect();
                let event = String::from_utf8(event).unwrap();
                let data = event.lines().find_map(|line| line.strip_prefix("data: "));
                match data {
                    Some(data) => return Some(serde_json::from_str(data).unwrap()),
                    None => continue,
                }
            }
            if !self.read().await {
                return None;
            }
        }
    }
}

pub(crate) struct Socket(pub(crate) WebSocketStream<TcpStream>);

impl Socket {
    pub(crate) async fn send(&mut self, command: &Value) {
        let text = Message::text(command.to_string());
        self.0.send(text).await.unwrap();
    }

    /// Returns the next message, or `None` when the connection is closed.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            let message = timeout(TIMEOUT, self.0.next()).await.expect("a message");
            match message {
                Some(Ok(Message::Text(text))) => return Some(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                _ => return None,
            }
        }
    }
}

/// A client of one session, over either transport.
pub(crate) enum Client {
    Sse(Body),
    Socket(Box<Socket>),
}

impl Client {
    pub(crate) async fn open(
        served: &Served,
        is_socket: bool,
        session: SessionId,
        dialect: &str,
        after: u64,
    ) -> Self {
        if !is_socket {
            let path = format!("/v1/sessions/{session}/events?dialect={dialect}&after={after}");
            return Self::Sse(served.get(&path, "").await);
        }
        let mut socket = served.socket(&[served.bearer()]).await.unwrap();
        let start = serde_json::json!({"session": session, "after": after, "dialect": dialect});
        socket.send(&serde_json::json!({"subscribe": start})).await;
        let reply = socket.next().await.unwrap();
        assert_eq!(reply, serde_json::json!({"subscribed": start}));
        Self::Socket(Box::new(socket))
    }

    /// Returns the next update, or `None` when the connection is closed.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        // Heartbeats do not prolong it.
        let next = async {
            match self {
                Self::Sse(body) => body.next().await,
                Self::Socket(socket) => socket.next().await,
            }
        };
        timeout(TIMEOUT, next).await.expect("an update")
    }
}
