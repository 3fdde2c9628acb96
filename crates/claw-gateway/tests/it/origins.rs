//! Sessions that continue a conversation.

pub(crate) mod adopting;
mod restoring;

use std::path::{Path, PathBuf};
use std::time::Duration;

use claw_gateway::{Access, DialectName, Gateway, GatewayError, Scope};
use claw_server::SessionId;
use claw_store::NodeId;
use claw_testkit::FakeScript;
use rusty_claw::permission::PermissionMode;
use serde_json::Value;
use tokio::time::timeout;

use crate::gateway::{is_kind, key, send, until};
use crate::host::{Host, TIMEOUT, settings};
use crate::stores;

/// The file of a conversation.
fn file_of(host: &Host, conversation: &str) -> PathBuf {
    let projects = std::fs::read_dir(host.folder.path().join("config/projects")).unwrap();
    let mut files = projects.map(|project| {
        let name = format!("{conversation}.jsonl");
        project.unwrap().path().join(name)
    });
    files.find(|file| file.exists()).unwrap()
}

fn text_of(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap()
}

/// Sends an input, and returns the conversation in which it was processed.
async fn turn(access: &Access, session: SessionId, text: &str) -> String {
    let after = access.get(session).await.unwrap().last;
    let mut frames = access
        .follow(session, DialectName::Events, after)
        .await
        .unwrap();
    send(access, session, text, text).await;
    let frames = until(&mut frames, is_kind("input_processed")).await;
    let mut ids = frames.iter().filter_map(|frame| {
        let message: Value = serde_json::from_str(frame.message.get()).unwrap();
        let body = &message["event"]["body"];
        let id = body["session_id"].as_str().map(str::to_owned);
        id.filter(|_| body["subtype"] == "init")
    });
    ids.next_back().unwrap()
}

async fn end(access: &Access, session: SessionId) {
    access.close(session, key("close")).await.unwrap();
    let ended = timeout(TIMEOUT, async {
        while access.get(session).await.unwrap().state != "ended" {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    ended.await.unwrap();
}

async fn restart(host: Host, store: std::sync::Arc<dyn claw_store::Store>) -> Host {
    let Host { gateway, folder } = host;
    gateway.shutdown(Duration::from_secs(5)).await;
    let settings = settings(folder.path(), &FakeScript::new());
    let node = NodeId::new("one").unwrap();
    let gateway = Gateway::start(store, node, settings).await.unwrap();
    Host { gateway, folder }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fork_continues_a_copy_of_the_conversation() {
    for row in stores::all().await {
        let host = Host::start(row.store, &FakeScript::new()).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let mut spec = host.spec();
        spec.title = Some("The plan".to_owned());
        let first = phone.create(spec, key("new")).await.unwrap().id;
        let empty = phone.fork(first, key("early")).await;
        assert!(
            matches!(empty, Err(GatewayError::Conflict { .. })),
            "{empty:?}"
        );
        let original = turn(&phone, first, "remember-one").await;
        end(&phone, first).await;
        let before = text_of(&file_of(&host, &original));

        let forked = phone.fork(first, key("fork")).await.unwrap();
        let again = phone.fork(first, key("fork")).await.unwrap();
        assert_eq!((forked.id, &*forked.state), (again.id, "new"));
        assert_eq!(forked.spec.title.as_deref(), Some("The plan"));
        let origin = forked.spec.origin.clone().unwrap();
        assert_eq!(
            (origin.cli_session_id.as_str(), origin.is_fork),
            (&*original, true)
        );
        // A fork that had no turn has the conversation of its origin.
        let second = phone.fork(forked.id, key("second")).await.unwrap();
        assert_eq!(second.spec.origin, Some(origin));

        let copy = turn(&phone, forked.id, "remember-two").await;
        assert_ne!(copy, original);
        let copied = text_of(&file_of(&host, &copy));
        assert!(copied.contains("remember-one") && copied.contains("remember-two"));
        // Later starts continue the copy, and make no other one.
        let host = restart(host, row.elsewhere).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        assert_eq!(
            turn(&phone, forked.id, "remember-three").await,
            copy,
            "{}",
            row.name
        );
        let copied = text_of(&file_of(&host, &copy));
        assert!(copied.contains("remember-three"), "{}", row.name);
        assert_eq!(text_of(&file_of(&host, &original)), before);
        let log = phone.history(forked.id, None, 100).await.unwrap();
        let log: String = log.events.iter().map(|event| event.get()).collect();
        assert!(log.contains("remember-two") && !log.contains("remember-one"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fork_needs_what_its_settings_need() {
    let row = stores::all().await.remove(0);
    let host = Host::start(row.store, &FakeScript::new()).await;
    let owner = host.access("ada", "laptop", Scope::Admin);
    let mut spec = host.spec();
    spec.permission_mode = Some(PermissionMode::BypassPermissions);
    let session = owner.create(spec, key("new")).await.unwrap().id;
    turn(&owner, session, "one").await;
    for scope in [Scope::View, Scope::Answer, Scope::Drive] {
        let phone = host.access("ada", "phone", scope);
        let refused = phone.fork(session, key("fork")).await;
        assert!(
            matches!(refused, Err(GatewayError::Forbidden { .. })),
            "{refused:?}"
        );
    }
    let forked = owner.fork(session, key("fork")).await.unwrap();
    // Only the gateway chooses what a session continues.
    let created = owner.create(forked.spec, key("other")).await;
    assert!(
        matches!(created, Err(GatewayError::Invalid { .. })),
        "{created:?}"
    );
    owner.delete(session).await.unwrap();
    let deleted = owner.fork(session, key("deleted")).await;
    assert!(matches!(deleted, Err(GatewayError::Deleted)), "{deleted:?}");
}
