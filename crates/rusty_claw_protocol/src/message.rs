//! One line from the CLI, decoded.

mod access;
mod api;
mod assistant;
mod compact_system;
mod control_frame;
mod frame;
mod ids;
mod lifecycle;
mod progress;
mod rate_limit;
mod result;
mod system;
mod tool_info;
mod user;

use rusty_claw_macros::Wire;

use crate::control::{ControlRequest, ControlResponse};
use crate::extra::Extra;
use crate::json::Json;
use crate::stream::StreamEvent;
use crate::text::Str;
use crate::unknown::Unknown;

pub use api::*;
pub use assistant::*;
pub use compact_system::*;
pub use control_frame::ControlForm;
pub use frame::*;
pub use lifecycle::*;
pub use progress::*;
pub use rate_limit::*;
pub use result::*;
pub use system::*;
pub use tool_info::*;
pub use user::*;

/// One message: a line on the CLI's standard output, or on its standard input.
///
/// Told apart by `type`. A type that is new to this library is [`Message::Unknown`], never an
/// error.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum Message {
    /// Facts about the session and what happens in it.
    System(SystemMessage),
    /// What the model said: one completed content block.
    Assistant(Box<AssistantMessage>),
    /// Tool results, prompts the CLI made itself, and replayed prompts.
    User(Box<UserMessage>),
    /// The end of a turn.
    Result(ResultMessage),
    /// A piece of a message that is still being written.
    StreamEvent(Box<StreamEvent>),
    /// A question that the other side must answer.
    #[wire(with = "control_frame::request")]
    ControlRequest {
        /// By which the answer finds its question; chosen by who asks.
        request_id: Str,
        /// What is asked.
        request: ControlRequest,
        /// How the question was laid out.
        form: ControlForm,
        /// What no field holds.
        extra: Extra,
    },
    /// The answer to a control request.
    #[wire(with = "control_frame::response")]
    ControlResponse {
        /// The id of the request that this answers.
        request_id: Str,
        /// The answer.
        response: ControlResponse,
        /// How the answer was laid out.
        form: ControlForm,
        /// What no field holds.
        extra: Extra,
    },
    /// A control request that nobody need answer any more.
    ControlCancelRequest(ControlCancelRequest),
    /// The plan's limits changed.
    RateLimitEvent(Box<RateLimitEvent>),
    /// A tool is still running.
    ToolProgress(Box<ToolProgressMessage>),
    /// A few words about a batch of tool calls.
    ToolUseSummary(Box<ToolUseSummaryMessage>),
    /// What the user might want to say next.
    PromptSuggestion(Box<PromptSuggestionMessage>),
    /// How a sign-in goes.
    AuthStatus(Box<AuthStatusMessage>),
    /// What has become of a prompt.
    CommandLifecycle(Box<CommandLifecycleMessage>),
    /// The conversation was emptied.
    ConversationReset(Box<ConversationResetMessage>),
    /// The goal that the session works towards.
    ActiveGoal(Box<ActiveGoalMessage>),
    /// Copies of lines that the CLI wrote to a session file.
    TranscriptMirror(Box<TranscriptMirrorMessage>),
    /// Nothing: the other side is alive.
    KeepAlive(KeepAliveMessage),
    /// The host changes the CLI's environment.
    UpdateEnvironmentVariables(Box<UpdateEnvironmentVariables>),
    /// A step of a compaction, as the session file document has it.
    CompactSystem(Box<CompactSystemMessage>),
    /// A message for an in-process MCP server, as one document has it. The CLI sends these inside
    /// a control request.
    McpMessage(McpMessage),
    /// A type that is new to this library.
    Unknown(Unknown),
}

/// An MCP message that stands as a frame of its own.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct McpMessage {
    /// The in-process server it is for.
    pub server_name: Option<Str>,
    /// The JSON-RPC message.
    pub message: Option<Json>,
    /// What no field holds.
    pub extra: Extra,
}
