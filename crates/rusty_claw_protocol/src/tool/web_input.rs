//! Inputs of the tools that reach out to the network.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::text::Str;

/// Reads a web page.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct WebFetchInput {
    /// The page.
    pub url: Str,
    /// What to find out from it.
    pub prompt: String,
    /// Where in a long page to begin.
    pub offset: Option<u64>,
    /// What no field holds.
    pub extra: Extra,
}

/// Searches the web.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct WebSearchInput {
    /// What for.
    pub query: String,
    /// Results from these sites only.
    pub allowed_domains: Option<Vec<Str>>,
    /// No results from these sites.
    pub blocked_domains: Option<Vec<Str>>,
    /// What no field holds.
    pub extra: Extra,
}

/// Lists what MCP servers have to read.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ListMcpResourcesInput {
    /// One server only.
    pub server: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Reads something that an MCP server has, or lists a folder of it.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ReadMcpResourceInput {
    /// The server.
    pub server: Str,
    /// What to read.
    pub uri: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// Asks MCP servers again which tools they have.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct RefreshMcpToolsInput {
    /// One server only.
    pub server: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Publishes pages and manages them.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ArtifactInput {
    /// What to do; publish unless said otherwise.
    pub action: Option<Str>,
    /// The page.
    pub file_path: Option<Str>,
    /// An emoji for the tab.
    pub favicon: Option<Str>,
    /// A picture for the tab.
    pub icon: Option<Str>,
    /// How many at most.
    pub limit: Option<u64>,
    /// Where the next page of a list begins.
    pub page_token: Option<Str>,
    /// Whose pages to list.
    pub scope: Option<Str>,
    /// A title.
    pub title: Option<String>,
    /// What the page is.
    pub description: Option<String>,
    /// A name for this version.
    pub label: Option<String>,
    /// A page that is published already.
    pub url: Option<Str>,
    /// What to find out from a page.
    pub prompt: Option<String>,
    /// Whether to replace what somebody else wrote meanwhile.
    pub force: Option<bool>,
    /// Whether to put it on top.
    pub pin: Option<bool>,
    /// Where to save.
    pub out_dir: Option<Str>,
    /// Files to add.
    pub file_paths: Option<Vec<Str>>,
    /// A file that was added.
    pub asset_id: Option<Str>,
    /// Where a list goes on.
    pub after: Option<Str>,
    /// What the page may do; the service knows its shape.
    pub capabilities: Option<Json>,
    /// Which version of the rules for pages it follows.
    pub contract: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Works with a design tool.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ClaudeDesignInput {
    /// What to do.
    pub operation: Str,
    /// What with, in the shape of that operation.
    pub arguments: Json,
    /// What no field holds.
    pub extra: Extra,
}

/// Works with the documents of a project kept elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ProjectsInput {
    /// What to do, such as `project_read`.
    pub method: Str,
    /// The document.
    pub path: Option<Str>,
    /// What it holds from now on.
    pub content: Option<String>,
    /// The file to take that from.
    pub local_path: Option<Str>,
    /// Whether the user gets to see it.
    pub present_to_user: Option<bool>,
    /// What to search for.
    pub query: Option<String>,
    /// How many results.
    pub n: Option<u64>,
    /// What no field holds.
    pub extra: Extra,
}
