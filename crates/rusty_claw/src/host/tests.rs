//! Control requests in, control responses out.

mod hooks;
mod mcp;
mod permissions;
mod prompts;
mod recorded;

use rusty_claw_protocol::messages::Message;

use super::*;

/// The request in a line of the CLI.
fn request(line: &str) -> ControlRequest {
    match Message::from_json(line) {
        Ok(Message::ControlRequest { request, .. }) => request,
        other => panic!("not a request: {other:?}"),
    }
}

fn of_subtype(subtype: &str, rest: &str) -> ControlRequest {
    request(&format!(
        r#"{{"type":"control_request","request_id":"r1","request":{{"subtype":"{subtype}"{rest}}}}}"#
    ))
}

fn call() -> Call {
    Call {
        request_id: "r1".into(),
        order: 0,
        cancelled: CancellationToken::new(),
    }
}

/// The payload of an answer, or its error.
fn shown(response: ControlResponse) -> String {
    let line = serde_json::to_string(&Message::control_response("r1", response)).expect("JSON");
    let value: serde_json::Value = serde_json::from_str(&line).expect("JSON");
    let response = &value["response"];
    match response["subtype"].as_str() {
        Some("success") => response["response"].to_string(),
        _ => format!("{} {}", response["error_code"], response["error"]),
    }
}

async fn serve(host: Host, request: ControlRequest) -> String {
    shown(Arc::new(host).serve(request, call()).await)
}

/// Lines of a snapshot: the request and the answer.
struct Table(String);

impl Table {
    fn new() -> Self {
        Self(String::new())
    }

    fn row(&mut self, what: &str, answer: &str) {
        self.0.push_str(&format!("{what}\n    {answer}\n"));
    }
}

#[test]
fn nothing_is_declared_that_is_not_served() {
    let mut initialize = InitializeRequest::default();
    let host = Host::default();
    host.declare(&mut initialize);
    assert_eq!(initialize, InitializeRequest::default());
    assert!(!host.asks_permissions());
}

#[test]
fn a_cli_that_does_not_take_managed_settings_is_refused() {
    let replies = [
        "{}",
        r#"{"managed_settings_applied":true,"plugins_applied":false}"#,
    ];
    let refused = r#"{"managed_settings_applied":false}"#;
    let check = |host: &Host, reply: &str| host.check(&Json::from_text(reply).expect("JSON"));
    let mut host = Host {
        expects_plugins: true,
        ..Host::default()
    };
    assert_eq!(check(&host, refused), Ok(()));
    host.expects_managed_settings = true;
    for reply in replies {
        assert_eq!(check(&host, reply), Ok(()), "{reply}");
    }
    let why = check(&host, refused).expect_err("what is forbidden would be allowed");
    assert!(why.contains("managed settings"), "{why}");
}

#[test]
fn refusals_are_never_an_allow() {
    let pre_tool_use =
        r#","callback_id":"hook_0","input":{"hook_event_name":"PreToolUse","tool_name":"Bash"}"#;
    let prompt = r#","callback_id":"hook_0","input":{"hook_event_name":"UserPromptSubmit"}"#;
    let stop = r#","callback_id":"hook_0","input":{"hook_event_name":"Stop"}"#;
    let requests = [
        (
            "can_use_tool",
            r#","tool_name":"Bash","input":{},"tool_use_id":"t1""#,
        ),
        ("hook_callback", pre_tool_use),
        ("hook_callback", prompt),
        ("hook_callback", stop),
        ("hook_callback", r#","callback_id":"hook_0""#),
        ("hook_callback", r##","callback_id":"PreToolUse#0""##),
        ("hook_callback", r##","callback_id":"UserPromptSubmit#0""##),
        (
            "mcp_message",
            r#","server_name":"calc","message":{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#,
        ),
        (
            "mcp_message",
            r#","server_name":"calc","message":{"jsonrpc":"2.0","method":"notifications/x"}"#,
        ),
        (
            "elicitation",
            r#","mcp_server_name":"lab","message":"Name?""#,
        ),
        ("request_user_dialog", r#","dialog_kind":"x","payload":{}"#),
        ("oauth_token_refresh", ""),
        ("host_auth_token_refresh", ""),
        ("interrupt", ""),
        ("brand_new", ""),
    ];
    let mut table = Table::new();
    for (subtype, rest) in requests {
        let refusal = refusal(
            &of_subtype(subtype, rest),
            "the program's callback panicked",
        );
        table.row(&format!("{subtype} {rest}"), &shown(refusal));
    }
    insta::assert_snapshot!(table.0);
}
