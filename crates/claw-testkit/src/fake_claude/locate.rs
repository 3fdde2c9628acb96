//! Finding the program from the tests of other crates.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The program could not be built.
#[derive(Debug, Clone, thiserror::Error)]
#[error(
    "cannot build fake-claude: {reason}; try `{command}`, or name a built one in CLAW_FAKE_CLAUDE"
)]
pub struct FakeClaudeMissing {
    /// What went wrong.
    pub reason: String,
    /// What was run.
    pub command: String,
}

/// The path of the `fake-claude` program, built when needed.
///
/// Cargo sets a program's path only for the tests of its own crate. Elsewhere this builds it, once
/// in each process, beside the running test: same target folder, same profile. Cargo releases
/// its lock before tests run, so this works under `cargo test` and under nextest.
///
/// The environment variable `CLAW_FAKE_CLAUDE` names one that is built already.
pub fn fake_claude_path() -> Result<PathBuf, FakeClaudeMissing> {
    static BUILT: OnceLock<Result<PathBuf, FakeClaudeMissing>> = OnceLock::new();
    BUILT.get_or_init(find_or_build).clone()
}

fn find_or_build() -> Result<PathBuf, FakeClaudeMissing> {
    if let Some(path) = std::env::var_os("CLAW_FAKE_CLAUDE") {
        let path = PathBuf::from(path);
        return if path.is_file() {
            Ok(path)
        } else {
            Err(FakeClaudeMissing {
                reason: format!(
                    "CLAW_FAKE_CLAUDE names {}, which is no file",
                    path.display()
                ),
                command: "cargo build -p claw-testkit --bin fake-claude".to_owned(),
            })
        };
    }
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(["build", "-p", "claw-testkit", "--bin", "fake-claude"])
        .arg("--manifest-path")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
    let failed = |cargo: &Command, reason: String| FakeClaudeMissing {
        reason,
        command: format!("{cargo:?}"),
    };
    let running = std::env::current_exe()
        .map_err(|error| failed(&cargo, format!("this program has no path: {error}")))?;
    let Some(place) = BuildPlace::of(&running) else {
        let reason = format!("{} is not in a Cargo target folder", running.display());
        return Err(failed(&cargo, reason));
    };
    cargo.arg("--target-dir").arg(&place.target_dir);
    cargo.args(["--profile", place.profile_name()]);
    if let Some(triple) = &place.triple {
        cargo.args(["--target", triple]);
    }
    let output = cargo
        .output()
        .map_err(|error| failed(&cargo, format!("cargo did not start: {error}")))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let reason = format!("cargo ended with {}:\n{stderr}", output.status);
        return Err(failed(&cargo, reason));
    }
    let path = place
        .profile_dir
        .join(format!("fake-claude{}", std::env::consts::EXE_SUFFIX));
    if path.is_file() {
        Ok(path)
    } else {
        let reason = format!("cargo built it, but not at {}", path.display());
        Err(failed(&cargo, reason))
    }
}

/// Where a running test was built: `<target>[/<triple>]/<profile>/deps/<test>`, or one folder up
/// for a program.
#[derive(Debug, PartialEq, Eq)]
struct BuildPlace {
    target_dir: PathBuf,
    triple: Option<String>,
    profile_dir: PathBuf,
}

impl BuildPlace {
    fn of(program: &Path) -> Option<Self> {
        let mut folder = program.parent()?;
        if matches!(folder.file_name()?.to_str()?, "deps" | "examples") {
            folder = folder.parent()?;
        }
        let above = folder.parent()?;
        let name = above.file_name().and_then(|name| name.to_str());
        // A target triple such as x86_64-unknown-linux-gnu, inside a folder that Cargo marked.
        let triple = name
            .filter(|name| name.split('-').count() >= 3)
            .filter(|_| {
                above
                    .parent()
                    .is_some_and(|up| up.join(".rustc_info.json").is_file())
            })
            .map(str::to_owned);
        let target_dir = match triple {
            Some(_) => above.parent()?,
            None => above,
        };
        Some(Self {
            target_dir: target_dir.to_owned(),
            triple,
            profile_dir: folder.to_owned(),
        })
    }

    /// The profile that fills this folder. Only `debug` is named differently: the profiles `dev`
    /// and `test` share it.
    fn profile_name(&self) -> &str {
        match self.profile_dir.file_name().and_then(|name| name.to_str()) {
            Some("debug") | None => "dev",
            Some(name) => name,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::BuildPlace;

    #[test]
    fn the_profile_is_read_off_the_path() {
        for (program, target_dir, profile) in [
            ("/t/debug/deps/it-1", "/t", "dev"),
            ("/t/release/deps/it-1", "/t", "release"),
            ("/t/bench/deps/it-1", "/t", "bench"),
            ("/t/debug/xtask", "/t", "dev"),
            ("/a-b-c-d/debug/examples/x", "/a-b-c-d", "dev"),
        ] {
            let place = BuildPlace::of(Path::new(program)).expect(program);
            assert_eq!(place.target_dir, Path::new(target_dir), "{program}");
            assert_eq!(place.profile_name(), profile, "{program}");
            assert_eq!(place.triple, None, "{program}");
        }
    }

    #[test]
    fn a_folder_for_another_target_keeps_its_triple() {
        let target = tempfile::tempdir().expect("a folder");
        std::fs::write(target.path().join(".rustc_info.json"), "{}").expect("a file");
        let program = target
            .path()
            .join("x86_64-unknown-linux-gnu/release/deps/it-1");
        let place = BuildPlace::of(&program).expect("a place");
        assert_eq!(place.target_dir, target.path());
        assert_eq!(place.triple.as_deref(), Some("x86_64-unknown-linux-gnu"));
        assert_eq!(place.profile_name(), "release");
    }
}
