//! Runs the program as a user does, in a world of its own.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

/// A config folder with recorded sessions, and the program pointed at it.
pub(crate) struct World {
    dir: tempfile::TempDir,
}

impl World {
    /// With the sessions of some recordings, the last one the newest.
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

    /// With the session that is made to be looked at.
    pub(crate) fn demo() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/sessions/demo");
        copy(&testdata, dir.path(), Duration::ZERO);
        Self { dir }
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.dir.path().to_path_buf()
    }

    /// Runs the program with nothing of the environment it is tested in.
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
