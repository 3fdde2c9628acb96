//! The steps that send requests to the host and apply its answers.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::flags::VERSION;
use super::opening;
use super::state::Answer;
use super::turn::{Ended, Turn};
use crate::fake_claude::step::{Elicitation, Hook, McpCall, Permission};

/// A wait in which the host interrupted the turn.
const INTERRUPTED: Ended = Ended::Interrupted { in_tool: true };

/// What the host decided about a tool call.
enum Verdict {
    Allowed { input: Value },
    Denied { text: String },
    DeniedAndStopped { text: &'static str },
}

impl Turn<'_> {
    /// Sends a request and waits for its answer.
    fn asked(&self, request: Value, limit: Option<Duration>) -> Answer {
        let id = self.host.ask(request);
        self.host.answer_to(&id, limit)
    }

    pub(super) fn ask_permission(&mut self, spec: &Permission) -> Ended {
        let tool = if spec.tool.is_empty() {
            "Bash"
        } else {
            &spec.tool
        };
        let input = object(&spec.input);
        let call = self.use_tool(tool, &input);
        self.ask_for_call(spec.record.as_deref(), tool, &call, input)
    }

    /// Asks for a call that is in the session file already, and applies the answer.
    pub(super) fn ask_for_call(
        &mut self,
        record: Option<&Path>,
        tool: &str,
        call: &str,
        input: Value,
    ) -> Ended {
        if !opening::asks_host(self.host) {
            // What the CLI does if there is no host to ask.
            let text = format!("Permission to use {tool} was denied: nobody can be asked.");
            let members = json!({"tool_name": tool, "tool_use_id": call, "message": text});
            let frame = self.host.system("permission_denied", members);
            self.host.emit(&frame);
            self.denied(tool, call, &input, &text);
            return Ended::Done;
        }
        let mut request = json!({
            "subtype": "can_use_tool", "tool_name": tool, "display_name": tool, "input": input,
            "permission_suggestions": [], "tool_use_id": call,
        });
        if let Some(text) = input["description"].as_str() {
            request["description"] = json!(text);
        }
        self.host.report_state("requires_action");
        let answer = self.asked(request, None);
        self.record(record, call, &answer);
        self.host.report_state("running");
        match verdict(answer, &input) {
            Verdict::Allowed { input: used } => {
                let text = format!("{tool} ran with {used}");
                let more = json!({
                    "tool_use_result": {"stdout": text, "stderr": "", "interrupted": false,
                        "isImage": false},
                    "tool_result_meta": [{"id": call, "permission_decision":
                        {"decision": "accept", "source": "user_temporary"}}],
                });
                self.tool_result(call, json!(text), false, more);
                Ended::Done
            }
            Verdict::Denied { text } => {
                self.denied(tool, call, &input, &text);
                Ended::Done
            }
            Verdict::DeniedAndStopped { text } => {
                self.denied(tool, call, &input, text);
                INTERRUPTED
            }
        }
    }

    fn denied(&mut self, tool: &str, call: &str, input: &Value, text: &str) {
        self.denials
            .push(json!({"tool_name": tool, "tool_use_id": call, "tool_input": input}));
        let more = json!({"tool_use_result": format!("Error: {text}"),
            "tool_result_meta": [{"id": call, "non_execution_kind": "user-rejected"}]});
        self.tool_result(call, json!(text), true, more);
    }

    pub(super) fn call_hooks(&mut self, spec: &Hook) -> Ended {
        let (matchers, mode) = {
            let state = self.host.state();
            (state.hooks[spec.event.as_str()].clone(), state.mode.clone())
        };
        let tool = spec.input["tool_name"].as_str();
        let mut input = json!({
            "session_id": self.host.session_id(), "cwd": self.host.cwd,
            "transcript_path": self.host.file().transcript_path(),
            "prompt_id": self.host.ids.uuid(), "permission_mode": mode,
            "hook_event_name": spec.event,
        });
        if let (Some(input), Some(more)) = (input.as_object_mut(), spec.input.as_object()) {
            input.extend(more.clone());
        }
        let tool_use_id = spec.input["tool_use_id"]
            .as_str()
            .map_or_else(|| self.host.ids.uuid(), str::to_owned);
        for matcher in matchers.as_array().into_iter().flatten() {
            if !matches(matcher["matcher"].as_str(), tool) {
                continue;
            }
            let seconds = matcher["timeout"].as_f64().unwrap_or(600.0).max(0.0);
            for callback in matcher["hookCallbackIds"].as_array().into_iter().flatten() {
                let request = json!({
                    "subtype": "hook_callback", "callback_id": callback, "input": input,
                    "tool_use_id": tool_use_id,
                });
                let answer = self.asked(request, Some(Duration::from_secs_f64(seconds)));
                if matches!(answer, Answer::Interrupted) {
                    return INTERRUPTED;
                }
            }
        }
        Ended::Done
    }

