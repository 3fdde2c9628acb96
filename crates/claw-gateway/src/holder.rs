//! Holders: small processes that own the pipes of a CLI, so that it outlives the gateway.
//!
//! A holder is the gateway's program again. It starts one CLI, keeps the output that is not stored
//! yet, writes input lines whole and at most once, and obeys only the gateway with the highest
//! epoch. The CLI ends with its holder.

mod connection;
mod frames;
mod inputs;
mod process;
mod protocol;
#[cfg(feature = "simulation")]
pub mod simulated;
mod spool;

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use claw_server::SessionId;
use rusty_claw::transport::{Connection, Launch, Transport, custody};
use rusty_claw::{BoxFuture, StartError};
use tokio::net::UnixStream;
use tokio::process::Command;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use crate::cli_host::{CliHost, FoundCli, HostedSession};
use crate::relay::Credential;
use crate::runner::Runner;
use connection::{Link, REPLY, connect, kill};
use frames::split;
use protocol::{Frame, Hello, Limits, Start, own_version};

/// How long a holder may take to end its CLI.
const END: Duration = Duration::from_secs(15);
const GLANCE: Duration = Duration::from_millis(10);

/// Runs a holder until its CLI is no longer needed. `claw hold` does this.
///
/// Standard input is the connection to the gateway that has started this process. The process
/// leaves the session of the gateway, so signals to the gateway's terminal or group do not reach
/// it. Blocks the thread.
///
/// # Errors
/// Standard input is not a socket, or the gateway did not send what to start.
pub fn hold() -> io::Result<()> {
    let stdin = io::stdin().as_fd().try_clone_to_owned()?;
    let stream = std::os::unix::net::UnixStream::from(stdin);
    stream.local_addr().map_err(|error| {
        let message = "standard input is not the socket of a gateway: `claw serve` starts holders";
        io::Error::new(error.kind(), message)
    })?;
    stream.set_nonblocking(true)?;
    // Fails for the leader of a process group, which signals to other groups do not reach either.
    let _ = rustix::process::setsid();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        let stream = UnixStream::from_std(stream)?;
        process::serve(stream, own_version()).await
    });
    // A thread that reads the process table must not delay the end.
    runtime.shutdown_background();
    served
}

/// Runs each CLI below a holder process: see [`hold`].
#[derive(Clone)]
pub struct Holders {
    inner: Arc<Inner>,
}

#[derive(Clone)]
struct Inner {
    program: PathBuf,
    args: Vec<OsString>,
    folder: PathBuf,
    runner: Option<Runner>,
    relay: Option<(String, Credential)>,
    limits: Limits,
    version: u16,
    connections: Connections,
}

/// The connections of sessions, to report stored output.
type Connections = Arc<Mutex<HashMap<SessionId, mpsc::WeakUnboundedSender<Frame>>>>;

impl std::fmt::Debug for Holders {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Holders")
            .field("program", &self.inner.program)
            .field("folder", &self.inner.folder)
            .finish_non_exhaustive()
    }
}

impl Holders {
    /// The most bytes of the path of the folder: that of a socket has at most 107.
    pub const LONGEST_FOLDER: usize = 65;

