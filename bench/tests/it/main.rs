//! Faults, and the groups that judge more than a time, in the small sizes of a quick run.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod faults;

use std::process::Command;

use claw_testkit::fake_claude_path;

/// Runs `claw-bench GROUP`, which records its figures.
fn group(name: &str) {
    // Built beside the program, which looks for it there.
    fake_claude_path().unwrap();
    let mut bench = Command::new(env!("CARGO_BIN_EXE_claw-bench"));
    let output = bench.arg(name).output().unwrap();
    let (out, errors) = (output.stdout, output.stderr);
    let [out, errors] = [out, errors].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{out}{errors}");
}

#[test]
fn cost_idle() {
    group("cost-idle");
}

#[test]
fn many_sessions() {
    group("many-sessions");
}
