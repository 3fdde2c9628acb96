//! Sessions whose next owner has trouble as well.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use claw_gateway::{Access, Scope};
use claw_server::SessionId;
use claw_store::{ClaimReason, NewCommand, NodeId, NodeRef, SessionKey, Store, TenantId};
use claw_testkit::{FakeScript, FakeTurn, Step};
use serde_json::Value;
use tempfile::TempDir;
use tokio::time::timeout;

use super::stage::{events, eventually, outcomes, start, start_in};
use crate::gateway::{is_kind, key, send};
use crate::host::{Host, TIMEOUT};
use crate::stores;

/// An input in the inbox.
const INPUT: &str = r#"{"input":{"content":"Hello","mode":"Queue","by":"phone"}}"#;

/// A CLI that does not start.
pub(super) fn broken() -> FakeScript {
    let mut broken = FakeScript::new();
    broken.exit_at_start = Some(3);
    broken
}

pub(super) fn is_accepted(name: &'static str) -> impl Fn(&Value) -> bool {
    move |message| {
        let event = &message["event"];
        event["kind"] == "input_accepted" && event["body"]["key"] == name
    }
}

/// Waits until an input has been processed once.
pub(super) async fn runs_once(phone: &Access, session: SessionId, name: &str) {
    eventually("an input does not run once", async || {
        let last = phone.get(session).await.unwrap().last;
        if last == 0 {
            return None;
        }
        let is_last = |message: &Value| message["event"]["seq"] == last;
        let events = events(phone, session, is_last).await;
        let kinds = outcomes(&events, name);
        (kinds == ["input_accepted", "input_delivered", "input_processed"]).then_some(())
    })
    .await;
}

/// Stores an input of a session whose owner is killed before it reads its inbox.
async fn left_by_a_killed_owner(store: &Arc<dyn Store>, host: Host) -> (SessionId, TempDir) {
    let phone = host.access("ada", "phone", Scope::Drive);
    let session = phone.create(host.spec(), key("new")).await.unwrap().id;
    // It would take the session over as well.
    let Host { gateway, folder } = host;
    let shutdown = gateway.shutdown(Duration::ZERO);
    timeout(TIMEOUT, shutdown).await.unwrap();
    let dead = NodeRef {
        node: NodeId::new("one").unwrap(),
        incarnation: 1,
    };
    let id = claw_store::SessionId::new(&session.to_string()).unwrap();
    let id = SessionKey::new(TenantId::new("ada").unwrap(), id);
    store.claim(&id, &dead, ClaimReason::Open).await.unwrap();
    let input = NewCommand {
        key: key("c-in-1"),
        body: INPUT.into(),
        is_urgent: false,
    };
    store.submit(&id, input).await.unwrap();
    (session, folder)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_takeover_whose_first_start_fails_applies_the_commands() {
    for row in stores::all().await {
        let host = start(row.store, &[FakeScript::new()], 9).await;
        let (session, folder) = left_by_a_killed_owner(&row.elsewhere, host).await;
        let scripts = [broken(), FakeScript::new()];
        let (next, starts) = start_in(row.elsewhere, folder, &scripts, 9).await;
        let phone = next.access("ada", "phone", Scope::Drive);
        runs_once(&phone, session, "in-1").await;
        assert!(starts.load(Ordering::SeqCst) > 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_survive_a_shutdown_before_the_session_has_started() {
    for row in stores::all().await {
        let host = start(Arc::clone(&row.store), &[FakeScript::new()], 9).await;
        let (session, folder) = left_by_a_killed_owner(&row.elsewhere, host).await;
        let (next, starts) = start_in(row.elsewhere, folder, &[broken()], 9).await;
        eventually("the session is not taken over", async || {
            (starts.load(Ordering::SeqCst) > 0).then_some(())
        })
        .await;
        let Host { gateway, folder } = next;
        let shutdown = gateway.shutdown(Duration::ZERO);
        timeout(TIMEOUT, shutdown).await.unwrap();
        let (last, _) = start_in(row.store, folder, &[FakeScript::new()], 9).await;
        let phone = last.access("ada", "phone", Scope::Drive);
        runs_once(&phone, session, "in-1").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_takeover_whose_first_start_fails_sends_the_inputs_that_wait() {
    let hangs = FakeScript::new().turn(FakeTurn::new().step(Step::Hang));
    for row in stores::all().await {
        let host = start(row.store, std::slice::from_ref(&hangs), 9).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        send(&phone, session, "One", "in-1").await;
        events(&phone, session, is_kind("turn_started")).await;
        send(&phone, session, "Two", "in-2").await;
        events(&phone, session, is_accepted("in-2")).await;
        let scripts = [broken(), FakeScript::new()];
        let (next, _) = start_in(row.elsewhere, host.folder, &scripts, 9).await;
        let phone = next.access("ada", "phone", Scope::Drive);
        runs_once(&phone, session, "in-2").await;
    }
}
