//! The files of a session, and the folder of its copy.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::RedactError;
use crate::files::{FileRole, SessionFile, children, is_agent_of};

/// A file of a session.
pub(super) struct FileToCopy {
    pub(super) path: PathBuf,
    /// The path of its copy in the new folder, before redaction.
    pub(super) relative: PathBuf,
}

/// The files of a session, its own first.
pub(super) fn session_files(original: &SessionFile) -> Result<Vec<FileToCopy>, RedactError> {
    let own = |path: PathBuf| FileToCopy {
        relative: PathBuf::from(path.file_name().unwrap_or_default()),
        path,
    };
    let sidecar = original.sidecar().filter(|sidecar| sidecar.is_file());
    let mut all: Vec<FileToCopy> = sidecar.map(own).into_iter().collect();
    // Older CLIs wrote subagents into the folder of the session.
    if let (FileRole::Main, Some(id)) = (&original.role, &original.session_id) {
        let folder = original.folder();
        let mut paths = children(folder).map_err(RedactError::io("list", folder))?;
        paths.retain(|path| !path.is_symlink());
        for path in paths {
            // A file that cannot be read may belong to the session.
            let is_agent = is_agent_of(&path, id).map_err(RedactError::io("read", &path))?;
            all.extend(is_agent.then(|| own(path)));
        }
    }
    let mut folders: Vec<FileToCopy> = original.companions().map(own).into_iter().collect();
    while let Some(folder) = folders.pop() {
        let paths = children(&folder.path).map_err(RedactError::io("list", &folder.path))?;
        for path in paths {
            let relative = folder.relative.join(path.file_name().unwrap_or_default());
            let found = FileToCopy { path, relative };
            // Links lead out of the session.
            match found.path.symlink_metadata() {
                Ok(meta) if meta.is_dir() => folders.push(found),
                Ok(meta) if meta.is_file() => all.push(found),
                _ => {}
            }
        }
    }
    // Pseudonyms are numbered in the order of files, which must not depend on the disk.
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all.insert(0, own(original.path.clone()));
    Ok(all)
}

/// Rejects a folder among the files of the session, before anything is created in it.
pub(super) fn reject_target(into: &Path, original: &SessionFile) -> Result<(), RedactError> {
    let real =
        |path: &Path| crate::real_place::real_place(path).map_err(RedactError::io("find", path));
    let target = real(into)?;
    let beside = original
        .companions()
        .map(|folder| real(&folder))
        .transpose()?;
    let inside = beside.is_some_and(|beside| target.starts_with(beside));
    match inside || target == real(original.folder())? {
        true => Err(RedactError::AmongOriginals {
            path: into.to_path_buf(),
        }),
        false => Ok(()),
    }
}

/// Creates a file and its folder, readable only by the owner, as in the CLI.
pub(super) fn create(path: &Path) -> Result<File, RedactError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(RedactError::io("create", folder))?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => RedactError::Exists {
            path: path.to_path_buf(),
        },
        _ => RedactError::io("write", path)(error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_file_name_is_in_the_current_folder() {
        let scratch = tempfile::tempdir().expect("a folder");
        let path = scratch.path().join("s.jsonl");
        std::fs::write(&path, "").expect("a file");
        let mut original = SessionFile::at(&path).expect("a file");
        assert_eq!(original.folder(), scratch.path());
        original.path = "s.jsonl".into();
        assert_eq!(original.folder(), Path::new("."));
    }
}
