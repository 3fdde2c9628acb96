//! A private folder per host, for files that a CLI needs while it runs.
//!
//! They may contain secrets, and a host that is killed cannot remove them. So they are in a folder
//! whose name identifies the host, and a sweep removes what a dead host left, unless a process
//! still uses it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::host_process::Host;
use super::proc_table;

const PREFIX: &str = "rusty_claw-host.";
/// The suffix of a marker next to a released file, which keeps the file after its host's end.
const NOTE: &str = ".kept";
/// How long a released file is kept at least.
const NOTE_KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// The folder of this process, once it was created.
static FOLDER: Mutex<Option<(Host, PathBuf)>> = Mutex::new(None);

/// Creates something in this host's folder, which is created if needed.
pub(crate) fn place<T>(make: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    // The lock is held meanwhile, so that the folder is not removed while it is empty.
    let mut folder = FOLDER.lock().unwrap_or_else(PoisonError::into_inner);
    let this = Host::this();
    let path = match &*folder {
        Some((host, path)) if *host == this && path.is_dir() => path.clone(),
        _ => {
            let path = make_folder(&std::env::temp_dir(), this)?;
            *folder = Some((this, path.clone()));
            path
        }
    };
    make(&path)
}

/// Removes the marker of a file that was removed, and the folder if it is empty.
pub(crate) fn tidy(gone: &Path) {
    let Some(folder) = folder_of(gone) else {
        return;
    };
    let _held = FOLDER.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = fs::remove_file(note(gone));
    // Fails while the folder is not empty.
    let _ = fs::remove_dir(folder);
}

/// Marks a file that outlives this process: a released CLI may use it.
pub(crate) fn let_go(path: &Path) {
    if folder_of(path).is_some()
        && let Err(error) = fs::write(note(path), "")
    {
        tracing::warn!(path = %path.display(), %error, "what a CLI that was let go uses cannot be noted");
    }
}

/// The host's folder that contains a path, if it is in one.
fn folder_of(path: &Path) -> Option<&Path> {
    let folder = path.parent()?;
    host_of(folder.file_name()?.to_str()?)?;
    Some(folder)
}

fn note(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(NOTE);
    name.into()
}

fn make_folder(within: &Path, host: Host) -> io::Result<PathBuf> {
    let Host { pid, started } = host;
    let space = proc_table::pid_space();
    let mut builder = tempfile::Builder::new();
    let prefix = format!("{PREFIX}{pid}.{started}.{space}.");
    builder.prefix(&prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    Ok(builder.tempdir_in(within)?.keep())
}

/// The host in a folder's name, and its PID namespace.
fn host_of(name: &str) -> Option<(Host, u64)> {
    let mut parts = name.strip_prefix(PREFIX)?.split('.');
    let host = Host {
        pid: parts.next()?.parse().ok()?,
        started: parts.next()?.parse().ok()?,
    };
    let space = parts.next()?.parse().ok()?;
    Some((host, space))
}

/// Removes what dead hosts left in a folder for temporary files. Blocks.
pub(super) fn sweep(within: &Path) {
    let Ok(entries) = fs::read_dir(within) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some((host, space)) = name.to_str().and_then(host_of) else {
            continue;
        };
        // A pid of another container means nothing here.
        let is_left = space == proc_table::pid_space()
            && entry.file_type().is_ok_and(|kind| kind.is_dir())
            && entry
                .metadata()
                .is_ok_and(|meta| proc_table::is_of_this_user(&meta))
            && !proc_table::lives(host);
        if is_left {
            clear(&entry.path(), host);
        }
    }
}

fn clear(folder: &Path, host: Host) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.to_string_lossy().ends_with(NOTE) {
            continue;
        }
        let noted = fs::metadata(note(&path)).and_then(|note| note.modified());
        let is_kept = noted.is_ok_and(|noted| {
            SystemTime::now()
                .duration_since(noted)
                .is_ok_and(|age| age < NOTE_KEPT)
        });
        if is_kept || proc_table::is_mentioned(&path) {
            continue;
        }
        let removed = if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            fs::remove_dir_all(&path)
        } else {
            fs::remove_file(&path)
        };
        match removed {
            Ok(()) => {
                let _ = fs::remove_file(note(&path));
                tracing::info!(host = host.pid, path = %path.display(), "removed the files of a dead host");
            }
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "the files of a dead host cannot be removed");
            }
        }
    }
    let _ = fs::remove_dir(folder);
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    const GONE: Host = Host {
        pid: i32::MAX as u32,
        started: 1,
    };

    fn left(within: &Path, host: Host) -> (PathBuf, PathBuf) {
        let folder = make_folder(within, host).unwrap();
        let file = folder.join("secret.json");
        fs::write(&file, "{}").unwrap();
        let resumed = folder.join("claude-resume-x");
        fs::create_dir_all(resumed.join("projects")).unwrap();
        (folder, resumed)
    }

    #[test]
    fn what_a_host_that_is_gone_has_left_is_removed() {
        let within = tempfile::tempdir().unwrap();
        let (gone, _) = left(within.path(), GONE);
        let (living, _) = left(within.path(), Host::this());
        let elsewhere = within.path().join(format!("{PREFIX}{}.1.7.x", GONE.pid));
        fs::create_dir(&elsewhere).unwrap();
        let other = within.path().join("rusty_claw-something");
        fs::create_dir(&other).unwrap();
        sweep(within.path());
        assert!(!gone.exists());
        for kept in [living, elsewhere, other] {
            assert!(kept.exists(), "{}", kept.display());
        }
    }

    #[test]
    fn what_was_let_go_or_is_used_stays() {
        let within = tempfile::tempdir().unwrap();
        let (folder, resumed) = left(within.path(), GONE);
        let_go(&resumed);
        sweep(within.path());
        assert!(resumed.exists());
        assert!(!folder.join("secret.json").exists());
        // After a day, only whether a process uses it counts.
        let noted = fs::File::options()
            .write(true)
            .open(note(&resumed))
            .unwrap();
        noted
            .set_modified(SystemTime::now() - NOTE_KEPT * 2)
            .unwrap();
        let mut user = std::process::Command::new("sleep")
            .arg("60")
            .env("CLAUDE_CONFIG_DIR", &resumed)
            .spawn()
            .unwrap();
        // `spawn` returns before the kernel has set the new environment.
        let environment = format!("/proc/{}/environ", user.id());
        while fs::read(&environment).unwrap().is_empty() {
            std::thread::yield_now();
        }
        sweep(within.path());
        let is_kept = resumed.exists();
        user.kill().unwrap();
        user.wait().unwrap();
        assert!(is_kept);
        sweep(within.path());
        assert!(!folder.exists());
    }

    #[test]
    fn the_folder_goes_with_the_last_thing_in_it() {
        let made = place(|folder| {
            let file = folder.join(format!("{}.json", uuid::Uuid::new_v4()));
            fs::write(&file, "{}")?;
            Ok(file)
        })
        .unwrap();
        use std::os::unix::fs::PermissionsExt as _;
        let folder = made.parent().unwrap();
        let mode = fs::metadata(folder).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let_go(&made);
        assert!(note(&made).exists());
        fs::remove_file(&made).unwrap();
        tidy(&made);
        assert!(!note(&made).exists());
    }
}
