//! The errors of functions on session files.

use std::io;
use std::path::{Path, PathBuf};

/// An error of a function on session files.
///
/// Broken lines are never an error: they are skipped. What remains are I/O errors, missing sessions
/// and invalid arguments.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TranscriptError {
    /// Neither `CLAUDE_CONFIG_DIR` nor `HOME` is set, so the config folder is unknown.
    #[error(
        "the folder of session files is unknown: neither CLAUDE_CONFIG_DIR nor HOME is set; \
         set one, or open the library on a folder"
    )]
    NoConfigDir,
    /// The id is not a UUID. Nothing else becomes part of a path.
    #[error("{id:?} is not a session id: give the UUID that `list` shows")]
    NotASessionId {
        /// The given id.
        id: String,
    },
    /// The session does not exist.
    #[error(
        "no session {id} under {}: check the id with `list`, and the config folder",
        searched.display()
    )]
    SessionNotFound {
        /// The session's id.
        id: String,
        /// The folder that was searched.
        searched: PathBuf,
    },
    /// The file contains no line of a session.
    #[error("{} is not a session: it is {what}; {hint}", path.display())]
    NotASession {
        /// The file.
        path: PathBuf,
        /// The kind of the file, from its first bytes.
        what: &'static str,
        /// Advice for the user.
        hint: &'static str,
    },
    /// The session exists, but no message has this uuid.
    #[error("session {id} has no message {uuid}: use a uuid that `messages` returns")]
    MessageNotFound {
        /// The session's id.
        id: String,
        /// The given uuid.
        uuid: String,
    },
    /// The session has no messages to fork.
    #[error("session {id} has no messages to fork: send it a prompt first")]
    NothingToFork {
        /// The session's id.
        id: String,
    },
    /// A call cannot be parked.
    #[error("the call {call} is not parked: {why}")]
    NotParked {
        /// The id of the call.
        call: String,
        /// The reason, and advice if there is any.
        why: String,
    },
    /// A title or tag has no visible character.
    #[error("a {what} must not be empty: {hint}")]
    Empty {
        /// `title` or `tag`.
        what: &'static str,
        /// Advice for the user.
        hint: &'static str,
    },
    /// The CLI would not accept the name for a project folder.
    #[error(
        "{name:?} cannot name a project folder: use 1 to 64 letters, digits, `_` or `-`, \
         and no name that Windows reserves"
    )]
    BadProjectName {
        /// The given name.
        name: String,
    },
    /// The pattern is not a valid regular expression.
    #[error(
        "cannot search for that: {why}; see the syntax of the crate `regex`, or search for text"
    )]
    BadPattern {
        /// The syntax error, and its position.
        why: String,
    },
    /// The export cannot be written.
    #[error("cannot write the export: check that the disk has space and the target is open")]
    Export {
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// A name is not one of the allowed ones.
    #[error("there is no {what} {name:?}: {hint}")]
    UnknownName {
        /// The kind of name: a detector, a grouping, a time zone.
        what: &'static str,
        /// The given name.
        name: String,
        /// The allowed names, or other advice.
        hint: String,
    },
    /// The prices of the user are invalid.
    #[error("the prices are invalid: {why}")]
    BadPrices {
        /// The error, its position, and advice.
        why: String,
    },
    /// A file system operation failed.
    #[error("cannot {action} {}: check that it exists and that you have access", path.display())]
    Io {
        /// The operation.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
}

impl TranscriptError {
    /// Wraps an error from writing the export, for `map_err`.
    #[cfg(feature = "export")]
    pub(crate) fn export(source: io::Error) -> Self {
        Self::Export { source }
    }

    /// Wraps an I/O error with the operation and the path, for `map_err`.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }
}
