//! Tools under one name.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use rusty_claw_protocol::control::{SdkMcpServerManifest, SdkMcpServerOptions};
use rusty_claw_protocol::{Json, Str};
use serde_json::{Map, Value, json};

use super::{IntoTool, McpConnection, Tool, ToolSet, schema};

/// The version of MCP that the manifest speaks. A CLI that wants another asks for itself.
const PROTOCOL_VERSION: &str = "2025-11-25";

/// The longest name that the model's API takes for a tool, `mcp__server__tool` as a whole.
const LONGEST_NAME: usize = 128;

/// Tools under one name, served from inside your program.
///
/// It does no input or output of its own. Cheap to clone, and one server can serve any number of
/// sessions at once: what belongs to one of them is in its [`McpConnection`].
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
    /// A server without tools. Its name becomes part of its tools' names: letters, digits, `_`
    /// and `-`, but no `__`, which separates the two.
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

    /// The server's own version, which status listings show.
    pub fn version(self, version: impl Into<String>) -> Self {
        self.with(|parts| parts.version = version.into())
    }

    /// What the model should know about the server as a whole; goes into its prompt.
    pub fn instructions(self, instructions: impl Into<String>) -> Self {
        self.with(|parts| parts.instructions = Some(instructions.into()))
    }

    /// How long the CLI waits for a call, whatever progress it reports. It ignores less than a
    /// second. Without this the CLI's own setting applies (`MCP_TOOL_TIMEOUT`).
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

    /// Its name.
    pub fn name(&self) -> &Str {
        &self.parts.name
    }

    /// Its tools, in the order they were added.
    pub fn tools(&self) -> &[Tool] {
        &self.parts.tools
    }

    /// The names by which the model and permission rules know its tools: `mcp__server__tool`.
    pub fn tool_names(&self) -> impl Iterator<Item = String> + '_ {
        let tools = self.parts.tools.iter();
        tools.map(|tool| format!("mcp__{}__{}", self.parts.name, tool.name()))
    }

    /// Looks for what the CLI or the model's API would refuse, or would silently leave out.
    /// A session does this before it starts.
    ///
    /// # Errors
    /// A name has characters that names do not have, is missing, is too long or is taken twice;
    /// or the schema of a tool's arguments does not describe an object.
    pub fn check(&self) -> Result<(), InvalidMcpServer> {
        let server = self.parts.name.as_str();
        // The CLI joins names with this mark: two servers could have a tool of the same name.
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

    /// What `initialize` of the control protocol takes, so that the CLI need not ask: the answers
    /// to MCP's `initialize` and `tools/list`.
    pub fn manifest(&self) -> SdkMcpServerManifest {
        let initialize = Json::from_value(&self.initialize_result(PROTOCOL_VERSION));
        let mut manifest = SdkMcpServerManifest::new(initialize);
        manifest.tools_list_result = Some(Json::from_value(&self.tools_list_result()));
        manifest
    }

    /// The settings that go beside the manifest, where there are any.
    pub fn options(&self) -> Option<SdkMcpServerOptions> {
        let limit = self.parts.call_timeout?;
        let mut options = SdkMcpServerOptions::new();
        options.timeout = Some(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX));
        Some(options)
    }

    /// One session's use of this server. Requests are numbered for each connection, so every
    /// session needs its own.
    pub fn connect(&self) -> McpConnection {
        McpConnection::new(self.clone())
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

    /// MCP's `initialize`: we speak whatever version of MCP the other side does, since what we
    /// use of it has been the same in all of them.
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

/// Why a server cannot be served.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidMcpServer {
    /// The server's name has characters that names do not have, or none at all, or it holds the
    /// `__` that separates it from a tool's name.
    #[error(
        "the MCP server name {0:?} is not usable: use one or more letters, digits, `_` and `-`, and no `__`"
    )]
    ServerName(String),
    /// A tool's name has characters that names do not have, or none at all.
    #[error(
        "the tool name {tool:?} of MCP server `{server}` is not usable: use one or more letters, digits, `_` and `-`"
    )]
    ToolName {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
    /// A tool's full name is longer than the model's API takes.
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
