//! Clients that attach in the middle of a message.

use std::time::Duration;

use claw_gateway::Answer;
use claw_store::InteractionId;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{interrupted_message, read_turns};
use crate::served::{Client, Served, key};
use crate::stores;

/// Less than the time limit of a single read, so that the message says what came before.
const WAIT: Duration = Duration::from_secs(25);

fn deltas(frames: &[Value]) -> Vec<(u64, &str)> {
    let deltas = frames.iter().map(|frame| &frame["message"]["delta"]);
    let deltas = deltas.filter(|delta| delta.is_object());
    let part = |delta: &'_ Value| delta["offset"].as_u64().unwrap();
    deltas
        .map(|delta| (part(delta), delta["text"].as_str().unwrap()))
        .collect()
}

/// Reads until the text that was streamed so far is there.
async fn read_text(client: &mut Client, text: &str) -> Vec<Value> {
    let mut frames = Vec::new();
    loop {
        let so_far: String = deltas(&frames).iter().map(|(_, text)| *text).collect();
        if so_far == text {
            return frames;
        }
        assert!(text.starts_with(&so_far), "{frames:?}");
        let next = timeout(WAIT, client.next()).await;
        let next = next.unwrap_or_else(|_| panic!("nothing follows {frames:?}"));
        frames.push(next.expect("a frame"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_attaches_in_mid_message_first_gets_the_text_so_far() {
    for row in stores::all().await {
        let served = Served::start(row.store, &interrupted_message()).await;
        let session = served.session("new").await;
        let mut stayed = Client::open(&served, false, session, "events", 0).await;
        served.input(session, "Hello").await;
        let mut from_start = read_text(&mut stayed, "Hello, wör").await;
        let is_open = |frame: &Value| frame["message"]["event"]["kind"] == "interaction_opened";
        while !from_start.iter().any(is_open) {
            from_start.push(stayed.next().await.unwrap());
        }
        let id = from_start.iter().find(|frame| is_open(frame)).unwrap();
        let id = id["message"]["event"]["body"]["id"]
            .as_str()
            .unwrap()
            .to_owned();
        let after = from_start.last().unwrap()["after"].as_u64().unwrap();

        let mut attached = Vec::new();
        for (is_socket, after) in [(false, 0), (true, 0), (false, after), (true, after)] {
            let mut client = Client::open(&served, is_socket, session, "events", after).await;
            let frames = read_text(&mut client, "Hello, wör").await;
            assert_eq!(deltas(&frames), [(0, "Hello, wör")], "{}", row.name);
            attached.push((client, frames));
        }
        // In `ui`, the text so far is a chunk.
        let mut ui = Client::open(&served, true, session, "ui", 0).await;
        let mut chunks = Vec::new();
        while !chunks.contains(&"Hello, wör".to_owned()) {
            let frame = timeout(WAIT, ui.next()).await;
            let frame = frame.unwrap_or_else(|_| panic!("only {chunks:?}")).unwrap();
            chunks.push(text_of(&frame["message"]));
        }

        let no = Answer::Decline("not now".to_owned());
        let interaction = InteractionId::new(&id).unwrap();
        let answering = async {
            // The owner copies the interaction to the store after it is in the log.
            while served.access().pending(None).await.unwrap().is_empty() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            let access = served.access();
            access.answer(session, &interaction, no, key("no")).await
        };
        timeout(WAIT, answering).await.unwrap().unwrap();
        attached.push((stayed, from_start));
        for (mut client, mut frames) in attached {
            frames.extend(read_turns(&mut client, 1).await);
            let deltas = deltas(&frames);
            let whole: String = deltas.iter().map(|(_, text)| *text).collect();
            // The rest may arrive with the message itself.
            assert!("Hello, wörld.".starts_with(&whole), "{deltas:?}");
            let mut end = 0;
            for (offset, text) in deltas {
                assert_eq!(offset, end);
                end += text.len() as u64;
            }
            let stored = json!([{"type": "text", "text": "Hello, wörld."}]);
            let body =
                |frame: &Value| frame["message"]["event"]["body"]["message"]["content"].clone();
            assert!(
                frames.iter().any(|frame| body(frame) == stored),
                "{frames:?}"
            );
        }
    }
}

/// The text of a chunk in the dialect `ui`, or the message.
fn text_of(message: &Value) -> String {
    let text = message["TextChunk"]["text"].as_str().map(str::to_owned);
    text.unwrap_or_else(|| message.to_string())
}
