//! Events as [`UiMessage`]s.

pub(super) mod groups;
pub(super) mod system;
mod tokens;

use rusty_claw_protocol::messages::UsageInfo;
use rusty_claw_protocol::tool::ToolView;
use serde::{Deserialize, Serialize};

use self::groups::Groups;
use self::tokens::Tokens;
use super::phase::{lost_output, phase_of};
use super::step::Step;
use super::text::{Piece, SentText};
use super::track::Track;
use crate::event::{
    Interaction, InteractionKind, LifecycleState, ProgressUpdate, SessionEvent, TextDelta,
};
use crate::input::TurnId;
use crate::permission::PermissionRequest;
use crate::question::AskUserQuestionsRequest;
use crate::state_version::{StateVersion, snapshot_serde};
use crate::ui_message::UiMessage;

/// Translates the events of a session into [`UiMessage`]s.
///
/// Every turn has exactly one `Complete`, and no message of the turn follows it. Every
/// `ToolExecuting` has exactly one `ToolCompleted`. The `TextChunk`s of a turn, minus retracted
/// text, add up to its answer, even if deltas are lost or duplicated.
///
/// A projection can be serialized to JSON after any event and resumed from it. The JSON is only
/// valid for the version of the library that wrote it. Other versions reject it; rebuild the
/// projection from the events of the session.
///
/// ```
/// use claw_server::event::{EndedTurn, Fact, TurnEnding};
/// use claw_server::{SessionEvent, TextDelta, UiMessage, UiProjection};
///
/// let line = r#"{"type":"assistant","message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"Hello"}]}}"#;
/// let started = SessionEvent::new(1, 1, 0, Fact::TurnStarted(vec![])).turn(1);
/// let answer = SessionEvent::new(2, 1, 0, Fact::message(line)).turn(1);
/// let ended = SessionEvent::new(3, 1, 0, Fact::TurnEnded(EndedTurn::new(TurnEnding::Succeeded))).turn(1);
///
/// let mut messages = Vec::new();
/// let mut projection = UiProjection::new(7);
/// projection.event(&started, &mut messages);
/// projection.delta(&TextDelta::new(1, "msg_1", 0, 0, "He"), &mut messages);
/// // Put away, and taken up again somewhere else.
/// let state = serde_json::to_string(&projection)?;
/// let mut projection: UiProjection = serde_json::from_str(&state)?;
/// projection.event(&answer, &mut messages);
/// projection.event(&ended, &mut messages);
///
/// let text: String = messages
///     .iter()
///     .filter_map(|message| match message {
///         UiMessage::TextChunk { text, .. } => Some(text.as_str()),
///         _ => None,
///     })
///     .collect();
/// assert_eq!(text, "Hello");
/// assert!(matches!(messages.last(), Some(UiMessage::Complete { session_id: 7, .. })));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct UiProjection {
    #[serde(rename = "v")]
    version: StateVersion<1>,
    session_id: i64,
    track: Track,
    #[serde(default, skip_serializing_if = "crate::is_default::is_default")]
    text: SentText,
    #[serde(default, skip_serializing_if = "crate::is_default::is_default")]
    tokens: Tokens,
    #[serde(default, skip_serializing_if = "crate::is_default::is_default")]
    groups: Groups,
}

snapshot_serde!(UiProjection);

impl UiProjection {
    /// Creates a projection that starts at a session's first event. The id names the session in
    /// messages.
    pub fn new(session_id: i64) -> Self {
        Self {
            version: StateVersion,
            session_id,
            track: Track::default(),
            text: SentText::default(),
            tokens: Tokens::default(),
            groups: Groups::default(),
        }
    }

    /// Starts after `sequence`: earlier events are neither sent nor reported as missing.
    #[must_use]
    pub(crate) fn beginning_behind(mut self, sequence: u64) -> Self {
        self.track.pass(sequence);
        self
    }

    /// The sequence number of the last event that was seen.
    pub fn sequence(&self) -> u64 {
        self.track.sequence
    }

    /// Appends the messages for an event.
    pub fn event(&mut self, event: &SessionEvent, messages: &mut Vec<UiMessage>) {
        let mut steps = Vec::new();
        let line = self.track.unseen(event).then(|| event.line()).flatten();
        self.track.event(event, line.as_deref(), &mut steps);
        for step in steps {
            self.step(step, messages);
        }
    }

