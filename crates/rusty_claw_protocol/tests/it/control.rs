//! Control requests, what answers them, and the exact text of what a host sends.

use std::collections::BTreeSet;

use rusty_claw_protocol::control::{
    AccountInfo, AgentDefinition, AgentEffort, AgentMcpServer, ControlPayload, ControlRequest,
    ControlResponse, DialogAnswer, Effort, ElicitationAnswer, EndSession, GetSettingsResponse,
    HookMatcher, InitializeRequest, Interrupt, JsonRpcId, JsonRpcMessage, McpMessage,
    McpMessageAnswer, McpServerConfig, McpSetServers, PermissionResult, RefusalFallbackPrompt,
    SetHasSubscribers, SetMaxThinkingTokens, SetMcpPermissionModeOverride, SetModel,
    SetPermissionMode, SettingsSource, SystemPrompt, audit_exchange,
};
use rusty_claw_protocol::messages::Message;
use rusty_claw_protocol::permission::PermissionMode;
use rusty_claw_protocol::wire::read_all;
use rusty_claw_protocol::{Json, Map, Str};
use serde_json::value::RawValue;

use crate::samples::{Sample, check, same, samples};

fn text(message: &Message) -> String {
    serde_json::to_string(message).unwrap()
}

fn json(text: &str) -> Json {
    Json::from_text(text).unwrap()
}

fn request(line: &str) -> ControlRequest {
    match Message::from_json(line).unwrap() {
        Message::ControlRequest { request, .. } => request,
        other => panic!("{other:?}"),
    }
}

#[test]
fn reads_every_declared_request() {
    let mut verbs = BTreeSet::new();
    for (name, samples) in &samples("control_requests.ndjson") {
        for sample in samples {
            let Message::ControlRequest { request, .. } = check::<Message>(sample) else {
                panic!("{name} is not a control request")
            };
            assert!(!matches!(request, ControlRequest::Unknown(_)), "{name}");
            verbs.insert(request.tag().to_owned());
        }
    }
    assert_eq!(verbs.len(), 36 + 5, "{verbs:?}");
}

/// Checks the sample of an answer, read by the type that belongs to its request.
pub(crate) fn check_answer(sample: &Sample) {
    let name = &sample.name;
    let Some(subtype) = &sample.subtype else {
        if name == "AccountInfo" {
            check::<AccountInfo>(sample);
        } else {
            check::<Message>(&framed(sample));
        }
        return;
    };
    let request = request(&format!(
        r#"{{"type":"control_request","request_id":"r","request":{{"subtype":"{subtype}"}}}}"#
    ));
    let payload = json(sample.value.get());
    let audit = audit_exchange(&request, &payload)
        .unwrap_or_else(|| panic!("{name} is declared and has no type here"));
    assert!(audit.is_clean(), "{name}: {audit:?}");
    let written = serde_json::to_value(ControlPayload::read(&request, &payload)).unwrap();
    assert!(
        same(&written, &payload.to_value()),
        "{name} was written as {written}"
    );
}

/// A declared response, in the frame that it travels in.
fn framed(sample: &Sample) -> Sample {
    let frame = format!(
        r#"{{"type":"control_response","response":{}}}"#,
        sample.value.get()
    );
    Sample {
        name: sample.name.clone(),
        variant: sample.variant.clone(),
        subtype: None,
        value: RawValue::from_string(frame).unwrap(),
    }
}

#[test]
fn takes_a_system_prompt_in_one_piece() {
    let line = r#"{"type":"control_request","request_id":"r","request":{"subtype":"initialize","systemPrompt":"Be brief."}}"#;
    let ControlRequest::Initialize(initialize) = request(line) else {
        panic!("not initialize")
    };
    assert_eq!(
        initialize.system_prompt,
        Some(SystemPrompt::Text("Be brief.".into()))
    );
    assert_eq!(text(&Message::from_json(line).unwrap()), line);
    // What we make ourselves is in blocks, which is all that the CLI takes.
    assert_eq!(
        serde_json::to_string(&SystemPrompt::from("Be brief.")).unwrap(),
        r#"["Be brief."]"#
    );
}

