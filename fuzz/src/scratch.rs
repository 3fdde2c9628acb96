//! A folder for files, and bytes in messages.

use std::path::PathBuf;

thread_local! {
    static FOLDER: tempfile::TempDir = tempfile::tempdir().expect("a folder");
}

/// A temporary folder, the same one in each call.
pub fn folder() -> PathBuf {
    FOLDER.with(|folder| folder.path().to_owned())
}

/// Bytes for a message.
pub fn shown(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}
