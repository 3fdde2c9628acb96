//! Answers and members that are the same in every run, but for the names that are filled in.

use serde_json::{Value, json};

use super::flags::VERSION;
use super::host::Host;
use super::state::Open;

/// Members of frames, and under `control` the answers to control requests by their subtype; an
/// answer of `null` has no payload. A text such as `$model` is filled in.
const ANSWERS: &str = include_str!("../../../data/fake_claude_answers.json");

/// The value at this path, for a request.
pub(super) fn at(path: &str, host: &Host, request: &Value) -> Option<Value> {
    let mut answers: Value = serde_json::from_str(ANSWERS).unwrap_or_default();
    let mut value = answers.pointer_mut(path)?.take();
    fill(&mut value, &|name| named(name, host, request));
    Some(value)
}

fn fill(value: &mut Value, named: &dyn Fn(&str) -> Value) {
    match value {
        Value::String(text) => {
            if let Some(name) = text.strip_prefix('$') {
                *value = named(name);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, named)),
        Value::Object(members) => members.values_mut().for_each(|item| fill(item, named)),
        _ => {}
    }
}

fn named(name: &str, host: &Host, request: &Value) -> Value {
    match name {
        "version" => json!(VERSION),
        "pid" => json!(std::process::id()),
        "socket" => json!(format!("/tmp/cc-socks/{}.sock", std::process::id())),
        "uuid" => json!(host.ids.uuid()),
        "session_id" => json!(host.session_id()),
        "session_state" => json!(session_state(host)),
        "memory" => json!(host.file().memory_folder()),
        "cwd" => json!(host.cwd),
        "cost" => json!(host.file().cost),
        "cost_text" => json!(format!("Total cost: ${:.4}", host.file().cost)),
        "mode" => json!(host.state().mode),
        "model" => json!(host.state().model),
        "request_cwd" => request["cwd"].clone(),
        of_request => request[of_request].clone(),
    }
}

fn session_state(host: &Host) -> &'static str {
    let state = host.state();
    let is_prompt = |open: &Open| open.frame["request"]["subtype"] == "can_use_tool";
    if state.open.values().any(is_prompt) {
        "requires_action"
    } else if state.running {
        "running"
    } else {
        "idle"
    }
}
