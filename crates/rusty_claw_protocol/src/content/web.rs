//! What the API's web tools returned.

use rusty_claw_macros::Wire;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::content::{CacheControl, ContentBlock, ServerToolErrorCode, ToolCaller};
use crate::extra::Extra;
use crate::json::Json;
use crate::text::Str;
use crate::unknown::Unknown;
use crate::wire::{Found, Malformed, Reader, Shape, Wire as WireType};

/// What the API's web search found.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct WebSearchToolResult {
    /// The call this answers.
    pub tool_use_id: Str,
    /// The pages, or why there are none.
    pub content: WebSearchOutput,
    /// Who called: the model itself, or code that it wrote.
    pub caller: Option<Box<ToolCaller>>,
    /// Asks the API to cache the prompt up to here.
    pub cache_control: Option<Box<CacheControl>>,
    /// What no field holds.
    pub extra: Extra,
}

/// The pages of a web search, or why there are none.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum WebSearchOutput {
    /// The pages.
    Results(Vec<WebSearchResult>),
    /// The search failed.
    Error(WebSearchError),
    /// Neither, as it came.
    Other(Json),
}

/// No pages: what a required field holds when the member was missing.
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
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct WebSearchResult {
    /// Always `web_search_result`.
    #[wire(name = "type")]
    pub kind: Str,
    /// The page.
    pub url: Str,
    /// Its title.
    pub title: String,
    /// How old it is, in words.
    pub page_age: Option<String>,
    /// What it says, readable by the API only.
    pub encrypted_content: String,
    /// What no field holds.
    pub extra: Extra,
}

/// Why a web search found nothing.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct WebSearchError {
    /// Always `web_search_tool_result_error`.
    #[wire(name = "type")]
    pub kind: Str,
    /// The reason.
    pub error_code: ServerToolErrorCode,
    /// What no field holds.
    pub extra: Extra,
}

/// What the API fetched from the web.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct WebFetchToolResult {
    /// The call this answers.
    pub tool_use_id: Str,
    /// The page, or why there is none.
    pub content: Option<WebFetchOutput>,
    /// Who called: the model itself, or code that it wrote.
    pub caller: Option<Box<ToolCaller>>,
    /// Asks the API to cache the prompt up to here.
    pub cache_control: Option<Box<CacheControl>>,
    /// What no field holds.
    pub extra: Extra,
}

/// A page from the web, or why there is none.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum WebFetchOutput {
    /// The page.
    WebFetchResult {
        /// Its address.
        url: Str,
        /// What it says, a document block.
        content: Option<Box<ContentBlock>>,
        /// When it was fetched, ISO 8601.
        retrieved_at: Option<Str>,
        /// What no field holds.
        extra: Extra,
    },
    /// It could not be fetched.
    WebFetchToolResultError {
        /// The reason.
        error_code: ServerToolErrorCode,
        /// What no field holds.
        extra: Extra,
    },
    /// A kind that is new to this library.
    Unknown(Unknown),
}
