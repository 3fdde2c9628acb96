//! Content blocks.

mod tool_input;

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::text::Str;
use crate::unknown::Unknown;

pub use tool_input::ToolInput;

/// One piece of a message. Told apart by `type`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum ContentBlock {
    /// Text.
    Text {
        /// The text; may be empty.
        text: String,
        /// What no field holds.
        extra: Extra,
    },
    /// The model wants a tool called.
    ToolUse {
        /// By which the result finds its call.
        id: Str,
        /// The tool.
        name: Str,
        /// Its input, kept as text and parsed on demand.
        input: ToolInput,
        /// What no field holds.
        extra: Extra,
    },
    /// What a tool returned.
    ToolResult {
        /// The call this answers.
        tool_use_id: Str,
        /// What it returned.
        content: Json,
        /// Whether the tool failed.
        is_error: bool,
        /// What no field holds.
        extra: Extra,
    },
    /// The model's reasoning.
    Thinking {
        /// The text.
        thinking: String,
        /// Proof that the API made it.
        signature: Option<String>,
        /// What no field holds.
        extra: Extra,
    },
    /// A kind that is new to this library.
    Unknown(Unknown),
}

impl ContentBlock {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text {
            text: text.into(),
            extra: Extra::new(),
        }
    }
}
