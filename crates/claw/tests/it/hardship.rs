//! Libraries that are not as they should be.

use std::fs;
use std::path::{Path, PathBuf};

use super::program::World;

const ID: &str = "5f0c61a2-1111-4222-8333-444455556666";
const OTHER: &str = "6f0c61a2-1111-4222-8333-444455556666";

fn project(world: &World, name: &str) -> PathBuf {
    let folder = world.config().join("projects").join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn prompt(uuid: &str, text: &str) -> String {
    format!(
        r#"{{"parentUuid":null,"isSidechain":false,"type":"user","message":{{"role":"user","content":"{text}"}},"uuid":"{uuid}","timestamp":"2026-11-01T10:00:00.000Z","cwd":"/srv/a","sessionId":"{ID}","version":"2.1.325"}}"#
    )
}

fn reply(uuid: &str, parent: &str, text: &str) -> String {
    format!(
        r#"{{"parentUuid":"{parent}","isSidechain":false,"type":"assistant","message":{{"id":"msg_{uuid}","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{{"type":"text","text":"{text}"}}],"usage":{{"input_tokens":1,"output_tokens":1}}}},"uuid":"{uuid}","timestamp":"2026-11-01T10:00:01.000Z","cwd":"/srv/a","sessionId":"{ID}","version":"2.1.325"}}"#
    )
}

fn flow(name: &str) -> String {
    let flows = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/sessions/flows");
    flows.join(name).display().to_string()
}

#[test]
fn a_session_whose_prompt_lies_deep_in_the_file_is_listed() {
    let world = World::with(&[]);
    let folder = project(&world, "-srv-a");
    // The prompt is neither in the first 64 KiB nor in the last.
    let long = "x".repeat(90_000);
    let attachment = format!(
        r#"{{"parentUuid":null,"isSidechain":false,"type":"attachment","attachment":{{"type":"file","content":"{long}"}},"uuid":"a","sessionId":"{ID}"}}"#
    );
    let lines = [
        attachment,
        prompt("b", "Where is it?"),
        reply("c", "b", &long),
    ];
    fs::write(folder.join(format!("{ID}.jsonl")), lines.join("\n") + "\n").unwrap();
    // NULs, as after a crash, before a session of which nothing else is left to see.
    fs::write(folder.join(format!("{OTHER}.jsonl")), "\0\0\0\n").unwrap();
    let listed = world.prints(&["sessions", "list"]);
    assert!(listed.contains("Where is it?"), "{listed}");
    assert!(listed.contains("(no prompt)"), "{listed}");
}

#[test]
fn a_folder_that_cannot_be_read_stops_nothing_and_is_named() {
    let world = World::with(&["perm_allow"]);
    let broken = project(&world, "-srv-broken");
    fs::write(
        broken.join(format!("{ID}.jsonl")),
        prompt("a", "Hello") + "\n",
    )
    .unwrap();
    fs::create_dir(broken.join(ID)).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("subagents", broken.join(ID).join("subagents")).unwrap();
    for command in [
        vec!["sessions"],
        vec!["sessions", "usage"],
        vec!["sessions", "check"],
    ] {
        let output = world.claw(&command);
        // A check that could not read every file must not succeed.
        let code = if command.contains(&"check") { 3 } else { 0 };
        assert_eq!(output.status.code(), Some(code), "{command:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("not read"), "{command:?}: {said}");
        assert!(said.contains("subagents"), "{command:?}: {said}");
    }
}

#[test]
fn a_session_is_shown_whole_in_every_dialect_and_over_compactions() {
    let world = World::with(&[]);
    let shown = [
        "disk/compaction.jsonl",
        "document/tool_use.jsonl",
        "disk/parallel.jsonl",
    ]
    .map(|name| {
        format!(
            "# {name}\n{}",
            world.prints(&["sessions", "show", &flow(name)])
        )
    });
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn subagents_of_old_releases_belong_to_their_session() {
    let world = World::with(&[]);
    let folder = project(&world, "-srv-a");
    let main = [prompt("a", "Look around"), reply("b", "a", "I did.")].join("\n");
    fs::write(folder.join(format!("{ID}.jsonl")), main + "\n").unwrap();
    let side = prompt("c", "Look under the carpet").replace(
        r#""isSidechain":false"#,
        r#""isSidechain":true,"agentId":"abc123""#,
    );
    fs::write(folder.join("agent-abc123.jsonl"), side + "\n").unwrap();
    let strange = prompt("d", "Of another session").replace(ID, OTHER);
    fs::write(folder.join("agent-def456.jsonl"), strange + "\n").unwrap();
    let drawn = world.prints(&["sessions", "tree", ID]);
    assert!(drawn.contains("Look under the carpet"), "{drawn}");
    assert!(!drawn.contains("Of another session"), "{drawn}");
}

#[test]
fn no_file_steers_the_terminal() {
    let world = World::with(&[]);
    let folder = project(&world, "-srv-a");
    let reply = reply("b", "a", "Hi.").replace("claude-opus-5-5", r"claude-\u001b[2Jopus");
    let tag = format!(r#"{{"type":"tag","tag":"a\u001b]0;owned\u0007","sessionId":"{ID}"}}"#);
    let lines = [prompt("a", "Hello"), reply, tag].join("\n");
    fs::write(folder.join(format!("{ID}.jsonl")), lines + "\n").unwrap();
    for command in [
        vec!["sessions"],
        vec!["sessions", "list"],
        vec!["sessions", "usage", "--by", "model"],
        vec!["sessions", "show", ID],
        vec!["sessions", "tree", ID],
    ] {
        let said = world.prints(&[&command[..], &["--color", "always"]].concat());
        assert!(!said.contains("\x1b[2J"), "{command:?}: {said:?}");
        assert!(!said.contains("\x1b]0"), "{command:?}: {said:?}");
    }
}

#[test]
fn the_largest_limit_is_one() {
    let world = World::with(&["perm_allow"]);
    let most = usize::MAX.to_string();
    assert_eq!(
        world
            .prints(&["sessions", "list", "-n", &most])
            .lines()
            .count(),
        2
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_that_is_no_text_is_still_a_row() {
    use std::os::unix::ffi::OsStrExt as _;
    let dir = tempfile::tempdir().unwrap();
    let odd = dir.path().join(std::ffi::OsStr::from_bytes(b"odd\xff"));
    let folder = odd.join("projects/-srv-a");
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join(format!("{ID}.jsonl")),
        prompt("a", "Hello") + "\n",
    )
    .unwrap();
    for command in [
        vec!["list"],
        vec!["tree", ID],
        vec![],
        vec!["search", "Hello"],
        vec!["follow", ID, "--once"],
    ] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_claw"))
            .args([&["sessions"], &command[..], &["--json"]].concat())
            .env_clear()
            .env("CLAUDE_CONFIG_DIR", &odd)
            .output()
            .unwrap();
        assert!(output.status.success(), "{command:?}: {output:?}");
    }
}

/// What `claw sessions` prints about files in a folder whose name is no text.
#[cfg(target_os = "linux")]
#[test]
fn what_is_wrong_with_a_file_whose_path_is_no_text_is_told_whole() {
    use std::os::unix::ffi::OsStrExt as _;
    let dir = tempfile::tempdir().unwrap();
    let odd = dir.path().join(std::ffi::OsStr::from_bytes(b"odd\xff"));
    let folder = odd.join("projects/-srv-a");
    fs::create_dir_all(&folder).unwrap();
    let torn = prompt("a", "Hello") + "\n{\"type\":\"us\n" + &prompt("b", "Bye") + "\n";
    fs::write(folder.join(format!("{ID}.jsonl")), torn).unwrap();
    for command in [vec!["check"], vec!["repair", "--all"]] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_claw"))
            .args([&["sessions"], &command[..], &["--json"]].concat())
            .env_clear()
            .env("CLAUDE_CONFIG_DIR", &odd)
            .output()
            .unwrap();
        assert_ne!(output.status.code(), Some(3), "{command:?}: {output:?}");
        let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let path = told["files"][0]["path"].as_str().unwrap();
        assert!(path.contains("odd\u{fffd}/projects"), "{path}");
    }
}

#[test]
fn a_config_folder_of_nothing_is_none_given() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".claude/projects/-srv-a");
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join(format!("{ID}.jsonl")),
        prompt("a", "Hello") + "\n",
    )
    .unwrap();
    let run = |args: &[&str]| {
        std::process::Command::new(env!("CARGO_BIN_EXE_claw"))
            .arg("sessions")
            .args(args)
            .env_clear()
            .env("HOME", home.path())
            .env("CLAUDE_CONFIG_DIR", "")
            .output()
            .unwrap()
    };
    let listed = run(&["list"]);
    assert!(
        String::from_utf8_lossy(&listed.stdout).contains("Hello"),
        "{listed:?}"
    );
    let explained = run(&["usage", "--explain", "foo"]);
    assert_eq!(explained.status.code(), Some(1));
    let told = String::from_utf8_lossy(&explained.stderr).into_owned();
    assert!(told.contains("no row or reply \"foo\""), "{told}");
}

