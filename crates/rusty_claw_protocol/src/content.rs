//! Content blocks.

mod advisor;
mod browser;
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

use rusty_claw_macros::Wire;

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

/// One piece of a message. Told apart by `type`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum ContentBlock {
    /// Text.
    Text {
        /// The text; may be empty.
        text: String,
        /// What parts of the text are based on.
        citations: Option<Vec<Citation>>,
        /// Asks the API to cache the prompt up to here.
        cache_control: Option<Box<CacheControl>>,
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
        /// Who called: the model itself, or code that it wrote.
        caller: Option<Box<ToolCaller>>,
        /// The toolset that the tool belongs to.
        toolset_name: Option<Str>,
        /// Asks the API to cache the prompt up to here.
        cache_control: Option<Box<CacheControl>>,
        /// What no field holds.
        extra: Extra,
    },
    /// What a tool returned.
    ToolResult {
        /// The call this answers.
        tool_use_id: Str,
        /// What it returned.
        content: ToolResultContent,
        /// Whether the tool failed.
        is_error: bool,
        /// The toolset that the tool belongs to.
        toolset_name: Option<Str>,
        /// Asks the API to cache the prompt up to here.
        cache_control: Option<Box<CacheControl>>,
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
    /// Reasoning that only the API can read.
    RedactedThinking {
        /// The encrypted reasoning; sent back as it came.
        data: String,
        /// What no field holds.
        extra: Extra,
    },
    /// A picture.
    Image {
        /// Where its bytes are.
        source: Option<Source>,
        /// What the API may do to it.
        transformations: Option<Box<ImageTransformations>>,
        /// Asks the API to cache the prompt up to here.
        cache_control: Option<Box<CacheControl>>,
        /// What no field holds.
        extra: Extra,
    },
    /// A PDF or a text for the model to read.
    Document(Box<Document>),
    /// Something a search of the host's own found.
    SearchResult(Box<SearchResult>),
    /// The model called a tool that the API runs itself.
    ServerToolUse(Box<ServerToolUse>),
    /// What the API's web search found.
    WebSearchToolResult(Box<WebSearchToolResult>),
    /// What the API fetched from the web.
    WebFetchToolResult(Box<WebFetchToolResult>),
    /// What code in the API's sandbox did.
    CodeExecutionToolResult(Box<CodeExecutionToolResult>),
    /// What a shell command in the API's sandbox did.
    BashCodeExecutionToolResult(Box<BashCodeExecutionToolResult>),
    /// What the file editor in the API's sandbox did.
    TextEditorCodeExecutionToolResult(Box<TextEditorCodeExecutionToolResult>),
    /// Which tools the API's tool search found.
    ToolSearchToolResult(Box<ToolSearchToolResult>),
    /// What the adviser model said.
    AdvisorToolResult(Box<AdvisorToolResult>),
    /// The model called a tool of an MCP server that the API talks to.
    McpToolUse(Box<McpToolUse>),
    /// What a tool of such an MCP server returned.
    McpToolResult(Box<McpToolResult>),
    /// The tools that such an MCP server has.
    McpToolListing(Box<McpToolListing>),
    /// A file that was put into the API's sandbox.
    ContainerUpload {
        /// The file.
        file_id: Str,
        /// Asks the API to cache the prompt up to here.
        cache_control: Option<Box<CacheControl>>,
        /// What no field holds.
        extra: Extra,
    },
    /// A summary that stands for the history before it.
    Compaction(Box<Compaction>),
    /// From here on another model answers.
    Fallback(Box<Fallback>),
    /// A tool that was found and may now be called.
    ToolReference {
        /// The tool.
        tool_name: Str,
        /// Asks the API to cache the prompt up to here.
        cache_control: Option<Box<CacheControl>>,
        /// What no field holds.
        extra: Extra,
    },
    /// What the browser that the model drives shows.
    BrowserState(Box<BrowserState>),
    /// A kind that is new to this library.
    Unknown(Unknown),
}

impl ContentBlock {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text {
            text: text.into(),
            citations: None,
            cache_control: None,
            extra: Extra::new(),
        }
    }

    /// A picture, with its bytes in base64. `media_type` is such as `image/png`.
    pub fn image_base64(media_type: impl Into<Str>, data: impl Into<String>) -> Self {
        Self::image(Source::base64(media_type, data))
    }

    /// A picture that the API fetches itself.
    pub fn image_url(url: impl Into<Str>) -> Self {
        Self::image(Source::url(url))
    }

    /// A picture from anywhere.
    pub fn image(source: Source) -> Self {
        Self::Image {
            source: Some(source),
            transformations: None,
            cache_control: None,
            extra: Extra::new(),
        }
    }

    /// A PDF, with its bytes in base64.
    pub fn pdf_base64(data: impl Into<String>) -> Self {
        Self::document(Source::base64("application/pdf", data))
    }

    /// A document from anywhere.
    pub fn document(source: Source) -> Self {
        Self::Document(Box::new(Document {
            source: Some(source),
            ..Document::default()
        }))
    }

    /// The answer to a tool call.
    pub fn tool_result(
        tool_use_id: impl Into<Str>,
        content: impl Into<ToolResultContent>,
        is_error: bool,
    ) -> Self {
        Self::ToolResult {
            tool_use_id: tool_use_id.into(),
            content: content.into(),
            is_error,
            toolset_name: None,
            cache_control: None,
            extra: Extra::new(),
        }
    }

    /// The text, when this is a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text, .. } => Some(text),
            _ => None,
        }
    }
}

/// An empty text: what a required field holds when the member was missing.
impl Default for ContentBlock {
    fn default() -> Self {
        Self::text(String::new())
    }
}
