//! Outputs of the tools that change and find files.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::tool::{GrepOutputMode, NotebookCellType, NotebookEditMode};

/// A piece of a file was replaced.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct EditOutput {
    /// The file.
    pub file_path: Str,
    /// The piece.
    pub old_string: String,
    /// What took its place.
    pub new_string: String,
    /// The whole file as it was before.
    pub original_file: Option<String>,
    /// The change, piece by piece.
    pub structured_patch: Vec<PatchHunk>,
    /// Whether the user changed the change before it was made.
    pub user_modified: bool,
    /// Whether every occurrence was replaced.
    pub replace_all: bool,
    /// The change as the version control sees it.
    pub git_diff: Option<GitDiff>,
    /// Whether it waits for approval.
    pub staged: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// A file was written.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct WriteOutput {
    /// Whether it is new.
    #[wire(name = "type")]
    pub kind: WriteKind,
    /// The file.
    pub file_path: Str,
    /// What it holds.
    pub content: String,
    /// The change, piece by piece.
    pub structured_patch: Vec<PatchHunk>,
    /// What it held before.
    pub original_file: Option<String>,
    /// The change as the version control sees it.
    pub git_diff: Option<GitDiff>,
    /// Whether the user changed the text before it was written.
    pub user_modified: Option<bool>,
    /// Whether it waits for approval.
    pub staged: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Whether a written file is new.
    pub enum WriteKind {
        /// It is.
        Create = "create",
        /// It was there.
        Update = "update",
    }
}

/// One piece of a change.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct PatchHunk {
    /// Its first line before, from one.
    pub old_start: u64,
    /// How many lines before.
    pub old_lines: u64,
    /// Its first line after, from one.
    pub new_start: u64,
    /// How many lines after.
    pub new_lines: u64,
    /// The lines, each with a space, `-` or `+` in front.
    pub lines: Vec<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// A change as the version control sees it.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GitDiff {
    /// The file.
    pub filename: Str,
    /// `modified` or `added`.
    pub status: Str,
    /// Lines added.
    pub additions: u64,
    /// Lines removed.
    pub deletions: u64,
    /// Both.
    pub changes: u64,
    /// The patch.
    pub patch: String,
    /// The repository, as owner and name.
    pub repository: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// A cell of a notebook was changed.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct NotebookEditOutput {
    /// Its source now.
    pub new_source: String,
    /// Its source before.
    pub old_source: Option<String>,
    /// The cell.
    pub cell_id: Option<Str>,
    /// What it holds.
    pub cell_type: NotebookCellType,
    /// The language of the notebook.
    pub language: Str,
    /// What was done to it.
    pub edit_mode: NotebookEditMode,
    /// What went wrong; empty when nothing did.
    pub error: Option<String>,
    /// The notebook.
    pub notebook_path: Str,
    /// The whole notebook before.
    pub original_file: String,
    /// The whole notebook now.
    pub updated_file: String,
    /// What no field holds.
    pub extra: Extra,
}

/// Files that were found by name.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct GlobOutput {
    /// How long it took.
    pub duration_ms: u64,
    /// How many there are in the list.
    pub num_files: u64,
    /// The files.
    pub filenames: Vec<Str>,
    /// Whether there are more.
    pub truncated: bool,
    /// How many there are.
    pub total_matches: Option<u64>,
    /// Whether that number is exact.
    pub count_is_complete: Option<bool>,
    /// Whether time ran out.
    pub timed_out: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// Text that was found in files.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct GrepOutput {
    /// What was asked for.
    pub mode: Option<GrepOutputMode>,
    /// How many files are in the list.
    pub num_files: u64,
    /// The files.
    pub filenames: Vec<Str>,
    /// The lines.
    pub content: Option<String>,
    /// How many lines those are.
    pub num_lines: Option<u64>,
    /// How many matches there are.
    pub num_matches: Option<u64>,
    /// How many files have a match.
    pub total_files: Option<u64>,
    /// How many lines there are.
    pub total_lines: Option<u64>,
    /// How many results were asked for.
    pub applied_limit: Option<u64>,
    /// How many results were passed over.
    pub applied_offset: Option<u64>,
    /// Whether time ran out.
    pub timed_out: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}
