//! Tracks progress in a session. Pure: no clock, no I/O.

use rusty_claw_protocol::messages::{
    AssistantMessage, ContentBlock, Message, ResultMessage, SystemMessage, UserMessage,
};
use rusty_claw_protocol::tool::ToolView;
use serde::{Deserialize, Serialize};

use super::lanes::{Asks, Lanes};
use super::lists::Lists;
use super::subjects::Subjects;
use super::tasks::{self, Background};
use super::update_sink::UpdateSink;
use super::{heartbeats, plan, results, status, words};
use crate::event::{ProgressSource, ProgressUpdate};
use crate::state_version::{StateVersion, snapshot_serde};
use crate::ui_message::TaskStatus;

/// Tracks the progress of everything in a session, from the messages of its CLI.
///
/// Structured messages come first: tasks, running tools, lists and plans, hooks, compaction,
/// limits. The text of agents and the output of commands are parsed only in lanes without an active
/// list, and their updates name these sources. Each subagent has its own lane.
///
/// The tracker can be serialized to JSON after any message and resumed from it. The JSON is only
/// valid for the version of the library that wrote it. Other versions reject it; continue with a
/// new tracker. [`EventBuilder`](crate::EventBuilder) has a tracker and records its updates in the
/// log.
///
/// ```
/// use claw_server::event::ProgressSource;
/// use claw_server::progress::ProgressTracker;
/// use rusty_claw_protocol::Line;
///
/// let line = r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use",
///     "id":"toolu_1","name":"TodoWrite","input":{"todos":[
///         {"content":"Read","status":"completed","activeForm":"Reading"},
///         {"content":"Write","status":"in_progress","activeForm":"Writing"}]}}]}}"#;
/// let Line::Message(received) = Line::decode(line) else { panic!() };
/// let mut updates = Vec::new();
/// ProgressTracker::default().message(0, &received.message, &mut updates);
/// assert_eq!(updates[0].source, ProgressSource::Todo);
/// assert_eq!(updates[0].label.as_deref(), Some("Writing"));
/// assert_eq!(updates[0].percent.map(|percent| percent.get()), Some(50.0));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct ProgressTracker {
    #[serde(rename = "v")]
    version: StateVersion<1>,
    #[serde(default, skip_serializing_if = "crate::is_default::is_default")]
    subjects: Subjects,
    #[serde(default, skip_serializing_if = "crate::is_default::is_default")]
    lanes: Lanes,
    #[serde(default, skip_serializing_if = "crate::is_default::is_default")]
    lists: Lists,
    #[serde(default, skip_serializing_if = "crate::is_default::is_default")]
    background: Background,
    /// API requests are being retried.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_retrying: bool,
}

snapshot_serde!(ProgressTracker);

impl ProgressTracker {
    /// Processes a message of the CLI and appends the updates.
    pub fn message(&mut self, at_ms: i64, message: &Message, updates: &mut Vec<ProgressUpdate>) {
        self.process(at_ms, message, true, updates);
    }

    /// Returns the number of tasks that run in the background.
    pub fn background_tasks(&self) -> usize {
        self.background.count()
    }

    /// Processes a message that caused no update when it was recorded. Its text is not parsed,
    /// because text changes the state only through updates.
    pub(crate) fn message_without_update(&mut self, at_ms: i64, message: &Message) {
        self.process(at_ms, message, false, &mut Vec::new());
    }

    /// Processes an update that was recorded for a line that is not in the log: streamed text ends
    /// retries.
    pub(crate) fn recorded(&mut self, at_ms: i64, update: &ProgressUpdate) {
        let ends = update.source == ProgressSource::Retry && crate::event::is_over(&update.state);
        if self.is_retrying && ends && update.lane.is_main() {
            self.answered(at_ms, update.state.clone(), &mut Vec::new());
        }
    }

