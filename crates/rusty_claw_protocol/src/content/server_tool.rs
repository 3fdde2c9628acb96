//! Tools that the API runs itself.

use rusty_claw_macros::Wire;

use crate::content::{CacheControl, ToolInput};
use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::unknown::Unknown;

/// A call of a tool that the API runs itself; the host only sees it.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ServerToolUse {
    /// By which the result finds its call.
    pub id: Str,
    /// The tool, such as `web_search`.
    pub name: Str,
    /// Its input, kept as text and parsed on demand.
    pub input: ToolInput,
    /// Who called: the model itself, or code that it wrote.
    pub caller: Option<Box<ToolCaller>>,
    /// Asks the API to cache the prompt up to here.
    pub cache_control: Option<Box<CacheControl>>,
    /// What no field holds.
    pub extra: Extra,
}

/// Who called a tool.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum ToolCaller {
    /// The model itself.
    Direct {
        /// What no field holds.
        extra: Extra,
    },
    /// Code that the model wrote and the API ran.
    #[wire(name = "code_execution_20250825")]
    CodeExecution20250825 {
        /// The call that runs the code.
        tool_id: Str,
        /// What no field holds.
        extra: Extra,
    },
    /// The same, in a later version of the sandbox.
    #[wire(name = "code_execution_20260120")]
    CodeExecution20260120 {
        /// The call that runs the code.
        tool_id: Str,
        /// What no field holds.
        extra: Extra,
    },
    /// A caller that is new to this library.
    Unknown(Unknown),
}

open_enum! {
    /// Why a tool that the API runs failed. Each tool uses some of these.
    pub enum ServerToolErrorCode {
        /// The model gave an input the tool cannot use.
        InvalidToolInput = "invalid_tool_input",
        /// The tool is down.
        Unavailable = "unavailable",
        /// The tool was asked too often in a short time.
        TooManyRequests = "too_many_requests",
        /// The tool was used as often as the request allows.
        MaxUsesExceeded = "max_uses_exceeded",
        /// It ran too long.
        ExecutionTimeExceeded = "execution_time_exceeded",
        /// The search has too many words.
        QueryTooLong = "query_too_long",
        /// The search as a whole is too large.
        RequestTooLarge = "request_too_large",
        /// The address is too long.
        UrlTooLong = "url_too_long",
        /// The address is on no list of allowed ones.
        UrlNotAllowed = "url_not_allowed",
        /// The address was not mentioned before.
        UrlNotInPriorContext = "url_not_in_prior_context",
        /// Nothing answers at the address.
        UrlNotAccessible = "url_not_accessible",
        /// The page is of a kind that cannot be read.
        UnsupportedContentType = "unsupported_content_type",
        /// The page is too large.
        ContentTooLarge = "content_too_large",
        /// The command wrote too large a file.
        OutputFileTooLarge = "output_file_too_large",
        /// There is no such file.
        FileNotFound = "file_not_found",
        /// The prompt does not fit the adviser.
        PromptTooLong = "prompt_too_long",
        /// The adviser is overloaded.
        Overloaded = "overloaded",
        /// There is no such adviser.
        ModelNotFound = "model_not_found",
    }
}
