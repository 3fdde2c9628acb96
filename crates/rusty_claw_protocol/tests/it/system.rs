//! System lines and the frames beside the conversation.

use std::collections::BTreeSet;

use rusty_claw_protocol::Line;
use rusty_claw_protocol::audit::audit;
use rusty_claw_protocol::messages::*;
use rusty_claw_protocol::permission::PermissionMode;
use serde_json::{Value, json};

use crate::samples::{check, same, samples};

fn read(value: &Value) -> Message {
    Message::from_json(&value.to_string()).unwrap()
}

/// Reads a line and checks that every member has a field and is written again.
fn exact(value: &Value) -> Message {
    let found = audit::<Message>(value.to_string().as_bytes()).unwrap();
    assert!(found.is_clean(), "{value}: {found:?}");
    let message = read(value);
    let written = serde_json::to_value(&message).unwrap();
    assert!(same(&written, value), "{value}\nwas written as {written}");
    message
}

#[test]
fn every_declared_shape_is_read_by_typed_fields_and_written_back() {
    let mut kinds = BTreeSet::new();
    let mut opaque = BTreeSet::new();
    for (name, samples) in samples("messages.ndjson") {
        // Control frames have tests of their own.
        if name == "SDKControlResponse" {
            continue;
        }
        for sample in &samples {
            let message: Message = check(sample);
            let found = audit::<Message>(sample.value.get().as_bytes()).unwrap();
            opaque.extend(found.opaque);
            let value: Value = serde_json::from_str(sample.value.get()).unwrap();
            assert_eq!(
                message.session_id(),
                value.get("session_id").and_then(Value::as_str)
            );
            assert_eq!(message.uuid(), value.get("uuid").and_then(Value::as_str));
            let subtype = value.get("subtype").and_then(Value::as_str);
            assert_eq!(message.subtype(), subtype);
            assert!(!matches!(message, Message::Unknown(_)), "{name}");
            kinds.insert(match message.subtype() {
                Some(subtype) => format!("{}/{subtype}", message.message_type()),
                None => message.message_type().to_owned(),
            });
        }
    }
    // A declared type that stops being sampled shows here, as does a new one.
    insta::assert_debug_snapshot!("declared_kinds", kinds);
    // Only content of tools, of MCP servers and of the host may stay unread.
    insta::assert_debug_snapshot!("opaque", opaque);
}

#[test]
fn init_says_what_the_session_is_made_of() {
    let message = exact(&json!({
        "type": "system", "subtype": "init", "session_id": "s-1", "uuid": "u-1",
        "cwd": "/home/user/project", "original_cwd": "/home/user/project",
        "additional_directories": ["/tmp"], "tools": ["Bash", "Task"],
        "mcp_servers": [{"name": "calc", "status": "connected", "source": "sdk"}],
        "model": "claude-opus-5-5", "permissionMode": "acceptEdits",
        "apiKeySource": "/login managed key", "claude_code_version": "2.1.325",
        "output_style": "default", "agents": ["Explore"], "skills": ["debug"],
        "slash_commands": ["clear"], "terminal_slash_commands": ["color"],
        "plugins": [{"name": "p", "path": "builtin", "source": "p@builtin"}],
        "plugin_errors": [{"plugin": "inline[0]", "type": "path-not-found", "message": "no", "path": "/nonexistent"}],
        "fast_mode_state": "off", "fast_mode_disabled_reason": "sdk_opt_in_required",
        "effort": "high", "view_mode": "default", "capabilities": ["interrupt_receipt_v1"],
        "memory_paths": {"auto": "/home/user/.claude/memory/"},
        "startup_timing": {"entrypoint": "sdk-cli", "phases": {"node_boot_ms": 121}, "time_origin_ms": 1.5},
        "user_message_uuids": ["u-0"],
    }));
    assert_eq!(message.session_id(), Some("s-1"));
    assert_eq!(message.uuid(), Some("u-1"));
    let Message::System(SystemMessage::Init { details, tools, .. }) = message else {
        panic!("{message:?}")
    };
    assert_eq!(tools[1], ToolInfo::named("Task"));
    assert_eq!(details.permission_mode, Some(PermissionMode::AcceptEdits));
    assert_eq!(details.api_key_source, Some(ApiKeySource::LoginManagedKey));
    let timing = details.startup_timing.unwrap();
    assert_eq!(timing.phases.unwrap().get("node_boot_ms"), Some(&121.0));
}

#[test]
fn a_short_init_gains_no_members() {
    exact(
        &json!({"type": "system", "subtype": "init", "session_id": "s", "tools": [], "mcp_servers": []}),
    );
    exact(&json!({"type": "system", "subtype": "status", "status": null}));
    exact(&json!({"type": "keep_alive"}));
}

