//! A gateway in a process of its own, and its sessions.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use claw_testkit::fake_claude::{FakeScript, FakeTurn, Flood, FloodKind};
use claw_testkit::processes;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::Failure;
use crate::server::{CLI, PROGRAM, WORK};

/// Only ends a hang.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The durable events of a session in a second.
pub(crate) const EVENTS: u32 = 5;
/// The deltas of a session in a second: four for each message.
pub(crate) const DELTAS: u32 = 20;
/// The size of a delta.
const DELTA_BYTES: u64 = 100;

/// A turn at the rate of the figures, longer than all of them.
pub(crate) fn steady() -> FakeTurn {
    let lines = u64::from(EVENTS + DELTAS);
    let flood = Flood::new(lines * 600).bytes(DELTA_BYTES);
    FakeTurn::new().step(flood.per_second(lines).kind(FloodKind::Streamed))
}

pub(crate) struct Served {
    child: Child,
    folder: TempDir,
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    /// Idempotency keys.
    keys: AtomicU64,
}

impl Served {
    /// Starts a gateway whose CLIs play these turns.
    pub(crate) fn start(turns: impl IntoIterator<Item = FakeTurn>) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        std::fs::create_dir(folder.path().join(WORK))?;
        let mut script = turns.into_iter().fold(FakeScript::new(), FakeScript::turn);
        script.no_session_file = true;
        script.write(folder.path().join("fake-claude.json"))?;
        // It is built beside this program.
        let fake = std::env::current_exe()?.with_file_name("fake-claude");
        std::os::unix::fs::symlink(fake, folder.path().join(CLI))?;
        let (child, address, token) = spawn(folder.path())?;
        Ok(Self {
            child,
            folder,
            address,
            token,
            keys: AtomicU64::new(0),
        })
    }

    /// Kills the gateway and starts another one on the same store.
    pub(crate) fn restart(&mut self) -> Result<(), Failure> {
        self.child.kill()?;
        self.child.wait()?;
        (self.child, self.address, self.token) = spawn(self.folder.path())?;
        Ok(())
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// The head of a request of HTTP/1.0, whose response has no chunks.
    pub(crate) fn head(&self, line: &str) -> String {
        let Self { address, token, .. } = self;
        format!("{line} HTTP/1.0\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n")
    }

    /// Sends a request. Returns the JSON of its response.
    async fn send(&self, line: &str, body: &Value) -> Result<Value, Failure> {
        let (head, body) = (self.head(line), body.to_string());
        let (key, length) = (self.keys.fetch_add(1, Ordering::Relaxed), body.len());
        let request = format!(
            "{head}Idempotency-Key: key-{key}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        let exchange = async {
            let mut stream = TcpStream::connect(self.address).await?;
            stream.write_all(request.as_bytes()).await?;
            let mut response = Vec::new();
            stream.read_to_end(&mut response).await?;
            Ok::<_, Failure>(String::from_utf8(response)?)
        };
        let response = timeout(TIMEOUT, exchange).await??;
        let (head, body) = response.split_once("\r\n\r\n").ok_or("no response")?;
        let status = head.split(' ').nth(1).unwrap_or_default();
        match status.starts_with('2') {
            true => Ok(serde_json::from_str(body)?),
            false => Err(format!("{line}: {head} {body}").into()),
        }
    }

    /// Creates a session. Returns its id.
    pub(crate) async fn session(&self) -> Result<String, Failure> {
        let folder = self.folder.path().join(WORK);
        let spec = json!({ "folder": folder });
        let created = self.send("POST /v1/sessions", &spec).await?;
        let id = created["id"].as_str();
        Ok(id.ok_or("the session has no id")?.to_owned())
    }

    /// Returns the sequence of the last event of a session.
    pub(crate) async fn last(&self, session: &str) -> Result<u64, Failure> {
        let line = format!("GET /v1/sessions/{session}");
        let info = self.send(&line, &Value::Null).await?;
        Ok(info["last"]
            .as_u64()
            .ok_or("the session has no last event")?)
    }

    /// Starts the next turn of a session.
    pub(crate) async fn prompt(&self, session: &str) -> Result<(), Failure> {
        let line = format!("POST /v1/sessions/{session}/inputs");
        self.send(&line, &json!({"content": "Go"})).await?;
        Ok(())
    }
}

/// Starts a gateway. Returns its address and a token.
fn spawn(folder: &Path) -> Result<(Child, SocketAddr, String), Failure> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg(PROGRAM)
        .arg(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut line = String::new();
    let stdout = child.stdout.take().ok_or("no output")?;
    BufReader::new(stdout).read_line(&mut line)?;
    let started: Value = serde_json::from_str(&line)?;
    let text = |name: &str| started[name].as_str().unwrap_or_default().to_owned();
    Ok((child, text("address").parse()?, text("token")))
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // The CLIs would play their turns to the end.
        let home = format!("HOME={}", self.folder.path().display());
        let left: Vec<i64> = processes::carrying(&[home])
            .into_iter()
            .map(i64::from)
            .collect();
        let _ = processes::kill(&left);
    }
}
