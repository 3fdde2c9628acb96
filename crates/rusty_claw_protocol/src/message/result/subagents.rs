//! Statistics about subagents.

use rusty_claw_macros::wire_type;

use crate::wire::Map;

/// Statistics about the subagents of a turn.
#[wire_type]
pub struct SubagentStats {
    /// Number started.
    pub spawned: u64,
    /// Number started by other subagents.
    pub spawned_by_subagents: u64,
    /// Number started in the background.
    pub started_in_background: u64,
    /// Number completed.
    pub completed: u64,
    /// Number failed.
    pub failed: u64,
    /// The maximum nesting depth.
    pub max_depth: u64,
    /// Number by type.
    pub by_type: Map<u64>,
    /// How the model requested them.
    pub requested: SubagentsRequested,
    /// Number refused, by reason.
    pub refused: SubagentsRefused,
    /// Number killed, by origin.
    pub killed: SubagentsKilled,
}

/// How the model requested subagents.
#[wire_type]
pub struct SubagentsRequested {
    /// In the background.
    pub background: u64,
    /// In the foreground.
    pub foreground: u64,
    /// Unspecified.
    pub unset: u64,
}

/// Number of refused subagents, by reason.
#[wire_type]
pub struct SubagentsRefused {
    /// The budget was exhausted.
    pub budget: u64,
    /// Too many in parallel.
    pub concurrency_limit: u64,
    /// Nested too deep.
    pub depth_limit: u64,
}

/// Number of killed subagents, by origin.
#[wire_type]
pub struct SubagentsKilled {
    /// By their parent.
    pub parent: u64,
    /// By the CLI.
    pub system: u64,
    /// By the user.
    pub user: u64,
}
