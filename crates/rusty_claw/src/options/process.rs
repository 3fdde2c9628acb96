//! The process: which program, where, with what beside our own flags.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Options;
use super::argv::{Argv, same_flag};
use super::check::{bad, named_path};
use crate::error::StartError;

/// The process: which program, where, with what beside our own flags.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    pub(crate) cli_path: Option<PathBuf>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) search_node_modules: bool,
    pub(crate) die_with_parent: bool,
    pub(crate) sweep_orphans: bool,
    pub(crate) stderr: Option<StderrCallback>,
    extra_flags: Vec<(String, Option<OsString>)>,
    debug: bool,
    debug_file: Option<PathBuf>,
}

impl Default for Process {
    fn default() -> Self {
        Self {
            cli_path: None,
            cwd: None,
            search_node_modules: false,
            die_with_parent: true,
            sweep_orphans: true,
            stderr: None,
            extra_flags: Vec::new(),
            debug: false,
            debug_file: None,
        }
    }
}

/// Who hears what the CLI prints on standard error.
#[derive(Clone)]
pub(crate) struct StderrCallback(Arc<dyn Fn(&str) + Send + Sync>);

impl StderrCallback {
    pub(super) fn call(&self, line: &str) {
        (self.0)(line);
    }
}

impl fmt::Debug for StderrCallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StderrCallback")
    }
}

/// Flags that make up the way we talk; with another value there is no session.
const OURS: [&str; 6] = [
    "--output-format",
    "--input-format",
    "--verbose",
    "--print",
    "--help",
    "--version",
];

impl Options {
    /// The CLI's program. Unless set, it is looked for in the usual places, `CLAUDE_CLI_PATH`
    /// first.
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

    /// The folder the CLI works in. This process's own unless set. The CLI files its sessions
    /// under it and reads the project's settings and instructions from it.
    pub fn cwd(mut self, folder: impl Into<PathBuf>) -> Self {
        self.process.cwd = Some(folder.into());
        self
    }

    /// The folder that the CLI works in, when one was set.
    #[must_use]
    pub fn working_folder(&self) -> Option<&Path> {
        self.process.cwd.as_deref()
    }

    /// Whether the CLI receives SIGTERM, and ends its own processes, when the process that started
    /// it dies for any reason. On by default; Linux only. Without it, the CLI of a killed host ends
    /// once it has finished its current work and reads the end of its input.
    ///
    /// Switch it off for a CLI that is to outlive the process that starts it
    /// ([`Custody::release`](crate::transport::Custody::release) fails otherwise). A CLI that another process holds
    /// ([`Session::attach`](crate::Session::attach)) is that process's child, and survives this one
    /// either way.
    pub fn die_with_parent(mut self, die: bool) -> Self {
        self.process.die_with_parent = die;
        self
    }

    /// Whether the start looks for processes that an earlier, killed host left behind and ends
    /// them. On unless switched off. Only processes that carry this library's mark and whose host
    /// is gone are touched.
    pub fn sweep_orphans(mut self, sweep: bool) -> Self {
        self.process.sweep_orphans = sweep;
        self
    }

    /// Calls `heard` with each line that the CLI prints on standard error, without its line
    /// break. The last of them are kept for error messages either way.
    ///
    /// The callback runs where standard error is read, so it must be quick. A transport of your
    /// own reads standard error itself; see
    /// [`ChildProcess::stderr`](crate::transport::ChildProcess::stderr).
    pub fn stderr(mut self, heard: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.process.stderr = Some(StderrCallback(Arc::new(heard)));
        self
    }

    /// A flag of the CLI that has no method here, with its dashes. Added behind our own flags as
    /// `--name` or `--name=value`.
    ///
    /// A flag that the CLI does not know is refused before the start, and so is one that another
    /// option has set already.
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

    /// Whether the CLI tells on standard error what it does. Off unless set. Read it with
    /// [`Options::stderr`].
    pub fn debug(mut self, debug: bool) -> Self {
        self.process.debug = debug;
        self
    }

    /// A file into which the CLI writes what it does. Switches debugging on by itself, and
    /// standard error stays quiet.
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

    /// Flags without a method. Last, so that what others have set is known.
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
