//! What was said in a session.

mod assemble;
mod subagents;

use rusty_claw_protocol::messages::Message;
use rusty_claw_protocol::{Json, Line};

use crate::conversation::{Conversation, Thread, queued_behind};
use crate::error::TranscriptError;
use crate::library::SessionLibrary;

/// Who a message is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// A person, or a tool's result.
    User,
    /// The model: one content block, as the CLI stores them.
    Assistant,
    /// The CLI: a compaction, a notice.
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
/// The same content as the official SDK gives, with its names; `message` is the text of the file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SessionMessage {
    /// Who it is from.
    pub role: Role,
    /// By which other lines and [`ForkOptions::up_to`](crate::ForkOptions::up_to) name it.
    pub uuid: String,
    /// The session that the line says it belongs to.
    pub session_id: Option<String>,
    /// The API message: role and content. System messages have none.
    pub message: Option<Json>,
    /// In a subagent's conversation: the tool call that started it.
    pub parent_tool_use_id: Option<String>,
    /// In the conversation of a subagent that another subagent started: the latter.
    pub parent_agent_id: Option<String>,
    /// When it was said, as it stands in the file.
    pub timestamp: Option<String>,
    /// Where it came from, when not from the terminal.
    pub origin: Option<Json>,
    /// Not typed by anybody, or not shown to them.
    pub is_meta: bool,
    /// What a compaction left of everything before it.
    pub is_compact_summary: bool,
    /// A prompt that was sent while the model worked.
    pub is_queued_command: bool,
    /// Part of the record of a command that ran without the model.
    pub is_completed_local_command: bool,
    /// The process was stopped here.
    pub interrupted_by_shutdown: bool,
    /// Why a permission question found no answer.
    pub tool_denial_unanswered: Option<String>,
    /// For the result of a tool that did not run: its id and why.
    pub not_executed: Option<(String, String)>,
}

impl SessionMessage {
    /// The message as the CLI would print it on its standard output, so that history and live
    /// messages can go through one piece of code.
    pub fn to_message(&self) -> Option<Message> {
        let mut wire = serde_json::Map::new();
        let text = |text: &Option<String>| text.clone().map_or(serde_json::Value::Null, Into::into);
        wire.insert("type".into(), self.role.as_str().into());
        wire.insert("uuid".into(), self.uuid.clone().into());
        wire.insert("session_id".into(), text(&self.session_id));
        wire.insert("parent_tool_use_id".into(), text(&self.parent_tool_use_id));
        let head = serde_json::Value::Object(wire).to_string();
        let open = head.strip_suffix('}')?;
        let message = self.message.as_ref().map_or("null", Json::text);
        match Line::decode(format!("{open},\"message\":{message}}}").into_bytes()) {
            Line::Message(received) => Some(received.message),
            _ => None,
        }
    }
}

/// Which messages to read. The default is all that a user saw.
#[derive(Debug, Clone, Default)]
pub struct MessageFilter {
    limit: Option<usize>,
    offset: usize,
    system: bool,
}

impl MessageFilter {
    /// All user and assistant messages.
    pub fn new() -> Self {
        Self::default()
    }

    /// At most this many. Only these are kept in memory.
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Leaves out this many from the start.
    pub fn offset(mut self, offset: usize) -> Self {
        self.offset = offset;
        self
    }

    /// Also system messages, such as compactions and notices.
    pub fn system(mut self, included: bool) -> Self {
        self.system = included;
        self
    }
}

impl SessionLibrary {
    /// The conversation of a session in order: the branch that ends in the latest leaf, without
    /// what the CLI told the model behind the user's back. Behind a compaction it begins with the
    /// summary.
    ///
    /// The file is read line by line and only the messages asked for are kept.
    ///
    /// # Errors
    /// There is no such session, or its file cannot be read.
    pub fn messages(
        &self,
        session_id: &str,
        filter: &MessageFilter,
    ) -> Result<Vec<SessionMessage>, TranscriptError> {
        let found = self.find(session_id)?;
        let (conversation, mut lines) = Conversation::read(&found.path, |_| {})?;
        let thread = Thread::find(&conversation.nodes, &conversation.ids);
        let queued = queued_behind(&conversation.nodes, &thread);
        let mut parts = assemble::Parts {
            lines: thread.chain.clone(),
            trailing: queued.len(),
            deliveries: Some(&conversation.deliveries),
            keep_meta: false,
            system: filter.system,
            parent_tool_use_id: None,
            parent_agent_id: None,
        };
        parts.lines.extend(queued);
        parts.assemble(&mut lines, filter)
    }
}
