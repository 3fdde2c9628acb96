//! Subagents that a host defines.

use rusty_claw_macros::Wire;
use serde::{Serialize, Serializer};

use super::McpServerConfig;
use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::permission::PermissionMode;
use crate::text::Str;
use crate::wire::{Found, Malformed, Map, Reader, Wire as WireType};

/// A subagent.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct AgentDefinition {
    /// When to use it: the model reads it.
    pub description: String,
    /// Its system prompt.
    pub prompt: String,
    /// The tools it has; all when absent.
    pub tools: Option<Vec<Str>>,
    /// The tools it has not.
    pub disallowed_tools: Option<Vec<Str>>,
    /// Its model; the session's own when absent.
    pub model: Option<Str>,
    /// Its MCP servers.
    pub mcp_servers: Option<Vec<AgentMcpServer>>,
    /// A reminder that is repeated to it.
    #[wire(name = "criticalSystemReminder_EXPERIMENTAL")]
    pub critical_system_reminder: Option<String>,
    /// Skills it starts with.
    pub skills: Option<Vec<Str>>,
    /// Its first prompt, when it is the session's main agent.
    pub initial_prompt: Option<String>,
    /// How many turns it may take.
    pub max_turns: Option<u64>,
    /// Tokens at which its conversation is compacted.
    pub auto_compact_window: Option<u64>,
    /// Whether it runs in the background.
    pub background: Option<bool>,
    /// Whether it goes without the instruction files.
    pub omit_claude_md: Option<bool>,
    /// Where its memory is kept: `user`, `project`, `local`.
    pub memory: Option<Str>,
    /// How hard it tries.
    pub effort: Option<AgentEffort>,
    /// Its permission mode.
    pub permission_mode: Option<PermissionMode>,
    /// The subagent that watches it.
    pub observer: Option<Str>,
    /// What the watcher is told.
    pub observer_message: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// How hard a model tries.
    pub enum Effort {
        /// A little.
        Low = "low",
        /// Some.
        Medium = "medium",
        /// Hard.
        High = "high",
        /// Harder.
        Xhigh = "xhigh",
        /// As hard as it can.
        Max = "max",
    }
}

/// How hard a subagent tries.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentEffort {
    /// By name.
    Level(Effort),
    /// By number.
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
    /// One that the session has, by name.
    Named(Str),
    /// One of its own, by name.
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
