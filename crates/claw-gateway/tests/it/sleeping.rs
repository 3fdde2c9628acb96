//! Sessions sleep when they have nothing to do, and only so many are awake.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use claw_gateway::{Access, AnswerOutcome, DialectName, Gateway, Scope, Settings};
use claw_server::SessionId;
use claw_store::{
    ClaimReason, InteractionFilter, InteractionId, NewInteraction, NodeId, NodeRef, SessionKey,
    SessionState, Store, TenantId,
};
use claw_testkit::{Background, FakeScript, FakeTurn, Step};
use rusty_claw::permission::PermissionMode;
use serde_json::{Value, json};

use crate::gateway::{is_kind, key, send, texts, until};
use crate::host::{Host, settings};
use crate::owning::stage::{
    allow, asks, decline, elicits, events, eventually, outcomes, pending, runs, start_in,
};
use crate::stores;

const SHORT: Duration = Duration::from_millis(50);

/// A gateway, and the number of CLIs that it has started.
async fn start(
    store: Arc<dyn Store>,
    script: &FakeScript,
    change: impl FnOnce(&mut Settings),
) -> (Host, Arc<AtomicUsize>) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("work")).unwrap();
    let mut settings = settings(folder.path(), script);
    let starts = Arc::new(AtomicUsize::new(0));
    let (count, options) = (Arc::clone(&starts), settings.options);
    settings.options = Box::new(move || {
        count.fetch_add(1, Ordering::SeqCst);
        options()
    });
    change(&mut settings);
    let gateway = Gateway::start(store, NodeId::new("one").unwrap(), settings).await;
    let gateway = gateway.unwrap();
    (Host { gateway, folder }, starts)
}

fn is_asleep(message: &Value) -> bool {
    let event = &message["event"];
    event["kind"] == "lifecycle" && event["body"]["state"] == "Asleep"
}

async fn reaches(phone: &Access, session: SessionId, state: &str) {
    eventually("the session has another state", async || {
        let now = phone.get(session).await.unwrap().state;
        (now == state).then_some(())
    })
    .await;
}

async fn create(phone: &Access, host: &Host, name: &str) -> SessionId {
    phone.create(host.spec(), key(name)).await.unwrap().id
}

async fn position(phone: &Access, session: SessionId) -> Option<u64> {
    phone.get(session).await.unwrap().queue_position
}

