//! Control requests.

use std::time::Duration;

use claw_testkit::{FakeScript, Flood, InitializeAnswer, Step};
use rusty_claw_protocol::Json;
use rusty_claw_protocol::control::{ControlPayload, ControlRequest};
use serde_json::{Value, json};

use super::{Fake, script};

/// The requests that the types declare, with what they need.
fn declared() -> Vec<Value> {
    let plain = [
        "initialize",
        "interrupt",
        "mcp_status",
        "get_context_usage",
        "get_session_cost",
        "list_models",
        "get_usage",
        "get_binary_version",
        "reload_plugins",
        "reload_skills",
        "reload_output_styles",
        "set_has_subscribers",
        "background_tasks",
        "get_settings",
        "get_hooks_listing",
        "list_permission_rules",
    ];
    let mut requests: Vec<Value> = plain.iter().map(|name| json!({"subtype": name})).collect();
    requests.extend([
        json!({"subtype": "set_permission_mode", "mode": "plan"}),
        json!({"subtype": "set_model", "model": "sonnet"}),
        json!({"subtype": "set_max_thinking_tokens", "max_thinking_tokens": 10}),
        json!({"subtype": "rename_session", "title": "t"}),
        json!({"subtype": "mcp_call", "server": "s", "tool": "t", "arguments": {}}),
        json!({"subtype": "file_suggestions", "query": "a"}),
        json!({"subtype": "rewind_files", "user_message_id": "u"}),
        json!({"subtype": "cancel_async_message", "message_uuid": "u"}),
        json!({"subtype": "read_file", "path": "note.txt"}),
        json!({"subtype": "seed_read_state", "path": "p", "mtime": 1}),
        json!({"subtype": "mcp_set_servers", "servers": {"s": {"type": "sdk", "name": "s"}}}),
        json!({"subtype": "register_repo_root", "path": "p"}),
        json!({"subtype": "mcp_reconnect", "serverName": "s"}),
        json!({"subtype": "mcp_toggle", "serverName": "s", "enabled": true}),
        json!({"subtype": "stop_task", "task_id": "t"}),
        json!({"subtype": "get_task_output", "task_id": "t"}),
        json!({"subtype": "apply_flag_settings", "settings": {}}),
        json!({"subtype": "update_settings", "source": "localSettings", "settings": {}}),
        json!({"subtype": "mcp_read_resource", "serverName": "s", "uri": "u"}),
    ]);
    requests
}

#[test]
fn every_declared_request_gets_a_payload_of_its_type() {
    let mut fake = Fake::start(&FakeScript::new());
    std::fs::write(fake.path("note.txt"), "a note").unwrap();
    let declared = declared();
    // The thirty-sixth is `set_color`, which the CLI refuses too.
    assert_eq!(declared.len(), 35);
    for (at, request) in declared.iter().enumerate() {
        let id = format!("r{at}");
        fake.control(&id, request);
        let reply = fake.reply_to(&id);
        assert_eq!(reply["subtype"], "success", "{request} {reply}");
        if reply.get("response").is_none() {
            continue;
        }
        let request: ControlRequest = serde_json::from_value(request.clone()).unwrap();
        let payload = Json::from_text(&reply["response"].to_string()).unwrap();
        let typed = ControlPayload::read(&request, &payload);
        assert!(
            !matches!(typed, ControlPayload::Unknown(_)),
            "{request:?} {reply}"
        );
    }
    for refused in ["set_color", "frobnicate"] {
        fake.control("x", &json!({"subtype": refused}));
        let reply = fake.reply_to("x");
        assert_eq!(
            (reply["error"].as_str().unwrap(), &reply["error_code"]),
            (
                format!("Unsupported control request subtype: {refused}").as_str(),
                &json!("unsupported_request")
            )
        );
    }
    assert_eq!(fake.end(), Some(0));
}

#[test]
fn initialize_tells_the_process_and_what_is_open() {
    let ask = script([claw_testkit::Permission::new("Bash", json!({"command": "ls"})).into()]);
    let mut fake = Fake::start_with(&ask, &["--permission-prompt-tool", "stdio"], &[]);
    fake.control("r1", &json!({"subtype": "initialize"}));
    let reply = fake.reply_to("r1");
    assert_eq!(reply["response"]["pid"], fake.child.id());
    assert_eq!(reply["response"]["session_state"], "idle");
    assert_eq!(reply["pending_permission_requests"], json!([]));
    fake.prompt("go");
    let prompt = fake.until(|frame| frame["type"] == "control_request");
    fake.control("r2", &json!({"subtype": "initialize"}));
    let reply = fake.reply_to("r2");
    assert_eq!(reply["pending_permission_requests"], json!([prompt]));
    assert_eq!(reply["response"]["session_state"], "requires_action");
}

