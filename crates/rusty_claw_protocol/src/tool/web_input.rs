//! Inputs of the network tools.

use rusty_claw_macros::wire_type;

use crate::json::Json;
use crate::text::Str;

/// Fetches a web page.
#[wire_type]
pub struct WebFetchInput {
    /// The page's URL.
    pub url: Str,
    /// What to extract from it.
    pub prompt: String,
    /// The offset in a long page.
    pub offset: Option<u64>,
}

/// Searches the web.
#[wire_type]
pub struct WebSearchInput {
    /// The query.
    pub query: String,
    /// The only domains to include.
    pub allowed_domains: Option<Vec<Str>>,
    /// Domains to exclude.
    pub blocked_domains: Option<Vec<Str>>,
}

/// Lists the resources of MCP servers.
#[wire_type]
pub struct ListMcpResourcesInput {
    /// A single server.
    pub server: Option<Str>,
}

/// Reads a resource of an MCP server, or lists a directory of it.
#[wire_type]
pub struct ReadMcpResourceInput {
    /// The server's name.
    pub server: Str,
    /// The resource's URI.
    pub uri: Str,
}

/// Refreshes the tools of MCP servers.
#[wire_type]
pub struct RefreshMcpToolsInput {
    /// A single server.
    pub server: Option<Str>,
}

/// Publishes and manages artifacts.
#[wire_type]
pub struct ArtifactInput {
    /// The action; publish if absent.
    pub action: Option<Str>,
    /// The page's file.
    pub file_path: Option<Str>,
    /// An emoji for the tab.
    pub favicon: Option<Str>,
    /// An image for the tab.
    pub icon: Option<Str>,
    /// The maximum number of results.
    pub limit: Option<u64>,
    /// The token of the next page of results.
    pub page_token: Option<Str>,
    /// Whose artifacts to list.
    pub scope: Option<Str>,
    /// The title.
    pub title: Option<String>,
    /// The description.
    pub description: Option<String>,
    /// A label for this version.
    pub label: Option<String>,
    /// The URL of a published artifact.
    pub url: Option<Str>,
    /// What to extract from an artifact.
    pub prompt: Option<String>,
    /// Whether to overwrite concurrent changes by others.
    pub force: Option<bool>,
    /// Whether to pin it.
    pub pin: Option<bool>,
    /// The output directory.
    pub out_dir: Option<Str>,
    /// Files to add.
    pub file_paths: Option<Vec<Str>>,
    /// The id of an added file.
    pub asset_id: Option<Str>,
    /// The position at which a list continues.
    pub after: Option<Str>,
    /// What the artifact may do; its shape is defined by the service.
    pub capabilities: Option<Json>,
    /// The version of the artifact rules that it follows.
    pub contract: Option<Str>,
}

/// Uses a design tool.
#[wire_type]
pub struct ClaudeDesignInput {
    /// The operation.
    pub operation: Str,
    /// Its arguments, in the shape of the operation.
    pub arguments: Json,
}

/// Manages the documents of a remote project.
#[wire_type]
pub struct ProjectsInput {
    /// The method, such as `project_read`.
    pub method: Str,
    /// The document.
    pub path: Option<Str>,
    /// The new content.
    pub content: Option<String>,
    /// The file with the new content.
    pub local_path: Option<Str>,
    /// Whether to present it to the user.
    pub present_to_user: Option<bool>,
    /// The search query.
    pub query: Option<String>,
    /// Number of results.
    pub n: Option<u64>,
}
