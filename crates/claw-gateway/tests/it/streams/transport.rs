//! What is special to a transport: authentication, limits, compression, history.

use std::io::Write as _;

use claw_testkit::FakeScript;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{Error, Message};

use super::{read_turns, script};
use crate::served::{Client, Served};
use crate::stores;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_socket_needs_a_token_and_a_known_origin() {
    let served = Served::start(stores::all().await.remove(0).store, &FakeScript::new()).await;
    let protocol = |text: String| ("sec-websocket-protocol", text);
    let browser = protocol(format!("claw.v1, claw.token.{}", served.token));
    let home = ("origin", format!("http://{}", served.address));
    let mut opened = served.socket(&[browser.clone(), home]).await.unwrap();
    opened
        .send(&json!({"unsubscribe": {"session": "none"}}))
        .await;
    let refused = opened.next().await.unwrap();
    assert_eq!(refused["refused"]["problem"]["code"], "not_found");
    let elsewhere = ("origin", "http://127.0.0.1:1".to_owned());
    let cases = [
        (vec![], 401),
        (vec![protocol("claw.v1".to_owned())], 401),
        (
            vec![protocol("claw.v1, claw.token.claw_x_y".to_owned())],
            401,
        ),
        (vec![browser, elsewhere], 403),
    ];
    for (headers, status) in cases {
        let refused = served.socket(&headers).await.err().expect("a refusal");
        let Error::Http(response) = refused else {
            panic!("{refused}");
        };
        assert_eq!(response.status(), status, "{headers:?}");
    }
    let problem = served.get("/v1/ws", "").await.all().await;
    let problem: Value = serde_json::from_slice(&problem).unwrap();
    assert_eq!(problem["code"], "upgrade_required", "{problem}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_socket_refuses_wrong_commands_and_closes_on_large_ones() {
    let served = Served::start(stores::all().await.remove(0).store, &FakeScript::new()).await;
    let session = served.session("new").await;
    let mut socket = served.socket(&[served.bearer()]).await.unwrap();
    let cases = [
        (json!({"input": {"session": session}}), "invalid"),
        (
            json!({"subscribe": {"session": session, "x": 1}}),
            "invalid",
        ),
        (
            json!({"subscribe": {"session": session, "dialect": "x"}}),
            "invalid",
        ),
        (json!({"subscribe": {"session": "none"}}), "not_found"),
        (
            json!({"subscribe": {"session": session, "after": 9}}),
            "ahead_of_log",
        ),
    ];
    for (command, code) in cases {
        socket.send(&command).await;
        let reply = socket.next().await.unwrap();
        assert_eq!(
            reply["refused"]["problem"]["code"], code,
            "{command}: {reply}"
        );
    }
    let large = json!({"subscribe": {"session": "x".repeat(20_000)}});
    socket.send(&large).await;
    assert_eq!(socket.next().await, None);
    let mut socket = served.socket(&[served.bearer()]).await.unwrap();
    let binary = Message::binary(vec![1, 2, 3]);
    futures_util::SinkExt::send(&mut socket.0, binary)
        .await
        .unwrap();
    assert_eq!(socket.next().await, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn open_streams_end_when_their_device_is_revoked() {
    for row in stores::all().await {
        let served = Served::start(row.store, &FakeScript::new()).await;
        let session = served.session("new").await;
        let mut clients = Vec::new();
        for is_socket in [false, true] {
            clients.push(Client::open(&served, is_socket, session, "ui", 0).await);
        }
        // A socket without sessions, too.
        let idle = served.socket(&[served.bearer()]).await.unwrap();
        clients.push(Client::Socket(Box::new(idle)));
        served.revoke().await;
        for mut client in clients {
            assert_eq!(client.next().await, None);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_event_of_a_compressed_stream_arrives_at_once() {
    for row in stores::all().await {
        let served = Served::start(row.store, &script()).await;
        let session = served.session("new").await;
        let path = format!("/v1/sessions/{session}/events");
        let mut body = served.get(&path, "Accept-Encoding: gzip\r\n").await;
        let head = body.head.to_lowercase();
        assert!(head.contains("content-encoding: gzip"), "{head}");
        let mut decoder = flate2::write::GzDecoder::new(Vec::new());
        for (turn, prompt) in ["One", "Two", "Three"].into_iter().enumerate() {
            // Nothing follows a turn that would push its last event out of a buffer.
            served.input(session, prompt).await;
            loop {
                decoder.write_all(&std::mem::take(&mut body.rest)).unwrap();
                let text = String::from_utf8_lossy(decoder.get_ref());
                if text.matches(r#""kind":"input_processed""#).count() > turn {
                    break;
                }
                assert!(body.read().await);
            }
        }
        let mut page = served
            .get("/v1/openapi.json", "Accept-Encoding: gzip\r\n")
            .await;
        assert!(page.head.to_lowercase().contains("content-encoding: gzip"));
        let mut decoder = flate2::write::GzDecoder::new(Vec::new());
        decoder.write_all(&page.all().await).unwrap();
        let document: Value = serde_json::from_slice(&decoder.finish().unwrap()).unwrap();
        assert!(document["paths"]["/v1/ws"].is_object());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn history_is_read_backwards_in_pages() {
    for row in stores::all().await {
        let served = Served::start(row.store, &script()).await;
        let session = served.session("new").await;
        served.input(session, "One").await;
        let mut client = Client::open(&served, false, session, "events", 0).await;
        let frames = read_turns(&mut client, 1).await;
        let last = frames.last().unwrap()["after"].as_u64().unwrap();
        let events = frames.iter().map(|frame| frame["message"]["event"].clone());
        let events: Vec<Value> = events.collect();
        for limit in [1, 3, 1000] {
            let (mut before, mut all) = (last + 1, Vec::new());
            loop {
                let path = format!(
                    "/v1/sessions/{session}/history?before={before}&limit={limit}&dialect=events"
                );
                let page = served.get(&path, "").await.all().await;
                let page: Value = serde_json::from_slice(&page).unwrap();
                let mut part = page["events"].as_array().unwrap().clone();
                assert!(part.len() <= limit, "{page}");
                part.append(&mut all);
                all = part;
                match page["before"].as_u64() {
                    Some(next) => before = next,
                    None => break,
                }
            }
            assert_eq!(all, events, "{}: {limit}", row.name);
        }
        let path = format!("/v1/sessions/{session}/history?dialect=ui");
        let refused = served.get(&path, "").await.all().await;
        let refused: Value = serde_json::from_slice(&refused).unwrap();
        assert_eq!(refused["code"], "invalid");
    }
}
