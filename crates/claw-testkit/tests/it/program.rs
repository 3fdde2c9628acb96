//! The program around the server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_scripted-api");

/// A running program; it is killed when a test fails.
struct Running {
    child: Child,
    address: String,
    printed: String,
    stderr: ChildStderr,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    fn start(script: &Path, arguments: &[&str]) -> Self {
        let mut child = Command::new(PROGRAM)
            .arg(script)
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut printed = String::new();
        while !printed.contains("Ctrl-C") {
            printed.push_str(&lines.next().expect("the program starts").unwrap());
            printed.push('\n');
        }
        let (_, address) = printed.split_once("ANTHROPIC_BASE_URL=http://").unwrap();
        let address = address.lines().next().unwrap().to_owned();
        let stderr = child.stderr.take().unwrap();
        Self {
            child,
            address,
            printed,
            stderr,
        }
    }

    fn ask(&self) -> String {
        let mut tcp = TcpStream::connect(&self.address).unwrap();
        let request = "POST /v1/messages HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\
                       content-length: 2\r\n\r\n{}";
        tcp.write_all(request.as_bytes()).unwrap();
        let mut reply = String::new();
        tcp.read_to_string(&mut reply).unwrap();
        reply
    }

    /// Interrupts it, as a shell does, and returns its exit code and output.
    fn stop(mut self) -> (Option<i32>, String) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").arg(pid).status().unwrap().success());
        let code = self.child.wait().unwrap().code();
        let mut said = String::new();
        self.stderr.read_to_string(&mut said).unwrap();
        (code, said)
    }
}

#[test]
fn it_tells_the_environment_serves_the_script_and_ends_well() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.json");
    let capture = folder.path().join("capture.ndjson");
    std::fs::write(&script, r#"{"turns": [{"text": "hello"}]}"#).unwrap();
    let program = Running::start(&script, &["--capture", capture.to_str().unwrap()]);
    for variable in [
        "ANTHROPIC_API_KEY=",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
    ] {
        assert!(program.printed.contains(variable), "{}", program.printed);
    }
    assert!(program.ask().contains("\"text\":\"hello\""));
    assert_eq!(program.stop().0, Some(0));
    assert_eq!(std::fs::read_to_string(capture).unwrap().lines().count(), 1);
}

#[test]
fn it_exits_with_1_when_it_ran_dry() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.json");
    std::fs::write(&script, r#"{"turns": [{"text": "hello"}]}"#).unwrap();
    let program = Running::start(&script, &[]);
    program.ask();
    assert!(program.ask().starts_with("HTTP/1.1 500 "));
    let (code, said) = program.stop();
    assert_eq!(code, Some(1));
    assert!(
        said.contains("scripted API ran dry: request 2 had no turn"),
        "{said}"
    );
}

#[test]
fn it_can_repeat_the_last_turn() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.json");
    std::fs::write(&script, r#"{"turns": [{"text": "hello"}]}"#).unwrap();
    let program = Running::start(&script, &["--repeat-last"]);
    for _ in 0..3 {
        assert!(program.ask().contains("\"text\":\"hello\""));
    }
    assert_eq!(program.stop().0, Some(0));
}

#[test]
fn a_bad_script_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.json");
    std::fs::write(&script, "{\"turns\": [\n{\"txt\": 1}]}").unwrap();
    let output = Command::new(PROGRAM).arg(&script).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said.contains("unknown field `txt`") && said.contains("line 2"),
        "{said}"
    );
}

#[test]
fn the_help_teaches_with_a_script_that_works() {
    let output = Command::new(PROGRAM).arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let start = help.find("{\"turns\"").expect("an example");
    let mut example =
        serde_json::Deserializer::from_str(&help[start..]).into_iter::<claw_testkit::Script>();
    assert_eq!(example.next().unwrap().unwrap().turns.len(), 3);
}
