//! Flags, help, and where the script comes from.

use std::process::Output;

use claw_testkit::Step;

use super::{Fake, PROGRAM, STREAMS, command, script, text_of};

fn run(arguments: &[&str], env: &[(&str, &str)]) -> Output {
    let home = tempfile::tempdir().unwrap();
    let mut command = command(home.path());
    command.args(arguments).envs(env.iter().copied());
    command.stdin(std::process::Stdio::null());
    command.output().unwrap()
}

fn said(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn version_and_help_are_the_clis() {
    for flag in ["--version", "-v"] {
        let (code, out, _) = said(&run(&[flag], &[]));
        assert_eq!((code, out.as_str()), (Some(0), "2.1.325 (Claude Code)\n"));
    }
    let (code, help, _) = said(&run(&["--help"], &[]));
    assert_eq!(code, Some(0));
    for flag in [
        "--session-mirror",
        "--resume [value]",
        "--permission-prompt-tool <tool>",
    ] {
        assert!(help.contains(flag), "{flag} in {help}");
    }
}

#[test]
fn an_unknown_flag_is_refused_unless_allowed() {
    let (code, out, err) = said(&run(&["--frob=1", "--verbose"], &[]));
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert_eq!(err, "error: unknown option '--frob'\n");
    let (code, out, _) = said(&run(
        &["--frob", "-p", "hello"],
        &[("FAKE_CLAUDE_SCRIPT", r#"{"any_flag": true}"#)],
    ));
    assert_eq!(
        (code, out.as_str()),
        (Some(0), "fake-claude, turn 1: hello\n")
    );
}

#[test]
fn stream_json_needs_verbose() {
    let (code, out, err) = said(&run(&["--output-format", "stream-json", "-p", "x"], &[]));
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("requires --verbose"), "{err}");
}

#[test]
fn one_prompt_can_be_printed_in_every_format() {
    let (_, out, _) = said(&run(&["-p", "hello", "--output-format", "json"], &[]));
    let result: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(result["result"], "fake-claude, turn 1: hello");
    let (code, out, _) = said(&run(
        &["-p", "hello", "--output-format=stream-json", "--verbose"],
        &[],
    ));
    assert_eq!((code, out.lines().count()), (Some(0), 3));
}

#[test]
fn a_script_that_cannot_be_used_is_named_with_its_place() {
    let (code, _, err) = said(&run(STREAMS, &[("FAKE_CLAUDE_SCRIPT", "{\"turn\": 1}")]));
    assert_eq!(code, Some(1));
    assert!(
        err.contains("unknown field `turn`") && err.contains("line 1"),
        "{err}"
    );
    let (code, _, err) = said(&run(STREAMS, &[("FAKE_CLAUDE_SCRIPT", "no/such.json")]));
    assert_eq!(code, Some(1));
    assert!(err.contains("no/such.json"), "{err}");
}

#[test]
fn a_script_beside_the_link_serves_hosts_that_clear_the_environment() {
    let home = tempfile::tempdir().unwrap();
    let link = home.path().join("claude");
    std::os::unix::fs::symlink(PROGRAM, &link).unwrap();
    let beside = script([Step::text("from beside")]);
    beside.write(home.path().join("fake-claude.json")).unwrap();
    let by_path = std::process::Command::new(&link)
        .env_clear()
        .current_dir(home.path())
        .args(["-p", "x"])
        .output()
        .unwrap();
    assert_eq!(said(&by_path).1, "from beside\n");
    let by_name = std::process::Command::new("claude")
        .env_clear()
        .env("PATH", home.path())
        .current_dir(home.path())
        .args(["-p", "x"])
        .output()
        .unwrap();
    assert_eq!(said(&by_name).1, "from beside\n");
    assert!(
        !home.path().join(".claude").exists(),
        "no home, no session file"
    );
}

#[test]
fn the_start_can_be_recorded_and_refused() {
    let mut recorded = script([]);
    recorded.record_start = Some("start.json".into());
    recorded.exit_at_start = Some(3);
    let mut fake = Fake::start_with(&recorded, &["--model", "m"], &[("MARK", "1")]);
    assert_eq!(fake.exit().code(), Some(3));
    let start = &fake.recorded("start.json")[0];
    assert_eq!(start["argv"][6], "m");
    assert!(start["env"].as_array().unwrap().contains(&"MARK".into()));
}

#[test]
fn the_helper_for_other_crates_builds_the_same_program() {
    let path = claw_testkit::fake_claude_path().unwrap();
    let output = std::process::Command::new(path)
        .arg("--version")
        .output()
        .unwrap();
    assert_eq!(said(&output).1, "2.1.325 (Claude Code)\n");
}

#[test]
fn names_in_texts_are_replaced() {
    let id = "0a0a0a0a-0000-4000-8000-00000000000f";
    let words = script([Step::text("$turn $session_id $prompt")]);
    let mut fake = Fake::start_with(&words, &["--session-id", id], &[]);
    fake.prompt("hello");
    let said = fake.until(|frame| frame["type"] == "assistant");
    assert_eq!(text_of(&said), format!("1 {id} hello"));
}
