//! What the subagents did.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::wire::Map;

/// What the subagents of a turn did.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SubagentStats {
    /// How many were started.
    pub spawned: u64,
    /// How many of those by other subagents.
    pub spawned_by_subagents: u64,
    /// How many began in the background.
    pub started_in_background: u64,
    /// How many ended well.
    pub completed: u64,
    /// How many failed.
    pub failed: u64,
    /// How deep they were nested.
    pub max_depth: u64,
    /// How many of each type.
    pub by_type: Map<u64>,
    /// How the model asked for them.
    pub requested: SubagentsRequested,
    /// Which were not started.
    pub refused: SubagentsRefused,
    /// Which were ended early.
    pub killed: SubagentsKilled,
    /// What no field holds.
    pub extra: Extra,
}

/// How the model asked for subagents.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SubagentsRequested {
    /// To run in the background.
    pub background: u64,
    /// To be waited for.
    pub foreground: u64,
    /// Without saying.
    pub unset: u64,
    /// What no field holds.
    pub extra: Extra,
}

/// Subagents that were not started.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SubagentsRefused {
    /// The budget was spent.
    pub budget: u64,
    /// Too many at once.
    pub concurrency_limit: u64,
    /// Nested too deep.
    pub depth_limit: u64,
    /// What no field holds.
    pub extra: Extra,
}

/// Subagents that were ended early.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SubagentsKilled {
    /// By who started them.
    pub parent: u64,
    /// By the CLI.
    pub system: u64,
    /// By the user.
    pub user: u64,
    /// What no field holds.
    pub extra: Extra,
}
