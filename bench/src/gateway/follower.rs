//! A stream of a session, over SSE or WebSocket, with as little work for each line as possible.

use std::time::Duration;

use anyhow::{Result, bail, ensure};
use claw_server::SessionId;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use super::served::Served;

/// A pong of a client, with the mask 0.
pub(super) const PONG: [u8; 6] = [0x8A, 0x80, 0, 0, 0, 0];
/// Only ends a hang.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How a client receives a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    /// Server-sent events.
    Sse,
    /// A WebSocket.
    WebSocket,
}

/// A stream with the first bytes of its body.
#[derive(Debug)]
pub(super) struct Stream(pub(super) TcpStream, pub(super) Vec<u8>);

/// Opens a stream, with a receive buffer of this size. A gateway has few connections that it has not
/// authenticated, so each one waits for the head of its response.
pub(super) async fn connect(
    served: &Served,
    transport: Transport,
    session: SessionId,
    after: u64,
    receive_buffer: Option<u32>,
) -> Result<Stream> {
    let socket = TcpSocket::new_v4()?;
    if let Some(bytes) = receive_buffer {
        socket.set_recv_buffer_size(bytes)?;
    }
    let mut stream = socket.connect(served.address()).await?;
    stream.set_nodelay(true)?;
    stream
        .write_all(&transport.request(served, session, after)?)
        .await?;
    let mut buffer = Vec::with_capacity(1024);
    let end = loop {
        let read = timeout(TIMEOUT, stream.read_buf(&mut buffer)).await??;
        ensure!(read > 0, "no stream: {}", String::from_utf8_lossy(&buffer));
        if let Some(end) = position(&buffer, b"\r\n\r\n") {
            break end + 4;
        }
    };
    let head = String::from_utf8_lossy(&buffer[..end]);
    if !head.contains(" 200 ") && !head.contains(" 101 ") {
        bail!("no stream: {head}");
    }
    buffer.drain(..end);
    Ok(Stream(stream, buffer))
}

impl Transport {
    /// The transport of a client: every second one has the other.
    pub(super) fn of(index: usize) -> Self {
        [Self::Sse, Self::WebSocket][index % 2]
    }

    fn request(self, served: &Served, session: SessionId, after: u64) -> Result<Vec<u8>> {
        if self == Self::Sse {
            // The response to HTTP/1.0 has no chunks.
            let line =
                format!("GET /v1/sessions/{session}/events?dialect=events&after={after} HTTP/1.0");
            return Ok(format!("{}\r\n", served.head(&line)).into_bytes());
        }
        let subscribe =
            json!({"subscribe": {"session": session, "after": after, "dialect": "events"}});
        let text = subscribe.to_string();
        let mut request = format!(
            "{}Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            served.head("GET /v1/ws HTTP/1.1")
        )
        .into_bytes();
        // A text with a mask of 0, sent without waiting for the response to the upgrade.
        request.extend([0x81, 0x80 | 126]);
        request.extend(u16::try_from(text.len())?.to_be_bytes());
        request.extend([0; 4]);
        request.extend(text.as_bytes());
        Ok(request)
    }

    /// Returns the first frame in the bytes, its length with everything around it, and whether it
    /// is a ping.
    pub(super) fn frame(self, bytes: &[u8]) -> Option<(&[u8], usize, bool)> {
        if self == Self::Sse {
            let end = position(bytes, b"\n\n")?;
            return Some((&bytes[..end], end + 2, false));
        }
        let [kind, length, rest @ ..] = bytes else {
            return None;
        };
        let (size, length) = match length {
            126 => (2, u64::from(u16::from_be_bytes(*rest.first_chunk()?))),
            127 => (8, u64::from_be_bytes(*rest.first_chunk()?)),
            length => (0, u64::from(*length)),
        };
        let length = usize::try_from(length).ok()?;
        let text = rest.get(size..size + length)?;
        Some((text, 2 + size + length, kind & 0x0F == 9))
    }
}

fn position(bytes: &[u8], end: &[u8]) -> Option<usize> {
    bytes.windows(end.len()).position(|some| some == end)
}
