//! Subagents that a host defines.

use rusty_claw_macros::wire_type;
use serde::{Serialize, Serializer};

use super::McpServerConfig;
use crate::open_enum::open_enum;
use crate::permission::PermissionMode;
use crate::text::Str;
use crate::wire::{Found, Malformed, Map, Reader, Wire as WireType};

/// A subagent.
#[wire_type(rename_all = "camelCase")]
pub struct AgentDefinition {
    /// When to use it, for the model.
    pub description: String,
    /// Its system prompt.
    pub prompt: String,
    /// The allowed tools; all if absent.
    pub tools: Option<Vec<Str>>,
    /// The disallowed tools.
    pub disallowed_tools: Option<Vec<Str>>,
    /// Its model; the session's if absent.
    pub model: Option<Str>,
    /// Its MCP servers.
    pub mcp_servers: Option<Vec<AgentMcpServer>>,
    /// A reminder that is repeated to the subagent.
    #[wire(name = "criticalSystemReminder_EXPERIMENTAL")]
    pub critical_system_reminder: Option<String>,
    /// Preloaded skills.
    pub skills: Option<Vec<Str>>,
    /// Its first prompt, if it is the session's main agent.
    pub initial_prompt: Option<String>,
    /// The maximum number of turns.
    pub max_turns: Option<u64>,
    /// Tokens at which its conversation is compacted.
    pub auto_compact_window: Option<u64>,
    /// Whether it runs in the background.
    pub background: Option<bool>,
    /// Whether to omit the instruction files.
    pub omit_claude_md: Option<bool>,
    /// The scope of its memory: `user`, `project`, `local`.
    pub memory: Option<Str>,
    /// Its effort level.
    pub effort: Option<AgentEffort>,
    /// Its permission mode.
    pub permission_mode: Option<PermissionMode>,
    /// The subagent that observes it.
    pub observer: Option<Str>,
    /// The message for the observer.
    pub observer_message: Option<String>,
}

open_enum! {
    /// The effort level of a model.
    pub enum Effort {
        /// Low.
        Low = "low",
        /// Medium.
        Medium = "medium",
        /// High.
        High = "high",
        /// Extra high.
        Xhigh = "xhigh",
        /// Maximum.
        Max = "max",
    }
}

/// The effort level of a subagent.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentEffort {
    /// A named level.
    Level(Effort),
    /// A number.
    Amount(f64),
}

impl WireType for AgentEffort {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        if let Some(level) = reader.string()? {
            return Ok(Found::Exact(Self::Level(Effort::from(&*level))));
        }
        Ok(<f64 as WireType>::read(reader)?.map(Self::Amount))
    }
}

impl Serialize for AgentEffort {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Level(level) => level.serialize(serializer),
            Self::Amount(amount) => amount.serialize(serializer),
        }
    }
}

impl<'de> serde::Deserialize<'de> for AgentEffort {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::wire::deserialize(deserializer)
    }
}

/// An MCP server of a subagent.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentMcpServer {
    /// A server of the session, by name.
    Named(Str),
    /// A server of its own, by name.
    Own(Map<McpServerConfig>),
}

impl WireType for AgentMcpServer {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        if let Some(name) = reader.string()? {
            return Ok(Found::Exact(Self::Named(Str::from(&*name))));
        }
        Ok(<Map<McpServerConfig> as WireType>::read(reader)?.map(Self::Own))
    }
}

impl Serialize for AgentMcpServer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Named(name) => name.serialize(serializer),
            Self::Own(servers) => servers.serialize(serializer),
        }
    }
}

impl<'de> serde::Deserialize<'de> for AgentMcpServer {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::wire::deserialize(deserializer)
    }
}
