//! Runs `claw serve` with a stand-in for the CLI.

use std::fs::File;
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use claw_testkit::{FakeScript, fake_claude_path, processes};
use serde_json::Value;

/// Only ends a hang.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// A home folder, in which gateways run one after the other.
pub(crate) struct Home {
    dir: tempfile::TempDir,
    script: FakeScript,
}

/// Holders outlive a gateway that is killed.
pub(crate) fn kill_all_in(home: &Path) {
    let mark = format!("HOME={}", home.display());
    let left = processes::carrying(&[mark]);
    let left: Vec<i64> = left.into_iter().map(i64::from).collect();
    let _ = processes::kill(&left);
}

impl Drop for Home {
    fn drop(&mut self) {
        kill_all_in(self.dir.path());
    }
}

impl Home {
    pub(crate) fn new(mut script: FakeScript) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("work")).unwrap();
        script.record_start = Some(dir.path().join("start.json"));
        Self { dir, script }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn data(&self, name: &str) -> PathBuf {
        self.path(".local/share/claw").join(name)
    }

    /// A command of `claw` in this home, without the environment of the test.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let (name, value) = self.script.env().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_claw"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.dir.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("CLAW_CLAUDE", fake_claude_path().unwrap())
            .env("CLAW_PASS_ENV", name)
            .env(name, value)
            .current_dir(self.path("work"))
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn claw(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Starts a gateway on a free port.
    pub(crate) fn serve(&self, args: &[&str]) -> Served {
        self.serve_with(args, |_| {})
    }

    pub(crate) fn serve_with(&self, args: &[&str], change: impl FnOnce(&mut Command)) -> Served {
        let args = [&["serve", "--json", "--listen", "127.0.0.1:0"], args].concat();
        let mut command = self.command(&args);
        change(&mut command);
        let log = File::options()
            .append(true)
            .create(true)
            .open(self.path("log"));
        command.stderr(log.unwrap());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let log = || std::fs::read_to_string(self.path("log"));
        let started: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{:?}", log()));
        let text = |name: &str| started[name].as_str().unwrap().to_owned();
        let address = text("url").strip_prefix("http://").unwrap().to_owned();
        let token = std::fs::read_to_string(text("token_file")).unwrap();
        Served {
            child,
            address,
            token: token.trim().to_owned(),
        }
    }
}

/// A gateway that runs. Dropping it kills it.
pub(crate) struct Served {
    pub(crate) child: Child,
    pub(crate) address: String,
    pub(crate) token: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    /// Sends a request with the token of this machine. Returns the status and the body.
    pub(crate) fn call(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let token = format!("authorization: Bearer {}", self.token);
        let host = format!("host: {}", self.address);
        let body = body.map(Value::to_string).unwrap_or_default();
        self.send(method, path, &[&host, &token], &body)
    }

    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[&str],
        body: &str,
    ) -> (u16, Value) {
        let mut stream = self.open(method, path, headers, body);
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap_or(Value::Null))
    }

    fn open(&self, method: &str, path: &str, headers: &[&str], body: &str) -> TcpStream {
        let mut stream = self.connect();
        let size = body.len();
        let headers = headers.join("\r\n");
        let head = format!(
            "{method} {path} HTTP/1.1\r\n{headers}\r\nconnection: close\r\nidempotency-key: k-{size}\
             \r\ncontent-type: application/json\r\ncontent-length: {size}\r\n\r\n{body}"
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream
    }

    /// Opens the stream of a session.
    pub(crate) fn stream(&self, session: &str) -> TcpStream {
        let token = format!("authorization: Bearer {}", self.token);
        let host = format!("host: {}", self.address);
        let path = format!("/v1/sessions/{session}/events");
        self.open("GET", &path, &[&host, &token], "")
    }

    /// Sends an input, and waits until it is processed. Returns the stream so far.
    pub(crate) fn ask(&self, session: &str, text: &str) -> (TcpStream, String) {
        let path = format!("/v1/sessions/{session}/inputs");
        let input = serde_json::json!({ "content": text });
        let (status, stored) = self.call("POST", &path, Some(&input));
        assert_eq!(status, 202, "{stored}");
        let mut stream = self.stream(session);
        let text = read_until(&mut stream, "input_processed");
        assert!(text.contains("input_processed"), "{text}");
        (stream, text)
    }

    /// Creates a session in a folder. Returns its id.
    pub(crate) fn create(&self, folder: &Path) -> String {
        let body = serde_json::json!({ "folder": folder });
        let (status, made) = self.call("POST", "/v1/sessions", Some(&body));
        assert_eq!(status, 201, "{made}");
        made["id"].as_str().unwrap().to_owned()
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.unwrap().success());
    }

    pub(crate) fn wait(&mut self) -> ExitStatus {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Reads until a text occurs, or the stream ends.
pub(crate) fn read_until(stream: &mut TcpStream, end: &str) -> String {
    let mut text = String::new();
    let mut buffer = [0; 8192];
    while !text.contains(end) {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(size) => text.push_str(&String::from_utf8_lossy(&buffer[..size])),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
            Err(error) => panic!("{error}: {text}"),
        }
    }
    text
}
