//! The CLI as a child process: the usual transport.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

use super::connection::{Connection, Transport};
use super::launch::Launch;
use super::launcher::Launcher;
use super::process::{What, spawn, without_pipes};
use super::stderr::LineCallback;
use crate::cache_folder::cache_folder;
use crate::cli::find::{Program, find};
use crate::cli::{check, length};
use crate::error::StartError;
use crate::future::BoxFuture;

/// Starts the CLI as a child process.
///
/// Standard input and output are the connection. Standard error is always read: its end is kept for
/// errors ([`Custody::stderr_tail`](super::Custody::stderr_tail)), and each line is passed to [`ChildProcess::stderr`].
///
/// The child leads its own process group, so a Ctrl-C in the terminal reaches only this program. It
/// has a mark in its environment (`RUSTY_CLAW_CUSTODY`), which everything that it starts inherits.
/// By the mark, a kill reaches the CLI's shell children, which have their own sessions, and
/// [`custody::sweep`](super::custody::sweep) finds what a killed host left behind.
///
/// ```no_run
/// use rusty_claw::transport::ChildProcess;
///
/// let transport = ChildProcess::new().stderr(|line| eprintln!("claude: {line}"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct ChildProcess {
    on_stderr: Option<LineCallback>,
    unchecked: bool,
    cache_folder: Option<PathBuf>,
    launcher: Option<Launcher>,
}

impl ChildProcess {
    /// Creates a transport that checks the CLI's version and flags before it starts it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls `on_line` with each line of the child's standard error, without its line break.
    ///
    /// It is called on a runtime thread, so it should be quick. If it panics, it is not called
    /// again. A line longer than 64 KiB is split.
    pub fn stderr(mut self, on_line: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_stderr = Some(LineCallback(Arc::new(on_line)));
        self
    }

    /// Starts the program without checking its version and flags first.
    ///
    /// For programs that imitate the CLI, for which a probe would be an unwanted run.
    pub fn unchecked(mut self) -> Self {
        self.unchecked = true;
        self
    }

    /// Caches probe results in this folder, instead of `rusty_claw` in the user's cache folder
    /// (`XDG_CACHE_HOME`, or `.cache` at home).
    pub fn cache_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cache_folder = Some(folder.into());
        self
    }

    /// Starts the CLI behind another program. `prefix` returns that program and its arguments; the
    /// CLI and its arguments follow them. The CLI is probed for its version without the launcher.
    ///
    /// The launcher must pass on its environment, standard streams and exit code, and must end
    /// the CLI when it is killed. If it starts the CLI as a child, a graceful stop
    /// ([`Stop::Terminate`](super::Stop::Terminate)) still signals the CLI, not the launcher.
    ///
    /// Standard input and output are then sockets instead of pipes, because any process of the same
    /// user can open a pipe of the CLI under `/proc`: a tool could write answers to its input.
    ///
    /// ```
    /// use rusty_claw::transport::ChildProcess;
    ///
    /// let transport = ChildProcess::new().launcher(|_, _| vec!["nice".into(), "-n5".into()]);
    /// # let _ = transport;
    /// ```
    pub fn launcher(
        mut self,
        prefix: impl Fn(&Program, &Launch) -> Vec<OsString> + Send + Sync + 'static,
    ) -> Self {
        self.launcher = Some(Launcher(Arc::new(prefix)));
        self
    }

    async fn start(self, launch: Launch) -> Result<Connection, StartError> {
        if let Some(folder) = &launch.cwd
            && !folder.is_dir()
        {
            return Err(StartError::FolderMissing {
                path: folder.clone(),
            });
        }
        length::check_length(&launch)?;
        let program = find(&launch)?;
        if !self.unchecked {
            let folder = self.cache_folder.or_else(cache_folder);
            check::check(folder.as_deref(), &program, &launch).await?;
        }
        let prefix = match &self.launcher {
            Some(launcher) => (launcher.0)(&program, &launch),
            None => Vec::new(),
        };
        let what = What {
            program: &program,
            prefix: &prefix,
            args: &launch.args,
        };
        let running = spawn(what, &launch, Stdio::piped, self.on_stderr).await?;
        let Some(stdin) = running.stdin else {
            return Err(without_pipes(&program));
        };
        Ok(Connection {
            reader: running.stdout,
            writer: stdin,
            custody: Box::new(running.custody),
        })
    }
}

impl Transport for ChildProcess {
    fn open(self: Box<Self>, launch: Launch) -> BoxFuture<'static, Result<Connection, StartError>> {
        Box::pin(self.start(launch))
    }
}
