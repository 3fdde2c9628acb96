//! Server tools, which the API runs itself.

use rusty_claw_macros::wire_type;

use crate::content::{CacheControl, ToolInput};
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::unknown::Unknown;

/// A call of a server tool, which the API runs itself.
#[wire_type]
pub struct ServerToolUse {
    /// The call's id; the result refers to it.
    pub id: Str,
    /// The tool's name, such as `web_search`.
    pub name: Str,
    /// Its input, kept as text and parsed on demand.
    pub input: ToolInput,
    /// The caller: the model, or code that it wrote.
    pub caller: Option<Box<ToolCaller>>,
    /// A cache breakpoint at this block.
    pub cache_control: Option<Box<CacheControl>>,
}

/// The caller of a tool.
#[wire_type(tag = "type")]
pub enum ToolCaller {
    /// The model itself.
    Direct {},
    /// Code that the model wrote and the API ran.
    #[wire(name = "code_execution_20250825")]
    CodeExecution20250825 {
        /// The call that runs the code.
        tool_id: Str,
    },
    /// As above, in a later version of the sandbox.
    #[wire(name = "code_execution_20260120")]
    CodeExecution20260120 {
        /// The call that runs the code.
        tool_id: Str,
    },
    /// An unrecognized caller.
    Unknown(Unknown),
}

open_enum! {
    /// Why a server tool failed. Each tool uses some of these.
    pub enum ServerToolErrorCode {
        /// The tool rejected its input.
        InvalidToolInput = "invalid_tool_input",
        /// The tool is unavailable.
        Unavailable = "unavailable",
        /// Too many requests in a short time.
        TooManyRequests = "too_many_requests",
        /// The tool's limit of uses is reached.
        MaxUsesExceeded = "max_uses_exceeded",
        /// It ran too long.
        ExecutionTimeExceeded = "execution_time_exceeded",
        /// The query is too long.
        QueryTooLong = "query_too_long",
        /// The request is too large.
        RequestTooLarge = "request_too_large",
        /// The URL is too long.
        UrlTooLong = "url_too_long",
        /// The URL is not allowed.
        UrlNotAllowed = "url_not_allowed",
        /// The URL does not occur earlier in the conversation.
        UrlNotInPriorContext = "url_not_in_prior_context",
        /// The URL cannot be reached.
        UrlNotAccessible = "url_not_accessible",
        /// The page's content type is not supported.
        UnsupportedContentType = "unsupported_content_type",
        /// The page is too large.
        ContentTooLarge = "content_too_large",
        /// The command's output file is too large.
        OutputFileTooLarge = "output_file_too_large",
        /// The file does not exist.
        FileNotFound = "file_not_found",
        /// The prompt is too long for the advisor.
        PromptTooLong = "prompt_too_long",
        /// The advisor is overloaded.
        Overloaded = "overloaded",
        /// The advisor model does not exist.
        ModelNotFound = "model_not_found",
    }
}
