//! Peers that do not read, do not authenticate or send garbage.

use std::time::{Duration, Instant};

use claw_gateway::Scope;
use claw_gateway::http::Limits;
use claw_server::SessionId;
use claw_store::TenantId;
use claw_testkit::figure::{Figure, record};
use claw_testkit::{FakeScript, FakeTurn, Flood};
use futures_util::SinkExt as _;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{ClientRequestBuilder, Message};

use crate::gateway::{key, send};
use crate::host::TIMEOUT;
use crate::is_full;
use crate::random::Random;
use crate::server::{Server, ask, read_until};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_without_a_device_do_not_keep_others_out() {
    let mut limits = Limits::default();
    limits.connections = 8;
    limits.unauthenticated = 3;
    limits.header_time = TIMEOUT * 10;
    let server = Server::start(limits).await;
    let request = format!("{}\r\n", server.head());
    let mut known = server.connect().await;
    let is_served = |text: String| assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
    is_served(ask(&mut known, &request).await);
    let mut idle = Vec::new();
    for _ in 0..20 {
        idle.push(server.connect().await);
        // The place of the connection before is free a moment after it is closed.
        let served = async {
            loop {
                let mut other = server.connect().await;
                let text = ask(&mut other, &request).await;
                if !text.starts_with("HTTP/1.1 503 ") {
                    return text;
                }
            }
        };
        is_served(timeout(TIMEOUT, served).await.unwrap());
    }
    assert_eq!(read_until(&mut idle[0], "never").await, "");
    is_served(ask(&mut known, &request).await);
}

