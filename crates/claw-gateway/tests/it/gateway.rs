//! Sessions of a gateway: created, driven, answered and followed by callers.

use std::sync::Arc;
use std::time::Duration;

use claw_gateway::{
    Access, Answer, AnswerOutcome, DialectName, Frame, Gateway, GatewayError, Scope, SessionSpec,
};
use claw_server::registry::PermissionResponse;
use claw_server::{InputMode, Json, SessionId};
use claw_store::{IdempotencyKey, InteractionId, NodeId};
use claw_testkit::{FakeScript, FakeTurn, Permission, Step};
use serde_json::{Value, json};
use tokio::sync::mpsc::Receiver;
use tokio::time::timeout;

use crate::host::{Host, TIMEOUT, settings};
use crate::stores;

pub(crate) fn key(name: &str) -> IdempotencyKey {
    IdempotencyKey::new(name).unwrap()
}

pub(crate) async fn send(access: &Access, session: SessionId, text: &str, name: &str) {
    let content = Json::from_text_value(text);
    let sent = access.input(session, content, InputMode::Queue, key(name));
    sent.await.unwrap();
}

/// Receives frames until one matches, and returns all of them.
pub(crate) async fn until(
    frames: &mut Receiver<Frame>,
    is_last: impl Fn(&Value) -> bool,
) -> Vec<Frame> {
    let mut received = Vec::new();
    loop {
        let frame = timeout(TIMEOUT, frames.recv()).await;
        let frame = frame
            .unwrap_or_else(|_| panic!("only {received:?}"))
            .unwrap();
        let message: Value = serde_json::from_str(frame.message.get()).unwrap();
        received.push(frame);
        if is_last(&message) {
            return received;
        }
    }
}

pub(crate) fn is_kind(kind: &'static str) -> impl Fn(&Value) -> bool {
    move |message| message["event"]["kind"] == kind
}

