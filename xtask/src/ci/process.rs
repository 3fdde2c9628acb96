//! Starting other programs from the workspace root.

use std::ffi::OsStr;
use std::io::{Seek as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::de::DeserializeOwned;

use crate::place::workspace_root;

/// A command line that is printed before it runs, so that a failed job can be repeated by hand.
#[derive(Debug)]
pub(crate) struct Cmd {
    inner: Command,
    shown: String,
}

impl Cmd {
    pub(crate) fn new(program: impl AsRef<OsStr>) -> Self {
        let mut inner = command(program.as_ref());
        // No job may wait for a person.
        inner.current_dir(workspace_root()).stdin(Stdio::null());
        // Every run checks the same cases, so that a job fails only because of a change.
        inner.env("PROPTEST_RNG_SEED", "1");
        Self {
            inner,
            shown: program.as_ref().to_string_lossy().into_owned(),
        }
    }

    pub(crate) fn cargo() -> Self {
        // The name and not the path in `CARGO`: only rustup's proxy understands `+toolchain`.
        Self::new("cargo")
    }

    pub(crate) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        for arg in args {
            self.shown.push(' ');
            self.shown.push_str(&arg.as_ref().to_string_lossy());
            self.inner.arg(arg);
        }
        self
    }

    pub(crate) fn arg(self, arg: impl AsRef<OsStr>) -> Self {
        self.args([arg])
    }

    /// Sets variables that are not printed.
    pub(crate) fn envs<K: AsRef<OsStr>, V: AsRef<OsStr>>(
        mut self,
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        self.inner.envs(variables);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.shown = format!("{name}='{value}' {}", self.shown);
        self.inner.env(name, value);
        self
    }

    /// Reads the output of `cargo metadata` with these arguments.
    pub(crate) fn cargo_metadata<T: DeserializeOwned>(args: &[&str]) -> Result<T> {
        let metadata = Self::cargo().args(["metadata", "--format-version=1"]);
        serde_json::from_slice(&metadata.args(args).output()?)
            .context("cannot read the output of cargo metadata")
    }

    /// Runs it with our output.
    pub(crate) fn run(mut self) -> Result<()> {
        println!("$ {}", self.shown);
        let status = self
            .inner
            .status()
            .with_context(|| format!("`{}` did not start: is it installed?", self.shown))?;
        if !status.success() {
            bail!("`{}` ended with {status}", self.shown);
        }
        Ok(())
    }

    /// Like [`Cmd::run`], with a timeout, at which the program and its children are killed.
    pub(crate) fn run_within(mut self, time: Duration) -> Result<()> {
        println!("$ {}", self.shown);
        let mut child = self
            .inner
            .process_group(0)
            .spawn()
            .with_context(|| format!("`{}` did not start: is it installed?", self.shown))?;
        let end = Instant::now() + time;
        loop {
            match child.try_wait()? {
                Some(status) if status.success() => return Ok(()),
                Some(status) => bail!("`{}` ended with {status}", self.shown),
                None if Instant::now() >= end => {
                    kill_group(child)?;
                    bail!("`{}` took longer than {} s", self.shown, time.as_secs());
                }
                None => std::thread::sleep(Duration::from_millis(50)),
            }
        }
    }

    /// Runs it and returns its output, also if it fails.
    pub(crate) fn whole_output(mut self) -> Result<Output> {
        println!("$ {}", self.shown);
        self.inner
            .output()
            .with_context(|| format!("`{}` did not start: is it installed?", self.shown))
    }

    /// Runs it and returns its output.
    pub(crate) fn output(mut self) -> Result<Vec<u8>> {
        let output = self
            .inner
            .output()
            .with_context(|| format!("`{}` did not start: is it installed?", self.shown))?;
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            bail!(
                "`{}` ended with {}: {}",
                self.shown,
                output.status,
                stderr.trim()
            );
        }
        Ok(output.stdout)
    }

    /// Runs it with this text as its input, and returns its output as text.
    pub(crate) fn input(mut self, text: impl AsRef<[u8]>) -> Result<String> {
        let mut file = tempfile::tempfile()?;
        file.write_all(text.as_ref())?;
        file.rewind()?;
        self.inner.stdin(file);
        self.text()
    }

    /// Like [`Cmd::output`], as text.
    pub(crate) fn text(self) -> Result<String> {
        let shown = self.shown.clone();
        String::from_utf8(self.output()?)
            .with_context(|| format!("`{shown}` printed something that is not UTF-8"))
    }
}

/// A command with the environment of the shell that started us. Cargo adds variables for a program
/// that it runs; build scripts that watch them, such as that of `ring`, would run again, and
/// everything that depends on them would be compiled again.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(name);
        }
    }
    command
}

/// Kills a process group, and waits for its leader to end.
pub(crate) fn kill_group(mut leader: Child) -> Result<()> {
    let group = format!("-{}", leader.id());
    Command::new("kill")
        .args(["-KILL", "--", &group])
        .status()?;
    leader.wait()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_takes_too_long_is_ended() {
        let start = Instant::now();
        let error = Cmd::new("sleep")
            .args(["60"])
            .run_within(Duration::from_millis(100))
            .unwrap_err();
        assert!(error.to_string().contains("took longer"), "{error}");
        assert!(start.elapsed() < Duration::from_secs(30));
        Cmd::new("true")
            .run_within(Duration::from_secs(60))
            .unwrap();
        assert!(
            Cmd::new("false")
                .run_within(Duration::from_secs(60))
                .is_err()
        );
    }
}
