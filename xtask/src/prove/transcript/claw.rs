//! Our program, as a user runs it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::runner::Task;
use super::source::Source;
use super::totals::{Totals, count};
use crate::cli_package::workspace_root;

/// How it is called in tables.
pub(super) const NAME: &str = "claw";

/// The program, built.
pub(super) struct Claw {
    program: PathBuf,
}

impl Claw {
    /// Builds it in release.
    pub(super) fn build() -> Result<Self> {
        let root = workspace_root();
        let target = std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| root.join("target"), |folder| root.join(folder));
        let output = Command::new("cargo")
            .args(["build", "--release", "--locked", "--quiet", "-p", "claw"])
            .arg("--target-dir")
            .arg(&target)
            .current_dir(&root)
            .stdin(Stdio::null())
            .output()
            .context("cargo did not start")?;
        ensure!(
            output.status.success(),
            "claw does not build: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
        Ok(Self {
            program: target.join("release/claw"),
        })
    }

    /// `claw sessions` with a command, over everything in a folder.
    fn sessions(&self, command: &str, source: &Source) -> Task {
        Task::new(NAME, &self.program, source)
            .args(["sessions", command, "--config-dir"])
            .args([source.config()])
    }

    pub(super) fn usage(&self, source: &Source) -> Task {
        self.sessions("usage", source).args(["--json"])
    }

    /// Findings make it exit with 1.
    pub(super) fn check(&self, source: &Source) -> Task {
        self.sessions("check", source)
            .args(["--json"])
            .may_exit_with(&[1])
    }

    /// Finding nothing makes it exit with 1, as grep does.
    pub(super) fn search(&self, source: &Source, pattern: &str) -> Task {
        self.sessions("search", source)
            .args([pattern])
            .may_exit_with(&[1])
    }

    pub(super) fn list(&self, source: &Source) -> Task {
        self.sessions("list", source)
            .args(["--json", "--limit", "0"])
    }

    pub(super) fn html(&self, source: &Source, output: &Path) -> Task {
        self.sessions("export", source)
            .args(["--html"])
            .args([output])
            .onto(output)
    }
}

/// What `claw sessions usage --json` printed.
pub(super) fn totals(printed: &[u8]) -> Result<Totals> {
    let value: Value = serde_json::from_slice(printed).context("it did not print JSON")?;
    let sum = value.get("totals").context("it printed no totals")?;
    Ok(Totals {
        input: count(sum, "input")?,
        output: count(sum, "output")?,
        cache_write: count(sum, "cacheWrite")?,
        cache_read: count(sum, "cacheRead")?,
        cost: sum.get("cost").and_then(Value::as_f64),
    })
}

/// How many sessions `claw sessions list --json` printed.
pub(super) fn sessions_listed(printed: &[u8]) -> Result<usize> {
    let rows: Vec<Value> =
        serde_json::from_slice(printed).context("it did not print rows of JSON")?;
    Ok(rows.len())
}
