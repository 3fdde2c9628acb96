//! How an MCP server is reached.

use rusty_claw_macros::Wire;
use serde::{Serialize, Serializer};

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::unknown::Unknown;
use crate::wire::{
    Found, Malformed, Map, Reader, SerializeMap, Tags, Wire as WireType, WireObject, serialize,
};

/// How an MCP server is reached. Told apart by `type`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum McpServerConfig {
    /// As a child process. Also what a configuration without `type` means.
    Stdio(Box<McpStdioServer>),
    /// Over HTTP, with server-sent events.
    Sse(Box<McpRemoteServer>),
    /// Over HTTP.
    Http(Box<McpRemoteServer>),
    /// In the host's own process.
    Sdk(Box<McpSdkServer>),
    /// Through the vendor.
    ClaudeaiProxy(Box<McpProxyServer>),
    /// A way that is new to this library.
    Unknown(Unknown),
}

/// A server that is a child process.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct McpStdioServer {
    /// Its program.
    pub command: String,
    /// Its arguments.
    pub args: Option<Vec<String>>,
    /// Its environment.
    pub env: Option<Map<String>>,
    /// How long a call may take, milliseconds.
    pub timeout: Option<u64>,
    /// Whether the model is told of its tools from the start.
    pub always_load: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// A server behind a URL.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct McpRemoteServer {
    /// Its address.
    pub url: String,
    /// What is sent along.
    pub headers: Option<Map<String>>,
    /// What its tools may do.
    pub tools: Option<Vec<McpServerToolPolicy>>,
    /// How long a call may take, milliseconds.
    pub timeout: Option<u64>,
    /// Whether the model is told of its tools from the start.
    pub always_load: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// A server in the host's own process.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct McpSdkServer {
    /// Its name.
    pub name: Str,
    /// How long a call may take, milliseconds.
    pub timeout: Option<u64>,
    /// What its tools may do.
    pub tools: Option<Vec<McpServerToolPolicy>>,
    /// What no field holds.
    pub extra: Extra,
}

/// A server that the vendor reaches.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct McpProxyServer {
    /// Its address.
    pub url: String,
    /// The vendor's name for it.
    pub id: Str,
    /// How long a call may take, milliseconds.
    pub timeout: Option<u64>,
    /// What no field holds.
    pub extra: Extra,
}

/// What a tool of a server may do.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct McpServerToolPolicy {
    /// The tool.
    pub name: Str,
    /// What the server wants.
    pub permission_policy: Option<ToolPermissionPolicy>,
    /// What the organisation allows at most.
    pub org_max_permission: Option<OrgMaxPermission>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// What a server wants of the questions about a tool.
    pub enum ToolPermissionPolicy {
        /// None.
        AlwaysAllow = "always_allow",
        /// One for every call.
        AlwaysAsk = "always_ask",
        /// The tool never runs.
        AlwaysDeny = "always_deny",
    }
}

open_enum! {
    /// What an organisation allows of a tool at most.
    pub enum OrgMaxPermission {
        /// To run.
        Allow = "allow",
        /// To ask.
        Ask = "ask",
        /// Nothing.
        Blocked = "blocked",
    }
}

impl McpServerConfig {
    /// A server in the host's own process.
    pub fn sdk(name: impl Into<Str>) -> Self {
        Self::Sdk(Box::new(McpSdkServer {
            name: name.into(),
            ..McpSdkServer::default()
        }))
    }

    /// A server that is a child process.
    pub fn stdio(command: impl Into<String>, args: Vec<String>) -> Self {
        Self::Stdio(Box::new(McpStdioServer {
            command: command.into(),
            args: Some(args),
            ..McpStdioServer::default()
        }))
    }

    /// A server over HTTP.
    pub fn http(url: impl Into<String>) -> Self {
        Self::Http(Box::new(McpRemoteServer {
            url: url.into(),
            ..McpRemoteServer::default()
        }))
    }

    /// The `type`, as it is on the wire.
    pub fn tag(&self) -> &str {
        match self {
            Self::Stdio(_) => "stdio",
            Self::Sse(_) => "sse",
            Self::Http(_) => "http",
            Self::Sdk(_) => "sdk",
            Self::ClaudeaiProxy(_) => "claudeai-proxy",
            Self::Unknown(unknown) => unknown.name.as_str(),
        }
    }

    fn read_untagged(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        let found = Box::<McpStdioServer>::read_tagged(reader, Tags::NONE.and("type"))?;
        Ok(found.map(|mut server| {
            // So that writing does not invent the `type` that was left out.
            server.extra.mark_absent("type");
            Self::Stdio(server)
        }))
    }
}

// By hand, because a configuration without `type` is a child process, and must be written
// without it again.
impl WireObject for McpServerConfig {
    fn read_tagged(reader: &mut Reader<'_>, tags: Tags) -> Result<Found<Self>, Malformed> {
        if !reader.is_object()? {
            return Ok(Found::Other);
        }
        let tag = reader.tag("type")?;
        let inner = tags.and("type");
        reader.enter_variant(tag.as_deref());
        let found = match tag.as_deref() {
            Some("stdio") => WireObject::read_tagged(reader, inner)?.map(Self::Stdio),
            Some("sse") => WireObject::read_tagged(reader, inner)?.map(Self::Sse),
            Some("http") => WireObject::read_tagged(reader, inner)?.map(Self::Http),
            Some("sdk") => WireObject::read_tagged(reader, inner)?.map(Self::Sdk),
            Some("claudeai-proxy") => {
                WireObject::read_tagged(reader, inner)?.map(Self::ClaudeaiProxy)
            }
            None => Self::read_untagged(reader)?,
            other => Found::Exact(Self::Unknown(Unknown::read(reader, inner, other)?)),
        };
        reader.leave_variant();
        Ok(found)
    }

    fn write_members<M: SerializeMap>(&self, map: &mut M, written: Tags) -> Result<(), M::Error> {
        if let Self::Stdio(server) = self
            && server.extra.holds("type")
        {
            return server.write_members(map, written);
        }
        if !matches!(self, Self::Unknown(_)) {
            map.serialize_entry("type", self.tag())?;
        }
        let inner = written.and("type");
        match self {
            Self::Stdio(server) => server.write_members(map, inner),
            Self::Sse(server) | Self::Http(server) => server.write_members(map, inner),
            Self::Sdk(server) => server.write_members(map, inner),
            Self::ClaudeaiProxy(server) => server.write_members(map, inner),
            Self::Unknown(unknown) => unknown.write_members(map, written.names()),
        }
    }
}

impl WireType for McpServerConfig {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        Self::read_tagged(reader, Tags::NONE)
    }
}

impl Serialize for McpServerConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(self, serializer)
    }
}

impl<'de> serde::Deserialize<'de> for McpServerConfig {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::wire::deserialize(deserializer)
    }
}
