//! Runs `claw` with a temporary config folder.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

/// The session of [`World::demo`].
pub(crate) const DEMO: &str = "3f1d8c52-9a4e-4b7c-8e21-5d0c6a7b9e10";

/// A config folder with sessions, in which `claw` runs.
pub(crate) struct World {
    dir: tempfile::TempDir,
}

impl World {
    /// Copies the sessions of some recordings. The last one is the newest.
    pub(crate) fn with(recordings: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cli/2.1.325");
        for (age, recording) in recordings.iter().rev().enumerate() {
            copy(
                &testdata.join(recording).join("sessions"),
                &dir.path().join("projects"),
                Duration::from_secs(age as u64),
            );
        }
        Self { dir }
    }

    /// Copies the demo session.
    pub(crate) fn demo() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/sessions/demo");
        copy(&testdata, dir.path(), Duration::ZERO);
        Self { dir }
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.dir.path().to_path_buf()
    }

    /// Runs `claw` without the environment of the test.
    pub(crate) fn claw(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_claw"))
            .args(args)
            .env_clear()
            .env("CLAUDE_CONFIG_DIR", self.dir.path())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// What a run that succeeds prints, with this world's folder named `DIR`.
    pub(crate) fn prints(&self, args: &[&str]) -> String {
        let output = self.claw(args);
        assert!(
            output.status.success(),
            "{args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let out = String::from_utf8(output.stdout).unwrap();
        out.replace(&self.dir.path().display().to_string(), "DIR")
    }
}

/// Copies all files, as if they had been written some time ago: lists are by time.
fn copy(from: &Path, to: &Path, age: Duration) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to, age);
        } else {
            std::fs::copy(entry.path(), &to).unwrap();
            let file = File::options().write(true).open(&to).unwrap();
            file.set_modified(SystemTime::now() - age).unwrap();
        }
    }
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// All files of a folder with their contents.
pub(crate) fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(contents(&path));
        } else {
            all.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
    all.sort();
    all
}
