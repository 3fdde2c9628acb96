//! Sinks and policies that break, clocks, and histories that are none.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use claw_server::event::{Fact, Lifecycle, LifecycleState, SessionEvent};
use claw_server::grants::{PermissionPolicy, PolicyDecision, PolicyRequest};
use claw_server::{
    Controller, ControllerError, Delivery, EventLog, EventSink, Fence, MemoryLog, SessionId,
    SessionSetup, UiMessage,
};
use rusty_claw::BoxFuture;
use serde_json::json;

use super::front_end::{FrontEnd, go, open, setup, turn};

/// A sink that panics when it is called, when it is polled, or when it is dropped.
struct Breaking {
    takes: u32,
    panics: Panics,
}

#[derive(PartialEq)]
enum Panics {
    Called,
    Polled,
    Dropped,
}

impl EventSink for Breaking {
    fn send(&mut self, _message: UiMessage) -> BoxFuture<'_, Delivery> {
        let is_broken = self.takes == 0;
        self.takes = self.takes.saturating_sub(1);
        assert!(
            !is_broken || self.panics != Panics::Called,
            "a sink that breaks"
        );
        Box::pin(async move {
            assert!(
                !is_broken || self.panics != Panics::Polled,
                "a sink that breaks"
            );
            if self.panics == Panics::Polled {
                tokio::time::sleep(Duration::from_millis(30)).await;
            }
            Delivery::Taken
        })
    }
}

impl Drop for Breaking {
    fn drop(&mut self) {
        assert!(
            self.panics != Panics::Dropped,
            "a sink that breaks when it is dropped"
        );
    }
}

#[tokio::test]
async fn a_sink_that_panics_does_not_block_the_session() {
    let controller = Controller::builder().unsent(500).build();
    let (takes, panics) = (4, Panics::Polled);
    let breaking = Breaking { takes, panics };
    let (session, mut front, mut peer) = open(&controller, |setup| setup.sink(breaking)).await;
    let prompt = go(&controller, session, &mut peer).await;
    for _ in 0..50 {
        peer.say(&"x".repeat(200)).await;
    }
    peer.end(&prompt).await;
    front.until_complete().await;
}

#[tokio::test]
async fn a_sink_that_panicked_is_told_apart_from_one_that_is_behind() {
    let controller = Controller::builder().build();
    let (takes, panics) = (3, Panics::Called);
    let breaking = Breaking { takes, panics };
    let (stalled, stalled_sink) = FrontEnd::holding(1);
    let with = |setup: SessionSetup| setup.sink(breaking).sink(stalled_sink);
    let (session, mut front, mut peer) = open(&controller, with).await;
    turn(&controller, session, &mut peer).await;
    front.until_complete().await;
    tokio::time::pause();
    let closed = peer.close(&controller, session).await;
    assert_eq!(closed.state, LifecycleState::Closed);
    assert_eq!((closed.sinks_behind, closed.sinks_panicked), (1, 1));
    drop(stalled);
}

#[tokio::test]
async fn a_sink_that_panics_when_it_goes_takes_nothing_with_it() {
    let controller = Controller::builder().build();
    let falling = || Breaking {
        takes: u32::MAX,
        panics: Panics::Dropped,
    };
    let (session, mut front, mut peer) = open(&controller, |setup| setup.sink(falling())).await;
    // Also for a session that is not opened.
    let (second, _peer) = setup();
    let taken = controller.open(second.id(session).sink(falling())).await;
    assert_matches!(taken, Err(ControllerError::AlreadyOpen { .. }));
    let (setup, mut gone) = setup();
    gone.exit(rusty_claw::transport::Exit::Code(1));
    let failed = controller
        .open(setup.id(SessionId::from(9)).sink(falling()))
        .await;
    assert_matches!(failed, Err(ControllerError::Start(_)));
    assert_eq!(controller.sessions(), [session]);
    let closed = peer.close(&controller, session).await;
    assert_eq!(closed.state, LifecycleState::Closed);
    let told = front.rest().await;
    assert_eq!(told.last().map(UiMessage::name), Some("SessionState"));
}

/// A policy that breaks when it goes.
struct Falling;

impl PermissionPolicy for Falling {
    fn decide(&self, _asked: &PolicyRequest<'_>) -> PolicyDecision {
        PolicyDecision::AskUser
    }
}

impl Drop for Falling {
    fn drop(&mut self) {
        panic!("a policy that breaks when it goes");
    }
}

#[tokio::test]
async fn a_policy_that_panics_when_it_goes_holds_up_no_end() {
    let controller = Controller::builder().tenant_policy("ada", Falling).build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup.tenant("ada")).await;
    turn(&controller, session, &mut peer).await;
    front.until_complete().await;
    // The session is the last that has it.
    drop(controller);
    peer.until_closed().await;
    let told = front.rest().await;
    assert!(
        matches!(told.last(), Some(UiMessage::SessionState { state, .. })
            if state.as_str() == "Closed"),
        "{told:?}"
    );
}

