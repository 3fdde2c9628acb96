//! Messages from the user's side.

mod origin;
mod tool_result_meta;

use rusty_claw_macros::wire_type;

use crate::json::Json;
use crate::message::{ApiMessage, Content};
use crate::open_enum::open_enum;
use crate::text::Str;

pub use origin::*;
pub use tool_result_meta::*;

/// A message from the user's side: tool results, prompts, replayed prompts.
///
/// Hosts send the same type:
///
/// ```
/// use rusty_claw_protocol::messages::{Message, UserMessage};
///
/// let prompt = UserMessage::text("Hello").with_uuid("0c0c0c0c-0000-4000-8000-000000000001");
/// let line = serde_json::to_string(&Message::User(Box::new(prompt)))?;
/// assert_eq!(
///     line,
///     r#"{"type":"user","message":{"role":"user","content":"Hello"},"parent_tool_use_id":null,"uuid":"0c0c0c0c-0000-4000-8000-000000000001"}"#,
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// Leniency: the members from `parent_uuid` on are those of the session file document. The CLI
/// prints none of them.
#[wire_type(own_new)]
pub struct UserMessage {
    /// The API's message.
    pub message: ApiMessage,
    /// The tool use that started the subagent this belongs to.
    #[wire(nullable)]
    pub parent_tool_use_id: Option<Str>,
    /// The session's id. The CLI ignores it in messages from a host.
    #[wire(alias = "sessionId")]
    pub session_id: Option<Str>,
    /// The line's id; for a prompt, chosen by its sender.
    pub uuid: Option<Str>,
    /// When it was created, ISO 8601.
    pub timestamp: Option<Str>,
    /// The tool's result, in its own shape.
    pub tool_use_result: Option<Json>,
    /// Details about the tool calls that are answered here.
    pub tool_result_meta: Option<Vec<ToolResultMeta>>,
    /// Whether the CLI created it.
    #[wire(name = "isSynthetic")]
    pub is_synthetic: Option<bool>,
    /// Whether it repeats a prompt that was sent.
    #[wire(name = "isReplay")]
    pub is_replay: Option<bool>,
    /// When to run the prompt.
    pub priority: Option<PromptPriority>,
    /// The author of the prompt.
    pub origin: Option<Box<MessageOrigin>>,
    /// Whether to query the model; if not, the prompt is kept for the next one.
    #[wire(name = "shouldQuery")]
    pub should_query: Option<bool>,
    /// Whether the text is final: no files are included and no commands are run.
    pub client_composed: Option<bool>,
    /// Pasted content, which the CLI appends to the typed text.
    pub pasted_content: Option<Vec<Content>>,
    /// Pasted text that is still in the message.
    pub inline_pastes: Option<Vec<String>>,
    /// Files attached to the prompt, as described by their sender.
    pub file_attachments: Option<Vec<Json>>,
    /// The refused message that this relates to.
    pub refused_message_id: Option<Str>,
    /// The id of the subagent that receives it.
    pub agent_id: Option<Str>,
    /// The subagent's type.
    pub subagent_type: Option<Str>,
    /// A short description of the subagent's task.
    pub task_description: Option<String>,
    /// The preceding line.
    #[wire(name = "parentUuid")]
    pub parent_uuid: Option<Str>,
    /// Whether it belongs to a subagent.
    #[wire(name = "isSidechain")]
    pub is_sidechain: Option<bool>,
    /// The type of user.
    #[wire(name = "userType")]
    pub user_type: Option<Str>,
    /// Whether it was deleted.
    #[wire(name = "isDeleted")]
    pub is_deleted: Option<bool>,
    /// Whether it was truncated.
    #[wire(name = "isAborted")]
    pub is_aborted: Option<bool>,
    /// Whether it is hidden from the user.
    #[wire(name = "isMeta")]
    pub is_meta: Option<bool>,
    /// Whether it reports an error.
    #[wire(name = "isError")]
    pub is_error: Option<bool>,
}

impl UserMessage {
    /// Returns a prompt from a text, a block, or several.
    pub fn new(content: impl Into<Content>) -> Self {
        Self {
            message: ApiMessage::user(content),
            ..Self::default()
        }
    }

    /// Returns a plain text prompt.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(text.into())
    }

    /// Sets the prompt's id. The CLI only reports the start, the end and the result of prompts with
    /// an id.
    #[must_use]
    pub fn with_uuid(mut self, uuid: impl Into<Str>) -> Self {
        self.uuid = Some(uuid.into());
        self
    }

    /// Sets when to run the prompt.
    #[must_use]
    pub fn with_priority(mut self, priority: PromptPriority) -> Self {
        self.priority = Some(priority);
        self
    }

    /// Sets the author of the prompt.
    #[must_use]
    pub fn with_origin(mut self, origin: MessageOrigin) -> Self {
        self.origin = Some(Box::new(origin));
        self
    }

    /// Stores the prompt for the next one instead of querying the model.
    #[must_use]
    pub fn without_query(mut self) -> Self {
        self.should_query = Some(false);
        self
    }

    /// Uses the text as is: `@file` includes no file and `/name` runs no command. For text by a
    /// third party.
    #[must_use]
    pub fn as_composed(mut self) -> Self {
        self.client_composed = Some(true);
        self
    }
}

open_enum! {
    /// When to run a prompt.
    pub enum PromptPriority {
        /// At once; interrupts the running turn.
        Now = "now",
        /// As soon as the running turn can take it.
        Next = "next",
        /// After everything else, in its own turn.
        Later = "later",
    }
}
