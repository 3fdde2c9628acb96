//! What is open when a turn or a session ends.

use std::time::Duration;

use claw_server::event::{InteractionId, LifecycleState};
use claw_server::{Controller, ControllerError, Input, SessionId, UiMessage};
use rusty_claw::ClosedBy;
use rusty_claw::transport::Exit;
use serde_json::json;

use super::front_end::{go, open};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_prompt_is_withdrawn_before_its_turn_ends() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    for round in 0..50 {
        let text = format!("Go {round}");
        controller.input(Input::text(session, &text)).await.unwrap();
        let prompt = peer.prompt().await;
        peer.begin(&prompt).await;
        let call = format!("toolu_{round}");
        let id = peer.bash(&call, "make").await;
        front.first("PermissionRequired").await;
        // As the CLI does it when it is interrupted: all at once.
        peer.cancel(&id).await;
        peer.end(&prompt).await;
        let told = front.until_complete().await;
        let is_withdrawn = |message: &UiMessage| {
            matches!(message, UiMessage::InteractionResolved { interaction_id, resolution, .. }
                if *interaction_id == call && resolution.as_str() == "Withdrawn")
        };
        let names: Vec<&str> = told.iter().map(UiMessage::name).collect();
        assert!(told.iter().any(is_withdrawn), "round {round}: {names:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_is_lost_is_reported_with_what_was_open() {
    // Several things happen at once here, in an order of their own each time.
    for _ in 0..20 {
        lost().await;
    }
}

/// One session whose process is lost.
async fn lost() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    go(&controller, session, &mut peer).await;
    for call in ["toolu_2", "toolu_1"] {
        peer.bash(call, "make").await;
    }
    while controller.permissions().pending(session).await.len() < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let (ended, told) = tokio::join!(controller.ended(session), async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        peer.exit(Exit::Signal(9));
        front.rest().await
    });
    let closed = ended.unwrap();
    assert_eq!(closed.state, LifecycleState::Lost);
    assert_eq!(closed.cut_off_turn, Some(1));
    // Two that come at once may overtake each other.
    let mut withdrawn = closed.withdrawn.clone();
    withdrawn.sort();
    let wanted = [InteractionId::new("toolu_1"), InteractionId::new("toolu_2")];
    assert_eq!(withdrawn, wanted);
    let count = |name: &str| told.iter().filter(|one| one.name() == name).count();
    assert_eq!((count("InteractionResolved"), count("Complete")), (2, 1));
    // Late calls return the end, too. An unknown session has none.
    let late = controller.ended(session).await.unwrap();
    assert_eq!(late.sequence, closed.sequence);
    let gone = controller.ended(SessionId::random()).await;
    assert_matches!(gone, Err(ControllerError::NoSession { .. }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_that_the_cli_ends_when_it_is_closed_is_reported_too() {
    // Several things happen at once here, in an order of their own each time.
    for _ in 0..20 {
        closed().await;
    }
}

/// One session that is closed in mid-turn.
async fn closed() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    let prompt = go(&controller, session, &mut peer).await;
    let id = peer.bash("toolu_1", "make").await;
    front.first("PermissionRequired").await;
    let closing = controller.close(session, Duration::from_millis(20));
    let cli = async {
        let request = peer.until(|value| value["type"] == "control_request").await;
        assert_eq!(request["request"]["subtype"], "end_session");
        peer.cancel(&id).await;
        peer.end(&prompt).await;
        peer.succeed(&request, json!({})).await;
        peer.exit(Exit::Code(0));
    };
    let (closed, ()) = tokio::join!(closing, cli);
    let closed = closed.unwrap();
    assert_eq!(closed.state, LifecycleState::Closed);
    assert_eq!(closed.closed_by, Some(ClosedBy::EndSession));
    assert_eq!(closed.cut_off_turn, Some(1));
    assert_eq!(closed.withdrawn, [InteractionId::new("toolu_1")]);
}
