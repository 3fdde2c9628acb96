//! Cleanup and reports at the end of a session.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rusty_claw::{ClosedBy, EndCause, Options, Session};
use serde_json::json;

use crate::peer::Peer;

#[tokio::test]
async fn what_the_cli_left_behind_is_ended_before_the_end_is_told() {
    let plain = Options::new();
    // Settings are in a file, which is deleted too.
    let with_files = Options::new().settings(json!({"model": "opus"}));
    for options in [plain, with_files] {
        let (transport, mut peer) = Peer::pair();
        let cleaned = Arc::clone(&transport.custody.cleaned);
        let (started, _) = tokio::join!(
            Session::start_on(transport, options),
            peer.answer_initialize()
        );
        let (session, _messages) = started.expect("the peer answers");
        drop(peer);
        session.ended().await;
        assert_eq!(cleaned.load(Ordering::Relaxed), 1);
    }
}

#[tokio::test]
async fn writes_that_the_cli_lost_are_in_the_report() {
    let (session, mut messages, mut peer) = Peer::session(Options::new()).await;
    let lost = json!({"type": "system", "subtype": "session_writes_lost", "error_code": "ENOSPC",
        "lost": ["transcript"], "transcript_session_ids": ["5e5e"], "uuid": "u",
        "session_id": "5e5e"});
    let closing = async {
        let end = peer.read().await;
        assert_eq!(end["request"]["subtype"], "end_session");
        peer.write(lost).await;
        drop(peer);
    };
    let (report, ()) = tokio::join!(session.close(), closing);
    let lost = report.writes_lost.expect("it was said");
    assert_eq!(lost.error_code.as_str(), "ENOSPC");
    assert_eq!(lost.transcript_session_ids, Some(vec!["5e5e".into()]));
    // The reader receives it as well, and so do later calls.
    assert!(messages.next_message().await.is_some());
    let end = session.ended().await;
    assert_eq!(end.cause, EndCause::Closed);
    assert!(end.writes_lost.is_some() && session.close().await.writes_lost.is_some());
}

#[tokio::test]
async fn a_kill_asks_nothing_of_the_cli() {
    let (session, _messages, mut peer) = Peer::session(Options::new()).await;
    let report = session.kill().await;
    assert_eq!(report.by, ClosedBy::Kill);
    assert_eq!(session.ended().await.cause, EndCause::Closed);
    assert_eq!(peer.read_or_end().await, None);
    assert_eq!(session.kill().await.by, ClosedBy::AlreadyOver);
}
