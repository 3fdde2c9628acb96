//! Follows the turns and the tools of a session.

mod messages;

use rusty_claw_protocol::{Line, Str};
use serde::{Deserialize, Serialize};

use super::calls::Calls;
use super::open_prompts::OpenPrompts;
use super::step::Step;
use super::stop::ResultNote;
use crate::event::{
    EndedTurn, Fact, InputId, Lifecycle, LifecycleState, PromptId, SessionEvent, TurnEnding,
};
use crate::input::TurnId;
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

/// Maximum number of open inputs whose turn ids are kept. Queues are shorter than this; an input
/// whose end is lost in a gap stays open.
const MOST_INPUTS: usize = 1024;

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
    /// The client's turn ids of open inputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    inputs: Vec<(InputId, TurnId)>,
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
}

fn no_result(id: String) -> Step<'static> {
    Step::ToolEnded {
        id,
        result: NO_TOOL_RESULT.to_owned(),
        failure: Some(ToolFailure::NoResult),
    }
}
