use std::fs;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::naive;

fn session_corpus(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_session-corpus"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn the_program_writes_what_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("sessions");
    let output = session_corpus(&["sessions", out.to_str().unwrap(), "--sessions", "12"]);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("12 main files"), "{said}");
    let truth = fs::read(out.join("truth.json")).unwrap();
    let truth: Value = serde_json::from_slice(&truth).unwrap();
    assert_eq!(truth["main_files"], 12);
    assert_eq!(truth["files"], naive::session_files(&out).len());

    let out = folder.path().join("hostile");
    let output = session_corpus(&["hostile", out.to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    assert!(out.join("deep.jsonl").is_file());
}

#[test]
fn the_program_says_what_is_wrong_with_a_recording() {
    let folder = tempfile::tempdir().unwrap();
    let recording = folder.path().join("recording.jsonl");
    fs::write(&recording, "{\"type\":\"user\"}\n").unwrap();
    let out = folder.path().join("out");
    let output = session_corpus(&[
        "sessions",
        out.to_str().unwrap(),
        "--shapes",
        recording.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("has no prompt_snapshot line"), "{said}");
    assert!(!out.exists());
}

#[test]
fn the_program_waits_for_its_reader() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.jsonl");
    let file = file.to_str().unwrap();
    // Without input there is no reader to wait for.
    let output = session_corpus(&["grow", file, "--lines", "20000"]);
    assert_eq!(output.status.code(), Some(1));
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines: u64 = lines.trim().parse().unwrap();
    assert!(lines > 0 && lines < 20_000, "{lines}");
}