#[test]
fn takes_an_mcp_server_without_a_type_for_a_child_process() {
    let untyped = r#"{"command":"server","args":[]}"#;
    let config: McpServerConfig = read_all(untyped).unwrap();
    assert!(matches!(config, McpServerConfig::Stdio(_)), "{config:?}");
    assert_eq!(serde_json::to_string(&config).unwrap(), untyped);

    let unknown = r#"{"type":"pigeon","loft":7}"#;
    let config: McpServerConfig = read_all(unknown).unwrap();
    assert_eq!(config.tag(), "pigeon");
    assert_eq!(serde_json::to_string(&config).unwrap(), unknown);
}

#[test]
fn keeps_a_request_that_is_new() {
    let line = r#"{"type":"control_request","request_id":"r","request":{"subtype":"frobnicate","knob":7}}"#;
    let message = Message::from_json(line).unwrap();
    let Message::ControlRequest { request, .. } = &message else {
        panic!("{message:?}")
    };
    assert!(matches!(request, ControlRequest::Unknown(_)), "{request:?}");
    assert_eq!(request.tag(), "frobnicate");
    assert_eq!(text(&message), line);
    assert_eq!(
        ControlPayload::read(request, &json("{}")),
        ControlPayload::Unknown(json("{}"))
    );
}

#[test]
fn lists_the_prompts_that_still_wait() {
    let line = r#"{"type":"control_response","response":{"request_id":"r","subtype":"success","response":{},"pending_permission_requests":[{"type":"control_request","request_id":"p1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"touch x"},"tool_use_id":"toolu_1"}}],"pending_user_dialog_requests":[]}}"#;
    let message = Message::from_json(line).unwrap();
    let Message::ControlResponse { response, .. } = &message else {
        panic!("{message:?}")
    };
    let pending = response.pending().unwrap();
    assert_eq!(pending.dialogs.as_deref(), Some(&[][..]));
    let Some([Message::ControlRequest { request_id, .. }]) = pending.permissions.as_deref() else {
        panic!("{pending:?}")
    };
    assert_eq!(*request_id, "p1");
    assert_eq!(text(&message), line);
}

