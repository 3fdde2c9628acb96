//! Holders in this process, for simulations.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;

use rusty_claw::transport::Connection;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::connection::Link;
use super::frames::{Sink, Source};
use super::process;
use super::protocol::{Frame, Hello, Limits, own_version};

/// A holder that is a task.
#[derive(Debug)]
pub struct SimulatedHolder {
    connections: mpsc::UnboundedSender<(Source, Sink)>,
    task: AbortHandle,
}

impl SimulatedHolder {
    /// Starts a holder of a CLI. `first` is the connection of the gateway that starts the CLI.
    /// `memory` is how much output is kept in memory; the rest goes to the file `spool`.
    pub fn start(
        connection: Connection,
        config_dir: Option<OsString>,
        first: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        spool: PathBuf,
        memory: usize,
    ) -> Self {
        let (connections, received) = mpsc::unbounded_channel();
        let limits = Limits {
            memory,
            ..Limits::default()
        };
        let first = split(first);
        let serving =
            process::simulated::serve(connection, config_dir, first, received, spool, limits);
        let task = tokio::spawn(serving).abort_handle();
        Self { connections, task }
    }

    /// Connects a gateway.
    ///
    /// # Errors
    /// The holder has ended.
    pub fn connect(
        &self,
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    ) -> io::Result<()> {
        let sent = self.connections.send(split(stream));
        sent.map_err(|_| io::ErrorKind::ConnectionRefused.into())
    }

    /// Whether the holder runs.
    pub fn runs(&self) -> bool {
        !self.task.is_finished()
    }

    /// Kills the holder: its CLI ends with it.
    pub fn kill(&self) {
        self.task.abort();
    }
}

fn split(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) -> (Source, Sink) {
    let (source, sink) = tokio::io::split(stream);
    (Box::new(source), Box::new(sink))
}

/// The connection of a gateway to a holder.
pub struct SimulatedLink(Link);

impl fmt::Debug for SimulatedLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimulatedLink").finish_non_exhaustive()
    }
}

impl SimulatedLink {
    /// Introduces a gateway under an epoch.
    ///
    /// # Errors
    /// The holder serves a later epoch, or has ended.
    pub async fn open(
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        epoch: u64,
    ) -> io::Result<Self> {
        let version = own_version();
        let link = Link::open(split(stream), Hello { version, epoch }, None);
        Ok(Self(link.await?))
    }

    /// Returns the offsets of the output that can be read, and whether the CLI has exited.
    pub fn output(&self) -> (u64, u64, bool) {
        let welcome = &self.0.welcome;
        (welcome.first, welcome.end, welcome.has_exited)
    }

    /// Returns the `CLAUDE_CONFIG_DIR` of the CLI.
    pub fn config_dir(&self) -> Option<PathBuf> {
        self.0.welcome.config_dir.clone().map(PathBuf::from)
    }

    /// Reads the output from an offset on.
    ///
    /// # Errors
    /// The connection is broken.
    pub async fn read_from(self, offset: u64) -> io::Result<(Connection, StoredOffsets)> {
        let (connection, sender) = self.0.read_from(offset).await?;
        Ok((connection, StoredOffsets(sender)))
    }

    /// Ends the CLI and the holder.
    ///
    /// # Errors
    /// The connection is broken.
    pub async fn end(self) -> io::Result<()> {
        self.0.end().await
    }
}

/// Reports stored output to a holder.
#[derive(Clone)]
pub struct StoredOffsets(mpsc::WeakUnboundedSender<Frame>);

impl fmt::Debug for StoredOffsets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredOffsets").finish_non_exhaustive()
    }
}

impl StoredOffsets {
    /// Reports that the output before an offset is stored.
    pub fn report(&self, offset: u64) {
        if let Some(sender) = self.0.upgrade() {
            let _ = sender.send(Frame::Done { offset });
        }
    }
}
