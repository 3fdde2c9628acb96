//! Mistakes of other gateways, at the API. `docs/proof/traps.md` lists all of them with their
//! tests.

use std::time::{Duration, SystemTime};

use claw_gateway::Scope;
use claw_store::TenantId;
use claw_testkit::{FakeScript, FakeTurn, Flood, Permission, Step};
use serde_json::{Value, json};

use crate::served::{Client, Served};
use crate::stores;

/// The sequences of the events that a client receives until the input is processed.
async fn sequences(mut client: Client) -> Vec<u64> {
    let mut sequences = Vec::new();
    loop {
        let frame = client.next().await.expect("a frame");
        let event = &frame["message"]["event"];
        sequences.extend(event["seq"].as_u64());
        if event["kind"] == "input_processed" {
            return sequences;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_attach_while_a_session_is_written_miss_no_event() {
    let flood = Flood::new(200).bytes(50).per_second(400);
    let turn = FakeTurn::new().step(flood).step(Step::text("The end."));
    for row in stores::all().await {
        let served = Served::start(row.store, &FakeScript::new().turn(turn.clone())).await;
        let session = served.session("new").await;
        served.input(session, "Go").await;
        let mut readers = tokio::task::JoinSet::new();
        for number in 0..20 {
            let is_socket = number % 2 == 1;
            let mut client = Client::open(&served, is_socket, session, "events", 0).await;
            // The next client attaches when this one has some events.
            for _ in 0..10 {
                client.next().await.expect("a frame");
            }
            drop(client);
            let client = Client::open(&served, is_socket, session, "events", 0).await;
            readers.spawn(sequences(client));
        }
        while let Some(sequences) = readers.join_next().await {
            let sequences = sequences.unwrap();
            assert!(sequences.len() > 200, "{}: {sequences:?}", row.name);
            let dense: Vec<u64> = (1..=sequences.len() as u64).collect();
            assert_eq!(sequences, dense, "{}", row.name);
        }
    }
}

/// A session whose agent waits for a permission, and the id of the interaction.
async fn asking(served: &Served) -> (String, String) {
    let session = served.session("new").await;
    served.input(session, "Go").await;
    let mut client = Client::open(served, false, session, "events", 0).await;
    loop {
        let frame = client.next().await.expect("a frame");
        let event = &frame["message"]["event"];
        if event["kind"] == "interaction_opened" {
            let id = event["body"]["id"].as_str().unwrap().to_owned();
            return (session.to_string(), id);
        }
    }
}

fn asking_script() -> FakeScript {
    let ask = Permission::new("Bash", json!({"command": "ls"}));
    FakeScript::new().turn(FakeTurn::new().step(ask).step(Step::text("Done.")))
}

/// The interactions that wait, when there are any.
async fn pending(served: &Served, token: &str) -> Value {
    loop {
        let (_, pending) = served
            .json("GET /v1/interactions", token, &Value::Null)
            .await;
        if pending.as_array().is_some_and(|list| !list.is_empty()) {
            return pending;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_without_its_decision_is_refused_and_the_agent_waits_on() {
    for row in stores::all().await {
        let served = Served::start(row.store, &asking_script()).await;
        let tenant = TenantId::new("ada").unwrap();
        let added = served.devices.add(&tenant, "phone", Scope::Admin).await;
        let token = added.unwrap().1;
        let (session, id) = asking(&served).await;
        let before = pending(&served, &token).await;
        let line = |id: &str| format!("POST /v1/sessions/{session}/interactions/{id}/answer");
        let key = "Idempotency-Key: answer-1\r\n";
        for body in [
            json!(null),
            json!({}),
            json!({"permission": {}}),
            json!({"permission": {"choice": null}}),
            json!({"permission": {"reason": "no"}}),
            json!({"permission": {"choice": "Perhaps"}}),
            json!({"permission": {"choice": true}}),
            json!({"allow": true}),
            json!({"questions": []}),
            json!({"other": {"behavior": "allow"}}),
        ] {
            let (head, problem) = served.json_with(&line(&id), &token, key, &body).await;
            let is_refused = head.contains(" 400 ") || head.contains(" 422 ");
            assert!(is_refused, "{body}: {head}{problem}");
        }
        let yes = json!({"permission": {"choice": "Allow"}});
        let (head, _) = served.json_with(&line("unknown"), &token, key, &yes).await;
        assert!(head.contains(" 404 "), "{head}");
        assert_eq!(pending(&served, &token).await, before, "{}", row.name);
        let (head, won) = served.json_with(&line(&id), &token, key, &yes).await;
        assert!(head.contains(" 200 ") && won["outcome"] == "won", "{head}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn interactions_wait_for_people_who_are_away() {
    let row = stores::all().await.remove(0);
    let served = Served::start(row.store, &asking_script()).await;
    asking(&served).await;
    let pending = pending(&served, &served.token).await;
    let expires_at_ms = pending[0]["interaction"]["expires_at_ms"].as_u64();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now_ms = now.unwrap().as_millis() as u64;
    let least = Duration::from_secs(1800).as_millis() as u64;
    assert!(
        expires_at_ms.is_none_or(|at| at > now_ms + least),
        "{pending}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_cli_serves_the_turns_of_a_session() {
    for row in stores::all().await {
        let served = Served::start(row.store, &FakeScript::new()).await;
        let session = served.session("new").await;
        let mut client = Client::open(&served, false, session, "events", 0).await;
        let (mut starts, mut conversations) = (0, 0);
        for text in ["One", "Two", "Three"] {
            served.input(session, text).await;
            loop {
                let frame = client.next().await.expect("a frame");
                let event = &frame["message"]["event"];
                starts += usize::from(event["body"]["state"] == "Starting");
                conversations += usize::from(event["kind"] == "cli_session");
                if event["kind"] == "input_processed" {
                    break;
                }
            }
        }
        assert_eq!((starts, conversations), (1, 1), "{}", row.name);
    }
}
