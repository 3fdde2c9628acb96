//! MCP servers inside the program.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use rusty_claw_protocol::control::{SdkMcpServerManifest, SdkMcpServerOptions};
use rusty_claw_protocol::{Json, Str};
use serde_json::{Map, Value, json};

use super::{IntoTool, Tool, ToolSet, schema};

/// The MCP version of the manifest. A CLI that needs another one sends its own `initialize`.
const PROTOCOL_VERSION: &str = "2025-11-25";

/// The maximum length of a tool name in the model's API, for `mcp__server__tool` as a whole.
const LONGEST_NAME: usize = 128;

/// An MCP server inside your program: tools under one name.
///
/// It performs no I/O of its own. It is cheap to clone, and one server can serve any number of
/// sessions at once: the state of each is in its [`McpConnection`](super::McpConnection).
///
/// ```
/// use rusty_claw::mcp::{McpServer, tool};
///
/// /// Adds two numbers.
/// #[tool]
/// async fn add(a: f64, b: f64) -> f64 {
///     a + b
/// }
///
/// let server = McpServer::new("calc")
///     .version("1.2.3")
///     .instructions("Use these tools for all arithmetic.")
///     .tool(add);
/// server.check()?;
/// # Ok::<(), rusty_claw::mcp::InvalidMcpServer>(())
/// ```
#[derive(Debug, Clone)]
pub struct McpServer {
    parts: Arc<Parts>,
}

#[derive(Debug, Clone)]
struct Parts {
    name: Str,
    version: String,
    instructions: Option<String>,
    call_timeout: Option<Duration>,
    tools: Vec<Tool>,
}

impl McpServer {
    /// Creates a server without tools. The name becomes part of its tools' names: letters, digits,
    /// `_` and `-`, but no `__`, which separates the two.
    pub fn new(name: impl Into<Str>) -> Self {
        Self {
            parts: Arc::new(Parts {
                name: name.into(),
                version: "1.0.0".to_owned(),
                instructions: None,
                call_timeout: None,
                tools: Vec::new(),
            }),
        }
    }

    /// Sets the server's own version, which status listings show.
    pub fn version(self, version: impl Into<String>) -> Self {
        self.with(|parts| parts.version = version.into())
    }

    /// Sets the instructions for the server as a whole, which become part of the model's prompt.
    pub fn instructions(self, instructions: impl Into<String>) -> Self {
        self.with(|parts| parts.instructions = Some(instructions.into()))
    }

    /// Sets how long the CLI waits for a call, regardless of progress. It ignores values below one
    /// second. The default is the CLI's own setting (`MCP_TOOL_TIMEOUT`).
    pub fn call_timeout(self, limit: Duration) -> Self {
        self.with(|parts| parts.call_timeout = Some(limit))
    }

    /// Adds a tool.
    pub fn tool(self, tool: impl IntoTool) -> Self {
        self.with(|parts| parts.tools.push(tool.into_tool()))
    }

    /// Adds the tools of a type whose impl block has [`macro@super::tools`]. All of them share the
    /// value; the program can keep a handle to it.
    pub fn tool_set(self, state: Arc<impl ToolSet>) -> Self {
        self.with(|parts| parts.tools.extend(state.tools()))
    }

    fn with(mut self, change: impl FnOnce(&mut Parts)) -> Self {
        change(Arc::make_mut(&mut self.parts));
        self
    }

    /// The name.
    pub fn name(&self) -> &Str {
        &self.parts.name
    }

    /// The tools, in the order they were added.
    pub fn tools(&self) -> &[Tool] {
        &self.parts.tools
    }

