//! Results of the API's web tools.

use rusty_claw_macros::wire_type;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::content::{CacheControl, ContentBlock, ServerToolErrorCode, ToolCaller};
use crate::json::Json;
use crate::text::Str;
use crate::unknown::Unknown;
use crate::wire::{Found, Malformed, Reader, Shape, Wire as WireType};

/// The result of the API's web search.
#[wire_type]
pub struct WebSearchToolResult {
    /// The call this answers.
    pub tool_use_id: Str,
    /// The pages, or an error.
    pub content: WebSearchOutput,
    /// The caller: the model, or code that it wrote.
    pub caller: Option<Box<ToolCaller>>,
    /// A cache breakpoint at this block.
    pub cache_control: Option<Box<CacheControl>>,
}

/// The pages found, or an error.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum WebSearchOutput {
    /// The pages.
    Results(Vec<WebSearchResult>),
    /// The search failed.
    Error(WebSearchError),
    /// Any other value, as received.
    Other(Json),
}

/// No pages: the value of a required field whose member is missing.
impl Default for WebSearchOutput {
    fn default() -> Self {
        Self::Results(Vec::new())
    }
}

impl WireType for WebSearchOutput {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        if reader.is_object()? {
            return Ok(WebSearchError::read(reader)?.map(Self::Error));
        }
        match Vec::read(reader)?.map(Self::Results) {
            Found::Other => Ok(Json::read(reader)?.map(Self::Other)),
            found => Ok(found),
        }
    }

    fn shape() -> Option<&'static Shape> {
        WebSearchResult::shape()
    }
}

impl Serialize for WebSearchOutput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Results(results) => results.serialize(serializer),
            Self::Error(error) => error.serialize(serializer),
            Self::Other(json) => json.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for WebSearchOutput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::wire::deserialize(deserializer)
    }
}

/// A page that the web search found.
#[wire_type]
pub struct WebSearchResult {
    /// Always `web_search_result`.
    #[wire(name = "type")]
    pub kind: Str,
    /// The page's URL.
    pub url: Str,
    /// Its title.
    pub title: String,
    /// Its age, as text.
    pub page_age: Option<String>,
    /// Its content, which only the API can read.
    pub encrypted_content: String,
}

/// The error of a web search.
#[wire_type]
pub struct WebSearchError {
    /// Always `web_search_tool_result_error`.
    #[wire(name = "type")]
    pub kind: Str,
    /// The error code.
    pub error_code: ServerToolErrorCode,
}

/// The result of the API's web fetch.
#[wire_type]
pub struct WebFetchToolResult {
    /// The call this answers.
    pub tool_use_id: Str,
    /// The page, or an error.
    pub content: Option<WebFetchOutput>,
    /// The caller: the model, or code that it wrote.
    pub caller: Option<Box<ToolCaller>>,
    /// A cache breakpoint at this block.
    pub cache_control: Option<Box<CacheControl>>,
}

/// A web page, or an error.
#[wire_type(tag = "type")]
pub enum WebFetchOutput {
    /// The page.
    WebFetchResult {
        /// Its URL.
        url: Str,
        /// Its content, a document block.
        content: Option<Box<ContentBlock>>,
        /// When it was fetched, ISO 8601.
        retrieved_at: Option<Str>,
    },
    /// The fetch failed.
    WebFetchToolResultError {
        /// The error code.
        error_code: ServerToolErrorCode,
    },
    /// An unrecognized kind.
    Unknown(Unknown),
}
