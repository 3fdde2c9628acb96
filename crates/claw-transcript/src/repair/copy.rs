//! New files of a repaired session.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::error::RepairError;
use crate::edit::create_private_dir;
use crate::error::TranscriptError;
use crate::library::is_absent;

/// The path for the file of a subagent that an old release wrote beside its session: among the
/// others, or in a folder if the name is taken. The file keeps its name, which is that of the
/// subagent.
pub(super) fn free_place(subagents: &Path, name: &OsStr) -> PathBuf {
    let folders = (1..).map(|number: u32| subagents.join(format!("beside-{number}")));
    let folders = std::iter::once(subagents.to_path_buf()).chain(folders);
    first_free(folders.map(|folder| folder.join(name)))
}

/// The path for the removed lines of a subagent's file. Two subagents can have one name.
pub(super) fn free_name(kept: &Path, stem: &OsStr) -> PathBuf {
    let stem = stem.to_string_lossy();
    let more = (2..).map(|number: u32| format!("removed-{stem}-{number}.txt"));
    let names = std::iter::once(format!("removed-{stem}.txt")).chain(more);
    first_free(names.map(|name| kept.join(name)))
}

fn first_free(mut paths: impl Iterator<Item = PathBuf>) -> PathBuf {
    let free = paths.find(|path| path.symlink_metadata().is_err());
    free.unwrap_or_default()
}

/// Copies the metadata file of a subagent, if there is one.
pub(super) fn copy_sidecar(from: &Path, to: &Path) -> Result<(), RepairError> {
    let [from, to] = [from, to].map(|path| path.with_extension("meta.json"));
    match File::open(&from) {
        Ok(mut read) => new_file(&to, |file| io::copy(&mut read, file).map(drop)),
        Err(error) if is_absent(&error) => Ok(()),
        Err(error) => Err(TranscriptError::io("open", &from)(error).into()),
    }
}

/// Writes a new file completely or not at all, and syncs it to the disk.
pub(super) fn new_file(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), RepairError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let made = tempfile::Builder::new()
        .prefix(".claw-")
        .tempfile_in(folder)
        .and_then(|mut file| {
            write(file.as_file_mut())?;
            file.as_file().sync_all()?;
            Ok(file)
        });
    let made = made.map_err(TranscriptError::io("write", path))?;
    if let Err(error) = made.persist_noclobber(path) {
        if error.error.kind() == io::ErrorKind::AlreadyExists {
            let path = path.to_path_buf();
            return Err(RepairError::Exists { path });
        }
        return Err(TranscriptError::io("write", path)(error.error).into());
    }
    // Not every system can sync a folder.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// Copies the folder beside a session, without links.
pub(super) fn copy_folder(
    from: &Path,
    to: &Path,
    left_out: &dyn Fn(&Path) -> bool,
) -> Result<(), RepairError> {
    let entries = match std::fs::read_dir(from) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(()),
        Err(error) => return Err(TranscriptError::io("list", from)(error).into()),
    };
    private_folder(to)?;
    for entry in entries {
        let entry = entry.map_err(TranscriptError::io("list", from))?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type();
        let kind = kind.map_err(TranscriptError::io("read", &source))?;
        if left_out(&source) {
            continue;
        }
        if kind.is_dir() {
            copy_folder(&source, &target, left_out)?;
        } else if kind.is_file() {
            let mut read = File::open(&source).map_err(TranscriptError::io("open", &source))?;
            new_file(&target, |file| io::copy(&mut read, file).map(drop))?;
        }
    }
    Ok(())
}

pub(super) fn private_folder(path: &Path) -> Result<(), RepairError> {
    create_private_dir(path).map_err(TranscriptError::io("create", path))?;
    Ok(())
}