/// The time of the first start of a session.
async fn started_at(phone: &Access, session: SessionId) -> i64 {
    let events = events(phone, session, is_kind("lifecycle")).await;
    events.last().unwrap()["at"].as_i64().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_session_sleeps_and_wakes_with_the_next_input() {
    let turn = FakeTurn::new().step(Step::text("pid=$pid."));
    let script = FakeScript::new().turn(turn).repeat_last();
    for row in stores::all().await {
        let (host, starts) = start(row.store, &script, |settings| settings.idle = SHORT).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = create(&phone, &host, "new").await;
        let mut frames = phone.follow(session, DialectName::Events, 0).await.unwrap();
        let mut seen = Vec::new();
        for name in ["in-1", "in-2"] {
            send(&phone, session, name, name).await;
            let before = until(&mut frames, is_asleep).await;
            let text = texts(&before).concat();
            assert!(text.contains("input_processed"), "{text}");
            let pid = text.split("pid=").nth(1).unwrap();
            let pid = pid.split('.').next().unwrap();
            assert!(!runs(pid), "{pid}");
            reaches(&phone, session, "asleep").await;
            seen.extend(before);
        }
        // The follower stayed connected, and missed nothing.
        let numbers: Vec<u64> = texts(&seen)
            .iter()
            .filter_map(|text| {
                let message: Value = serde_json::from_str(text).unwrap();
                message["event"]["seq"].as_u64()
            })
            .collect();
        let all: Vec<u64> = (1..=numbers.len() as u64).collect();
        assert_eq!(numbers, all);
        assert_eq!(starts.load(Ordering::SeqCst), 2);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_with_a_background_task_does_not_sleep() {
    let task = Background {
        description: "build".to_owned(),
        after_ms: 1_000,
        text: "The build is done.".to_owned(),
    };
    let script = FakeScript::new().turn(FakeTurn::new().step(task));
    for row in stores::all().await {
        let (host, starts) = start(row.store, &script, |settings| settings.idle = SHORT).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = create(&phone, &host, "new").await;
        send(&phone, session, "Build", "in-1").await;
        let events = events(&phone, session, is_asleep).await;
        let text = Value::from(events.clone()).to_string();
        assert!(text.contains("The build is done."), "{text}");
        let lost = &events.last().unwrap()["body"]["lost"];
        assert!(lost.is_null(), "{lost}");
        assert_eq!(starts.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_waits_for_an_answer_without_a_process() {
    let turn = FakeTurn::new().step(asks()).step(Step::text("Done."));
    let script = FakeScript::new().turn(turn);
    for row in stores::all().await {
        let (host, _) = start(row.store, &script, |settings| settings.idle = SHORT).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = create(&phone, &host, "new").await;
        send(&phone, session, "List the files", "in-1").await;
        let id = pending(&phone).await;
        reaches(&phone, session, "asleep").await;
        assert_eq!(allow(&phone, session, &id).await, AnswerOutcome::Won);
        let events = events(&phone, session, is_asleep).await;
        let text = Value::from(events.clone()).to_string();
        assert!(text.contains("Bash ran with"), "{text}");
        let kinds = outcomes(&events, "in-1");
        assert_eq!(kinds.last().unwrap(), "input_processed");
        // One more for the answer.
        assert_eq!(text.matches(r#""state":"Starting""#).count(), 2);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_above_the_limit_wait_in_order_and_idle_ones_make_room() {
    let turn = FakeTurn::new().step(elicits()).step(Step::text("Done."));
    let script = FakeScript::new().turn(turn);
    for row in stores::all().await {
        let (host, _) = start(row.store, &script, |settings| {
            settings.awake = 1;
            settings.min_idle = SHORT;
        })
        .await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let mut sessions = Vec::new();
        for name in ["a", "b", "c"] {
            let session = create(&phone, &host, name).await;
            send(&phone, session, "List the files", name).await;
            if name == "a" {
                pending(&phone).await;
            } else {
                let place = sessions.len() as u64;
                eventually("the session does not wait", async || {
                    (position(&phone, session).await == Some(place)).then_some(())
                })
                .await;
            }
            sessions.push(session);
        }
        let listed = phone.list(None, 10).await.unwrap().sessions;
        let positions: Vec<Option<u64>> = listed.iter().map(|one| one.queue_position).collect();
        assert_eq!(positions, [None, Some(1), Some(2)]);
        for (index, session) in sessions.iter().enumerate() {
            let id = eventually("nothing is pending", async || {
                let mut pending = phone.pending(Some(*session)).await.unwrap();
                let id = pending.pop()?.interaction.id;
                InteractionId::new(id.as_str()).ok()
            })
            .await;
            // All others wait or sleep.
            assert_eq!(phone.pending(None).await.unwrap().len(), 1);
            for (place, waiting) in sessions[index + 1..].iter().zip(1..) {
                assert_eq!(position(&phone, *place).await, Some(waiting));
            }
            assert_eq!(decline(&phone, *session, &id).await, AnswerOutcome::Won);
        }
        for session in &sessions[..2] {
            reaches(&phone, *session, "asleep").await;
        }
        let [first, second, third] = [
            started_at(&phone, sessions[0]).await,
            started_at(&phone, sessions[1]).await,
            started_at(&phone, sessions[2]).await,
        ];
        assert!(first <= second && second <= third);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_waits_for_its_place_can_be_closed() {
    let script = FakeScript::new().turn(FakeTurn::new().step(elicits()));
    for row in stores::all().await {
        let (host, starts) = start(row.store, &script, |settings| settings.awake = 1).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let first = create(&phone, &host, "a").await;
        send(&phone, first, "List the files", "in-1").await;
        pending(&phone).await;
        let second = create(&phone, &host, "b").await;
        send(&phone, second, "List the files", "in-2").await;
        phone.close(second, key("close")).await.unwrap();
        reaches(&phone, second, "ended").await;
        let last = phone.get(second).await.unwrap().last;
        let is_last = |message: &Value| message["event"]["seq"] == last;
        let events = events(&phone, second, is_last).await;
        let failed = ["input_accepted", "input_failed"];
        assert_eq!(outcomes(&events, "in-2"), failed);
        assert_eq!(phone.get(first).await.unwrap().state, "awake");
        // One for the session that runs, and one to find the conversation of the other.
        assert!(starts.load(Ordering::SeqCst) <= 2);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cli_that_uses_too_much_memory_is_ended_and_not_started_again() {
    let turn = FakeTurn::new()
        .step(Step::text("pid=$pid."))
        .step(Step::Hang);
    let script = FakeScript::new().turn(turn);
    let row = stores::all().await.remove(0);
    let limit = |settings: &mut Settings| settings.memory_limit = Some(1);
    let (host, starts) = start(row.store, &script, limit).await;
    let phone = host.access("ada", "phone", Scope::Drive);
    let session = create(&phone, &host, "new").await;
    send(&phone, session, "Go", "in-1").await;
    let until_asleep = events(&phone, session, is_asleep).await;
    let asleep = until_asleep.last().unwrap();
    let reason = asleep["body"]["reason"].as_str().unwrap();
    assert!(reason.contains("MiB of memory"), "{reason}");
    reaches(&phone, session, "asleep").await;
    let last = phone.get(session).await.unwrap().last;
    let is_last = |message: &Value| message["event"]["seq"] == last;
    let events = events(&phone, session, is_last).await;
    let kinds = outcomes(&events, "in-1");
    assert_eq!(kinds.last().unwrap(), "input_failed");
    // An input that the first CLI did not receive in time starts another one.
    assert!(starts.load(Ordering::SeqCst) <= 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mode_that_the_cli_changes_to_applies_to_later_starts() {
    let status = |mode: &str| {
        Step::Line(json!({
            "type": "system", "subtype": "status", "status": null, "permissionMode": mode,
            "uuid": "8a7f4d0e-0000-4000-8000-000000000001", "session_id": "$session_id",
        }))
    };
    let turn = FakeTurn::new()
        .step(status("acceptEdits"))
        .step(status("bypassPermissions"))
        .step(Step::text("Done."));
    let script = FakeScript::new().turn(turn);
    for row in stores::all().await {
        let (host, _) = start(row.store, &script, |_| {}).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let mut spec = host.spec();
        spec.permission_mode = Some(PermissionMode::Plan);
        let session = phone.create(spec, key("new")).await.unwrap().id;
        send(&phone, session, "Go", "in-1").await;
        events(&phone, session, is_kind("input_processed")).await;
        // A mode that needs an administrator is not kept.
        eventually("the mode is not stored", async || {
            let spec = phone.get(session).await.unwrap().spec;
            (spec.permission_mode == Some(PermissionMode::AcceptEdits)).then_some(())
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sleeping_session_is_woken_for_an_interaction_that_has_expired() {
    for row in stores::all().await {
        let (host, _) = start(Arc::clone(&row.store), &FakeScript::new(), |_| {}).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = create(&phone, &host, "new").await;
        let name = claw_store::SessionId::new(&session.to_string()).unwrap();
        let ada = TenantId::new("ada").unwrap();
        let stored = SessionKey::new(ada.clone(), name);
        let Host { gateway, folder } = host;
        gateway.shutdown(Duration::ZERO).await;
        let two = NodeRef {
            node: NodeId::new("two").unwrap(),
            incarnation: 1,
        };
        let claim = row.store.claim(&stored, &two, ClaimReason::Open).await;
        let claim = claim.unwrap();
        let new = NewInteraction {
            id: InteractionId::new("p1").unwrap(),
            request: bytes::Bytes::from_static(b"{}"),
            expires_at_ms: Some(1),
        };
        row.store.open_interaction(&claim, new).await.unwrap();
        row.store
            .release(&claim, SessionState::Asleep)
            .await
            .unwrap();
        let scripts = [FakeScript::new()];
        let (_next, _) = start_in(row.elsewhere, folder, &scripts, 1).await;
        eventually("the interaction stays open", async || {
            let filter = InteractionFilter::pending(ada.clone());
            let open = row.store.interactions(&filter).await.unwrap();
            open.is_empty().then_some(())
        })
        .await;
    }
}
