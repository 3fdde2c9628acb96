//! Steps: the meaning of an event, independent of the dialect.

use rusty_claw_protocol::messages::{Message, ToolInput, UsageInfo};
use rusty_claw_protocol::{RawLine, Str};

use super::open_interactions::Named;
use crate::event::{Gap, InputId, Interaction, InteractionId, Lifecycle, ProgressUpdate};
use crate::input::TurnId;
use crate::stop_reason::StopReason;
use crate::ui_message::{InputState, InteractionOutcome, Resolution, ToolFailure};

/// One step, in the order in which clients are notified.
#[derive(Debug)]
pub(super) enum Step<'a> {
    /// Events are missing.
    Gap { from: u64, to: u64 },
    /// A turn began.
    TurnBegan,
    /// A block of the answer is stored.
    Stored(StoredBlock<'a>),
    /// Text of a subagent.
    SubagentText { tool_use_id: &'a str, text: &'a str },
    /// Output of a local command of the CLI.
    Local(&'a str),
    /// Lines of the answer that were retracted.
    Retracted(&'a [Str]),
    /// Token usage of an API message so far.
    Tokens {
        message: Option<Str>,
        input: u64,
        output: u64,
    },
    /// A tool call began.
    ToolBegan {
        id: &'a Str,
        name: Str,
        input: &'a ToolInput,
    },
    /// A tool call ended.
    ToolEnded {
        id: String,
        result: String,
        failure: Option<ToolFailure>,
    },
    /// Token usage of a turn.
    TurnUsage {
        usage: &'a UsageInfo,
        total_cost_usd: Option<f64>,
    },
    /// A turn ended; it has no further steps.
    TurnOver {
        turn: u64,
        stop: StopReason,
        error: Option<String>,
        command: Option<Str>,
    },
    /// An error outside of turns, such as a process that could not start.
    Trouble(String),
    /// An interaction was opened.
    Asked(&'a Interaction),
    /// An interaction was resolved.
    Resolved {
        id: InteractionId,
        /// How clients refer to it.
        named: Named,
        resolution: Resolution,
        outcome: InteractionOutcome,
        by: Option<String>,
    },
    /// The state of an input changed.
    Input {
        id: InputId,
        state: InputState,
        reason: Option<String>,
        turn_id: Option<TurnId>,
    },
    /// The lifecycle state of the session changed.
    Lifecycle(&'a Lifecycle),
    /// Output of the CLI was lost.
    Lost(&'a Gap),
    /// A progress update.
    Progress(Box<ProgressUpdate>),
    /// Any other message of the CLI.
    Message(&'a Message),
    /// A line that is not a message.
    Line(&'a RawLine),
    /// A fact of an unrecognized kind.
    Unknown(&'a str),
}

/// A stored block of the agent's answer.
#[derive(Debug)]
pub(super) struct StoredBlock<'a> {
    /// The API's id of the message.
    pub(super) message: Option<&'a Str>,
    /// The index of the block in the message.
    pub(super) block: u32,
    /// The uuid of the line that contains it.
    pub(super) line: Option<&'a str>,
    /// The text, if it is a text block.
    pub(super) text: Option<&'a str>,
}
