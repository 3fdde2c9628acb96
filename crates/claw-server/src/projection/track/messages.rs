//! The effect of the CLI's messages on the running turn and tools.

use rusty_claw_protocol::Str;
use rusty_claw_protocol::messages::{
    ApiStreamEvent, AssistantMessage, ContentBlock, Message, ResultMessage, StreamEvent,
    SystemMessage, UserMessage,
};

use super::super::results::CallResult;
use super::super::step::{Step, StoredBlock};
use super::super::stop::ResultNote;
use super::super::{results, task};
use super::{Track, UNFOLLOWED_TOOL, no_result};
use crate::ui_message::ToolFailure;

impl Track {
    pub(super) fn message<'a>(&mut self, message: &'a Message, steps: &mut Vec<Step<'a>>) {
        match message {
            Message::Assistant(assistant) => self.assistant(assistant, steps),
            Message::User(user) => self.user(user, steps),
            Message::Result(result) => self.result(result, steps),
            Message::StreamEvent(event) => streamed(event, steps),
            Message::System(SystemMessage::ModelRefusalFallback(fallback)) => {
                let lines = fallback.retracted_message_uuids.as_deref();
                steps.extend(lines.map(Step::Retracted));
                steps.push(Step::Message(message));
            }
            other => {
                if let Some(call) = task::ended_call(other) {
                    for id in self.calls.end_below(call) {
                        steps.push(no_result(id));
                    }
                }
                steps.push(Step::Message(other));
            }
        }
    }

    fn assistant<'a>(&mut self, assistant: &'a AssistantMessage, steps: &mut Vec<Step<'a>>) {
        let parent = assistant.parent_tool_use_id.as_deref();
        let is_local = assistant.local_command_source.is_some()
            || assistant.local_command_run.is_some()
            || assistant.local_command_outcome.is_some();
        // The result contains the same error, and how the turn ended.
        let is_error = assistant.is_api_error_message == Some(true) || assistant.error.is_some();
        let line = assistant.uuid.as_deref();
        steps.extend(assistant.supersedes.as_deref().map(Step::Retracted));
        let message = &assistant.message;
        if parent.is_none()
            && let Some(usage) = &message.usage
            && !is_local
            && !is_error
        {
            steps.push(Step::Tokens {
                message: message.id.clone(),
                input: total([
                    Some(usage.input_tokens),
                    usage.cache_read_input_tokens,
                    usage.cache_creation_input_tokens,
                ]),
                output: usage.output_tokens,
            });
        }
        for block in message.content.iter() {
            let text = block.as_text();
            if parent.is_none() && !is_local && !is_error {
                let number = self.count_block(message.id.as_ref());
                steps.push(Step::Stored(StoredBlock {
                    message: message.id.as_ref(),
                    block: number,
                    line,
                    text,
                }));
            } else if let Some(text) = text {
                match parent {
                    Some(tool_use_id) => steps.push(Step::SubagentText { tool_use_id, text }),
                    None if is_local => steps.push(Step::Local(text)),
                    None => {}
                }
            }
            self.tool(block, parent, steps);
        }
    }

    /// The index of this block in its message.
    fn count_block(&mut self, message: Option<&Str>) -> u32 {
        let Some(message) = message else {
            self.message = None;
            return 0;
        };
        match &mut self.message {
            Some((id, count)) if id == message => {
                *count += 1;
                *count - 1
            }
            other => {
                *other = Some((message.clone(), 1));
                0
            }
        }
    }

    fn tool<'a>(
        &mut self,
        block: &'a ContentBlock,
        parent: Option<&str>,
        steps: &mut Vec<Step<'a>>,
    ) {
        if let Some(result) = results::result(block) {
            self.ended(result, steps);
        } else if let Some((id, name, input)) = results::call(block)
            && self.calls.begin(id, parent, self.sequence)
        {
            steps.push(Step::ToolBegan { id, name, input });
            let left = self.calls.crowded_out();
            steps.extend(left.map(|id| Step::ToolEnded {
                id,
                result: UNFOLLOWED_TOOL.to_owned(),
                failure: None,
            }));
        }
    }

    fn ended(&mut self, result: CallResult, steps: &mut Vec<Step<'_>>) {
        if self.calls.end(&result.id) {
            steps.push(Step::ToolEnded {
                id: result.id.as_str().to_owned(),
                result: result.text,
                failure: result.is_error.then_some(ToolFailure::Error),
            });
        }
    }

    fn user<'a>(&mut self, user: &'a UserMessage, steps: &mut Vec<Step<'a>>) {
        let in_background = user
            .tool_use_result
            .as_ref()
            .is_some_and(|result| result.get("isAsync").and_then(|flag| flag.view()) == Some(true));
        for block in user.message.content.iter() {
            if let Some(result) = results::result(block) {
                if !in_background {
                    for below in self.calls.end_below(&result.id) {
                        steps.push(no_result(below));
                    }
                }
                self.ended(result, steps);
            } else if user.parent_tool_use_id.is_none()
                && let Some(text) = block.as_text()
                && let Some(printed) = local_output(text)
            {
                steps.push(Step::Local(printed));
            }
        }
    }

    fn result<'a>(&mut self, result: &'a ResultMessage, steps: &mut Vec<Step<'a>>) {
        let note = ResultNote::of(result);
        if self.turn.is_none() {
            steps.extend(note.into_error().map(Step::Trouble));
            return;
        }
        self.result = Some(note);
        if let ResultMessage::Success {
            usage: Some(usage),
            total_cost_usd,
            ..
        }
        | ResultMessage::Error {
            usage: Some(usage),
            total_cost_usd,
            ..
        } = result
        {
            steps.push(Step::TurnUsage {
                usage,
                total_cost_usd: *total_cost_usd,
            });
        }
    }
}

/// The end of an API message: the only stream event in a log.
fn streamed(event: &StreamEvent, steps: &mut Vec<Step<'_>>) {
    if let Some(ApiStreamEvent::MessageDelta(delta)) = &event.event
        && event.parent_tool_use_id.is_none()
        && let Some(usage) = &delta.usage
    {
        steps.push(Step::Tokens {
            message: event.api_message_id.clone(),
            input: total([
                usage.input_tokens,
                usage.cache_read_input_tokens,
                usage.cache_creation_input_tokens,
            ]),
            output: usage.output_tokens,
        });
    }
}

/// Saturates, because the counts are untrusted.
fn total(counts: [Option<u64>; 3]) -> u64 {
    let counts = counts.into_iter().flatten();
    counts.fold(0, u64::saturating_add)
}

/// The output of a local command, without the CLI's tags.
fn local_output(text: &str) -> Option<&str> {
    ["stdout", "stderr"].iter().find_map(|stream| {
        let rest = text
            .trim()
            .strip_prefix(&format!("<local-command-{stream}>"))?;
        let (printed, _) = rest.split_once(&format!("</local-command-{stream}>"))?;
        Some(printed.trim()).filter(|printed| !printed.is_empty())
    })
}