    /// Sends streamed text. Deltas are optional: text that is missing is sent with the event.
    pub fn delta(&mut self, delta: &TextDelta, messages: &mut Vec<UiMessage>) {
        if self.track.turn != Some(delta.turn) {
            return;
        }
        let mut pieces = Vec::new();
        self.text.delta(delta, &mut pieces);
        self.say(delta.turn, pieces, messages);
    }

    /// Reports missing events, and continues after them as if they had been seen.
    pub fn gap(&mut self, from: u64, to: u64, messages: &mut Vec<UiMessage>) {
        self.track.pass(to);
        self.step(Step::Gap { from, to }, messages);
    }

    /// Whether all messages follow from the events seen so far. False while streamed text is not
    /// stored.
    pub fn is_settled(&self) -> bool {
        self.text.is_settled()
    }

    fn say(&self, turn: u64, pieces: Vec<Piece>, messages: &mut Vec<UiMessage>) {
        let session_id = self.session_id;
        let turn_id = || TurnId::new_assistant_turn(turn);
        messages.extend(pieces.into_iter().map(|piece| match piece {
            Piece::Text(text) => UiMessage::TextChunk {
                text,
                session_id,
                turn_id: turn_id(),
            },
            Piece::Retracted { offset, length } => UiMessage::TextRetracted {
                offset,
                length,
                session_id,
                turn_id: turn_id(),
            },
        }));
    }

    fn step(&mut self, step: Step<'_>, messages: &mut Vec<UiMessage>) {
        let session_id = self.session_id;
        let turn = self.track.turn_or_last();
        match step {
            Step::Gap { from, to } => {
                // The rest of an incomplete group may be in the gap.
                self.groups.flush(session_id, messages);
                self.text.begin_anew();
                messages.push(UiMessage::Gap {
                    from,
                    to,
                    session_id,
                });
            }
            Step::TurnBegan => self.tokens.turn_began(),
            Step::Stored(block) => {
                let mut pieces = Vec::new();
                self.text.stored(&block, &mut pieces);
                self.say(turn, pieces, messages);
            }
            Step::Retracted(lines) => {
                let mut pieces = Vec::new();
                self.text.retract_lines(lines, &mut pieces);
                self.say(turn, pieces, messages);
            }
            Step::SubagentText { tool_use_id, text } => messages.push(UiMessage::SubagentText {
                tool_use_id: tool_use_id.to_owned(),
                text: text.to_owned(),
                session_id,
            }),
            Step::Local(content) => messages.push(UiMessage::Display {
                content: content.to_owned(),
                session_id,
            }),
            Step::Tokens {
                message,
                input,
                output,
            } => messages.extend(self.tokens.used(message, input, output, session_id)),
            Step::ToolBegan { id, name, input } => {
                messages.push(UiMessage::ToolExecuting {
                    tool_use_id: id.as_str().to_owned(),
                    tool_name: name.into(),
                    input: input.value().clone(),
                    session_id,
                });
            }
            Step::ToolEnded {
                id,
                result,
                failure,
            } => {
                messages.extend(failure.map(|failure| UiMessage::ToolFailed {
                    tool_use_id: id.clone(),
                    failure,
                    session_id,
                }));
                messages.push(UiMessage::ToolCompleted {
                    tool_use_id: id,
                    result,
                    session_id,
                });
            }
            Step::TurnUsage {
                usage,
                total_cost_usd,
            } => {
                messages.extend(self.tokens.wrote(usage.output_tokens, session_id));
                messages.push(usage_of(turn, usage, total_cost_usd, session_id));
            }
            Step::TurnOver {
                turn,
                stop,
                error,
                command,
            } => {
                let mut pieces = Vec::new();
                self.text.over(&mut pieces);
                self.say(turn, pieces, messages);
                self.groups.turn_over(session_id, messages);
                messages.extend(error.map(|message| UiMessage::Error {
                    message,
                    session_id: Some(session_id),
                }));
                messages.extend(command.map(|command| UiMessage::CommandComplete {
                    command: format!("/{command}"),
                    session_id,
                }));
                messages.push(UiMessage::Complete {
                    session_id,
                    turn_id: TurnId::new_assistant_turn(turn),
                    stop_reason: stop,
                });
            }
            Step::Trouble(message) => messages.push(UiMessage::Error {
                message,
                session_id: Some(session_id),
            }),
            Step::Asked(interaction) => self.asked(interaction, messages),
            Step::Resolved {
                id,
                named,
                resolution,
                outcome,
                by,
            } => {
                self.groups.resolved(&id, session_id, messages);
                messages.push(UiMessage::InteractionResolved {
                    interaction_id: named.name,
                    resolution,
                    outcome: Some(outcome),
                    by,
                    batch: named.place,
                    session_id,
                });
            }
            Step::Input {
                id,
                state,
                reason,
                turn_id,
            } => messages.push(UiMessage::InputReceipt {
                input_id: id.as_str().to_owned(),
                state,
                reason,
                session_id,
                turn_id,
            }),
            Step::Lifecycle(lifecycle) => {
                if lifecycle.state != LifecycleState::Ready {
                    self.groups.forget();
                }
                let (state, detail) = phase_of(lifecycle);
                messages.push(UiMessage::SessionState {
                    state,
                    detail,
                    session_id,
                });
            }
            Step::Progress(update) => progress(update, session_id, messages),
            Step::Message(message) => system::message(message, session_id, messages),
            Step::Line(raw) => messages.push(UiMessage::System {
                message: format!("not a message: {}", system::shortened(&raw.to_text())),
                session_id: Some(session_id),
            }),
            Step::Lost(gap) => messages.push(UiMessage::System {
                message: lost_output(gap),
                session_id: Some(session_id),
            }),
            Step::Unknown(kind) => messages.push(UiMessage::System {
                message: format!("an event of a newer version: {}", system::shortened(kind)),
                session_id: Some(session_id),
            }),
        }
    }

