//! Holders, and connections to them as bytes.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use claw_gateway::{CliHost as _, FoundCli, Holders, HostedSession};
use claw_server::SessionId;
use claw_testkit::{FakeScript, fake_claude_path};
use rusty_claw::Options;
use rusty_claw::transport::{Connection, Launch};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use crate::place::tenant;

/// The argument that makes the test binary a holder.
pub(super) const HOLD: &str = "as-holder";
/// Only ends a hang.
pub(super) const TIMEOUT: Duration = Duration::from_secs(60);

pub(super) fn prompt(id: &str) -> Value {
    json!({"type": "user", "uuid": id, "message": {"role": "user", "content": "Hi"}})
}

/// Waits until a condition holds.
pub(super) async fn eventually(holds: impl AsyncFn() -> bool) {
    let begin = Instant::now();
    while !holds().await {
        assert!(begin.elapsed() < TIMEOUT, "it does not happen");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The fields of a process after its name; none if it is gone.
pub(super) fn stat(pid: u32) -> Vec<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let (_, fields) = stat.rsplit_once(')').unwrap_or_default();
    fields.split_ascii_whitespace().map(str::to_owned).collect()
}

pub(super) fn alive(pid: u32) -> bool {
    stat(pid).first().is_some_and(|state| state != "Z")
}

/// A session with a holder.
pub(super) struct Held {
    pub(super) holders: Holders,
    pub(super) folder: TempDir,
    session: SessionId,
    script: FakeScript,
}

pub(super) fn holders(folder: PathBuf) -> Holders {
    let test = "holder::a_holder_runs";
    let args = ["--exact", test, "--nocapture", HOLD];
    Holders::new(std::env::current_exe().unwrap(), args, folder)
}

impl Held {
    pub(super) fn new(script: &FakeScript) -> Self {
        Self::with(script, |holders| holders)
    }

    /// A CLI that records its input.
    pub(super) fn recording(script: &FakeScript) -> Self {
        let mut held = Self::new(script);
        held.script.record_stdin = Some(held.folder.path().join("stdin"));
        held
    }

    pub(super) fn with(script: &FakeScript, change: impl FnOnce(Holders) -> Holders) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        Self {
            holders: change(holders(folder.path().join("holders"))),
            folder,
            session: SessionId::random(),
            script: script.clone(),
        }
    }

    /// The session of another process.
    pub(super) fn of(script: &FakeScript, folder: TempDir, session: SessionId) -> Self {
        Self {
            holders: holders(folder.path().join("holders")),
            folder,
            session,
            script: script.clone(),
        }
    }

    pub(super) fn session(&self, epoch: u64) -> HostedSession {
        HostedSession {
            tenant: tenant(),
            session_id: self.session,
            epoch,
        }
    }

    pub(super) fn options(&self) -> Options {
        let (name, value) = self.script.env().unwrap();
        Options::new()
            .cli_path(fake_claude_path().unwrap())
            .env_clear()
            .env("HOME", self.folder.path())
            .cwd(self.folder.path().join("work"))
            .env(name, value)
    }

    pub(super) fn launch(&self) -> Launch {
        let (name, value) = self.script.env().unwrap();
        let mut launch = Launch::default();
        launch.program = Some(fake_claude_path().unwrap());
        let args = "-p --input-format=stream-json --output-format=stream-json --verbose";
        launch.args = args.split(' ').map(Into::into).collect();
        launch.cwd = Some(self.folder.path().join("work"));
        launch.env_clear = true;
        launch.env = vec![
            (name.into(), Some(value.into())),
            ("HOME".into(), Some(self.folder.path().into())),
        ];
        launch.die_with_parent = true;
        launch
    }

    pub(super) async fn start(&self, epoch: u64) -> Cli {
        self.start_with(epoch, self.launch()).await
    }

    pub(super) async fn start_with(&self, epoch: u64, launch: Launch) -> Cli {
        let transport = self.holders.transport(&self.session(epoch));
        let connection = timeout(TIMEOUT, transport.open(launch)).await;
        Cli {
            connection: connection.unwrap().unwrap(),
        }
    }

    pub(super) async fn find(&self, epoch: u64) -> Option<FoundCli> {
        self.holders.find(&self.session(epoch)).await
    }

    pub(super) async fn attach(&self, epoch: u64, offset: u64) -> Cli {
        let found = self.find(epoch).await.expect("a holder");
        let opened = (found.transport)(offset).open(Launch::default()).await;
        Cli {
            connection: opened.unwrap(),
        }
    }

    /// Ends the CLI, and checks that nothing is left.
    pub(super) async fn end(&self, epoch: u64) {
        timeout(TIMEOUT, self.holders.end(&self.session(epoch)))
            .await
            .unwrap();
        assert!(self.find(epoch).await.is_none() && self.is_empty());
    }

    /// Whether the folder of the holders is empty.
    pub(super) fn is_empty(&self) -> bool {
        let folder = self.folder.path().join("holders");
        fs::read_dir(folder).unwrap().count() == 0
    }

    /// The ids of the prompts that the CLI has received.
    pub(super) fn recorded(&self) -> Vec<String> {
        let text = fs::read_to_string(self.folder.path().join("stdin")).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        let ids = lines.map(|line: Value| line["uuid"].as_str().unwrap().to_owned());
        ids.collect()
    }
}

/// A connection to a CLI.
pub(super) struct Cli {
    pub(super) connection: Connection,
}

impl Cli {
    pub(super) fn pid(&self) -> u32 {
        self.connection.custody.pid().unwrap()
    }

    /// The holder: the parent of the CLI.
    pub(super) fn holder(&self) -> u32 {
        stat(self.pid())[1].parse().unwrap()
    }

    pub(super) async fn send(&mut self, line: &Value) {
        self.try_send(line).await.unwrap();
    }

    pub(super) async fn try_send(&mut self, line: &Value) -> std::io::Result<()> {
        let line = format!("{line}\n");
        let writer = &mut self.connection.writer;
        writer.write_all(line.as_bytes()).await?;
        timeout(TIMEOUT, writer.flush()).await.unwrap()
    }

    /// Reads this many bytes.
    pub(super) async fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        let read = self.connection.reader.read_exact(&mut bytes);
        timeout(TIMEOUT, read).await.unwrap().unwrap();
        bytes
    }

    /// Reads up to the end of a turn.
    pub(super) async fn until_result(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let is_over = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            text.ends_with('\n') && text.contains(r#""type":"result""#)
        };
        while !is_over(&bytes) {
            let read = self.connection.reader.read_buf(&mut bytes);
            let read = timeout(TIMEOUT, read).await;
            let read = read.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&bytes)));
            assert_ne!(read.unwrap(), 0, "the output ends");
        }
        bytes
    }

    /// Closes the connection, as a gateway that ends. The CLI continues.
    pub(super) fn leave(mut self) {
        self.connection.custody.release().unwrap();
    }
}
