//! Answers to the host's control requests.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::frames::quoted;
use super::host::Host;
use super::{initialized, tasks};
use crate::fake_claude::VERSION;
use crate::fake_claude::script::InitializeAnswer;

/// A refusal: its text, and its code where the CLI gives one.
type Refused = (String, Option<&'static str>);

/// Answers a request. Runs on the thread that reads stdin, so it never waits.
pub(super) fn answer(host: &Host, id: &Value, request: &Value) {
    let subtype = request["subtype"].as_str().unwrap_or("undefined");
    if subtype == "initialize" {
        return initialize(host, id, request);
    }
    let control = &host.script.control;
    if control.silent.iter().any(|silent| silent == subtype) {
        return;
    }
    let delay = Duration::from_millis(control.delay_ms);
    if let Some(text) = control.errors.get(subtype) {
        return say(host, delay, error(id, text, None));
    }
    // What follows an answer must come after it, so it is told what to do then.
    match outcome(host, subtype, request) {
        Ok((payload, then)) => {
            let payload = control.payloads.get(subtype).cloned().or(payload);
            say(host, delay, success(id, payload.as_ref(), &json!({})));
            match then {
                Then::Nothing => {}
                Then::Print(frames) => frames.iter().for_each(|frame| host.emit_now(frame)),
                Then::Interrupt => {
                    host.state().interrupted = true;
                    host.wake();
                }
                Then::Exit => host.exit(0),
            }
        }
        Err((text, code)) => say(host, delay, error(id, &text, code)),
    }
}

/// What happens after the answer.
enum Then {
    Nothing,
    Print(Vec<String>),
    Interrupt,
    Exit,
}

fn initialize(host: &Host, id: &Value, request: &Value) {
    {
        let mut state = host.state();
        state.hooks = request["hooks"].clone();
        state.manifests = request["sdkMcpServerManifests"].clone();
    }
    let frame = || {
        success(
            id,
            Some(&initialized::payload(host)),
            &initialized::pending(host),
        )
    };
    match &host.script.initialize {
        InitializeAnswer::Answer => host.emit_now(&frame()),
        InitializeAnswer::Never => {}
        InitializeAnswer::LateMs(ms) => say(host, Duration::from_millis(*ms), frame()),
        InitializeAnswer::Error(text) => host.emit_now(&error(id, text, None)),
    }
}

/// Prints an answer, late if the script says so. Late answers hold up the reading of stdin, as a
/// busy CLI does.
fn say(host: &Host, delay: Duration, frame: String) {
    if !delay.is_zero() {
        thread::sleep(delay);
    }
    host.emit_now(&frame);
}

fn success(id: &Value, payload: Option<&Value>, beside: &Value) -> String {
    let mut frame = String::from(r#"{"type":"control_response","response":{"subtype":"success""#);
    if !id.is_null() {
        frame.push_str(r#","request_id":"#);
        frame.push_str(&id.to_string());
    }
    if let Some(payload) = payload {
        frame.push_str(r#","response":"#);
        frame.push_str(&payload.to_string());
    }
    for (name, value) in beside.as_object().into_iter().flatten() {
        frame.push(',');
        frame.push_str(&quoted(name));
        frame.push(':');
        frame.push_str(&value.to_string());
    }
    frame.push_str("}}");
    frame
}

fn error(id: &Value, text: &str, code: Option<&str>) -> String {
    let mut response = json!({"subtype": "error", "request_id": id, "error": text});
    if let Some(code) = code {
        response["error_code"] = json!(code);
    }
    json!({"type": "control_response", "response": response}).to_string()
}

/// The payload of a success and what follows it, or a refusal.
fn outcome(host: &Host, subtype: &str, request: &Value) -> Result<(Option<Value>, Then), Refused> {
    let text = |name: &str| request[name].as_str().unwrap_or_default().to_owned();
    let mut then = Then::Nothing;
    let payload = match subtype {
        "interrupt" => {
            let (payload, running) = interrupt(host, request);
            if running && !host.script.ignore_interrupt {
                then = Then::Interrupt;
            }
            Some(payload)
        }
        "end_session" => {
            if !host.script.ignore_end_session {
                then = Then::Exit;
            }
            None
        }
        "set_permission_mode" => {
            let mode = set_mode(host, &text("mode"))?;
            let members = json!({"status": null, "permissionMode": mode});
            then = Then::Print(vec![host.system("status", members)]);
            Some(json!({"mode": mode}))
        }
        "set_model" => {
            let model = request["model"].as_str().unwrap_or(super::frames::MODEL);
            host.state().model = model.to_owned();
            Some(json!({"model": model}))
        }
        "rename_session" => {
            let members = json!({"title": text("title")});
            then = Then::Print(vec![host.system("session_title_changed", members)]);
            None
        }
        "cancel_async_message" => {
            let uuid = text("message_uuid");
            let cancelled = remove_waiting(host, |prompt| prompt == uuid);
            then = Then::Print(cancelled_frames(host, &cancelled));
            Some(json!({"cancelled": !cancelled.is_empty()}))
        }
        "stop_task" => {
            then = Then::Print(tasks::stop(host, &text("task_id")));
            Some(json!({}))
        }
        "read_file" => Some(read_file(host, &text("path"))?),
        "set_color" | "list_directory" | "start_shell_task" => return Err(unsupported(subtype)),
        _ => plain(host, subtype, request).ok_or_else(|| unsupported(subtype))?,
    };
    Ok((payload, then))
}

fn unsupported(subtype: &str) -> Refused {
    let text = format!("Unsupported control request subtype: {subtype}");
    (text, Some("unsupported_request"))
}

/// Requests that only get an answer: `Some(None)` is a bare acknowledgement, `None` an unknown one.
fn plain(host: &Host, subtype: &str, request: &Value) -> Option<Option<Value>> {
    let payload = match subtype {
        "set_max_thinking_tokens"
        | "apply_flag_settings"
        | "seed_read_state"
        | "mcp_reconnect"
        | "mcp_toggle"
        | "mcp_message"
        | "set_has_subscribers"
        | "set_prompt_suggestions_paused"
        | "message_rated" => return Some(None),
        "update_settings" | "background_tasks" | "set_mcp_permission_mode_override" => json!({}),
        "mcp_status" => json!({"mcpServers": []}),
        "mcp_set_servers" => {
            let added: Vec<&String> = request["servers"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, _)| name)
                .collect();
            json!({"added": added, "removed": [], "errors": {}})
        }
        "mcp_call" => json!({"content": [{"type": "text", "text": "called"}]}),
        "mcp_read_resource" => json!({"contents": [
            {"uri": request["uri"], "mimeType": "text/plain", "text": "a note"}]}),
        "get_context_usage" => json!({
            "categories": [
                {"id": "system_prompt", "name": "System prompt", "tokens": 1_900, "color": "promptBorder", "kind": "used"},
                {"id": "free_space", "name": "Free space", "tokens": 998_100, "color": "promptBorder", "kind": "free"}],
            "totalTokens": 1_900, "maxTokens": 1_000_000, "rawMaxTokens": 1_000_000,
            "autocompactSource": "model-default", "percentage": 0, "gridRows": [],
            "model": host.state().model, "memoryFiles": [], "mcpTools": [], "agents": [],
            "isAutoCompactEnabled": true, "apiUsage": null}),
        "get_session_cost" => json!({"text": format!("Total cost: ${:.4}", host.file().cost)}),
        "get_usage" => json!({
            "session": {"total_cost_usd": host.file().cost, "total_api_duration_ms": 1,
                "total_duration_ms": 1, "total_lines_added": 0, "total_lines_removed": 0,
                "model_usage": {}},
            "subscription_type": null, "rate_limits_available": false, "rate_limits": null,
            "behaviors": null}),
        "list_models" => json!({"models": initialized::models()}),
        "get_binary_version" => json!({"version": VERSION, "buildTime": "2026-11-13T18:52:23Z"}),
        "file_suggestions" => json!({"suggestions": [], "cwd": host.cwd}),
        "rewind_files" if request["dry_run"] == true => json!({
            "canRewind": true, "filesChanged": [], "insertions": 0, "deletions": 0}),
        "rewind_files" => json!({"canRewind": true, "skippedLinks": 0}),
        "register_repo_root" => json!({"status": "ok"}),
        "reload_plugins" => json!({
            "commands": [], "agents": initialized::agents(), "plugins": [], "mcpServers": [],
            "error_count": 0}),
        "reload_skills" => json!({"skills": []}),
        "reload_output_styles" => json!({"available_output_styles": ["default", "Concise"]}),
        "get_task_output" => json!({"output": "", "total_bytes": 0, "truncated": false}),
        "get_settings" => json!({
            "effective": {}, "sources": [],
            "applied": {"model": host.state().model, "effort": "medium"}}),
        "get_hooks_listing" => json!({"events": [], "hooks": [], "eventCatalog": []}),
        "list_permission_rules" => json!({"state": {
            "rules": [], "workspaceDirectories": [], "originalCwd": host.cwd,
            "managedOnly": false}}),
        "get_status" => json!({"sections": [
            {"title": "Session", "rows": [{"label": "Version", "value": VERSION}]}]}),
        "get_plan" => json!({"exists": false}),
        "get_workspace_diff" => json!({"diff": null, "noDiffReason": "no-repository"}),
        "export_conversation" => json!({"text": "", "default_filename": "conversation.txt"}),
        "side_question" => json!({"response": "A side answer.", "synthetic": false}),
        "generate_session_title" => json!({"title": "A title"}),
        "set_cwd" => json!({"status": "needs_trust", "directory": request["path"]}),
        "claim_session" => json!({
            "status": "ok", "cwd": request["cwd"], "session_id": host.session_id(),
            "parked_ms": 1, "sdk_mcp_settled": true}),
        "submit_feedback" => json!({"feedback_id": null}),
        _ => return None,
    };
    Some(Some(payload))
}

/// The receipt of an interrupt, and whether there is a turn to stop.
fn interrupt(host: &Host, request: &Value) -> (Value, bool) {
    let mut payload = json!({});
    if request["cancel_queued"] == true {
        let cancelled = remove_waiting(host, |_| true);
        for frame in cancelled_frames(host, &cancelled) {
            host.emit_now(&frame);
        }
        payload["cancelled"] = json!(cancelled);
    }
    let state = host.state();
    let queued: Vec<&String> = state
        .waiting
        .iter()
        .filter_map(|prompt| prompt.uuid.as_ref())
        .collect();
    payload["still_queued"] = json!(queued);
    (payload, state.running)
}

fn remove_waiting(host: &Host, which: impl Fn(&str) -> bool) -> Vec<String> {
    let mut removed = Vec::new();
    host.state().waiting.retain(|prompt| {
        let uuid = prompt.uuid.as_deref().unwrap_or_default();
        let goes = which(uuid);
        if goes {
            removed.push(uuid.to_owned());
        }
        !goes
    });
    removed
}

fn cancelled_frames(host: &Host, prompts: &[String]) -> Vec<String> {
    prompts
        .iter()
        .filter(|prompt| !prompt.is_empty())
        .map(|prompt| host.lifecycle(prompt, "cancelled"))
        .collect()
}

fn set_mode(host: &Host, mode: &str) -> Result<String, Refused> {
    const MODES: &[&str] = &[
        "default",
        "acceptEdits",
        "plan",
        "dontAsk",
        "auto",
        "bypassPermissions",
    ];
    if !MODES.contains(&mode) {
        let text = format!("Invalid permission mode: {mode}");
        return Err((text, Some("invalid_mode")));
    }
    let may_bypass = host.flags.has("--allow-dangerously-skip-permissions")
        || host.flags.has("--dangerously-skip-permissions")
        || host.flags.value("--permission-mode") == Some("bypassPermissions");
    if mode == "bypassPermissions" && !may_bypass {
        let text = "Cannot bypass permissions: the session was not launched for it".to_owned();
        return Err((text, Some("bypass_not_launched")));
    }
    host.state().mode = mode.to_owned();
    Ok(mode.to_owned())
}

fn read_file(host: &Host, path: &str) -> Result<Value, Refused> {
    let absolute = std::path::Path::new(&host.cwd).join(path);
    let bytes =
        std::fs::read(&absolute).map_err(|error| (format!("read failed: {error}"), None))?;
    Ok(json!({
        "contents": String::from_utf8_lossy(&bytes), "absPath": absolute,
        "lossy": std::str::from_utf8(&bytes).is_err(), "requested_path": path,
    }))
}
