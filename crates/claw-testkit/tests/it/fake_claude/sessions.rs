//! Session files: written, found, continued, forked, mirrored.

use claw_testkit::FakeScript;
use serde_json::{Value, json};

use super::{Fake, text_of};

const ID: &str = "5e5e5e5e-2222-4222-8222-000000000001";
const OTHER: &str = "5e5e5e5e-2222-4222-8222-000000000002";
const PROMPT: &str = "0a0a0a0a-0000-4000-8000-000000000001";

/// The files of a configuration: project folder, name, entries.
fn files(fake: &Fake) -> Vec<(String, String, Vec<Value>)> {
    let mut files = Vec::new();
    let Ok(projects) = std::fs::read_dir(fake.path("config/projects")) else {
        return files;
    };
    for project in projects {
        let project = project.unwrap();
        for file in std::fs::read_dir(project.path()).unwrap() {
            let file = file.unwrap();
            let text = std::fs::read_to_string(file.path()).unwrap();
            files.push((
                project.file_name().into_string().unwrap(),
                file.file_name().into_string().unwrap(),
                text.lines()
                    .map(|line| serde_json::from_str(line).unwrap())
                    .collect(),
            ));
        }
    }
    files.sort_by(|a, b| a.1.cmp(&b.1));
    files
}

/// Runs one more turn in the same home and returns its text.
fn again(fake: Fake, arguments: &[&str], text: &str) -> (Fake, String) {
    let mut fake = fake;
    fake.close_stdin();
    fake.exit();
    let home = std::mem::replace(&mut fake.home, tempfile::tempdir().unwrap());
    let mut fake = Fake::start_in(home, &FakeScript::new(), arguments, &[]);
    fake.prompt(text);
    let said = text_of(&fake.until(|frame| frame["type"] == "assistant")).to_owned();
    fake.result();
    assert_eq!(fake.end(), Some(0));
    (fake, said)
}

fn first() -> Fake {
    let mut fake = Fake::start_with(&FakeScript::new(), &["--session-id", ID], &[]);
    fake.prompt_with_uuid("remember zebra", PROMPT);
    let printed = fake.until(|frame| frame["type"] == "assistant");
    assert_eq!(printed["session_id"], ID);
    fake.result();
    assert_eq!(fake.end(), Some(0));
    let files = files(&fake);
    let (folder, name, entries) = &files[0];
    let cwd = fake.home.path().canonicalize().unwrap();
    let key: String = cwd
        .to_str()
        .unwrap()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    assert_eq!(
        (folder, name.as_str()),
        (&key, format!("{ID}.jsonl").as_str())
    );
    let kinds: Vec<&str> = entries
        .iter()
        .map(|entry| entry["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["user", "assistant", "last-prompt", "cost-state"]);
    assert_eq!(entries[0]["uuid"], PROMPT);
    assert_eq!(entries[0]["parentUuid"], Value::Null);
    assert_eq!(entries[1]["parentUuid"], PROMPT);
    assert_eq!(entries[1]["uuid"], printed["uuid"]);
    fake
}

#[test]
fn a_session_is_written_and_resumed_with_its_turns_and_cost() {
    let (fake, said) = again(first(), &["--resume", ID], "and now?");
    assert_eq!(said, "fake-claude, turn 2: and now?");
    let (fake, said) = again(fake, &["--continue"], "and now?");
    assert_eq!(said, "fake-claude, turn 3: and now?");
    let files = files(&fake);
    assert_eq!(files.len(), 1, "one file");
    let entries = &files[0].2;
    assert_eq!(
        entries.last().unwrap()["totalCostUSD"]
            .as_f64()
            .map(|cost| (cost * 1e4).round()),
        Some(24.0)
    );
    let chain: Vec<&Value> = entries
        .iter()
        .filter(|entry| entry["uuid"].is_string())
        .collect();
    for pair in chain.windows(2) {
        assert_eq!(pair[1]["parentUuid"], pair[0]["uuid"]);
    }
}

#[test]
fn a_fork_copies_the_history_under_a_new_id() {
    let (fake, said) = again(
        first(),
        &["--resume", ID, "--fork-session", "--session-id", OTHER],
        "x",
    );
    assert_eq!(said, "fake-claude, turn 2: x");
    let files = files(&fake);
    assert_eq!(files.len(), 2);
    assert_eq!(files[0].2.len(), 4, "the original is untouched");
    assert_eq!(files[1].1, format!("{OTHER}.jsonl"));
    assert_eq!(files[1].2[0]["uuid"], PROMPT);
    assert!(files[1].2.iter().all(|entry| entry["sessionId"] == OTHER));
}

#[test]
fn an_unknown_session_is_a_zeroed_result_and_1() {
    let mut fake = Fake::start_with(&FakeScript::new(), &["--resume", ID], &[]);
    let text = format!("No conversation found with session ID: {ID}");
    let result = fake.frame();
    assert_eq!(result["subtype"], "error_during_execution");
    assert_eq!(result["errors"], json!([text]));
    assert_eq!(
        (&result["num_turns"], &result["session_id"]),
        (&json!(0), &json!(ID))
    );
    assert_eq!(fake.exit().code(), Some(1));
    assert_eq!(fake.stderr(), format!("{text}\n"));
}

#[test]
fn ids_are_checked() {
    let mut fake = Fake::start_with(&FakeScript::new(), &["--session-id", "abc"], &[]);
    assert_eq!(fake.exit().code(), Some(1));
    assert_eq!(
        fake.stderr(),
        "Error: Invalid session ID. Must be a valid UUID.\n"
    );
    let mut used = first();
    let home = std::mem::replace(&mut used.home, tempfile::tempdir().unwrap());
    let mut fake = Fake::start_in(home, &FakeScript::new(), &["--session-id", ID], &[]);
    assert_eq!(fake.exit().code(), Some(1));
    assert_eq!(
        fake.stderr(),
        format!("Error: Session ID {ID} is already in use.\n")
    );
}

#[test]
fn nothing_is_kept_when_nothing_should_be() {
    let mut fake = Fake::start_with(&FakeScript::new(), &["--no-session-persistence"], &[]);
    fake.prompt("x");
    fake.result();
    assert_eq!(fake.end(), Some(0));
    assert_eq!(files(&fake).len(), 0);
    let mut unprompted = Fake::start(&FakeScript::new());
    assert_eq!(unprompted.end(), Some(0));
    assert_eq!(files(&unprompted).len(), 0);
}

#[test]
fn a_mirror_carries_the_file() {
    let mut fake = Fake::start_with(&FakeScript::new(), &["--session-mirror"], &[]);
    fake.prompt("x");
    let mut frames = fake.up_to(|frame| frame["type"] == "result");
    let before_result = frames.len();
    fake.close_stdin();
    while let Some(line) = fake.line() {
        frames.push(serde_json::from_slice(&line).unwrap());
    }
    let entries = |frames: &[Value]| -> Vec<Value> {
        let mirrors = frames
            .iter()
            .filter(|frame| frame["type"] == "transcript_mirror");
        mirrors
            .flat_map(|frame| frame["entries"].as_array().unwrap().clone())
            .collect()
    };
    let files = files(&fake);
    assert_eq!(entries(&frames), files[0].2, "all of it");
    assert_eq!(
        entries(&frames[..before_result]).len(),
        3,
        "the turn before its result"
    );
}
