//! Files and memories that the session wrote or read beside the conversation.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;

/// Files were stored where they outlive the session.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct FilesPersistedMessage {
    /// Files that were stored.
    pub files: Vec<PersistedFile>,
    /// Files that were not.
    pub failed: Vec<UnpersistedFile>,
    /// When, ISO 8601.
    pub processed_at: Str,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// A file that was stored.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PersistedFile {
    /// Its name.
    pub filename: String,
    /// Its id in the store.
    pub file_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// A file that could not be stored.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct UnpersistedFile {
    /// Its name.
    pub filename: String,
    /// Why not.
    pub error: String,
    /// What no field holds.
    pub extra: Extra,
}

/// Memories were found that bear on the prompt.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct MemoryRecallMessage {
    /// How they are given to the model.
    pub mode: MemoryRecallMode,
    /// The memories.
    pub memories: Vec<RecalledMemory>,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// How recalled memories are given to the model.
    pub enum MemoryRecallMode {
        /// As they are.
        Select = "select",
        /// Summed up.
        Synthesize = "synthesize",
    }
}

/// A memory that was recalled.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct RecalledMemory {
    /// Where it is kept.
    pub path: String,
    /// Whose it is.
    pub scope: MemoryScope,
    /// What it says.
    pub content: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Whose a memory is.
    pub enum MemoryScope {
        /// The user's.
        Personal = "personal",
        /// The team's.
        Team = "team",
        /// The organisation's.
        Organization = "organization",
    }
}

/// Lines of the session file could not be handed to the host's store. Made by the host's SDK.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct MirrorErrorMessage {
    /// What went wrong.
    pub error: String,
    /// Which file of which session.
    pub key: MirrorKey,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// A file of a session in the host's store.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct MirrorKey {
    /// The project.
    pub project_key: Str,
    /// The session.
    pub session_id: Str,
    /// The file below the session; absent for the session's own.
    pub subpath: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}
