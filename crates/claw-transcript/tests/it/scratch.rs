//! Config folders made for a test, from recordings.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use claw_transcript::{SessionFile, SessionLibrary};

/// A config folder that goes away with the test.
pub(crate) struct Scratch {
    dir: tempfile::TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    /// A copy of recorded sessions, every file as old as the official SDK saw it.
    pub(crate) fn of(sessions: &Path) -> Self {
        let scratch = Self::new();
        scratch.add(sessions);
        scratch
    }

    /// Copies more of them.
    pub(crate) fn add(&self, sessions: &Path) {
        copy(sessions, &self.projects());
    }

    pub(crate) fn library(&self) -> SessionLibrary {
        SessionLibrary::open(self.dir.path())
    }

    pub(crate) fn projects(&self) -> PathBuf {
        self.dir.path().join("projects")
    }

    /// Writes a session file into a project folder.
    pub(crate) fn session(&self, project: &str, id: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let folder = self.projects().join(project);
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("{id}.jsonl"));
        std::fs::write(&path, content).unwrap();
        path
    }
}

/// When all files of the parity fixtures were last written.
pub(crate) fn modified() -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(1_767_323_045_678)
}

pub(crate) fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata")
}

/// The session files below a folder, by path.
pub(crate) fn session_files_under(folder: &Path) -> Vec<SessionFile> {
    let mut files = Vec::new();
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files.extend(session_files_under(&path));
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            files.push(SessionFile::at(path).unwrap());
        }
    }
    files
}

pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), &to).unwrap();
            let file = std::fs::File::options().append(true).open(&to).unwrap();
            file.set_modified(modified()).unwrap();
        }
    }
}
