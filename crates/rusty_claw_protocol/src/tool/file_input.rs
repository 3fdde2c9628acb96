//! Inputs of the tools that read and write files.

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::text::Str;

/// Reads a file.
#[wire_type]
pub struct ReadInput {
    /// The file.
    pub file_path: Str,
    /// The first line, from one.
    pub offset: Option<u64>,
    /// Number of lines.
    pub limit: Option<u64>,
    /// Pages of a PDF, such as `1-5`.
    pub pages: Option<Str>,
    /// Whether to read large files too.
    pub allow_large: Option<bool>,
}

/// Writes a whole file.
#[wire_type]
pub struct WriteInput {
    /// The file.
    pub file_path: Str,
    /// The new content.
    pub content: String,
}

/// Replaces a part of a file.
#[wire_type]
pub struct EditInput {
    /// The file.
    pub file_path: Str,
    /// The text to replace.
    pub old_string: String,
    /// The new text.
    pub new_string: String,
    /// Whether to replace every occurrence instead of a unique one.
    pub replace_all: Option<bool>,
}

/// Replaces several parts of a file; a tool of older versions.
#[wire_type]
pub struct MultiEditInput {
    /// The file.
    pub file_path: Str,
    /// The replacements, in order.
    pub edits: Vec<EditStep>,
}

/// One of several replacements.
#[wire_type]
pub struct EditStep {
    /// The text to replace.
    pub old_string: String,
    /// The new text.
    pub new_string: String,
    /// Whether to replace every occurrence instead of a unique one.
    pub replace_all: Option<bool>,
}

/// Edits a cell of a notebook.
#[wire_type]
pub struct NotebookEditInput {
    /// The notebook file.
    pub notebook_path: Str,
    /// The cell's id; for an insertion, that of the preceding cell.
    pub cell_id: Option<Str>,
    /// The new source.
    pub new_source: String,
    /// The type of the cell.
    pub cell_type: Option<NotebookCellType>,
    /// The kind of edit; replace if absent.
    pub edit_mode: Option<NotebookEditMode>,
}

open_enum! {
    /// The type of a notebook cell.
    pub enum NotebookCellType {
        /// Code.
        Code = "code",
        /// Text.
        Markdown = "markdown",
    }
}

open_enum! {
    /// The kind of a notebook edit.
    pub enum NotebookEditMode {
        /// Replaces the source.
        Replace = "replace",
        /// Inserts a cell.
        Insert = "insert",
        /// Deletes the cell.
        Delete = "delete",
    }
}

/// Reads a notebook; a tool of older versions.
#[wire_type]
pub struct NotebookReadInput {
    /// The notebook file.
    pub notebook_path: Str,
    /// The id of a single cell.
    pub cell_id: Option<Str>,
}

/// Lists a directory; a tool of older versions.
#[wire_type]
pub struct LsInput {
    /// The directory.
    pub path: Str,
    /// Patterns to ignore.
    pub ignore: Option<Vec<Str>>,
}

/// Finds files by name.
#[wire_type]
pub struct GlobInput {
    /// The pattern.
    pub pattern: Str,
    /// The directory to search.
    pub path: Option<Str>,
}

/// Finds text in files.
#[wire_type]
pub struct GrepInput {
    /// The regular expression.
    pub pattern: String,
    /// The file or directory to search.
    pub path: Option<Str>,
    /// A glob for file names.
    pub glob: Option<Str>,
    /// The output mode.
    pub output_mode: Option<GrepOutputMode>,
    /// Number of context lines before each match.
    #[wire(name = "-B")]
    pub before: Option<u64>,
    /// Number of context lines after each match.
    #[wire(name = "-A")]
    pub after: Option<u64>,
    /// Number of context lines around each match, named like the command's option.
    #[wire(name = "-C")]
    pub around: Option<u64>,
    /// As above, under its long name.
    pub context: Option<u64>,
    /// Whether to show line numbers.
    #[wire(name = "-n")]
    pub line_numbers: Option<bool>,
    /// Whether to ignore case.
    #[wire(name = "-i")]
    pub ignore_case: Option<bool>,
    /// Whether to show only the matching part of a line.
    #[wire(name = "-o")]
    pub only_matching: Option<bool>,
    /// A file type.
    #[wire(name = "type")]
    pub kind: Option<Str>,
    /// The maximum number of results.
    pub head_limit: Option<u64>,
    /// Number of results to skip.
    pub offset: Option<u64>,
    /// Whether a match may span lines.
    pub multiline: Option<bool>,
}

open_enum! {
    /// The output mode of a search in files.
    pub enum GrepOutputMode {
        /// The matching lines.
        Content = "content",
        /// The names of the files.
        FilesWithMatches = "files_with_matches",
        /// The number of matches per file.
        Count = "count",
    }
}
