//! What can go wrong with a repair.

use std::path::PathBuf;

use crate::error::TranscriptError;

/// Why a repair was not written. The session is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepairError {
    /// There is nothing to do.
    #[error("there is nothing to repair in {}: use the session as it is", path.display())]
    Nothing {
        /// The session's file.
        path: PathBuf,
    },
    /// Somebody wrote to the file since it was looked at.
    #[error(
        "{} changed since the plan was made: end the CLI that runs the session, and plan again",
        path.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A repair writes new files only.
    #[error("{} is there already: choose another session id or folder", path.display())]
    Exists {
        /// What is there.
        path: PathBuf,
    },
    /// The plan is not that of a session.
    #[error("the plan has no main file: plan for the session, not for a subagent's file alone")]
    NoMainFile,
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] TranscriptError),
}
