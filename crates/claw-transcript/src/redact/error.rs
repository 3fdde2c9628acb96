//! The errors of redaction.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::TranscriptError;

/// An error of redaction. No message contains a secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RedactError {
    /// A file cannot be read or written, or the session does not exist.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
    /// The file is not a file of pseudonyms.
    #[error("{} is not a key file ({why}): choose another, or move it", path.display())]
    NotAKeyFile {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A rule is invalid.
    #[error("rule {rule}: {why}")]
    BadRule {
        /// The name of the rule.
        rule: String,
        /// The reason.
        why: String,
    },
    /// The copy would overwrite a file.
    #[error("{} already exists: choose a new folder", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The copy would be written among the files of the session.
    #[error("{} holds the original: name another folder", path.display())]
    AmongOriginals {
        /// The folder.
        path: PathBuf,
    },
}

impl RedactError {
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let error = TranscriptError::io(action, path);
        move |source| Self::Transcript(error(source))
    }

    pub(super) fn bad_rule(rule: &str, why: impl ToString) -> Self {
        Self::BadRule {
            rule: rule.to_owned(),
            why: why.to_string(),
        }
    }
}
