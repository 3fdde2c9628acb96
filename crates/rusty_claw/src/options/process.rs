//! The process: its program, working folder and additional flags.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::argv::{Argv, same_flag};
use super::check::{bad, named_path};
use super::fields::{Options, Process};
use crate::cli::Program;
use crate::error::StartError;
use crate::transport::Launch;

/// Flags that the protocol depends on. They cannot be changed.
const OURS: [&str; 6] = [
    "--output-format",
    "--input-format",
    "--verbose",
    "--print",
    "--help",
    "--version",
];

impl Options {
    /// The CLI's program. By default it is searched in the usual places, `CLAUDE_CLI_PATH` first.
    pub fn cli_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.process.cli_path = Some(path.into());
        self
    }

    /// Whether the CLI is also searched in `node_modules` of the current folder and its parents,
    /// after all other places. Off by default: an untrusted project could supply the program.
    pub fn search_node_modules(mut self, search: bool) -> Self {
        self.process.search_node_modules = search;
        self
    }

    /// The CLI's working folder. This process's own by default. The CLI files its sessions under it
    /// and reads the project's settings and instructions from it.
    pub fn cwd(mut self, folder: impl Into<PathBuf>) -> Self {
        self.process.cwd = Some(folder.into());
        self
    }

    /// The CLI's working folder, if it was set.
    #[must_use]
    pub fn working_folder(&self) -> Option<&Path> {
        self.process.cwd.as_deref()
    }

    /// Whether the CLI receives SIGTERM, and ends its own processes, when the process that started
    /// it dies for any reason. On by default; Linux only. Without it, the CLI of a killed host ends
    /// once it has finished its current work and reads the end of its input.
    ///
    /// Switch it off for a CLI that is to outlive the process that starts it
    /// ([`Custody::release`](crate::transport::Custody::release) fails otherwise). A CLI held by
    /// another process ([`Session::attach`](crate::Session::attach)) is that process's child, and
    /// survives this one either way.
    pub fn die_with_parent(mut self, die: bool) -> Self {
        self.process.die_with_parent = die;
        self
    }

    /// Whether the start finds and ends processes that an earlier, killed host left behind. On by
    /// default. Only processes that carry this library's mark and whose host is gone are ended.
    pub fn sweep_orphans(mut self, sweep: bool) -> Self {
        self.process.sweep_orphans = sweep;
        self
    }

    /// Calls `on_line` with each line of the CLI's standard error, without its line break. The last
    /// lines are kept for error messages either way.
    ///
    /// The callback runs in the task that reads standard error, so it must be quick. A custom
    /// transport reads standard error itself; see
    /// [`ChildProcess::stderr`](crate::transport::ChildProcess::stderr).
    pub fn stderr(mut self, on_line: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.process.stderr = Some(Arc::new(on_line));
        self
    }

    /// Starts the CLI behind another program, such as one that isolates it: see
    /// [`ChildProcess::launcher`](crate::transport::ChildProcess::launcher).
    pub fn launcher(
        mut self,
        prefix: impl Fn(&Program, &Launch) -> Vec<OsString> + Send + Sync + 'static,
    ) -> Self {
        self.process.launcher = Some(Arc::new(prefix));
        self
    }

    /// A flag of the CLI that has no method here, with its dashes. Added after all other flags as
    /// `--name` or `--name=value`.
    ///
    /// The start fails if the CLI does not know the flag, or if another option has already set it.
    ///
    /// ```
    /// use rusty_claw::Options;
    ///
    /// let options = Options::new()
    ///     .extra_flag("--bare", None::<&str>)
    ///     .extra_flag("--autocompact", Some("200k"));
    /// # let _ = options;
    /// ```
    pub fn extra_flag(
        mut self,
        name: impl Into<String>,
        value: Option<impl Into<OsString>>,
    ) -> Self {
        self.process
            .extra_flags
            .push((name.into(), value.map(Into::into)));
        self
    }

    /// Whether the CLI writes a debug log to standard error. Off by default. Read it with
    /// [`Options::stderr`].
    pub fn debug(mut self, debug: bool) -> Self {
        self.process.debug = debug;
        self
    }

    /// A file for the CLI's debug log. Enables debugging; standard error stays quiet.
    pub fn debug_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.process.debug_file = Some(path.into());
        self
    }
}

impl Process {
    pub(super) fn check(&self) -> Result<(), StartError> {
        let paths = [
            ("cli_path", &self.cli_path),
            ("cwd", &self.cwd),
            ("debug_file", &self.debug_file),
        ];
        for (option, path) in paths {
            if let Some(path) = path {
                named_path(option, path)?;
            }
        }
        Ok(())
    }

    pub(super) fn argv(&self, argv: &mut Argv) {
        match &self.debug_file {
            Some(path) => argv.os_value("--debug-file", path),
            None => argv.flag_if("--debug", self.debug),
        }
    }

    /// Adds flags without a method. Called last, so that flags set by other options are known.
    pub(super) fn extra_argv(&self, argv: &mut Argv) -> Result<(), StartError> {
        for (name, value) in &self.extra_flags {
            let refuse = |why: String| Err(bad("extra_flag", why));
            if !name.starts_with('-') || name.trim_matches('-').is_empty() {
                return refuse(format!("{name:?} is no flag; write it with its dashes"));
            }
            if name.contains(['=', ' ']) {
                return refuse(format!(
                    "{name:?} holds more than the flag's name; pass the value on its own"
                ));
            }
            let means = |ours: &&str| same_flag(ours.as_bytes(), name.as_bytes());
            if OURS.iter().any(means) {
                return refuse(format!(
                    "{name} is part of how this library talks to the CLI and cannot be changed"
                ));
            }
            if argv.has(name) {
                return refuse(format!("{name} is set already; leave one of the two out"));
            }
            match value {
                Some(value) => argv.os_value(name, value),
                None => argv.flag(name),
            }
        }
        Ok(())
    }
}
