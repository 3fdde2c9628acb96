//! Changes of the model and the permission mode.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use claw_gateway::{Access, Gateway, GatewayError, Scope};
use claw_server::SessionId;
use claw_store::NodeId;
use claw_testkit::{FakeScript, FakeTurn, Step};
use rusty_claw::permission::PermissionMode;
use serde_json::Value;

use super::stage::{allow, asks, events, eventually, outcomes, pending, start, start_in};
use crate::gateway::{key, send};
use crate::host::{Host, settings};
use crate::stores;

/// Sends an input, and returns the model and the mode of its turn.
async fn turn(access: &Access, session: SessionId, name: &str) -> (String, String) {
    send(access, session, name, name).await;
    turn_of(&all(access, session, name).await, name)
}

/// The events of a session, until the input of a key is processed.
async fn all(access: &Access, session: SessionId, name: &str) -> Vec<Value> {
    eventually("an input is not processed", async || {
        let last = access.get(session).await.unwrap().last;
        let is_last = |message: &Value| message["event"]["seq"] == last;
        let events = match last {
            0 => return None,
            _ => events(access, session, is_last).await,
        };
        let is_done = outcomes(&events, name).contains(&"input_processed".to_owned());
        is_done.then_some(events)
    })
    .await
}

/// The model and the mode that the CLI reports at the start of the turn of an input.
fn turn_of(events: &[Value], name: &str) -> (String, String) {
    let accepted = events
        .iter()
        .find(|event| event["kind"] == "input_accepted" && event["body"]["key"] == name);
    let id = &accepted.unwrap()["body"]["id"];
    let started = events.iter().find(|event| {
        let inputs = event["body"]["inputs"].as_array();
        event["kind"] == "turn_started" && inputs.is_some_and(|inputs| inputs.contains(id))
    });
    let number = &started.unwrap()["turn"];
    let is_init = |event: &&Value| event["turn"] == *number && event["body"]["subtype"] == "init";
    let init = &events.iter().find(is_init).unwrap()["body"];
    let text = |name: &str| init[name].as_str().unwrap().to_owned();
    (text("model"), text("permissionMode"))
}

