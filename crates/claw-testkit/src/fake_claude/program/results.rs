//! How turns end: the outcome and the `result` frame.

use serde_json::{Value, json};

use super::frames::{joined, prompt_members, quoted};
use super::state::Task;
use super::turn::{Ended, Turn};
use super::{opening, tasks};

/// What one turn costs.
const TURN_COST: f64 = 0.0008;

/// How a turn came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Success,
    /// Interrupted, with the terminal reason.
    Interrupted(&'static str),
}

impl Turn<'_> {
    /// Plays the turn at the end of a task.
    pub(super) fn report(mut self, task: &Task) {
        self.host.report_state("running");
        for frame in tasks::ended(self.host, task, "completed", "completed") {
            self.host.emit(&frame);
        }
        self.host.emit(&opening::init(self.host, &[]));
        self.print_text(&task.text);
        let origin = json!({"origin": {"kind": "task-notification", "producer": "session-task",
            "runId": task.run_id}});
        self.print_result(Outcome::Success, &origin);
        self.host.out.flush();
    }

    pub(super) fn finish(&mut self, ended: Ended, structured_output: Option<&Value>) {
        let host = self.host;
        let (outcome, state) = match ended {
            Ended::Done => (Outcome::Success, "completed"),
            Ended::Interrupted { in_tool } => (self.interrupted(in_tool), "cancelled"),
            // No result without output: the exit follows.
            Ended::Silent => return,
        };
        let mut more = json!({});
        if let (Outcome::Success, Some(value)) = (outcome, structured_output) {
            more["structured_output"] = value.clone();
        }
        let entry = host
            .file()
            .side_entry("last-prompt", json!({"lastPrompt": self.prompt_text()}));
        host.persist(vec![entry]);
        self.print_result(outcome, &more);
        for prompt in &self.prompts {
            host.emit(&host.lifecycle(prompt, state));
        }
        host.out.flush();
    }

    /// What the CLI prints for an interrupted turn before its result.
    fn interrupted(&mut self, in_tool: bool) -> Outcome {
        let host = self.host;
        let (marker, reason) = if in_tool {
            (
                "[Request interrupted by user for tool use]",
                "aborted_tools",
            )
        } else {
            self.assistant(
                &json!({"type": "text", "text": "cut off"}),
                r#","aborted":true"#,
            );
            ("[Request interrupted by user]", "aborted_streaming")
        };
        let content = json!([{"type": "text", "text": marker}]);
        host.emit(&opening::user(host, &content, &host.ids.uuid(), json!({})));
        Outcome::Interrupted(reason)
    }

    fn print_result(&self, outcome: Outcome, more: &Value) {
        let host = self.host;
        let frame = self.result(outcome, more);
        if host.prints_frames() {
            host.emit(&frame);
        } else if host.flags.value("--output-format") == Some("json") {
            host.out.line(&frame);
        } else if outcome == Outcome::Success {
            host.out.line(&self.last_text);
        } else {
            host.out.line("");
        }
    }

    fn result(&self, outcome: Outcome, more: &Value) -> String {
        let host = self.host;
        let is_error = outcome != Outcome::Success;
        let (cost, input, output) = if is_error {
            (0.0, 0, 0)
        } else {
            (TURN_COST, 100, 20)
        };
        let (subtype, stop, reason, text) = match outcome {
            Outcome::Success => (
                "success",
                r#""end_turn""#,
                "completed",
                format!(
                    r#""api_error_status":null,"result":{}"#,
                    quoted(&self.last_text)
                ),
            ),
            Outcome::Interrupted(reason) => (
                "error_during_execution",
                "null",
                reason,
                r#""errors":["interrupted"]"#.to_owned(),
            ),
        };
        let index = host.count_result(is_error);
        let model = host.state().model.clone();
        let (session, total) = {
            let mut file = host.file();
            file.cost += cost;
            (file.session_id.clone(), file.cost)
        };
        let by_model = |turns: f64, cost: f64| {
            json!({&model: {
                "inputTokens": (100.0 * turns) as u64, "outputTokens": (20.0 * turns) as u64,
                "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0, "webSearchRequests": 0,
                "costUSD": cost, "contextWindow": 1_000_000, "maxOutputTokens": 128_000,
                "thinkingTokens": 0, "canonicalModel": model, "provider": "firstParty",
                "costBasis": "list",
            }})
        };
        let usage = by_model((total / TURN_COST).round().max(1.0), total);
        let since = by_model(1.0, cost);
        let denials = Value::from(self.denials.as_slice());
        let ms = self.started.elapsed().as_millis();
        let (uuid, prompts) = (host.ids.uuid(), prompt_members(&self.prompts));
        let head = format!(
            r#"{{"duration_api_ms":{ms},"stop_reason":{stop},"session_id":"{session}","total_cost_usd":{total},"usage":{{"input_tokens":{input},"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":{output},"output_tokens_details":{{"thinking_tokens":0}},"server_tool_use":{{"web_search_requests":0,"web_fetch_requests":0}},"service_tier":"standard","cache_creation":{{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0}},"inference_geo":"","iterations":[],"speed":"standard","fallback_credit":null}},"modelUsage":{usage}"#
        );
        let tail = format!(
            r#","permission_denials":{denials},"terminal_reason":"{reason}","fast_mode_state":"off","safety_stops":0,"is_error":{is_error},"num_turns":1,"subtype":"{subtype}",{text},"type":"result","duration_ms":{ms},"uuid":"{uuid}"{prompts},"queued_turn_count":0,"result_index":{index},"model_usage_since_last_result":{since}"#
        );
        joined(&(head + &tail), more)
    }
}
