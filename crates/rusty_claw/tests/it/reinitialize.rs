//! Sending `initialize` again.

use rusty_claw::hook::{Hook, HookOutput};
use rusty_claw::mcp::{McpServer, NoArguments, Tool};
use rusty_claw::{Options, Session, SessionError};
use serde_json::{Value, json};

use crate::peer::Peer;

fn serving() -> Options {
    let tool = Tool::new("now", "The time.", |_: NoArguments| async { "noon" });
    let hook = Hook::pre_tool_use(|_, _| async { HookOutput::none() }).on_failure_block();
    Options::new()
        .append_system_prompt("Be brief.")
        .mcp_server(McpServer::new("clock").tool(tool))
        .hook(hook)
}

/// A session, its peer, and the first `initialize`.
async fn started() -> (Session, Peer, Value) {
    let (transport, mut peer) = Peer::pair();
    let (started, first) = tokio::join!(
        Session::start_on(transport, serving()),
        peer.answer_initialize()
    );
    let (session, _messages) = started.expect("the peer answers");
    (session, peer, first)
}

#[tokio::test]
async fn it_says_all_that_was_said_first() {
    let (session, mut peer, first) = started().await;
    assert_eq!(first["request"]["sdkMcpServers"], json!(["clock"]));
    assert!(first["request"]["hooks"]["PreToolUse"].is_array());
    let play = async {
        let again = peer.read().await;
        let reply = json!({"claude_code_version": "2.1.325", "hook_on_failure_supported": true,
            "pid": 7});
        peer.succeed(&again, reply).await;
        again
    };
    let (answer, again) = tokio::join!(session.reinitialize(), play);
    assert_eq!(again["request"], first["request"]);
    assert_eq!(answer.expect("an answer").pid, Some(7));
}

#[tokio::test]
async fn a_cli_that_cannot_do_what_is_relied_on_is_an_error() {
    let (session, mut peer, _) = started().await;
    let play = async {
        let again = peer.read().await;
        peer.succeed(&again, json!({"hook_on_failure_supported": false}))
            .await;
    };
    let (answer, ()) = tokio::join!(session.reinitialize(), play);
    let error = answer.expect_err("the hook must be able to block");
    assert!(
        matches!(
            &error,
            SessionError::Refused {
                verb: "initialize",
                ..
            }
        ),
        "{error:?}"
    );
}
