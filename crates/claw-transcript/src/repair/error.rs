//! The errors of repairs.

use std::path::PathBuf;

use crate::error::TranscriptError;

/// An error of a repair. The session is unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepairError {
    /// There is nothing to repair.
    #[error("there is nothing to repair in {}: use the session as it is", path.display())]
    Nothing {
        /// The session's file.
        path: PathBuf,
    },
    /// The file was modified after it was planned.
    #[error(
        "{} changed since the plan was made: end the CLI that runs the session, and plan again",
        path.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The target exists, and a repair only writes new files.
    #[error("{} already exists: choose another session id or folder", path.display())]
    Exists {
        /// The existing path.
        path: PathBuf,
    },
    /// The plan is for a subagent's file alone.
    #[error("the plan has no main file: plan for the session, not for a subagent's file alone")]
    NoMainFile,
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] TranscriptError),
}
