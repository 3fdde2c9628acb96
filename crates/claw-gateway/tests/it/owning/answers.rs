//! Answers and other urgent commands while the inbox is full, or without a command.

use std::sync::Arc;

use claw_gateway::{Access, Answer, AnswerOutcome, GatewayError, Scope};
use claw_server::registry::PermissionResponse;
use claw_server::{InputMode, Json, SessionId};
use claw_testkit::{FakeScript, FakeTurn, Step};

use super::stage::{allow, asks, events, pending, start};
use crate::faulty::{Fault, Faults};
use crate::gateway::{is_kind, key, send};
use crate::hooked::hooked;
use crate::stores;

/// Sends inputs until not even a small one fits.
async fn fill(phone: &Access, session: SessionId) {
    let (mut size, mut number) = (256 * 1024, 0);
    while size > 4 {
        number += 1;
        let content = Json::from_text_value(&"x".repeat(size));
        let name = key(&format!("fill-{number}"));
        match phone.input(session, content, InputMode::Queue, name).await {
            Err(GatewayError::Full { .. }) => size /= 2,
            sent => assert!(sent.is_ok(), "{sent:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_inbox_has_room_for_everything_but_inputs() {
    let script = FakeScript::new()
        .turn(FakeTurn::new().step(asks()).step(Step::text("Done.")))
        .turn(FakeTurn::new().step(Step::Hang));
    for row in stores::all().await {
        let host = start(row.store, std::slice::from_ref(&script), 1).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        // One runs and one is queued, so that the others stay in the inbox.
        for name in ["in-1", "in-2"] {
            send(&phone, session, name, name).await;
        }
        let id = pending(&phone).await;
        fill(&phone, session).await;
        phone.interrupt(session, 99, key("stop")).await.unwrap();
        assert_eq!(allow(&phone, session, &id).await, AnswerOutcome::Won);
        phone.close(session, key("close")).await.unwrap();
        events(&phone, session, is_kind("input_processed")).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_reaches_the_agent_without_its_command() {
    let turn = FakeTurn::new().step(asks()).step(Step::text("Done."));
    for row in stores::all().await {
        let faults = Arc::<Faults>::default();
        let store = hooked(row.store, &faults);
        let host = start(store, &[FakeScript::new().turn(turn.clone())], 9).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        send(&phone, session, "List the files", "in-1").await;
        let id = pending(&phone).await;
        // The process that stores the answer crashes before it submits the command.
        faults.set("submit", Fault::Unavailable(1));
        let yes = Answer::Permission(PermissionResponse::allow());
        let answered = phone.answer(session, &id, yes, key("yes")).await;
        let is_unavailable = matches!(answered, Err(GatewayError::Unavailable { .. }));
        assert!(is_unavailable, "{answered:?}");
        events(&phone, session, is_kind("input_processed")).await;
    }
}
