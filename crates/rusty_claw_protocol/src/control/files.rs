//! Files: read, suggest, rewind, compare.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;

/// Puts files back to what they were before a prompt. Files created since are deleted.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct RewindFiles {
    /// The prompt.
    pub user_message_id: Str,
    /// Whether it only says what it would do.
    pub dry_run: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// What a rewind did or would do.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct RewindFilesResponse {
    /// Whether it is possible.
    pub can_rewind: bool,
    /// Why it is not.
    pub error: Option<String>,
    /// The files it would change.
    pub files_changed: Option<Vec<String>>,
    /// Lines that would come back.
    pub insertions: Option<u64>,
    /// Lines that would go.
    pub deletions: Option<u64>,
    /// Links that were left alone.
    pub skipped_links: Option<u64>,
    /// What no field holds.
    pub extra: Extra,
}

/// Reads a file where the session runs.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ReadFile {
    /// The file.
    pub path: String,
    /// How much of it at most.
    pub max_bytes: Option<u64>,
    /// How it travels.
    pub encoding: Option<FileEncoding>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// How a file's bytes travel.
    pub enum FileEncoding {
        /// As text.
        Utf8 = "utf-8",
        /// As base64, byte for byte.
        Base64 = "base64",
    }
}

/// A file's content.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ReadFileResponse {
    /// The content, in the given encoding.
    pub contents: String,
    /// The file, resolved.
    #[wire(name = "absPath")]
    pub abs_path: String,
    /// Whether there is more.
    pub truncated: Option<bool>,
    /// The encoding, when not text.
    pub encoding: Option<FileEncoding>,
    /// Whether bytes that were not text were replaced.
    pub lossy: Option<bool>,
    /// From which folder the path was resolved.
    pub anchor: Option<Str>,
    /// Where in the file the content begins.
    pub offset: Option<u64>,
    /// How many bytes were read.
    pub read_bytes: Option<u64>,
    /// How many the file has.
    pub total_bytes: Option<u64>,
    /// The version that was read.
    pub etag: Option<Str>,
    /// Whether it was checked for being sent on.
    pub upload_screened: Option<bool>,
    /// The path as it was asked for.
    pub requested_path: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// Tells the CLI that the model knows a file as it was at a time, so that the model hears of later
/// changes as if it had read it.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SeedReadState {
    /// The file.
    pub path: String,
    /// Its modification time, milliseconds since 1970.
    pub mtime: f64,
    /// What no field holds.
    pub extra: Extra,
}

/// Asks for files whose names fit what somebody types.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct FileSuggestions {
    /// What was typed.
    pub query: String,
    /// What no field holds.
    pub extra: Extra,
}

/// Files that fit.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct FileSuggestionsResponse {
    /// The files, best first.
    pub suggestions: Vec<FileSuggestion>,
    /// What their paths are relative to.
    pub cwd: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// A file that fits.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct FileSuggestion {
    /// Its path.
    pub path: String,
    /// How well it fits.
    pub score: Option<f64>,
    /// What no field holds.
    pub extra: Extra,
}

/// Lists a folder. Only cloud sessions serve it.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ListDirectory {
    /// The folder.
    pub path: String,
    /// What no field holds.
    pub extra: Extra,
}

/// What is in a folder.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct ListDirectoryResponse {
    /// The folder, resolved.
    pub abs_path: String,
    /// What is in it.
    pub entries: Vec<DirectoryEntry>,
    /// Whether there is more.
    pub truncated: bool,
    /// What no field holds.
    pub extra: Extra,
}

/// One entry of a folder.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct DirectoryEntry {
    /// Its name.
    pub name: String,
    /// Whether it is a folder.
    pub is_directory: bool,
    /// Whether it is a link.
    pub is_symlink: Option<bool>,
    /// Whether it is neither file nor folder, such as a socket.
    pub is_special: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}
