//! Content blocks.

mod advisor;
mod browser;
mod build;
mod cache_control;
mod citation;
mod code_execution;
mod compaction;
mod fallback;
mod mcp_blocks;
mod server_tool;
mod source;
mod tool_input;
mod tool_result;
mod tool_search;
mod web;

use rusty_claw_macros::wire_type;

use crate::extra::Extra;
use crate::text::Str;
use crate::unknown::Unknown;

pub use advisor::*;
pub use browser::*;
pub use cache_control::*;
pub use citation::*;
pub use code_execution::*;
pub use compaction::*;
pub use fallback::*;
pub use mcp_blocks::*;
pub use server_tool::*;
pub use source::*;
pub use tool_input::ToolInput;
pub use tool_result::*;
pub use tool_search::*;
pub use web::*;

/// A part of a message. Tagged by `type`.
#[wire_type(tag = "type")]
pub enum ContentBlock {
    /// Text.
    Text {
        /// The text; may be empty.
        text: String,
        /// Sources of parts of the text.
        citations: Option<Vec<Citation>>,
        /// A cache breakpoint at this block.
        cache_control: Option<Box<CacheControl>>,
    },
    /// A tool call by the model.
    ToolUse {
        /// The call's id; the result refers to it.
        id: Str,
        /// The tool's name.
        name: Str,
        /// Its input, kept as text and parsed on demand.
        input: ToolInput,
        /// The caller: the model, or code that it wrote.
        caller: Option<Box<ToolCaller>>,
        /// The toolset that the tool belongs to.
        toolset_name: Option<Str>,
        /// A cache breakpoint at this block.
        cache_control: Option<Box<CacheControl>>,
    },
    /// A tool's result.
    ToolResult {
        /// The id of the call.
        tool_use_id: Str,
        /// The returned content.
        content: ToolResultContent,
        /// Whether the tool failed.
        is_error: bool,
        /// The toolset that the tool belongs to.
        toolset_name: Option<Str>,
        /// A cache breakpoint at this block.
        cache_control: Option<Box<CacheControl>>,
    },
    /// The model's reasoning.
    Thinking {
        /// The text.
        thinking: String,
        /// Signature that proves the API as its origin.
        signature: Option<String>,
    },
    /// Reasoning that only the API can read.
    RedactedThinking {
        /// The encrypted reasoning; sent back as received.
        data: String,
    },
    /// An image.
    Image {
        /// Its bytes, or where to get them.
        source: Option<Source>,
        /// Changes that the API may make to it.
        transformations: Option<Box<ImageTransformations>>,
        /// A cache breakpoint at this block.
        cache_control: Option<Box<CacheControl>>,
    },
    /// A PDF or text document.
    Document(Box<Document>),
    /// A result of a search that the host ran.
    SearchResult(Box<SearchResult>),
    /// A call of a server tool, which the API runs itself.
    ServerToolUse(Box<ServerToolUse>),
    /// The result of the API's web search.
    WebSearchToolResult(Box<WebSearchToolResult>),
    /// The result of the API's web fetch.
    WebFetchToolResult(Box<WebFetchToolResult>),
    /// The result of code in the API's sandbox.
    CodeExecutionToolResult(Box<CodeExecutionToolResult>),
    /// The result of a shell command in the API's sandbox.
    BashCodeExecutionToolResult(Box<BashCodeExecutionToolResult>),
    /// The result of the file editor in the API's sandbox.
    TextEditorCodeExecutionToolResult(Box<TextEditorCodeExecutionToolResult>),
    /// The result of the API's tool search.
    ToolSearchToolResult(Box<ToolSearchToolResult>),
    /// The reply of the advisor model.
    AdvisorToolResult(Box<AdvisorToolResult>),
    /// A tool call to an MCP server that the API connects to.
    McpToolUse(Box<McpToolUse>),
    /// The result of such an MCP tool call.
    McpToolResult(Box<McpToolResult>),
    /// The tools of such an MCP server.
    McpToolListing(Box<McpToolListing>),
    /// A file in the API's sandbox.
    ContainerUpload {
        /// The file's id.
        file_id: Str,
        /// A cache breakpoint at this block.
        cache_control: Option<Box<CacheControl>>,
    },
    /// A summary that replaces the history before it.
    Compaction(Box<Compaction>),
    /// Another model answers from here on.
    Fallback(Box<Fallback>),
    /// A tool that was found and may be called.
    ToolReference {
        /// The tool's name.
        tool_name: Str,
        /// A cache breakpoint at this block.
        cache_control: Option<Box<CacheControl>>,
    },
    /// The state of the browser that the model controls.
    BrowserState(Box<BrowserState>),
    /// An unrecognized kind.
    Unknown(Unknown),
}

impl ContentBlock {
    /// Returns a text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text {
            text: text.into(),
            citations: None,
            cache_control: None,
            extra: Extra::new(),
        }
    }

    /// Returns the text of a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text, .. } => Some(text),
            _ => None,
        }
    }
}

/// An empty text: the value of a required field whose member is missing.
impl Default for ContentBlock {
    fn default() -> Self {
        Self::text(String::new())
    }
}
