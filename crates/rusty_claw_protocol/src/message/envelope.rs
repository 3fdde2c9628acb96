//! Messages and control responses, which contain each other.

use rusty_claw_macros::wire_type;

use crate::control::ControlRequest;
use crate::json::Json;
use crate::message::{
    ActiveGoalMessage, AssistantMessage, AuthStatusMessage, CommandLifecycleMessage,
    CompactSystemMessage, ControlCancelRequest, ConversationResetMessage, KeepAliveMessage,
    PromptSuggestionMessage, RateLimitEvent, ResultMessage, SystemMessage, ToolProgressMessage,
    ToolUseSummaryMessage, TranscriptMirrorMessage, UpdateEnvironmentVariables, UserMessage,
};
use crate::stream::StreamEvent;
use crate::text::Str;
use crate::unknown::Unknown;

/// A message: a line of the CLI's standard output or standard input.
///
/// Tagged by `type`. An unrecognized type is [`Message::Unknown`], never an error.
#[wire_type(tag = "type")]
pub enum Message {
    /// Facts about the session, and events in it.
    System(SystemMessage),
    /// A completed content block by the model.
    Assistant(Box<AssistantMessage>),
    /// Tool results, prompts by the CLI itself, and replayed prompts.
    User(Box<UserMessage>),
    /// The end of a turn.
    Result(ResultMessage),
    /// A part of a message in progress.
    StreamEvent(Box<StreamEvent>),
    /// A request that the other side must answer.
    #[wire(with = "super::control_frame::request")]
    ControlRequest {
        /// The id that the answer repeats; chosen by the sender.
        request_id: Str,
        /// The request itself.
        request: ControlRequest,
        /// The layout of the frame.
        form: ControlForm,
    },
    /// The answer to a control request.
    #[wire(with = "super::control_frame::response")]
    ControlResponse {
        /// The id of the answered request.
        request_id: Str,
        /// The answer.
        response: ControlResponse,
        /// The layout of the frame.
        form: ControlForm,
    },
    /// The cancellation of a control request.
    ControlCancelRequest(ControlCancelRequest),
    /// A change of the plan's rate limits.
    RateLimitEvent(Box<RateLimitEvent>),
    /// A tool is still running.
    ToolProgress(Box<ToolProgressMessage>),
    /// A summary of a batch of tool calls.
    ToolUseSummary(Box<ToolUseSummaryMessage>),
    /// A suggestion for the next prompt.
    PromptSuggestion(Box<PromptSuggestionMessage>),
    /// The progress of a sign-in.
    AuthStatus(Box<AuthStatusMessage>),
    /// The state of a prompt.
    CommandLifecycle(Box<CommandLifecycleMessage>),
    /// The conversation was cleared.
    ConversationReset(Box<ConversationResetMessage>),
    /// The session's goal.
    ActiveGoal(Box<ActiveGoalMessage>),
    /// Copies of lines that the CLI wrote to a session file.
    TranscriptMirror(Box<TranscriptMirrorMessage>),
    /// A sign of life, without content.
    KeepAlive(KeepAliveMessage),
    /// The host changes the CLI's environment.
    UpdateEnvironmentVariables(Box<UpdateEnvironmentVariables>),
    /// A step of a compaction, as in the session file document.
    CompactSystem(Box<CompactSystemMessage>),
    /// A message for an in-process MCP server, as in one document. The CLI sends these inside a
    /// control request.
    McpMessage(McpMessage),
    /// An unrecognized type.
    Unknown(Unknown),
}

/// An MCP message in a frame of its own.
#[wire_type]
pub struct McpMessage {
    /// The in-process server that receives it.
    pub server_name: Option<Str>,
    /// The JSON-RPC message.
    pub message: Option<Json>,
}

/// The layout of a control frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ControlForm {
    /// The payload is a nested object, as in the CLI.
    #[default]
    Nested,
    /// The payload is at the top level, as in one document. Read, but never sent.
    Flat,
}

/// The answer to a control request. Tagged by `subtype`.
#[wire_type(tag = "subtype")]
pub enum ControlResponse {
    /// The request succeeded.
    Success {
        /// The payload; its type depends on the request, see `ControlPayload::read`.
        response: Option<Json>,
        // Leniency: the message document answers `can_use_tool` with these two. The CLI does not
        // understand them, so they are read but never sent.
        /// Whether the tool may run, as in one document.
        allowed: Option<bool>,
        /// The reason for a denial, as in one document.
        reason: Option<String>,
        /// Pending interactions.
        #[wire(flatten)]
        pending: Box<PendingPrompts>,
    },
    /// The request failed.
    Error {
        /// The error message.
        error: String,
        /// The error code: `unsupported_request`, `invalid_mode`, ….
        error_code: Option<Str>,
        /// Pending interactions.
        #[wire(flatten)]
        pending: Box<PendingPrompts>,
    },
    /// An unrecognized outcome.
    Unknown(Unknown),
}

/// The pending interactions, for a host that lost track of them. The CLI sends them with the
/// response to `initialize`.
#[wire_type]
pub struct PendingPrompts {
    /// Permission requests, in their frames.
    #[wire(name = "pending_permission_requests")]
    pub permissions: Option<Vec<Message>>,
    /// Dialogs, in their frames.
    #[wire(name = "pending_user_dialog_requests")]
    pub dialogs: Option<Vec<Message>>,
    /// Elicitations, in their frames.
    #[wire(name = "pending_elicitation_requests")]
    pub elicitations: Option<Vec<Message>>,
}
