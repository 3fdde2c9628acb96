//! Outputs of the tools that edit and find files.

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::text::Str;
use crate::tool::{GrepOutputMode, NotebookCellType, NotebookEditMode};

/// A part of a file was replaced.
#[wire_type(rename_all = "camelCase")]
pub struct EditOutput {
    /// The file.
    pub file_path: Str,
    /// The replaced text.
    pub old_string: String,
    /// The new text.
    pub new_string: String,
    /// The whole file before the change.
    pub original_file: Option<String>,
    /// The hunks of the change.
    pub structured_patch: Vec<PatchHunk>,
    /// Whether the user modified the change first.
    pub user_modified: bool,
    /// Whether every occurrence was replaced.
    pub replace_all: bool,
    /// The Git diff.
    pub git_diff: Option<GitDiff>,
    /// Whether it is staged for approval.
    pub staged: Option<bool>,
}

/// A file was written.
#[wire_type(rename_all = "camelCase")]
pub struct WriteOutput {
    /// Whether the file is new.
    #[wire(name = "type")]
    pub kind: WriteKind,
    /// The file.
    pub file_path: Str,
    /// Its content.
    pub content: String,
    /// The hunks of the change.
    pub structured_patch: Vec<PatchHunk>,
    /// Its content before.
    pub original_file: Option<String>,
    /// The Git diff.
    pub git_diff: Option<GitDiff>,
    /// Whether the user modified the text first.
    pub user_modified: Option<bool>,
    /// Whether it is staged for approval.
    pub staged: Option<bool>,
}

open_enum! {
    /// Whether a written file is new.
    pub enum WriteKind {
        /// It is new.
        Create = "create",
        /// It existed before.
        Update = "update",
    }
}

/// A hunk of a change.
#[wire_type(rename_all = "camelCase")]
pub struct PatchHunk {
    /// The first line before, from one.
    pub old_start: u64,
    /// Number of lines before.
    pub old_lines: u64,
    /// The first line after, from one.
    pub new_start: u64,
    /// Number of lines after.
    pub new_lines: u64,
    /// The lines, each prefixed with a space, `-` or `+`.
    pub lines: Vec<String>,
}

/// A Git diff of one file.
#[wire_type]
pub struct GitDiff {
    /// The file.
    pub filename: Str,
    /// `modified` or `added`.
    pub status: Str,
    /// Lines added.
    pub additions: u64,
    /// Lines removed.
    pub deletions: u64,
    /// The sum of both.
    pub changes: u64,
    /// The patch.
    pub patch: String,
    /// The repository, as owner and name.
    pub repository: Option<Str>,
}

/// A cell of a notebook was edited.
#[wire_type]
pub struct NotebookEditOutput {
    /// Its source now.
    pub new_source: String,
    /// Its source before.
    pub old_source: Option<String>,
    /// The cell's id.
    pub cell_id: Option<Str>,
    /// The type of the cell.
    pub cell_type: NotebookCellType,
    /// The language of the notebook.
    pub language: Str,
    /// The kind of edit.
    pub edit_mode: NotebookEditMode,
    /// The error; empty if there was none.
    pub error: Option<String>,
    /// The notebook.
    pub notebook_path: Str,
    /// The whole notebook before.
    pub original_file: String,
    /// The whole notebook after.
    pub updated_file: String,
}

/// Files found by name.
#[wire_type(rename_all = "camelCase")]
pub struct GlobOutput {
    /// How long it took.
    pub duration_ms: u64,
    /// Number of files in the list.
    pub num_files: u64,
    /// The files.
    pub filenames: Vec<Str>,
    /// Whether the list was truncated.
    pub truncated: bool,
    /// The total number of matches.
    pub total_matches: Option<u64>,
    /// Whether that number is exact.
    pub count_is_complete: Option<bool>,
    /// Whether the search timed out.
    pub timed_out: Option<bool>,
}

/// Text found in files.
#[wire_type(rename_all = "camelCase")]
pub struct GrepOutput {
    /// The requested output mode.
    pub mode: Option<GrepOutputMode>,
    /// Number of files in the list.
    pub num_files: u64,
    /// The files.
    pub filenames: Vec<Str>,
    /// The matching lines.
    pub content: Option<String>,
    /// Number of those lines.
    pub num_lines: Option<u64>,
    /// Number of matches.
    pub num_matches: Option<u64>,
    /// Number of files with a match.
    pub total_files: Option<u64>,
    /// The total number of lines.
    pub total_lines: Option<u64>,
    /// The limit that was applied.
    pub applied_limit: Option<u64>,
    /// The offset that was applied.
    pub applied_offset: Option<u64>,
    /// Whether the search timed out.
    pub timed_out: Option<bool>,
}