#[test]
fn initialize_can_be_wrong_or_missing() {
    let answering = |answer| FakeScript::new().initialize(answer);
    let mut wrong = Fake::start(&answering(InitializeAnswer::Error("no".to_owned())));
    wrong.control("r", &json!({"subtype": "initialize"}));
    assert_eq!(wrong.reply_to("r")["error"], "no");
    let mut never = Fake::start(&answering(InitializeAnswer::Never));
    never.control("r", &json!({"subtype": "initialize"}));
    assert!(never.is_silent_for(Duration::from_millis(100)));
    assert_eq!(never.end(), Some(0));
}

#[test]
fn other_answers_can_be_wrong_or_missing_too() {
    let mut odd = FakeScript::new();
    odd.control.silent.push("get_usage".to_owned());
    odd.control
        .errors
        .insert("mcp_status".to_owned(), "broken".to_owned());
    odd.control
        .payloads
        .insert("set_model".to_owned(), json!({"model": 7}));
    let mut fake = Fake::start(&odd);
    fake.control("a", &json!({"subtype": "get_usage"}));
    fake.control("b", &json!({"subtype": "mcp_status"}));
    fake.control("c", &json!({"subtype": "set_model"}));
    let replies = fake.up_to(|frame| frame["response"]["request_id"] == "c");
    assert_eq!(replies.len(), 2, "nothing for the silent one");
    assert_eq!(replies[0]["response"]["error"], "broken");
    assert_eq!(replies[1]["response"]["response"], json!({"model": 7}));
}

#[test]
fn an_interrupt_is_answered_before_the_rest_of_a_flood() {
    let mut fake = Fake::start(&script([Flood::new(50_000).bytes(500).into()]));
    fake.prompt_with_uuid("go", "0a0a0a0a-0000-4000-8000-000000000001");
    fake.until(|frame| frame["type"] == "assistant");
    fake.prompt_with_uuid("next", "0a0a0a0a-0000-4000-8000-000000000002");
    fake.control("i", &json!({"subtype": "interrupt"}));
    let before = fake.up_to(|frame| frame["response"]["request_id"] == "i");
    assert_eq!(
        before.last().unwrap()["response"]["response"]["still_queued"],
        json!(["0a0a0a0a-0000-4000-8000-000000000002"])
    );
    let after = fake.up_to(|frame| frame["type"] == "result");
    assert!(before.len() + after.len() < 40_000, "the flood stops");
    let result = after.last().unwrap();
    assert_eq!(result["subtype"], "error_during_execution");
    assert_eq!(result["terminal_reason"], "aborted_streaming");
    assert_eq!(result["is_error"], true);
    let end = fake.until(|frame| frame["type"] == "command_lifecycle");
    assert_eq!(end["state"], "cancelled");
    let second = fake.result();
    assert_eq!(
        second["user_message_uuids"],
        json!(["0a0a0a0a-0000-4000-8000-000000000002"])
    );
    assert_eq!(fake.end(), Some(0), "the last result was good");
}

#[test]
fn waiting_prompts_can_be_cancelled() {
    let one = "0a0a0a0a-0000-4000-8000-000000000001";
    let two = "0a0a0a0a-0000-4000-8000-000000000002";
    let mut fake = Fake::start(&script([Step::Hang]));
    fake.prompt("go");
    fake.until(|frame| frame["subtype"] == "init");
    fake.prompt_with_uuid("a", one);
    fake.prompt_with_uuid("b", two);
    fake.control(
        "c",
        &json!({"subtype": "cancel_async_message", "message_uuid": one}),
    );
    assert_eq!(fake.reply_to("c")["response"], json!({"cancelled": true}));
    fake.control("i", &json!({"subtype": "interrupt", "cancel_queued": true}));
    let receipt = fake.reply_to("i")["response"].clone();
    assert_eq!(receipt, json!({"cancelled": [two], "still_queued": []}));
}

#[test]
fn a_mode_is_checked() {
    let mut fake = Fake::start(&FakeScript::new());
    fake.control(
        "a",
        &json!({"subtype": "set_permission_mode", "mode": "lazy"}),
    );
    assert_eq!(fake.reply_to("a")["error_code"], "invalid_mode");
    fake.control(
        "b",
        &json!({"subtype": "set_permission_mode", "mode": "bypassPermissions"}),
    );
    assert_eq!(fake.reply_to("b")["error_code"], "bypass_not_launched");
    fake.control(
        "c",
        &json!({"subtype": "set_permission_mode", "mode": "plan"}),
    );
    assert_eq!(fake.reply_to("c")["response"], json!({"mode": "plan"}));
    assert_eq!(fake.frame()["permissionMode"], "plan");
    fake.prompt("x");
    assert_eq!(
        fake.until(|frame| frame["subtype"] == "init")["permissionMode"],
        "plan"
    );
}
