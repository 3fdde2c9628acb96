//! Owners of sessions: every accepted command has one outcome, whatever fails.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use claw_gateway::{Answer, AnswerOutcome, DialectName, GatewayError, Scope};
use claw_server::registry::{PermissionResponse, QuestionAnswer};
use claw_server::{InputMode, Json};
use claw_store::{ClaimReason, InteractionId, NodeId, NodeRef, SessionKey, TenantId};
use claw_testkit::{FakeScript, FakeTurn, Step};
use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::time::timeout;

use crate::faulty::{Fault, Faults};
use crate::gateway::{is_kind, key, send, until};
use crate::hooked::hooked;
use crate::host::{Host, TIMEOUT};
use crate::stores;

mod answers;
mod recovery;
mod redelivery;
mod settings;
pub(crate) mod stage;
mod starting;

use stage::{
    allow, asks, elicits, events, eventually, outcomes, pending, processed, runs, start, start_in,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_does_not_fit_leaves_the_interaction_pending() {
    let turn = FakeTurn::new().step(asks()).step(Step::text("Done."));
    for row in stores::all().await {
        let host = start(row.store, &[FakeScript::new().turn(turn.clone())], 9).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        send(&phone, session, "List the files", "in-1").await;
        let id = pending(&phone).await;
        let odd = PermissionResponse::allow().with_input(Json::from_text_value("x"));
        for (unfit, name) in [
            (
                Answer::Questions(vec![QuestionAnswer::choice("q:0", "A")]),
                "a",
            ),
            (Answer::Permission(odd), "b"),
            (Answer::Other(Json::from_text_value("x")), "c"),
        ] {
            let refused = phone.answer(session, &id, unfit, key(name)).await;
            assert!(
                matches!(refused, Err(GatewayError::Invalid { .. })),
                "{refused:?}"
            );
        }
        let unknown = InteractionId::new("unknown").unwrap();
        let no = Answer::Decline("no".to_owned());
        let refused = phone.answer(session, &unknown, no, key("d")).await;
        let what = "interaction";
        assert!(
            matches!(refused, Err(GatewayError::NotFound { what: named }) if named == what),
            "{refused:?}"
        );
        assert_eq!(allow(&phone, session, &id).await, AnswerOutcome::Won);
        events(&phone, session, is_kind("input_processed")).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn content_that_cannot_be_sent_is_refused() {
    let row = stores::all().await.remove(0);
    let host = start(row.store, &[FakeScript::new()], 9).await;
    let phone = host.access("ada", "phone", Scope::Drive);
    let session = phone.create(host.spec(), key("new")).await.unwrap().id;
    for content in ["5", r#""""#, "[]", "{}"] {
        let json = Json::from_text(content).unwrap();
        let sent = phone
            .input(session, json, InputMode::Queue, key(content))
            .await;
        assert!(
            matches!(sent, Err(GatewayError::Invalid { .. })),
            "{sent:?}"
        );
    }
    assert_eq!(phone.get(session).await.unwrap().state, "new");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_queue_blocks_neither_answers_nor_interrupts_nor_a_close() {
    let hangs = || FakeTurn::new().step(Step::Hang);
    let script = FakeScript::new()
        .turn(FakeTurn::new().step(asks()).step(Step::text("Done.")))
        .turn(hangs())
        .turn(hangs());
    for row in stores::all().await {
        let host = start(row.store, std::slice::from_ref(&script), 1).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        let mut frames = phone.follow(session, DialectName::Events, 0).await.unwrap();
        // One runs and one is queued.
        for name in ["in-1", "in-2", "in-3", "in-4"] {
            send(&phone, session, name, name).await;
        }
        let id = pending(&phone).await;
        assert_eq!(allow(&phone, session, &id).await, AnswerOutcome::Won);
        for turn in 2..=3 {
            let begins = |message: &Value| {
                is_kind("turn_started")(message) && message["event"]["turn"] == turn
            };
            until(&mut frames, begins).await;
            if turn == 3 {
                phone.close(session, key("close")).await.unwrap();
                send(&phone, session, "in-5", "in-5").await;
            }
            let interrupted = phone.interrupt(session, turn, key(&format!("stop-{turn}")));
            interrupted.await.unwrap();
        }
        eventually("the session does not end", async || {
            let state = phone.get(session).await.unwrap().state;
            (state == "ended").then_some(())
        })
        .await;
        let last = phone.get(session).await.unwrap().last;
        let is_last = |message: &Value| message["event"]["seq"] == last;
        let events = events(&phone, session, is_last).await;
        for name in ["in-1", "in-2", "in-3"] {
            let kinds = outcomes(&events, name);
            assert!(kinds.contains(&"input_processed".to_owned()), "{kinds:?}");
        }
        for name in ["in-4", "in-5"] {
            let failed = ["input_accepted", "input_failed"];
            assert_eq!(outcomes(&events, name), failed, "{name}");
        }
        let late = phone.close(session, key("again")).await;
        assert!(matches!(late, Err(GatewayError::Ended)), "{late:?}");
        // A request whose response was lost has the same result again.
        send(&phone, session, "in-1", "in-1").await;
        assert_eq!(allow(&phone, session, &id).await, AnswerOutcome::Won);
        let again = phone.close(session, key("close")).await.unwrap();
        assert!(again.is_repeat);
        let late = phone.close(session, key("again")).await;
        assert!(matches!(late, Err(GatewayError::Ended)), "{late:?}");
        assert_eq!(phone.get(session).await.unwrap().last, last);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_is_deleted_or_claimed_elsewhere_stops_its_cli() {
    let turn = FakeTurn::new()
        .step(Step::text("pid=$pid."))
        .step(Step::Hang);
    let script = FakeScript::new().turn(turn);
    for is_deleted in [true, false] {
        for row in stores::all().await {
            let host = start(row.store, std::slice::from_ref(&script), 9).await;
            let phone = host.access("ada", "phone", Scope::Drive);
            let session = phone.create(host.spec(), key("new")).await.unwrap().id;
            send(&phone, session, "Go", "in-1").await;
            let events = events(&phone, session, processed("pid=")).await;
            let last = events.last().unwrap().to_string();
            let pid = last.split("pid=").nth(1).unwrap();
            let pid = pid.split('.').next().unwrap();
            assert!(runs(pid), "{pid}");
            let key = claw_store::SessionId::new(&session.to_string()).unwrap();
            let key = SessionKey::new(TenantId::new("ada").unwrap(), key);
            let two = NodeRef {
                node: NodeId::new("two").unwrap(),
                incarnation: 1,
            };
            match is_deleted {
                true => phone.delete(session).await.unwrap(),
                false => {
                    let takeover = ClaimReason::Takeover;
                    row.elsewhere.claim(&key, &two, takeover).await.unwrap();
                }
            }
            eventually("the CLI runs on", async || (!runs(pid)).then_some(())).await;
            let shutdown = host.gateway.shutdown(Duration::ZERO);
            timeout(TIMEOUT, shutdown).await.unwrap();
            if !is_deleted {
                let owner = row.elsewhere.get(&key).await.unwrap().owner;
                assert_eq!(owner.unwrap().node, two);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_of_a_process_that_is_killed_is_applied_by_the_next_one() {
    for row in stores::all().await {
        let faults = Arc::<Faults>::default();
        let store = hooked(row.store, &faults);
        let host = start(store, &[FakeScript::new()], 9).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        // It stores the command, and does nothing after that.
        faults.set("submit", Fault::HangsAfter);
        let (device, text) = (phone.clone(), Json::from_text_value("Hello"));
        let request = tokio::spawn(async move {
            let sent = device.input(session, text, InputMode::Queue, key("in-1"));
            sent.await
        });
        timeout(TIMEOUT, faults.hangs.notified()).await.unwrap();
        request.abort();
        let folder = tempfile::tempdir().unwrap();
        let work = host.folder.path().join("work");
        std::os::unix::fs::symlink(&work, folder.path().join("work")).unwrap();
        let (next, _) = start_in(row.elsewhere, folder, &[FakeScript::new()], 9).await;
        let phone = next.access("ada", "phone", Scope::Drive);
        let events = events(&phone, session, is_kind("input_processed")).await;
        let kinds = outcomes(&events, "in-1");
        let once = ["input_accepted", "input_delivered", "input_processed"];
        assert_eq!(kinds, once);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cli_that_does_not_start_is_started_again() {
    let mut broken = FakeScript::new();
    broken.exit_at_start = Some(3);
    let scripts = [broken.clone(), broken, FakeScript::new()];
    for row in stores::all().await {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        let (host, starts) = start_in(row.store, folder, &scripts, 9).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        send(&phone, session, "Hello", "in-1").await;
        events(&phone, session, is_kind("input_processed")).await;
        assert_eq!(starts.load(Ordering::SeqCst), 3);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_input_that_failed_does_not_run_and_the_one_behind_it_does() {
    let dies = FakeScript::new().turn(FakeTurn::new().step(asks()).step(Step::Exit(1)));
    for row in stores::all().await {
        let host = start(row.store, &[dies.clone(), FakeScript::new()], 1).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        for name in ["in-1", "in-2", "in-3"] {
            send(&phone, session, name, name).await;
        }
        let id = pending(&phone).await;
        assert_eq!(allow(&phone, session, &id).await, AnswerOutcome::Won);
        let events = events(&phone, session, is_kind("input_processed")).await;
        let failed = ["input_accepted", "input_failed"];
        assert_eq!(outcomes(&events, "in-2"), failed);
        let kinds = outcomes(&events, "in-3");
        assert_eq!(kinds.last().unwrap(), "input_processed");
        assert!(phone.pending(None).await.unwrap().is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn inputs_that_wait_at_a_shutdown_run_after_the_next_start() {
    let waits = FakeScript::new().turn(FakeTurn::new().step(elicits()));
    for row in stores::all().await {
        let host = start(row.store, std::slice::from_ref(&waits), 1).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        for name in ["in-1", "in-2", "in-3"] {
            send(&phone, session, name, name).await;
        }
        pending(&phone).await;
        let Host { gateway, folder } = host;
        let shutdown = gateway.shutdown(Duration::ZERO);
        timeout(TIMEOUT, shutdown).await.unwrap();
        // What the CLI asked is over, and nothing new is accepted.
        assert!(phone.pending(None).await.unwrap().is_empty());
        let late = phone.close(session, key("late")).await;
        assert!(matches!(late, Err(GatewayError::Unavailable { .. })));
        let (host, _) = start_in(row.elsewhere, folder, &[FakeScript::new()], 1).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let is_last = |message: &Value| {
            let event = &message["event"];
            event["kind"] == "input_accepted" && event["body"]["key"] == "in-3"
        };
        let mut frames = phone.follow(session, DialectName::Events, 0).await.unwrap();
        until(&mut frames, is_last).await;
        until(&mut frames, is_kind("input_processed")).await;
        for name in ["in-2", "in-3"] {
            let has_run = async || {
                let last = phone.get(session).await.unwrap().last;
                let is_last = |message: &Value| message["event"]["seq"] == last;
                let events = events(&phone, session, is_last).await;
                let kinds = outcomes(&events, name);
                (kinds == ["input_accepted", "input_delivered", "input_processed"]).then_some(())
            };
            eventually("an input does not run once", has_run).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_without_events_do_not_fill_the_inbox() {
    // The disk makes this slow in a file.
    let row = stores::all().await.remove(0);
    let host = start(row.store, &[FakeScript::new()], 9).await;
    let phone = host.access("ada", "phone", Scope::Drive);
    let session = phone.create(host.spec(), key("new")).await.unwrap().id;
    send(&phone, session, "Hello", "in-1").await;
    events(&phone, session, is_kind("input_processed")).await;
    // The inbox has room for 1,000.
    let interrupts = (0..1100).map(|number| {
        let phone = &phone;
        eventually("the inbox stays full", async move || {
            let name = key(&format!("stop-{number}"));
            match phone.interrupt(session, 99, name).await {
                Err(GatewayError::Full { .. }) => None,
                result => Some(result.unwrap()),
            }
        })
    });
    let stored = futures_util::stream::iter(interrupts).buffer_unordered(64);
    assert_eq!(stored.count().await, 1100);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interaction_and_its_answer_survive_failures_of_the_store() {
    let turn = FakeTurn::new().step(asks()).step(Step::text("Done."));
    for row in stores::all().await {
        let faults = Arc::<Faults>::default();
        let store = hooked(row.store, &faults);
        let host = start(store, &[FakeScript::new().turn(turn.clone())], 9).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        faults.set("open_interaction", Fault::Full(2));
        faults.set("inbox", Fault::Unavailable(2));
        send(&phone, session, "List the files", "in-1").await;
        let id = pending(&phone).await;
        // The first call is that of the request, and the next ones are those of the owner.
        faults.set("interaction", Fault::UnavailableAfter(1, 2));
        // An answer does not need all interactions of the session.
        faults.set("interactions", Fault::Unavailable(u32::MAX));
        assert_eq!(allow(&phone, session, &id).await, AnswerOutcome::Won);
        events(&phone, session, is_kind("input_processed")).await;
    }
}

/// The owner copies an interaction to the store after its event is visible.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interaction_can_be_answered_as_soon_as_its_event_is_visible() {
    let turn = FakeTurn::new().step(asks()).step(Step::text("Done."));
    for row in stores::all().await {
        let faults = Arc::<Faults>::default();
        let store = hooked(row.store, &faults);
        let host = start(store, &[FakeScript::new().turn(turn.clone())], 9).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        faults.set("open_interaction", Fault::Full(2));
        send(&phone, session, "List the files", "in-1").await;
        let shown = events(&phone, session, is_kind("interaction_opened")).await;
        let id = shown.last().unwrap()["body"]["id"].as_str().unwrap();
        let id = InteractionId::new(id).unwrap();
        assert_eq!(allow(&phone, session, &id).await, AnswerOutcome::Won);
        events(&phone, session, is_kind("input_processed")).await;
    }
}
