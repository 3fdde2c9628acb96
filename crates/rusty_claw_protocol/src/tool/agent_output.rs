//! Outputs of the tools that start subagents, workflows and skills.

use rusty_claw_macros::wire_type;

use crate::content::ContentBlock;
use crate::text::Str;
use crate::unknown::Unknown;
use crate::usage::UsageInfo;

/// The outcome of starting a subagent. Tagged by `status`.
#[wire_type(tag = "status")]
pub enum AgentOutput {
    /// It completed.
    Completed(Box<AgentCompleted>),
    /// It runs in the background.
    AsyncLaunched(Box<AgentLaunched>),
    /// It runs on another machine.
    RemoteLaunched(Box<AgentLaunchedRemotely>),
    /// An unrecognized kind.
    Unknown(Unknown),
}

/// A completed subagent.
#[wire_type(rename_all = "camelCase")]
pub struct AgentCompleted {
    /// The subagent's id.
    pub agent_id: Str,
    /// Its kind.
    pub agent_type: Option<Str>,
    /// Its report.
    pub content: Vec<ContentBlock>,
    /// Its model.
    pub resolved_model: Option<Str>,
    /// All its models.
    pub models_used: Option<Vec<Str>>,
    /// Number of tool calls.
    pub total_tool_use_count: u64,
    /// How long it took.
    pub total_duration_ms: u64,
    /// Number of tokens of its last request.
    pub total_tokens: u64,
    /// Token usage of its last request.
    pub usage: UsageInfo,
    /// The tools that it called.
    pub tools_used: Option<Vec<Str>>,
    /// Statistics of its tool calls.
    pub tool_stats: Option<AgentToolStats>,
    /// Its prompt.
    pub prompt: String,
    /// Its worktree.
    pub worktree_path: Option<Str>,
    /// The worktree's branch.
    pub worktree_branch: Option<Str>,
    /// Whether it can be continued; not declared.
    pub can_continue_agent: Option<bool>,
    /// Number of notes that the CLI added to its report; not declared.
    pub harness_note_count: Option<u64>,
    /// Number of notes that the CLI appended to its report; not declared.
    pub harness_tail_count: Option<u64>,
    /// A hash of those notes; not declared.
    pub harness_section_hash: Option<Str>,
}

/// Statistics of a subagent's tool calls.
#[wire_type(rename_all = "camelCase")]
pub struct AgentToolStats {
    /// Files read.
    pub read_count: u64,
    /// Searches.
    pub search_count: u64,
    /// Commands.
    pub bash_count: u64,
    /// Files edited.
    pub edit_file_count: u64,
    /// Lines added.
    pub lines_added: u64,
    /// Lines removed.
    pub lines_removed: u64,
    /// Other tools.
    pub other_tool_count: u64,
    /// Images taken.
    pub frame_count: Option<u64>,
}

/// A subagent that runs in the background.
#[wire_type(rename_all = "camelCase")]
pub struct AgentLaunched {
    /// Always true.
    pub is_async: Option<bool>,
    /// The subagent's id.
    pub agent_id: Str,
    /// Its description.
    pub description: String,
    /// Its model.
    pub resolved_model: Option<Str>,
    /// All its models.
    pub models_used: Option<Vec<Str>>,
    /// Its prompt.
    pub prompt: String,
    /// The file for its report.
    pub output_file: Str,
    /// Whether the model can read that file.
    pub can_read_output_file: Option<bool>,
    /// Whether it can be continued; not declared.
    pub can_continue_agent: Option<bool>,
}

/// A subagent that runs on another machine.
#[wire_type(rename_all = "camelCase")]
pub struct AgentLaunchedRemotely {
    /// The task's id.
    pub task_id: Str,
    /// The URL of its session.
    pub session_url: Str,
    /// Its description.
    pub description: String,
    /// Its prompt.
    pub prompt: String,
    /// The file for its report.
    pub output_file: Str,
}

/// A workflow was started.
#[wire_type(rename_all = "camelCase")]
pub struct WorkflowOutput {
    /// `async_launched` or `remote_launched`.
    pub status: Str,
    /// The task's id.
    pub task_id: Str,
    /// `local_workflow` or `remote_agent`.
    pub task_type: Option<Str>,
    /// The workflow's name.
    pub workflow_name: Option<Str>,
    /// The id of the run, for resuming it.
    pub run_id: Option<Str>,
    /// A summary.
    pub summary: Option<String>,
    /// The directory with the conversations of its agents.
    pub transcript_dir: Option<Str>,
    /// The script file.
    pub script_path: Option<Str>,
    /// The URL of its session.
    pub session_url: Option<Str>,
    /// A warning.
    pub warning: Option<String>,
    /// The error.
    pub error: Option<String>,
}

/// A skill was loaded.
#[wire_type(rename_all = "camelCase")]
pub struct SkillOutput {
    /// Whether it succeeded.
    pub success: bool,
    /// The skill's name.
    pub command_name: Str,
    /// Tools that it may use without asking.
    pub allowed_tools: Option<Vec<Str>>,
    /// The model that it requests.
    pub model: Option<Str>,
}

/// Tools found by a search.
#[wire_type]
pub struct ToolSearchOutput {
    /// The names of the tools.
    pub matches: Vec<Str>,
    /// The query.
    pub query: String,
    /// Number of tools that are not loaded.
    pub total_deferred_tools: Option<u64>,
}
