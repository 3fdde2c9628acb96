//! A message, and the filter of messages.

use rusty_claw_protocol::messages::Message;
use rusty_claw_protocol::{Json, Line};

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// A person, or the result of a tool.
    User,
    /// The model. The CLI stores one content block per message.
    Assistant,
    /// The CLI: a compaction or a notice.
    System,
}

impl Role {
    /// The name in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
        }
    }
}

/// One message of a conversation.
///
/// It has the content and the names of the official SDK; `message` is the text of the file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SessionMessage {
    /// The author.
    pub role: Role,
    /// The id, which other lines and [`ForkOptions::up_to`](crate::ForkOptions::up_to) refer to.
    pub uuid: String,
    /// The session id in the line.
    pub session_id: Option<String>,
    /// The API message: role and content. System messages have none.
    pub message: Option<Json>,
    /// The tool call that started the subagent, in a subagent's conversation.
    pub parent_tool_use_id: Option<String>,
    /// The subagent that started this one, in a nested subagent's conversation.
    pub parent_agent_id: Option<String>,
    /// The timestamp as in the file.
    pub timestamp: Option<String>,
    /// The origin, if it is not the terminal.
    pub origin: Option<Json>,
    /// Whether it is hidden, or was not typed by a person.
    pub is_meta: bool,
    /// Whether it is the summary of a compaction.
    pub is_compact_summary: bool,
    /// Whether it is a prompt that was sent while the model worked.
    pub is_queued_command: bool,
    /// Whether it is part of the record of a local command, which ran without the model.
    pub is_completed_local_command: bool,
    /// Whether the process was stopped here.
    pub interrupted_by_shutdown: bool,
    /// Why a permission request was not answered.
    pub tool_denial_unanswered: Option<String>,
    /// The id of a tool that did not run, and the reason.
    pub not_executed: Option<(String, String)>,
}

impl SessionMessage {
    /// Converts to the message that the CLI would print to its standard output, so that history and
    /// live messages can share code.
    pub fn to_message(&self) -> Option<Message> {
        let head = serde_json::json!({
            "type": self.role.as_str(),
            "uuid": self.uuid,
            "session_id": self.session_id,
            "parent_tool_use_id": self.parent_tool_use_id,
        });
        let head = head.to_string();
        let open = head.strip_suffix('}')?;
        let message = self.message.as_ref().map_or("null", Json::text);
        match Line::decode(format!("{open},\"message\":{message}}}").into_bytes()) {
            Line::Message(received) => Some(received.message),
            _ => None,
        }
    }
}

/// Selects the messages to read. The default is all visible user and assistant messages.
#[derive(Debug, Clone, Default)]
pub struct MessageFilter {
    pub(super) limit: Option<usize>,
    pub(super) offset: usize,
    pub(super) system: bool,
}

impl MessageFilter {
    /// Selects all user and assistant messages.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the maximum number of messages. Only these are kept in memory.
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Skips this many messages at the start.
    pub fn offset(mut self, offset: usize) -> Self {
        self.offset = offset;
        self
    }

    /// Includes or excludes system messages, such as compactions and notices.
    pub fn system(mut self, included: bool) -> Self {
        self.system = included;
        self
    }
}
