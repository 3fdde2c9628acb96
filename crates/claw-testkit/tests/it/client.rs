//! An HTTP client small enough to see every byte that a broken server sends.

use std::time::{Duration, Instant};

use claw_testkit::{ScriptedApi, Turn};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// What came back before the connection ended.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
    /// Whether the body ended as HTTP requires.
    pub(crate) complete: bool,
    pub(crate) first_byte: Duration,
    pub(crate) total: Duration,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("a JSON body")
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// The events of a stream: names and raw data.
    pub(crate) fn events(&self) -> Vec<(&str, &str)> {
        self.body
            .split_terminator("\n\n")
            .map(|block| {
                let (name, data) = block.split_once('\n').expect("two lines");
                (
                    name.strip_prefix("event: ").unwrap(),
                    data.strip_prefix("data: ").unwrap(),
                )
            })
            .collect()
    }

    pub(crate) fn event_names(&self) -> Vec<&str> {
        self.events().into_iter().map(|(name, _)| name).collect()
    }

    /// The raw data of the deltas, in order.
    pub(crate) fn deltas(&self) -> Vec<&str> {
        let is_delta = |(name, _): &(&str, &str)| *name == "content_block_delta";
        self.events()
            .into_iter()
            .filter(is_delta)
            .map(|(_, data)| data)
            .collect()
    }

    /// The text of all text deltas, for streams that a strict parser can read.
    pub(crate) fn text(&self) -> String {
        let delta = |data: &str| serde_json::from_str::<Value>(data).expect("valid JSON");
        self.deltas()
            .into_iter()
            .filter_map(|d| Some(delta(d)["delta"]["text"].as_str()?.to_owned()))
            .collect()
    }
}

/// A turn in the notation of script files.
pub(crate) fn turn(json: Value) -> Turn {
    serde_json::from_value(json).expect("a turn")
}

/// A request for a message, with a key that must never be recorded.
pub(crate) fn message(stream: bool) -> Value {
    json!({
        "model": "claude-test-1",
        "max_tokens": 64,
        "stream": stream,
        "messages": [{"role": "user", "content": "hello"}],
    })
}

pub(crate) async fn ask(api: &ScriptedApi, stream: bool) -> Reply {
    post(api, "/v1/messages?beta=true", &message(stream))
        .await
        .expect("a response")
}

pub(crate) async fn post(api: &ScriptedApi, path: &str, body: &Value) -> Option<Reply> {
    send(api, "POST", path, &body.to_string()).await
}

/// Sends one request and reads until the server closes; `None` if it closes without a word.
pub(crate) async fn send(api: &ScriptedApi, method: &str, path: &str, body: &str) -> Option<Reply> {
    let (mut tcp, start) = open(api, method, path, body, "close").await;
    let mut bytes = Vec::new();
    let mut first_byte = None;
    let mut buffer = [0; 4096];
    loop {
        match tcp.read(&mut buffer).await {
            Ok(0) | Err(_) => break,
            Ok(n) => {
                first_byte.get_or_insert_with(|| start.elapsed());
                bytes.extend_from_slice(&buffer[..n]);
            }
        }
    }
    let text = String::from_utf8(bytes).expect("UTF-8");
    let (head, rest) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let (body, complete) = if head.contains("transfer-encoding: chunked") {
        dechunk(rest)
    } else {
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.map_or(0, |length| length.parse().unwrap());
        (rest.to_owned(), rest.len() == length || method == "HEAD")
    };
    let head = head.to_owned();
    Some(Reply {
        status,
        head,
        body,
        complete,
        first_byte: first_byte?,
        total: start.elapsed(),
    })
}

pub(crate) async fn open(
    api: &ScriptedApi,
    method: &str,
    path: &str,
    body: &str,
    connection: &str,
) -> (TcpStream, Instant) {
    let mut tcp = TcpStream::connect(api.address())
        .await
        .expect("the server listens");
    let start = Instant::now();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: scripted\r\nconnection: {connection}\r\n\
         x-api-key: secret-key\r\nAuthorization: Bearer secret-token\r\nx-app: test\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    tcp.write_all(request.as_bytes())
        .await
        .expect("the server reads");
    (tcp, start)
}

fn dechunk(mut rest: &str) -> (String, bool) {
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).expect("a chunk size");
        if size == 0 {
            return (body, true);
        }
        body.push_str(&after[..size.min(after.len())]);
        let Some(next) = after.get(size + 2..) else {
            break;
        };
        rest = next;
    }
    (body, false)
}