    fn asked(&mut self, interaction: &Interaction, messages: &mut Vec<UiMessage>) {
        let session_id = self.session_id;
        let call = interaction.name();
        match interaction.kind {
            InteractionKind::Permission => self.groups.asked(interaction, session_id, messages),
            InteractionKind::Question => messages.push(UiMessage::UserInteractionRequired {
                tool_use_id: call.to_owned(),
                request: AskUserQuestionsRequest::of_interaction(interaction),
                session_id,
            }),
            InteractionKind::Plan => {
                let input = interaction.request.get("input").unwrap_or_default();
                if let ToolView::ExitPlanMode(asked) = ToolView::of("ExitPlanMode", &input)
                    && let Some(plan) = asked.plan
                {
                    messages.push(UiMessage::PlanUpdated {
                        tool_use_id: call.to_owned(),
                        plan,
                        session_id,
                    });
                }
                messages.push(UiMessage::PermissionRequired {
                    tool_use_id: call.to_owned(),
                    request: PermissionRequest::of_interaction(interaction),
                    session_id,
                });
            }
            _ => messages.push(UiMessage::InteractionRequired {
                interaction_id: interaction.id.as_str().to_owned(),
                kind: interaction.kind.as_str().to_owned(),
                request: interaction.request.to_value(),
                session_id,
            }),
        }
    }
}

/// Sends a progress update, and the items of the agent's own list.
fn progress(update: Box<ProgressUpdate>, session_id: i64, messages: &mut Vec<UiMessage>) {
    if update.lane.is_main() && !update.items.is_empty() {
        messages.push(UiMessage::TodoUpdated {
            items: update.items.clone(),
            left_out: update.left_out,
            session_id,
        });
    }
    messages.push(UiMessage::Progress { update, session_id });
}

fn usage_of(turn: u64, usage: &UsageInfo, cost: Option<f64>, session_id: i64) -> UiMessage {
    UiMessage::Usage {
        turn_id: TurnId::new_assistant_turn(turn),
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cache_read_tokens: usage.cache_read_input_tokens.unwrap_or(0),
        cache_creation_tokens: usage.cache_creation_input_tokens.unwrap_or(0),
        // Casts saturate, and NaN becomes 0.
        total_cost_micros: cost.map(|cost| (cost * 1e6).round() as u64),
        session_id,
    }
}
