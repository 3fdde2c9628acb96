//! What the model says in a scenario, in a notation short enough to read in one glance.

use std::time::Duration;

use claw_testkit::{ApiRequest, Pieces, Turn, Usage};
use serde_json::{Value, json};

/// One answer of the API.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    pub(super) body: Body,
    /// Text that the request must be about; see [`is_about`].
    pub(super) when: Option<String>,
    /// Silence before the first byte.
    pub(super) first_byte: Duration,
    /// Silence between two stream events.
    pub(super) pace: Duration,
    pub(super) headers: Vec<(&'static str, String)>,
    /// Deltas a block.
    pub(super) chunks: usize,
    /// Deltas of the first block, written as they are.
    pub(super) raw: Vec<&'static str>,
    /// Answers every request that it fits and nothing else does.
    pub(super) forever: bool,
}

/// What an answer consists of.
#[derive(Debug, Clone)]
pub(super) enum Body {
    /// A message.
    Message {
        content: Vec<Value>,
        stop_reason: Option<&'static str>,
        usage: Option<Usage>,
        ending: Ending,
    },
    /// An error status.
    Error {
        status: u16,
        kind: &'static str,
        message: String,
    },
    /// A closed connection.
    Drop,
}

/// How a streamed message ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// As it should.
    Whole,
    /// The connection breaks after this many events.
    Broken(usize),
    /// An error event comes after this many events.
    ErrorEvent(usize),
    /// Nothing more comes after this many events.
    Hang(usize),
}

/// A message of these content blocks.
pub(super) fn blocks(content: impl IntoIterator<Item = Value>) -> Reply {
    let content = content.into_iter().collect();
    Reply::new(Body::Message {
        content,
        stop_reason: None,
        usage: None,
        ending: Ending::Whole,
    })
}

/// A text.
pub(super) fn say(text: &str) -> Reply {
    blocks([text_block(text)])
}

/// One tool call.
pub(super) fn call(id: &str, name: &str, input: Value) -> Reply {
    blocks([tool(id, name, input)])
}

/// One Bash call.
pub(super) fn bash(id: &str, command: &str) -> Reply {
    call(
        id,
        "Bash",
        json!({"command": command, "description": format!("run {command}")}),
    )
}

/// A text block.
pub(super) fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// A tool call block.
pub(super) fn tool(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": format!("toolu_{id}"), "name": name, "input": input})
}

/// A thinking block.
pub(super) fn thinking(text: &str) -> Value {
    json!({"type": "thinking", "thinking": text, "signature": "c2lnbmF0dXJl"})
}

/// An error status.
pub(super) fn error(status: u16, kind: &'static str, message: &str) -> Reply {
    Reply::new(Body::Error {
        status,
        kind,
        message: message.to_owned(),
    })
}

/// Too many requests.
pub(super) fn rate_limited() -> Reply {
    error(429, "rate_limit_error", "Slow down")
}

/// Overloaded.
pub(super) fn overloaded() -> Reply {
    error(529, "overloaded_error", "Overloaded")
}

/// A closed connection.
pub(super) fn hang_up() -> Reply {
    Reply::new(Body::Drop)
}

impl Reply {
    fn new(body: Body) -> Self {
        Self {
            body,
            when: None,
            first_byte: Duration::ZERO,
            pace: Duration::ZERO,
            headers: Vec::new(),
            chunks: 1,
            raw: Vec::new(),
            forever: false,
        }
    }

    /// Only answers requests that are about this text.
    pub(super) fn when(mut self, text: &str) -> Self {
        self.when = Some(text.to_owned());
        self
    }

    /// Sends each block in this many deltas.
    pub(super) fn chunks(mut self, count: usize) -> Self {
        self.chunks = count;
        self
    }

    /// Sends the first block in these deltas, which are the insides of JSON strings.
    pub(super) fn raw(mut self, pieces: impl IntoIterator<Item = &'static str>) -> Self {
        self.raw = pieces.into_iter().collect();
        self
    }

