//! Outputs of the network tools.

use rusty_claw_macros::wire_type;

use crate::json::Json;
use crate::text::Str;
use crate::tool::{ArtifactRead, WebSearchPart};

/// The answer from a web page.
#[wire_type(rename_all = "camelCase")]
pub struct WebFetchOutput {
    /// The page's size in bytes.
    pub bytes: u64,
    /// The HTTP status.
    pub code: u64,
    /// The reason phrase of the HTTP status.
    pub code_text: String,
    /// The answer.
    pub result: String,
    /// How long it took.
    pub duration_ms: u64,
    /// The page's URL.
    pub url: Str,
    /// The artifact, if the page is one.
    pub artifact_read: Option<ArtifactRead>,
}

/// The results of a web search.
#[wire_type(rename_all = "camelCase")]
pub struct WebSearchOutput {
    /// The query.
    pub query: String,
    /// The results: lists of pages, and the model's summary of them.
    pub results: Vec<WebSearchPart>,
    /// How long it took, in seconds.
    pub duration_seconds: f64,
    /// Number of searches.
    pub search_count: Option<u64>,
}

/// The pages found by one search.
#[wire_type]
pub struct WebSearchHits {
    /// The id of the search.
    pub tool_use_id: Str,
    /// The pages.
    pub content: Vec<WebSearchHit>,
}

/// A page found by a search.
#[wire_type]
pub struct WebSearchHit {
    /// Its title.
    pub title: String,
    /// Its URL.
    pub url: Str,
    /// An excerpt.
    pub snippet: Option<String>,
}

/// A resource of an MCP server.
#[wire_type(rename_all = "camelCase")]
pub struct McpResource {
    /// Its URI.
    pub uri: Str,
    /// Its name.
    pub name: String,
    /// Its media type.
    pub mime_type: Option<Str>,
    /// Its description.
    pub description: Option<String>,
    /// The server's name.
    pub server: Option<Str>,
}

/// The content of a resource of an MCP server.
#[wire_type]
pub struct ReadMcpResourceOutput {
    /// The contents.
    pub contents: Vec<McpResourceContents>,
    /// The error.
    pub error: Option<String>,
}

/// A part of a resource of an MCP server.
#[wire_type(rename_all = "camelCase")]
pub struct McpResourceContents {
    /// The resource's URI.
    pub uri: Str,
    /// Its media type.
    pub mime_type: Option<Str>,
    /// The text.
    pub text: Option<String>,
    /// The file with its bytes, if it is not text.
    pub blob_saved_to: Option<Str>,
}

/// The content of a directory of an MCP server.
#[wire_type]
pub struct ReadMcpResourceDirOutput {
    /// Its resources.
    pub resources: Vec<McpResource>,
    /// The error.
    pub error: Option<String>,
}

/// The result of an MCP tool that is more than content.
#[wire_type(rename_all = "camelCase")]
pub struct McpToolOutput {
    /// The content, as blocks or text.
    pub content: Json,
    /// The same as structured data, in the shape that the server defines.
    pub structured_content: Option<Json>,
    /// The server's metadata.
    #[wire(name = "_meta")]
    pub meta: Option<Json>,
    /// Links in the content.
    pub resource_links: Option<Vec<McpResource>>,
}
