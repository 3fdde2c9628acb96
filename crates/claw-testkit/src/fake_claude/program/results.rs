//! How turns end: the outcome and the `result` frame.

use serde_json::{Value, json};

use super::frames::{joined, prompt_members, quoted};
use super::host::Host;
use super::state::Task;
use super::turn::{Ended, Turn};
use super::{opening, tasks};
use crate::fake_claude::script::FakeResult;

/// What one turn costs.
const TURN_COST: f64 = 0.0008;

/// The content of a `result` frame.
#[derive(Debug, Default)]
struct Outcome {
    subtype: String,
    is_error: bool,
    text: Option<String>,
    errors: Vec<String>,
    terminal_reason: &'static str,
    cost: f64,
    denials: Vec<Value>,
    more: Value,
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
        let outcome = Outcome {
            more: json!({"origin": {"kind": "task-notification", "producer": "session-task",
                "runId": task.run_id}}),
            ..self.success()
        };
        self.print_result(&outcome);
        self.host.out.flush();
    }

    fn success(&self) -> Outcome {
        Outcome {
            subtype: "success".to_owned(),
            text: Some(self.last_text.clone()),
            terminal_reason: "completed",
            cost: TURN_COST,
            more: json!({}),
            denials: self.denials.clone(),
            ..Outcome::default()
        }
    }

    pub(super) fn finish(&mut self, ended: Ended, wanted: &FakeResult) {
        let host = self.host;
        let outcome = match ended {
            Ended::Done => self.as_written(wanted),
            Ended::Interrupted { in_tool } => self.interrupted(in_tool),
            // No result without output: the exit follows.
            Ended::Silent => return,
        };
        let entry = host
            .file()
            .side_entry("last-prompt", json!({"lastPrompt": self.prompt_text()}));
        host.persist(vec![entry]);
        if ended != Ended::Done || !wanted.missing {
            self.print_result(&outcome);
        }
        let state = if ended == Ended::Done {
            "completed"
        } else {
            "cancelled"
        };
        for prompt in &self.prompts {
            host.emit(&host.lifecycle(prompt, state));
        }
        host.out.flush();
    }

    fn as_written(&self, wanted: &FakeResult) -> Outcome {
        let mut outcome = self.success();
        outcome.cost = wanted.cost_usd.unwrap_or(TURN_COST);
        outcome.is_error = wanted.is_error || wanted.subtype.is_some();
        if let Some(text) = &wanted.text {
            outcome.text = Some(self.fill(text));
        }
        if let Some(subtype) = &wanted.subtype {
            outcome.subtype.clone_from(subtype);
            outcome.errors = vec![outcome.text.take().unwrap_or_default()];
        }
        if wanted.is_error {
            outcome.terminal_reason = "api_error";
        }
        if let Some(value) = &wanted.structured_output {
            outcome.more = json!({"structured_output": value});
        }
        outcome
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
        Outcome {
            subtype: "error_during_execution".to_owned(),
            is_error: true,
            errors: vec!["interrupted".to_owned()],
            terminal_reason: reason,
            text: None,
            cost: 0.0,
            ..self.success()
        }
    }

    fn print_result(&self, outcome: &Outcome) {
        let host = self.host;
        let frame = result(
            host,
            &self.prompts,
            self.started.elapsed().as_millis(),
            outcome,
        );
        if host.prints_frames() {
            host.emit(&frame);
        } else if host.flags.value("--output-format") == Some("json") {
            host.out.line(&frame);
        } else {
            host.out.line(outcome.text.as_deref().unwrap_or_default());
        }
    }
}

fn result(host: &Host, prompts: &[String], ms: u128, outcome: &Outcome) -> String {
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
    let text = match &outcome.text {
        Some(text) => format!(r#","api_error_status":null,"result":{}"#, quoted(text)),
        None => format!(r#","errors":{}"#, json!(outcome.errors)),
    };
    let end = format!(
        r#","type":"result","duration_ms":{ms},"uuid":"{}"{},"queued_turn_count":0,"result_index":{index},"model_usage_since_last_result":{}"#,
        host.ids.uuid(),
        prompt_members(prompts),
        by_model(1.0, outcome.cost),
    );
    joined(&format!("{head}{text}{end}"), &outcome.more)
}