pub(crate) fn texts(frames: &[Frame]) -> Vec<&str> {
    frames.iter().map(|frame| frame.message.get()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_input_is_answered_in_every_dialect_from_every_cursor() {
    for row in stores::all().await {
        let host = Host::start(row.store, &FakeScript::new()).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        let again = phone.create(host.spec(), key("new")).await.unwrap().id;
        assert_eq!(session, again);
        send(&phone, session, "Hello", "in-1").await;
        send(&phone, session, "Hello", "in-1").await;
        let other = Json::from_text_value("Other");
        let refused = phone
            .input(session, other, InputMode::Queue, key("in-1"))
            .await;
        assert!(
            matches!(refused, Err(GatewayError::Conflict { .. })),
            "{refused:?}"
        );

        let mut events = phone.follow(session, DialectName::Events, 0).await.unwrap();
        let events = until(&mut events, is_kind("input_processed")).await;
        let whole = |message: &Value| message["Complete"].is_object();
        let mut ui = phone.follow(session, DialectName::Ui, 0).await.unwrap();
        let ui = until(&mut ui, whole).await;
        let is_result = |message: &Value| message["type"] == "result";
        let mut lines = phone
            .follow(session, DialectName::StreamJson, 0)
            .await
            .unwrap();
        until(&mut lines, is_result).await;
        let mut mobile = phone.follow(session, DialectName::Mobile, 0).await.unwrap();
        until(&mut mobile, |message| message["type"] == "turn_complete").await;

        let accepted = texts(&events);
        let accepted = accepted
            .iter()
            .filter(|text| text.contains("input_accepted"));
        assert_eq!(accepted.count(), 1);
        // A client that resumes gets the rest, and nothing twice.
        let settled: Vec<u64> = ui.iter().map(|frame| frame.after).collect();
        let cursor = settled[settled.len() / 2];
        let rest = phone
            .follow(session, DialectName::Ui, cursor)
            .await
            .unwrap();
        let rest = until(&mut { rest }, whole).await;
        let kept: Vec<Frame> = ui
            .iter()
            .filter(|frame| frame.after > cursor)
            .cloned()
            .collect();
        let last = kept.last().unwrap().after;
        assert_eq!(rest.last().unwrap().after, last);
        let ahead = phone.follow(session, DialectName::Ui, last + 1000).await;
        assert!(matches!(ahead, Err(GatewayError::AheadOfLog { .. })));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_answer_wins_and_reaches_the_agent() {
    let ask = Permission::new("Bash", json!({"command": "ls"}));
    let script = FakeScript::new().turn(FakeTurn::new().step(ask).step(Step::text("Done.")));
    for row in stores::all().await {
        let host = Host::start(row.store, &script).await;
        let phone = host.access("ada", "phone", Scope::Answer);
        let laptop = host.access("ada", "laptop", Scope::Drive);
        let session = laptop.create(host.spec(), key("new")).await.unwrap().id;
        let mut frames = laptop
            .follow(session, DialectName::Events, 0)
            .await
            .unwrap();
        send(&laptop, session, "List the files", "in-1").await;
        until(&mut frames, is_kind("interaction_opened")).await;
        let pending = timeout(TIMEOUT, async {
            loop {
                let pending = phone.pending(None).await.unwrap();
                if !pending.is_empty() {
                    return pending;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        });
        let pending = pending.await.unwrap();
        assert_eq!(pending.len(), 1);
        assert_eq!(pending[0].session, session);
        let id = InteractionId::new(pending[0].interaction.id.as_str()).unwrap();

        let edited = PermissionResponse::allow().with_input(Json::from_text_value("x"));
        let refused = phone
            .answer(session, &id, Answer::Permission(edited), key("a"))
            .await;
        assert!(
            matches!(refused, Err(GatewayError::Forbidden { .. })),
            "{refused:?}"
        );
        let yes = || Answer::Permission(PermissionResponse::allow());
        let won = phone.answer(session, &id, yes(), key("a")).await.unwrap();
        assert_eq!(won, AnswerOutcome::Won);
        let again = phone.answer(session, &id, yes(), key("a")).await.unwrap();
        assert_eq!(again, AnswerOutcome::Won);
        let late = laptop.answer(session, &id, yes(), key("b")).await.unwrap();
        let by = "phone".to_owned();
        assert_eq!(late, AnswerOutcome::Lost { by });
        let rest = until(&mut frames, is_kind("input_processed")).await;
        let answered = texts(&rest).join("\n");
        assert!(answered.contains("interaction_answered"), "{answered}");
        assert!(answered.contains(r#""by":"phone""#), "{answered}");
        assert!(phone.pending(None).await.unwrap().is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_goes_on_after_a_restart_of_the_gateway() {
    for row in stores::all().await {
        let host = Host::start(Arc::clone(&row.store), &FakeScript::new()).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        send(&phone, session, "One", "in-1").await;
        let mut frames = phone.follow(session, DialectName::Events, 0).await.unwrap();
        let before = until(&mut frames, is_kind("input_processed")).await;
        let Host { gateway, folder } = host;
        gateway.shutdown(Duration::from_secs(5)).await;
        assert_eq!(phone.get(session).await.unwrap().state, "asleep");
        let settings = settings(folder.path(), &FakeScript::new());
        let node = NodeId::new("one").unwrap();
        let gateway = Gateway::start(row.elsewhere, node, settings).await.unwrap();
        let host = Host { gateway, folder };
        let phone = host.access("ada", "phone", Scope::Drive);
        let after = before.last().unwrap().after;
        let mut frames = phone
            .follow(session, DialectName::Events, after)
            .await
            .unwrap();
        send(&phone, session, "Two", "in-2").await;
        let rest = until(&mut frames, is_kind("input_processed")).await;
        assert!(rest.iter().all(|frame| frame.after > after));
        let rest = texts(&rest).join("\n");
        assert!(rest.contains("Two") && !rest.contains("One"), "{rest}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_sees_and_does_only_what_it_may() {
    let row = stores::all().await.remove(0);
    let host = Host::start(row.store, &FakeScript::new()).await;
    let owner = host.access("ada", "laptop", Scope::Drive);
    let session = owner.create(host.spec(), key("new")).await.unwrap().id;

    let viewer = host.access("ada", "screen", Scope::View);
    assert_eq!(viewer.list(None, 10).await.unwrap().sessions.len(), 1);
    let content = || Json::from_text_value("Hello");
    let sent = viewer
        .input(session, content(), InputMode::Queue, key("in-1"))
        .await;
    assert!(matches!(sent, Err(GatewayError::Forbidden { .. })));
    assert!(matches!(
        viewer.delete(session).await,
        Err(GatewayError::Forbidden { .. })
    ));
    let created = viewer.create(host.spec(), key("other")).await;
    assert!(matches!(created, Err(GatewayError::Forbidden { .. })));

    let stranger = host.access("bob", "laptop", Scope::Admin);
    assert!(stranger.list(None, 10).await.unwrap().sessions.is_empty());
    assert!(matches!(
        stranger.get(session).await,
        Err(GatewayError::NotFound { .. })
    ));
    let followed = stranger.follow(session, DialectName::Events, 0).await;
    assert!(matches!(followed, Err(GatewayError::NotFound { .. })));
    let sent = stranger
        .input(session, content(), InputMode::Queue, key("in-1"))
        .await;
    assert!(matches!(sent, Err(GatewayError::NotFound { .. })));

    let outside = SessionSpec::new(host.folder.path());
    let created = owner.create(outside, key("outside")).await;
    assert!(matches!(created, Err(GatewayError::Invalid { .. })));
    owner.delete(session).await.unwrap();
    assert!(matches!(
        owner.get(session).await,
        Err(GatewayError::Deleted)
    ));
}
