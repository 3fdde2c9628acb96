//! Follows the turns and the tools of a session.

use rusty_claw_protocol::messages::{
    ApiStreamEvent, AssistantMessage, ContentBlock, Message, ResultMessage, StreamEvent,
    SystemMessage, UserMessage,
};
use rusty_claw_protocol::{Line, Str};
use serde::{Deserialize, Serialize};

use super::calls::Calls;
use super::open_prompts::OpenPrompts;
use super::results::CallResult;
use super::step::{Step, StoredBlock};
use super::stop::ResultNote;
use super::{results, task};
use crate::event::{
    EndedTurn, Fact, InputId, Lifecycle, LifecycleState, PromptId, SessionEvent, TurnEnding,
};
use crate::ui_message::{InputState, PromptOutcome, Resolution, ToolFailure};

/// What [`UiMessage::ToolCompleted`](crate::UiMessage::ToolCompleted) says of a tool that never
/// answered, because its turn was stopped or its process was lost.
pub const NO_TOOL_RESULT: &str = "(no result: the turn ended first)";

/// What [`UiMessage::ToolCompleted`](crate::UiMessage::ToolCompleted) says of a tool that is
/// followed no longer: more than 1,024 calls are open, and it is the oldest that waits for no
/// other. Such calls are those of subagents in the background, whose end the CLI does not always
/// tell. Should its result come all the same, nothing is said of it: it has ended, and no tool ends
/// twice.
pub const UNFOLLOWED_TOOL: &str = "(no result seen: too many other tools are running)";

/// Where a session is, as far as its events say. Small: what is open, and nothing of what is over.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Track {
    /// The last event that was seen.
    pub(super) sequence: u64,
    /// The turn that runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) turn: Option<u64>,
    /// The last turn that is over: no turn is over twice.
    over: u64,
    /// The result of the turn that runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<ResultNote>,
    #[serde(default, skip_serializing_if = "Calls::is_empty")]
    calls: Calls,
    #[serde(default, skip_serializing_if = "OpenPrompts::is_empty")]
    prompts: OpenPrompts,
    /// The message whose blocks are being stored, and how many are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<(Str, u32)>,
}

impl Track {
    /// The turn that something belongs to when its event does not say.
    pub(super) fn turn_or_last(&self) -> u64 {
        self.turn.unwrap_or(self.over)
    }

    /// Whether an event was not seen before.
    pub(super) fn unseen(&self, event: &SessionEvent) -> bool {
        event.sequence > self.sequence
    }

    /// Takes events up to a sequence as seen, although they were not.
    pub(super) fn pass(&mut self, sequence: u64) {
        self.sequence = self.sequence.max(sequence);
    }

