//! The stop reason of a turn, from the CLI's result.

use rusty_claw_protocol::Str;
use rusty_claw_protocol::messages::{ResultDetails, ResultMessage, StopReason as ApiStop};
use serde::{Deserialize, Serialize};

use crate::event::{EndedTurn, TurnEnding};
use crate::stop_reason::StopReason;

/// The parts of a result that are needed at the end of its turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ResultNote {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stop: Option<StopReason>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// The slash command that ran as this turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) command: Option<Str>,
}

impl ResultNote {
    pub(super) fn of(result: &ResultMessage) -> Self {
        let details = details(result);
        let text = match result {
            ResultMessage::Success { result, .. } => result.as_str(),
            ResultMessage::Error { error, .. } => error.as_str(),
            _ => "",
        };
        Self {
            stop: details
                .and_then(|details| details.stop_reason.as_ref())
                .map(stop_reason),
            error: result.is_error().then(|| match text {
                "" => "the turn failed, and the CLI does not say why".to_owned(),
                text => text.to_owned(),
            }),
            command: details.and_then(|details| details.local_command.clone()),
        }
    }

    /// The stop reason and the error message of the turn.
    pub(super) fn end(&self, ended: &EndedTurn) -> (StopReason, Option<String>) {
        let said = self.stop.clone();
        match ended.ending {
            TurnEnding::Succeeded | TurnEnding::ContinuedInBackground => match said {
                // The turn has ended, so it does not wait for a tool: see `StopReason::ToolUse`.
                Some(StopReason::ToolUse) | None => (StopReason::EndTurn, None),
                Some(stop) => (stop, None),
            },
            TurnEnding::Interrupted => (StopReason::Interrupted, None),
            _ => {
                let stop = match said {
                    Some(StopReason::Refusal) => StopReason::Refusal,
                    _ => StopReason::Error,
                };
                let words = self.error.clone().or_else(|| ended.reason.clone());
                let words = words.unwrap_or_else(|| match &ended.ending {
                    TurnEnding::TimedOut => "the turn took longer than allowed".to_owned(),
                    TurnEnding::ProcessLost => "the process ended first".to_owned(),
                    TurnEnding::Detached => "the session changed its owner".to_owned(),
                    _ => "the turn failed".to_owned(),
                });
                (stop, Some(words))
            }
        }
    }

    /// The error message, for a result that belongs to no turn.
    pub(super) fn into_error(self) -> Option<String> {
        self.error
    }
}

fn details(result: &ResultMessage) -> Option<&ResultDetails> {
    match result {
        ResultMessage::Success { details, .. } | ResultMessage::Error { details, .. } => {
            Some(details)
        }
        _ => None,
    }
}

fn stop_reason(stop: &ApiStop) -> StopReason {
    match stop {
        ApiStop::EndTurn => StopReason::EndTurn,
        ApiStop::MaxTokens => StopReason::MaxTokens,
        ApiStop::StopSequence => StopReason::StopSequence,
        ApiStop::ToolUse => StopReason::ToolUse,
        ApiStop::PauseTurn => StopReason::PauseTurn,
        ApiStop::Refusal => StopReason::Refusal,
        other => StopReason::Unknown(other.as_str().to_owned()),
    }
}
