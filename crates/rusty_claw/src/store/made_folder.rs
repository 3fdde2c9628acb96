//! A folder that is removed on drop.

use std::io;
use std::path::{Path, PathBuf};

use crate::transport::host_folder;

/// A config folder that was created for a CLI to resume from, including credentials. Dropping it
/// removes the folder, unless it was kept.
#[derive(Debug)]
pub(crate) struct MadeFolder {
    path: PathBuf,
    kept: bool,
}

impl MadeFolder {
    /// Takes ownership of a folder that was kept.
    pub(crate) fn adopt(path: PathBuf) -> Self {
        Self { path, kept: false }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps the folder, for a CLI that is still running.
    pub(crate) fn keep(mut self) -> PathBuf {
        self.kept = true;
        host_folder::let_go(&self.path);
        self.path.clone()
    }

    /// Removes it now.
    pub(crate) fn remove(mut self) -> io::Result<()> {
        self.kept = true;
        std::fs::remove_dir_all(&self.path)?;
        host_folder::tidy(&self.path);
        Ok(())
    }
}

impl Drop for MadeFolder {
    fn drop(&mut self) {
        if self.kept {
            return;
        }
        if let Err(error) = std::fs::remove_dir_all(&self.path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(path = %self.path.display(), %error, "a folder that a session was resumed from is still there");
        }
        host_folder::tidy(&self.path);
    }
}
