//! Answers to the host's control requests.

use serde_json::{Value, json};

use super::frames::quoted;
use super::host::Host;
use super::{answers, tasks};
use crate::fake_claude::script::InitializeAnswer;

/// A refusal: its text, and its code if the CLI has one.
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
    if let Some(text) = control.errors.get(subtype) {
        return host.emit_now(&error(id, text, None));
    }
    // Frames that follow an answer must be printed after it.
    match outcome(host, subtype, request) {
        Ok((payload, then)) => {
            let payload = control.payloads.get(subtype).cloned().or(payload);
            host.emit_now(&success(id, payload.as_ref(), &json!({})));
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
        Err((text, code)) => host.emit_now(&error(id, &text, code)),
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
    match &host.script.initialize {
        InitializeAnswer::Answer => {
            let payload = answers::at("/initialize", host, request);
            host.emit_now(&success(id, payload.as_ref(), &pending(host)));
        }
        InitializeAnswer::Never => {}
        InitializeAnswer::Error(text) => host.emit_now(&error(id, text, None)),
    }
    let parked = host.file().parked.take();
    if parked.is_some() {
        host.state().parked = parked;
        host.wake();
    }
}

/// The members beside the answer to `initialize`: open requests, which a reconnected host can
/// answer.
fn pending(host: &Host) -> Value {
    let state = host.state();
    let of_kind = |subtype: &str| -> Vec<Value> {
        let frames = state.open.values().map(|open| open.frame.clone());
        frames
            .filter(|frame| frame["request"]["subtype"] == subtype)
            .collect()
    };
    json!({
        "pending_permission_requests": of_kind("can_use_tool"),
        "pending_user_dialog_requests": of_kind("request_user_dialog"),
    })
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
            if running {
                then = Then::Interrupt;
            }
            Some(payload)
        }
        "end_session" => {
            if !host.script.stubborn {
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
        "mcp_set_servers" => {
            let servers = request["servers"].as_object();
            let added: Vec<&String> = servers.into_iter().flat_map(|map| map.keys()).collect();
            Some(json!({"added": added, "removed": [], "errors": {}}))
        }
        "rewind_files" if request["dry_run"] == true => Some(json!({
            "canRewind": true, "filesChanged": [], "insertions": 0, "deletions": 0})),
        _ => {
            let answer = answers::at(&format!("/control/{subtype}"), host, request);
            let Some(payload) = answer else {
                let text = format!("Unsupported control request subtype: {subtype}");
                return Err((text, Some("unsupported_request")));
            };
            // `null` is a bare acknowledgement.
            (!payload.is_null()).then_some(payload)
        }
    };
    Ok((payload, then))
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
