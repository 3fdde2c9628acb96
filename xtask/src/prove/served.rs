//! Runs `claw serve` with a stand-in for the CLI.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result};
use serde_json::Value;
use tempfile::TempDir;

use super::build;

/// A gateway in a home folder of its own. It is killed when this is dropped.
pub(crate) struct Gateway {
    claw: PathBuf,
    home: TempDir,
    child: Child,
    pub(crate) url: String,
}

impl Gateway {
    pub(crate) fn start(args: &[&str]) -> Result<Self> {
        let what = ["claw", "fake-claude"].map(|name| ["--bin", name]);
        let packages = ["--package", "claw", "--package", "claw-testkit"];
        let programs = build::release(&[&packages[..], &what.concat()[..]].concat())?;
        let (claw, home) = (programs.join("claw"), tempfile::tempdir()?);
        let mut command = clean(&claw, home.path());
        command
            .args(["serve", "--json", "--listen", "127.0.0.1:0"])
            .args(["--log", "error", "--claude"])
            .arg(programs.join("fake-claude"))
            .args(args)
            .current_dir(home.path());
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        let stdout = child.stdout.take().context("claw serve has no output")?;
        BufReader::new(stdout).read_line(&mut line)?;
        let started: Value = serde_json::from_str(&line).context("claw serve did not start")?;
        let url = started["url"].as_str().context("no URL")?.to_owned();
        Ok(Self {
            claw,
            home,
            child,
            url,
        })
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// Adds a device, and returns its token.
    pub(crate) fn token(&self, scope: &str) -> Result<String> {
        let added = clean(&self.claw, self.home())
            .args(["devices", "add", scope, "--scope", scope, "--json"])
            .output()?;
        let added: Value = serde_json::from_slice(&added.stdout).context("claw devices add")?;
        let token = added["token"].as_str().context("claw devices add")?;
        Ok(token.to_owned())
    }

    pub(crate) fn is_running(&mut self) -> Result<bool> {
        Ok(self.child.try_wait()?.is_none())
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns a command without the environment of this program.
pub(crate) fn clean(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.env_clear().env("HOME", home).env("PATH", path);
    command.stdin(Stdio::null());
    command
}