/// Opens a stream that nothing reads after its first bytes.
async fn open_stream(server: &Server, session: SessionId, is_socket: bool) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(8 * 1024).unwrap();
    let mut stream = socket.connect(server.address).await.unwrap();
    if is_socket {
        let url = format!("ws://{}/v1/ws", server.address).parse().unwrap();
        let bearer = format!("Bearer {}", server.token);
        let request = ClientRequestBuilder::new(url).with_header("authorization", bearer);
        let request = request.with_sub_protocol("claw.v1");
        let opened = tokio_tungstenite::client_async(request, stream).await;
        let mut opened = opened.unwrap().0;
        let subscribe = serde_json::json!({"subscribe": {"session": session.to_string()}});
        let subscribe = Message::text(subscribe.to_string());
        opened.send(subscribe).await.unwrap();
        return opened.into_inner();
    }
    let path = format!("GET /v1/sessions/{session}/events HTTP/1.1");
    let head = server.head().replace("GET /v1/sessions HTTP/1.1", &path);
    let text = ask(&mut stream, &format!("{head}\r\n")).await;
    assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
    stream
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revoked_device_is_disconnected_while_it_does_not_read() {
    // More than the buffers of both sockets.
    let flood = FakeTurn::new().step(Flood::new(40).bytes(512 * 1024));
    let script = FakeScript::new().turn(flood);
    let mut slowest = Duration::ZERO;
    for is_socket in [false, true] {
        let mut limits = Limits::default();
        limits.connections = 1;
        let server = Server::start_with(limits, &script).await;
        let access = server.host.access("ada", "laptop", Scope::Admin);
        let spec = server.host.spec();
        let session = access.create(spec, key("new")).await.unwrap().id;
        send(&access, session, "Write.", "in").await;

        let stream = open_stream(&server, session, is_socket).await;
        let mut refused = server.connect().await;
        let text = read_until(&mut refused, "\r\n\r\n").await;
        assert!(text.starts_with("HTTP/1.1 503 "), "{text}");
        let tenant = TenantId::new("ada").unwrap();
        let device = server.token.split('_').nth(1).unwrap();
        server.devices.revoke(&tenant, device).await.unwrap();
        let start = Instant::now();
        let request = format!("{}\r\n", server.head());
        let closed = async {
            loop {
                let mut next = server.connect().await;
                let text = ask(&mut next, &request).await;
                if text.starts_with("HTTP/1.1 401 ") {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(TIMEOUT, closed).await.unwrap();
        slowest = slowest.max(start.elapsed());
        drop(stream);
    }
    let figure = Figure::new(
        "stream of a revoked device whose peer does not read, SSE and WebSocket",
        "closed within 1 s",
    );
    // Other tests run at the same time as a plain test.
    let is_fast = slowest < Duration::from_secs(1) || !is_full();
    let figure = figure.measured(format!("{} ms", slowest.as_millis()), is_fast);
    record("revoked", vec![figure]);
}

/// A request that the API serves, to be damaged.
fn requests(server: &Server, session: SessionId) -> Vec<String> {
    let routes = [
        ("GET", "/v1/sessions?limit=10", ""),
        ("GET", "/v1/sessions/ID", ""),
        ("GET", "/v1/sessions/ID/history?before=9&limit=3", ""),
        ("GET", "/v1/interactions?session=ID", ""),
        ("GET", "/v1/devices", ""),
        ("GET", "/v1/ws", ""),
        (
            "POST",
            "/v1/sessions",
            r#"{"folder":"/nowhere","title":"é"}"#,
        ),
        (
            "POST",
            "/v1/sessions/ID/inputs",
            r#"{"text":"x","mode":"queue"}"#,
        ),
        ("POST", "/v1/sessions/ID/interrupt", r#"{"turn":1}"#),
        (
            "POST",
            "/v1/interactions/answers",
            r#"{"answers":[{"session":"ID","interaction":"i","key":"k","answer":{"decline":"no"}}]}"#,
        ),
        ("POST", "/v1/devices", r#"{"name":"n","scope":"view"}"#),
        ("PATCH", "/v1/sessions/ID", r#"{"title":"t"}"#),
        ("DELETE", "/v1/devices/none", ""),
    ];
    let (host, token, id) = (server.address, &server.token, session.to_string());
    let request = |(method, path, body): (&str, &str, &str)| {
        let (path, body) = (path.replace("ID", &id), body.replace("ID", &id));
        let length = body.len();
        format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n\
             idempotency-key: k\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\nconnection: close\r\n\r\n{body}"
        )
    };
    routes.into_iter().map(request).collect()
}

/// Damages a request: some bytes change, move, repeat or are lost.
fn damage(request: &str, random: &mut Random) -> Vec<u8> {
    const WORDS: [&str; 14] = [
        "\r\n",
        "\0",
        "..",
        "%2e%2e%2f",
        "%00",
        "\u{fffd}",
        "-1",
        "18446744073709551616",
        "null",
        "{\"",
        "[[[[",
        "transfer-encoding: chunked\r\n",
        "\"\\ud800\"",
        "' OR 1=1 --",
    ];
    let mut bytes = request.as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        let end = (at + random.below(24)).min(bytes.len());
        match random.below(5) {
            0 => bytes[at] = random.next() as u8,
            1 => drop(bytes.drain(at..end)),
            2 => {
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
            3 => {
                let word = WORDS[random.below(WORDS.len())];
                bytes.splice(at..at, word.bytes());
            }
            _ => {
                let long = vec![b'a'; random.below(70_000)];
                bytes.splice(at..at, long);
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damaged_requests_are_refused_without_server_errors() {
    let server = Server::start(Limits::default()).await;
    let access = server.host.access("ada", "laptop", Scope::Admin);
    let session = access.create(server.host.spec(), key("new")).await;
    let session = session.unwrap().id;
    let requests = requests(&server, session);
    let seconds = if is_full() { 600 } else { 3 };
    let (start, mut random) = (Instant::now(), Random::new(15));
    let (mut count, mut refused, mut faults) = (0_u64, 0_u64, Vec::new());
    while start.elapsed() < Duration::from_secs(seconds) {
        let whole = &requests[random.below(requests.len())];
        let bytes = damage(whole, &mut random);
        let mut stream = server.connect().await;
        // The server may refuse the head before it has read everything.
        let _ = stream.write_all(&bytes).await;
        let _ = stream.shutdown().await;
        let text = read_until(&mut stream, "\r\n\r\n").await;
        let status = text.get(9..12).unwrap_or_default();
        if status.starts_with('5') {
            faults.push(format!(
                "{status} for {:?}",
                String::from_utf8_lossy(&bytes)
            ));
        }
        refused += u64::from(status.starts_with('4') || status.is_empty());
        count += 1;
    }
    let mut last = server.connect().await;
    let text = ask(&mut last, &format!("{}\r\n", server.head())).await;
    assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
    assert!(refused > count / 4, "{refused} of {count}");
    let figure = Figure::new(
        "damaged requests from a device with all rights",
        "0 server errors",
    );
    let measured = format!("{} of {count} requests in {seconds} s", faults.len());
    let figure = figure.measured(measured, faults.is_empty());
    record("damaged", vec![figure.list("server errors", faults)]);
}
