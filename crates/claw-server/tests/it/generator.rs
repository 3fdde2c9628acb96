//! Generated sessions: each seed is a session, built by an [`EventBuilder`].

// With a path, so that other crates can include this file.
#[path = "generator/beside.rs"]
mod beside;

use claw_server::Json;
use claw_server::event::{
    AcceptedInput, Fact, InputId, Interaction, InteractionAnswer, InteractionId, InteractionKind,
    Lifecycle, LifecycleState,
};
use serde_json::{Value, json};

use super::played::Played;
use super::random::Random;
use super::recorded::Item;

/// The time between two events. It must not be 0, or there are no rates.
const STEP_MS: i64 = 700;

/// The session of a seed.
pub(crate) fn session(seed: u64) -> Vec<Item> {
    let mut random = Random::new(seed);
    let mut maker = Maker {
        has_receipts: random.chance(70),
        streams: random.chance(80),
        random,
        played: Played::new(0),
        count: 0,
        lines: Vec::new(),
        agents: Vec::new(),
        crowds: 0,
    };
    maker.state(LifecycleState::Ready);
    for _ in 0..=maker.random.below(3) {
        maker.turn();
    }
    maker.state(LifecycleState::Closed);
    maker.played.items
}

struct Maker {
    random: Random,
    played: Played,
    count: usize,
    /// Whether the CLI sends receipts for prompts.
    has_receipts: bool,
    /// Whether the CLI prints deltas.
    streams: bool,
    /// The lines of the turn's answer, which may be retracted.
    lines: Vec<String>,
    /// The calls whose subagents have ended, which may be resumed.
    agents: Vec<String>,
    /// The number of times that many hooks ran. Used in ids, because the CLI never reuses the id of
    /// a hook or a call.
    crowds: usize,
}

impl Maker {
    fn id(&mut self, prefix: &str) -> String {
        self.count += 1;
        self.played.at_ms += STEP_MS;
        format!("{prefix}_{}", self.count)
    }

    fn line(&mut self, line: &Value) {
        self.played.line(line);
    }

    fn fact(&mut self, fact: Fact) {
        self.played.fact(fact);
    }

    fn state(&mut self, state: LifecycleState) {
        match state {
            LifecycleState::Ready => self.fact(Fact::Lifecycle(Lifecycle::new(state))),
            _ => self.played.ended(state),
        }
    }

    fn turn(&mut self) {
        self.lines.clear();
        let is_background = self.has_receipts && self.random.chance(15);
        let inputs: Vec<String> = match is_background {
            true => Vec::new(),
            false => (0..=self.random.below(2)).map(|_| self.input()).collect(),
        };
        let named = if self.has_receipts {
            inputs.as_slice()
        } else {
            &[]
        };
        for (id, state) in named
            .iter()
            .flat_map(|id| [(id, "queued"), (id, "started")])
        {
            self.line(&json!({"type": "command_lifecycle", "command_uuid": id, "state": state}));
        }
        self.line(&json!({
            "type": "system", "subtype": "init", "session_id": "s", "tools": [], "mcp_servers": [],
            "user_message_uuids": named,
        }));
        for _ in 0..self.random.below(4) {
            self.noise();
            self.status();
            self.message();
            self.agent_again();
        }
        self.end(named);
    }

    fn input(&mut self) -> String {
        let id = self.id("in");
        let content = Json::from_value(&json!(self.random.text(5)));
        let input = AcceptedInput::new(InputId::new(id.as_str()), content);
        let played = &mut self.played;
        let event = played.builder.accepted(played.at_ms, input);
        played.items.push(Item::Event(event));
        played.builder.sent(InputId::new(id.as_str()));
        id
    }

    fn end(&mut self, named: &[String]) {
        let named = json!(named);
        let result = |subtype: &str, is_error: bool, reason: &str| {
            json!({
                "type": "result", "subtype": subtype, "is_error": is_error, "result": "x",
                "errors": ["x"], "terminal_reason": reason, "stop_reason": "end_turn",
                "usage": {"input_tokens": 3, "output_tokens": 4}, "user_message_uuids": named,
            })
        };
        match self.random.below(10) {
            0 => self.line(&result("success", true, "api_error")),
            1 => self.line(&result("error_during_execution", true, "aborted_tools")),
            2 => {
                self.state(LifecycleState::Lost);
                self.state(LifecycleState::Ready);
            }
            _ => self.line(&result("success", false, "completed")),
        }
    }

