//! Inputs of the tools that read and write files.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;

/// Reads a file.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ReadInput {
    /// The file.
    pub file_path: Str,
    /// The first line, from one.
    pub offset: Option<u64>,
    /// How many lines.
    pub limit: Option<u64>,
    /// Which pages of a PDF, such as `1-5`.
    pub pages: Option<Str>,
    /// Whether a large file is read all the same.
    pub allow_large: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// Writes a whole file.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct WriteInput {
    /// The file.
    pub file_path: Str,
    /// What it holds from now on.
    pub content: String,
    /// What no field holds.
    pub extra: Extra,
}

/// Replaces a piece of a file.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct EditInput {
    /// The file.
    pub file_path: Str,
    /// The piece.
    pub old_string: String,
    /// What takes its place.
    pub new_string: String,
    /// Whether every occurrence is replaced, not the only one.
    pub replace_all: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// Replaces several pieces of a file; a tool of older versions.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct MultiEditInput {
    /// The file.
    pub file_path: Str,
    /// The pieces, in order.
    pub edits: Vec<EditStep>,
    /// What no field holds.
    pub extra: Extra,
}

/// One replacement of several.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct EditStep {
    /// The piece.
    pub old_string: String,
    /// What takes its place.
    pub new_string: String,
    /// Whether every occurrence is replaced, not the only one.
    pub replace_all: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// Changes a cell of a notebook.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct NotebookEditInput {
    /// The notebook.
    pub notebook_path: Str,
    /// The cell; for an insertion, the one before.
    pub cell_id: Option<Str>,
    /// The source from now on.
    pub new_source: String,
    /// What the cell holds.
    pub cell_type: Option<NotebookCellType>,
    /// What is done to it; replaced unless said otherwise.
    pub edit_mode: Option<NotebookEditMode>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// What a cell of a notebook holds.
    pub enum NotebookCellType {
        /// Code.
        Code = "code",
        /// Text.
        Markdown = "markdown",
    }
}

open_enum! {
    /// What is done to a cell of a notebook.
    pub enum NotebookEditMode {
        /// Its source is replaced.
        Replace = "replace",
        /// A new one is put in.
        Insert = "insert",
        /// It is removed.
        Delete = "delete",
    }
}

/// Reads a notebook; a tool of older versions.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct NotebookReadInput {
    /// The notebook.
    pub notebook_path: Str,
    /// One cell of it.
    pub cell_id: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Lists a folder; a tool of older versions.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct LsInput {
    /// The folder.
    pub path: Str,
    /// Patterns to leave out.
    pub ignore: Option<Vec<Str>>,
    /// What no field holds.
    pub extra: Extra,
}

/// Finds files by name.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GlobInput {
    /// The pattern.
    pub pattern: Str,
    /// The folder to look in.
    pub path: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Finds text in files.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GrepInput {
    /// The regular expression.
    pub pattern: String,
    /// The file or folder to look in.
    pub path: Option<Str>,
    /// Which files, by name.
    pub glob: Option<Str>,
    /// What comes back.
    pub output_mode: Option<GrepOutputMode>,
    /// How many lines to show before each match.
    #[wire(name = "-B")]
    pub before: Option<u64>,
    /// How many lines to show after each match.
    #[wire(name = "-A")]
    pub after: Option<u64>,
    /// How many lines to show around each match, as the option of the command is called.
    #[wire(name = "-C")]
    pub around: Option<u64>,
    /// The same, under its longer name.
    pub context: Option<u64>,
    /// Whether lines have numbers.
    #[wire(name = "-n")]
    pub line_numbers: Option<bool>,
    /// Whether upper and lower case are the same.
    #[wire(name = "-i")]
    pub ignore_case: Option<bool>,
    /// Whether only the matching part of a line is shown.
    #[wire(name = "-o")]
    pub only_matching: Option<bool>,
    /// Which files, by kind.
    #[wire(name = "type")]
    pub kind: Option<Str>,
    /// How many results at most.
    pub head_limit: Option<u64>,
    /// How many results to pass over.
    pub offset: Option<u64>,
    /// Whether a match may span lines.
    pub multiline: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// What a search in files returns.
    pub enum GrepOutputMode {
        /// The lines.
        Content = "content",
        /// The names of the files.
        FilesWithMatches = "files_with_matches",
        /// How many matches each file has.
        Count = "count",
    }
}
