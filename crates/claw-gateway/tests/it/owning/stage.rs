//! What the tests of owners share.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use claw_gateway::{Access, Answer, AnswerOutcome, DialectName, Gateway};
use claw_server::SessionId;
use claw_server::registry::PermissionResponse;
use claw_store::{InteractionId, NodeId, Store};
use claw_testkit::{Elicitation, FakeScript, Permission};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::gateway::{key, texts, until};
use crate::host::{Host, TIMEOUT, settings};

pub(crate) fn asks() -> Permission {
    Permission::new("Bash", json!({"command": "ls"}))
}

/// A question of an MCP server, which cannot wait without a process.
pub(crate) fn elicits() -> Elicitation {
    Elicitation {
        server: "forms".to_owned(),
        message: "Go on?".to_owned(),
        schema: Some(json!({"type": "object", "properties": {}})),
    }
}

/// Starts a gateway with its own script for each start of the CLI; the last one is repeated.
pub(crate) async fn start(store: Arc<dyn Store>, scripts: &[FakeScript], queued: usize) -> Host {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("work")).unwrap();
    start_in(store, folder, scripts, queued).await.0
}

pub(crate) async fn start_in(
    store: Arc<dyn Store>,
    folder: tempfile::TempDir,
    scripts: &[FakeScript],
    queued: usize,
) -> (Host, Arc<AtomicUsize>) {
    let starts = Arc::new(AtomicUsize::new(0));
    let all: Vec<_> = scripts
        .iter()
        .map(|script| settings(folder.path(), script))
        .collect();
    let mut settings = settings(folder.path(), &FakeScript::new());
    let count = Arc::clone(&starts);
    settings.options = Box::new(move || {
        let start = count.fetch_add(1, Ordering::SeqCst);
        (all[start.min(all.len() - 1)].options)()
    });
    settings.queued = queued;
    let gateway = Gateway::start(store, NodeId::new("one").unwrap(), settings).await;
    let gateway = gateway.unwrap();
    (Host { gateway, folder }, starts)
}

pub(crate) async fn eventually<T>(what: &str, check: impl AsyncFn() -> Option<T>) -> T {
    let found = timeout(TIMEOUT, async {
        loop {
            if let Some(found) = check().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    found.await.unwrap_or_else(|_| panic!("{what}"))
}

pub(crate) async fn pending(access: &Access) -> InteractionId {
    let one = eventually("nothing is pending", async || {
        access.pending(None).await.unwrap().pop()
    });
    InteractionId::new(one.await.interaction.id.as_str()).unwrap()
}

pub(crate) async fn decline(
    access: &Access,
    session: SessionId,
    id: &InteractionId,
) -> AnswerOutcome {
    let no = Answer::Decline("no".to_owned());
    let key = key(&format!("answer {id}"));
    access.answer(session, id, no, key).await.unwrap()
}

pub(crate) async fn allow(
    access: &Access,
    session: SessionId,
    id: &InteractionId,
) -> AnswerOutcome {
    let yes = Answer::Permission(PermissionResponse::allow());
    let key = key(&format!("answer {id}"));
    access.answer(session, id, yes, key).await.unwrap()
}

/// The events of a session, until one matches.
pub(crate) async fn events(
    access: &Access,
    session: SessionId,
    is_last: impl Fn(&Value) -> bool,
) -> Vec<Value> {
    let events = DialectName::Events;
    let mut frames = access.follow(session, events, 0).await.unwrap();
    let frames = until(&mut frames, is_last).await;
    let messages = texts(&frames);
    let messages = messages
        .iter()
        .map(|text| serde_json::from_str::<Value>(text).unwrap());
    messages
        .map(|message| message["event"].clone())
        .filter(|event| !event.is_null())
        .collect()
}

/// The kinds of the events that concern the input of a key.
pub(crate) fn outcomes(events: &[Value], key: &str) -> Vec<String> {
    let accepted =
        |event: &&Value| event["kind"] == "input_accepted" && event["body"]["key"] == key;
    let ids: Vec<&Value> = events
        .iter()
        .filter(accepted)
        .map(|event| &event["body"]["id"])
        .collect();
    let is_its = |event: &&Value| {
        let body = &event["body"];
        ids.contains(&&body["id"]) || ids.contains(&body)
    };
    let kinds = events.iter().filter(is_its);
    kinds
        .map(|event| event["kind"].as_str().unwrap().to_owned())
        .collect()
}

pub(crate) fn processed(text: &'static str) -> impl Fn(&Value) -> bool {
    move |message| {
        let event = &message["event"];
        event["kind"] == "message" && event.to_string().contains(text)
    }
}

/// Whether a process runs. One that has ended may wait to be reaped.
pub(crate) fn runs(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}
