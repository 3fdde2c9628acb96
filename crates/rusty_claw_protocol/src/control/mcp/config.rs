//! Configuration of MCP servers.

use rusty_claw_macros::wire_type;
use serde::{Serialize, Serializer};

use crate::open_enum::open_enum;
use crate::text::Str;
use crate::unknown::Unknown;
use crate::wire::{
    Found, Malformed, Map, Reader, SerializeMap, Tags, Wire as WireType, WireObject, serialize,
};

/// The configuration of an MCP server. Tagged by `type`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum McpServerConfig {
    /// A child process. Also a configuration without `type`.
    Stdio(Box<McpStdioServer>),
    /// HTTP with server-sent events.
    Sse(Box<McpRemoteServer>),
    /// HTTP.
    Http(Box<McpRemoteServer>),
    /// In the host's process.
    Sdk(Box<McpSdkServer>),
    /// Through the vendor.
    ClaudeaiProxy(Box<McpProxyServer>),
    /// An unrecognized transport.
    Unknown(Unknown),
}

/// A server that runs as a child process.
#[wire_type(rename_all = "camelCase")]
pub struct McpStdioServer {
    /// Its program.
    pub command: String,
    /// Its arguments.
    pub args: Option<Vec<String>>,
    /// Its environment.
    pub env: Option<Map<String>>,
    /// The timeout of a call in milliseconds.
    pub timeout: Option<u64>,
    /// Whether its tools are loaded from the start.
    pub always_load: Option<bool>,
}

/// A server with a URL.
#[wire_type(rename_all = "camelCase")]
pub struct McpRemoteServer {
    /// Its URL.
    pub url: String,
    /// HTTP headers to send.
    pub headers: Option<Map<String>>,
    /// Policies for its tools.
    pub tools: Option<Vec<McpServerToolPolicy>>,
    /// The timeout of a call in milliseconds.
    pub timeout: Option<u64>,
    /// Whether its tools are loaded from the start.
    pub always_load: Option<bool>,
}

/// A server in the host's process.
#[wire_type]
pub struct McpSdkServer {
    /// Its name.
    pub name: Str,
    /// The timeout of a call in milliseconds.
    pub timeout: Option<u64>,
    /// Policies for its tools.
    pub tools: Option<Vec<McpServerToolPolicy>>,
}

/// A server that the vendor connects to.
#[wire_type]
pub struct McpProxyServer {
    /// Its URL.
    pub url: String,
    /// The vendor's id for it.
    pub id: Str,
    /// The timeout of a call in milliseconds.
    pub timeout: Option<u64>,
}

/// The policy for a tool of a server.
#[wire_type]
pub struct McpServerToolPolicy {
    /// The tool's name.
    pub name: Str,
    /// The server's policy.
    pub permission_policy: Option<ToolPermissionPolicy>,
    /// The most that the organisation permits.
    pub org_max_permission: Option<OrgMaxPermission>,
}

open_enum! {
    /// A server's permission policy for a tool.
    pub enum ToolPermissionPolicy {
        /// Allow every call.
        AlwaysAllow = "always_allow",
        /// Ask for every call.
        AlwaysAsk = "always_ask",
        /// Deny every call.
        AlwaysDeny = "always_deny",
    }
}

open_enum! {
    /// The most that an organisation permits a tool.
    pub enum OrgMaxPermission {
        /// To run without asking.
        Allow = "allow",
        /// To run after asking.
        Ask = "ask",
        /// Not to run.
        Blocked = "blocked",
    }
}

impl McpServerConfig {
    /// Returns a server in the host's process.
    pub fn sdk(name: impl Into<Str>) -> Self {
        Self::Sdk(Box::new(McpSdkServer {
            name: name.into(),
            ..McpSdkServer::default()
        }))
    }

    /// Returns a server that runs as a child process.
    pub fn stdio(command: impl Into<String>, args: Vec<String>) -> Self {
        Self::Stdio(Box::new(McpStdioServer {
            command: command.into(),
            args: Some(args),
            ..McpStdioServer::default()
        }))
    }

    /// Returns a server over HTTP.
    pub fn http(url: impl Into<String>) -> Self {
        Self::Http(Box::new(McpRemoteServer {
            url: url.into(),
            ..McpRemoteServer::default()
        }))
    }

    /// Returns the `type` as it is on the wire.
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
            // Keeps the absent `type` absent when written.
            server.extra.mark_absent("type");
            Self::Stdio(server)
        }))
    }
}

// Written by hand, because a configuration without `type` is a child process and must be written
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
