//! The data folder of a gateway: the database, the token of this machine, the lock.

use std::fs::{DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use claw_gateway::Holders;

/// A data folder. Only its user may read it.
#[derive(Debug, Clone)]
pub(crate) struct DataFolder {
    path: PathBuf,
}

/// Held while a gateway uses a data folder. The system releases it when the process ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl DataFolder {
    /// Creates a handle to a data folder, which need not exist.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The path of the database.
    pub(crate) fn database(&self) -> PathBuf {
        self.path.join("claw.db")
    }

    /// The path of the token for the commands of this machine.
    pub(crate) fn token(&self) -> PathBuf {
        self.path.join("token")
    }

    /// The path of the file with the URL of the running gateway.
    pub(crate) fn url(&self) -> PathBuf {
        self.path.join("url")
    }

    /// The folder of the holders. If the path is too long for a socket, it is a private folder in
    /// the one for temporary files, which is the same after a restart.
    pub(crate) fn holders(&self) -> anyhow::Result<PathBuf> {
        let folder = self.path.join("holders");
        let folder = std::path::absolute(&folder)?;
        if folder.as_os_str().len() <= Holders::LONGEST_FOLDER {
            return Ok(folder);
        }
        // FNV-1a: the hash of the standard library may change with the compiler.
        let bytes = folder.as_os_str().as_encoded_bytes().iter();
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let user = rustix::process::getuid().as_raw();
        Ok(PathBuf::from(format!("/tmp/claw-{user}-{hash:016x}")))
    }

    /// Removes the file with the URL, if there is one.
    pub(crate) fn remove_url(&self) -> anyhow::Result<()> {
        match std::fs::remove_file(self.url()) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot remove {}", self.url().display()))
            }
            _ => Ok(()),
        }
    }

    fn lock_file(&self) -> PathBuf {
        self.path.join("lock")
    }

    /// Creates the folder, and removes the access of other users.
    pub(crate) fn create(&self) -> anyhow::Result<()> {
        let path = self.path.display();
        if let Some(parent) = self.path.parent() {
            std::fs::create_dir_all(parent).with_context(|| format!("cannot create {path}"))?;
        }
        match DirBuilder::new().mode(0o700).create(&self.path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let private = Permissions::from_mode(0o700);
                let set = std::fs::set_permissions(&self.path, private);
                set.with_context(|| format!("cannot set the permissions of {path}"))
            }
            created => created.with_context(|| format!("cannot create {path}")),
        }
    }

    /// Locks the folder for one gateway.
    pub(crate) fn lock(&self) -> anyhow::Result<Lock> {
        let path = self.lock_file();
        let opened = private()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path);
        let mut file = opened.with_context(|| format!("cannot open {}", path.display()))?;
        let mut locked = file.try_lock();
        // Commands hold the lock for a moment while they look for a gateway.
        for _ in 0..20 {
            if !matches!(locked, Err(TryLockError::WouldBlock)) {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
            locked = file.try_lock();
        }
        match locked {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!(
                "another claw serve{} uses {}: stop it, or choose another folder with --data",
                owner(&path),
                self.path.display()
            ),
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("cannot lock {}", path.display()));
            }
        }
        // The process id is only for error messages.
        let _ = file.set_len(0);
        let _ = write!(file, "{}", std::process::id());
        Ok(Lock { _file: file })
    }

    /// Whether a gateway uses the folder.
    pub(crate) fn is_locked(&self) -> bool {
        let Ok(file) = File::open(self.lock_file()) else {
            return false;
        };
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    /// Creates the database file if it does not exist, and makes it readable only for its user.
    /// SQLite creates its other files with the same permissions.
    pub(crate) fn prepare_database(&self) -> anyhow::Result<()> {
        let path = self.database();
        let opened = private().append(true).create(true).open(&path);
        let file = opened.with_context(|| format!("cannot open {}", path.display()))?;
        let set = file.set_permissions(Permissions::from_mode(0o600));
        set.with_context(|| format!("cannot set the permissions of {}", path.display()))
    }

    /// Returns the trimmed text of a file, or `None` if it does not exist.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Option<String>> {
        let named = || format!("cannot read {}", path.display());
        let mut file = match File::open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened.with_context(named)?,
        };
        let mut text = String::new();
        file.read_to_string(&mut text).with_context(named)?;
        Ok(Some(text.trim().to_owned()))
    }

    /// Writes a file that only its user may read.
    pub(crate) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
        let new = path.with_extension("new");
        let written = || {
            match std::fs::remove_file(&new) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut file = private().write(true).create_new(true).open(&new)?;
            writeln!(file, "{text}")?;
            file.sync_all()?;
            std::fs::rename(&new, path)
        };
        written().with_context(|| format!("cannot write {}", path.display()))
    }

    /// Whether other users have access to a file or folder.
    pub(crate) fn is_open_to_others(path: &Path) -> std::io::Result<bool> {
        Ok(std::fs::metadata(path)?.permissions().mode() & 0o077 != 0)
    }
}

/// Returns options that create files readable only for their user.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

/// Returns the process that holds a lock, for error messages.
fn owner(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    match text.trim().parse::<u32>() {
        Ok(id) => format!(" (process {id})"),
        Err(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn only_the_user_may_read_the_folder_and_its_files() {
        let dir = tempfile::tempdir().unwrap();
        let data = DataFolder::new(dir.path().join("a/claw"));
        data.create().unwrap();
        std::fs::set_permissions(data.path(), Permissions::from_mode(0o755)).unwrap();
        data.create().unwrap();
        data.prepare_database().unwrap();
        let _lock = data.lock().unwrap();
        DataFolder::write(&data.token(), "one").unwrap();
        DataFolder::write(&data.token(), "two").unwrap();
        let read = DataFolder::read(&data.token()).unwrap();
        assert_eq!(read.as_deref(), Some("two"));
        assert_eq!(mode(data.path()), 0o700);
        for entry in std::fs::read_dir(data.path()).unwrap() {
            let path = entry.unwrap().path();
            assert_eq!(mode(&path), 0o600, "{}", path.display());
        }
    }

    #[test]
    fn one_gateway_uses_a_folder_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let data = DataFolder::new(dir.path().join("claw"));
        data.create().unwrap();
        assert!(!data.is_locked());
        let lock = data.lock().unwrap();
        assert!(data.is_locked());
        let refused = data.lock().unwrap_err().to_string();
        let id = std::process::id();
        assert!(refused.contains(&format!("process {id}")), "{refused}");
        drop(lock);
        assert!(!data.is_locked());
        data.lock().unwrap();
    }
}
