//! A CLI that makes more requests than are served.

use std::time::Duration;

use rusty_claw::permission::PermissionAnswer;
use rusty_claw::{CloseLadder, EndCause, Options};
use serde_json::{Value, json};

use crate::peer::Peer;

const SOON: Duration = Duration::from_secs(20);
const MOST_OPEN: usize = 1024;

fn permission(number: usize) -> Value {
    json!({"type": "control_request", "request_id": format!("r{number}"), "request": {
        "subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": format!("t{number}"),
        "input": {}}})
}

#[tokio::test]
async fn requests_beyond_the_limit_are_denied_at_once() {
    let options = Options::new()
        .can_use_tool(|_ask| std::future::pending::<PermissionAnswer>())
        .turn_timeout(None);
    let (session, _messages, mut peer) = Peer::session(options).await;
    for number in 0..MOST_OPEN + 10 {
        peer.write(permission(number)).await;
    }
    for number in MOST_OPEN..MOST_OPEN + 10 {
        let answer = tokio::time::timeout(SOON, peer.read()).await;
        let answer = answer.expect("it is refused, not queued")["response"].take();
        assert_eq!(answer["request_id"], format!("r{number}"));
        assert_eq!(answer["response"]["behavior"], "deny");
        let why = answer["response"]["message"].as_str().expect("a reason");
        assert!(why.contains("1024 requests"), "{why}");
    }
    // The session continues, and a cancelled request frees capacity.
    let (answered, request) = tokio::join!(session.set_model(Some("opus")), async {
        let request = peer.read().await;
        peer.succeed(&request, json!({})).await;
        request
    });
    answered.expect("answered");
    assert_eq!(request["request"]["subtype"], "set_model");
}

#[tokio::test]
async fn cli_that_never_reads_responses_is_lost() {
    let at_once = CloseLadder::default()
        .end_of_input(Duration::ZERO)
        .terminate(Duration::ZERO);
    let options = Options::new().close_ladder(at_once);
    let (session, _messages, mut peer) = Peer::session(options).await;
    let asking = tokio::spawn(async move {
        for number in 0.. {
            let line = format!("{}\n", permission(number));
            if peer.try_write(line.as_bytes()).await.is_err() {
                break;
            }
        }
    });
    let end = tokio::time::timeout(Duration::from_secs(60), session.ended()).await;
    let end = end.expect("answers do not pile up for ever");
    assert_eq!(end.cause, EndCause::Lost);
    asking.abort();
}
