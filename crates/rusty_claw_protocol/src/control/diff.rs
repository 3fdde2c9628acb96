//! What changed in the working folder.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::text::Str;
use crate::unknown::Unknown;

/// Asks what the working folder has that its base does not.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GetWorkspaceDiff {
    /// What no field holds.
    pub extra: Extra,
}

/// What changed in the working folder.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct GetWorkspaceDiffResponse {
    /// The changes.
    pub diff: Option<Box<WorkspaceDiff>>,
    /// Why there are none to show: `no-repository`, `repository-busy`, `diff-failed`, ….
    pub no_diff_reason: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// The changes in a working folder.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct WorkspaceDiff {
    /// The sums.
    pub stats: DiffStats,
    /// The sums of each file.
    pub per_file_stats: Vec<FileDiffStats>,
    /// Files beyond the limit.
    pub omitted: Option<OmittedFiles>,
    /// The changes themselves.
    pub hunks: Vec<FileHunks>,
    /// Files too large to compare.
    pub skipped_large: Vec<String>,
    /// Files that may not be shown.
    pub restricted: Vec<String>,
    /// What was compared with what.
    pub source: Option<DiffSource>,
    /// What no field holds.
    pub extra: Extra,
}

/// Sums over all files.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct DiffStats {
    /// Files that differ.
    pub files_count: u64,
    /// Lines that came.
    pub lines_added: u64,
    /// Lines that went.
    pub lines_removed: u64,
    /// What no field holds.
    pub extra: Extra,
}

/// Sums of one file.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct FileDiffStats {
    /// The file.
    pub path: String,
    /// Lines that came.
    pub added: u64,
    /// Lines that went.
    pub removed: u64,
    /// Whether it is not text.
    pub is_binary: bool,
    /// Whether the repository does not know it yet.
    pub is_untracked: bool,
    /// `added`, `modified`, `removed`, `renamed`, `copied`.
    pub status: Option<Str>,
    /// Its name before.
    pub previous_path: Option<String>,
    /// Its name now.
    pub new_path: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// Files beyond the limit.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct OmittedFiles {
    /// How many.
    pub files: u64,
    /// Whether that is exact.
    pub exact: bool,
    /// What no field holds.
    pub extra: Extra,
}

/// The changes of one file.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct FileHunks {
    /// The file.
    pub path: String,
    /// Its changes.
    pub hunks: Vec<DiffHunk>,
    /// What no field holds.
    pub extra: Extra,
}

/// One change, as a unified diff has it.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct DiffHunk {
    /// First line before.
    pub old_start: u64,
    /// Lines before.
    pub old_lines: u64,
    /// First line now.
    pub new_start: u64,
    /// Lines now.
    pub new_lines: u64,
    /// The lines, each with its sign.
    pub lines: Vec<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// What was compared with what. Told apart by `kind`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "kind")]
#[non_exhaustive]
pub enum DiffSource {
    /// The folder with the last commit.
    #[wire(name = "working-tree")]
    WorkingTree {
        /// What no field holds.
        extra: Extra,
    },
    /// The folder with the branch it grew from.
    Branch {
        /// That branch.
        #[wire(name = "baseBranch")]
        base_branch: Str,
        /// The commit they share.
        #[wire(name = "baseRef")]
        base_ref: Str,
        /// What no field holds.
        extra: Extra,
    },
    /// A comparison that is new to this library.
    Unknown(Unknown),
}
