//! Files and memories beside the conversation.

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::text::Str;

/// Files were persisted beyond the session.
#[wire_type]
pub struct FilesPersistedMessage {
    /// The persisted files.
    pub files: Vec<PersistedFile>,
    /// The files that failed.
    pub failed: Vec<UnpersistedFile>,
    /// When they were processed, ISO 8601.
    pub processed_at: Str,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

/// A persisted file.
#[wire_type]
pub struct PersistedFile {
    /// Its name.
    pub filename: String,
    /// Its id in the store.
    pub file_id: Str,
}

/// A file that could not be persisted.
#[wire_type]
pub struct UnpersistedFile {
    /// Its name.
    pub filename: String,
    /// The reason.
    pub error: String,
}

/// Memories relevant to the prompt were recalled.
#[wire_type]
pub struct MemoryRecallMessage {
    /// How they are passed to the model.
    pub mode: MemoryRecallMode,
    /// The memories.
    pub memories: Vec<RecalledMemory>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

open_enum! {
    /// How recalled memories are passed to the model.
    pub enum MemoryRecallMode {
        /// Unchanged.
        Select = "select",
        /// Summarized.
        Synthesize = "synthesize",
    }
}

/// A recalled memory.
#[wire_type]
pub struct RecalledMemory {
    /// Its path.
    pub path: String,
    /// Its owner.
    pub scope: MemoryScope,
    /// The text.
    pub content: Option<String>,
}

open_enum! {
    /// The owner of a memory.
    pub enum MemoryScope {
        /// The user's.
        Personal = "personal",
        /// The team's.
        Team = "team",
        /// The organisation's.
        Organization = "organization",
    }
}

/// Lines of the session file could not be written to the host's store. Created by the host's SDK.
#[wire_type]
pub struct MirrorErrorMessage {
    /// The error.
    pub error: String,
    /// The affected file.
    pub key: MirrorKey,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

/// A file of a session in the host's store.
#[wire_type(rename_all = "camelCase")]
pub struct MirrorKey {
    /// The project's key.
    pub project_key: Str,
    /// The session's id.
    pub session_id: Str,
    /// The path of the file within the session; absent for the session's own file.
    pub subpath: Option<String>,
}
