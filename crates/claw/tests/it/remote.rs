//! Commands that use a gateway, against `claw serve` with a stand-in for the CLI.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

use claw_testkit::{FakeScript, FakeTurn, Permission, Step, fake_claude_path};
use serde_json::{Value, json};

use crate::gateway::kill_all_in;

/// Only ends a hang.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A gateway that runs until it is dropped.
struct Gateway {
    child: Child,
    dir: tempfile::TempDir,
    url: String,
    token: String,
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        kill_all_in(self.dir.path());
    }
}

impl Gateway {
    fn start(script: &FakeScript) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (name, value) = script.env().unwrap();
        let program = fake_claude_path().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_claw"))
            .args([
                "serve",
                "--json",
                "--listen",
                "127.0.0.1:0",
                "--log",
                "error",
            ])
            .args(["--pass-env", name])
            .arg("--claude")
            .arg(program)
            .arg("--root")
            .arg(dir.path())
            .arg("--data")
            .arg(dir.path().join("data"))
            .env_clear()
            .env("HOME", dir.path())
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env(name, value)
            .current_dir(dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let started: Value = serde_json::from_str(&line).unwrap();
        let token = std::fs::read_to_string(started["token_file"].as_str().unwrap()).unwrap();
        Self {
            child,
            url: started["url"].as_str().unwrap().to_owned(),
            token: token.trim().to_owned(),
            dir,
        }
    }

