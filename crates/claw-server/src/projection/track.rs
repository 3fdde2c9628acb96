//! Tracks the turns and tools of a session.

mod messages;

use rusty_claw_protocol::{Line, Str};
use serde::{Deserialize, Serialize};

use super::calls::Calls;
use super::open_interactions::OpenInteractions;
use super::step::Step;
use super::stop::ResultNote;
use crate::event::{
    EndedTurn, Fact, InputId, InteractionId, Lifecycle, LifecycleState, SessionEvent, TurnEnding,
};
use crate::input::TurnId;
use crate::ui_message::{InputState, InteractionOutcome, Resolution, ToolFailure};

/// The result in [`UiMessage::ToolCompleted`](crate::UiMessage::ToolCompleted) of a tool without a
/// result, because its turn was stopped or its process was lost.
pub const NO_TOOL_RESULT: &str = "(no result: the turn ended first)";

/// The result in [`UiMessage::ToolCompleted`](crate::UiMessage::ToolCompleted) of a tool that is no
/// longer tracked. If more than 1,024 calls are open, the oldest one without open child calls is
/// dropped; typically it belongs to a background subagent, whose end the CLI does not always
/// report. A result that arrives later is ignored: no tool ends twice.
pub const UNFOLLOWED_TOOL: &str = "(no result seen: too many other tools are running)";

/// Maximum number of open inputs whose turn ids are kept. Queues are shorter than this; an input
/// whose end is lost in a gap stays open.
const MOST_INPUTS: usize = 1024;

/// The state of a session according to its events. Small: contains only what is open.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Track {
    /// The sequence number of the last event that was seen.
    pub(super) sequence: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) turn: Option<u64>,
    /// The last turn that ended; a turn ends only once.
    over: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<ResultNote>,
    #[serde(default, skip_serializing_if = "crate::is_default::is_default")]
    calls: Calls,
    #[serde(default, skip_serializing_if = "crate::is_default::is_default")]
    interactions: OpenInteractions,
    /// The message whose blocks are being stored, and the number of its stored blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<(Str, u32)>,
    /// The client's turn ids of open inputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    inputs: Vec<(InputId, TurnId)>,
    /// Whether the turn continues without a process, or in one that starts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_parked: bool,
}

impl Track {
    pub(super) fn turn_or_last(&self) -> u64 {
        self.turn.unwrap_or(self.over)
    }

    pub(super) fn unseen(&self, event: &SessionEvent) -> bool {
        event.sequence > self.sequence
    }

    /// Marks events up to a sequence number as seen.
    pub(super) fn pass(&mut self, sequence: u64) {
        self.sequence = self.sequence.max(sequence);
    }

    /// Appends the steps of an event, unless it was seen before. `line` is [`SessionEvent::line`].
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
        // The start of a turn may be in a gap, or before the position where a client joined.
        if let Some(turn) = event.turn
            && turn > self.over
            && self.turn != Some(turn)
            && !matches!(
                event.fact,
                // Inputs may be reported after their turn has ended.
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
        match &event.fact {
            Fact::Message(raw) => match line.and_then(Line::message) {
                Some(message) => self.message(message, steps),
                None => steps.push(Step::Line(raw)),
            },
            Fact::InputAccepted(accepted) => {
                if let Some(turn_id) = &accepted.turn_id {
                    self.inputs.push((accepted.id.clone(), turn_id.clone()));
                    let extra = self.inputs.len().saturating_sub(MOST_INPUTS);
                    self.inputs.drain(..extra);
                }
                steps.push(self.input(&accepted.id, InputState::Accepted));
            }
            Fact::InputDelivered(id) => steps.push(self.input(id, InputState::Delivered)),
            Fact::InputProcessed(id) => {
                steps.push(self.input(id, InputState::Processed));
                self.inputs.retain(|(open, _)| open != id);
            }
            Fact::InputFailed(failure) => {
                let state = if failure.indeterminate {
                    InputState::Indeterminate
                } else {
                    InputState::Failed
                };
                let mut step = self.input(&failure.id, state);
                if let Step::Input { reason, .. } = &mut step {
                    *reason = Some(failure.reason.clone());
                }
                steps.push(step);
                self.inputs.retain(|(open, _)| *open != failure.id);
            }
            Fact::InteractionOpened(interaction) => {
                self.interactions.asked(interaction);
                steps.push(Step::Asked(interaction));
            }
            Fact::InteractionAnswered(answer) => {
                let named = self.interactions.resolved(&answer.id);
                steps.push(Step::Resolved {
                    id: answer.id.clone(),
                    outcome: named.answered(answer),
                    named,
                    resolution: Resolution::Answered,
                    by: answer.by.clone(),
                });
            }
            Fact::InteractionExpired(id) => {
                let (resolution, outcome) = (Resolution::Expired, InteractionOutcome::Expired);
                steps.push(self.unanswered(id, resolution, outcome));
            }
            Fact::InteractionWithdrawn(id) => {
                let (resolution, outcome) = (Resolution::Withdrawn, InteractionOutcome::Withdrawn);
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
            Fact::Gap(gap) => steps.push(Step::Lost(gap)),
            Fact::Lifecycle(lifecycle) => self.lifecycle(lifecycle, steps),
            Fact::Progress(update) => steps.push(Step::Progress(update.clone())),
            // For owners of the session, not for its clients.
            Fact::Opened(_) | Fact::CliSession(_) | Fact::Granted(_) | Fact::Revoked(_) => {}
            Fact::Omitted(omitted) => steps.push(Step::Unknown(&omitted.kind)),
            Fact::Unknown { kind, .. } => steps.push(Step::Unknown(kind)),
        }
    }

    fn input(&self, id: &InputId, state: InputState) -> Step<'static> {
        let turn_id = self.inputs.iter().find(|(open, _)| open == id);
        Step::Input {
            id: id.clone(),
            state,
            reason: None,
            turn_id: turn_id.map(|(_, turn_id)| turn_id.clone()),
        }
    }

    fn unanswered(
        &mut self,
        id: &InteractionId,
        resolution: Resolution,
        outcome: InteractionOutcome,
    ) -> Step<'static> {
        Step::Resolved {
            id: id.clone(),
            named: self.interactions.resolved(id),
            resolution,
            outcome,
            by: None,
        }
    }

    fn begin(&mut self, turn: u64, steps: &mut Vec<Step<'_>>) {
        if let Some(before) = self.turn.filter(|before| *before < turn) {
            // Its end was not recorded, because its owner was lost.
            let lost = EndedTurn::new(TurnEnding::ProcessLost).because("its end was not recorded");
            self.over(before, &lost, steps);
        }
        self.turn = Some(turn);
        self.result = None;
        steps.push(Step::TurnBegan);
    }

    /// Ends a turn, after the calls that it waits for.
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
        let wakes = self.is_parked && lifecycle.state == LifecycleState::Starting;
        self.is_parked = wakes || lifecycle.keeps_turn();
        if self.is_parked || lifecycle.state == LifecycleState::Ready {
            return;
        }
        // There is no process: nothing waits or runs any more.
        self.interactions.forget();
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
}

fn no_result(id: String) -> Step<'static> {
    Step::ToolEnded {
        id,
        result: NO_TOOL_RESULT.to_owned(),
        failure: Some(ToolFailure::NoResult),
    }
}
