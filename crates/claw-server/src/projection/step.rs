//! What an event means, before a dialect puts it into words.

use rusty_claw_protocol::messages::{Message, ToolInput, UsageInfo};
use rusty_claw_protocol::{RawLine, Str};

use super::open_prompts::Named;
use crate::event::{AskedPrompt, InputId, Lifecycle, ProgressUpdate, PromptId};
use crate::input::TurnId;
use crate::stop_reason::StopReason;
use crate::ui_message::{InputState, PromptOutcome, Resolution, ToolFailure};

/// Something that happened, in the order in which clients are told.
#[derive(Debug)]
pub(super) enum Step<'a> {
    /// Events are missing.
    Gap { from: u64, to: u64 },
    /// A turn began.
    TurnBegan,
    /// A block of the answer is stored.
    Stored(StoredBlock<'a>),
    /// What a subagent said.
    SubagentText { tool_use_id: &'a str, text: &'a str },
    /// What a command of the CLI printed.
    Local(&'a str),
    /// These lines of the answer do not count any more.
    Retracted(&'a [Str]),
    /// A message of the API used so much, as far as is known now.
    Tokens {
        message: Option<Str>,
        input: u64,
        output: u64,
    },
    /// A tool is called.
    ToolBegan {
        id: &'a Str,
        name: Str,
        input: &'a ToolInput,
    },
    /// A tool has ended.
    ToolEnded {
        id: String,
        result: String,
        failure: Option<ToolFailure>,
    },
    /// A turn used so much.
    TurnUsage {
        usage: &'a UsageInfo,
        total_cost_usd: Option<f64>,
    },
    /// A turn ended; nothing of it follows.
    TurnOver {
        turn: u64,
        stop: StopReason,
        error: Option<String>,
        command: Option<Str>,
    },
    /// The process could not start, or said something else that is about no turn.
    Trouble(String),
    /// Somebody is asked.
    Asked(&'a AskedPrompt),
    /// A prompt waits no more.
    Resolved {
        id: PromptId,
        /// By what clients know it.
        named: Named,
        resolution: Resolution,
        outcome: PromptOutcome,
        by: Option<String>,
    },
    /// What became of an input.
    Input {
        id: InputId,
        state: InputState,
        reason: Option<String>,
        turn_id: Option<TurnId>,
    },
    /// The life of the session.
    Lifecycle(&'a Lifecycle),
    /// How far something is.
    Progress(Box<ProgressUpdate>),
    /// Any other message of the CLI.
    Message(&'a Message),
    /// A line that is no message.
    Line(&'a RawLine),
    /// A fact of a newer library.
    Unknown(&'a str),
}

/// A block of the agent's answer, as it is stored.
#[derive(Debug)]
pub(super) struct StoredBlock<'a> {
    /// The API's id of the message.
    pub(super) message: Option<&'a Str>,
    /// Which block of the message.
    pub(super) block: u32,
    /// The line that it is in.
    pub(super) line: Option<&'a str>,
    /// Its text, when it has one.
    pub(super) text: Option<&'a str>,
}
