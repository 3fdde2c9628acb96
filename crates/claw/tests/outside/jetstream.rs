//! `claw serve` on a NATS server.

use claw_testkit::FakeScript;
use claw_testkit::nats::{NatsOptions, NatsServers};
use serde_json::json;

use crate::gateway::{self, Home};

#[test]
fn a_session_is_created_driven_and_followed_and_survives_a_kill() {
    let servers = NatsServers::start(&NatsOptions::new(1)).unwrap();
    let home = Home::new(FakeScript::new());
    let urls = servers.urls().join(",");
    let store = |command: &mut std::process::Command| {
        // The URL of a server may contain a password, so it is not an argument.
        command.env("CLAW_STORE", &urls);
    };
    let mut first = home.serve_with(&[], store);
    let session = first.create(&home.path("work"));
    let (_, text) = first.ask(&session, "Hello");
    assert!(text.contains("Hello"), "{text}");
    assert!(!home.data("claw.db").exists(), "nothing is in a file");
    first.child.kill().unwrap();
    first.wait();

    let second = home.serve_with(&[], store);
    let (status, found) = second.call("GET", &format!("/v1/sessions/{session}"), None);
    assert_eq!((status, &found["id"]), (200, &json!(session)));
    let mut stream = second.stream(&session);
    let again = gateway::read_until(&mut stream, "input_processed");
    assert!(again.contains("Hello"), "{again}");
    let input = json!({ "content": "Hello again" });
    let path = format!("/v1/sessions/{session}/inputs");
    assert_eq!(second.call("POST", &path, Some(&input)).0, 202);
    let text = gateway::read_until(&mut stream, "Hello again");
    assert!(text.contains("Hello again"), "{text}");
}
