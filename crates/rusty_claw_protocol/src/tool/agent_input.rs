//! Inputs of the tools that start subagents, workflows and skills.

use rusty_claw_macros::wire_type;

use crate::json::Json;
use crate::open_enum::open_enum;
use crate::permission::PermissionMode;
use crate::text::Str;

/// Starts a subagent.
#[wire_type]
pub struct AgentInput {
    /// A short description of its task.
    pub description: String,
    /// Its prompt.
    pub prompt: String,
    /// The type of subagent.
    pub subagent_type: Option<Str>,
    /// The model, by its short name.
    pub model: Option<Str>,
    /// Its effort level.
    pub effort: Option<Str>,
    /// Whether it runs in the background.
    pub run_in_background: Option<bool>,
    /// A name to address it by.
    pub name: Option<Str>,
    /// The team that it joins.
    pub team_name: Option<Str>,
    /// Its permission mode.
    pub mode: Option<PermissionMode>,
    /// Its isolation.
    pub isolation: Option<AgentIsolation>,
}

open_enum! {
    /// The isolation of a subagent.
    pub enum AgentIsolation {
        /// In a worktree of its own.
        Worktree = "worktree",
        /// On another machine.
        Remote = "remote",
    }
}

/// Runs a script that controls several agents.
#[wire_type(rename_all = "camelCase")]
pub struct WorkflowInput {
    /// The script.
    pub script: Option<String>,
    /// The name of an existing workflow.
    pub name: Option<Str>,
    /// Its description.
    pub description: Option<String>,
    /// The title of this run.
    pub title: Option<String>,
    /// The script's arguments, in its own format.
    pub args: Option<Json>,
    /// The script file.
    pub script_path: Option<Str>,
    /// An earlier run to resume from.
    pub resume_from_run_id: Option<Str>,
}

/// Loads a skill.
#[wire_type]
pub struct SkillInput {
    /// The skill's name.
    pub skill: Str,
    /// Its arguments.
    pub args: Option<String>,
}

/// Runs a slash command; a tool of older versions.
#[wire_type]
pub struct SlashCommandInput {
    /// The command and its arguments.
    pub command: String,
}

/// Searches for tools that are not loaded.
#[wire_type]
pub struct ToolSearchInput {
    /// Search terms, or `select:` and names.
    pub query: String,
    /// The maximum number of results.
    pub max_results: Option<u64>,
}
