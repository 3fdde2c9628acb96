//! Messages that belong to no session.

use std::time::Duration;

use claw_server::{Controller, ControllerError, LogError, UiMessage};

use super::front_end::{FrontEnd, open, setup};
use super::hindered_log::{HinderedLog, error, nothing};

#[tokio::test]
async fn a_session_that_gets_no_number_is_an_error_of_the_controller() {
    let log = HinderedLog::new();
    let controller = Controller::builder().log(log.clone()).build();
    let (mut notices, sink) = FrontEnd::new();
    tokio::spawn(controller.notices(sink));
    for hindrance in [
        || error(LogError::unavailable("the disk is gone")),
        || panic!("a log that breaks"),
    ] {
        log.before_read(hindrance);
        let (setup, _peer) = setup();
        controller.open(setup).await.unwrap_err();
        let told = notices.next().await;
        assert!(
            matches!(&told, Some(UiMessage::Error { message, session_id: None })
                if message.starts_with("a session could not be opened: ")),
            "{told:?}"
        );
    }
    // Messages of a session go only to its watchers.
    log.before_read(nothing);
    let (session, _front, mut peer) = open(&controller, |setup| setup).await;
    let (setup, _peer) = setup();
    let setup = setup.id(session);
    let taken = controller.open(setup).await;
    assert_matches!(taken, Err(ControllerError::AlreadyOpen { .. }));
    let shutdown = controller.shutdown(Duration::ZERO);
    peer.while_closing(shutdown).await;
    drop(controller);
    let told = notices.rest().await;
    let told: Vec<String> = told.into_iter().map(system).collect();
    assert_eq!(
        told,
        [
            "shutting down: 1 sessions are closed",
            "shut down: every session has ended"
        ]
    );
}

fn system(message: UiMessage) -> String {
    match message {
        UiMessage::System {
            message,
            session_id: None,
        } => message,
        other => panic!("{other:?}"),
    }
}
