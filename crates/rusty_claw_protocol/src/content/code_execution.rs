//! What the API's sandbox did.

use rusty_claw_macros::Wire;

use crate::content::{CacheControl, ServerToolErrorCode};
use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::unknown::Unknown;

/// What code in the API's sandbox did.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct CodeExecutionToolResult {
    /// The call this answers.
    pub tool_use_id: Str,
    /// What came out.
    pub content: Option<CodeExecutionOutput>,
    /// Asks the API to cache the prompt up to here.
    pub cache_control: Option<Box<CacheControl>>,
    /// What no field holds.
    pub extra: Extra,
}

/// What came out of running code.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum CodeExecutionOutput {
    /// It ran.
    CodeExecutionResult {
        /// Its exit code.
        return_code: i64,
        /// What it printed.
        stdout: String,
        /// What it complained about.
        stderr: String,
        /// The files it made.
        content: Vec<OutputFile>,
        /// What no field holds.
        extra: Extra,
    },
    /// It ran, and only the API can read what it printed.
    EncryptedCodeExecutionResult {
        /// Its exit code.
        return_code: i64,
        /// What it printed, encrypted.
        encrypted_stdout: String,
        /// What it complained about.
        stderr: String,
        /// The files it made.
        content: Vec<OutputFile>,
        /// What no field holds.
        extra: Extra,
    },
    /// It could not be run.
    CodeExecutionToolResultError {
        /// The reason.
        error_code: ServerToolErrorCode,
        /// What no field holds.
        extra: Extra,
    },
    /// A kind that is new to this library.
    Unknown(Unknown),
}

/// A file that came out of the sandbox.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct OutputFile {
    /// `code_execution_output` or `bash_code_execution_output`.
    #[wire(name = "type")]
    pub kind: Str,
    /// The file.
    pub file_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// What a shell command in the API's sandbox did.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct BashCodeExecutionToolResult {
    /// The call this answers.
    pub tool_use_id: Str,
    /// What came out.
    pub content: Option<BashCodeExecutionOutput>,
    /// Asks the API to cache the prompt up to here.
    pub cache_control: Option<Box<CacheControl>>,
    /// What no field holds.
    pub extra: Extra,
}

/// What came out of a shell command.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum BashCodeExecutionOutput {
    /// It ran.
    BashCodeExecutionResult {
        /// Its exit code.
        return_code: i64,
        /// What it printed.
        stdout: String,
        /// What it complained about.
        stderr: String,
        /// The files it made.
        content: Vec<OutputFile>,
        /// What no field holds.
        extra: Extra,
    },
    /// It could not be run.
    BashCodeExecutionToolResultError {
        /// The reason.
        error_code: ServerToolErrorCode,
        /// What no field holds.
        extra: Extra,
    },
    /// A kind that is new to this library.
    Unknown(Unknown),
}

/// What the file editor in the API's sandbox did.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct TextEditorCodeExecutionToolResult {
    /// The call this answers.
    pub tool_use_id: Str,
    /// What came out.
    pub content: Option<TextEditorCodeExecutionOutput>,
    /// Asks the API to cache the prompt up to here.
    pub cache_control: Option<Box<CacheControl>>,
    /// What no field holds.
    pub extra: Extra,
}

/// What came out of an editor command.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum TextEditorCodeExecutionOutput {
    /// A file was read.
    TextEditorCodeExecutionViewResult {
        /// What is in it.
        content: String,
        /// What kind of file it is.
        file_type: ViewedFileType,
        /// How many lines are given.
        num_lines: Option<u64>,
        /// The first of them.
        start_line: Option<u64>,
        /// How many lines the file has.
        total_lines: Option<u64>,
        /// What no field holds.
        extra: Extra,
    },
    /// A file was written.
    TextEditorCodeExecutionCreateResult {
        /// Whether it was there before.
        is_file_update: bool,
        /// What no field holds.
        extra: Extra,
    },
    /// A part of a file was replaced.
    TextEditorCodeExecutionStrReplaceResult {
        /// The lines of the difference.
        lines: Option<Vec<String>>,
        /// How many lines the new part has.
        new_lines: Option<u64>,
        /// Where the new part starts.
        new_start: Option<u64>,
        /// How many lines the old part had.
        old_lines: Option<u64>,
        /// Where the old part started.
        old_start: Option<u64>,
        /// What no field holds.
        extra: Extra,
    },
    /// It failed.
    TextEditorCodeExecutionToolResultError {
        /// The reason.
        error_code: ServerToolErrorCode,
        /// The reason in words.
        error_message: Option<String>,
        /// What no field holds.
        extra: Extra,
    },
    /// A kind that is new to this library.
    Unknown(Unknown),
}

open_enum! {
    /// What kind of file was read in the sandbox.
    pub enum ViewedFileType {
        /// Text.
        Text = "text",
        /// A picture.
        Image = "image",
        /// A PDF.
        Pdf = "pdf",
    }
}
