//! Changes in the working directory.

use rusty_claw_macros::wire_type;

use crate::text::Str;
use crate::unknown::Unknown;

/// Requests the differences between the working directory and its base.
#[wire_type]
pub struct GetWorkspaceDiff {}

/// Changes in the working directory.
#[wire_type(rename_all = "camelCase")]
pub struct GetWorkspaceDiffResponse {
    /// The changes.
    pub diff: Option<Box<WorkspaceDiff>>,
    /// Why there is no diff: `no-repository`, `repository-busy`, `diff-failed`, ….
    pub no_diff_reason: Option<Str>,
}

/// Changes in a working directory.
#[wire_type(rename_all = "camelCase")]
pub struct WorkspaceDiff {
    /// The totals.
    pub stats: DiffStats,
    /// The totals per file.
    pub per_file_stats: Vec<FileDiffStats>,
    /// Files beyond the limit.
    pub omitted: Option<OmittedFiles>,
    /// The changes themselves.
    pub hunks: Vec<FileHunks>,
    /// Files too large to compare.
    pub skipped_large: Vec<String>,
    /// Files that must not be shown.
    pub restricted: Vec<String>,
    /// The kind of comparison.
    pub source: Option<DiffSource>,
}

/// Totals over all files.
#[wire_type(rename_all = "camelCase")]
pub struct DiffStats {
    /// Number of changed files.
    pub files_count: u64,
    /// Lines added.
    pub lines_added: u64,
    /// Lines removed.
    pub lines_removed: u64,
}

/// Totals of one file.
#[wire_type(rename_all = "camelCase")]
pub struct FileDiffStats {
    /// The file.
    pub path: String,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    /// Whether it is binary.
    pub is_binary: bool,
    /// Whether it is untracked.
    pub is_untracked: bool,
    /// `added`, `modified`, `removed`, `renamed`, `copied`.
    pub status: Option<Str>,
    /// Its path before.
    pub previous_path: Option<String>,
    /// Its path now.
    pub new_path: Option<String>,
}

/// Files beyond the limit.
#[wire_type]
pub struct OmittedFiles {
    /// Number of files.
    pub files: u64,
    /// Whether the number is exact.
    pub exact: bool,
}

/// The changes of one file.
#[wire_type]
pub struct FileHunks {
    /// The file.
    pub path: String,
    /// Its changes.
    pub hunks: Vec<DiffHunk>,
}

/// A hunk of a unified diff.
#[wire_type(rename_all = "camelCase")]
pub struct DiffHunk {
    /// The first line before.
    pub old_start: u64,
    /// Number of lines before.
    pub old_lines: u64,
    /// The first line after.
    pub new_start: u64,
    /// Number of lines after.
    pub new_lines: u64,
    /// The lines with their prefixes.
    pub lines: Vec<String>,
}

/// The kind of comparison. Tagged by `kind`.
#[wire_type(tag = "kind")]
pub enum DiffSource {
    /// Working directory against the last commit.
    #[wire(name = "working-tree")]
    WorkingTree {},
    /// Working directory against its base branch.
    Branch {
        /// The base branch.
        #[wire(name = "baseBranch")]
        base_branch: Str,
        /// The merge base.
        #[wire(name = "baseRef")]
        base_ref: Str,
    },
    /// An unrecognized comparison.
    Unknown(Unknown),
}