    /// A message of the model: blocks, and what comes of its tools.
    fn message(&mut self) {
        let id = self.id("msg");
        let mut calls = Vec::new();
        self.event(&id, json!({"type": "message_start", "message": {"id": id, "role": "assistant", "content": []}}));
        for index in 0..=self.random.below(4) {
            let block = match self.random.below(4) {
                0 => json!({"type": "thinking", "thinking": "hm"}),
                1 => {
                    let call = self.id("toolu");
                    calls.push(call.clone());
                    self.call(&call)
                }
                _ => json!({"type": "text", "text": self.words()}),
            };
            if let Some(text) = block["text"].as_str() {
                self.stream(&id, index, text);
                if self.random.chance(8) {
                    // The stream breaks: the deltas of the block do not count.
                    let broken = json!({
                        "type": "stream_event", "api_message_id": id, "event": {"type": "message_stop"},
                        "abandoned_blocks": {"api_message_id": id, "from_block_index": index},
                    });
                    return self.line(&broken);
                }
            }
            let line = self.id("line");
            self.line(&json!({
                "type": "assistant", "uuid": line, "parent_tool_use_id": null,
                "message": {"id": id, "role": "assistant", "content": [block],
                    "usage": {"input_tokens": 9, "output_tokens": 1}},
            }));
            self.lines.push(line);
            self.event(&id, json!({"type": "content_block_stop", "index": index}));
        }
        let usage = json!({"output_tokens": 7});
        self.event(
            &id,
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage}),
        );
        self.prompts(&calls);
        for call in calls {
            match self.random.below(10) {
                0 => {
                    // It works on behind the conversation.
                    self.tool_result(&call, None, true);
                    self.subagent(&call);
                }
                1 => {
                    self.subagent(&call);
                    self.tool_result(&call, None, false);
                }
                // It never answers.
                2 => {}
                _ => self.tool_result(&call, None, false),
            }
        }
    }

    fn event(&mut self, message: &str, event: Value) {
        if self.streams {
            self.line(&json!({"type": "stream_event", "api_message_id": message, "event": event}));
        }
    }

    fn stream(&mut self, message: &str, index: usize, text: &str) {
        let start = json!({"type": "text", "text": ""});
        self.event(
            message,
            json!({"type": "content_block_start", "index": index, "content_block": start}),
        );
        let letters: Vec<char> = text.chars().collect();
        let mut from = 0;
        while from < letters.len() {
            let to = (from + 1 + self.random.below(4)).min(letters.len());
            let piece: String = letters[from..to].iter().collect();
            let delta = json!({"type": "text_delta", "text": piece});
            self.event(
                message,
                json!({"type": "content_block_delta", "index": index, "delta": delta}),
            );
            from = to;
            // Other things do not wait for a text to be whole.
            if self.random.chance(8) {
                self.status();
            }
        }
    }

    fn tool_result(&mut self, call: &str, parent: Option<&str>, is_async: bool) {
        let text = self.words();
        let number = 1 + self.random.below(4);
        self.line(&json!({
            "type": "user", "parent_tool_use_id": parent, "uuid": format!("{call}/result"),
            "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": call, "content": text}]},
            "tool_use_result": {"isAsync": is_async, "task": {"id": number.to_string(), "subject": "x"},
                "success": true, "taskId": number.to_string(), "updatedFields": []},
        }));
    }

    /// A call of a tool; some of them write lists, which grow, shrink and are done again.
    fn call(&mut self, id: &str) -> Value {
        let number = 1 + self.random.below(4);
        let state = ["pending", "in_progress", "completed", "deleted"][self.random.below(4)];
        let (name, input) = match self.random.below(8) {
            0 | 1 => {
                let first = self.random.below(3);
                let points = first..first + self.random.below(5);
                let points: Vec<Value> = points
                    .map(|point| {
                        let state = ["pending", "in_progress", "completed"][self.random.below(3)];
                        json!({"content": format!("point {point}"), "status": state, "activeForm": "at it"})
                    })
                    .collect();
                ("TodoWrite", json!({"todos": points}))
            }
            2 => ("TaskCreate", json!({"subject": "x", "description": "y"})),
            3 => (
                "TaskUpdate",
                json!({"taskId": number.to_string(), "status": state}),
            ),
            4 => ("ExitPlanMode", json!({"plan": "# Plan"})),
            _ => ("Bash", json!({"command": "ls"})),
        };
        json!({"type": "tool_use", "id": id, "name": name, "input": input})
    }

    /// Text of an agent or of a tool; some of it counts.
    fn words(&mut self) -> String {
        let total = 2 + self.random.below(9);
        let done = self.random.below(total + 1);
        match self.random.below(8) {
            0 => format!("Running test {done} of {total}..."),
            1 => format!("Step {done}/{total}: going on."),
            2 => format!(
                "running {total} tests\n\ntest result: ok. {total} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s\n"
            ),
            3 => format!("I'm about {}% done.", done * 100 / total),
            _ => self.random.text(12),
        }
    }

    fn prompts(&mut self, calls: &[String]) {
        let size = calls.len() as u32;
        let is_group = size > 1 && self.random.chance(60);
        // The first was asked alone, and the others joined it.
        let grows = is_group && self.random.chance(40);
        let mut open = Vec::new();
        for (index, call) in (0..).zip(calls) {
            if !is_group && self.random.chance(50) {
                continue;
            }
            let request =
                json!({"tool_name": "Bash", "input": {"command": "ls"}, "tool_use_id": call});
            let kind = match self.random.below(6) {
                0 if !is_group => InteractionKind::Question,
                1 if !is_group => InteractionKind::Elicitation,
                _ => InteractionKind::Permission,
            };
            let id = InteractionId::new(format!("{call}/prompt"));
            let mut prompt = Interaction::new(id.clone(), kind, Json::from_value(&request));
            prompt.tool_use_id = Some(call.clone());
            if grows && index > 0 {
                prompt = prompt.in_group(format!("{}/prompt", calls[0]), index, index + 1);
            } else if is_group && !grows {
                prompt = prompt.in_group(format!("{}/group", calls[0]), index, size);
            }
            self.fact(Fact::InteractionOpened(prompt));
            if is_group && self.random.chance(10) {
                self.fact(Fact::InteractionWithdrawn(id));
            } else {
                open.push(id);
            }
        }
        for id in open {
            match self.random.below(4) {
                0 => self.fact(Fact::InteractionExpired(id)),
                1 => {}
                _ => {
                    let answer = Json::from_value(&json!({"behavior": "allow"}));
                    self.fact(Fact::InteractionAnswered(InteractionAnswer::new(
                        id, answer,
                    )));
                }
            }
        }
    }
}