    /// What an event means; nothing when it was seen before.
    /// The line is what [`SessionEvent::line`] says.
    pub(super) fn event<'a>(
        &mut self,
        event: &'a SessionEvent,
        line: Option<&'a Line>,
        steps: &mut Vec<Step<'a>>,
    ) {
        if !self.unseen(event) {
            return;
        }
        if event.sequence > self.sequence + 1 {
            steps.push(Step::Gap {
                from: self.sequence + 1,
                to: event.sequence - 1,
            });
        }
        self.sequence = event.sequence;
        // The beginning of a turn may lie in a gap, or before the place where a reader joined.
        if let Some(turn) = event.turn
            && turn > self.over
            && self.turn != Some(turn)
            && !matches!(
                event.fact,
                // What became of an input may be told when its turn is over.
                Fact::TurnStarted(_)
                    | Fact::InputAccepted(_)
                    | Fact::InputDelivered(_)
                    | Fact::InputProcessed(_)
                    | Fact::InputFailed(_)
            )
        {
            self.begin(turn, steps);
        }
        self.fact(event, line, steps);
    }

    fn fact<'a>(
        &mut self,
        event: &'a SessionEvent,
        line: Option<&'a Line>,
        steps: &mut Vec<Step<'a>>,
    ) {
        let input = |id: &InputId, state| Step::Input {
            id: id.clone(),
            state,
            reason: None,
        };
        match &event.fact {
            Fact::Message(raw) => match line.and_then(Line::message) {
                Some(message) => self.message(message, steps),
                None => steps.push(Step::Line(raw)),
            },
            Fact::InputAccepted(accepted) => {
                steps.push(input(&accepted.id, InputState::Accepted));
            }
            Fact::InputDelivered(id) => steps.push(input(id, InputState::Delivered)),
            Fact::InputProcessed(id) => steps.push(input(id, InputState::Processed)),
            Fact::InputFailed(failure) => steps.push(Step::Input {
                id: failure.id.clone(),
                state: if failure.indeterminate {
                    InputState::Indeterminate
                } else {
                    InputState::Failed
                },
                reason: Some(failure.reason.clone()),
            }),
            Fact::PromptAsked(prompt) => {
                self.prompts.asked(prompt);
                steps.push(Step::Asked(prompt));
            }
            Fact::PromptAnswered(answer) => {
                let named = self.prompts.resolved(&answer.id);
                steps.push(Step::Resolved {
                    id: answer.id.clone(),
                    outcome: named.answered(answer),
                    named,
                    resolution: Resolution::Answered,
                    by: answer.by.clone(),
                });
            }
            Fact::PromptExpired(id) => {
                let (resolution, outcome) = (Resolution::Expired, PromptOutcome::Expired);
                steps.push(self.unanswered(id, resolution, outcome));
            }
            Fact::PromptWithdrawn(id) => {
                let (resolution, outcome) = (Resolution::Withdrawn, PromptOutcome::Withdrawn);
                steps.push(self.unanswered(id, resolution, outcome));
            }
            Fact::TurnStarted(_) => {
                if let Some(turn) = event.turn.filter(|turn| *turn > self.over) {
                    self.begin(turn, steps);
                }
            }
            Fact::TurnEnded(ended) => {
                if let Some(turn) = event.turn.filter(|turn| *turn > self.over) {
                    self.over(turn, ended, steps);
                }
            }
            Fact::Lifecycle(lifecycle) => self.lifecycle(lifecycle, steps),
            Fact::Progress(update) => steps.push(Step::Progress(update.clone())),
            Fact::Unknown { kind, .. } => steps.push(Step::Unknown(kind)),
        }
    }

    fn unanswered(
        &mut self,
        id: &PromptId,
        resolution: Resolution,
        outcome: PromptOutcome,
    ) -> Step<'static> {
        Step::Resolved {
            id: id.clone(),
            named: self.prompts.resolved(id),
            resolution,
            outcome,
            by: None,
        }
    }

    fn begin(&mut self, turn: u64, steps: &mut Vec<Step<'_>>) {
        if let Some(before) = self.turn.filter(|before| *before < turn) {
            // Nobody saw its end: its owner was lost, and the log says no more of it.
            let lost = EndedTurn::new(TurnEnding::ProcessLost).because("nobody saw its end");
            self.over(before, &lost, steps);
        }
        self.turn = Some(turn);
        self.result = None;
        steps.push(Step::TurnBegan);
    }

    /// A turn is over: what it waits for ends with it, and then it ends, once.
    fn over(&mut self, turn: u64, ended: &EndedTurn, steps: &mut Vec<Step<'_>>) {
        for id in self.calls.end_of_turn() {
            steps.push(no_result(id));
        }
        let note = self.result.take().unwrap_or_default();
        let (stop, error) = note.end(ended);
        self.turn = None;
        self.message = None;
        self.over = turn;
        steps.push(Step::TurnOver {
            turn,
            stop,
            error,
            command: note.command,
        });
    }

    fn lifecycle<'a>(&mut self, lifecycle: &'a Lifecycle, steps: &mut Vec<Step<'a>>) {
        steps.push(Step::Lifecycle(lifecycle));
        if lifecycle.state == LifecycleState::Ready {
            return;
        }
        // There is no process, so nobody waits, and nothing of it runs on.
        self.prompts.forget();
        for id in self.calls.end_all() {
            steps.push(no_result(id));
        }
        if let Some(turn) = self.turn {
            let how = match (&lifecycle.reason, lifecycle.exit_code) {
                (Some(reason), _) => format!(": {reason}"),
                (None, Some(code)) => format!(", with exit code {code}"),
                (None, None) => String::new(),
            };
            let lost = EndedTurn::new(TurnEnding::ProcessLost)
                .because(format!("the process ended first{how}"));
            self.over(turn, &lost, steps);
        }
    }

    fn message<'a>(&mut self, message: &'a Message, steps: &mut Vec<Step<'a>>) {
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
        // The result says the same, and how the turn ended.
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

    /// Which block of its message this is.
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

    /// A call ended. A second end, or one that nobody saw begin, is none.
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

fn no_result(id: String) -> Step<'static> {
    Step::ToolEnded {
        id,
        result: NO_TOOL_RESULT.to_owned(),
        failure: Some(ToolFailure::NoResult),
    }
}

/// The end of a message of the API, which is all that a log has of its stream.
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

/// Counts come from outside, so they may be anything.
fn total(counts: [Option<u64>; 3]) -> u64 {
    let counts = counts.into_iter().flatten();
    counts.fold(0, u64::saturating_add)
}

/// What a command of the CLI printed, in the marks that it puts around it.
fn local_output(text: &str) -> Option<&str> {
    ["stdout", "stderr"].iter().find_map(|stream| {
        let rest = text
            .trim()
            .strip_prefix(&format!("<local-command-{stream}>"))?;
        let (printed, _) = rest.split_once(&format!("</local-command-{stream}>"))?;
        Some(printed.trim()).filter(|printed| !printed.is_empty())
    })
}
