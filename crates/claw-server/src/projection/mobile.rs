//! Events as [`MobileMessage`]s.

pub(super) mod agents;
mod progress;
pub(super) mod responses;

use std::collections::BTreeMap;

use rusty_claw_protocol::messages::{Message, ToolInput};
use serde::{Deserialize, Serialize};

use self::agents::Agents;
use self::responses::Responses;
use super::phase::{lost_output, phase_of};
use super::step::Step;
use super::task::TaskNews;
use super::track::Track;
use crate::event::{Interaction, InteractionKind, LifecycleState, SessionEvent};
use crate::mobile::{
    ClaudeResponse, ErrorMessage, FailedInput, InteractionRequest, MissingEvents, MobileMessage,
    MobilePermissionRequest, MobileSessionState, Operation, OperationState, QuestionRequest,
    RequestResolved, ResponseRetracted, SessionProject, SubAgentProgress, ToolOperation,
    TurnComplete,
};
use crate::permission::PermissionRequest;
use crate::project::Project;
use crate::question::AskUserQuestionsRequest;
use crate::state_version::{StateVersion, snapshot_serde};
use crate::ui_message::{InputState, TaskStatus};

/// Translates the events of a session into [`MobileMessage`]s.
///
/// A phone receives complete texts only, no deltas. Like [`UiProjection`](crate::UiProjection), it
/// can be serialized to JSON after any event, for the same version of the library.
///
/// ```
/// use claw_server::event::Fact;
/// use claw_server::{MobileMessage, MobileProjection, SessionEvent};
///
/// let line = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Done."}]},"session_id":"sess_123"}"#;
/// let mut messages = Vec::new();
/// MobileProjection::new("sess_123").event(&SessionEvent::new(1, 1, 0, Fact::message(line)), &mut messages);
/// assert_eq!(
///     serde_json::to_string(&messages[0])?,
///     r#"{"type":"claude_response","content":"Done.","conversationId":"sess_123"}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct MobileProjection {
    #[serde(rename = "v")]
    version: StateVersion<1>,
    conversation_id: String,
    track: Track,
    /// The open calls that [`Track`] follows, with their tools and targets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    calls: BTreeMap<String, Call>,
    #[serde(default, skip_serializing_if = "crate::is_default::is_default")]
    agents: Agents,
    #[serde(default, skip_serializing_if = "crate::is_default::is_default")]
    responses: Responses,
    /// The project that the session works in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<Project>,
}

/// Maximum length of a call's target, in characters. A command may be a whole program, and a
/// thousand calls may be open.
pub(super) const TARGET: usize = 500;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Call {
    tool: String,
    operation: Operation,
    target: String,
}

snapshot_serde!(MobileProjection);

impl MobileProjection {
    /// Creates a projection that starts at a session's first event. The id names the conversation
    /// in messages.
    pub fn new(conversation_id: impl Into<String>) -> Self {
        Self {
            version: StateVersion,
            conversation_id: conversation_id.into(),
            track: Track::default(),
            calls: BTreeMap::new(),
            agents: Agents::default(),
            responses: Responses::default(),
            project: None,
        }
    }

    /// The sequence number of the last event that was seen.
    pub fn sequence(&self) -> u64 {
        self.track.sequence
    }

    /// Appends the messages for an event.
    pub fn event(&mut self, event: &SessionEvent, messages: &mut Vec<MobileMessage>) {
        let mut steps = Vec::new();
        let line = self.track.unseen(event).then(|| event.line()).flatten();
        self.track.event(event, line.as_deref(), &mut steps);
        for step in steps {
            self.step(step, messages);
        }
    }

    /// Reports missing events, and continues after them as if they had been seen.
    pub fn gap(&mut self, from: u64, to: u64, messages: &mut Vec<MobileMessage>) {
        self.track.pass(to);
        self.step(Step::Gap { from, to }, messages);
    }

