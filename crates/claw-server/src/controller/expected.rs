//! Whether the CLI is about to ask for more. Pure.

use std::collections::VecDeque;

use rusty_claw_protocol::Line;
use rusty_claw_protocol::messages::{ApiStreamEvent, ContentBlock, Message};

/// The calls of the message that the agent writes, as far as they matter to prompts.
///
/// The CLI asks for a call when it has read it, while the model still writes the next one. So a
/// message that is not whole, and a call that has neither been asked for nor has a result, say that
/// more may come at once.
#[derive(Debug, Default)]
pub(super) struct ExpectedAsks {
    is_writing: bool,
    /// Called, and nothing is known of it.
    unasked: Vec<String>,
    /// The latest that were asked for, as a question may overtake its call.
    asked: VecDeque<String>,
}

/// Subagents behind the conversation ask while no message begins that would empty the list, so it
/// has an end: a question that many others overtook has its call printed long ago.
const REMEMBERED: usize = 256;

impl ExpectedAsks {
    pub(super) fn any(&self) -> bool {
        self.is_writing || !self.unasked.is_empty()
    }

    /// The CLI asked for a call, of a person or of a policy.
    pub(super) fn asked(&mut self, call: &str) {
        self.unasked.retain(|unasked| unasked != call);
        if !self.asked.iter().any(|asked| asked == call) {
            if self.asked.len() == REMEMBERED {
                self.asked.pop_front();
            }
            self.asked.push_back(call.to_owned());
        }
    }

    /// The CLI printed a line.
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
    use super::*;

    #[test]
    fn more_may_come_while_a_message_is_written_or_a_call_is_not_asked_for() {
        let table = [
            (
                r#"{"type":"stream_event","event":{"type":"message_start","message":{}}}"#,
                true,
            ),
            (
                r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"a","name":"Read","input":{}}]}}"#,
                true,
            ),
            ("asked a", true),
            (
                r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"b","name":"Read","input":{}}]}}"#,
                true,
            ),
            (
                r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"c","name":"Bash","input":{}}]}}"#,
                true,
            ),
            (
                r#"{"type":"stream_event","event":{"type":"message_stop"}}"#,
                true,
            ),
            ("asked b", true),
            // It ran without a question.
            (
                r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c","content":"x"}]}}"#,
                false,
            ),
            // A question may overtake its call.
            ("asked d", false),
            (
                r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"d","name":"Read","input":{}}]}}"#,
                false,
            ),
            // What subagents write is no news of the agent.
            (
                r#"{"type":"assistant","parent_tool_use_id":"t","message":{"content":[{"type":"tool_use","id":"e","name":"Read","input":{}}]}}"#,
                false,
            ),
            (
                r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"f","name":"Read","input":{}}]}}"#,
                true,
            ),
            (
                r#"{"type":"result","subtype":"success","is_error":false,"result":""}"#,
                false,
            ),
        ];
        let mut expected = ExpectedAsks::default();
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
        let mut expected = ExpectedAsks::default();
        for call in 0..REMEMBERED * 3 {
            expected.asked(&call.to_string());
        }
        assert_eq!(expected.asked.len(), REMEMBERED);
        let latest = (REMEMBERED * 3 - 1).to_string();
        assert_eq!(expected.asked.back(), Some(&latest));
    }
}
