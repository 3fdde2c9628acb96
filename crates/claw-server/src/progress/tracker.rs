//! How far everything in a session is. Pure: no clock, no I/O.

use rusty_claw_protocol::messages::{
    AssistantMessage, ContentBlock, Message, ResultMessage, SystemMessage, UserMessage,
};
use rusty_claw_protocol::tool::ToolView;
use serde::{Deserialize, Serialize};

use super::lanes::{Asks, Lanes};
use super::lists::Lists;
use super::subjects::Subjects;
use super::tasks::{self, Background};
use super::{heartbeats, plan, results, status, words};
use crate::event::{Lane, ProgressSource, ProgressUpdate, Regression, WorkKind};
use crate::state_version::{StateVersion, put_away};
use crate::ui_message::TaskStatus;

/// Follows how far everything in a session is, from what its CLI prints.
///
/// What the CLI says itself comes first: tasks, tools that run, lists and plans, hooks, summaries,
/// limits. What agents say and commands print is read only in lanes where no list counts, and its
/// updates say that they come from there. Each subagent has a lane of its own.
///
/// It is a value: written as JSON after any message and read again, it goes on as if nothing had
/// happened. The JSON is for the version of the library that wrote it; another refuses it, and goes
/// on with a new tracker. [`SessionLedger`](crate::SessionLedger) has one, and puts what it says into the log.
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
    #[serde(default, skip_serializing_if = "Subjects::is_empty")]
    subjects: Subjects,
    #[serde(default, skip_serializing_if = "Lanes::is_empty")]
    lanes: Lanes,
    #[serde(default, skip_serializing_if = "Lists::is_empty")]
    lists: Lists,
    #[serde(default, skip_serializing_if = "Background::is_empty")]
    background: Background,
    /// The API is being asked again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_retrying: bool,
}

put_away!(ProgressTracker);

/// Where updates go.
pub(super) struct Taker<'a> {
    pub(super) at_ms: i64,
    pub(super) subjects: &'a mut Subjects,
    pub(super) updates: &'a mut Vec<ProgressUpdate>,
}

impl Taker<'_> {
    /// Takes an update, when it says something new.
    pub(super) fn take(&mut self, update: ProgressUpdate, why: Option<Regression>) {
        self.updates
            .extend(self.subjects.take(self.at_ms, update, why));
    }

    pub(super) fn take_all(&mut self, updates: impl IntoIterator<Item = ProgressUpdate>) {
        for update in updates {
            self.take(update, None);
        }
    }

    /// What kind of work a subject is known to be.
    pub(super) fn kind_of(&self, lane: &Lane, subject: &str) -> Option<WorkKind> {
        let last = self.subjects.last(lane.id(), subject)?;
        Some(last.kind.clone())
    }

    /// Whether it is known what the subject is.
    pub(super) fn has_label(&self, update: &ProgressUpdate) -> bool {
        let last = self.subjects.last(update.lane.id(), &update.subject);
        last.is_some_and(|last| last.label.is_some())
    }

    /// Ends something that runs.
    pub(super) fn end(&mut self, lane: &Lane, subject: &str, state: TaskStatus) {
        if let Some(last) = self.subjects.last(lane.id(), subject)
            && !last.is_over()
        {
            let update = last.clone().state(state);
            self.take(update, None);
        }
    }
}

impl ProgressTracker {
    /// The CLI printed a message: what follows from it is appended to the updates.
    pub fn message(&mut self, at_ms: i64, message: &Message, updates: &mut Vec<ProgressUpdate>) {
        let mut taker = Taker {
            at_ms,
            subjects: &mut self.subjects,
            updates,
        };
        match message {
            Message::StreamEvent(event)
                if self.is_retrying && event.parent_tool_use_id.is_none() =>
            {
                self.answered(at_ms, TaskStatus::Completed, updates);
            }
            Message::Assistant(assistant) => self.assistant(at_ms, assistant, updates),
            Message::User(user) => self.user(at_ms, user, updates),
            Message::ToolProgress(said) => heartbeats::heard(&self.lanes, said, &mut taker),
            Message::RateLimitEvent(said) => status::limit(&said.rate_limit_info, &mut taker),
            Message::Result(result) => self.result(at_ms, result, updates),
            Message::ConversationReset(_) => {
                // The lists and plans of a conversation that was cleared are nobody's.
                let ends = |last: &ProgressUpdate| {
                    matches!(last.source, ProgressSource::Todo | ProgressSource::Plan)
                };
                self.lists = Lists::default();
                self.subjects
                    .end(at_ms, &TaskStatus::Stopped, ends, updates);
            }
            Message::CompactSystem(_) => status::compacted(None, &mut taker),
            Message::System(system) => match system {
                SystemMessage::BackgroundTasksChanged(said) => {
                    self.background
                        .changed(&mut self.lanes, &said.tasks, &mut taker);
                }
                SystemMessage::Status(said) => status::status(said, &mut taker),
                SystemMessage::CompactBoundary {
                    compact_metadata, ..
                } => {
                    let tokens = compact_metadata.as_deref();
                    let tokens = tokens.map(|said| (said.pre_tokens, said.post_tokens));
                    status::compacted(tokens, &mut taker);
                }
                SystemMessage::ApiRetry(said) => {
                    self.is_retrying = true;
                    status::retry(said, &mut taker);
                }
                SystemMessage::HookStarted(_)
                | SystemMessage::HookProgress(_)
                | SystemMessage::HookResponse(_) => status::hook(system, &mut taker),
                other => tasks::task(&mut self.lanes, &mut self.lists, other, &mut taker),
            },
            _ => {}
        }
    }

