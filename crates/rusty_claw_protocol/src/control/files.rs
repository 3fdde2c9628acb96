//! Files: read, suggest, rewind, list.

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::text::Str;

/// Restores files to their state before a prompt. Files created since are deleted.
#[wire_type]
pub struct RewindFiles {
    /// The prompt's id.
    pub user_message_id: Str,
    /// Whether to only report the changes.
    pub dry_run: Option<bool>,
}

/// The result of a rewind or of its dry run.
#[wire_type(rename_all = "camelCase")]
pub struct RewindFilesResponse {
    /// Whether it is possible.
    pub can_rewind: bool,
    /// Why it is not possible.
    pub error: Option<String>,
    /// The affected files.
    pub files_changed: Option<Vec<String>>,
    /// Lines that are added.
    pub insertions: Option<u64>,
    /// Lines that are removed.
    pub deletions: Option<u64>,
    /// Number of files skipped because of links or other non-regular files.
    pub skipped_links: Option<u64>,
}

/// Reads a file on the session's machine.
#[wire_type]
pub struct ReadFile {
    /// The file.
    pub path: String,
    /// The maximum number of bytes.
    pub max_bytes: Option<u64>,
    /// The encoding of the response.
    pub encoding: Option<FileEncoding>,
}

open_enum! {
    /// The encoding of a file's content.
    pub enum FileEncoding {
        /// Text.
        Utf8 = "utf-8",
        /// Base64.
        Base64 = "base64",
    }
}

/// A file's content.
#[wire_type]
pub struct ReadFileResponse {
    /// The content, in the given encoding.
    pub contents: String,
    /// The absolute path.
    #[wire(name = "absPath")]
    pub abs_path: String,
    /// Whether the content was truncated.
    pub truncated: Option<bool>,
    /// The encoding, if not text.
    pub encoding: Option<FileEncoding>,
    /// Whether invalid text was replaced.
    pub lossy: Option<bool>,
    /// The directory that the path was resolved against.
    pub anchor: Option<Str>,
    /// The offset of the content in the file.
    pub offset: Option<u64>,
    /// Number of bytes read.
    pub read_bytes: Option<u64>,
    /// The file's size in bytes.
    pub total_bytes: Option<u64>,
    /// The version that was read.
    pub etag: Option<Str>,
    /// Whether it was screened for upload.
    pub upload_screened: Option<bool>,
    /// The path as requested.
    pub requested_path: Option<String>,
}

/// Marks a file as read by the model at a given time, so that the model is notified of later
/// changes.
#[wire_type]
pub struct SeedReadState {
    /// The file.
    pub path: String,
    /// Its modification time, milliseconds since 1970.
    pub mtime: f64,
}

/// Requests files whose names match a partial input.
#[wire_type]
pub struct FileSuggestions {
    /// The input.
    pub query: String,
}

/// The matching files.
#[wire_type]
pub struct FileSuggestionsResponse {
    /// The files, best first.
    pub suggestions: Vec<FileSuggestion>,
    /// The directory that their paths are relative to.
    pub cwd: Option<Str>,
}

/// A matching file.
#[wire_type]
pub struct FileSuggestion {
    /// Its path.
    pub path: String,
    /// The quality of the match.
    pub score: Option<f64>,
}

/// Lists a directory. Only cloud sessions serve it.
#[wire_type]
pub struct ListDirectory {
    /// The directory.
    pub path: String,
}

/// The content of a directory.
#[wire_type(rename_all = "camelCase")]
pub struct ListDirectoryResponse {
    /// The absolute path.
    pub abs_path: String,
    /// Its entries.
    pub entries: Vec<DirectoryEntry>,
    /// Whether the list was truncated.
    pub truncated: bool,
}

/// An entry of a directory.
#[wire_type(rename_all = "camelCase")]
pub struct DirectoryEntry {
    /// Its name.
    pub name: String,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// Whether it is a symbolic link.
    pub is_symlink: Option<bool>,
    /// Whether it is neither a file nor a directory, such as a socket.
    pub is_special: Option<bool>,
}
