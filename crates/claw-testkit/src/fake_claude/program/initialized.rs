//! The answer to `initialize`.

use serde_json::{Value, json};

use super::answers::{self, VERSION};
use super::host::Host;
use super::state::Open;

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
    let mut payload = answers::of("initialize");
    payload["pid"] = json!(std::process::id());
    payload["claude_code_version"] = json!(VERSION);
    payload["current_permission_mode"] = json!(state.mode);
    payload["session_state"] = json!(session_state);
    payload
}

/// The members beside the payload: open requests, which a reconnected host can answer.
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
