//! Clients that follow a session in its log.

use std::sync::Arc;

use claw_server::{
    Controller, ControllerError, EventLog as _, Follower, SequencedMessage, SessionId, UiMessage,
    UiProjection, WatchEnd,
};
use tokio::sync::mpsc;

use super::front_end::{open, turn};
use super::hindered_log::HinderedLog;

type Messages = Vec<SequencedMessage<UiMessage>>;

/// Follows until the cursor is at this event, then disconnects.
async fn received(
    follower: &Arc<Follower<UiProjection>>,
    session: SessionId,
    after: u64,
    until: u64,
) -> Messages {
    let (sink, mut connection) = mpsc::channel(16);
    let following = tokio::spawn({
        let follower = Arc::clone(follower);
        async move { follower.follow(session, after, sink).await }
    });
    let mut messages = Messages::new();
    while messages.last().is_none_or(|last| last.after < until) {
        messages.push(connection.recv().await.unwrap());
    }
    following.abort();
    messages
}

#[tokio::test]
async fn a_session_is_followed_from_its_log_also_after_its_end() {
    let log = HinderedLog::new();
    let controller = Controller::builder().log(log.clone()).build();
    let follower = Arc::new(Follower::new(log.clone(), |_| UiProjection::new(1)));
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    for _ in 0..40 {
        turn(&controller, session, &mut peer).await;
        front.until_complete().await;
    }
    peer.close(&controller, session).await;
    let last = log.latest(session).await.unwrap().sequence;
    let whole = received(&follower, session, 0, last).await;
    // From every cursor, the rest arrives, and it is not read from the first event on.
    log.cursors.lock().unwrap().clear();
    let cursors: Vec<u64> = whole.iter().map(|one| one.after).collect();
    let mut rises = cursors.windows(2).filter(|pair| pair[1] > pair[0]);
    assert!(rises.by_ref().count() > 100);
    for after in [0, 1, cursors[50], last / 2, last - 100, last - 1] {
        // Only a cursor at which a message ended an event is one of a client.
        let after = cursors
            .iter()
            .copied()
            .filter(|one| *one <= after)
            .max()
            .unwrap_or(0);
        let from = cursors
            .iter()
            .rposition(|one| *one <= after)
            .map_or(0, |at| at + 1);
        let rest = received(&follower, session, after, last).await;
        assert_eq!(rest, whole[from..], "from {after}");
        let read_from = log.cursors.lock().unwrap().pop().unwrap();
        assert!(read_from <= after, "{read_from} <= {after}");
        if after > last - 150 {
            assert!(after - read_from <= 64, "{read_from} is far behind {after}");
        }
    }
    let (sink, _connection) = mpsc::channel(1);
    let ahead = follower.follow(session, last + 1, sink).await;
    assert_matches!(ahead, Err(ControllerError::AheadOfLog { .. }));
}

#[tokio::test]
async fn a_live_session_is_followed_by_many_and_a_closed_sink_ends_its_own() {
    let log = HinderedLog::new();
    let controller = Controller::builder().log(log.clone()).build();
    let follower = Arc::new(Follower::new(log.clone(), |_| UiProjection::new(1)));
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    let mut connections = Vec::new();
    for _ in 0..10 {
        let (sink, connection) = mpsc::channel(1024);
        let follower = Arc::clone(&follower);
        let following = tokio::spawn(async move { follower.follow(session, 0, sink).await });
        connections.push((following, connection));
    }
    let (gone, connection) = connections.pop().unwrap();
    drop(connection);
    turn(&controller, session, &mut peer).await;
    let seen = front.until_complete().await;
    for (_, connection) in &mut connections {
        let mut messages = Vec::new();
        while messages.last().map(UiMessage::name) != Some("Complete") {
            messages.push(connection.recv().await.unwrap().message);
        }
        assert_eq!(messages, seen);
    }
    assert_matches!(gone.await.unwrap(), Ok(WatchEnd::SinkClosed));
}
