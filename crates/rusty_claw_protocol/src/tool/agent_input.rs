//! Inputs of the tools that start subagents, workflows and skills.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::permission::PermissionMode;
use crate::text::Str;

/// Starts a subagent.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct AgentInput {
    /// What it is for, in a few words.
    pub description: String,
    /// What it is told.
    pub prompt: String,
    /// Which kind of agent.
    pub subagent_type: Option<Str>,
    /// Which model, by its short name.
    pub model: Option<Str>,
    /// How hard it thinks.
    pub effort: Option<Str>,
    /// Whether the model goes on while it works.
    pub run_in_background: Option<bool>,
    /// A name to write to it by.
    pub name: Option<Str>,
    /// The team that it joins.
    pub team_name: Option<Str>,
    /// Its permission mode.
    pub mode: Option<PermissionMode>,
    /// Where it works.
    pub isolation: Option<AgentIsolation>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Where a subagent works.
    pub enum AgentIsolation {
        /// In a worktree of its own.
        Worktree = "worktree",
        /// On another machine.
        Remote = "remote",
    }
}

/// Runs a script that drives several agents.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct WorkflowInput {
    /// The script.
    pub script: Option<String>,
    /// A workflow that is there already.
    pub name: Option<Str>,
    /// What it is for.
    pub description: Option<String>,
    /// What to call this run.
    pub title: Option<String>,
    /// What the script is given; its own business.
    pub args: Option<Json>,
    /// The file that holds the script.
    pub script_path: Option<Str>,
    /// An earlier run to go on from.
    pub resume_from_run_id: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Loads a skill.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SkillInput {
    /// The skill.
    pub skill: Str,
    /// What it is told.
    pub args: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// Runs a slash command; a tool of older versions.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SlashCommandInput {
    /// The command and what follows it.
    pub command: String,
    /// What no field holds.
    pub extra: Extra,
}

/// Looks for tools that are not loaded yet.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ToolSearchInput {
    /// Words to look for, or `select:` and names.
    pub query: String,
    /// How many at most.
    pub max_results: Option<u64>,
    /// What no field holds.
    pub extra: Extra,
}