    /// The full names of the tools, as in permission rules: `mcp__server__tool`.
    pub fn tool_names(&self) -> impl Iterator<Item = String> + '_ {
        let tools = self.parts.tools.iter();
        tools.map(|tool| format!("mcp__{}__{}", self.parts.name, tool.name()))
    }

    /// Checks for what the CLI or the model's API would reject or silently drop. A session calls
    /// this before it starts.
    ///
    /// # Errors
    /// A name is empty, has invalid characters, is too long or is used twice; or the schema of a
    /// tool's arguments does not describe an object.
    pub fn check(&self) -> Result<(), InvalidMcpServer> {
        let server = self.parts.name.as_str();
        // The CLI joins names with `__`: two servers could have a tool of the same name.
        if !is_name(server) || server.contains("__") {
            return Err(InvalidMcpServer::ServerName(server.to_owned()));
        }
        let mut seen = HashSet::new();
        for (tool, full_name) in self.parts.tools.iter().zip(self.tool_names()) {
            let owned = || (server.to_owned(), tool.name().to_string());
            if !is_name(tool.name()) {
                let (server, tool) = owned();
                return Err(InvalidMcpServer::ToolName { server, tool });
            }
            if full_name.len() > LONGEST_NAME {
                return Err(InvalidMcpServer::TooLong(full_name));
            }
            if !seen.insert(tool.name()) {
                let (server, tool) = owned();
                return Err(InvalidMcpServer::Duplicate { server, tool });
            }
            let described = tool.definition().get("inputSchema");
            if !described.is_some_and(schema::is_object) {
                let (server, tool) = owned();
                return Err(InvalidMcpServer::NotAnObject { server, tool });
            }
        }
        Ok(())
    }

    /// The manifest for `initialize` of the control protocol: the responses to MCP's `initialize`
    /// and `tools/list`, so that the CLI need not request them.
    pub fn manifest(&self) -> SdkMcpServerManifest {
        let initialize = Json::from_value(&self.initialize_result(PROTOCOL_VERSION));
        let mut manifest = SdkMcpServerManifest::new(initialize);
        manifest.tools_list_result = Some(Json::from_value(&self.tools_list_result()));
        manifest
    }

    /// The settings that accompany the manifest, if there are any.
    pub fn options(&self) -> Option<SdkMcpServerOptions> {
        let limit = self.parts.call_timeout?;
        let mut options = SdkMcpServerOptions::new();
        options.timeout = Some(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX));
        Some(options)
    }

    pub(super) fn find(&self, tool: &str) -> Option<&Tool> {
        let mut tools = self.parts.tools.iter();
        tools.find(|candidate| *candidate.name() == *tool)
    }

    pub(super) fn initialize_result(&self, protocol_version: &str) -> Value {
        let parts = &*self.parts;
        let mut result = json!({
            "protocolVersion": protocol_version,
            "capabilities": { "tools": { "listChanged": false } },
            "serverInfo": { "name": parts.name.as_str(), "version": parts.version },
        });
        if let Some(instructions) = &parts.instructions {
            result["instructions"] = instructions.as_str().into();
        }
        result
    }

    /// Handles MCP's `initialize`. Accepts any MCP version, since the part that we use is the same
    /// in all of them.
    pub(super) fn initialize(&self, params: &Json) -> Value {
        let asked = params
            .get("protocolVersion")
            .and_then(|version| version.to_text());
        self.initialize_result(asked.as_deref().unwrap_or(PROTOCOL_VERSION))
    }

    pub(super) fn tools_list_result(&self) -> Value {
        let definitions = self
            .parts
            .tools
            .iter()
            .map(|tool| tool.definition().clone());
        let tools = definitions.map(Value::Object).collect();
        Value::Object(Map::from_iter([("tools".to_owned(), tools)]))
    }
}

fn is_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !name.is_empty() && name.chars().all(allowed)
}

/// The reason why a server is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidMcpServer {
    /// The server's name is empty, has invalid characters, or contains the `__` that separates it
    /// from a tool's name.
    #[error(
        "the MCP server name {0:?} is not usable: use one or more letters, digits, `_` and `-`, and no `__`"
    )]
    ServerName(String),
    /// A tool's name is empty or has invalid characters.
    #[error(
        "the tool name {tool:?} of MCP server `{server}` is not usable: use one or more letters, digits, `_` and `-`"
    )]
    ToolName {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
    /// A tool's full name is too long for the model's API.
    #[error(
        "the tool name `{0}` has more than {LONGEST_NAME} characters: shorten the server's or the tool's"
    )]
    TooLong(String),
    /// Two tools have the same name.
    #[error("MCP server `{server}` has two tools named `{tool}`: rename one")]
    Duplicate {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
    /// The schema of a tool's arguments does not describe an object.
    #[error(
        "the arguments of tool `{tool}` of MCP server `{server}` are not an object: take a struct with named fields, write `#[arg]` before a single argument that is none, or give a schema with \"type\": \"object\""
    )]
    NotAnObject {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
}