    fn process(
        &mut self,
        at_ms: i64,
        message: &Message,
        parses: bool,
        updates: &mut Vec<ProgressUpdate>,
    ) {
        let mut sink = UpdateSink {
            at_ms,
            parses,
            subjects: &mut self.subjects,
            updates,
        };
        match message {
            Message::StreamEvent(event)
                if self.is_retrying && event.parent_tool_use_id.is_none() =>
            {
                self.answered(at_ms, TaskStatus::Completed, updates);
            }
            Message::Assistant(assistant) => self.assistant(at_ms, assistant, parses, updates),
            Message::User(user) => self.user(at_ms, user, parses, updates),
            Message::ToolProgress(said) => heartbeats::heard(&self.lanes, said, &mut sink),
            Message::RateLimitEvent(said) => status::limit(&said.rate_limit_info, &mut sink),
            Message::Result(result) => self.result(at_ms, result, updates),
            Message::ConversationReset(_) => {
                // A cleared conversation loses its lists and plans.
                let ends = |last: &ProgressUpdate| {
                    matches!(last.source, ProgressSource::Todo | ProgressSource::Plan)
                };
                self.lists = Lists::default();
                self.subjects
                    .end(at_ms, &TaskStatus::Stopped, ends, updates);
            }
            Message::CompactSystem(_) => status::compacted(None, &mut sink),
            Message::System(system) => match system {
                SystemMessage::BackgroundTasksChanged(said) => {
                    self.background
                        .changed(&mut self.lanes, &said.tasks, &mut sink);
                }
                SystemMessage::Status(said) => status::status(said, &mut sink),
                SystemMessage::CompactBoundary {
                    compact_metadata, ..
                } => {
                    let tokens = compact_metadata.as_deref();
                    let tokens = tokens.map(|said| (said.pre_tokens, said.post_tokens));
                    status::compacted(tokens, &mut sink);
                }
                SystemMessage::ApiRetry(said) => {
                    self.is_retrying = true;
                    status::retry(said, &mut sink);
                }
                SystemMessage::HookStarted(_)
                | SystemMessage::HookProgress(_)
                | SystemMessage::HookResponse(_) => status::hook(system, &mut sink),
                other => tasks::task(&mut self.lanes, &mut self.lists, other, &mut sink),
            },
            _ => {}
        }
    }

    /// Ends everything that the process ran. The agent's own lists and texts are kept, because
    /// another process may continue them.
    pub fn process_ended(&mut self, at_ms: i64, updates: &mut Vec<ProgressUpdate>) {
        let ends = |last: &ProgressUpdate| match last.source {
            ProgressSource::Todo
            | ProgressSource::RateLimit
            | ProgressSource::Prose
            | ProgressSource::ToolOutput => false,
            ProgressSource::Plan => last.state == TaskStatus::Paused,
            _ => true,
        };
        self.subjects
            .end(at_ms, &TaskStatus::Stopped, ends, updates);
        self.lanes.process_ended();
        self.lists.process_ended();
        self.background = Background::default();
        self.is_retrying = false;
        self.subjects.process_ended();
    }

    fn assistant(
        &mut self,
        at_ms: i64,
        assistant: &AssistantMessage,
        parses: bool,
        updates: &mut Vec<ProgressUpdate>,
    ) {
        let is_error = assistant.is_api_error_message == Some(true) || assistant.error.is_some();
        let is_local = assistant.local_command_source.is_some()
            || assistant.local_command_run.is_some()
            || assistant.local_command_outcome.is_some();
        let parent = assistant.parent_tool_use_id.as_deref();
        if self.is_retrying && parent.is_none() && !is_local {
            self.answered(at_ms, outcome(is_error), updates);
        }
        let mut sink = UpdateSink {
            at_ms,
            parses,
            subjects: &mut self.subjects,
            updates,
        };
        for block in assistant.message.content.iter() {
            match block {
                ContentBlock::ToolUse {
                    id, name, input, ..
                } => {
                    let lane = self.lanes.of_parent(parent);
                    let view = results::view(name, input);
                    if let Some(ToolView::TodoWrite(list)) = view {
                        let turn = sink.subjects.turns();
                        let (update, why) = self.lists.written(lane, list, turn);
                        // A cleared list is reported only if it was known.
                        if update.total.is_some() || sink.has_label(&update) {
                            sink.take(update, why);
                        }
                        self.lanes.call_began(id, parent, Asks::Other);
                        continue;
                    }
                    if let Some(ToolView::ExitPlanMode(asked)) = &view {
                        plan::asked(lane, asked, &mut sink);
                    }
                    let asks = results::asks(id, name, input, view);
                    self.lanes.call_began(id, parent, asks);
                }
                block if !is_error && !is_local => {
                    if let Some(text) = block.as_text() {
                        let lane = self.lanes.of_parent(parent);
                        words::read(&self.lists, &self.lanes, lane, text, None, &mut sink);
                    }
                }
                _ => {}
            }
        }
    }

