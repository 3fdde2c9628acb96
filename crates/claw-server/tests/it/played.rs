//! Lines of the CLI that a test plays, and their events.

use claw_server::event::{Fact, Lifecycle, LifecycleState};
use claw_server::{EventBuilder, Output};
use serde_json::{Value, json};

use crate::recorded::Item;

/// A session that is played line by line.
pub(crate) struct Played {
    pub(crate) builder: EventBuilder,
    pub(crate) items: Vec<Item>,
    /// The time of the next line.
    pub(crate) at_ms: i64,
    step_ms: i64,
}

impl Played {
    /// Starts a session with so much time between two lines.
    pub(crate) fn new(step_ms: i64) -> Self {
        Self {
            builder: EventBuilder::new(1),
            items: Vec::new(),
            at_ms: 0,
            step_ms,
        }
    }

    pub(crate) fn line(&mut self, line: &Value) {
        self.raw(&line.to_string());
        self.at_ms += self.step_ms;
    }

    pub(crate) fn raw(&mut self, line: &str) {
        let mut output = Output::default();
        self.builder.line(self.at_ms, line, &mut output);
        self.take(output);
    }

    pub(crate) fn fact(&mut self, fact: Fact) {
        let event = self.builder.fact(self.at_ms, fact);
        self.items.push(Item::Event(event));
    }

    /// Ends the process.
    pub(crate) fn ended(&mut self, state: LifecycleState) {
        let mut output = Output::default();
        let lifecycle = Lifecycle::new(state);
        self.builder.ended(self.at_ms, lifecycle, &mut output);
        self.take(output);
    }

    fn take(&mut self, output: Output) {
        self.items
            .extend(output.events.into_iter().map(Item::Event));
        self.items
            .extend(output.deltas.into_iter().map(Item::Delta));
    }
}

/// The items of these lines.
pub(crate) fn play(step_ms: i64, lines: &[Value]) -> Vec<Item> {
    let mut played = Played::new(step_ms);
    lines.iter().for_each(|line| played.line(line));
    played.items
}

pub(crate) fn init() -> Value {
    json!({"type": "system", "subtype": "init", "session_id": "s", "tools": [], "mcp_servers": []})
}

/// A message of the agent, or of the subagent that the call `lane` started.
pub(crate) fn message(lane: Option<&str>, id: &str, content: Value) -> Value {
    json!({"type": "assistant", "parent_tool_use_id": lane,
        "message": {"id": id, "role": "assistant", "content": content}})
}

pub(crate) fn text(lane: Option<&str>, text: &str) -> Value {
    message(lane, "m", json!([{"type": "text", "text": text}]))
}

pub(crate) fn call(lane: Option<&str>, id: &str, name: &str, input: &Value) -> Value {
    let call = json!([{"type": "tool_use", "id": id, "name": name, "input": input}]);
    message(lane, &format!("m_{id}"), call)
}

pub(crate) fn result(lane: Option<&str>, id: &str, text: &str) -> Value {
    json!({"type": "user", "parent_tool_use_id": lane, "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": id, "content": text}]}})
}
