//! Streams of sessions over SSE and WebSocket.

mod attaching;
mod slow;
mod transport;

use claw_server::SessionId;
use claw_testkit::{Elicitation, FakeScript, FakeTurn, Step};
use serde_json::{Value, json};

use crate::random::Random;
use crate::served::{Client, Served};
use crate::stores;

const DIALECTS: [&str; 4] = ["events", "stream-json", "ui", "mobile"];

/// Whether a message ends a turn in its dialect.
fn ends_turn(message: &Value) -> bool {
    message["event"]["kind"] == "input_processed"
        || message["type"] == "result"
        || message["Complete"].is_object()
        || message["type"] == "turn_complete"
}

/// Reads the frames of a client until it has seen the end of some turns.
async fn read_turns(client: &mut Client, turns: usize) -> Vec<Value> {
    let (mut frames, mut ended) = (Vec::new(), 0);
    while ended < turns {
        let frame = client.next().await.expect("a frame");
        ended += usize::from(ends_turn(&frame["message"]));
        frames.push(frame);
    }
    frames
}

/// A session with two turns, and what clients of all dialects received that were there before.
async fn two_turns(served: &Served) -> (SessionId, Vec<Vec<Value>>) {
    let session = served.session("new").await;
    let mut clients = Vec::new();
    for dialect in DIALECTS {
        clients.push(Client::open(served, false, session, dialect, 0).await);
    }
    served.input(session, "One").await;
    served.input(session, "Two").await;
    let mut stayed = Vec::new();
    for client in &mut clients {
        stayed.push(read_turns(client, 2).await);
    }
    (session, stayed)
}

/// The frames that follow the one that reached a cursor.
fn rest(frames: &[Value], after: u64) -> &[Value] {
    let reached = frames.iter().position(|frame| frame["after"] == after);
    match reached {
        Some(place) if after > 0 => &frames[place + 1..],
        _ => frames,
    }
}

fn script() -> FakeScript {
    let turn = FakeTurn::new()
        .step(Step::text("Let me look."))
        .step(Step::text("It is done."));
    FakeScript::new().turn(turn).repeat_last()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_cursor_of_every_dialect_resumes_with_the_frames_of_a_client_that_stayed() {
    for row in stores::all().await {
        let served = Served::start(row.store, &script()).await;
        let (session, stayed) = two_turns(&served).await;
        for (dialect, frames) in DIALECTS.into_iter().zip(&stayed) {
            let mut cursors: Vec<u64> = frames
                .iter()
                .map(|frame| frame["after"].as_u64().unwrap())
                .collect();
            assert!(cursors.is_sorted(), "{dialect}");
            cursors.push(0);
            cursors.sort_unstable();
            cursors.dedup();
            assert!(cursors.len() > 4, "{dialect}: {cursors:?}");
            for (after, is_socket) in cursors.iter().flat_map(|at| [(*at, false), (*at, true)]) {
                let mut client = Client::open(&served, is_socket, session, dialect, after).await;
                let expected = rest(frames, after);
                let mut resumed = Vec::new();
                while resumed.len() < expected.len() {
                    resumed.push(client.next().await.expect("a frame"));
                }
                assert_eq!(resumed, expected, "{}: {dialect} from {after}", row.name);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_disconnects_at_random_has_the_state_of_one_that_stayed() {
    let mut random = Random::new(15);
    for row in stores::all().await {
        let served = Served::start(row.store, &script()).await;
        let (session, stayed) = two_turns(&served).await;
        for (dialect, frames) in DIALECTS.into_iter().zip(&stayed) {
            for is_socket in [false, true, false, true] {
                let (mut kept, mut provisional, mut after) = (Vec::new(), Vec::new(), 0);
                while kept.len() < frames.len() {
                    // The rule of clients: what came since the cursor is discarded.
                    provisional.clear();
                    let mut client =
                        Client::open(&served, is_socket, session, dialect, after).await;
                    let most = frames.len() - kept.len();
                    for _ in 0..=random.below(most) {
                        let Some(frame) = (kept.len() + provisional.len() < frames.len())
                            .then_some(client.next())
                        else {
                            break;
                        };
                        let frame = frame.await.expect("a frame");
                        let reached = frame["after"].as_u64().unwrap();
                        provisional.push(frame);
                        if reached > after {
                            after = reached;
                            kept.append(&mut provisional);
                        }
                    }
                    if kept.len() + provisional.len() == frames.len() {
                        kept.append(&mut provisional);
                    }
                }
                assert_eq!(kept, *frames, "{}: {dialect}", row.name);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_sessions_share_a_stream_each_with_its_cursor() {
    for row in stores::all().await {
        let served = Served::start(row.store, &script()).await;
        let (one, frames) = two_turns(&served).await;
        let two = served.session("two").await;
        served.input(two, "Three").await;
        let mut alone = Client::open(&served, false, two, "events", 0).await;
        let of_two = read_turns(&mut alone, 1).await;
        let after = frames[0][3]["after"].as_u64().unwrap();
        let expected = [rest(&frames[0], after), &of_two[..]];
        let path = format!("/v1/events?session={one}:{after}&session={two}:0&dialect=events");
        let body = served.get(&path, "").await;
        assert!(body.head.contains("200 OK"), "{}", body.head);
        let mut socket = served.socket(&[served.bearer()]).await.unwrap();
        for (session, after) in [(one, after), (two, 0)] {
            let start = json!({"session": session, "after": after});
            socket.send(&json!({"subscribe": start})).await;
        }
        for mut client in [Client::Sse(body), Client::Socket(Box::new(socket))] {
            let mut received = [Vec::new(), Vec::new()];
            while (0..2).any(|of| received[of].len() < expected[of].len()) {
                let frame = client.next().await.expect("a frame");
                if frame["session"] == json!(one) {
                    received[0].push(frame);
                } else if frame["session"] == json!(two) {
                    received[1].push(frame);
                }
            }
            // The agent may have written more since.
            for (received, expected) in received.iter().zip(expected) {
                assert_eq!(&received[..expected.len()], expected, "{}", row.name);
            }
        }
    }
}

/// A turn that stops in the middle of a message until a question is answered.
fn interrupted_message() -> FakeScript {
    let part = |event: Value| {
        Step::Line(json!({
            "type": "stream_event", "event": event, "session_id": "$session_id",
            "uuid": "$uuid", "parent_tool_use_id": null, "api_message_id": "msg_1",
        }))
    };
    let text = |text: &str| {
        let delta = json!({"type": "text_delta", "text": text});
        part(json!({"type": "content_block_delta", "index": 0, "delta": delta}))
    };
    let message = |content: Value| {
        json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
            "content": content, "stop_reason": null, "stop_sequence": null,
            "usage": {"input_tokens": 1, "output_tokens": 1}})
    };
    let block = json!({"type": "text", "text": ""});
    let whole = json!([{"type": "text", "text": "Hello, wörld."}]);
    let question = Elicitation {
        server: "server".to_owned(),
        message: "Continue?".to_owned(),
        schema: Some(json!({"type": "object", "properties": {}})),
    };
    let turn = FakeTurn::new()
        .step(part(
            json!({"type": "message_start", "message": message(json!([]))}),
        ))
        .step(part(
            json!({"type": "content_block_start", "index": 0, "content_block": block}),
        ))
        .step(text("Hello, "))
        .step(text("wör"))
        .step(Step::Elicitation(question))
        .step(text("ld."))
        .step(Step::Line(json!({
            "type": "assistant", "message": message(whole), "session_id": "$session_id",
            "uuid": "$uuid", "parent_tool_use_id": null,
        })));
    FakeScript::new().turn(turn)
}