    fn step(&mut self, step: Step<'_>, messages: &mut Vec<MobileMessage>) {
        let conversation_id = self.conversation_id.clone();
        match step {
            Step::Gap { from, to } => messages.push(MobileMessage::Gap(MissingEvents {
                from,
                to,
                conversation_id,
            })),
            Step::Stored(block) => {
                if let Some(text) = block.text.filter(|text| !text.is_empty()) {
                    messages.push(self.said(text, block.line));
                }
            }
            Step::Retracted(lines) => {
                let gone = self.responses.retract(lines).into_iter();
                messages.extend(gone.map(|responses_after| {
                    MobileMessage::ResponseRetracted(ResponseRetracted {
                        responses_after,
                        conversation_id: self.conversation_id.clone(),
                    })
                }));
            }
            Step::Local(text) => messages.push(self.said(text, None)),
            Step::ToolBegan { id, name, input } => {
                self.began(id.as_str().to_owned(), &name, input, messages);
            }
            Step::ToolEnded { id, failure, .. } => {
                if let Some(call) = self.calls.remove(&id) {
                    let mut ended = self.operation(id, call, OperationState::Completed);
                    ended.failed = failure.is_some();
                    messages.push(MobileMessage::ToolOperation(ended));
                }
            }
            Step::TurnOver {
                turn, stop, error, ..
            } => {
                self.responses.over();
                messages.extend(error.map(|error| self.error(error)));
                messages.push(MobileMessage::TurnComplete(TurnComplete {
                    turn,
                    stop_reason: stop,
                    conversation_id,
                }));
            }
            Step::Lost(gap) => messages.push(self.error(lost_output(gap))),
            Step::Trouble(message) => messages.push(self.error(message)),
            Step::Asked(interaction) => messages.push(self.asked(interaction)),
            Step::Resolved {
                id,
                resolution,
                outcome,
                ..
            } => {
                messages.push(MobileMessage::RequestResolved(RequestResolved {
                    request_id: id.as_str().to_owned(),
                    resolution,
                    outcome: Some(outcome),
                    conversation_id,
                }));
            }
            Step::Lifecycle(lifecycle) => {
                if lifecycle.state != LifecycleState::Ready {
                    self.end_agents(messages);
                }
                let (state, detail) = phase_of(lifecycle);
                messages.push(MobileMessage::SessionState(MobileSessionState {
                    state,
                    detail,
                    conversation_id,
                }));
            }
            Step::Input {
                id, state, reason, ..
            } if matches!(state, InputState::Failed | InputState::Indeterminate) => {
                messages.push(MobileMessage::InputFailed(FailedInput {
                    input_id: id.as_str().to_owned(),
                    reason: reason.unwrap_or_default(),
                    indeterminate: state == InputState::Indeterminate,
                    conversation_id,
                }));
            }
            Step::Progress(update) => {
                messages.extend(progress::message(&update, &self.conversation_id));
            }
            Step::Message(message) => {
                messages.extend(self.project(message));
                if let Message::System(system) = message
                    && let Some(task) = TaskNews::of(system)
                {
                    self.task(&task, messages);
                }
            }
            // Steps that are not shown on a phone.
            _ => {}
        }
    }

    fn said(&mut self, content: &str, line: Option<&str>) -> MobileMessage {
        self.responses.said(line);
        MobileMessage::ClaudeResponse(ClaudeResponse {
            content: content.to_owned(),
            conversation_id: self.conversation_id.clone(),
        })
    }

    fn began(
        &mut self,
        id: String,
        name: &str,
        input: &ToolInput,
        messages: &mut Vec<MobileMessage>,
    ) {
        let (operation, mut target) = Operation::of(name, input.json());
        if let Some((end, _)) = target.char_indices().nth(TARGET) {
            target.truncate(end);
            target.push('…');
            target.shrink_to_fit();
        }
        let call = Call {
            tool: name.to_owned(),
            operation,
            target,
        };
        let began = self.operation(id.clone(), call.clone(), OperationState::Started);
        messages.push(MobileMessage::ToolOperation(began));
        self.calls.insert(id, call);
    }

