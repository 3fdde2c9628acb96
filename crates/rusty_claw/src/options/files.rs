//! Files that only this user may read, for what does not belong on a command line.

use std::io::Write as _;
#[cfg(test)]
use std::path::Path;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{SessionError, StartError};
use crate::future::BoxFuture;
use crate::transport::{Connection, Custody, Exit, Stop, host_folder};

/// The files of one options value.
///
/// They are written when a session first needs them, shared by all sessions of the value and its
/// clones, and deleted with the last holder. A builder method that changes what is in a file is
/// noticed: the file is found by its content.
#[derive(Debug, Clone, Default)]
pub(super) struct FileCache(Arc<Mutex<Vec<Arc<PrivateFile>>>>);

/// The files that a session needs as long as it runs.
#[derive(Debug, Clone, Default)]
pub(crate) struct PrivateFiles {
    held: Vec<Arc<PrivateFile>>,
}

/// A file that is deleted with its last holder, unless it was let go.
#[derive(Debug)]
struct PrivateFile {
    path: PathBuf,
    content: String,
    let_go: AtomicBool,
}

impl Drop for PrivateFile {
    fn drop(&mut self) {
        if !self.let_go.load(Ordering::Relaxed) {
            // Gone already is as good.
            let _ = std::fs::remove_file(&self.path);
            host_folder::tidy(&self.path);
        }
    }
}

impl FileCache {
    /// A file with this content.
    pub(super) fn hold(
        &self,
        content: &str,
        what: &str,
        files: &mut PrivateFiles,
    ) -> Result<PathBuf, StartError> {
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A cleaner of temporary folders may have taken it.
        cache.retain(|file| file.path.exists());
        let file = match cache.iter().find(|file| file.content == content) {
            Some(file) => Arc::clone(file),
            None => {
                let file = Arc::new(PrivateFile {
                    path: write(content, what)?,
                    content: content.to_owned(),
                    let_go: AtomicBool::new(false),
                });
                cache.push(Arc::clone(&file));
                file
            }
        };
        let path = file.path.clone();
        files.held.push(file);
        Ok(path)
    }
}

impl PrivateFiles {
    /// The connection, which from now on keeps the files as long as it looks after the CLI: the
    /// CLI may read its settings again at any time.
    pub(crate) fn kept_by(self, mut connection: Connection) -> Connection {
        if !self.held.is_empty() {
            connection.custody = Box::new(WithFiles {
                custody: connection.custody,
                files: self,
            });
        }
        connection
    }

    /// Where they are.
    #[cfg(test)]
    pub(super) fn paths(&self) -> Vec<&Path> {
        self.held.iter().map(|file| file.path.as_path()).collect()
    }
}

/// Looks after the CLI and after its files.
struct WithFiles {
    // Dropped first: no file goes before the process that may read it.
    custody: Box<dyn Custody>,
    files: PrivateFiles,
}

impl Custody for WithFiles {
    fn pid(&self) -> Option<u32> {
        self.custody.pid()
    }

    fn exited(&mut self) -> BoxFuture<'_, Exit> {
        self.custody.exited()
    }

    fn stop(&mut self, how: Stop) {
        self.custody.stop(how);
    }

    fn clean_up(&mut self) -> BoxFuture<'_, ()> {
        self.custody.clean_up()
    }

    fn stderr_tail(&self) -> String {
        self.custody.stderr_tail()
    }

    fn release(&mut self) -> Result<(), SessionError> {
        self.custody.release()?;
        // The CLI lives on, and may read them again.
        for file in &self.files.held {
            file.let_go.store(true, Ordering::Relaxed);
            host_folder::let_go(&file.path);
        }
        Ok(())
    }
}

fn write(content: &str, what: &str) -> Result<PathBuf, StartError> {
    let written = host_folder::place(|folder| {
        // Made for this user only, mode 0600, by the crate.
        let mut file = tempfile::Builder::new()
            .suffix(".json")
            .tempfile_in(folder)?;
        file.write_all(content.as_bytes())?;
        let (_, path) = file.keep().map_err(|error| error.error)?;
        Ok(path)
    });
    written.map_err(|source| StartError::Io {
        what: format!(
            "{what} could not be written to a private file in {}",
            std::env::temp_dir().display()
        ),
        source,
    })
}
