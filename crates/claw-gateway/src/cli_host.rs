//! Where the CLIs of sessions run, so that they can outlive the gateway.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use claw_server::SessionId;
use claw_store::TenantId;
use rusty_claw::BoxFuture;
use rusty_claw::transport::{Launch, Transport};
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;

/// How long a host may take to return the rest of the output.
const REST: Duration = Duration::from_secs(30);

/// Starts the CLIs of sessions, and finds those that outlived an earlier gateway.
pub trait CliHost: Send + Sync + 'static {
    /// Returns a transport that starts a CLI for this ownership of a session.
    ///
    /// A CLI of the session that is still running is ended first.
    fn transport(&self, session: &HostedSession) -> Box<dyn Transport>;

    /// Finds the running CLI of a session, and takes it over under the epoch.
    fn find<'a>(&'a self, session: &'a HostedSession) -> BoxFuture<'a, Option<FoundCli>>;

    /// Ends the CLI of a session and its holder, if there are any, and waits until they are gone.
    fn end<'a>(&'a self, session: &'a HostedSession) -> BoxFuture<'a, ()>;

    /// Reports that the output before an offset is stored and is not read again. The host drops
    /// it. A host with bounded space pauses the CLI if this is never called. Once a CLI has exited
    /// and all its output was reported, it is no longer found.
    fn handled(&self, session: &HostedSession, offset: u64) {
        let _ = (session, offset);
    }
}

/// One ownership of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostedSession {
    /// The tenant of the session.
    pub tenant: TenantId,
    /// The session.
    pub session_id: SessionId,
    /// The number of the ownership. A host obeys only the highest.
    pub epoch: u64,
}

/// A running CLI, or the output of one that has exited.
pub struct FoundCli {
    /// Returns a transport that reads the CLI's output from an offset on.
    pub transport: Box<dyn FnOnce(u64) -> Box<dyn Transport> + Send>,
    /// The `CLAUDE_CONFIG_DIR` of the CLI, if it is known.
    pub config_dir: Option<PathBuf>,
    /// The offset of the first byte of output that can still be read.
    pub first: u64,
    /// The offset of the end of the output so far.
    pub end: u64,
    /// Whether the CLI has exited. Its output can still be read.
    pub has_exited: bool,
}

impl FoundCli {
    /// Reads the output of a CLI that has exited, from an offset to its end.
    pub(crate) async fn rest(self, offset: u64) -> io::Result<Vec<u8>> {
        let read = async {
            let opening = (self.transport)(offset).open(Launch::default());
            let mut connection = opening.await.map_err(io::Error::other)?;
            let mut rest = Vec::new();
            connection.reader.read_to_end(&mut rest).await?;
            // The holder keeps the output until it is stored.
            let _ = connection.custody.release();
            Ok(rest)
        };
        timeout(REST, read).await?
    }
}

impl fmt::Debug for FoundCli {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FoundCli")
            .field("first", &self.first)
            .field("end", &self.end)
            .field("has_exited", &self.has_exited)
            .finish_non_exhaustive()
    }
}
