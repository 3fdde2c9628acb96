//! The kinds of events.

use rusty_claw_protocol::{Json, RawLine};

use super::input::{AcceptedInput, InputFailure, InputId};
use super::interaction::{Interaction, InteractionAnswer, InteractionId};
use super::lifecycle::{Gap, Lifecycle};
use super::opened::{Omitted, Opened};
use super::progress::ProgressUpdate;
use super::turn::EndedTurn;
use crate::grants::Grant;

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Fact {
    /// The CLI printed a line. It is stored byte for byte, even if it is not JSON.
    Message(RawLine),
    /// An input was stored. It is acknowledged only after this event is in the log.
    InputAccepted(AcceptedInput),
    /// The CLI received an input.
    InputDelivered(InputId),
    /// The turn of an input ended.
    InputProcessed(InputId),
    /// An input will not be processed, or it is unknown whether it was.
    InputFailed(InputFailure),
    /// The agent waits for an answer.
    InteractionOpened(Interaction),
    /// An interaction was answered by a person or a rule. Only the first answer counts.
    InteractionAnswered(InteractionAnswer),
    /// An interaction was not answered in time and was denied.
    InteractionExpired(InteractionId),
    /// The agent no longer waits, because its turn was stopped or its process ended.
    InteractionWithdrawn(InteractionId),
    /// A turn began, with its inputs: several if the CLI merged them, none if a background task
    /// started it.
    TurnStarted(Vec<InputId>),
    /// A turn ended. Every turn that began has exactly one of these.
    TurnEnded(EndedTurn),
    /// The session was opened, for the first time or with other settings.
    Opened(Opened),
    /// The CLI reported its id of the conversation, which resumes it. It changes when the
    /// conversation is cleared or forked.
    CliSession(String),
    /// A grant was added.
    Granted(Grant),
    /// A grant was removed.
    Revoked(Grant),
    /// An event is missing because it was larger than the log accepts.
    Omitted(Omitted),
    /// Output of the CLI was lost, and completed from its session file as far as possible.
    Gap(Gap),
    /// The session's process started, went to sleep, was lost or was closed.
    Lifecycle(Lifecycle),
    /// The progress of some work, derived from the message before it and independent of the source.
    Progress(Box<ProgressUpdate>),
    /// A fact of an unrecognized kind, kept unchanged.
    Unknown {
        /// Its kind on the wire.
        kind: String,
        /// Its body.
        body: Json,
    },
}

impl Fact {
    /// Creates a fact from a line of the CLI.
    pub fn message(line: impl Into<RawLine>) -> Self {
        Self::Message(line.into())
    }

    /// The kind on the wire.
    pub fn kind(&self) -> &str {
        match self {
            Self::Message(_) => "message",
            Self::InputAccepted(_) => "input_accepted",
            Self::InputDelivered(_) => "input_delivered",
            Self::InputProcessed(_) => "input_processed",
            Self::InputFailed(_) => "input_failed",
            Self::InteractionOpened(_) => "interaction_opened",
            Self::InteractionAnswered(_) => "interaction_answered",
            Self::InteractionExpired(_) => "interaction_expired",
            Self::InteractionWithdrawn(_) => "interaction_withdrawn",
            Self::TurnStarted(_) => "turn_started",
            Self::TurnEnded(_) => "turn_ended",
            Self::Opened(_) => "opened",
            Self::CliSession(_) => "cli_session",
            Self::Granted(_) => "granted",
            Self::Revoked(_) => "revoked",
            Self::Omitted(_) => "omitted",
            Self::Gap(_) => "gap",
            Self::Lifecycle(_) => "lifecycle",
            Self::Progress(_) => "progress",
            Self::Unknown { kind, .. } => kind,
        }
    }
}