    fn user(
        &mut self,
        at_ms: i64,
        user: &UserMessage,
        parses: bool,
        updates: &mut Vec<ProgressUpdate>,
    ) {
        let mut sink = UpdateSink {
            at_ms,
            parses,
            subjects: &mut self.subjects,
            updates,
        };
        for block in user.message.content.iter() {
            let ContentBlock::ToolResult {
                tool_use_id,
                content,
                is_error,
                ..
            } = block
            else {
                continue;
            };
            let lane = self.lanes.of_call(tool_use_id);
            if sink.subjects.has_open() {
                let subject = tasks::call_subject(tool_use_id);
                if !self.lanes.has_task(&lane, &subject) {
                    // It is known only from heartbeats.
                    sink.end(&lane, &subject, outcome(*is_error));
                }
                heartbeats::call_ended(tool_use_id, &mut sink);
            }
            let Some(call) = self.lanes.call_ended(tool_use_id) else {
                continue;
            };
            let result = results::ToolResult {
                text: content,
                output: user.tool_use_result.as_ref(),
                is_error: *is_error,
            };
            match call.asks {
                Asks::Output { subject, is_all } => {
                    let text = content.to_text();
                    let id = lane.id().to_owned();
                    let of = Some(subject.clone());
                    words::read(&self.lists, &self.lanes, lane, &text, of, &mut sink);
                    if is_all {
                        sink.subjects.settle(&id, &subject);
                    }
                }
                Asks::EnterPlan | Asks::ExitPlan => {
                    plan::answered(lane, &call.asks, &result, &mut sink);
                }
                Asks::Other => {}
                asks => results::list(&mut self.lists, asks, &result, &mut sink),
            }
        }
    }

    fn result(&mut self, at_ms: i64, result: &ResultMessage, updates: &mut Vec<ProgressUpdate>) {
        if self.is_retrying {
            self.answered(at_ms, outcome(result.is_error()), updates);
        }
        let lanes = &self.lanes;
        let ends = |last: &ProgressUpdate| match last.source {
            ProgressSource::Hook | ProgressSource::Compaction => true,
            ProgressSource::Plan => last.state == TaskStatus::Paused,
            ProgressSource::TaskEvent | ProgressSource::ToolProgress => {
                lanes.is_in_turn(&last.lane, &last.subject)
                    || (last.lane.is_main() && !lanes.has_task(&last.lane, &last.subject))
            }
            _ => false,
        };
        self.subjects
            .end(at_ms, &TaskStatus::Stopped, ends, updates);
        self.lanes.turn_ended();
        self.subjects.turn_ended();
    }

    /// Ends the retries: the API answered, or failed for good.
    fn answered(&mut self, at_ms: i64, state: TaskStatus, updates: &mut Vec<ProgressUpdate>) {
        self.is_retrying = false;
        let ends =
            |last: &ProgressUpdate| last.source == ProgressSource::Retry && last.lane.is_main();
        self.subjects.end(at_ms, &state, ends, updates);
    }
}

fn outcome(is_error: bool) -> TaskStatus {
    match is_error {
        true => TaskStatus::Failed,
        false => TaskStatus::Completed,
    }
}
