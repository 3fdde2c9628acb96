//! Owners that attach to the CLI of an owner that was lost.

use std::sync::{Arc, Mutex};

use claw_server::event::{Fact, InteractionId, LifecycleState, SessionEvent};
use claw_server::registry::PermissionResponse;
use claw_server::{
    Controller, ControllerError, EventLog as _, Input, MemoryLog, PageLimit, SessionId,
    SessionSetup,
};
use rusty_claw::Options;
use rusty_claw::permission::PermissionMode;
use serde_json::{Value, json};

use super::front_end::{FrontEnd, go, open};
use super::hindered_log::{HinderedLog, nothing};
use super::peer::Peer;

fn options() -> Options {
    Options::new().permission_mode(PermissionMode::Default)
}

fn controller(log: &Arc<MemoryLog>) -> Controller {
    Controller::builder().log(log.clone()).build()
}

/// Opens a session on a CLI that outlives its owner.
async fn open_held(controller: &Controller) -> (SessionId, FrontEnd, Peer) {
    let (transport, mut peer) = Peer::pair();
    let (front, sink) = FrontEnd::new();
    let setup = SessionSetup::new(options()).on_held(transport).sink(sink);
    let (opened, ()) = tokio::join!(controller.open(setup), peer.initialize());
    (opened.unwrap(), front, peer)
}

/// Attaches another owner, to which the CLI lists these requests as pending.
async fn attach(
    controller: &Controller,
    session: SessionId,
    cli: &Peer,
    pending: Value,
) -> (FrontEnd, Peer) {
    let (front, sink) = FrontEnd::new();
    let (transport, mut peer) = cli.again();
    let (told, offset) = tokio::sync::oneshot::channel();
    let setup = SessionSetup::new(options()).sink(sink);
    let setup = setup.attach(session, move |offset| {
        told.send(offset).unwrap();
        transport
    });
    let play = async {
        peer.repeat(offset.await.unwrap()).await;
        peer.attached(pending).await;
    };
    let (opened, ()) = tokio::join!(controller.open(setup), play);
    assert_eq!(opened.unwrap(), session);
    (front, peer)
}

/// A permission request as the CLI lists it.
fn bash(request_id: &str, call: &str, command: &str) -> Value {
    json!({"type": "control_request", "request_id": request_id, "request": {
        "subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": command},
        "tool_use_id": call}})
}

async fn events(log: &MemoryLog, session: SessionId) -> Vec<Arc<SessionEvent>> {
    log.read(session, 0, PageLimit::ALL).await.unwrap()
}

fn count(events: &[Arc<SessionEvent>], kind: &str) -> usize {
    events.iter().filter(|one| one.fact.kind() == kind).count()
}

fn withdrawn(events: &[Arc<SessionEvent>]) -> Vec<&str> {
    let ids = events.iter().filter_map(|event| match &event.fact {
        Fact::InteractionWithdrawn(id) => Some(id.as_str()),
        _ => None,
    });
    ids.collect()
}

