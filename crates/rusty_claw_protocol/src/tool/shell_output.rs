//! Outputs of the tools that run commands and look after what runs.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::text::Str;

/// What a command printed.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct BashOutput {
    /// What it printed.
    pub stdout: String,
    /// What it printed as errors.
    pub stderr: String,
    /// A file with all that it printed.
    pub raw_output_path: Option<Str>,
    /// Whether it was interrupted.
    pub interrupted: bool,
    /// Whether it printed a picture.
    pub is_image: Option<bool>,
    /// The task, when it goes on in the background.
    pub background_task_id: Option<Str>,
    /// Whether the user sent it there.
    pub backgrounded_by_user: Option<bool>,
    /// After how many milliseconds it was sent there.
    pub timed_out_after_ms: Option<u64>,
    /// A remark about the folder that it works in there.
    pub background_cwd_hint: Option<String>,
    /// Whether it ends when the model has answered.
    pub background_ends_with_final_response: Option<bool>,
    /// Whether its end wakes the model up.
    pub background_wakes_owner: Option<bool>,
    /// Whether it ran outside the sandbox.
    pub dangerously_disable_sandbox: Option<bool>,
    /// What its exit code means, when that is no failure.
    pub return_code_interpretation: Option<String>,
    /// Whether it is right that it printed nothing.
    pub no_output_expected: Option<bool>,
    /// What it printed, as content blocks.
    pub structured_content: Option<Vec<Json>>,
    /// A file with all that it printed, when that was too much.
    pub persisted_output_path: Option<Str>,
    /// How many bytes that file has.
    pub persisted_output_size: Option<u64>,
    /// A remark about files that it changed after the model read them.
    pub stale_read_file_state_hint: Option<String>,
    /// A remark about the limits of GitHub.
    pub gh_rate_limit_hint: Option<String>,
    /// What it did to the repository.
    pub git_operation: Option<GitOperation>,
    /// What no field holds.
    pub extra: Extra,
}

/// What a command did to a repository.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GitOperation {
    /// It made a commit.
    pub commit: Option<GitCommit>,
    /// It pushed.
    pub push: Option<GitPush>,
    /// It moved a branch.
    pub branch: Option<GitBranch>,
    /// It did something to a pull request.
    pub pr: Option<GitPullRequest>,
    /// What no field holds.
    pub extra: Extra,
}

/// A commit that was made.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GitCommit {
    /// Its hash.
    pub sha: Str,
    /// `committed`, `amended` or `cherry-picked`.
    pub kind: Str,
    /// The branch it is on.
    pub branch: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// A push.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GitPush {
    /// The branch.
    pub branch: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// A branch that was moved.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GitBranch {
    /// Onto or into what.
    #[wire(name = "ref")]
    pub reference: Str,
    /// `merged` or `rebased`.
    pub action: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// Something done to a pull request.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GitPullRequest {
    /// Its number.
    pub number: u64,
    /// Where it is.
    pub url: Option<Str>,
    /// What was done, such as `created`.
    pub action: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// Something is being watched.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct MonitorOutput {
    /// The task that watches.
    pub task_id: Str,
    /// After how many milliseconds watching ends.
    pub timeout_ms: u64,
    /// Whether it outlives the session.
    pub persistent: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// What ran in the background was stopped.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct TaskStopOutput {
    /// What happened.
    pub message: String,
    /// The task.
    pub task_id: Str,
    /// What kind of task.
    pub task_type: Str,
    /// The command, for a shell.
    pub command: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}
