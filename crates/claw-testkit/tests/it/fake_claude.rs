//! The stand-in for the CLI, driven through its pipes.

mod asks;
mod command_line;
mod control;
mod ends;
mod faults;
#[cfg(target_os = "linux")]
mod memory;
mod output;
mod sessions;
mod turns;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use claw_testkit::{FakeScript, FakeTurn, Step};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_fake-claude");

const STREAMS: &[&str] = &[
    "--output-format",
    "stream-json",
    "--verbose",
    "--input-format",
    "stream-json",
];

/// No step of a test takes this long.
const LIMIT: Duration = Duration::from_secs(20);

/// The program with a home of its own. It is killed when a test fails.
struct Fake {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    home: TempDir,
}

impl Drop for Fake {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Fake {
    fn start(script: &FakeScript) -> Self {
        Self::start_with(script, &[], &[])
    }

    fn start_with(script: &FakeScript, arguments: &[&str], env: &[(&str, &str)]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), script, arguments, env)
    }

    fn start_in(
        home: TempDir,
        script: &FakeScript,
        arguments: &[&str],
        env: &[(&str, &str)],
    ) -> Self {
        let (name, value) = script.env().unwrap();
        let mut command = command(home.path());
        command.args(STREAMS).args(arguments).env(name, value);
        command.envs(env.iter().copied());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().unwrap();
        let (sender, lines) = channel();
        thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            let mut line = Vec::new();
            while reader
                .read_until(b'\n', &mut line)
                .is_ok_and(|read| read > 0)
            {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            stdin,
            lines,
            home,
        }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.home.path().join(name)
    }

    fn send(&mut self, frame: &Value) {
        self.send_bytes(format!("{frame}\n").as_bytes());
    }

    fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(bytes).unwrap();
    }

    fn prompt(&mut self, text: &str) {
        self.send(&json!({"type": "user", "message": {"role": "user", "content": text}}));
    }

    fn prompt_with_uuid(&mut self, text: &str, uuid: &str) {
        self.send(&json!({"type": "user", "uuid": uuid,
            "message": {"role": "user", "content": text}}));
    }

    fn control(&mut self, id: &str, request: &Value) {
        self.send(&json!({"type": "control_request", "request_id": id, "request": request}));
    }

    fn answer(&mut self, request: &Value, response: &Value) {
        self.send(&json!({"type": "control_response", "response": {
            "subtype": "success", "request_id": request["request_id"], "response": response}}));
    }

    /// The next line, or `None` at the end of stdout.
    fn line(&self) -> Option<Vec<u8>> {
        match self.lines.recv_timeout(LIMIT) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no line for {LIMIT:?}"),
        }
    }

    fn frame(&self) -> Value {
        let line = self.line().expect("stdout ended");
        serde_json::from_slice(&line).expect("a frame")
    }

    /// Reads up to a frame and returns it.
    fn until(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        self.up_to(wanted).pop().unwrap()
    }

    /// Reads up to a frame and returns all frames.
    fn up_to(&self, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut frames = vec![self.frame()];
        while !frames.last().is_some_and(&wanted) {
            frames.push(self.frame());
        }
        frames
    }

    fn result(&self) -> Value {
        self.until(|frame| frame["type"] == "result")
    }

    fn reply_to(&self, id: &str) -> Value {
        self.until(|frame| frame["response"]["request_id"] == id)["response"].clone()
    }

    /// Returns whether no line arrives within this time.
    fn is_silent_for(&self, time: Duration) -> bool {
        matches!(
            self.lines.recv_timeout(time),
            Err(RecvTimeoutError::Timeout)
        )
    }

    fn close_stdin(&mut self) {
        self.stdin = None;
    }

    fn exit(&mut self) -> ExitStatus {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(started.elapsed() < LIMIT, "it does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Closes stdin and returns the exit code.
    fn end(&mut self) -> Option<i32> {
        self.close_stdin();
        self.exit().code()
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args([name, &pid]).status().unwrap();
        assert!(sent.success());
    }

    fn alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    fn stderr(&mut self) -> String {
        let mut text = String::new();
        let mut stderr = self.child.stderr.take().unwrap();
        stderr.read_to_string(&mut text).unwrap();
        text
    }

    /// The lines of a file in its home, as JSON.
    fn recorded(&self, name: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path(name)).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

/// The program with nothing of this machine's environment.
fn command(home: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", home)
        .env("CLAUDE_CONFIG_DIR", home.join("config"))
        .current_dir(home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn script(steps: impl IntoIterator<Item = Step>) -> FakeScript {
    FakeScript::new().turn(steps.into_iter().fold(FakeTurn::new(), FakeTurn::step))
}

fn text_of(frame: &Value) -> &str {
    frame["message"]["content"][0]["text"]
        .as_str()
        .unwrap_or_default()
}

fn kinds(frames: &[Value]) -> Vec<String> {
    frames
        .iter()
        .map(|frame| {
            let kind = frame["type"].as_str().unwrap();
            match (frame["subtype"].as_str(), frame["state"].as_str()) {
                (_, Some(state)) => format!("{kind} {state}"),
                (Some(subtype), None) => format!("{kind} {subtype}"),
                (None, None) => kind.to_owned(),
            }
        })
        .collect()
}