    /// Waits before the first byte.
    pub(super) fn after(mut self, millis: u64) -> Self {
        self.first_byte = Duration::from_millis(millis);
        self
    }

    /// Waits between two events.
    pub(super) fn pace(mut self, millis: u64) -> Self {
        self.pace = Duration::from_millis(millis);
        self
    }

    /// Adds a response header.
    pub(super) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// Answers every later request too.
    pub(super) fn forever(mut self) -> Self {
        self.forever = true;
        self
    }

    /// Ends with another stop reason.
    pub(super) fn stop(mut self, reason: &'static str) -> Self {
        if let Body::Message { stop_reason, .. } = &mut self.body {
            *stop_reason = Some(reason);
        }
        self
    }

    /// Reports this use of tokens.
    pub(super) fn tokens(mut self, counts: Usage) -> Self {
        if let Body::Message { usage, .. } = &mut self.body {
            *usage = Some(counts);
        }
        self
    }

    /// Ends the stream early.
    pub(super) fn ending(mut self, how: Ending) -> Self {
        if let Body::Message { ending, .. } = &mut self.body {
            *ending = how;
        }
        self
    }

    /// The turn of the scripted API, with every text mapped, which puts the run's own
    /// paths in place.
    pub(super) fn turn(&self, map: &dyn Fn(&str) -> String) -> Turn {
        let mut turn = match &self.body {
            Body::Error {
                status,
                kind,
                message,
            } => Turn::error(*status, *kind, message),
            Body::Drop => Turn::close_without_response(),
            Body::Message {
                content,
                stop_reason,
                usage,
                ending,
            } => {
                let mut turn = Turn::empty();
                for (index, block) in content.iter().enumerate() {
                    let mut block = block.clone();
                    map_value(&mut block, map);
                    turn = turn.block(block);
                    if index == 0 && !self.raw.is_empty() {
                        turn = turn.pieces(Pieces::Raw(self.raw.iter().map(|p| map(p)).collect()));
                    }
                }
                if let Some(reason) = stop_reason {
                    turn = turn.stop_reason(*reason);
                    if *reason == "refusal" {
                        // Without a category the CLI offers no other model.
                        turn = turn.stop_details(json!({
                            "type": "refusal", "category": "cyber", "explanation": "policy",
                        }));
                    }
                }
                if let Some(usage) = usage {
                    turn = turn.usage(usage.clone());
                }
                match ending {
                    Ending::Whole => turn,
                    Ending::Broken(events) => turn.cut_after(*events),
                    Ending::Hang(events) => turn.hang_after(*events),
                    Ending::ErrorEvent(events) => {
                        turn.sse_error_after(*events, "overloaded_error", "Overloaded")
                    }
                }
            }
        };
        turn = turn.delay(self.first_byte).delay_between(self.pace);
        if self.chunks > 1 {
            turn = turn.chunks(self.chunks);
        }
        for (name, value) in &self.headers {
            turn = turn.header(*name, value);
        }
        if let Some(text) = &self.when {
            let text = map(text);
            turn = turn.matching(move |request| is_about(request, &text));
        }
        if self.forever && self.when.is_some() {
            turn.always()
        } else {
            turn
        }
    }
}

/// Whether the first or the last user message or the system prompt says this.
///
/// A subagent's own prompt comes first in all its requests, but also stands inside the main
/// conversation as the input of a tool; so the whole body would be too much to look at.
fn is_about(request: &ApiRequest, text: &str) -> bool {
    let first = request
        .messages()
        .first()
        .map(|m| m["content"].to_string())
        .unwrap_or_default();
    request.path == "/v1/messages"
        && (first.contains(text)
            || request.last_user_text().contains(text)
            || request.system_text().contains(text))
}

fn map_value(value: &mut Value, map: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = map(text),
        Value::Array(items) => items.iter_mut().for_each(|item| map_value(item, map)),
        Value::Object(fields) => fields.values_mut().for_each(|field| map_value(field, map)),
        _ => {}
    }
}