/// A policy that looks at a disk that does not answer.
struct Hanging(Mutex<std::sync::mpsc::Receiver<()>>);

impl PermissionPolicy for Hanging {
    fn decide(&self, _asked: &PolicyRequest<'_>) -> PolicyDecision {
        let _ = self.0.lock().map(|disk| disk.recv());
        PolicyDecision::Allow
    }
}

#[tokio::test]
async fn a_policy_that_hangs_is_a_no() {
    let (disk, hanging) = std::sync::mpsc::channel();
    let controller = Controller::builder()
        .policy(Hanging(Mutex::new(hanging)))
        .policy_timeout(Duration::from_millis(60))
        .build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    go(&controller, session, &mut peer).await;
    let id = peer
        .ask("toolu_1", "Read", json!({"file_path": "/mnt/x"}))
        .await;
    let answer = peer.answered(&id).await;
    assert_eq!(answer["behavior"], "deny");
    let reason = answer["message"].as_str().unwrap();
    assert!(reason.contains("did not decide within 60ms"), "{reason}");
    let told = front.first("InteractionResolved").await;
    assert!(
        matches!(&told, UiMessage::InteractionResolved { by, .. } if by.as_deref() == Some("policy")),
        "it is written down: {told:?}"
    );
    // Its thread can end, and with it the test.
    drop(disk);
}

#[tokio::test]
async fn an_interaction_expires_by_the_monotonic_clock() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    go(&controller, session, &mut peer).await;
    let id = peer.bash("toolu_1", "make").await;
    front.first("PermissionRequired").await;
    // Ten minutes pass, but the time of day does not change.
    tokio::time::pause();
    tokio::time::sleep(Duration::from_secs(590)).await;
    assert_eq!(controller.permissions().pending(session).await.len(), 1);
    tokio::time::sleep(Duration::from_secs(15)).await;
    assert!(controller.permissions().pending(session).await.is_empty());
    assert_eq!(peer.answered(&id).await["behavior"], "deny");
    let told = front.first("InteractionResolved").await;
    assert!(
        matches!(&told, UiMessage::InteractionResolved { resolution, .. }
            if resolution.as_str() == "Expired"),
        "{told:?}"
    );
}

#[tokio::test]
async fn what_is_asked_at_once_is_told_by_a_clock_that_nobody_sets() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    go(&controller, session, &mut peer).await;
    tokio::time::pause();
    for (call, pause) in [("toolu_a", 20), ("toolu_b", 400), ("toolu_c", 400)] {
        peer.ask(call, "Read", json!({"file_path": "/srv/x"})).await;
        tokio::time::sleep(Duration::from_millis(pause)).await;
    }
    let asked = front
        .until(|message| message.name() == "PermissionRequired")
        .await;
    let names = asked.iter().map(UiMessage::name);
    let asked: Vec<&str> = names.filter(|name| name.contains("Permission")).collect();
    assert_eq!(asked, ["BatchPermissionRequired", "PermissionRequired"]);
}

/// Events of a session that began and ended.
fn events(sequences: &[u64], epoch: u64) -> Vec<SessionEvent> {
    let event = |sequence: &u64| {
        let fact = Fact::Lifecycle(Lifecycle::new(LifecycleState::Closed));
        SessionEvent::new(*sequence, epoch, 7, fact)
    };
    sequences.iter().map(event).collect()
}

#[tokio::test]
async fn a_session_is_reopened_from_a_complete_log_only() {
    let session = SessionId::from(1);
    let table = [(vec![1, 2, 3], "already"), (vec![2, 3], "incomplete")];
    for (sequences, why) in table {
        let log = Arc::new(MemoryLog::keeping(1 << 20));
        let stored: Vec<_> = events(&sequences, 1).into_iter().map(Arc::new).collect();
        let fence = Fence {
            epoch: 1,
            expected_last: 0,
        };
        log.append(session, fence, &stored).await.unwrap();
        let controller = Controller::builder().log(log).build();
        let (setup, _peer) = setup();
        let setup = match why {
            "already" => setup.id(session),
            _ => setup.reopen(session),
        };
        let error = controller.open(setup).await.unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
        assert!(controller.sessions().is_empty());
        if why == "already" {
            let (session, _front, mut peer) =
                open(&controller, |setup| setup.reopen(session)).await;
            let closed = peer.close(&controller, session).await;
            // Opened, starting, ready, closed.
            assert_eq!(closed.sequence, 7);
        }
    }
}
