//! Results of the API's sandbox.

use rusty_claw_macros::wire_type;

use crate::content::{CacheControl, ServerToolErrorCode};
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::unknown::Unknown;

/// The result of code in the API's sandbox.
#[wire_type]
pub struct CodeExecutionToolResult {
    /// The call this answers.
    pub tool_use_id: Str,
    /// The output, or an error.
    pub content: Option<CodeExecutionOutput>,
    /// A cache breakpoint at this block.
    pub cache_control: Option<Box<CacheControl>>,
}

/// The output of code, or an error.
#[wire_type(tag = "type")]
pub enum CodeExecutionOutput {
    /// It ran.
    CodeExecutionResult {
        /// Its exit code.
        return_code: i64,
        /// Standard output.
        stdout: String,
        /// Standard error.
        stderr: String,
        /// The files that it wrote.
        content: Vec<OutputFile>,
    },
    /// It ran, with output that only the API can read.
    EncryptedCodeExecutionResult {
        /// Its exit code.
        return_code: i64,
        /// Standard output, encrypted.
        encrypted_stdout: String,
        /// Standard error.
        stderr: String,
        /// The files that it wrote.
        content: Vec<OutputFile>,
    },
    /// It could not run.
    CodeExecutionToolResultError {
        /// The error code.
        error_code: ServerToolErrorCode,
    },
    /// An unrecognized kind.
    Unknown(Unknown),
}

/// A file written in the sandbox.
#[wire_type]
pub struct OutputFile {
    /// `code_execution_output` or `bash_code_execution_output`.
    #[wire(name = "type")]
    pub kind: Str,
    /// The file's id.
    pub file_id: Str,
}

/// The result of a shell command in the API's sandbox.
#[wire_type]
pub struct BashCodeExecutionToolResult {
    /// The call this answers.
    pub tool_use_id: Str,
    /// The output, or an error.
    pub content: Option<BashCodeExecutionOutput>,
    /// A cache breakpoint at this block.
    pub cache_control: Option<Box<CacheControl>>,
}

/// The output of a shell command, or an error.
#[wire_type(tag = "type")]
pub enum BashCodeExecutionOutput {
    /// It ran.
    BashCodeExecutionResult {
        /// Its exit code.
        return_code: i64,
        /// Standard output.
        stdout: String,
        /// Standard error.
        stderr: String,
        /// The files that it wrote.
        content: Vec<OutputFile>,
    },
    /// It could not run.
    BashCodeExecutionToolResultError {
        /// The error code.
        error_code: ServerToolErrorCode,
    },
    /// An unrecognized kind.
    Unknown(Unknown),
}

/// The result of the file editor in the API's sandbox.
#[wire_type]
pub struct TextEditorCodeExecutionToolResult {
    /// The call this answers.
    pub tool_use_id: Str,
    /// The output, or an error.
    pub content: Option<TextEditorCodeExecutionOutput>,
    /// A cache breakpoint at this block.
    pub cache_control: Option<Box<CacheControl>>,
}

/// The output of an editor command, or an error.
#[wire_type(tag = "type")]
pub enum TextEditorCodeExecutionOutput {
    /// A file was read.
    TextEditorCodeExecutionViewResult {
        /// The file's content.
        content: String,
        /// The kind of file.
        file_type: ViewedFileType,
        /// Number of lines returned.
        num_lines: Option<u64>,
        /// The first line returned.
        start_line: Option<u64>,
        /// Number of lines in the file.
        total_lines: Option<u64>,
    },
    /// A file was written.
    TextEditorCodeExecutionCreateResult {
        /// Whether the file existed before.
        is_file_update: bool,
    },
    /// A part of a file was replaced.
    TextEditorCodeExecutionStrReplaceResult {
        /// The lines of the diff.
        lines: Option<Vec<String>>,
        /// Number of lines in the new part.
        new_lines: Option<u64>,
        /// The first line of the new part.
        new_start: Option<u64>,
        /// Number of lines in the old part.
        old_lines: Option<u64>,
        /// The first line of the old part.
        old_start: Option<u64>,
    },
    /// It failed.
    TextEditorCodeExecutionToolResultError {
        /// The error code.
        error_code: ServerToolErrorCode,
        /// The error message.
        error_message: Option<String>,
    },
    /// An unrecognized kind.
    Unknown(Unknown),
}

open_enum! {
    /// The kind of file read in the sandbox.
    pub enum ViewedFileType {
        /// Text.
        Text = "text",
        /// An image.
        Image = "image",
        /// A PDF.
        Pdf = "pdf",
    }
}
