//! Questions to the host and what comes of the answers.

use claw_testkit::{Elicitation, Hook, McpCall, Permission, Step};
use serde_json::{Value, json};

use super::{Fake, kinds, script};

const ASKING: &[&str] = &["--permission-prompt-tool", "stdio"];

fn permission() -> Permission {
    Permission::new("Bash", json!({"command": "touch a"})).record("answers.ndjson")
}

fn is_request(frame: &Value) -> bool {
    frame["type"] == "control_request"
}

fn tool_result(frame: &Value) -> (String, bool) {
    let block = &frame["message"]["content"][0];
    assert_eq!(block["type"], "tool_result", "{frame}");
    let text = block["content"].as_str().map(str::to_owned);
    (
        text.unwrap_or_else(|| block["content"].to_string()),
        block["is_error"] == true,
    )
}

/// Answers one permission request. Returns the results of the tool and the turn.
fn answered(reply: &Value) -> ((String, bool), Value) {
    let mut fake = Fake::start_with(
        &script([permission().into(), Step::text("end")]),
        ASKING,
        &[],
    );
    fake.prompt("go");
    let request = fake.until(is_request);
    assert_eq!(request["request"]["subtype"], "can_use_tool");
    assert_eq!(request["request"]["input"], json!({"command": "touch a"}));
    fake.answer(&request, reply);
    let tool = tool_result(&fake.until(|frame| frame["type"] == "user"));
    let result = fake.result();
    assert_eq!(fake.recorded("answers.ndjson")[0]["response"], *reply);
    (tool, result)
}