    pub(super) fn call_tool(&mut self, spec: &McpCall) -> Ended {
        let greeted = {
            let mut state = self.host.state();
            let has_manifest = state.manifests[spec.server.as_str()].is_object();
            !state.greeted.insert(spec.server.clone()) || has_manifest
        };
        if !greeted {
            let hello = json!({"method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": {"name": "claude-code", "version": VERSION}},
                "jsonrpc": "2.0", "id": 0});
            let thanks = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
            let list = json!({"method": "tools/list", "jsonrpc": "2.0", "id": 1});
            for message in [hello, thanks, list] {
                let answer = self.mcp_message(&spec.server, message);
                if matches!(answer, Answer::Interrupted) {
                    return INTERRUPTED;
                }
            }
        }
        let name = format!("mcp__{}__{}", spec.server, spec.tool);
        let arguments = object(&spec.arguments);
        let call = self.use_tool(&name, &arguments);
        let message = json!({
            "method": "tools/call", "params": {"name": spec.tool, "arguments": arguments,
            "_meta": {"claudecode/toolUseId": call, "progressToken": 2}},
            "jsonrpc": "2.0", "id": 2,
        });
        let text = match self.mcp_message(&spec.server, message) {
            Answer::Interrupted => return INTERRUPTED,
            Answer::Success(payload) => {
                let reply = &payload["mcp_response"];
                let result = &reply["result"];
                if result["content"].is_array() {
                    let failed = result["isError"] == true;
                    let more = json!({"tool_use_result": result["content"]});
                    self.tool_result(&call, result["content"].clone(), failed, more);
                    return Ended::Done;
                }
                let text = reply["error"]["message"].as_str();
                text.unwrap_or("no result").to_owned()
            }
            Answer::Error(text) => text,
            Answer::Closed | Answer::TakenBack => "Connection closed".to_owned(),
        };
        self.tool_result(&call, json!(text), true, json!({}));
        Ended::Done
    }

    fn mcp_message(&self, server: &str, message: Value) -> Answer {
        let request = json!({"subtype": "mcp_message", "server_name": server, "message": message});
        self.asked(request, None)
    }

    pub(super) fn elicit(&mut self, spec: &Elicitation) -> Ended {
        let call = self.use_tool(&format!("mcp__{}__ask", spec.server), &json!({}));
        let request = json!({
            "subtype": "elicitation", "mcp_server_name": spec.server, "message": spec.message,
            "mode": "form", "requested_schema": spec.schema,
        });
        let reply = match self.asked(request, None) {
            Answer::Success(reply) => reply,
            Answer::Interrupted => return INTERRUPTED,
            // An invalid answer is not an acceptance.
            _ => json!({"action": "cancel"}),
        };
        let content = json!([{"type": "text", "text": reply.to_string()}]);
        self.tool_result(&call, content, false, json!({}));
        Ended::Done
    }

    /// Appends an answer to a file, for the test that reads it.
    fn record(&self, path: Option<&Path>, call: &str, answer: &Answer) {
        let Some(path) = path else {
            return;
        };
        let mut entry = json!({"subtype": "can_use_tool", "about": call});
        match answer {
            Answer::Success(reply) => entry["response"] = reply.clone(),
            Answer::Error(text) => entry["error"] = json!(text),
            Answer::Closed => entry["ended"] = json!("closed"),
            Answer::Interrupted => entry["ended"] = json!("interrupted"),
            Answer::TakenBack => entry["ended"] = json!("taken_back"),
        }
        let path = self.host.resolve(path);
        let written = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .and_then(|mut file| file.write_all(format!("{entry}\n").as_bytes()));
        if let Err(error) = written {
            eprintln!("fake-claude: cannot write {}: {error}", path.display());
        }
    }
}

/// Reads an answer as strictly as the CLI: anything but a valid allow is a deny.
fn verdict(answer: Answer, asked: &Value) -> Verdict {
    let denied = |text: String| Verdict::Denied { text };
    let stopped = |text| Verdict::DeniedAndStopped { text };
    match answer {
        Answer::Interrupted => stopped("The tool use was interrupted."),
        Answer::TakenBack => denied("The permission request was taken back.".to_owned()),
        Answer::Closed => denied(
            "Tool permission request failed: AbortError: Tool permission stream closed before response received"
                .to_owned(),
        ),
        Answer::Error(text) => denied(format!("Tool permission request failed: Error: {text}")),
        Answer::Success(reply) => {
            let updated = &reply["updatedInput"];
            match (reply["behavior"].as_str(), reply["message"].as_str()) {
                (Some("allow"), _) if updated.is_null() => Verdict::Allowed {
                    input: asked.clone(),
                },
                (Some("allow"), _) if updated.is_object() => Verdict::Allowed {
                    input: updated.clone(),
                },
                (Some("deny"), Some(_)) if reply["interrupt"] == true => {
                    stopped("The tool use was rejected.")
                }
                (Some("deny"), Some(text)) => denied(text.to_owned()),
                _ => denied(format!("The permission answer is invalid: {reply}")),
            }
        }
    }
}

/// Whether a hook's matcher is for a tool: nothing and `*` are for all, `A|B` for two.
fn matches(matcher: Option<&str>, tool: Option<&str>) -> bool {
    match (matcher, tool) {
        (None | Some("" | "*"), _) | (_, None) => true,
        (Some(names), Some(tool)) => names.split('|').any(|name| name == tool),
    }
}

/// The value, or an empty object for none.
fn object(value: &Value) -> Value {
    if value.is_null() {
        json!({})
    } else {
        value.clone()
    }
}
