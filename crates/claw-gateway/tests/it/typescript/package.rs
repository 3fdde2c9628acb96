//! The package, compiled outside of the sources.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiled package, in a folder that is removed at the end.
pub(super) struct Package {
    folder: tempfile::TempDir,
}

pub(super) fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clients/typescript")
}

impl Package {
    /// Installs the compiler and runs it.
    pub(super) fn build() -> Self {
        let sources = sources();
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        for file in [
            "package.json",
            "package-lock.json",
            "tsconfig.json",
            "tsconfig.build.json",
            ".npmrc",
        ] {
            std::fs::copy(sources.join(file), folder.path().join(file)).unwrap();
        }
        for part in ["src", "test"] {
            copy(&sources.join(part), &folder.path().join(part));
        }
        run(
            folder.path(),
            "npm",
            &["ci", "--prefer-offline", "--loglevel=error"],
        );
        let compiler = "node_modules/typescript/bin/tsc";
        run(folder.path(), "node", &[compiler]);
        run(
            folder.path(),
            "node",
            &[compiler, "-p", "tsconfig.build.json"],
        );
        Self { folder }
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn run(folder: &Path, program: &str, arguments: &[&str]) {
    let mut command = Command::new(program);
    let ended = command.args(arguments).current_dir(folder).output();
    let ended = ended.unwrap_or_else(|error| {
        panic!("{program} did not start: install Node.js 20 or newer: {error}")
    });
    let out = String::from_utf8_lossy(&ended.stdout);
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{program}: {out}\n{errors}");
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, name) = entry
            .map(|entry| (entry.path(), entry.file_name()))
            .unwrap();
        match path.is_dir() {
            true => copy(&path, &to.join(name)),
            false => drop(std::fs::copy(&path, to.join(name)).unwrap()),
        }
    }
}
