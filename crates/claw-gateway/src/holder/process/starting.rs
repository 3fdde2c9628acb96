//! Starts the CLI of a holder.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusty_claw::transport::{ChildProcess, Connection, Launch, Transport as _};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::client::{self, Client, Event};
use crate::holder::frames::{FrameReader, split};
use crate::holder::protocol::{Frame, Limits, Start, Welcome};
use crate::relay::{Relay, RelayToken};

/// How long the gateway may take to send what is to be started.
const START: Duration = Duration::from_secs(30);
const CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";

/// A CLI, and what it needs.
pub(super) struct Started {
    pub(super) connection: Connection,
    pub(super) listener: UnixListener,
    pub(super) limits: Limits,
    pub(super) place: Place,
    pub(super) config_dir: Option<OsString>,
    pub(super) relay: Option<(Relay, RelayToken)>,
    pub(super) epoch: u64,
}

/// The files of a holder, which are removed when it is dropped.
pub(super) struct Place {
    socket: PathBuf,
}

impl Place {
    pub(super) fn spool(&self) -> PathBuf {
        self.socket.with_extension("spool")
    }

    fn files(&self) -> PathBuf {
        self.socket.with_extension("files")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.files());
        let _ = fs::remove_file(&self.socket);
    }
}

/// Starts what the first client asks for. Returns nothing if the client left or the CLI does not
/// start, which the client is informed of.
pub(super) async fn start(
    first: UnixStream,
    version: u16,
    events: &mpsc::Sender<Event>,
) -> io::Result<Option<(Started, Client)>> {
    let (source, sink) = split(first);
    let mut frames = FrameReader::new(source);
    let asked = async {
        let Some(Frame::Hello(hello)) = frames.next().await? else {
            return Ok(None);
        };
        match frames.next().await? {
            Some(Frame::Start(start)) => Ok(Some((hello, start))),
            _ => Ok(None),
        }
    };
    let asked: io::Result<_> = timeout(START, asked).await?;
    let Some((hello, start)) = asked? else {
        return Ok(None);
    };
    let version = version.min(hello.version);
    let reading = tokio::spawn(client::read(0, frames, events.clone()));
    let mut client = Client::new(0, version, sink, reading.abort_handle());
    let opened = match serde_json::from_slice(&start) {
        Ok(start) => open(start, hello.epoch).await,
        Err(error) => Err(error.into()),
    };
    match opened {
        Ok(started) => {
            client.queue(&Frame::Welcome(Welcome {
                version,
                holder: std::process::id(),
                pid: started.connection.custody.pid(),
                first: 0,
                end: 0,
                has_exited: false,
                config_dir: started.config_dir.clone().filter(|_| version >= 2),
            }));
            Ok(Some((started, client)))
        }
        Err(error) => {
            let reason = error.to_string();
            client.queue(&Frame::Refused { reason });
            client.closed().await;
            Ok(None)
        }
    }
}

async fn open(start: Start, epoch: u64) -> io::Result<Started> {
    let listener = bind(&start.socket)?;
    let place = Place {
        socket: start.socket,
    };
    let mut launch = Launch::from(start.launch);
    copy_files(&place.files(), start.files, &mut launch)?;
    let relay = match start.relay {
        Some((upstream, credential)) => {
            let relay = Relay::start(&upstream, &credential).await?;
            let (variables, token) = relay.variables();
            for (name, value) in variables {
                launch.env.push((name.into(), value.map(OsString::from)));
            }
            Some((relay, token))
        }
        None => None,
    };
    let config_dir = launch.env.iter().rev().find(|(name, _)| name == CONFIG_DIR);
    let config_dir = config_dir.and_then(|(_, value)| value.clone());
    let mut transport = ChildProcess::new();
    if let Some(runner) = start.runner {
        launch.env_clear = true;
        transport = transport.launcher(move |program, launch| runner.prefix(program, launch));
    }
    let opened = Box::new(transport).open(launch).await;
    let connection = opened.map_err(|error| {
        let sources = std::iter::successors(std::error::Error::source(&error), |it| it.source());
        let causes: String = sources.map(|source| format!(": {source}")).collect();
        io::Error::other(format!("{error}{causes}"))
    })?;
    Ok(Started {
        connection,
        listener,
        limits: start.limits,
        place,
        config_dir,
        relay,
        epoch,
    })
}

/// Binds the socket, whose folder only this user can enter. The socket of a dead holder is replaced.
fn bind(socket: &Path) -> io::Result<UnixListener> {
    if std::os::unix::net::UnixStream::connect(socket).is_ok() {
        return Err(io::Error::other("the session has another holder"));
    }
    match fs::remove_file(socket) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(socket)?;
    fs::set_permissions(socket, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Writes the files of the gateway again, where they live as long as the CLI.
fn copy_files(
    folder: &Path,
    files: Vec<(OsString, String)>,
    launch: &mut Launch,
) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    if files.is_empty() {
        return Ok(());
    }
    fs::DirBuilder::new().mode(0o700).create(folder)?;
    for (number, (old, content)) in files.into_iter().enumerate() {
        let new = folder.join(format!("{number}.json"));
        let mut options = fs::File::options();
        let mut file = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&new)?;
        file.write_all(content.as_bytes())?;
        for arg in &mut launch.args {
            if let (Some(text), Some(old), Some(new)) = (arg.to_str(), old.to_str(), new.to_str()) {
                *arg = text.replace(old, new).into();
            }
        }
        launch.files.push(new);
    }
    Ok(())
}