#[test]
fn undeclared_members_and_frames_are_typed() {
    let lines = [
        json!({"type": "system", "subtype": "compact_boundary", "logical_parent_uuid": "u-0", "uuid": "u-1", "session_id": "s",
            "compact_metadata": {"trigger": "auto", "pre_tokens": 120051, "post_tokens": 2584, "cumulative_dropped_tokens": 117467,
                "preserved_messages": {"anchor_uuid": "a", "uuids": ["b"], "all_uuids": ["b", "c"]}}}),
        json!({"type": "system", "subtype": "task_progress", "task_id": "w1", "description": "a1", "uuid": "u", "session_id": "s",
            "usage": {"total_tokens": 13, "tool_uses": 0, "duration_ms": 96},
            "workflow_progress": [{"type": "workflow_agent", "index": 1, "label": "a1", "state": "done", "toolCalls": 0,
                "lastProgressAt": 1794699706349_u64, "promptFramed": true}]}),
        json!({"type": "system", "subtype": "model_fallback", "trigger": "overloaded", "original_model": "a", "fallback_model": "b",
            "content": "switched", "uuid": "u", "session_id": "s"}),
        json!({"type": "system", "subtype": "ui_invalidate", "event": "ui.render", "uuid": "u", "session_id": "s"}),
        json!({"type": "system", "subtype": "session_title_changed", "title": "t", "uuid": "u", "session_id": "s"}),
        json!({"type": "command_lifecycle", "command_uuid": "c", "state": "cancelled", "uuid": "u", "session_id": "s"}),
        json!({"type": "transcript_mirror", "filePath": "/home/user/a.jsonl", "entries": [{"type": "summary", "n": 1.50}]}),
        json!({"type": "keep_alive", "startup_mark": "action_handler_start"}),
    ];
    let decoded: Vec<Message> = lines.iter().map(exact).collect();
    insta::assert_debug_snapshot!("undeclared", decoded);
}

#[test]
fn environment_values_stay_out_of_debug_output() {
    let message = exact(&json!({
        "type": "update_environment_variables", "variables": {"TOKEN": "hunter2"}, "request_id": "r",
    }));
    let shown = format!("{message:?}");
    assert!(
        shown.contains("TOKEN") && !shown.contains("hunter2"),
        "{shown}"
    );
}

#[test]
fn system_lines_of_the_session_file_document_are_read() {
    let result = exact(&json!({
        "type": "system", "uuid": "msg-006", "parentUuid": "msg-005", "timestamp": "2025-01-27T10:00:25Z",
        "sessionId": "session-123", "subtype": "tool_result", "message": "File created",
    }));
    assert_eq!(result.session_id(), Some("session-123"));
    assert_eq!(result.uuid(), Some("msg-006"));
    assert!(matches!(
        result,
        Message::System(SystemMessage::ToolResult(_))
    ));
    let failure = exact(&json!({
        "type": "system", "uuid": "msg-007", "parentUuid": "msg-006", "timestamp": "2025-01-27T10:00:30Z",
        "sessionId": "session-123", "message": "Error: Permission denied", "isError": true, "subtype": "error",
    }));
    let Message::System(SystemMessage::Error(entry)) = failure else {
        panic!("{failure:?}")
    };
    assert_eq!(entry.is_error, Some(true));
    let meta = exact(&json!({"type": "system", "subtype": "meta", "isMeta": true}));
    assert!(matches!(meta, Message::System(SystemMessage::Meta(_))));
    assert_eq!((meta.session_id(), meta.uuid()), (None, None));
}

#[test]
fn compaction_of_the_session_file_document_is_read() {
    let message = exact(&json!({
        "type": "compact_system", "uuid": "msg-010", "parentUuid": "msg-009", "timestamp": "2025-01-27T10:00:45Z",
        "sessionId": "session-123", "message": "conversation_compacted",
        "metadata": {"preservedMessages": 15, "totalMessages": 150, "compressionRatio": 0.1},
    }));
    assert_eq!(message.session_id(), Some("session-123"));
    let Message::CompactSystem(compact) = message else {
        panic!("{message:?}")
    };
    assert_eq!(compact.message, CompactStep::Compacted);
    assert_eq!(compact.metadata.unwrap().compression_ratio, Some(0.1));
}

#[test]
fn a_line_of_a_known_kind_with_another_shape_is_kept() {
    let line = r#"{"type":"system","subtype":"api_retry","attempt":"two","error_status":4.5,"error":{"a":1}}"#;
    let Line::Message(received) = Line::decode(line) else {
        panic!()
    };
    assert!(matches!(
        received.message,
        Message::System(SystemMessage::ApiRetry(_))
    ));
    assert_eq!(
        serde_json::to_value(&received.message).unwrap(),
        serde_json::from_str::<Value>(line).unwrap()
    );
}
