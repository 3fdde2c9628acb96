//! The frames of a turn, member by member in the order in which the CLI writes them.

use std::path::Path;

use serde_json::{Value, json};

use super::host::Host;
use super::ids;
use crate::fake_claude::VERSION;

/// The model that claims to have answered, unless the host names one.
pub(super) const MODEL: &str = "claude-opus-5-5";

/// What one turn costs.
pub(super) const TURN_COST: f64 = 0.0008;

const TOOLS: &[&str] = &[
    "Task",
    "Bash",
    "Edit",
    "Monitor",
    "NotebookEdit",
    "Read",
    "Skill",
    "TaskStop",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Workflow",
    "Write",
];

/// Tools that are offered only when somebody can answer a prompt.
const ASKING_TOOLS: &[&str] = &["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"];

const CAPABILITIES: &[&str] = &[
    "interrupt_receipt_v1",
    "interrupt_cancel_queued_v1",
    "msg_lifecycle_v1",
    "sdk_mcp_tools_list_changed",
    "sdk_mcp_manifests",
    "mcp_read_resource_v1",
    "mcp_call_check_permissions_v1",
];

pub(super) const COMMANDS: &[&str] = &["clear", "compact", "context", "init", "model", "usage"];

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

/// `system/init`, which opens every turn.
pub(super) fn init(host: &Host, prompts: &[String]) -> String {
    let (mode, model) = {
        let state = host.state();
        (state.mode.clone(), state.model.clone())
    };
    let mut tools: Vec<&str> = TOOLS.to_vec();
    if asks_host(host) {
        tools.extend(ASKING_TOOLS);
    }
    let session = host.session_id();
    let folder = host.file().memory_folder();
    let mut tail = json!({
        "slash_commands": COMMANDS, "terminal_slash_commands": [],
        "apiKeySource": "ANTHROPIC_API_KEY", "claude_code_version": VERSION,
        "output_style": "default", "agents": ["claude", "Explore", "general-purpose", "Plan"],
        "skills": [], "plugins": [], "capabilities": CAPABILITIES, "analytics_disabled": true,
        "product_feedback_disabled": true, "uuid": host.ids.uuid(),
        "memory_paths": {"auto": folder}, "original_cwd": host.cwd,
        "additional_directories": [],
        "messaging_socket_path": format!("/tmp/cc-socks/{}.sock", std::process::id()),
        "fast_mode_state": "off", "fast_mode_disabled_reason": "sdk_opt_in_required",
        "per_turn_effort_active": true, "ultrathink_available": false,
        "ultrathink_typed_raises": false, "view_mode": "default",
    });
    if !prompts.is_empty() {
        tail["user_message_uuids"] = json!(prompts);
    }
    let head = format!(
        r#"{{"type":"system","subtype":"init","cwd":{},"session_id":"{session}","tools":{},"mcp_servers":[],"model":{},"permissionMode":{}"#,
        quoted(&host.cwd),
        json!(tools),
        quoted(&model),
        quoted(&mode),
    );
    joined(&head, &tail)
}

/// Whether permission prompts go to the host.
pub(super) fn asks_host(host: &Host) -> bool {
    host.flags.value("--permission-prompt-tool") == Some("stdio")
        && host.flags.value("--permission-prompts") != Some("none")
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
    format!(
        concat!(
            r#"],"stop_reason":null,"stop_sequence":null,"usage":{{"cache_creation":{{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0}},"#,
            r#""cache_creation_input_tokens":0,"cache_read_input_tokens":0,"input_tokens":100,"output_tokens":1,"service_tier":"standard"}},"#,
            r#""context_management":null}},"parent_tool_use_id":null,"session_id":"{}","uuid":"{}","timestamp":"{}","request_id":"{}""#
        ),
        session,
        uuid,
        ids::timestamp(),
        request_id
    )
}

/// The members that name a turn's prompts, with a comma before them.
pub(super) fn prompt_members(prompts: &[String]) -> String {
    match prompts.last() {
        None => String::new(),
        Some(last) => format!(
            r#","user_message_uuid":{},"user_message_uuids":{}"#,
            quoted(last),
            json!(prompts)
        ),
    }
}

/// A `user` line with these blocks.
pub(super) fn user(host: &Host, content: &Value, uuid: &str, more: Value) -> String {
    let head = format!(
        r#"{{"type":"user","message":{{"role":"user","content":{content}}},"parent_tool_use_id":null,"session_id":"{}","uuid":"{uuid}","timestamp":"{}""#,
        host.session_id(),
        ids::timestamp(),
    );
    joined(&head, &more)
}

