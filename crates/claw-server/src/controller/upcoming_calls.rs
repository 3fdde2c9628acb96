//! Predicts whether the CLI will ask for more calls. Pure.

use std::collections::VecDeque;

use rusty_claw_protocol::Line;
use rusty_claw_protocol::messages::{ApiStreamEvent, ContentBlock, Message};

/// The calls of the message that the agent is writing, as far as they matter to interactions.
///
/// The CLI asks for a call as soon as it has read it, while the model still writes the next one. So
/// more requests may follow at once while the message is incomplete, or while a call has neither
/// been asked for nor has a result.
#[derive(Debug, Default)]
pub(super) struct UpcomingCalls {
    is_writing: bool,
    /// Calls that were not asked for and have no result.
    unasked: Vec<String>,
    /// The latest calls that were asked for: a request may arrive before its call.
    asked: VecDeque<String>,
}

/// Bounds the list while background subagents ask and no new message clears it. The call of an
/// older request was printed long ago.
const REMEMBERED: usize = 256;

impl UpcomingCalls {
    pub(super) fn any(&self) -> bool {
        self.is_writing || !self.unasked.is_empty()
    }

    /// The CLI asked for a call. A person or a policy decides.
    pub(super) fn asked(&mut self, call: &str) {
        self.unasked.retain(|unasked| unasked != call);
        if !self.asked.iter().any(|asked| asked == call) {
            if self.asked.len() == REMEMBERED {
                self.asked.pop_front();
            }
            self.asked.push_back(call.to_owned());
        }
    }

    /// Processes a line of the CLI.
    pub(super) fn line(&mut self, line: &Line) {
        let Line::Message(received) = line else {
            return;
        };
        match &received.message {
            Message::StreamEvent(event) if event.parent_tool_use_id.is_none() => {
                match event.event {
                    Some(ApiStreamEvent::MessageStart { .. }) => {
                        *self = Self::default();
                        self.is_writing = true;
                    }
                    Some(ApiStreamEvent::MessageStop { .. }) => self.is_writing = false,
                    _ => {}
                }
            }
            Message::Assistant(assistant) if assistant.parent_tool_use_id.is_none() => {
                for block in received.message.content_blocks() {
                    if let ContentBlock::ToolUse { id, .. } = block
                        && !self.asked.iter().any(|asked| asked == id.as_str())
                    {
                        self.unasked.push(id.as_str().to_owned());
                    }
                }
            }
            Message::User(_) => {
                for block in received.message.content_blocks() {
                    if let ContentBlock::ToolResult { tool_use_id, .. } = block {
                        self.unasked.retain(|call| call != tool_use_id.as_str());
                    }
                }
            }
            Message::Result(_) => *self = Self::default(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn more_may_come_while_a_message_is_written_or_a_call_is_not_asked_for() {
        let begins = r#"{"type":"stream_event","event":{"type":"message_start","message":{}}}"#;
        let stops = r#"{"type":"stream_event","event":{"type":"message_stop"}}"#;
        let ends = r#"{"type":"result","subtype":"success","is_error":false,"result":""}"#;
        let call = |parent: Option<&str>, id: &str| {
            let content = json!([{"type": "tool_use", "id": id, "name": "Read", "input": {}}]);
            json!({"type": "assistant", "parent_tool_use_id": parent, "message": {"content": content}})
                .to_string()
        };
        let result = json!([{"type": "tool_result", "tool_use_id": "c", "content": "x"}]);
        let result = json!({"type": "user", "message": {"content": result}}).to_string();
        let table = [
            (begins, true),
            (&*call(None, "a"), true),
            ("asked a", true),
            (&*call(None, "b"), true),
            (&*call(None, "c"), true),
            (stops, true),
            ("asked b", true),
            // It ran without a request.
            (&*result, false),
            // A request may arrive before its call.
            ("asked d", false),
            (&*call(None, "d"), false),
            // Messages of subagents are ignored.
            (&*call(Some("t"), "e"), false),
            (&*call(None, "f"), true),
            (ends, false),
        ];
        let mut expected = UpcomingCalls::default();
        assert!(!expected.any());
        for (step, wanted) in table {
            match step.strip_prefix("asked ") {
                Some(call) => expected.asked(call),
                None => expected.line(&Line::decode(step)),
            }
            assert_eq!(expected.any(), wanted, "after {step}");
        }
    }

    #[test]
    fn what_is_remembered_of_questions_has_an_end() {
        let mut expected = UpcomingCalls::default();
        for call in 0..REMEMBERED * 3 {
            expected.asked(&call.to_string());
        }
        assert_eq!(expected.asked.len(), REMEMBERED);
        let latest = (REMEMBERED * 3 - 1).to_string();
        assert_eq!(expected.asked.back(), Some(&latest));
    }
}
