//! Sessions whose CLI never starts: every command has an outcome.

use std::sync::atomic::Ordering;
use std::time::Duration;

use claw_gateway::{Access, Scope};
use claw_server::SessionId;
use claw_testkit::{FakeScript, FakeTurn, Step};
use serde_json::Value;
use tokio::time::timeout;

use super::recovery::{broken, is_accepted, runs_once};
use super::stage::{events, outcomes, start, start_in};
use crate::gateway::{is_kind, key, send};
use crate::host::{Host, TIMEOUT};
use crate::stores;

const FAILED: [&str; 2] = ["input_accepted", "input_failed"];

async fn is_in_state(phone: &Access, session: SessionId, state: &str) {
    let reached = async {
        while phone.get(session).await.unwrap().state != state {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let reached = timeout(TIMEOUT, reached).await;
    assert!(reached.is_ok(), "the session has another state");
}

/// The reason of the failure that comes last.
fn reason(events: &[Value]) -> &str {
    let failed = events.last().unwrap();
    failed["body"]["reason"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn inputs_fail_when_the_cli_never_starts() {
    let mut scripts = vec![broken(); 9];
    scripts.push(FakeScript::new());
    for row in stores::all().await {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        let (host, starts) = start_in(row.store, folder, &scripts, 9).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        send(&phone, session, "One", "in-1").await;
        let events = events(&phone, session, is_kind("input_failed")).await;
        assert_eq!(outcomes(&events, "in-1"), FAILED);
        assert!(
            reason(&events).contains("before it was ready"),
            "{events:?}"
        );
        is_in_state(&phone, session, "asleep").await;
        // The last one is for the look into the conversation.
        assert_eq!(starts.load(Ordering::SeqCst), 9);
        // The next input starts it again.
        send(&phone, session, "Two", "in-2").await;
        runs_once(&phone, session, "in-2").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn inputs_that_wait_in_the_log_fail_when_the_next_cli_never_starts() {
    let hangs = FakeScript::new().turn(FakeTurn::new().step(Step::Hang));
    // It takes long, and does not depend on the store.
    for row in stores::all().await.into_iter().take(1) {
        let host = start(row.store, std::slice::from_ref(&hangs), 9).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        send(&phone, session, "One", "in-1").await;
        events(&phone, session, is_kind("turn_started")).await;
        send(&phone, session, "Two", "in-2").await;
        events(&phone, session, is_accepted("in-2")).await;
        let Host { gateway, folder } = host;
        let shutdown = gateway.shutdown(Duration::ZERO);
        timeout(TIMEOUT, shutdown).await.unwrap();
        let (next, _) = start_in(row.elsewhere, folder, &[broken()], 9).await;
        let phone = next.access("ada", "phone", Scope::Drive);
        is_in_state(&phone, session, "asleep").await;
        let last = phone.get(session).await.unwrap().last;
        let is_last = |message: &Value| message["event"]["seq"] == last;
        let events = events(&phone, session, is_last).await;
        assert_eq!(outcomes(&events, "in-2"), FAILED);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_whose_cli_never_starts_can_be_closed() {
    for row in stores::all().await {
        let host = start(row.store, &[broken()], 9).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        send(&phone, session, "One", "in-1").await;
        phone.close(session, key("close")).await.unwrap();
        is_in_state(&phone, session, "ended").await;
        let last = phone.get(session).await.unwrap().last;
        let is_last = |message: &Value| message["event"]["seq"] == last;
        let events = events(&phone, session, is_last).await;
        assert_eq!(outcomes(&events, "in-1"), FAILED);
        let mut states = events.iter().filter(|event| event["kind"] == "lifecycle");
        let state = &states.next_back().unwrap()["body"]["state"];
        assert!(state.as_str().unwrap().eq_ignore_ascii_case("closed"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_whose_folder_is_gone_fails_its_inputs_and_can_be_closed() {
    for row in stores::all().await {
        let host = start(row.store, &[FakeScript::new()], 9).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        let other = phone.create(host.spec(), key("other")).await.unwrap().id;
        std::fs::remove_dir(host.folder.path().join("work")).unwrap();
        phone.close(other, key("close-1")).await.unwrap();
        is_in_state(&phone, other, "ended").await;
        send(&phone, session, "One", "in-1").await;
        let events = events(&phone, session, is_kind("input_failed")).await;
        assert_eq!(outcomes(&events, "in-1"), FAILED);
        assert!(reason(&events).contains("is not a folder"), "{events:?}");
        is_in_state(&phone, session, "asleep").await;
        phone.close(session, key("close-2")).await.unwrap();
        is_in_state(&phone, session, "ended").await;
    }
}
