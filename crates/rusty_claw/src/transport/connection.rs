//! What a session needs from a transport.

use std::fmt;

use tokio::io::{AsyncRead, AsyncWrite};

use super::exit::Exit;
use super::launch::Launch;
use crate::error::{SessionError, StartError};
use crate::future::BoxFuture;

/// Opens a connection to a CLI.
///
/// Object safe, so that a program can choose at run time: see
/// [`ChildProcess`](super::ChildProcess), [`InMemory`](super::InMemory) and
/// [`Streams`](super::Streams).
pub trait Transport: Send + 'static {
    /// Starts or reaches the CLI. Called once.
    ///
    /// `launch` describes how to start a CLI. A transport to a running CLI ignores it.
    ///
    /// Dropping the future must leave nothing running.
    fn open(self: Box<Self>, launch: Launch) -> BoxFuture<'static, Result<Connection, StartError>>;
}

impl Transport for Box<dyn Transport> {
    fn open(self: Box<Self>, launch: Launch) -> BoxFuture<'static, Result<Connection, StartError>> {
        (*self).open(launch)
    }
}

/// An open connection to a CLI.
pub struct Connection {
    /// The CLI's output.
    pub reader: Box<dyn AsyncRead + Send + Unpin>,
    /// The CLI's input. Dropping it closes the input.
    pub writer: Box<dyn AsyncWrite + Send + Unpin>,
    /// The custody of the process or service that serves the two streams.
    pub custody: Box<dyn Custody>,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

/// Watches and stops the other side of a [`Connection`].
///
/// Dropping it must leave nothing running, unless [`Custody::release`] was called.
pub trait Custody: Send + 'static {
    /// The process id, if there is a process.
    fn pid(&self) -> Option<u32> {
        None
    }

    /// Waits until the other side is gone. Never completes if only the end of its output shows
    /// that.
    ///
    /// This method is cancel safe, and can be called again after it has completed.
    fn exited(&mut self) -> BoxFuture<'_, Exit>;

    /// Asks the other side to end, or ends it. Does not wait.
    fn stop(&mut self, how: Stop);

    /// Ends what the other side left behind when it ended, and waits until that is done.
    ///
    /// If nothing can be left behind, return a ready future. There is no default implementation,
    /// because a custody that wraps another one might not forward the call.
    ///
    /// If the future is dropped, the rest may be cleaned up only when this value is dropped.
    fn clean_up(&mut self) -> BoxFuture<'_, ()>;

    /// The end of the other side's standard error.
    fn stderr_tail(&self) -> String {
        String::new()
    }

    /// Releases the other side: dropping this value no longer ends it.
    ///
    /// # Errors
    /// Returns [`SessionError::NotReleased`] if the other side is a child process that was started
    /// with [`Launch::die_with_parent`]. It would end with this process, because a process can
    /// change its death signal only by itself. Nothing is released then.
    fn release(&mut self) -> Result<(), SessionError> {
        Ok(())
    }
}

/// How to stop the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// Gracefully: SIGTERM.
    Terminate,
    /// By force: SIGKILL, to the process group and to what carries its mark, except daemons.
    Kill,
}
