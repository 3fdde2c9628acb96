//! The client, against a server whose responses are scripted.

use std::time::{Duration, Instant};

use claw_gateway::DialectName;
use claw_gateway::client::{Client, ClientError, Followed};
use claw_server::SessionId;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::{end, item};

const STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";

/// Starts a server that sends one of the texts on each connection. A text that ends in `…` leaves
/// the connection open. Returns its client and the heads of the requests.
async fn scripted(responses: Vec<String>) -> (Client, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (requests, received) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut open = Vec::new();
        for response in responses {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                request.push(stream.read_u8().await.unwrap());
            }
            requests.send(String::from_utf8(request).unwrap()).unwrap();
            let sent = response.trim_end_matches('…');
            stream.write_all(sent.as_bytes()).await.unwrap();
            if sent.len() < response.len() {
                open.push(stream);
            }
        }
    });
    let client = Client::new(&format!("http://{address}/base"), "claw_x_y").unwrap();
    (client, received)
}

fn frame(after: u64) -> String {
    let session = SessionId::from(7);
    format!(
        "id: {after}\ndata: {{\"session\":\"{session}\",\"after\":{after},\"message\":{{}}}}\n\n"
    )
}

#[tokio::test]
async fn silence_and_a_resync_are_disconnects() {
    let session = SessionId::from(7);
    let resync = format!("data: {{\"session\":\"{session}\",\"after\":3,\"resync\":true}}\n\n");
    let ended = format!("data: {{\"session\":\"{session}\",\"after\":4,\"ended\":true}}\n\n");
    let (client, mut requests) = scripted(vec![
        format!("{STREAM}{}…", frame(2)),
        format!(
            "{STREAM}: heartbeat\n\n{}{resync}{}{ended}…",
            frame(5),
            frame(4)
        ),
        "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n".to_owned(),
        "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_owned(),
    ])
    .await;
    let client = client.silence(Duration::from_millis(300));
    let mut follow = client.follow(session, DialectName::StreamJson, 1);
    let mut seen = Vec::new();
    for _ in 0..6 {
        seen.push(match item(&mut follow).await {
            Followed::Frame(frame) => format!("frame {}", frame.after),
            Followed::Lost { after, reason } => format!("{after}: {reason}"),
            other => panic!("{other:?}"),
        });
    }
    let expected = [
        "frame 2",
        "2: nothing came for 300ms",
        "frame 5",
        "3: the client was too slow",
        "frame 4",
        "4: the gateway ended the stream",
    ];
    assert_eq!(seen, expected);
    let refused = end(&mut follow).await;
    assert_eq!(refused.problem().map(|problem| problem.status), Some(404));
    for after in [1, 2, 4, 4] {
        let request = requests.recv().await.unwrap();
        let path = format!("/base/v1/sessions/{session}/events?dialect=stream-json&after={after}");
        assert!(
            request.starts_with(&format!("GET {path} HTTP/1.1\r\n")),
            "{request}"
        );
        assert!(
            request.contains("authorization: Bearer claw_x_y\r\n"),
            "{request}"
        );
    }
}

#[tokio::test]
async fn delays_grow_until_a_message_arrives_and_are_as_long_as_the_gateway_asks() {
    let session = SessionId::from(7);
    let ended = format!("data: {{\"session\":\"{session}\",\"after\":0,\"ended\":true}}\n\n");
    let mut responses = vec![format!("{STREAM}{ended}"); 4];
    responses.extend([
        "HTTP/1.1 503 Service Unavailable\r\nretry-after: 3\r\ncontent-length: 0\r\n\r\n"
            .to_owned(),
        "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_owned(),
    ]);
    let (client, _requests) = scripted(responses).await;
    let started = Instant::now();
    let mut follow = client.follow(session, DialectName::Ui, 0);
    for _ in 0..4 {
        item(&mut follow).await;
    }
    end(&mut follow).await;
    // The shortest delays: half of 100, 200, 400 and 800 ms, and 3 s.
    let least = Duration::from_millis(50 + 100 + 200 + 400 + 3000);
    assert!(started.elapsed() >= least, "{:?}", started.elapsed());
}

#[tokio::test]
async fn responses_of_other_servers_are_errors() {
    let page = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>";
    let moved = "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
    let broken = format!("{STREAM}data: {{\n\n");
    let (client, _requests) = scripted(vec![
        page.to_owned(),
        page.to_owned(),
        moved.to_owned(),
        broken,
    ])
    .await;
    let mut follow = client.follow(SessionId::from(7), DialectName::Ui, 0);
    assert!(matches!(
        end(&mut follow).await,
        ClientError::Unexpected { .. }
    ));
    let refused = client.all().await.unwrap_err();
    assert!(
        matches!(refused, ClientError::Unexpected { .. }),
        "{refused}"
    );
    // The token is not sent to another server.
    let refused = client.all().await.unwrap_err();
    assert_eq!(refused.problem().map(|problem| problem.status), Some(302));
    let mut follow = client.follow(SessionId::from(7), DialectName::Ui, 0);
    assert!(matches!(
        end(&mut follow).await,
        ClientError::Unexpected { .. }
    ));
}
