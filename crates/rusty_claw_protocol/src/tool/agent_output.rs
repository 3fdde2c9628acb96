//! Outputs of the tools that start subagents, workflows and skills.

use rusty_claw_macros::Wire;

use crate::content::ContentBlock;
use crate::extra::Extra;
use crate::text::Str;
use crate::unknown::Unknown;
use crate::usage::UsageInfo;

/// What came of starting a subagent. Told apart by `status`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "status")]
#[non_exhaustive]
pub enum AgentOutput {
    /// It is done.
    Completed(Box<AgentCompleted>),
    /// It works in the background.
    AsyncLaunched(Box<AgentLaunched>),
    /// It works on another machine.
    RemoteLaunched(Box<AgentLaunchedRemotely>),
    /// A kind that is new to this library.
    Unknown(Unknown),
}

/// A subagent that is done.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct AgentCompleted {
    /// The subagent.
    pub agent_id: Str,
    /// Its kind.
    pub agent_type: Option<Str>,
    /// Its report.
    pub content: Vec<ContentBlock>,
    /// The model it used.
    pub resolved_model: Option<Str>,
    /// All models it used.
    pub models_used: Option<Vec<Str>>,
    /// How many tools it called.
    pub total_tool_use_count: u64,
    /// How long it took.
    pub total_duration_ms: u64,
    /// How many tokens its last request took.
    pub total_tokens: u64,
    /// Tokens of its last request.
    pub usage: UsageInfo,
    /// Which tools it called.
    pub tools_used: Option<Vec<Str>>,
    /// What it did with them.
    pub tool_stats: Option<AgentToolStats>,
    /// What it was told.
    pub prompt: String,
    /// The worktree it worked in.
    pub worktree_path: Option<Str>,
    /// The branch of that.
    pub worktree_branch: Option<Str>,
    /// Whether it can be told more; not declared.
    pub can_continue_agent: Option<bool>,
    /// Remarks that the CLI put in its report; not declared.
    pub harness_note_count: Option<u64>,
    /// Remarks that the CLI put behind its report; not declared.
    pub harness_tail_count: Option<u64>,
    /// What those remarks were, as a hash; not declared.
    pub harness_section_hash: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// What a subagent did.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
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
    /// Anything else.
    pub other_tool_count: u64,
    /// Pictures taken.
    pub frame_count: Option<u64>,
    /// What no field holds.
    pub extra: Extra,
}

/// A subagent that works in the background.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct AgentLaunched {
    /// Always true.
    pub is_async: Option<bool>,
    /// The subagent.
    pub agent_id: Str,
    /// What it is for.
    pub description: String,
    /// The model it uses.
    pub resolved_model: Option<Str>,
    /// All models it uses.
    pub models_used: Option<Vec<Str>>,
    /// What it was told.
    pub prompt: String,
    /// The file that its report goes to.
    pub output_file: Str,
    /// Whether the model can read that file.
    pub can_read_output_file: Option<bool>,
    /// Whether it can be told more; not declared.
    pub can_continue_agent: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// A subagent that works on another machine.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct AgentLaunchedRemotely {
    /// The task.
    pub task_id: Str,
    /// Where to watch it.
    pub session_url: Str,
    /// What it is for.
    pub description: String,
    /// What it was told.
    pub prompt: String,
    /// The file that its report goes to.
    pub output_file: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// A workflow was started.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct WorkflowOutput {
    /// `async_launched` or `remote_launched`.
    pub status: Str,
    /// The task.
    pub task_id: Str,
    /// `local_workflow` or `remote_agent`.
    pub task_type: Option<Str>,
    /// The workflow.
    pub workflow_name: Option<Str>,
    /// The run, to go on from later.
    pub run_id: Option<Str>,
    /// What it is for.
    pub summary: Option<String>,
    /// The folder with the conversations of its agents.
    pub transcript_dir: Option<Str>,
    /// The file that holds the script.
    pub script_path: Option<Str>,
    /// Where to watch it.
    pub session_url: Option<Str>,
    /// What to mind.
    pub warning: Option<String>,
    /// What went wrong.
    pub error: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// A skill was loaded.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct SkillOutput {
    /// Whether it was.
    pub success: bool,
    /// The skill.
    pub command_name: Str,
    /// Tools that it may use without a question.
    pub allowed_tools: Option<Vec<Str>>,
    /// The model it wants.
    pub model: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Tools that were looked for.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ToolSearchOutput {
    /// The tools.
    pub matches: Vec<Str>,
    /// What was looked for.
    pub query: String,
    /// How many tools are not loaded.
    pub total_deferred_tools: Option<u64>,
    /// What no field holds.
    pub extra: Extra,
}
