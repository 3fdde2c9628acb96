//! Sessions whose opening is given up.

use std::time::Duration;

use claw_server::event::LifecycleState;
use claw_server::{Controller, ControllerError, SessionId, UiMessage};

use super::broken_log::{Breaks, Broken};
use super::front_end::{FrontEnd, setup};
use super::peer::Peer;

/// Waits until no session is open.
async fn all_over(controller: &Controller) {
    let over = async {
        while !controller.sessions().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let limit = Duration::from_secs(20);
    tokio::time::timeout(limit, over).await.expect("it is over");
}

/// Begins to open a session, and drops the future after a while.
async fn given_up(controller: &Controller) -> (Peer, FrontEnd) {
    let (setup, mut peer) = setup();
    let (front, sink) = FrontEnd::new();
    let setup = setup.sink(sink).id(SessionId::from(1));
    tokio::select! {
        opened = controller.open(setup) => panic!("{opened:?}"),
        () = async {
            tokio::time::timeout(Duration::from_millis(50), peer.initialize()).await.ok();
            tokio::time::sleep(Duration::from_millis(50)).await;
        } => {}
    }
    (peer, front)
}

#[tokio::test]
async fn an_open_that_is_dropped_tears_no_write_and_leaves_nothing() {
    // In the first event, and in the one behind the start of the CLI.
    for good in [0, 1] {
        let log = Broken::after(good, Breaks::Never);
        let controller = log.controller();
        let (mut peer, mut front) = given_up(&controller).await;
        assert_eq!(log.done(), 0);
        assert_eq!(controller.sessions(), [SessionId::from(1)]);
        log.mend();
        peer.until_closed().await;
        all_over(&controller).await;
        assert_eq!(log.done(), 1, "it was left to write");
        let mut states = log.states(SessionId::from(1)).await;
        assert_eq!(states.pop(), Some(LifecycleState::Closed), "{states:?}");
        assert_eq!(states.len(), good + 1);
        let told = front.rest().await;
        let is_state = |one: &UiMessage| one.name() == "SessionState";
        assert_eq!(told.iter().filter(|one| is_state(one)).count(), good + 2);
    }
}

#[tokio::test]
async fn an_open_that_is_dropped_ends_a_cli_that_does_not_get_ready() {
    let log = Broken::after(usize::MAX, Breaks::Never);
    let controller = log.controller();
    let (setup, mut peer) = setup();
    let setup = setup.id(SessionId::from(1));
    let opening = controller.open(setup);
    let waited = tokio::time::timeout(Duration::from_millis(50), opening).await;
    assert!(waited.is_err());
    while peer.read().await.is_some() {}
    all_over(&controller).await;
    let states = [LifecycleState::Starting, LifecycleState::Closed];
    assert_eq!(log.states(SessionId::from(1)).await, states);
}

#[tokio::test]
async fn shutting_down_reports_a_session_that_is_being_opened() {
    let controller = Controller::builder().build();
    let (setup, mut peer) = setup();
    let opening = tokio::spawn({
        let controller = controller.clone();
        async move { controller.open(setup).await }
    });
    peer.read().await.expect("it is told to get ready");
    let closed = controller.shutdown(Duration::from_millis(20)).await;
    assert_eq!(closed.len(), 1);

    let opened = opening.await.unwrap();
    assert_matches!(opened, Err(ControllerError::ShuttingDown));
}
