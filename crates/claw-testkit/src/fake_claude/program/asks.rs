//! The steps that send requests to the host and apply its answers.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::answers::VERSION;
use super::opening;
use super::state::Answer;
use super::turn::{Ended, Turn};
use crate::fake_claude::step::{Elicitation, Hook, HostRequest, McpCall, Permission};

/// What the host decided about a tool call.
enum Verdict {
    Allowed { input: Value },
    Denied { text: String },
    DeniedAndStopped,
    Interrupted,
}

impl Turn<'_> {
    pub(super) fn ask_permission(&mut self, spec: &Permission) -> Ended {
        let tool = if spec.tool.is_empty() {
            "Bash"
        } else {
            &spec.tool
        };
        let input = if spec.input.is_null() {
            json!({})
        } else {
            spec.input.clone()
        };
        let call = self.use_tool(tool, &input, &spec.tool_use_id);
        self.ask_for_call(spec, tool, &call, input)
    }

    /// Asks for a call that is in the session file already, and applies the answer.
    pub(super) fn ask_for_call(
        &mut self,
        spec: &Permission,
        tool: &str,
        call: &str,
        input: Value,
    ) -> Ended {
        if !opening::asks_host(self.host) {
            self.deny_without_asking(tool, call, &input);
            return Ended::Done;
        }
        let mut request = json!({
            "subtype": "can_use_tool", "tool_name": tool, "display_name": tool, "input": input,
            "permission_suggestions": [], "tool_use_id": call,
        });
        if let Some(text) = input["description"].as_str() {
            request["description"] = json!(text);
        }
        extend(&mut request, &spec.extra);
        self.host.report_state("requires_action");
        let id = self.host.ask(request);
        if spec.no_wait {
            return Ended::Done;
        }
        let answer = self.host.answer_to(&id, limit(spec.timeout_ms));
        self.record(spec.record.as_deref(), "can_use_tool", call, &answer);
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
            }
            Verdict::Denied { text } => self.denied(tool, call, &input, &text),
            Verdict::DeniedAndStopped => {
                self.denied(tool, call, &input, "The tool use was rejected.");
                return Ended::Interrupted { in_tool: true };
            }
            Verdict::Interrupted => {
                self.denied(tool, call, &input, "The tool use was interrupted.");
                return Ended::Interrupted { in_tool: true };
            }
        }
        Ended::Done
    }

    fn denied(&mut self, tool: &str, call: &str, input: &Value, text: &str) {
        self.denials
            .push(json!({"tool_name": tool, "tool_use_id": call, "tool_input": input}));
        let more = json!({"tool_use_result": format!("Error: {text}"),
            "tool_result_meta": [{"id": call, "non_execution_kind": "user-rejected"}]});
        self.tool_result(call, json!(text), true, more);
    }

    /// What the CLI does if there is no host to ask.
    fn deny_without_asking(&mut self, tool: &str, call: &str, input: &Value) {
        let text = format!("Permission to use {tool} was denied: nobody can be asked.");
        let members = json!({"tool_name": tool, "tool_use_id": call, "message": text});
        self.host
            .emit(&self.host.system("permission_denied", members));
        self.denied(tool, call, input, &text);
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
        extend(&mut input, &spec.input);
        let tool_use_id = spec.input["tool_use_id"]
            .as_str()
            .map_or_else(|| self.host.ids.uuid(), str::to_owned);
        for matcher in matchers.as_array().into_iter().flatten() {
            if !matches(matcher["matcher"].as_str(), tool) {
                continue;
            }
            let seconds = matcher["timeout"].as_f64().unwrap_or(600.0).max(0.0);
            for callback in matcher["hookCallbackIds"].as_array().into_iter().flatten() {
                let id = self.host.ask(json!({
                    "subtype": "hook_callback", "callback_id": callback, "input": input,
                    "tool_use_id": tool_use_id,
                }));
                let answer = self
                    .host
                    .answer_to(&id, Some(Duration::from_secs_f64(seconds)));
                let name = callback.as_str().unwrap_or_default();
                self.record(spec.record.as_deref(), "hook_callback", name, &answer);
                if matches!(answer, Answer::Interrupted) {
                    return Ended::Interrupted { in_tool: true };
                }
            }
        }
        Ended::Done
    }

    pub(super) fn call_tool(&mut self, spec: &McpCall) -> Ended {
        let record = spec.record.as_deref();
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
                self.record(record, "mcp_message", &spec.server, &answer);
                if matches!(answer, Answer::Interrupted) {
                    return Ended::Interrupted { in_tool: true };
                }
            }
        }
        let name = format!("mcp__{}__{}", spec.server, spec.tool);
        let arguments = if spec.arguments.is_null() {
            json!({})
        } else {
            spec.arguments.clone()
        };
        let call = self.use_tool(&name, &arguments, "");
        let answer = self.mcp_message(
            &spec.server,
            json!({"method": "tools/call", "params": {"name": spec.tool, "arguments": arguments,
                "_meta": {"claudecode/toolUseId": call, "progressToken": 2}},
                "jsonrpc": "2.0", "id": 2}),
        );
        self.record(record, "mcp_message", &spec.server, &answer);
        match answer {
            Answer::Interrupted => return Ended::Interrupted { in_tool: true },
            Answer::Success(payload) => {
                let reply = &payload["mcp_response"];
                let result = &reply["result"];
                if result["content"].is_array() {
                    let failed = result["isError"] == true;
                    let more = json!({"tool_use_result": result["content"]});
                    self.tool_result(&call, result["content"].clone(), failed, more);
                } else {
                    let text = reply["error"]["message"].as_str().unwrap_or("no result");
                    self.tool_result(&call, json!(text), true, json!({}));
                }
            }
            Answer::Error(text) => self.tool_result(&call, json!(text), true, json!({})),
            Answer::Closed | Answer::TakenBack => {
                self.tool_result(&call, json!("Connection closed"), true, json!({}));
            }
        }
        Ended::Done
    }

    fn mcp_message(&self, server: &str, message: Value) -> Answer {
        let id = self
            .host
            .ask(json!({"subtype": "mcp_message", "server_name": server, "message": message}));
        self.host.answer_to(&id, None)
    }

    pub(super) fn elicit(&mut self, spec: &Elicitation) -> Ended {
        let call = self.use_tool(&format!("mcp__{}__ask", spec.server), &json!({}), "");
        let mut request = json!({
            "subtype": "elicitation", "mcp_server_name": spec.server, "message": spec.message,
        });
        match &spec.schema {
            Some(schema) => extend(
                &mut request,
                &json!({"mode": "form", "requested_schema": schema}),
            ),
            None => extend(
                &mut request,
                &json!({"mode": "url", "url": spec.url, "elicitation_id": self.host.ids.uuid()}),
            ),
        }
        let id = self.host.ask(request);
        let answer = self.host.answer_to(&id, None);
        self.record(spec.record.as_deref(), "elicitation", &spec.server, &answer);
        let reply = match answer {
            Answer::Success(reply) => reply,
            Answer::Interrupted => return Ended::Interrupted { in_tool: true },
            // An invalid answer is not an acceptance.
            _ => json!({"action": "cancel"}),
        };
        let content = json!([{"type": "text", "text": reply.to_string()}]);
        self.tool_result(&call, content, false, json!({}));
        Ended::Done
    }

    pub(super) fn ask_host(&mut self, spec: &HostRequest) -> Ended {
        let id = self.host.ask(spec.request.clone());
        let answer = self.host.answer_to(&id, limit(spec.timeout_ms));
        let subtype = spec.request["subtype"].as_str().unwrap_or_default();
        self.record(spec.record.as_deref(), subtype, "", &answer);
        match answer {
            Answer::Interrupted => Ended::Interrupted { in_tool: true },
            _ => Ended::Done,
        }
    }

    /// Appends an answer to a file, for the test that reads it.
    fn record(&self, path: Option<&Path>, subtype: &str, about: &str, answer: &Answer) {
        let Some(path) = path else {
            return;
        };
        let mut entry = json!({"subtype": subtype, "about": about});
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
    match answer {
        Answer::Interrupted => Verdict::Interrupted,
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
                (Some("deny"), Some(_)) if reply["interrupt"] == true => Verdict::DeniedAndStopped,
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

fn limit(ms: u64) -> Option<Duration> {
    (ms > 0).then(|| Duration::from_millis(ms))
}

fn extend(object: &mut Value, members: &Value) {
    if let (Some(object), Some(members)) = (object.as_object_mut(), members.as_object()) {
        object.extend(members.clone());
    }
}
