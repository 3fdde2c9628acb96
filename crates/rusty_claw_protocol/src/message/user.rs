//! What came from the user's side.

mod origin;
mod tool_result_meta;

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::message::{ApiMessage, Content};
use crate::open_enum::open_enum;
use crate::text::Str;

pub use origin::*;
pub use tool_result_meta::*;

/// What came from the user's side: tool results, prompts, replays of prompts.
///
/// The same type is what a host sends in:
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
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(own_new)]
pub struct UserMessage {
    /// The API's message.
    pub message: ApiMessage,
    /// The tool use that started the subagent this belongs to.
    #[wire(nullable)]
    pub parent_tool_use_id: Option<Str>,
    /// The session. The CLI ignores it in what a host sends.
    #[wire(alias = "sessionId")]
    pub session_id: Option<Str>,
    /// The line's id; for a prompt, the one its sender chose.
    pub uuid: Option<Str>,
    /// When it was made, ISO 8601.
    pub timestamp: Option<Str>,
    /// What the tool returned, in the tool's own shape.
    pub tool_use_result: Option<Json>,
    /// What happened around the tool calls that are answered here.
    pub tool_result_meta: Option<Vec<ToolResultMeta>>,
    /// The CLI made this itself.
    #[wire(name = "isSynthetic")]
    pub is_synthetic: Option<bool>,
    /// This repeats a prompt that was sent in.
    #[wire(name = "isReplay")]
    pub is_replay: Option<bool>,
    /// When the prompt is to be run.
    pub priority: Option<PromptPriority>,
    /// Who wrote the prompt.
    pub origin: Option<Box<MessageOrigin>>,
    /// Whether the model is asked; when not, the prompt waits for the next one.
    #[wire(name = "shouldQuery")]
    pub should_query: Option<bool>,
    /// The text is final: no files are pulled in and no commands are run.
    pub client_composed: Option<bool>,
    /// What the user pasted, one item for each mark in the text.
    pub pasted_content: Option<Vec<Content>>,
    /// What the user pasted and what stands in the text as it is.
    pub inline_pastes: Option<Vec<String>>,
    /// Files that came with the prompt, as their sender described them.
    pub file_attachments: Option<Vec<Json>>,
    /// The refused message that this one is about.
    pub refused_message_id: Option<Str>,
    /// The subagent that this was said to.
    pub agent_id: Option<Str>,
    /// The subagent's type.
    pub subagent_type: Option<Str>,
    /// What the subagent was asked to do, in short.
    pub task_description: Option<String>,
    /// The line before this one.
    #[wire(name = "parentUuid")]
    pub parent_uuid: Option<Str>,
    /// Whether this was said to a subagent.
    #[wire(name = "isSidechain")]
    pub is_sidechain: Option<bool>,
    /// Who the user is.
    #[wire(name = "userType")]
    pub user_type: Option<Str>,
    /// Whether it was deleted.
    #[wire(name = "isDeleted")]
    pub is_deleted: Option<bool>,
    /// Whether it was cut off.
    #[wire(name = "isAborted")]
    pub is_aborted: Option<bool>,
    /// Whether people need not see it.
    #[wire(name = "isMeta")]
    pub is_meta: Option<bool>,
    /// Whether it reports an error.
    #[wire(name = "isError")]
    pub is_error: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

impl UserMessage {
    /// A prompt: a text, a block, or several.
    pub fn new(content: impl Into<Content>) -> Self {
        Self {
            message: ApiMessage::user(content),
            ..Self::default()
        }
    }

    /// A prompt that is a plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(text.into())
    }

    /// Gives the prompt an id. Only then does the CLI say when it starts and ends, and which
    /// result belongs to it.
    #[must_use]
    pub fn with_uuid(mut self, uuid: impl Into<Str>) -> Self {
        self.uuid = Some(uuid.into());
        self
    }

    /// Says when the prompt is to be run.
    #[must_use]
    pub fn with_priority(mut self, priority: PromptPriority) -> Self {
        self.priority = Some(priority);
        self
    }

    /// Says who wrote the prompt.
    #[must_use]
    pub fn with_origin(mut self, origin: MessageOrigin) -> Self {
        self.origin = Some(Box::new(origin));
        self
    }

    /// Stores the prompt for the next one instead of asking the model.
    #[must_use]
    pub fn without_query(mut self) -> Self {
        self.should_query = Some(false);
        self
    }

    /// Takes the text as it is: `@file` pulls no file in and `/name` runs no command. For text
    /// that somebody else wrote.
    #[must_use]
    pub fn as_composed(mut self) -> Self {
        self.client_composed = Some(true);
        self
    }
}

open_enum! {
    /// When a prompt is to be run.
    pub enum PromptPriority {
        /// At once; the running turn is cut off.
        Now = "now",
        /// As soon as the running turn has room.
        Next = "next",
        /// After everything else, in a turn of its own.
        Later = "later",
    }
}