#[tokio::test]
async fn a_turn_with_an_open_permission_goes_on_under_the_next_owner() {
    let log = Arc::new(MemoryLog::keeping(1 << 20));
    let first = controller(&log);
    let (session, mut front, mut cli) = open_held(&first).await;
    let prompt = go(&first, session, &mut cli).await;
    cli.say("Let me see").await;
    let asked = cli.bash("toolu_1", "make").await;
    // The text is before the request.
    front.first("PermissionRequired").await;
    first.input(Input::text(session, "Later")).await.unwrap();
    // The first owner has not read this line.
    let (_, mut unread) = cli.again();
    unread.printed.extend_from_slice(
        b"{\"type\":\"system\",\"subtype\":\"informational\",\"content\":\"unread\"}\n",
    );

    let second = controller(&log);
    let pending = json!([bash(&asked, "toolu_1", "make")]);
    let (mut front, mut cli) = attach(&second, session, &unread, pending).await;
    let yes = PermissionResponse::allow();
    let registry = second.permissions();
    registry.respond(session, "toolu_1", yes).await.unwrap();
    assert_eq!(cli.answered(&asked).await["behavior"], "allow");
    cli.end(&prompt).await;
    front.until_complete().await;
    let next = cli.prompt().await;
    assert_eq!(next["message"]["content"], "Later");
    cli.answer(&next, "Yes").await;
    front.until_complete().await;

    let events = events(&log, session).await;
    for (kind, expected) in [
        ("opened", 1),
        ("interaction_opened", 1),
        ("interaction_answered", 1),
        ("interaction_withdrawn", 0),
        ("turn_started", 2),
        ("turn_ended", 2),
        ("input_delivered", 2),
        ("input_processed", 2),
        ("input_failed", 0),
    ] {
        assert_eq!(count(&events, kind), expected, "{kind}");
    }
    let texts = |text: &str| {
        let has = |one: &&Arc<SessionEvent>| matches!(&one.fact, Fact::Message(line) if line.to_text().contains(text));
        events.iter().filter(has).count()
    };
    assert_eq!((texts("Let me see"), texts("unread")), (1, 1));
    let states = events.iter().filter_map(|event| match &event.fact {
        Fact::Lifecycle(lifecycle) => Some((lifecycle.state.clone(), lifecycle.reason.is_some())),
        _ => None,
    });
    assert_eq!(
        states.collect::<Vec<_>>(),
        [
            (LifecycleState::Starting, false),
            (LifecycleState::Ready, false),
            (LifecycleState::Ready, true)
        ]
    );
    let offsets: Vec<u64> = events.iter().filter_map(|event| event.offset).collect();
    assert!(offsets.is_sorted() && offsets.len() > 10, "{offsets:?}");
    // The first owner is fenced, and leaves the CLI alone.
    assert!(first.input(Input::text(session, "Late")).await.is_err());
    first.ended(session).await.unwrap();
    cli.close(&second, session).await;
}

#[tokio::test]
async fn a_released_session_has_no_checkpoint_of_events_that_are_not_stored() {
    let log = Arc::new(MemoryLog::keeping(1 << 20));
    let first = controller(&log);
    let (session, _front, mut cli) = open_held(&first).await;
    go(&first, session, &mut cli).await;
    assert!(first.release(session).await.unwrap());
    let last = events(&log, session).await.len() as u64;
    let saved = log.checkpoint(session).await.unwrap();
    let saved = saved.map_or(0, |saved| saved.sequence);
    assert!(saved <= last, "{saved} {last}");
}

#[tokio::test]
async fn an_answer_that_the_cli_has_not_received_is_sent_again() {
    let log = Arc::new(MemoryLog::keeping(1 << 20));
    let first = controller(&log);
    let (session, mut front, mut cli) = open_held(&first).await;
    go(&first, session, &mut cli).await;
    let asked = cli.bash("toolu_1", "make").await;
    let other = cli.bash("toolu_2", "ls").await;
    front.first("BatchPermissionRequired").await;
    let no = PermissionResponse::deny("not now");
    let registry = first.permissions();
    registry.respond(session, "toolu_1", no).await.unwrap();

    let second = controller(&log);
    // The second call has another input than before.
    let pending = json!([
        bash(&asked, "toolu_1", "make"),
        bash(&other, "toolu_2", "rm -r /")
    ]);
    let (mut front, mut cli) = attach(&second, session, &cli, pending).await;
    let denied = cli.answered(&asked).await;
    assert_eq!(denied["behavior"], "deny");
    assert_eq!(denied["message"], "not now");
    let id = InteractionId::new("toolu_2#2");
    loop {
        front
            .until(|message| message.name().contains("PermissionRequired"))
            .await;
        let events = events(&log, session).await;
        if events
            .iter()
            .any(|event| matches!(&event.fact, Fact::InteractionOpened(one) if one.id == id))
        {
            break;
        }
    }
    let events = events(&log, session).await;
    assert_eq!(withdrawn(&events), ["toolu_2"]);
    assert_eq!(count(&events, "interaction_answered"), 1);
    assert_eq!(count(&events, "interaction_opened"), 3);
    cli.close(&second, session).await;
}