    /// Creates holders that run this program, which must call [`hold`]. Their sockets are in a
    /// folder of their own, whose path has at most [`Holders::LONGEST_FOLDER`] bytes.
    ///
    /// Name the program by `/proc/self/exe`, so that a gateway whose file was replaced by an
    /// update still starts its own build.
    pub fn new(
        program: impl Into<PathBuf>,
        args: impl IntoIterator<Item = impl Into<OsString>>,
        folder: impl Into<PathBuf>,
    ) -> Self {
        let inner = Inner {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
            folder: folder.into(),
            runner: None,
            relay: None,
            limits: Limits::default(),
            version: own_version(),
            connections: Connections::default(),
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// Isolates CLIs, from the folder of the sockets too. The launcher of the options is not used.
    pub fn runner(self, mut runner: Runner) -> Self {
        runner.hidden.push(self.inner.folder.clone());
        self.with(|inner| inner.runner = Some(runner))
    }

    /// Adds a credential to the requests of CLIs, as a [`Relay`](crate::Relay) in the holder does.
    pub fn relay(self, upstream: impl Into<String>, credential: Credential) -> Self {
        let upstream = upstream.into();
        self.with(|inner| inner.relay = Some((upstream, credential)))
    }

    /// Sets how long a CLI continues without a gateway: a day, if this is not called.
    pub fn orphan_time(self, time: Duration) -> Self {
        self.with(|inner| inner.limits.orphan_time = time)
    }

    /// Sets how many bytes of output are kept in a file until they are stored: 64 MiB, if this is
    /// not called. One more MiB is kept in memory. After that, the CLI waits.
    pub fn spool_bytes(self, bytes: u64) -> Self {
        self.with(|inner| inner.limits.file = bytes)
    }

    /// Sets the version of the protocol.
    #[cfg(feature = "holder-versions")]
    pub fn version(self, version: u16) -> Self {
        self.with(|inner| inner.version = version)
    }

    fn with(mut self, change: impl FnOnce(&mut Inner)) -> Self {
        change(Arc::make_mut(&mut self.inner));
        self
    }
}

impl CliHost for Holders {
    fn transport(&self, session: &HostedSession) -> Box<dyn Transport> {
        Box::new(NewCli {
            inner: Arc::clone(&self.inner),
            session: session.clone(),
        })
    }

    fn find<'a>(&'a self, session: &'a HostedSession) -> BoxFuture<'a, Option<FoundCli>> {
        Box::pin(async {
            match self.inner.link(session).await {
                Ok(link) => Some(self.inner.found(session, link)),
                Err(error) => {
                    let session_id = session.session_id;
                    tracing::debug!(%session_id, %error, "there is no holder");
                    None
                }
            }
        })
    }

    fn end<'a>(&'a self, session: &'a HostedSession) -> BoxFuture<'a, ()> {
        Box::pin(async {
            if let Err(error) = self.inner.end(session).await {
                let session_id = session.session_id;
                tracing::warn!(%session_id, %error, "the holder of a session was not ended");
            }
        })
    }

    fn handled(&self, session: &HostedSession, offset: u64) {
        let connections = self.inner.connections();
        let sender = connections.get(&session.session_id);
        if let Some(sender) = sender.and_then(mpsc::WeakUnboundedSender::upgrade) {
            let _ = sender.send(Frame::Done { offset });
        }
    }
}

impl Inner {
    fn connections(
        &self,
    ) -> std::sync::MutexGuard<'_, HashMap<SessionId, mpsc::WeakUnboundedSender<Frame>>> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn socket(&self, session: &HostedSession) -> PathBuf {
        self.folder.join(format!("{}.sock", session.session_id))
    }

    fn hello(&self, session: &HostedSession) -> Hello {
        Hello {
            version: self.version,
            epoch: session.epoch,
        }
    }

    /// Connects to the running holder of a session, and takes it over.
    async fn link(&self, session: &HostedSession) -> io::Result<Link> {
        let stream = connect(&self.socket(session)).await?;
        let link = Link::open(split(stream), self.hello(session), None);
        timeout(REPLY, link).await?
    }

    fn found(self: &Arc<Self>, session: &HostedSession, link: Link) -> FoundCli {
        let (inner, session) = (Arc::clone(self), session.clone());
        let welcome = link.welcome.clone();
        FoundCli {
            config_dir: welcome.config_dir.map(PathBuf::from),
            first: welcome.first,
            end: welcome.end,
            has_exited: welcome.has_exited,
            transport: Box::new(move |offset| {
                Box::new(RunningCli {
                    inner,
                    session,
                    link,
                    offset,
                })
            }),
        }
    }

    async fn connection(
        &self,
        session: &HostedSession,
        link: Link,
        offset: u64,
    ) -> io::Result<Connection> {
        let (connection, sender) = link.read_from(offset).await?;
        let mut connections = self.connections();
        connections.retain(|_, sender| sender.strong_count() > 0);
        connections.insert(session.session_id, sender);
        Ok(connection)
    }

    async fn end(&self, session: &HostedSession) -> io::Result<()> {
        let socket = self.socket(session);
        let stream = match connect(&socket).await {
            Ok(stream) => stream,
            Err(error) => {
                return match error.kind() {
                    io::ErrorKind::NotFound => Ok(()),
                    // The holder was killed. Its CLI is ending, or is ended here.
                    io::ErrorKind::ConnectionRefused => {
                        custody::sweep().await;
                        remove(&socket);
                        Ok(())
                    }
                    _ => Err(error),
                };
            }
        };
        // The holder itself has bound the socket and listens.
        let pid = stream.peer_cred()?.pid();
        let pid = pid.and_then(|pid| u32::try_from(pid).ok());
        let started = pid.and_then(started);
        let ended = async {
            let link = Link::open(split(stream), self.hello(session), None);
            timeout(REPLY, link).await??.end().await
        };
        match timeout(END, ended).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) if error.kind() == io::ErrorKind::Other => return Err(error),
            // It does not respond, so it is ended by force. The pid is its own if it has not
            // started later than the holder was connected to.
            _ => {
                if let Some(pid) =
                    pid.filter(|pid| started.is_some() && self::started(*pid) == started)
                {
                    kill(pid);
                }
            }
        }
        let gone = async {
            while let Some(pid) = pid
                && started.is_some()
                && self::started(pid) == started
            {
                sleep(GLANCE).await;
            }
        };
        timeout(REPLY, gone).await?;
        if socket.exists() {
            // It was killed.
            custody::sweep().await;
            remove(&socket);
        }
        Ok(())
    }

    async fn start(
        self: Arc<Self>,
        session: HostedSession,
        launch: Launch,
    ) -> io::Result<Connection> {
        private_folder(&self.folder)?;
        // Two CLIs of a session would fork its history.
        self.end(&session).await?;
        let mut files = Vec::with_capacity(launch.files.len());
        for path in &launch.files {
            files.push((path.into(), fs::read_to_string(path)?));
        }
        let start = Start {
            socket: std::path::absolute(self.socket(&session))?,
            launch: launch.into(),
            files,
            runner: self.runner.clone(),
            relay: self.relay.clone(),
            limits: self.limits.clone(),
        };
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        // The runtime reaps the process when it ends.
        let _child = Command::new(&self.program)
            .arg0("claw")
            .args(&self.args)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let stream = UnixStream::from_std(ours)?;
        // If this is dropped before the output is read, the holder ends.
        let link = Link::open(split(stream), self.hello(&session), Some(&start)).await?;
        self.connection(&session, link, 0).await
    }
}

