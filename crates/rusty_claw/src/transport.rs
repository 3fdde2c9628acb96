//! Where a CLI speaks: two streams of bytes, and somebody who looks after what is behind them.
//!
//! A session knows nothing of processes. It reads from one end, writes to the other, and asks a
//! [`Custody`] how the other side is doing. A child process is the usual one; anything that reads
//! and writes will do.

mod child;
pub mod custody;
pub(crate) mod host_folder;
mod in_memory;
mod mark;
mod pipe;
mod proc_table;
#[cfg(target_os = "linux")]
mod process_setup;
mod signals;
#[cfg(target_os = "linux")]
mod spawner;
mod stderr;
mod streams;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use tokio::io::{AsyncRead, AsyncWrite};

use crate::error::{SessionError, StartError};
use crate::future::BoxFuture;

pub use child::ChildProcess;
pub(crate) use child::spawn;
pub use in_memory::{InMemory, InMemoryCli};
#[cfg(test)]
pub(crate) use stderr::TAIL;
pub use streams::Streams;

/// Opens a way to a CLI.
///
/// Object safe, so that a program can choose at run time: see [`ChildProcess`], [`InMemory`] and
/// [`Streams`].
pub trait Transport: Send + 'static {
    /// Starts or reaches the CLI. Called once.
    ///
    /// `launch` is what a CLI must be started with. A transport to something that runs already
    /// does not look at it.
    ///
    /// Dropping the future must leave nothing running.
    fn open(self: Box<Self>, launch: Launch) -> BoxFuture<'static, Result<Connection, StartError>>;
}

/// An open way to a CLI.
pub struct Connection {
    /// What the CLI prints.
    pub reader: Box<dyn AsyncRead + Send + Unpin>,
    /// What the CLI reads. Dropping it is the end of its input.
    pub writer: Box<dyn AsyncWrite + Send + Unpin>,
    /// Who looks after what is behind the two.
    pub custody: Box<dyn Custody>,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

/// Looks after the other side of a [`Connection`].
///
/// Dropping it must leave nothing running, unless [`Custody::release`] was called.
pub trait Custody: Send + 'static {
    /// The process, where there is one.
    fn pid(&self) -> Option<u32> {
        None
    }

    /// Waits until the other side is gone. For ever, when that cannot be known but by the end of
    /// its output.
    ///
    /// Dropping the future loses nothing: it can be asked again, also after it has answered.
    fn exited(&mut self) -> BoxFuture<'_, Exit>;

    /// Asks the other side to end, or ends it. Does not wait.
    fn stop(&mut self, how: Stop);

    /// Ends what the other side left behind when it ended, and waits for that.
    ///
    /// Where nothing can be left behind, this is a future that is ready. There is no such default:
    /// a custody around another one must hand this on, and would be silent about forgetting it.
    ///
    /// Dropping the future may leave some of it for the drop of this value.
    fn clean_up(&mut self) -> BoxFuture<'_, ()>;

    /// The last of what the other side printed on standard error.
    fn stderr_tail(&self) -> String {
        String::new()
    }

    /// Lets go: from now on, dropping this leaves the other side running.
    ///
    /// # Errors
    /// Returns [`SessionError::NotReleased`] if the other side is a child process that was started
    /// with [`Launch::die_with_parent`]. It would end with this process, because a process can
    /// change its death signal only by itself. Nothing is released then.
    fn release(&mut self) -> Result<(), SessionError> {
        Ok(())
    }
}

/// How hard to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// Ask: SIGTERM.
    Terminate,
    /// Do not ask: SIGKILL, to the whole process group and to everything that carries its mark.
    Kill,
}

/// How the other side ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exit {
    /// It ended by itself, with this code.
    Code(i32),
    /// A signal ended it.
    Signal(i32),
    /// It is gone; how, nobody can say.
    Unknown,
}

impl Exit {
    /// Whether it ended well.
    pub fn is_success(self) -> bool {
        self == Self::Code(0)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(9) => f.write_str("killed by signal 9 (SIGKILL)"),
            Self::Signal(15) => f.write_str("ended by signal 15 (SIGTERM)"),
            Self::Signal(signal) => write!(f, "ended by signal {signal}"),
            Self::Unknown => f.write_str("gone"),
        }
    }
}

/// What a CLI is started with, apart from where it is.
#[derive(Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Launch {
    /// The program; found in the usual places when absent.
    pub program: Option<PathBuf>,
    /// Whether `node_modules` of the current folder and its parents is searched too.
    pub search_node_modules: bool,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The folder it works in; this process's own when absent.
    pub cwd: Option<PathBuf>,
    /// Whether it starts with an empty environment instead of this process's own.
    pub env_clear: bool,
    /// Variables to set, or with `None` to remove.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// Whether the CLI receives SIGTERM when the process that starts it dies. Linux only. Set
    /// unless [`Options::die_with_parent`](crate::Options::die_with_parent) is off. A transport
    /// that has another process start the CLI should pass it on.
    pub die_with_parent: bool,
}

impl fmt::Debug for Launch {
    // Values of flags and variables hold secrets; their names explain enough.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flag = |arg: &OsString| {
            let arg = arg.to_string_lossy();
            let (name, _) = arg.split_once('=').unwrap_or((&arg, ""));
            name.starts_with("--").then(|| name.to_owned())
        };
        let variable = |(name, value): &(OsString, Option<OsString>)| {
            let removed = if value.is_none() { " (removed)" } else { "" };
            format!("{}{removed}", name.to_string_lossy())
        };
        f.debug_struct("Launch")
            .field("program", &self.program)
            .field("search_node_modules", &self.search_node_modules)
            .field(
                "flags",
                &self.args.iter().filter_map(flag).collect::<Vec<_>>(),
            )
            .field("cwd", &self.cwd)
            .field("env_clear", &self.env_clear)
            .field("env", &self.env.iter().map(variable).collect::<Vec<_>>())
            .field("die_with_parent", &self.die_with_parent)
            .finish()
    }
}