#[test]
fn programs_are_told_all_findings_and_people_some_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("many.jsonl");
    let line = "{\"type\":\"user\",\"uuid\":\"\u{202e}\",\"timestamp\":5,\"message\":\"hi\",\"sessionId\":\"s\"}\n";
    fs::write(&file, line.repeat(60)).unwrap();
    let check = |args: &[&str]| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_claw"))
            .args(["sessions", "check", file.to_str().unwrap()])
            .args(args)
            .env_clear()
            .env("CLAUDE_CONFIG_DIR", dir.path())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let of = "timestamp-iso";
    let sarif: serde_json::Value = serde_json::from_str(&check(&["--sarif"])).unwrap();
    let count = |sarif: &serde_json::Value| {
        let results = sarif["runs"][0]["results"].as_array().unwrap();
        results.iter().filter(|found| found["ruleId"] == of).count()
    };
    assert_eq!(count(&sarif), 60);
    assert_eq!(
        check(&["--json"])
            .matches("\"rule\":\"timestamp-iso\"")
            .count(),
        60
    );
    let few: serde_json::Value =
        serde_json::from_str(&check(&["--sarif", "--limit", "7"])).unwrap();
    assert_eq!(count(&few), 7);
    let notices = few["runs"][0]["invocations"][0]["toolExecutionNotifications"].to_string();
    assert!(notices.contains("53 more of timestamp-iso"), "{notices}");
    let text = check(&[]);
    assert!(text.contains("10 more of timestamp-iso"), "{text}");
    let all = check(&["--limit", "0"]);
    assert_eq!(all.matches("error timestamp-iso").count(), 60, "{all}");
    // Characters that change the direction of text are printed as escapes.
    let text = check(&["--notes", "--limit", "0"]);
    assert!(
        text.contains("uuid-unique") && !text.contains('\u{202e}'),
        "{text}"
    );
}
