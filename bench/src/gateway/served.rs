//! A gateway in a process of its own, and its sessions.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Stdio};

use anyhow::{Context as _, Result};
use claw_gateway::SessionSpec;
use claw_gateway::client::{Client, NewInput};
use claw_server::SessionId;
use claw_testkit::fake_claude::{FakeScript, FakeTurn, Flood, FloodKind};
use claw_testkit::processes;
use tempfile::TempDir;

use super::server::{PROGRAM, WORK};
use crate::process::{fake_cli, measured};

/// The durable events of a session in a second.
pub const EVENTS: u32 = 5;
/// The deltas of a session in a second: four for each message.
pub const DELTAS: u32 = 20;

/// A turn that lasts ten minutes, longer than all figures.
pub fn steady() -> FakeTurn {
    let lines = u64::from(EVENTS + DELTAS);
    let flood = Flood::new(lines * 600).bytes(100).per_second(lines);
    FakeTurn::new().step(flood.kind(FloodKind::Streamed))
}

/// A gateway that runs until this is dropped.
#[derive(Debug)]
pub struct Served {
    running: Running,
    folder: TempDir,
}

#[derive(Debug)]
struct Running {
    child: Child,
    address: SocketAddr,
    token: String,
    client: Client,
}

impl Served {
    /// Starts a gateway whose CLIs play these turns.
    ///
    /// # Errors
    /// Returns an error if it does not start, or `fake-claude` was not built.
    pub fn start(turns: impl IntoIterator<Item = FakeTurn>) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        std::fs::create_dir(folder.path().join(WORK))?;
        let mut script = turns.into_iter().fold(FakeScript::new(), FakeScript::turn);
        script.no_session_file = true;
        fake_cli(folder.path(), &script)?;
        let running = spawn(folder.path())?;
        Ok(Self { running, folder })
    }

    /// Kills the gateway and starts another one on the same store.
    ///
    /// # Errors
    /// Returns an error if it does not start.
    pub fn restart(&mut self) -> Result<()> {
        self.running.child.kill()?;
        self.running.child.wait()?;
        self.running = spawn(self.folder.path())?;
        Ok(())
    }

    /// The id of its process.
    pub fn process(&self) -> u32 {
        self.running.child.id()
    }

    /// A client of it.
    pub fn client(&self) -> &Client {
        &self.running.client
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        self.running.address
    }

    /// The first lines of a request.
    pub(super) fn head(&self, line: &str) -> String {
        let Running { address, token, .. } = &self.running;
        format!("{line}\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n")
    }

    /// Creates a session.
    ///
    /// # Errors
    /// Returns the error of the gateway.
    pub async fn session(&self) -> Result<SessionId> {
        let spec = SessionSpec::new(self.folder.path().join(WORK));
        Ok(self.running.client.create(&spec).await?.id)
    }

    /// The sequence of the last event of a session.
    ///
    /// # Errors
    /// Returns the error of the gateway.
    pub async fn last(&self, session: SessionId) -> Result<u64> {
        Ok(self.running.client.get(session).await?.last)
    }

    /// Starts the next turn of a session.
    ///
    /// # Errors
    /// Returns the error of the gateway.
    pub async fn prompt(&self, session: SessionId) -> Result<()> {
        let input = NewInput::text("Go");
        self.running.client.input(session, &input).await?;
        Ok(())
    }
}

fn spawn(folder: &Path) -> Result<Running> {
    let mut command = measured(PROGRAM, folder)?;
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut line = String::new();
    let stdout = child.stdout.take().context("no output")?;
    BufReader::new(stdout).read_line(&mut line)?;
    let started = serde_json::from_str(&line);
    let (address, token): (SocketAddr, String) = started.context("the gateway did not start")?;
    let client = Client::new(&format!("http://{address}"), &token)?;
    Ok(Running {
        child,
        address,
        token,
        client,
    })
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.running.child.kill();
        let _ = self.running.child.wait();
        // The CLIs would play their turns to the end.
        let home = format!("HOME={}", self.folder.path().display());
        let left = processes::carrying(&[home]).into_iter().map(i64::from);
        let _ = processes::kill(&left.collect::<Vec<_>>());
    }
}
