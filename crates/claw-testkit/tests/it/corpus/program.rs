use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

use super::naive;

fn session_corpus(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_session-corpus"))
        .args(arguments)
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