    /// The process is gone: what it ran ends with it. The agent's own lists and what it said stay
    /// as they are, for another process may go on with them.
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
        updates: &mut Vec<ProgressUpdate>,
    ) {
        let is_error = assistant.is_api_error_message == Some(true) || assistant.error.is_some();
        let is_local = assistant.local_command_source.is_some()
            || assistant.local_command_run.is_some()
            || assistant.local_command_outcome.is_some();
        let parent = assistant.parent_tool_use_id.as_deref();
        if self.is_retrying && parent.is_none() && !is_local {
            let state = if is_error {
                TaskStatus::Failed
            } else {
                TaskStatus::Completed
            };
            self.answered(at_ms, state, updates);
        }
        let mut taker = Taker {
            at_ms,
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
                        let turn = taker.subjects.turns();
                        let (update, why) = self.lists.written(lane, list, turn);
                        // A list that is put away was one only if it was known.
                        if update.total.is_some() || taker.has_label(&update) {
                            taker.take(update, why);
                        }
                        self.lanes.call_began(id, parent, Asks::Other);
                        continue;
                    }
                    if let Some(ToolView::ExitPlanMode(asked)) = &view {
                        plan::asked(lane, asked, &mut taker);
                    }
                    let asks = results::asks(id, name, input, view);
                    self.lanes.call_began(id, parent, asks);
                }
                block if !is_error && !is_local => {
                    if let Some(text) = block.as_text() {
                        let lane = self.lanes.of_parent(parent);
                        words::said(&self.lists, &self.lanes, lane, text, &mut taker);
                    }
                }
                _ => {}
            }
        }
    }

    fn user(&mut self, at_ms: i64, user: &UserMessage, updates: &mut Vec<ProgressUpdate>) {
        let mut taker = Taker {
            at_ms,
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
            if taker.subjects.has_open() {
                let subject = tasks::call_subject(tool_use_id);
                if !self.lanes.has_task(&lane, &subject) {
                    // Nothing but a heartbeat told of it.
                    let state = if *is_error {
                        TaskStatus::Failed
                    } else {
                        TaskStatus::Completed
                    };
                    taker.end(&lane, &subject, state);
                }
                heartbeats::call_ended(tool_use_id, &mut taker);
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
                    let of = subject.clone();
                    words::printed(&self.lists, &self.lanes, lane, of, &text, &mut taker);
                    if is_all {
                        taker.subjects.settle(&id, &subject);
                    }
                }
                Asks::EnterPlan | Asks::ExitPlan => {
                    plan::answered(lane, &call.asks, &result, &mut taker);
                }
                Asks::Other => {}
                asks => results::list(&mut self.lists, asks, &result, &mut taker),
            }
        }
    }

    fn result(&mut self, at_ms: i64, result: &ResultMessage, updates: &mut Vec<ProgressUpdate>) {
        if self.is_retrying {
            let state = if result.is_error() {
                TaskStatus::Failed
            } else {
                TaskStatus::Completed
            };
            self.answered(at_ms, state, updates);
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

    /// The API answered, or failed for good.
    fn answered(&mut self, at_ms: i64, state: TaskStatus, updates: &mut Vec<ProgressUpdate>) {
        self.is_retrying = false;
        let ends =
            |last: &ProgressUpdate| last.source == ProgressSource::Retry && last.lane.is_main();
        self.subjects.end(at_ms, &state, ends, updates);
    }
}
