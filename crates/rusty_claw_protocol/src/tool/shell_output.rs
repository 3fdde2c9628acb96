//! Outputs of the shell and background tools.

use rusty_claw_macros::wire_type;

use crate::json::Json;
use crate::text::Str;

/// The output of a command.
#[wire_type(rename_all = "camelCase")]
pub struct BashOutput {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// A file with the complete output.
    pub raw_output_path: Option<Str>,
    /// Whether it was interrupted.
    pub interrupted: bool,
    /// Whether the output is an image.
    pub is_image: Option<bool>,
    /// The task's id, if it continues in the background.
    pub background_task_id: Option<Str>,
    /// Whether the user moved it to the background.
    pub backgrounded_by_user: Option<bool>,
    /// The number of milliseconds after which it was moved to the background.
    pub timed_out_after_ms: Option<u64>,
    /// A hint about its working directory in the background.
    pub background_cwd_hint: Option<String>,
    /// Whether it ends with the model's final response.
    pub background_ends_with_final_response: Option<bool>,
    /// Whether its end wakes the model.
    pub background_wakes_owner: Option<bool>,
    /// Whether it ran outside the sandbox.
    pub dangerously_disable_sandbox: Option<bool>,
    /// The meaning of its exit code, if that is not a failure.
    pub return_code_interpretation: Option<String>,
    /// Whether an empty output is expected.
    pub no_output_expected: Option<bool>,
    /// The output as content blocks.
    pub structured_content: Option<Vec<Json>>,
    /// A file with the complete output, if that was too long.
    pub persisted_output_path: Option<Str>,
    /// The size of that file in bytes.
    pub persisted_output_size: Option<u64>,
    /// A hint about files that changed after the model read them.
    pub stale_read_file_state_hint: Option<String>,
    /// A hint about GitHub's rate limits.
    pub gh_rate_limit_hint: Option<String>,
    /// What it did to the repository.
    pub git_operation: Option<GitOperation>,
}

/// What a command did to a repository.
#[wire_type]
pub struct GitOperation {
    /// A commit.
    pub commit: Option<GitCommit>,
    /// A push.
    pub push: Option<GitPush>,
    /// A branch change.
    pub branch: Option<GitBranch>,
    /// A change to a pull request.
    pub pr: Option<GitPullRequest>,
}

/// A commit.
#[wire_type]
pub struct GitCommit {
    /// Its hash.
    pub sha: Str,
    /// `committed`, `amended` or `cherry-picked`.
    pub kind: Str,
    /// Its branch.
    pub branch: Option<Str>,
}

/// A push.
#[wire_type]
pub struct GitPush {
    /// The branch.
    pub branch: Str,
}

/// A branch that was merged or rebased.
#[wire_type]
pub struct GitBranch {
    /// The other reference.
    #[wire(name = "ref")]
    pub reference: Str,
    /// `merged` or `rebased`.
    pub action: Str,
}

/// A change to a pull request.
#[wire_type]
pub struct GitPullRequest {
    /// Its number.
    pub number: u64,
    /// Its URL.
    pub url: Option<Str>,
    /// The action, such as `created`.
    pub action: Str,
}

/// A monitor was started.
#[wire_type(rename_all = "camelCase")]
pub struct MonitorOutput {
    /// The id of the monitor's task.
    pub task_id: Str,
    /// The timeout in milliseconds.
    pub timeout_ms: u64,
    /// Whether it outlives the session.
    pub persistent: Option<bool>,
}

/// A background task was stopped.
#[wire_type]
pub struct TaskStopOutput {
    /// A message about the outcome.
    pub message: String,
    /// The task's id.
    pub task_id: Str,
    /// The kind of task.
    pub task_type: Str,
    /// The command of a shell task.
    pub command: Option<String>,
}