/// What a `result` says.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) subtype: String,
    pub(super) is_error: bool,
    pub(super) text: Option<String>,
    pub(super) errors: Vec<String>,
    pub(super) terminal_reason: &'static str,
    pub(super) cost: f64,
    pub(super) denials: Vec<Value>,
    pub(super) more: Value,
}

pub(super) fn result(host: &Host, prompts: &[String], ms: u128, outcome: &Outcome) -> String {
    let index = host.count_result(outcome.is_error);
    let model = host.state().model.clone();
    let (session, total) = {
        let mut file = host.file();
        file.cost += outcome.cost;
        (file.session_id.clone(), file.cost)
    };
    let (input, output) = if outcome.cost == 0.0 {
        (0, 0)
    } else {
        (100, 20)
    };
    let turns = (total / TURN_COST).round().max(1.0);
    let by_model = |turns: f64, cost: f64| {
        json!({&model: {
            "inputTokens": (100.0 * turns) as u64, "outputTokens": (20.0 * turns) as u64,
            "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0, "webSearchRequests": 0,
            "costUSD": cost, "contextWindow": 1_000_000, "maxOutputTokens": 128_000,
            "thinkingTokens": 0, "canonicalModel": model, "provider": "firstParty",
            "costBasis": "list",
        }})
    };
    let head = format!(
        concat!(
            r#"{{"duration_api_ms":{ms},"stop_reason":{stop},"session_id":"{session}","total_cost_usd":{total},"#,
            r#""usage":{{"input_tokens":{input},"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":{output},"#,
            r#""output_tokens_details":{{"thinking_tokens":0}},"server_tool_use":{{"web_search_requests":0,"web_fetch_requests":0}},"#,
            r#""service_tier":"standard","cache_creation":{{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0}},"#,
            r#""inference_geo":"","iterations":[],"speed":"standard","fallback_credit":null}},"modelUsage":{usage},"#,
            r#""permission_denials":{denials},"terminal_reason":"{reason}","fast_mode_state":"off","safety_stops":0,"#,
            r#""is_error":{is_error},"num_turns":1,"subtype":{subtype}"#
        ),
        ms = ms,
        stop = if outcome.text.is_some() {
            r#""end_turn""#
        } else {
            "null"
        },
        session = session,
        total = total,
        input = input,
        output = output,
        usage = by_model(turns, total),
        denials = Value::from(outcome.denials.as_slice()),
        reason = outcome.terminal_reason,
        is_error = outcome.is_error,
        subtype = quoted(&outcome.subtype),
    );
    let said = match &outcome.text {
        Some(text) => format!(r#","api_error_status":null,"result":{}"#, quoted(text)),
        None => format!(r#","errors":{}"#, json!(outcome.errors)),
    };
    let end = format!(
        r#","type":"result","duration_ms":{ms},"uuid":"{}"{},"queued_turn_count":0,"result_index":{index},"model_usage_since_last_result":{}"#,
        host.ids.uuid(),
        prompt_members(prompts),
        by_model(1.0, outcome.cost),
    );
    joined(&format!("{head}{said}{end}"), &outcome.more)
}

/// The zeroed result by which the CLI refuses a session that it does not know.
pub(super) fn unknown_session(session: &str, text: &str, uuid: &str) -> String {
    format!(
        concat!(
            r#"{{"type":"result","subtype":"error_during_execution","duration_ms":0,"duration_api_ms":0,"is_error":true,"num_turns":0,"#,
            r#""stop_reason":null,"session_id":{},"total_cost_usd":0,"usage":{{"input_tokens":0,"cache_creation_input_tokens":0,"#,
            r#""cache_read_input_tokens":0,"output_tokens":0,"server_tool_use":{{"web_search_requests":0,"web_fetch_requests":0}},"#,
            r#""service_tier":"standard"}},"modelUsage":{{}},"permission_denials":[],"uuid":"{}","errors":[{}],"result_index":0}}"#
        ),
        quoted(session),
        uuid,
        quoted(text)
    )
}

/// An object from an open one and further members.
fn joined(open: &str, more: &Value) -> String {
    let more = more.to_string();
    match more.strip_prefix('{') {
        Some("}") | None => format!("{open}}}"),
        Some(members) => format!("{open},{members}"),
    }
}
