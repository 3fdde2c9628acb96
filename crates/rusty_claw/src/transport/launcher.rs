//! A program that starts the CLI, such as one that isolates it.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::process::Command;

use super::launch::Launch;
use crate::cli::find::Program;

/// Returns the launcher and its arguments for a CLI.
pub(crate) type Prefix = dyn Fn(&Program, &Launch) -> Vec<OsString> + Send + Sync;

#[derive(Clone)]
pub(super) struct Launcher(pub(super) Arc<Prefix>);

impl fmt::Debug for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Launcher")
    }
}

/// The host's ends of a child's standard input and output.
pub(super) type Ends = (
    Box<dyn AsyncWrite + Send + Unpin>,
    Box<dyn AsyncRead + Send + Unpin>,
);

/// Makes standard input and output of a command sockets. Unlike pipes, they cannot be opened
/// through `/proc/<pid>/fd`.
#[cfg(unix)]
pub(super) fn connect(command: &mut Command) -> io::Result<Option<Ends>> {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::process::Stdio;

    let pair = || -> io::Result<(tokio::net::UnixStream, Stdio)> {
        let (ours, theirs) = UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let ours = tokio::net::UnixStream::from_std(ours)?;
        Ok((ours, Stdio::from(OwnedFd::from(theirs))))
    };
    let (stdin, child_stdin) = pair()?;
    let (stdout, child_stdout) = pair()?;
    command.stdin(child_stdin).stdout(child_stdout);
    Ok(Some((Box::new(stdin), Box::new(stdout))))
}

#[cfg(not(unix))]
pub(super) fn connect(_command: &mut Command) -> io::Result<Option<Ends>> {
    Ok(None)
}
