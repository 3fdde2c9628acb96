//! Outputs of the tools that ask the user or change the session's mode.

use rusty_claw_macros::wire_type;

use crate::text::Str;
use crate::tool::{AnswerNote, UserQuestion, WorktreeExit};
use crate::wire::Map;

/// The user's answers.
#[wire_type(rename_all = "camelCase")]
pub struct AskUserQuestionOutput {
    /// The questions.
    pub questions: Vec<UserQuestion>,
    /// The answers, by question.
    pub answers: Map<String>,
    /// The user's reply instead of answers.
    pub response: Option<String>,
    /// The user's notes on the answers.
    pub annotations: Option<Map<AnswerNote>>,
    /// The timeout after which the user was considered away, in milliseconds.
    pub afk_timeout_ms: Option<u64>,
}

/// Plan mode was entered.
#[wire_type]
pub struct EnterPlanModeOutput {
    /// The message to the model.
    pub message: String,
}

/// The plan was approved.
#[wire_type(rename_all = "camelCase")]
pub struct ExitPlanModeOutput {
    /// The plan.
    pub plan: Option<String>,
    /// Whether it is by a subagent.
    pub is_agent: bool,
    /// The plan file.
    pub file_path: Option<Str>,
    /// Whether the tool for starting subagents is available.
    pub has_task_tool: Option<bool>,
    /// Whether the user edited the plan.
    pub plan_was_edited: Option<bool>,
    /// Whether the team leader must approve it first.
    pub awaiting_leader_approval: Option<bool>,
    /// The id of the request to the leader.
    pub request_id: Option<Str>,
}

/// A worktree was entered.
#[wire_type(rename_all = "camelCase")]
pub struct EnterWorktreeOutput {
    /// The worktree's path.
    pub worktree_path: Str,
    /// Its branch.
    pub worktree_branch: Option<Str>,
    /// The message to the model.
    pub message: String,
}

/// The worktree was left.
#[wire_type(rename_all = "camelCase")]
pub struct ExitWorktreeOutput {
    /// Whether the worktree was kept or removed.
    pub action: WorktreeExit,
    /// The working directory from now on.
    pub original_cwd: Str,
    /// The worktree's path.
    pub worktree_path: Str,
    /// Its branch.
    pub worktree_branch: Option<Str>,
    /// The tmux session in it.
    pub tmux_session_name: Option<Str>,
    /// Number of changed files that were discarded.
    pub discarded_files: Option<u64>,
    /// Number of commits that were discarded.
    pub discarded_commits: Option<u64>,
    /// The message to the model.
    pub message: String,
}

/// A prompt was scheduled.
#[wire_type(rename_all = "camelCase")]
pub struct CronCreateOutput {
    /// The schedule's id.
    pub id: Str,
    /// The schedule, as text.
    pub human_schedule: String,
    /// Whether it recurs.
    pub recurring: bool,
    /// Whether it outlives the session.
    pub durable: Option<bool>,
    /// The next time, in milliseconds since 1970.
    pub next_fire_at: Option<u64>,
}

/// A scheduled prompt was removed.
#[wire_type(rename_all = "camelCase")]
pub struct CronDeleteOutput {
    /// The schedule's id.
    pub id: Str,
    /// Whether that ended a loop.
    pub ended_loop_wakeup: Option<bool>,
}

/// The scheduled prompts.
#[wire_type]
pub struct CronListOutput {
    /// The prompts.
    pub jobs: Vec<CronJob>,
}

/// A scheduled prompt.
#[wire_type(rename_all = "camelCase")]
pub struct CronJob {
    /// The schedule's id.
    pub id: Str,
    /// The schedule, as a cron expression.
    pub cron: Str,
    /// The schedule, as text.
    pub human_schedule: String,
    /// The prompt.
    pub prompt: String,
    /// Whether it recurs.
    pub recurring: Option<bool>,
    /// Whether it outlives the session.
    pub durable: Option<bool>,
    /// The next time, in milliseconds since 1970.
    pub next_fire_at: Option<u64>,
}
