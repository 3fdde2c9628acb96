//! What can go wrong with session files.

use std::io;
use std::path::{Path, PathBuf};

/// Why a session function did not do what it was asked.
///
/// Broken lines are never a reason: they are read over. What remains is the file system, and
/// questions about sessions that are not there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TranscriptError {
    /// Neither `CLAUDE_CONFIG_DIR` nor `HOME` says where the CLI keeps its files.
    #[error(
        "cannot tell where session files are: neither CLAUDE_CONFIG_DIR nor HOME is set; \
         set one, or open the library on a folder"
    )]
    NoConfigDir,
    /// Session ids are UUIDs, and nothing else becomes part of a path.
    #[error("{id:?} is not a session id: give the UUID that `list` shows")]
    NotASessionId {
        /// What was given.
        id: String,
    },
    /// No file has this session.
    #[error(
        "no session {id} under {}: check the id with `list`, and the config folder",
        searched.display()
    )]
    SessionNotFound {
        /// The session that was asked for.
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
    /// The session is there, but no message has this uuid.
    #[error("session {id} has no message {uuid}: take a uuid that `messages` shows")]
    MessageNotFound {
        /// The session.
        id: String,
        /// The uuid that was asked for.
        uuid: String,
    },
    /// The session has no messages, so there is nothing to fork.
    #[error("session {id} has no messages to fork: send it a prompt first")]
    NothingToFork {
        /// The session.
        id: String,
    },
    /// A title or tag without a visible character.
    #[error("a {what} must not be empty: {hint}")]
    Empty {
        /// `title` or `tag`.
        what: &'static str,
        /// What to do instead.
        hint: &'static str,
    },
    /// A name that the CLI would not take for a project folder.
    #[error(
        "{name:?} cannot name a project folder: use 1 to 64 letters, digits, `_` or `-`, \
         and no name that Windows reserves"
    )]
    BadProjectName {
        /// The name.
        name: String,
    },
    /// What to search for is not a regular expression.
    #[error(
        "cannot search for that: {why}; see the syntax of the crate `regex`, or search for text"
    )]
    BadPattern {
        /// What is wrong with it, and where.
        why: String,
    },
    /// The place that an export goes to takes no more.
    #[error("cannot write the export: check that there is room where it goes, and that it is open")]
    Export {
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A word that should be one of a few names.
    #[error("there is no {what} {name:?}: {hint}")]
    UnknownName {
        /// What it should name: a detector, a grouping, a time zone.
        what: &'static str,
        /// What was given.
        name: String,
        /// What to give instead.
        hint: String,
    },
    /// Prices that a user gave cannot be taken.
    #[error("the prices cannot be taken: {why}")]
    BadPrices {
        /// What is wrong with them, where, and what to give instead.
        why: String,
    },
    /// An index was to be kept where the CLI keeps its own files.
    #[error(
        "{} is in the folder of Claude Code, which is not ours to write to: name another one",
        folder.display()
    )]
    IndexInConfigDir {
        /// Where it was to be.
        folder: PathBuf,
    },
    /// Neither `XDG_CACHE_HOME` nor `HOME` says where caches are.
    #[error("cannot tell where caches are: set XDG_CACHE_HOME or HOME, or name a folder")]
    NoCacheDir,
    /// The file system refused.
    #[error("cannot {action} {}: check that it is there and that you may", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

impl TranscriptError {
    /// For `map_err`: the export could not be written.
    #[cfg(feature = "export")]
    pub(crate) fn export(source: io::Error) -> Self {
        Self::Export { source }
    }

    /// For `map_err`: which step failed, on which path.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }
}