    fn operation(&self, id: String, call: Call, state: OperationState) -> ToolOperation {
        ToolOperation {
            tool_use_id: id,
            tool_name: call.tool,
            operation: call.operation,
            target: call.target,
            state,
            failed: false,
            conversation_id: self.conversation_id.clone(),
        }
    }

    fn error(&self, message: String) -> MobileMessage {
        MobileMessage::Error(ErrorMessage {
            message,
            conversation_id: self.conversation_id.clone(),
        })
    }

    fn asked(&self, interaction: &Interaction) -> MobileMessage {
        let request_id = interaction.id.as_str().to_owned();
        let conversation_id = self.conversation_id.clone();
        if interaction.kind == InteractionKind::Question {
            return MobileMessage::QuestionRequest(QuestionRequest {
                request_id,
                questions: AskUserQuestionsRequest::of_interaction(interaction).questions,
                expires_at: interaction.expires_at_ms,
                conversation_id,
            });
        }
        let member = |name: &str| {
            interaction
                .request
                .get(name)
                .and_then(|text| text.to_text())
        };
        if !matches!(
            interaction.kind,
            InteractionKind::Permission | InteractionKind::Plan
        ) {
            let words = member("message").or_else(|| member("title"));
            let kind = interaction.kind.as_str();
            return MobileMessage::InteractionRequest(InteractionRequest {
                request_id,
                kind: kind.to_owned(),
                source: member("mcp_server_name").or_else(|| member("dialog_kind")),
                description: words.unwrap_or_else(|| kind.to_owned()),
                request: interaction.request.to_value(),
                expires_at: interaction.expires_at_ms,
                conversation_id,
            });
        }
        let request = PermissionRequest::of_interaction(interaction);
        let name = member("tool_name");
        let name = name.or_else(|| interaction.tool_name.clone());
        let name = name.unwrap_or_else(|| interaction.kind.as_str().to_owned());
        let input = interaction.request.get("input").unwrap_or_default();
        MobileMessage::PermissionRequest(MobilePermissionRequest {
            request_id,
            operation: Operation::of(&name, &input).0,
            tool_name: name,
            target: request.target,
            description: request.description,
            expires_at: interaction.expires_at_ms,
            conversation_id,
        })
    }

    fn project(&mut self, message: &Message) -> Option<MobileMessage> {
        let project = Project::of_message(message)?;
        if self.project.as_ref() == Some(&project) {
            return None;
        }
        self.project = Some(project.clone());
        Some(MobileMessage::SessionProject(SessionProject {
            project_id: project.id,
            project_name: project.name,
            conversation_id: self.conversation_id.clone(),
        }))
    }

    /// Handles an update of a subagent. Other tasks are reported through their tool calls.
    fn task(&mut self, task: &TaskNews<'_>, messages: &mut Vec<MobileMessage>) {
        let sequence = self.track.sequence;
        let Some(name) = self.agents.heard(task, sequence) else {
            return;
        };
        if let Some(left) = self.agents.crowded_out() {
            messages.push(self.agent_gone(left, TaskStatus::Unfollowed));
        }
        if !task.is_end && !matches!(task.status, TaskStatus::Running | TaskStatus::Paused) {
            // It has ended; its final notification follows.
            return;
        }
        messages.push(MobileMessage::SubAgentProgress(SubAgentProgress {
            agent_id: task.task_id.to_owned(),
            agent_name: name,
            status: task.status.clone(),
            current_step: task.description.to_owned(),
            tool_uses: task.usage.map(|usage| usage.tool_uses),
            conversation_id: self.conversation_id.clone(),
        }));
    }

    fn end_agents(&mut self, messages: &mut Vec<MobileMessage>) {
        for agent in self.agents.take() {
            messages.push(self.agent_gone(agent, TaskStatus::Stopped));
        }
    }

    fn agent_gone(
        &self,
        (agent_id, agent_name): (String, String),
        status: TaskStatus,
    ) -> MobileMessage {
        MobileMessage::SubAgentProgress(SubAgentProgress {
            agent_id,
            agent_name,
            status,
            current_step: String::new(),
            tool_uses: None,
            conversation_id: self.conversation_id.clone(),
        })
    }
}