#[tokio::test]
async fn an_interaction_that_the_cli_does_not_list_is_withdrawn() {
    let log = Arc::new(MemoryLog::keeping(1 << 20));
    let first = controller(&log);
    let (session, mut front, mut cli) = open_held(&first).await;
    let prompt = go(&first, session, &mut cli).await;
    cli.bash("toolu_1", "make").await;
    front.first("PermissionRequired").await;

    let second = controller(&log);
    let (mut front, mut cli) = attach(&second, session, &cli, json!([])).await;
    let yes = PermissionResponse::allow();
    let registry = second.permissions();
    registry.respond(session, "toolu_1", yes).await.unwrap_err();
    cli.end(&prompt).await;
    front.until_complete().await;
    assert_eq!(withdrawn(&events(&log, session).await), ["toolu_1"]);
    cli.close(&second, session).await;
}

#[tokio::test]
async fn an_input_that_was_being_sent_is_sent_again_with_its_id() {
    let log = Arc::new(MemoryLog::keeping(1 << 20));
    let first = controller(&log);
    let (session, _front, mut cli) = open_held(&first).await;
    first.input(Input::text(session, "Go")).await.unwrap();
    let sent = cli.prompt().await;

    let second = controller(&log);
    let (mut front, mut cli) = attach(&second, session, &cli, json!([])).await;
    let again = cli.prompt().await;
    assert_eq!(again["uuid"], sent["uuid"]);
    cli.answer(&again, "Yes").await;
    front.until_complete().await;
    let events = events(&log, session).await;
    assert_eq!(count(&events, "input_accepted"), 1);
    assert_eq!(count(&events, "input_processed"), 1);
    cli.close(&second, session).await;
}

#[tokio::test]
async fn a_session_without_a_running_cli_is_not_attached_to_and_can_be_reopened() {
    let log = Arc::new(MemoryLog::keeping(1 << 20));
    let first = controller(&log);
    let attach_to = |session| SessionSetup::new(options()).attach(session, |_| Peer::pair().0);
    // A child process ends with its owner.
    let (child, _front, _cli) = open(&first, |setup| setup).await;
    let second = controller(&log);
    let error = second.open(attach_to(child)).await.unwrap_err();
    assert_matches!(error, ControllerError::NotRunning { .. });

    let (session, mut front, mut cli) = open_held(&first).await;
    go(&first, session, &mut cli).await;
    front.until(|message| message.name() == "System").await;
    let before = events(&log, session).await.len();
    // The other side of the connection is closed.
    let error = second.open(attach_to(session)).await.unwrap_err();
    assert_matches!(error, ControllerError::Attach(_));
    assert_eq!(events(&log, session).await.len(), before);
    let (_, _front, mut peer) = open(&second, |setup| setup.reopen(session)).await;
    let events = events(&log, session).await;
    assert_eq!(count(&events, "turn_ended"), 1);
    assert_eq!(count(&events, "input_failed"), 1);
    peer.close(&second, session).await;
    let error = second.open(attach_to(session)).await.unwrap_err();
    assert_matches!(error, ControllerError::NotRunning { .. });
}

#[tokio::test]
async fn the_events_of_a_line_are_stored_together_with_its_offset() {
    let log = HinderedLog::new();
    let batches: Arc<Mutex<Vec<usize>>> = Arc::default();
    let controller = Controller::builder().log(log.clone()).build();
    let (session, mut front, mut cli) = open_held(&controller).await;
    let seen = Arc::clone(&batches);
    log.before_append(move |_, events| {
        if events.last().is_some_and(|last| last.turn.is_some()) {
            assert!(events.last().unwrap().offset.is_some(), "{events:?}");
        }
        seen.lock().unwrap().push(events.len());
        nothing()
    });
    cli.notes().await;
    for _ in 0..400 {
        let line = json!({"type": "system", "subtype": "init", "session_id": "5e5e",
            "tools": [], "mcp_servers": []});
        cli.write(line).await;
        let line = json!({"type": "result", "subtype": "success", "is_error": false,
            "result": "", "session_id": "5e5e", "origin": {"kind": "task"}});
        cli.write(line).await;
    }
    for _ in 0..400 {
        front.until_complete().await;
    }
    let stored = events(&log.kept, session).await;
    let printed = u64::try_from(cli.printed.len()).unwrap();
    assert_eq!(stored.last().unwrap().offset, Some(printed));
    assert!(!batches.lock().unwrap().is_empty());
    cli.close(&controller, session).await;
}
