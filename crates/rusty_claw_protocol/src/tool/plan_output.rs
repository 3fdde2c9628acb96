//! Outputs of the tools that ask the user, and that change how the session works.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::text::Str;
use crate::tool::{AnswerNote, UserQuestion, WorktreeExit};
use crate::wire::Map;

/// What the user answered.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct AskUserQuestionOutput {
    /// The questions.
    pub questions: Vec<UserQuestion>,
    /// The answers, by question.
    pub answers: Map<String>,
    /// What the user wrote instead.
    pub response: Option<String>,
    /// What the user noted beside the answers.
    pub annotations: Option<Map<AnswerNote>>,
    /// After how many milliseconds nobody was there.
    pub afk_timeout_ms: Option<u64>,
    /// What no field holds.
    pub extra: Extra,
}

/// Planning has begun.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct EnterPlanModeOutput {
    /// What the model is told.
    pub message: String,
    /// What no field holds.
    pub extra: Extra,
}

/// The plan was agreed to.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct ExitPlanModeOutput {
    /// The plan.
    pub plan: Option<String>,
    /// Whether a subagent made it.
    pub is_agent: bool,
    /// The plan file.
    pub file_path: Option<Str>,
    /// Whether there is a tool for subagents to carry it out.
    pub has_task_tool: Option<bool>,
    /// Whether the user changed the plan.
    pub plan_was_edited: Option<bool>,
    /// Whether the leader of the team must agree first.
    pub awaiting_leader_approval: Option<bool>,
    /// The question to the leader.
    pub request_id: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Work goes on in a worktree.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct EnterWorktreeOutput {
    /// The worktree.
    pub worktree_path: Str,
    /// Its branch.
    pub worktree_branch: Option<Str>,
    /// What the model is told.
    pub message: String,
    /// What no field holds.
    pub extra: Extra,
}

/// Work goes on outside the worktree.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct ExitWorktreeOutput {
    /// What became of it.
    pub action: WorktreeExit,
    /// The folder that work goes on in.
    pub original_cwd: Str,
    /// The worktree.
    pub worktree_path: Str,
    /// Its branch.
    pub worktree_branch: Option<Str>,
    /// The terminal session that was in it.
    pub tmux_session_name: Option<Str>,
    /// How many changed files were lost.
    pub discarded_files: Option<u64>,
    /// How many commits were lost.
    pub discarded_commits: Option<u64>,
    /// What the model is told.
    pub message: String,
    /// What no field holds.
    pub extra: Extra,
}

/// A prompt was scheduled.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct CronCreateOutput {
    /// The schedule.
    pub id: Str,
    /// When, in words.
    pub human_schedule: String,
    /// Whether it comes again.
    pub recurring: bool,
    /// Whether it outlives the session.
    pub durable: Option<bool>,
    /// When next, in milliseconds since 1970.
    pub next_fire_at: Option<u64>,
    /// What no field holds.
    pub extra: Extra,
}

/// A scheduled prompt was removed.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct CronDeleteOutput {
    /// The schedule.
    pub id: Str,
    /// Whether that ended a loop.
    pub ended_loop_wakeup: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// The scheduled prompts.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct CronListOutput {
    /// The prompts.
    pub jobs: Vec<CronJob>,
    /// What no field holds.
    pub extra: Extra,
}

/// A scheduled prompt.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct CronJob {
    /// The schedule.
    pub id: Str,
    /// When, as a cron expression.
    pub cron: Str,
    /// When, in words.
    pub human_schedule: String,
    /// The prompt.
    pub prompt: String,
    /// Whether it comes again.
    pub recurring: Option<bool>,
    /// Whether it outlives the session.
    pub durable: Option<bool>,
    /// When next, in milliseconds since 1970.
    pub next_fire_at: Option<u64>,
    /// What no field holds.
    pub extra: Extra,
}
