//! Outputs of the tools that reach out to the network.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::text::Str;
use crate::tool::{ArtifactRead, WebSearchPart};

/// What was found out from a web page.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct WebFetchOutput {
    /// How many bytes the page has.
    pub bytes: u64,
    /// The HTTP status.
    pub code: u64,
    /// The HTTP status, in words.
    pub code_text: String,
    /// What was found out.
    pub result: String,
    /// How long it took.
    pub duration_ms: u64,
    /// The page.
    pub url: Str,
    /// The published page that it is.
    pub artifact_read: Option<ArtifactRead>,
    /// What no field holds.
    pub extra: Extra,
}

/// What was found on the web.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct WebSearchOutput {
    /// What was looked for.
    pub query: String,
    /// What was found: lists of pages, and what the model makes of them.
    pub results: Vec<WebSearchPart>,
    /// How long it took, in seconds.
    pub duration_seconds: f64,
    /// How many searches were made.
    pub search_count: Option<u64>,
    /// What no field holds.
    pub extra: Extra,
}

/// Pages that one search found.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct WebSearchHits {
    /// The search.
    pub tool_use_id: Str,
    /// The pages.
    pub content: Vec<WebSearchHit>,
    /// What no field holds.
    pub extra: Extra,
}

/// A page that a search found.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct WebSearchHit {
    /// Its title.
    pub title: String,
    /// Where it is.
    pub url: Str,
    /// A piece of it.
    pub snippet: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// Something that an MCP server has to read.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct McpResource {
    /// By which it is read.
    pub uri: Str,
    /// What it is called.
    pub name: String,
    /// Its media type.
    pub mime_type: Option<Str>,
    /// What it is.
    pub description: Option<String>,
    /// The server.
    pub server: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// What an MCP server gave to read.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ReadMcpResourceOutput {
    /// The contents.
    pub contents: Vec<McpResourceContents>,
    /// What went wrong.
    pub error: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// One thing that an MCP server gave to read.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct McpResourceContents {
    /// What it is of.
    pub uri: Str,
    /// Its media type.
    pub mime_type: Option<Str>,
    /// The text.
    pub text: Option<String>,
    /// The file with its bytes, when it is no text.
    pub blob_saved_to: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// What a folder of an MCP server holds.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ReadMcpResourceDirOutput {
    /// What it holds.
    pub resources: Vec<McpResource>,
    /// What went wrong.
    pub error: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// What a tool of an MCP server returned, when it is more than content.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct McpToolOutput {
    /// The content, as blocks or text.
    pub content: Json,
    /// The same as data, in the shape that the server promises.
    pub structured_content: Option<Json>,
    /// What the server notes beside it.
    #[wire(name = "_meta")]
    pub meta: Option<Json>,
    /// Links that are in the content.
    pub resource_links: Option<Vec<McpResource>>,
    /// What no field holds.
    pub extra: Extra,
}
