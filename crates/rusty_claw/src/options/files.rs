//! Files that only this user may read, for values that do not belong on a command line.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{SessionError, StartError};
use crate::future::BoxFuture;
use crate::transport::{Connection, Custody, Exit, Stop, host_folder};

/// The files of one options value.
///
/// Files are written when a session first needs them, shared by all sessions of the value and its
/// clones, and deleted with the last holder. They are looked up by content, so a changed option
/// leads to a new file.
#[derive(Debug, Clone, Default)]
pub(super) struct FileCache(Arc<Mutex<Vec<Arc<PrivateFile>>>>);

/// The files that a session needs while it runs.
#[derive(Debug, Clone, Default)]
pub(crate) struct PrivateFiles {
    held: Vec<Arc<PrivateFile>>,
}

/// A file that is deleted with its last holder, unless it was released.
#[derive(Debug)]
struct PrivateFile {
    path: PathBuf,
    content: String,
    let_go: AtomicBool,
}

impl Drop for PrivateFile {
    fn drop(&mut self) {
        if !self.let_go.load(Ordering::Relaxed) {
            // It may already be removed.
            let _ = std::fs::remove_file(&self.path);
            host_folder::tidy(&self.path);
        }
    }
}

impl FileCache {
    /// Returns the path of a file with this content, and adds the file to `files`.
    pub(super) fn hold(
        &self,
        content: &str,
        what: &str,
        files: &mut PrivateFiles,
    ) -> Result<PathBuf, StartError> {
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A cleaner of temporary folders may have removed it.
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
    /// Returns the connection, whose custody keeps the files from now on: the CLI may read its
    /// settings again at any time.
    pub(crate) fn kept_by(self, mut connection: Connection) -> Connection {
        if !self.held.is_empty() {
            connection.custody = Box::new(WithFiles {
                custody: connection.custody,
                files: self,
            });
        }
        connection
    }

    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.held.iter().map(|file| file.path.clone()).collect()
    }
}

/// A custody that also keeps the CLI's files.
struct WithFiles {
    // Dropped first, so that the files outlive the process.
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
        // The CLI continues, and may read them again.
        for file in &self.files.held {
            file.let_go.store(true, Ordering::Relaxed);
            host_folder::let_go(&file.path);
        }
        Ok(())
    }
}

fn write(content: &str, what: &str) -> Result<PathBuf, StartError> {
    let written = host_folder::place(|folder| {
        // `tempfile` creates it with mode 0600.
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