#[test]
fn allow_runs_the_tool_with_the_input_that_was_allowed() {
    let (tool, result) = answered(&json!({"behavior": "allow"}));
    assert_eq!(
        tool,
        (r#"Bash ran with {"command":"touch a"}"#.to_owned(), false)
    );
    assert_eq!(result["permission_denials"], json!([]));
    let (tool, _) = answered(&json!({"behavior": "allow", "updatedInput": {"command": "ls"}}));
    assert_eq!(
        tool,
        (r#"Bash ran with {"command":"ls"}"#.to_owned(), false)
    );
}

#[test]
fn deny_and_nonsense_do_not_run_the_tool() {
    let (tool, result) = answered(&json!({"behavior": "deny", "message": "not today"}));
    assert_eq!(tool, ("not today".to_owned(), true));
    assert_eq!(result["permission_denials"][0]["tool_name"], "Bash");
    assert_eq!(result["subtype"], "success");
    for nonsense in [
        json!({}),
        json!({"behavior": "deny"}),
        json!({"behavior": "perhaps"}),
        json!({"behavior": "allow", "updatedInput": "ls"}),
    ] {
        let (tool, _) = answered(&nonsense);
        assert!(tool.1 && tool.0.contains("invalid"), "{nonsense} {tool:?}");
    }
}

#[test]
fn deny_and_interrupt_ends_the_turn() {
    let reply = json!({"behavior": "deny", "message": "stop", "interrupt": true});
    let (tool, result) = answered(&reply);
    assert!(
        tool.1 && !tool.0.contains("stop"),
        "the host's text is not shown: {tool:?}"
    );
    assert_eq!(result["terminal_reason"], "aborted_tools");
}

#[test]
fn an_interrupt_takes_the_prompt_back() {
    let mut fake = Fake::start_with(&script([permission().into()]), ASKING, &[]);
    fake.prompt("go");
    let request = fake.until(is_request);
    fake.control("i", &json!({"subtype": "interrupt"}));
    let frames = fake.up_to(|frame| frame["type"] == "result");
    let cancel = frames
        .iter()
        .find(|frame| frame["type"] == "control_cancel_request")
        .unwrap();
    assert_eq!(cancel["request_id"], request["request_id"]);
    // A late answer is ignored.
    fake.answer(&request, &json!({"behavior": "allow"}));
    assert_eq!(fake.end(), Some(1));
    assert_eq!(fake.recorded("answers.ndjson")[0]["ended"], "interrupted");
}

#[test]
fn the_end_of_stdin_fails_an_open_prompt_and_the_turn_goes_on() {
    let mut fake = Fake::start_with(
        &script([permission().into(), Step::text("end")]),
        ASKING,
        &[],
    );
    fake.prompt("go");
    fake.until(is_request);
    fake.close_stdin();
    let tool = tool_result(&fake.until(|frame| frame["type"] == "user"));
    assert!(tool.1 && tool.0.contains("stream closed"), "{tool:?}");
    assert_eq!(fake.result()["result"], "end");
    assert_eq!(fake.exit().code(), Some(0));
}

#[test]
fn nobody_to_ask_is_a_deny() {
    let mut fake = Fake::start(&script([permission().into()]));
    fake.prompt("go");
    let frames = fake.up_to(|frame| frame["type"] == "result");
    assert!(!frames.iter().any(is_request));
    assert!(kinds(&frames).contains(&"system permission_denied".to_owned()));
}

#[test]
fn hooks_are_called_by_the_ids_that_initialize_gave() {
    let hook = Hook {
        event: "PreToolUse".to_owned(),
        input: json!({"tool_name": "Bash", "tool_use_id": "toolu_1"}),
    };
    let other = Hook {
        event: "Stop".to_owned(),
        ..Hook::default()
    };
    let mut fake = Fake::start(&script([hook.into(), other.into()]));
    fake.control(
        "r",
        &json!({"subtype": "initialize", "hooks": {"PreToolUse": [
        {"matcher": "Read", "hookCallbackIds": ["not_me"]},
        {"matcher": "Edit|Bash", "hookCallbackIds": ["hook_1", "hook_2"]},
        {"hookCallbackIds": ["hook_3"], "timeout": 0.05}]}}),
    );
    fake.reply_to("r");
    fake.prompt("go");
    for (callback, reply) in [("hook_1", json!({})), ("hook_2", json!({"continue": true}))] {
        let request = fake.until(is_request);
        assert_eq!(request["request"]["callback_id"], callback);
        assert_eq!(request["request"]["input"]["hook_event_name"], "PreToolUse");
        assert_eq!(request["request"]["tool_use_id"], "toolu_1");
        fake.answer(&request, &reply);
    }
    let unanswered = fake.until(is_request);
    assert_eq!(unanswered["request"]["callback_id"], "hook_3");
    let cancel = fake.until(|frame| frame["type"] == "control_cancel_request");
    assert_eq!(cancel["request_id"], unanswered["request_id"]);
    fake.result();
}

fn mcp(fake: &mut Fake, result: &Value) -> String {
    let request = fake.until(is_request);
    assert_eq!(request["request"]["subtype"], "mcp_message");
    assert_eq!(request["request"]["server_name"], "calc");
    let message = &request["request"]["message"];
    let reply = json!({"mcp_response": {"jsonrpc": "2.0", "id": message["id"], "result": result}});
    let method = message["method"].as_str().unwrap().to_owned();
    fake.answer(&request, &reply);
    method
}

#[test]
fn a_server_in_the_host_is_greeted_once_and_called() {
    let call = McpCall {
        server: "calc".to_owned(),
        tool: "add".to_owned(),
        arguments: json!({"a": 1}),
    };
    let mut fake = Fake::start(&script([call.clone().into(), call.into()]));
    fake.prompt("go");
    let five = json!({"content": [{"type": "text", "text": "5"}]});
    let methods: Vec<String> = (0..5).map(|_| mcp(&mut fake, &five)).collect();
    assert_eq!(
        methods,
        [
            "initialize",
            "notifications/initialized",
            "tools/list",
            "tools/call",
            "tools/call"
        ]
    );
    let frame = fake.until(|frame| frame["type"] == "user");
    assert_eq!(
        tool_result(&frame),
        (r#"[{"text":"5","type":"text"}]"#.to_owned(), false)
    );
}

#[test]
fn a_manifest_saves_the_greeting() {
    let call = McpCall {
        server: "calc".to_owned(),
        tool: "add".to_owned(),
        ..McpCall::default()
    };
    let mut fake = Fake::start(&script([call.into()]));
    fake.control(
        "r",
        &json!({"subtype": "initialize", "sdkMcpServers": ["calc"],
        "sdkMcpServerManifests": {"calc": {}}}),
    );
    fake.reply_to("r");
    fake.prompt("go");
    assert_eq!(
        mcp(&mut fake, &json!({"content": [], "isError": true})),
        "tools/call"
    );
    assert!(tool_result(&fake.until(|frame| frame["type"] == "user")).1);
}

#[test]
fn a_form_gets_its_answer() {
    let form = Elicitation {
        server: "lab".to_owned(),
        message: "Name?".to_owned(),
        schema: Some(json!({"type": "object"})),
    };
    let mut fake = Fake::start(&script([form.into()]));
    fake.prompt("go");
    let request = fake.until(is_request);
    assert_eq!(request["request"]["mode"], "form");
    fake.answer(
        &request,
        &json!({"action": "accept", "content": {"name": "Ann"}}),
    );
    let shown = tool_result(&fake.until(|frame| frame["type"] == "user")).0;
    assert!(shown.contains("accept") && shown.contains("Ann"), "{shown}");
    fake.result();
}
