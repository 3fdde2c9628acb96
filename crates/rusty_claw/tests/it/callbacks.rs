//! Callbacks that are late, panic or fail: the request is denied.

use std::time::Duration;

use rusty_claw::Options;
use rusty_claw::dialog::{DialogAnswer, DialogAsk, REFUSAL_FALLBACK_PROMPT};
use rusty_claw::elicitation::{ElicitationAnswer, ElicitationAsk};
use rusty_claw::hook::{Hook, HookOutput};
use rusty_claw::permission::{PermissionAnswer, PermissionAsk};
use serde_json::{Value, json};

use crate::peer::Peer;

const LIMIT: Duration = Duration::from_secs(60);
const LATE: Duration = Duration::from_secs(3600);

/// The response of a session to a request of the CLI.
async fn answer(options: Options, request: Value) -> Value {
    let (_session, _messages, mut peer) = Peer::session(options).await;
    ask(&mut peer, "r1", request).await;
    answered(&mut peer, "r1").await
}

async fn ask(peer: &mut Peer, id: &str, request: Value) {
    let line = json!({"type": "control_request", "request_id": id, "request": request});
    peer.write(line).await;
}

async fn answered(peer: &mut Peer, id: &str) -> Value {
    let wanted = |value: &Value| value["response"]["request_id"] == id;
    peer.read_until(wanted).await["response"].clone()
}

fn tool(tool: &str) -> Value {
    json!({"subtype": "can_use_tool", "tool_name": tool, "tool_use_id": "t", "input": {}})
}

fn is_deny(answer: &Value, why: &str) -> bool {
    let response = &answer["response"];
    let message = response["message"].as_str().unwrap_or_default();
    answer["subtype"] == "success" && response["behavior"] == "deny" && message.contains(why)
}

async fn late(_ask: PermissionAsk) -> PermissionAnswer {
    tokio::time::sleep(LATE).await;
    PermissionAnswer::allow()
}

#[tokio::test(start_paused = true)]
async fn a_late_permission_callback_denies() {
    let options = Options::new().permission_timeout(LIMIT).can_use_tool(late);
    let answer = answer(options, tool("Bash")).await;
    assert!(is_deny(&answer, "did not answer within 60 s"), "{answer}");
}

#[tokio::test]
async fn a_permission_callback_that_panics_denies() {
    async fn panicking(_ask: PermissionAsk) -> PermissionAnswer {
        panic!("a callback that breaks")
    }
    let answer = answer(Options::new().can_use_tool(panicking), tool("Bash")).await;
    assert!(is_deny(&answer, "panicked"), "{answer}");
}

#[tokio::test]
async fn a_permission_callback_that_fails_denies() {
    async fn failing(_ask: PermissionAsk) -> Result<PermissionAnswer, String> {
        Err("the database is gone".to_owned())
    }
    let answer = answer(Options::new().can_use_tool(failing), tool("Bash")).await;
    assert!(is_deny(&answer, "the database is gone"), "{answer}");
}

#[tokio::test]
async fn a_permission_without_a_callback_is_denied() {
    let answer = answer(Options::new(), tool("Bash")).await;
    assert!(is_deny(&answer, "no permission handler"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_withdrawn_permission_is_not_answered() {
    let options =
        Options::new()
            .permission_timeout(None)
            .can_use_tool(|ask: PermissionAsk| async move {
                if ask.tool_name() == "Bash" {
                    tokio::time::sleep(LATE).await;
                }
                PermissionAnswer::allow()
            });
    let (_session, _messages, mut peer) = Peer::session(options).await;
    ask(&mut peer, "r1", tool("Bash")).await;
    // Both callbacks run before one request is cancelled.
    ask(&mut peer, "r2", tool("Read")).await;
    answered(&mut peer, "r2").await;
    peer.write(json!({"type": "control_cancel_request", "request_id": "r1"}))
        .await;
    ask(&mut peer, "r3", tool("Read")).await;
    answered(&mut peer, "r3").await;
    tokio::time::sleep(2 * LATE).await;
    ask(&mut peer, "r4", tool("Read")).await;
    let next = peer.read().await;
    assert_eq!(next["response"]["request_id"], "r4", "{next}");
}

#[tokio::test(start_paused = true)]
async fn a_late_elicitation_declines_and_a_late_dialog_is_closed() {
    async fn late(_ask: ElicitationAsk) -> ElicitationAnswer {
        tokio::time::sleep(LATE).await;
        ElicitationAnswer::accept_visit()
    }
    let options = Options::new()
        .elicitation_timeout(LIMIT)
        .on_elicitation(late);
    let form = json!({"subtype": "elicitation", "mcp_server_name": "lab", "message": "Name?"});
    let declined = answer(options, form).await;
    assert_eq!(declined["response"]["action"], "decline", "{declined}");
    async fn late_dialog(_ask: DialogAsk) -> DialogAnswer {
        tokio::time::sleep(LATE).await;
        DialogAnswer::retry_with_fallback()
    }
    let options = Options::new()
        .dialog_timeout(LIMIT)
        .on_user_dialog([REFUSAL_FALLBACK_PROMPT], late_dialog);
    let dialog = json!({"subtype": "request_user_dialog", "payload": {},
        "dialog_kind": REFUSAL_FALLBACK_PROMPT});
    let closed = answer(options, dialog).await;
    assert_eq!(closed["response"]["behavior"], "cancelled", "{closed}");
}

#[tokio::test(start_paused = true)]
async fn a_late_guard_denies_the_tool() {
    let guard = Hook::pre_tool_use(|_, _| async {
        tokio::time::sleep(LATE).await;
        HookOutput::none()
    });
    let options = Options::new().hook(guard.timeout(LIMIT));
    let called = json!({"subtype": "hook_callback", "callback_id": "PreToolUse#0",
        "input": {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}}});
    let denied = answer(options, called).await;
    let decided = &denied["response"]["hookSpecificOutput"]["permissionDecision"];
    assert_eq!(decided, "deny", "{denied}");
}