#[test]
fn an_answer_is_typed_by_its_request() {
    let asked = ControlRequest::from(SetModel::default());
    let answer = ControlPayload::read(&asked, &json(r#"{"model":"claude-sonnet-5"}"#));
    let ControlPayload::SetModel(answer) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(answer.model.as_deref(), Some("claude-sonnet-5"));
    // A payload of another JSON kind stays what it is.
    assert_eq!(
        ControlPayload::read(&asked, &json("7")),
        ControlPayload::Unknown(json("7"))
    );
}

#[test]
fn a_dialog_has_a_typed_view() {
    let line = r#"{"type":"control_request","request_id":"d","request":{"subtype":"request_user_dialog","dialog_kind":"refusal_fallback_prompt","payload":{"originalModel":"claude-fable-5","fallbackModel":"claude-opus-4-8","apiRefusalCategory":"cyber","retractedMessageUuids":["u1"]}}}"#;
    let ControlRequest::RequestUserDialog(dialog) = request(line) else {
        panic!("not a dialog")
    };
    let prompt: RefusalFallbackPrompt = dialog.payload.view().unwrap();
    assert_eq!(prompt.fallback_model, "claude-opus-4-8");
    assert!(prompt.extra.is_empty());
}

#[test]
fn writes_requests_exactly() {
    let mut hooks = Map::new();
    let mut on_bash = HookMatcher::new(vec!["hook_0".into()]);
    on_bash.matcher = Some("Bash".into());
    hooks.insert("PreToolUse", vec![on_bash]);
    let mut reviewer = AgentDefinition::new("Reviews code", "You review.");
    reviewer.tools = Some(vec!["Read".into()]);
    reviewer.effort = Some(AgentEffort::Level(Effort::High));
    reviewer.mcp_servers = Some(vec![AgentMcpServer::Named("calc".into())]);
    let mut agents = Map::new();
    agents.insert("reviewer", reviewer);
    let mut servers = Map::new();
    servers.insert("calc", McpServerConfig::sdk("calc"));
    servers.insert("web", McpServerConfig::http("http://127.0.0.1:9/mcp"));
    servers.insert("lab", McpServerConfig::stdio("lab", vec!["-v".into()]));
    let mut initialize = InitializeRequest::new();
    initialize.hooks = Some(hooks);
    initialize.sdk_mcp_servers = Some(vec![Str::from("calc")]);
    initialize.agents = Some(agents);
    initialize.system_prompt = Some(SystemPrompt::from("Be brief."));
    initialize.json_schema = Some(json(r#"{"type":"object"}"#));
    initialize.supported_dialog_kinds = Some(vec!["refusal_fallback_prompt".into()]);
    let mut interrupt = Interrupt::new();
    interrupt.cancel_queued = Some(true);
    let frames = [
        Message::control_request("r1", initialize),
        Message::control_request("r2", interrupt),
        Message::control_request("r3", SetPermissionMode::new(PermissionMode::AcceptEdits)),
        Message::control_request("r4", SetMaxThinkingTokens::reset()),
        Message::control_request("r5", McpSetServers::new(servers)),
        Message::control_request(
            "r6",
            McpMessage::new(
                "calc",
                JsonRpcMessage::notification("notifications/tools/list_changed", None),
            ),
        ),
        Message::control_request("r7", EndSession::default()),
        Message::control_request("r8", SetHasSubscribers::default()),
        Message::control_request("r9", SetMcpPermissionModeOverride::new("calc")),
    ];
    let lines: Vec<String> = frames.iter().map(text).collect();
    insta::assert_snapshot!(lines.join("\n"), @r##"
    {"type":"control_request","request_id":"r1","request":{"subtype":"initialize","hooks":{"PreToolUse":[{"matcher":"Bash","hookCallbackIds":["hook_0"]}]},"sdkMcpServers":["calc"],"jsonSchema":{"type":"object"},"systemPrompt":["Be brief."],"agents":{"reviewer":{"description":"Reviews code","prompt":"You review.","tools":["Read"],"mcpServers":["calc"],"effort":"high"}},"supportedDialogKinds":["refusal_fallback_prompt"]}}
    {"type":"control_request","request_id":"r2","request":{"subtype":"interrupt","cancel_queued":true}}
    {"type":"control_request","request_id":"r3","request":{"subtype":"set_permission_mode","mode":"acceptEdits"}}
    {"type":"control_request","request_id":"r4","request":{"subtype":"set_max_thinking_tokens","max_thinking_tokens":null}}
    {"type":"control_request","request_id":"r5","request":{"subtype":"mcp_set_servers","servers":{"calc":{"type":"sdk","name":"calc"},"web":{"type":"http","url":"http://127.0.0.1:9/mcp"},"lab":{"type":"stdio","command":"lab","args":["-v"]}}}}
    {"type":"control_request","request_id":"r6","request":{"subtype":"mcp_message","server_name":"calc","message":{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}}}
    {"type":"control_request","request_id":"r7","request":{"subtype":"end_session"}}
    {"type":"control_request","request_id":"r8","request":{"subtype":"set_has_subscribers","has_subscribers":null}}
    {"type":"control_request","request_id":"r9","request":{"subtype":"set_mcp_permission_mode_override","serverName":"calc","mode":null}}
    "##);
    for line in &lines {
        assert_eq!(&text(&Message::from_json(line).unwrap()), line);
    }
}

#[test]
fn writes_answers_exactly() {
    let answers = [
        ControlResponse::success(&PermissionResult::allow()),
        ControlResponse::success(&PermissionResult::allow_with(json(r#"{"command":"ls"}"#))),
        // A denial without a message is refused by the CLI, so there always is one.
        ControlResponse::success(&PermissionResult::deny("")),
        ControlResponse::success(&ElicitationAnswer::accept(json(r#"{"name":"Ada"}"#))),
        ControlResponse::success(&ElicitationAnswer::decline()),
        ControlResponse::success(&ElicitationAnswer::cancel()),
        ControlResponse::success(&DialogAnswer::completed(json(r#""retry_fallback""#))),
        ControlResponse::success(&DialogAnswer::cancelled()),
        ControlResponse::success(&McpMessageAnswer::from(JsonRpcMessage::result(
            JsonRpcId::Number(0),
            json(r#"{"tools":[]}"#),
        ))),
        ControlResponse::success(&McpMessageAnswer::from(JsonRpcMessage::failure(
            JsonRpcId::Text("a".into()),
            -32601,
            "no such method",
        ))),
        Ok(ControlResponse::done()),
        Ok(ControlResponse::error("no such callback")),
    ];
    let lines: Vec<String> = answers
        .into_iter()
        .map(|answer| text(&Message::control_response("r", answer.unwrap())))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r##"
    {"type":"control_response","response":{"request_id":"r","subtype":"success","response":{"behavior":"allow"}}}
    {"type":"control_response","response":{"request_id":"r","subtype":"success","response":{"behavior":"allow","updatedInput":{"command":"ls"}}}}
    {"type":"control_response","response":{"request_id":"r","subtype":"success","response":{"behavior":"deny","message":""}}}
    {"type":"control_response","response":{"request_id":"r","subtype":"success","response":{"action":"accept","content":{"name":"Ada"}}}}
    {"type":"control_response","response":{"request_id":"r","subtype":"success","response":{"action":"decline"}}}
    {"type":"control_response","response":{"request_id":"r","subtype":"success","response":{"action":"cancel"}}}
    {"type":"control_response","response":{"request_id":"r","subtype":"success","response":{"behavior":"completed","result":"retry_fallback"}}}
    {"type":"control_response","response":{"request_id":"r","subtype":"success","response":{"behavior":"cancelled"}}}
    {"type":"control_response","response":{"request_id":"r","subtype":"success","response":{"mcp_response":{"jsonrpc":"2.0","id":0,"result":{"tools":[]}}}}}
    {"type":"control_response","response":{"request_id":"r","subtype":"success","response":{"mcp_response":{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"no such method"}}}}}
    {"type":"control_response","response":{"request_id":"r","subtype":"success"}}
    {"type":"control_response","response":{"request_id":"r","subtype":"error","error":"no such callback"}}
    "##);
}

#[test]
fn a_permission_mode_is_left_out_where_the_project_sets_it() {
    let answer = |mode: &str, source: &str| -> GetSettingsResponse {
        let settings =
            format!(r#"{{"model":"m","permissions":{{"defaultMode":"{mode}","deny":[]}}}}"#);
        let text = format!(
            r#"{{"effective":{settings},"sources":[{{"source":"userSettings","settings":{{"model":"u"}}}},{{"source":"{source}","settings":{settings}}}]}}"#
        );
        serde_json::from_str(&text).unwrap()
    };
    let kept = |mode: &str, source: &str| {
        let settings = answer(mode, source).without_escalating_mode();
        let permissions = settings.get("permissions").unwrap();
        assert!(permissions.get("deny").is_some(), "{settings}");
        permissions.get("defaultMode").is_some()
    };
    for (mode, source, expected) in [
        ("bypassPermissions", "projectSettings", false),
        ("auto", "projectSettings", false),
        ("acceptEdits", "projectSettings", false),
        ("plan", "projectSettings", true),
        ("bypassPermissions", "localSettings", false),
        ("auto", "localSettings", false),
        ("acceptEdits", "localSettings", true),
        ("bypassPermissions", "userSettings", true),
        ("auto", "policySettings", true),
        ("acceptEdits", "flagSettings", true),
        ("acceptEdits", "newSettings", false),
        ("auto", "newSettings", false),
    ] {
        assert_eq!(kept(mode, source), expected, "{mode} in {source}");
    }
    let answer = answer("plan", "localSettings");
    assert_eq!(
        answer.source_of("model"),
        Some(&SettingsSource::LocalSettings)
    );
    assert_eq!(answer.source_of("hooks"), None);
}
