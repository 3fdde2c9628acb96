//! The answer to `initialize`.

use serde_json::{Value, json};

use super::frames::COMMANDS;
use super::host::{Host, Open};
use crate::fake_claude::VERSION;

/// The payload.
pub(super) fn payload(host: &Host) -> Value {
    let state = host.state();
    let is_prompt = |open: &Open| open.frame["request"]["subtype"] == "can_use_tool";
    let session_state = if state.open.values().any(is_prompt) {
        "requires_action"
    } else if state.running {
        "running"
    } else {
        "idle"
    };
    let commands: Vec<Value> = COMMANDS
        .iter()
        .map(|name| {
            json!({"name": name, "description": format!("The {name} command"),
                "argumentHint": "", "builtin": true})
        })
        .collect();
    json!({
        "commands": commands,
        "agents": agents(),
        "output_style": "default",
        "available_output_styles": ["default", "Concise"],
        "models": models(),
        "account": {"tokenSource": "none", "apiKeySource": "ANTHROPIC_API_KEY", "apiProvider": "firstParty"},
        "pid": std::process::id(),
        "claude_code_version": VERSION,
        "current_permission_mode": state.mode,
        "hook_on_failure_supported": true,
        "feedback_mode": {"kind": "disabled"},
        "analytics_disabled": true,
        "fast_mode_state": "off",
        "fast_mode_disabled_reason": "sdk_opt_in_required",
        "session_state": session_state,
        "capabilities": ["mcp_call_check_permissions_v1"],
    })
}

/// The members beside the payload: what is still open, so that a host that comes back can answer.
pub(super) fn pending(host: &Host) -> Value {
    let state = host.state();
    let of_kind = |subtype: &str| -> Vec<Value> {
        state
            .open
            .values()
            .map(|open| open.frame.clone())
            .filter(|frame| frame["request"]["subtype"] == subtype)
            .collect()
    };
    json!({
        "pending_permission_requests": of_kind("can_use_tool"),
        "pending_user_dialog_requests": of_kind("request_user_dialog"),
    })
}

pub(super) fn agents() -> Value {
    json!([
        {"name": "Explore", "description": "Looks for things", "model": "inherit"},
        {"name": "general-purpose", "description": "Does anything"},
    ])
}

pub(super) fn models() -> Value {
    let model = |value: &str, resolved: &str| {
        json!({
            "value": value, "resolvedModel": resolved, "displayName": value,
            "description": format!("{resolved}, of the stand-in"), "supportsEffort": true,
            "supportedEffortLevels": ["low", "medium", "high"], "supportsAdaptiveThinking": true,
            "supportsFastMode": true, "supportsAutoMode": true,
        })
    };
    json!([
        model("default", "claude-opus-5-5"),
        model("sonnet", "claude-sonnet-5-5"),
    ])
}