fn pair(model: &str, mode: &str) -> (String, String) {
    (model.to_owned(), mode.to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_applies_to_the_next_turn_and_to_later_starts() {
    for row in stores::all().await {
        let host = Host::start(Arc::clone(&row.store), &FakeScript::new()).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        let before = turn(&phone, session, "one").await;
        assert_eq!(before.1, "default");
        let model = || Some("model-2".to_owned());
        let plan = PermissionMode::Plan;
        let stored = phone.set_model(session, model(), key("model")).await;
        assert!(!stored.unwrap().is_repeat);
        let stored = phone.set_permission_mode(session, plan, key("mode")).await;
        stored.unwrap();
        // The input waits for both.
        let after = turn(&phone, session, "two").await;
        assert_eq!(after, pair("model-2", "plan"), "{}", row.name);
        let again = phone.set_model(session, model(), key("model")).await;
        assert!(again.unwrap().is_repeat);
        let other = phone.set_model(session, None, key("model")).await;
        assert!(
            matches!(other, Err(GatewayError::Conflict { .. })),
            "{other:?}"
        );
        let spec = phone.get(session).await.unwrap().spec;
        assert_eq!(spec.model, model());
        assert_eq!(spec.permission_mode, Some(PermissionMode::Plan));

        let Host { gateway, folder } = host;
        gateway.shutdown(Duration::from_secs(5)).await;
        let settings = settings(folder.path(), &FakeScript::new());
        let node = NodeId::new("one").unwrap();
        let gateway = Gateway::start(row.elsewhere, node, settings).await.unwrap();
        let host = Host { gateway, folder };
        let phone = host.access("ada", "phone", Scope::Drive);
        let restarted = turn(&phone, session, "three").await;
        assert_eq!(restarted, pair("model-2", "plan"), "{}", row.name);
        phone
            .set_model(session, None, key("default"))
            .await
            .unwrap();
        let default = turn(&phone, session, "four").await;
        assert_eq!(default, pair(&before.0, "plan"), "{}", row.name);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_does_not_run_is_changed_without_a_start() {
    for row in stores::all().await {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        let (host, starts) = start_in(row.store, folder, &[FakeScript::new()], 9).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        let set = async |model: &str, name: &str| {
            let model = Some(model.to_owned());
            let stored = phone.set_model(session, model, key(name)).await;
            stored.unwrap().is_repeat
        };
        assert!(!set("model-1", "a").await && !set("model-2", "b").await);
        let edits = PermissionMode::AcceptEdits;
        let stored = phone.set_permission_mode(session, edits, key("c")).await;
        stored.unwrap();
        eventually("the session is not released", async || {
            (phone.get(session).await.unwrap().state == "asleep").then_some(())
        })
        .await;
        // A repeated request changes nothing.
        assert!(set("model-1", "a").await);
        eventually("the session is not released", async || {
            (phone.get(session).await.unwrap().state == "asleep").then_some(())
        })
        .await;
        let spec = phone.get(session).await.unwrap().spec;
        assert_eq!(spec.model.as_deref(), Some("model-2"));
        assert_eq!(starts.load(Ordering::SeqCst), 0, "{}", row.name);
        let after = turn(&phone, session, "one").await;
        assert_eq!(after, pair("model-2", "acceptEdits"), "{}", row.name);
        assert_eq!(starts.load(Ordering::SeqCst), 1, "{}", row.name);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_bypass_mode_needs_admin_and_waits_for_the_running_turn() {
    let script = FakeScript::new().turn(FakeTurn::new().step(asks()).step(Step::text("Done.")));
    for row in stores::all().await {
        let host = start(row.store, &[script.clone(), FakeScript::new()], 9).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let owner = host.access("ada", "laptop", Scope::Admin);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        send(&phone, session, "one", "one").await;
        let asked = pending(&phone).await;
        for mode in [PermissionMode::BypassPermissions, PermissionMode::Auto] {
            let refused = phone.set_permission_mode(session, mode, key("no")).await;
            assert!(
                matches!(refused, Err(GatewayError::Forbidden { .. })),
                "{refused:?}"
            );
        }
        // One input is queued for the agent, and one comes when the CLI is about to end.
        send(&phone, session, "two", "two").await;
        let bypass = PermissionMode::BypassPermissions;
        let set = owner.set_permission_mode(session, bypass.clone(), key("yes"));
        set.await.unwrap();
        eventually("the mode is not stored", async || {
            let spec = owner.get(session).await.unwrap().spec;
            (spec.permission_mode == Some(bypass.clone())).then_some(())
        })
        .await;
        send(&phone, session, "three", "three").await;
        allow(&phone, session, &asked).await;
        let events = all(&phone, session, "three").await;
        assert_eq!(turn_of(&events, "one").1, "default", "{}", row.name);
        assert_eq!(turn_of(&events, "two").1, "bypassPermissions");
        assert_eq!(turn_of(&events, "three").1, "bypassPermissions");
        for name in ["one", "two"] {
            let kinds = outcomes(&events, name);
            assert!(kinds.contains(&"input_processed".to_owned()), "{kinds:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_setting_that_is_refused_is_not_stored() {
    let mut script = FakeScript::new();
    let errors = &mut script.control.errors;
    errors.insert("set_model".to_owned(), "no such model".to_owned());
    for row in stores::all().await {
        let host = start(row.store, std::slice::from_ref(&script), 9).await;
        let owner = host.access("ada", "laptop", Scope::Admin);
        let session = owner.create(host.spec(), key("new")).await.unwrap().id;
        let before = turn(&owner, session, "one").await;
        let model = Some("none".to_owned());
        owner.set_model(session, model, key("model")).await.unwrap();
        let after = turn(&owner, session, "two").await;
        assert_eq!(after, before, "{}", row.name);
        assert_eq!(owner.get(session).await.unwrap().spec.model, None);

        for model in ["", " ", "a\0b", "x".repeat(1001).as_str()] {
            let model = Some(model.to_owned());
            let refused = owner.set_model(session, model, key("bad")).await;
            assert!(
                matches!(refused, Err(GatewayError::Invalid { .. })),
                "{refused:?}"
            );
        }
        let new = PermissionMode::from("new-mode");
        let refused = owner.set_permission_mode(session, new, key("bad")).await;
        assert!(
            matches!(refused, Err(GatewayError::Invalid { .. })),
            "{refused:?}"
        );
        owner.close(session, key("close")).await.unwrap();
        eventually("the session does not end", async || {
            (owner.get(session).await.unwrap().state == "ended").then_some(())
        })
        .await;
        let late = owner.set_model(session, None, key("late")).await;
        assert!(matches!(late, Err(GatewayError::Ended)), "{late:?}");
    }
}
