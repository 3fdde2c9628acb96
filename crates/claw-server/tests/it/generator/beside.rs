//! Lines of generated sessions beside the conversation.

use claw_server::Json;
use claw_server::event::Fact;
use serde_json::{Value, json};

use super::Maker;

impl Maker {
    pub(super) fn subagent(&mut self, call: &str) {
        let inner = self.id("toolu");
        let text = self.words();
        let is_behind = self.random.chance(50);
        self.line(&json!({
            "type": "system", "subtype": "task_started", "task_id": format!("{call}/task"),
            "tool_use_id": call, "description": "look", "subagent_type": "Explore",
            "task_type": "local_agent", "is_backgrounded": is_behind,
        }));
        for _ in 0..self.random.below(3) {
            let uses = self.random.below(5);
            self.line(&json!({
                "type": "system", "subtype": "task_progress", "task_id": format!("{call}/task"),
                "tool_use_id": call, "description": "Reading", "subagent_type": "Explore",
                "usage": {"total_tokens": 9, "tool_uses": uses, "duration_ms": uses * 10},
            }));
        }
        self.line(&json!({
            "type": "assistant", "parent_tool_use_id": call,
            "message": {"id": format!("{call}/msg"), "role": "assistant", "content": [
                {"type": "text", "text": text},
                {"type": "tool_use", "id": inner, "name": "Read", "input": {"file_path": "a"}}]},
        }));
        if self.random.chance(70) {
            self.tool_result(&inner, Some(call), false);
        }
        if self.random.chance(70) {
            self.line(&json!({
                "type": "system", "subtype": "task_notification", "task_id": format!("{call}/task"),
                "tool_use_id": call, "status": "completed", "summary": "done", "output_file": "",
            }));
            self.agents.push(call.to_owned());
        }
    }

    /// A subagent that has ended works again, at once or behind more hooks than are remembered.
    pub(super) fn agent_again(&mut self) {
        if self.agents.is_empty() || !self.random.chance(25) {
            return;
        }
        let agent = self.random.below(self.agents.len());
        let call = self.agents.remove(agent);
        let hooks = match self.random.chance(70) {
            true => 33 + self.random.below(4),
            false => 0,
        };
        self.crowds += usize::from(hooks > 0);
        for _ in 0..hooks {
            let id = self.id("hook");
            self.line(&json!({"type": "system", "subtype": "hook_started",
                "hook_id": id, "hook_name": "Stop", "hook_event": "Stop"}));
            self.line(&json!({"type": "system", "subtype": "hook_response",
                "hook_id": id, "hook_name": "Stop", "hook_event": "Stop",
                "output": "x", "stdout": "x", "stderr": "", "outcome": "success"}));
        }
        self.subagent(&call);
    }

    /// Status messages of the CLI, in any order.
    pub(super) fn status(&mut self) {
        let number = self.random.below(3);
        match self.random.below(12) {
            0 => self.line(&json!({"type": "system", "subtype": "hook_started",
                "hook_id": format!("h{}/{number}", self.crowds), "hook_name": "Stop", "hook_event": "Stop"})),
            1 => self.line(&json!({"type": "system", "subtype": "hook_response",
                "hook_id": format!("h{}/{number}", self.crowds), "hook_name": "Stop", "hook_event": "Stop",
                "output": "x", "stdout": "x", "stderr": "", "outcome": "success"})),
            2 | 3 => {
                let tasks: Vec<Value> = (0..number)
                    .map(|task| {
                        json!({"task_id": format!("b{task}"), "task_type": "local_bash",
                        "description": "wait"})
                    })
                    .collect();
                let line = json!({"type": "system", "subtype": "background_tasks_changed",
                    "tasks": tasks});
                self.line(&line);
            }
            4 => self.line(
                &json!({"type": "system", "subtype": "status", "status": null,
                "compact_result": "success"}),
            ),
            5 => {
                let agents: Vec<Value> = (0..=self.random.below(3))
                    .map(|agent| {
                        let state = ["start", "done", "error"][self.random.below(3)];
                        json!({"type": "workflow_agent", "index": agent, "label": "a",
                            "state": state, "attempt": 1 + self.random.below(2)})
                    })
                    .collect();
                let line = json!({"type": "system", "subtype": "task_progress", "task_id": "w",
                    "description": "a", "workflow_progress": agents,
                    "usage": {"total_tokens": 9, "tool_uses": number, "duration_ms": 5}});
                self.line(&line);
            }
            6 => self.line(&json!({"type": "rate_limit_event", "rate_limit_info": {
                "status": "allowed_warning", "utilization": number as f64 / 4.0}})),
            7 => self.line(
                &json!({"type": "system", "subtype": "task_moved", "task_id": "w",
                "status": (["running", "completed", "odd"][number])}),
            ),
            8 => self.line(
                &json!({"type": "tool_progress",
                "tool_use_id": format!("toolu_{}{number}", "0".repeat(self.crowds)),
                "tool_name": "Bash", "elapsed_time_seconds": number, "parent_tool_use_id": null}),
            ),
            _ => {}
        }
    }

    /// Something beside the conversation.
    pub(super) fn noise(&mut self) {
        match self.random.below(12) {
            0 => self.played.raw("panic: something printed this"),
            1 => self.line(&json!({"type": "confetti", "colour": "green"})),
            2 => self.line(&json!({"type": "system", "subtype": "informational", "content": "hi"})),
            3 => self.line(&json!({"type": "system", "subtype": "status", "status": "compacting"})),
            4 => self.line(
                &json!({"type": "tool_progress", "tool_use_id": "x".repeat(1 + self.crowds),
                "tool_name": "Bash",
                "elapsed_time_seconds": 1.5}),
            ),
            5 => self.line(
                &json!({"type": "system", "subtype": "api_retry", "attempt": 1,
                "max_retries": 2, "retry_delay_ms": 5, "error": "overloaded"}),
            ),
            6 => {
                let lines = self.lines.pop();
                let line = json!({"type": "system", "subtype": "model_refusal_fallback",
                    "content": "another model", "retracted_message_uuids": lines.as_slice()});
                self.line(&line);
            }
            7 => self.fact(Fact::Unknown {
                kind: "confetti".to_owned(),
                body: Json::default(),
            }),
            8 => self.line(&json!({"type": "rate_limit_event",
                "rate_limit_info": {"status": "allowed", "utilization": 0.5}})),
            _ => {}
        }
    }
}
