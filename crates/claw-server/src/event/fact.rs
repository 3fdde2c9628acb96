//! The kinds of things that happen.

use rusty_claw_protocol::{Json, Line, RawLine};

use super::input::{AcceptedInput, InputFailure, InputId};
use super::lifecycle::Lifecycle;
use super::progress::ProgressUpdate;
use super::prompt::{AskedPrompt, PromptAnswer, PromptId};
use super::turn::EndedTurn;

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Fact {
    /// The CLI printed a line. It is kept byte for byte, also when it is no JSON.
    Message(RawLine),
    /// Somebody's input was stored. Nobody is told so before this is in the log.
    InputAccepted(AcceptedInput),
    /// The CLI took an input.
    InputDelivered(InputId),
    /// The turn of an input came to its end.
    InputProcessed(InputId),
    /// An input will not be processed, or nobody can say whether it was.
    InputFailed(InputFailure),
    /// The agent waits for a person.
    PromptAsked(AskedPrompt),
    /// A person, or a rule, answered; the first answer counts.
    PromptAnswered(PromptAnswer),
    /// Nobody answered in time, which is a no.
    PromptExpired(PromptId),
    /// The agent does not wait any more, because its turn was stopped or its process is gone.
    PromptWithdrawn(PromptId),
    /// A turn began, with the inputs that it answers: several when the CLI merged them, none when
    /// a background task began it.
    TurnStarted(Vec<InputId>),
    /// A turn ended; every turn that began has exactly one of these.
    TurnEnded(EndedTurn),
    /// The session came up, fell asleep, was lost or was closed.
    Lifecycle(Lifecycle),
    /// How far something is. It follows from the message before it, and says so in one form,
    /// whoever said it.
    Progress(Box<ProgressUpdate>),
    /// Something that a newer library wrote, kept as it came.
    Unknown {
        /// What it calls itself.
        kind: String,
        /// What it says.
        body: Json,
    },
}

impl Fact {
    /// A line of the CLI.
    pub fn message(line: impl Into<RawLine>) -> Self {
        Self::Message(line.into())
    }

    /// The line of the CLI, decoded, when it is one.
    pub fn line(&self) -> Option<Line> {
        match self {
            Self::Message(raw) => Some(Line::decode(raw.clone())),
            _ => None,
        }
    }

    /// What the fact is called on the wire.
    pub fn kind(&self) -> &str {
        match self {
            Self::Message(_) => "message",
            Self::InputAccepted(_) => "input_accepted",
            Self::InputDelivered(_) => "input_delivered",
            Self::InputProcessed(_) => "input_processed",
            Self::InputFailed(_) => "input_failed",
            Self::PromptAsked(_) => "prompt_asked",
            Self::PromptAnswered(_) => "prompt_answered",
            Self::PromptExpired(_) => "prompt_expired",
            Self::PromptWithdrawn(_) => "prompt_withdrawn",
            Self::TurnStarted(_) => "turn_started",
            Self::TurnEnded(_) => "turn_ended",
            Self::Lifecycle(_) => "lifecycle",
            Self::Progress(_) => "progress",
            Self::Unknown { kind, .. } => kind,
        }
    }
}