/// Starts a CLI below a new holder.
struct NewCli {
    inner: Arc<Inner>,
    session: HostedSession,
}

impl Transport for NewCli {
    fn open(self: Box<Self>, launch: Launch) -> BoxFuture<'static, Result<Connection, StartError>> {
        let Self { inner, session } = *self;
        Box::pin(async move {
            custody::sweep_once().await;
            let started = inner.start(session, launch).await;
            started.map_err(|source| StartError::Io {
                what: "the CLI was not started by its holder".to_owned(),
                source,
            })
        })
    }
}

/// Reads a CLI that is running.
struct RunningCli {
    inner: Arc<Inner>,
    session: HostedSession,
    link: Link,
    offset: u64,
}

impl Transport for RunningCli {
    fn open(self: Box<Self>, _: Launch) -> BoxFuture<'static, Result<Connection, StartError>> {
        Box::pin(async move {
            let opened = self.inner.connection(&self.session, self.link, self.offset);
            opened.await.map_err(|source| StartError::Io {
                what: "the connection to the holder of the CLI is broken".to_owned(),
                source,
            })
        })
    }
}

/// Removes what a killed holder has left.
fn remove(socket: &Path) {
    let _ = fs::remove_dir_all(socket.with_extension("files"));
    let _ = fs::remove_file(socket.with_extension("spool"));
    let _ = fs::remove_file(socket);
}

/// Creates the folder, or checks that only this user can enter it.
fn private_folder(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let meta = fs::symlink_metadata(folder)?;
    if !meta.is_dir() || meta.uid() != rustix::process::getuid().as_raw() {
        let why = format!("{} is not a folder of this user", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    if meta.mode() & 0o077 != 0 {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// When a process started; `None` if it is gone or is a zombie.
fn started(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in brackets and may contain anything.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    fields.nth(18)?.parse().ok().filter(|_| state != "Z")
}

#[cfg(test)]
mod tests;