    /// A command of the same user, which finds the gateway by itself.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_claw"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.dir.path())
            .env("CLAW_DATA", self.dir.path().join("data"))
            .current_dir(self.dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn claw(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Runs a command that exits with this code, and returns what it prints.
    fn prints(&self, args: &[&str], code: i32) -> String {
        let output = self.claw(args);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{args:?}: {out}{err}");
        assert!(!(out.clone() + &err).contains(&self.token));
        out
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.prints(args, 0)).unwrap()
    }

    /// Repeats a command until it prints something that fits.
    fn until(&self, args: &[&str], fits: impl Fn(&Value) -> bool) -> Value {
        let started = Instant::now();
        loop {
            let printed = self.json(args);
            if fits(&printed) {
                return printed;
            }
            assert!(started.elapsed() < TIMEOUT, "{args:?}: {printed}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn session(&self) -> String {
        let sessions = self.json(&["attach", "--json"]);
        sessions[0]["id"].as_str().unwrap().to_owned()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Reads until a text occurs.
fn read_until(out: &mut BufReader<ChildStdout>, end: &str) -> String {
    let mut read = Vec::new();
    while !String::from_utf8_lossy(&read).contains(end) {
        let mut byte = [0];
        let count = out.read(&mut byte).unwrap();
        assert!(
            count > 0,
            "no {end:?} in {:?}",
            String::from_utf8_lossy(&read)
        );
        read.push(byte[0]);
    }
    String::from_utf8(read).unwrap()
}

fn asking() -> FakeScript {
    let ask = Permission::new("Bash", json!({"command": "rm -rf build"})).record("answers.ndjson");
    let turn = FakeTurn::new().step(ask).step(Step::text("It is done."));
    FakeScript::new().turn(turn).repeat_last()
}

#[test]
fn a_prompt_is_answered_and_its_session_continued() {
    let turn = FakeTurn::new().step(Step::text("You said: $prompt"));
    let gateway = Gateway::start(&FakeScript::new().turn(turn).repeat_last());
    assert_eq!(gateway.prints(&["run", "Hello"], 0), "You said: Hello\n");
    let session = gateway.session();
    let start = &session[..8];
    let again = gateway.prints(&["run", "--session", start, "And now?"], 0);
    assert_eq!(again, "You said: And now?\n");

    let frames = gateway.prints(&["run", "--session", start, "--json", "Bye"], 0);
    let frames: Vec<Value> = frames
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(
        frames
            .iter()
            .all(|frame| frame["session"] == session.as_str())
    );
    assert!(
        frames
            .iter()
            .any(|frame| frame["message"]["event"]["kind"] == "turn_ended")
    );

    let mut piped = gateway.command(&["run", "Review"]);
    let mut piped = piped.stdin(Stdio::piped()).spawn().unwrap();
    piped
        .stdin
        .take()
        .unwrap()
        .write_all(b"this change")
        .unwrap();
    let output = piped.wait_with_output().unwrap();
    assert!(
        text(&output.stdout).contains("You said: Review\n\nthis change"),
        "{output:?}"
    );

    let listed = gateway.prints(&["attach"], 0);
    assert_eq!(listed.lines().count(), 3, "{listed}");
    assert!(listed.contains(start), "{listed}");
    assert!(
        gateway
            .prints(&["stop", start], 1)
            .contains("no running turn")
    );
}

#[test]
fn a_request_is_listed_shown_and_answered() {
    let gateway = Gateway::start(&asking());
    assert_eq!(gateway.prints(&["inbox", "--json"], 0), "[]\n");
    for (answer, choice, code) in [
        (&["--always"][..], "allow", 0),
        (&["--deny", "--message", "Not today"][..], "deny", 0),
    ] {
        let run = gateway.command(&["run", "Clean up"]).spawn().unwrap();
        let pending = gateway.until(&["inbox", "--json"], |pending| pending[0].is_object());
        let id = pending[0]["interaction"]["id"].as_str().unwrap();
        let inbox = gateway.prints(&["inbox"], 0);
        assert!(inbox.contains("Bash rm -rf build"), "{inbox}");
        let shown = gateway.prints(&[&["approve", id], answer].concat(), code);
        assert!(shown.contains("command: rm -rf build"), "{shown}");
        let output = run.wait_with_output().unwrap();
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{out}{err}");
        assert!(
            out.contains("? Bash") && out.contains("It is done."),
            "{out}"
        );
        assert!(err.contains(&format!("claw approve {id}")), "{err}");
        let answers = std::fs::read_to_string(gateway.dir.path().join("answers.ndjson")).unwrap();
        assert!(
            answers.lines().last().unwrap().contains(choice),
            "{answers}"
        );
    }
    assert!(text(&gateway.claw(&["approve", "none"]).stderr).contains("claw inbox"));
    assert_eq!(gateway.prints(&["approve", "--all", "--yes"], 0), "");
}

#[test]
fn typed_lines_are_prompts_and_answers() {
    let gateway = Gateway::start(&asking());
    let first = gateway.command(&["run", "Clean up"]).spawn().unwrap();
    gateway.until(&["inbox", "--json"], |pending| pending[0].is_object());
    let session = gateway.session();
    let mut attach = gateway.command(&["attach", &session[..10]]);
    let mut attach = attach.stdin(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(attach.stdout.take().unwrap());
    let mut stdin = attach.stdin.take().unwrap();
    let shown = read_until(&mut out, "command: rm -rf build");
    assert!(shown.contains("❯ Clean up"), "{shown}");
    // Not an answer, so nothing happens.
    stdin.write_all(b"perhaps\n").unwrap();
    stdin.write_all(b"y\n").unwrap();
    let shown = read_until(&mut out, "It is done.");
    assert!(shown.contains("allowed"), "{shown}");
    assert_eq!(first.wait_with_output().unwrap().status.code(), Some(0));
    // The turn is over when its end is printed: then a line is a prompt.
    stdin.write_all(b"Again\n").unwrap();
    let shown = read_until(&mut out, "command: rm -rf build");
    assert!(shown.contains("❯ Again"), "{shown}");
    stdin.write_all(b"n keep it\n").unwrap();
    read_until(&mut out, "denied");
    gateway.prints(&["stop", &session, "--end"], 0);
    read_until(&mut out, "the session has ended");
    assert!(attach.wait().unwrap().success());
}

#[test]
fn a_turn_is_interrupted() {
    let script = FakeScript::new().turn(FakeTurn::new().step(Step::text("Wait…")).step(Step::Hang));
    let gateway = Gateway::start(&script);
    let mut run = gateway.command(&["run", "Go"]).spawn().unwrap();
    let mut out = BufReader::new(run.stdout.take().unwrap());
    read_until(&mut out, "Wait…");
    let session = gateway.session();
    let stopped = gateway.json(&["stop", &session, "--json"]);
    assert_eq!(
        stopped,
        json!({"session": session, "turn": 1, "ended": false})
    );
    assert_eq!(run.wait().unwrap().code(), Some(1));
}

#[test]
fn errors_say_what_to_do() {
    let gateway = Gateway::start(&FakeScript::new());
    let failed = |command: &mut Command| {
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        text(&output.stderr)
    };
    let url = gateway.url.as_str();
    let elsewhere = |token: &str| {
        let mut command = gateway.command(&["inbox", "--url", url]);
        command.env("CLAW_TOKEN", token);
        command
    };
    assert!(elsewhere(&gateway.token).output().unwrap().status.success());
    let wrong = failed(&mut elsewhere("claw_x_secret"));
    assert!(
        wrong.contains("token") && !wrong.contains("secret"),
        "{wrong}"
    );
    let refused = failed(
        gateway
            .command(&["inbox", "--url", "http://127.0.0.1:9"])
            .env("CLAW_TOKEN", "x"),
    );
    assert!(
        refused.contains("cannot reach http://127.0.0.1:9"),
        "{refused}"
    );
    assert!(failed(&mut gateway.command(&["attach", "zz"])).contains("claw attach lists"));
    assert!(failed(&mut gateway.command(&["run"])).contains("there is no prompt"));
    assert!(failed(&mut gateway.command(&["run", "--folder", "/", "x"])).contains("root"));
    let none = failed(
        gateway
            .command(&["inbox"])
            .env("CLAW_DATA", gateway.dir.path().join("none")),
    );
    assert!(none.contains("claw serve"), "{none}");
}
