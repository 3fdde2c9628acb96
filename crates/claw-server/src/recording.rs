//! Converts a recorded session to events.

use std::collections::BTreeMap;

use rusty_claw_protocol::control::{ControlRequest, ControlResponse};
use rusty_claw_protocol::messages::{Message, UserMessage};
use rusty_claw_protocol::{Json, Line, RawLine, Str};

use crate::event::{
    AcceptedInput, Fact, InputId, Interaction, InteractionAnswer, InteractionId, InteractionKind,
    Lifecycle, LifecycleState,
};
use crate::event_builder::{EventBuilder, Output};
use crate::interactions::{GROUP_WINDOW_MS, InteractionGroups};

/// Converts the lines that host and CLI exchanged to the events that an owner of the session would
/// have recorded: interactions and answers, inputs, turns, and the end of the process.
///
/// For sessions that were recorded elsewhere, and for tests. There is no clock: the time of an
/// event is the number of lines so far.
///
/// ```
/// use claw_server::Recording;
///
/// let mut recording = Recording::new();
/// recording.host(br#"{"type":"user","message":{"role":"user","content":"Hi"}}"#.to_vec());
/// recording.cli(br#"{"type":"system","subtype":"init","session_id":"s","tools":[],"mcp_servers":[]}"#.to_vec());
/// recording.ended(None, Some(9));
/// let kinds: Vec<&str> = recording.output().events.iter().map(|event| event.fact.kind()).collect();
/// assert_eq!(
///     kinds,
///     [
///         "lifecycle", "input_accepted", "input_delivered", "turn_started", "message",
///         "lifecycle", "input_failed", "turn_ended"
///     ]
/// );
/// ```
#[derive(Debug)]
pub struct Recording {
    builder: EventBuilder,
    output: Output,
    lines: i64,
    inputs: u64,
    /// Interactions asked since the host last wrote: they are open at the same time.
    asked: InteractionGroups,
    /// Pending interactions, by the ids of their control requests.
    open: BTreeMap<Str, InteractionId>,
}

impl Default for Recording {
    fn default() -> Self {
        Self::new()
    }
}

impl Recording {
    /// Starts a recording.
    pub fn new() -> Self {
        let mut recording = Self {
            builder: EventBuilder::new(1),
            output: Output::default(),
            lines: 0,
            inputs: 0,
            asked: InteractionGroups::default(),
            open: BTreeMap::new(),
        };
        recording.fact(Fact::Lifecycle(Lifecycle::new(LifecycleState::Ready)));
        recording
    }

    /// Returns the events and deltas so far.
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// Returns the events and deltas of the recording.
    pub fn into_output(self) -> Output {
        self.output
    }

    /// Adds a line that the host wrote. Irrelevant lines are ignored.
    pub fn host(&mut self, line: impl Into<RawLine>) {
        self.lines += 1;
        self.ask();
        let Line::Message(received) = Line::decode(line) else {
            return;
        };
        match received.message {
            Message::User(user) => self.input(*user),
            Message::ControlResponse {
                request_id,
                response,
                ..
            } => self.answer(&request_id, &response),
            _ => {}
        }
    }

    /// Adds a line that the CLI wrote.
    pub fn cli(&mut self, line: impl Into<RawLine>) {
        self.lines += 1;
        let line = line.into();
        if let Line::Message(received) = Line::decode(line.clone()) {
            match received.message {
                Message::ControlRequest {
                    request_id,
                    request,
                    ..
                } => self.request(request_id, &request),
                Message::ControlCancelRequest(cancel) => {
                    self.ask();
                    if let Some(id) = self.open.remove(&cancel.request_id) {
                        self.fact(Fact::InteractionWithdrawn(id));
                    }
                }
                Message::Result(_) => self.ask(),
                _ => {}
            }
        }
        self.builder.line(self.lines, line, &mut self.output);
    }

    /// Adds the end of the process, with an exit code or a signal.
    pub fn ended(&mut self, exit_code: Option<i32>, signal: Option<i32>) {
        self.lines += 1;
        self.ask();
        for id in std::mem::take(&mut self.open).into_values() {
            self.fact(Fact::InteractionWithdrawn(id));
        }
        // The CLI exits with 1 when its last turn failed.
        let is_expected = match exit_code {
            Some(0) => true,
            Some(1) => self.builder.turns() > 0,
            _ => false,
        };
        let by_itself = is_expected && self.builder.turn().is_none();
        let mut lifecycle = Lifecycle::new(if by_itself {
            LifecycleState::Closed
        } else {
            LifecycleState::Lost
        });
        lifecycle.exit_code = exit_code;
        lifecycle.reason = signal.map(|signal| format!("killed by signal {signal}"));
        self.builder.ended(self.lines, lifecycle, &mut self.output);
    }

    fn fact(&mut self, fact: Fact) {
        let event = self.builder.fact(self.lines, fact);
        self.output.events.push(event);
    }

    fn input(&mut self, user: UserMessage) {
        self.inputs += 1;
        let id = match &user.uuid {
            Some(uuid) => InputId::new(uuid.as_str()),
            None => InputId::new(format!("input {}", self.inputs)),
        };
        let content = Json::from_serialize(&user.message.content).unwrap_or_default();
        let accepted = AcceptedInput::new(id.clone(), content);
        let event = self.builder.accepted(self.lines, accepted);
        self.output.events.push(event);
        self.builder.sent(id);
    }

    fn request(&mut self, request_id: Str, request: &ControlRequest) {
        let (kind, call, tool) = match request {
            ControlRequest::CanUseTool(asked) => {
                let kind = match asked.tool_name.as_str() {
                    "AskUserQuestion" => InteractionKind::Question,
                    "ExitPlanMode" => InteractionKind::Plan,
                    _ => InteractionKind::Permission,
                };
                (kind, Some(&asked.tool_use_id), Some(&asked.tool_name))
            }
            ControlRequest::Elicitation(_) => (InteractionKind::Elicitation, None, None),
            ControlRequest::RequestUserDialog(asked) => {
                (InteractionKind::Dialog, asked.tool_use_id.as_ref(), None)
            }
            _ => return,
        };
        let body = Json::from_serialize(request).unwrap_or_default();
        let id = InteractionId::new(request_id.as_str());
        let mut interaction = Interaction::new(id.clone(), kind, body);
        interaction.tool_use_id = call.map(|id| id.as_str().to_owned());
        interaction.tool_name = tool.map(|name| name.as_str().to_owned());
        self.open.insert(request_id, id);
        self.asked.hold(interaction, 0);
    }

    /// Records the interactions that are open at the same time.
    fn ask(&mut self) {
        // Without a clock, later interactions cannot join these.
        for interaction in std::mem::take(&mut self.asked).take(GROUP_WINDOW_MS) {
            self.fact(Fact::InteractionOpened(interaction));
        }
    }

    fn answer(&mut self, request_id: &str, response: &ControlResponse) {
        if let Some(id) = self.open.remove(request_id) {
            let answer = match response {
                ControlResponse::Success { response, .. } => response.clone(),
                other => Json::from_serialize(other).ok(),
            };
            let answer = InteractionAnswer::new(id, answer.unwrap_or_default());
            self.fact(Fact::InteractionAnswered(answer));
        }
    }
}
