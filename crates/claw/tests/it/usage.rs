//! `claw sessions usage`

use std::fs;
use std::path::Path;

use claw_testkit::corpus::traps;
use serde_json::Value;

use super::program::{World, contents};

const ID: &str = "5f0c61a2-1111-4222-8333-444455556666";

/// A library of one reply, with this id and working directory.
fn world(message: &str, cwd: &str) -> World {
    let world = World::with(&[]);
    let folder = world.config().join("projects/-srv-a");
    fs::create_dir_all(&folder).unwrap();
    let line = format!(
        r#"{{"parentUuid":null,"isSidechain":false,"type":"assistant","message":{{"id":"{message}","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{{"type":"text","text":"hi"}}],"usage":{{"input_tokens":1,"output_tokens":1}}}},"uuid":"u","timestamp":"2026-11-01T10:00:01.000Z","cwd":"{cwd}","gitBranch":"main","sessionId":"{ID}"}}"#
    );
    fs::write(folder.join(format!("{ID}.jsonl")), line + "\n").unwrap();
    world
}

#[test]
fn a_number_is_explained_by_whatever_names_it() {
    let explains = |world: &World, by: &str, number: &str| {
        let args = ["sessions", "usage", "--by", by, "--explain", number];
        let text = world.prints(&args);
        assert!(text.contains("total: 1 reply"), "{number}: {text}");
    };
    // The id of another gateway.
    explains(&world("chatcmpl-77", "/srv/a"), "day", "chatcmpl-77");
    // Commas in a key, alone and with others.
    let commas = world("msg_1", "/srv/a,b");
    explains(&commas, "project", "/srv/a,b");
    explains(&commas, "project,git-branch", "/srv/a,b,main");
    // As shortened in the table.
    let long = world("msg_1", &format!("/srv/{}", "x".repeat(60)));
    let table = long.prints(&["sessions", "usage", "--by", "project"]);
    let shown = table
        .split_whitespace()
        .find(|word| word.starts_with("/srv/x"));
    let shown = shown.expect("the row");
    assert!(shown.ends_with('…'), "{table}");
    explains(&long, "project", shown);
}

#[test]
fn what_is_not_there_is_said_by_the_exit_code_in_json_too() {
    let world = world("msg_1", "/srv/a");
    for more in [&[][..], &["--json"]] {
        let args = [&["sessions", "usage", "--explain", "2020-01-01"], more].concat();
        assert_eq!(world.claw(&args).status.code(), Some(1), "{more:?}");
    }
}

#[test]
fn every_grouping_has_a_title_and_is_in_the_help() {
    let world = world("msg_1", "/srv/a");
    let help = world.prints(&["sessions", "usage", "--help"]);
    for (by, title) in [
        ("day", "DAY"),
        ("project", "PROJECT"),
        ("session", "SESSION"),
        ("model", "MODEL"),
        ("branch", "BRANCH"),
        ("git-branch", "GIT BRANCH"),
        ("tool", "TOOL"),
        ("subagent", "SUBAGENT"),
        ("agent-type", "AGENT TYPE"),
    ] {
        let table = world.prints(&["sessions", "usage", "--by", by]);
        let first = table.lines().next().unwrap_or_default();
        assert!(first.trim_start().starts_with(title), "{by}: {table}");
        assert!(help.contains(by), "{by}: {help}");
    }
    let table = world.prints(&["sessions", "usage", "--by", "tool"]);
    assert!(table.contains("is in the row of each"), "{table}");
}

/// The thirty traps of the test kit, as a user counts them. No file changes.
#[test]
fn traps_are_counted_right_and_left_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    for trap in traps::write_all(folder.path()).unwrap() {
        let config = folder.path().join(trap.name).join(".claude");
        let before = contents(&config);
        let config = config.to_str().unwrap();
        let args = [
            "sessions",
            "usage",
            "--json",
            "--zone",
            "UTC",
            "--config-dir",
            config,
        ];
        let report: Value = serde_json::from_str(&World::with(&[]).prints(&args)).unwrap();
        let total = &report["total"];
        let counted = ["messages", "input", "output", "cacheRead"].map(|name| total[name].as_u64());
        let right = trap.expected;
        let expected = [right.messages, right.input, right.output, right.cache_read].map(Some);
        assert_eq!(counted, expected, "{}: {report}", trap.name);
        assert_eq!(contents(Path::new(config)), before, "{}", trap.name);
    }
}
