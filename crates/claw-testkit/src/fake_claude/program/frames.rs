//! The frames of a turn, member by member in the order in which the CLI writes them.

use std::path::Path;

use serde_json::{Value, json};

use super::ids;

/// The model in answers, unless the host names one.
pub(super) const MODEL: &str = "claude-opus-5-5";

/// A text as JSON, with its quotes.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

pub(super) fn lifecycle(prompt: &str, state: &str, uuid: &str, session: &str) -> String {
    let prompt = quoted(prompt);
    format!(
        r#"{{"type":"command_lifecycle","command_uuid":{prompt},"state":"{state}","uuid":"{uuid}","session_id":"{session}"}}"#
    )
}

pub(super) fn cancel(id: &str) -> String {
    let id = quoted(id);
    format!(r#"{{"type":"control_cancel_request","request_id":{id}}}"#)
}

pub(super) fn mirror(path: &Path, entries: &[Value]) -> String {
    let path = quoted(&path.to_string_lossy());
    let entries = Value::from(entries);
    format!(r#"{{"type":"transcript_mirror","filePath":{path},"entries":{entries}}}"#)
}

/// Everything of an `assistant` line before its content blocks.
pub(super) fn assistant_head(message_id: &str, model: &str) -> String {
    format!(
        r#"{{"type":"assistant","message":{{"id":"{message_id}","type":"message","role":"assistant","model":{},"content":["#,
        quoted(model)
    )
}

/// Everything of an `assistant` line after its content blocks, up to the last brace.
pub(super) fn assistant_tail(session: &str, uuid: &str, request_id: &str) -> String {
    let now = ids::timestamp();
    format!(
        r#"],"stop_reason":null,"stop_sequence":null,"usage":{{"cache_creation":{{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0}},"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"input_tokens":100,"output_tokens":1,"service_tier":"standard"}},"context_management":null}},"parent_tool_use_id":null,"session_id":"{session}","uuid":"{uuid}","timestamp":"{now}","request_id":"{request_id}""#
    )
}

/// The members that name a turn's prompts, with a comma before them.
pub(super) fn prompt_members(prompts: &[String]) -> String {
    let Some(last) = prompts.last() else {
        return String::new();
    };
    let (last, all) = (quoted(last), json!(prompts));
    format!(r#","user_message_uuid":{last},"user_message_uuids":{all}"#)
}

/// The zeroed result with which the CLI rejects an unknown session.
pub(super) fn unknown_session(session: &str, text: &str, uuid: &str) -> String {
    let (session, text) = (quoted(session), quoted(text));
    format!(
        r#"{{"type":"result","subtype":"error_during_execution","duration_ms":0,"duration_api_ms":0,"is_error":true,"num_turns":0,"stop_reason":null,"session_id":{session},"total_cost_usd":0,"usage":{{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0,"server_tool_use":{{"web_search_requests":0,"web_fetch_requests":0}},"service_tier":"standard"}},"modelUsage":{{}},"permission_denials":[],"uuid":"{uuid}","errors":[{text}],"result_index":0}}"#
    )
}

/// An object from an open one and further members.
pub(super) fn joined(open: &str, more: &Value) -> String {
    let more = more.to_string();
    match more.strip_prefix('{') {
        Some("}") | None => format!("{open}}}"),
        Some(members) => format!("{open},{members}"),
    }
}
