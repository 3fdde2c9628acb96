//! `claw sessions repair`

use std::path::PathBuf;

use crate::program::World;

/// The main file of the only session, and its id.
fn session(world: &World) -> (PathBuf, String) {
    let rows: serde_json::Value =
        serde_json::from_str(&world.prints(&["sessions", "list", "--json"])).unwrap();
    let path = rows[0]["path"].as_str().unwrap();
    let path = world.config().join(path.strip_prefix("DIR/").unwrap());
    (path, rows[0]["sessionId"].as_str().unwrap().to_owned())
}

/// Loses the result of a call, and tears the last line.
fn damage(path: &PathBuf) -> Vec<u8> {
    let text = std::fs::read_to_string(path).unwrap();
    let lost = |line: &str| line.contains("\"tool_use_id\"") && line.contains("\"type\":\"user\"");
    let mut lines: Vec<&str> = text.lines().filter(|line| !lost(line)).collect();
    assert!(lines.len() < text.lines().count());
    let torn = "{\"parentUuid\":\"11111111-1111-4111-8111-111111111111\",\"isSide";
    lines.push(torn);
    let damaged = lines.join("\n").into_bytes();
    std::fs::write(path, &damaged).unwrap();
    damaged
}

/// The output, with placeholders for ids and paths that differ in every run.
fn shown(world: &World, out: &[u8], new_id: Option<&str>) -> String {
    let out = String::from_utf8(out.to_vec()).unwrap();
    let out = out.replace(&world.config().display().to_string(), "DIR");
    match new_id {
        Some(new_id) => out.replace(new_id, "NEW-ID"),
        None => out,
    }
}

#[test]
fn a_plan_is_told_and_nothing_is_written() {
    let world = World::with(&["perm_allow"]);
    let (path, id) = session(&world);
    assert!(
        world
            .prints(&["sessions", "repair", &id])
            .contains("nothing to repair")
    );
    let damaged = damage(&path);
    let dry = world.claw(&["sessions", "repair", &id[..6]]);
    assert_eq!(dry.status.code(), Some(1));
    insta::assert_snapshot!(shown(&world, &dry.stdout, None));
    let by_path = world.claw(&["sessions", "repair", path.to_str().unwrap()]);
    assert_eq!(by_path.stdout, dry.stdout);
    let json = world.claw(&["sessions", "repair", &id, "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let steps = json["files"][0]["steps"].as_array().unwrap();
    assert_eq!(Some(steps.len() as u64), json["steps"].as_u64());
    let last = steps.last().unwrap();
    let offset = last["offset"].as_u64().unwrap() as usize;
    assert!(damaged[offset..].starts_with(b"{\"parentUuid\":\"1111"));
    assert!(json.get("repaired").is_none());
    assert_eq!(std::fs::read(&path).unwrap(), damaged);
    let beside = path.parent().unwrap().read_dir().unwrap();
    assert_eq!(beside.count(), 1, "nothing is written");
}

#[test]
fn a_repaired_session_is_a_new_one_beside_it() {
    let world = World::with(&["perm_allow"]);
    let (path, id) = session(&world);
    let damaged = damage(&path);
    let wrote = world.claw(&["sessions", "repair", &id, "--write"]);
    assert_eq!(wrote.status.code(), Some(0));
    assert_eq!(std::fs::read(&path).unwrap(), damaged);
    let rows: serde_json::Value =
        serde_json::from_str(&world.prints(&["sessions", "list", "--json"])).unwrap();
    let ids = rows.as_array().unwrap().iter();
    let ids: Vec<&str> = ids.filter_map(|row| row["sessionId"].as_str()).collect();
    let new = ids.iter().find(|new| **new != id).expect("a new session");
    insta::assert_snapshot!(shown(&world, &wrote.stdout, Some(new)));
    assert!(
        world
            .prints(&["sessions", "check", new])
            .starts_with("in order")
    );
    // With `--all`, a session that was repaired before is not repaired again.
    let all = world.claw(&["sessions", "repair", "--all", "--write"]);
    assert_eq!(all.status.code(), Some(0));
    let said = shown(&world, &all.stdout, Some(new));
    assert!(said.contains("repaired before: DIR/"), "{said}");
    assert!(said.contains("1 of 2 sessions to repair"), "{said}");
}

#[test]
fn a_repaired_copy_goes_into_a_folder() {
    let world = World::with(&["perm_allow", "agent_foreground"]);
    let (path, id) = session(&world);
    let sent = tempfile::tempdir().unwrap();
    let copy = sent.path().join("from-a-friend.jsonl");
    std::fs::copy(&path, &copy).unwrap();
    damage(&copy);
    let out = sent.path().join("out");
    let args = [
        "sessions",
        "repair",
        copy.to_str().unwrap(),
        "-o",
        out.to_str().unwrap(),
        "--json",
    ];
    let wrote = world.claw(&args);
    let json: serde_json::Value = serde_json::from_slice(&wrote.stdout).unwrap();
    assert_eq!(json["repaired"]["sessionId"], *id);
    assert!(out.join(format!("{id}.jsonl")).is_file());
    assert_eq!(json["repaired"]["stepsLeft"], 0);
    let again = world.claw(&args);
    assert_eq!(again.status.code(), Some(3), "nothing is written over");
    // Where the CLI does not look, it must be put there first.
    let beside = world.claw(&["sessions", "repair", copy.to_str().unwrap(), "--write"]);
    let said = shown(&world, &beside.stdout, None);
    assert!(said.contains("into DIR/projects/"), "{said}");
    let own = world.config().join("projects/copy");
    let args = ["sessions", "repair", &id, "-o", own.to_str().unwrap()];
    assert_eq!(world.claw(&args).status.code(), Some(3));
    assert!(!own.exists());
}

#[test]
fn errors_that_cannot_be_repaired_are_listed() {
    let world = World::with(&["perm_allow", "agent_foreground"]);
    assert_eq!(
        world.prints(&["sessions", "repair", "--all"]).trim(),
        "nothing to repair in 2 sessions"
    );
    let (path, id) = session(&world);
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replacen("\"timestamp\":\"2", "\"timestamp\":\"x", 1);
    std::fs::write(&path, text).unwrap();
    let one = world.claw(&["sessions", "repair", &id]);
    assert_eq!(one.status.code(), Some(2));
    let said = shown(&world, &one.stdout, None);
    assert!(
        said.contains("none can be repaired automatically"),
        "{said}"
    );
    let all = world.claw(&["sessions", "repair", "--all"]);
    assert_eq!(all.status.code(), Some(2));
    assert_eq!(world.claw(&["sessions", "repair"]).status.code(), Some(2));
    assert_eq!(
        world.claw(&["sessions", "repair", "zzz"]).status.code(),
        Some(3)
    );
}

#[test]
fn the_help_of_repair_teaches() {
    let world = World::with(&[]);
    insta::assert_snapshot!(world.prints(&["sessions", "repair", "--help"]));
}

/// Repairs a damaged session with one hidden message, and returns the exports of the result.
fn exported_after_repair(lines: &str, hidden: &str) -> String {
    const ID: &str = "5e5e5e5e-0000-4000-8000-000000000001";
    let world = World::with(&[]);
    let folder = world.config().join("projects/-p");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{ID}.jsonl")), lines.replace("ID", ID)).unwrap();
    let own = tempfile::tempdir().unwrap();
    let own = ["--data-dir", own.path().to_str().unwrap()];
    let run = |args: &[&str]| world.claw(&[&["sessions"][..], args, &own].concat());
    let hide = run(&["hide", ID, hidden]);
    assert!(hide.status.success(), "{hide:?}");
    let repaired = run(&["repair", ID, "--write", "--json"]);
    let repaired: serde_json::Value = serde_json::from_slice(&repaired.stdout).unwrap();
    let new = repaired["repaired"]["sessionId"].as_str().unwrap();
    let exports = ["--markdown", "--document"].map(|form| {
        let export = run(&["export", new, form]);
        assert!(export.status.success(), "{export:?}");
        String::from_utf8(export.stdout).unwrap()
    });
    exports.concat()
}

#[test]
fn what_is_hidden_stays_hidden_in_a_repaired_session() {
    let line = |uuid: u8, parent: &str, says: &str| {
        format!(
            r#"{{"parentUuid":{parent},"isSidechain":false,"uuid":"00000000-0000-4000-8000-00000000000{uuid}","timestamp":"2026-01-31T12:00:0{uuid}.000Z","sessionId":"ID","cwd":"/tmp/x","version":"2.1.325","type":"user","message":{{"role":"user","content":"{says}"}}}}"#
        )
    };
    let first = r#""00000000-0000-4000-8000-000000000001""#;
    let second = r#""00000000-0000-4000-8000-000000000002""#;
    let twice = [
        line(1, "null", "plain words"),
        line(2, first, "SECRETWORD one"),
        line(2, first, "SECRETWORD two differs"),
        line(3, second, "more words"),
    ];
    let uuid = "00000000-0000-4000-8000-000000000002";
    let exported = exported_after_repair(&(twice.join("\n") + "\n"), uuid);
    assert!(exported.contains("more words"), "{exported}");
    assert!(!exported.contains("SECRETWORD"), "{exported}");

    let line = |uuid: &str, parent: &str, says: &str| {
        format!(
            r#"{{"type":"user","uuid":"{uuid}","timestamp":"2025-01-27T10:00:01Z","sessionId":"ID"{parent},"message":"{says}"}}"#
        )
    };
    let document = [
        line("msg-001", "", "plain words"),
        line("msg-002", r#","parentUuid":"msg-001""#, "SECRETWORD doc"),
        line("msg-003", r#","parentUuid":"msg-077""#, "more words"),
    ];
    let exported = exported_after_repair(&(document.join("\n") + "\n"), "msg-002");
    assert!(exported.contains("more words"), "{exported}");
    assert!(!exported.contains("SECRETWORD"), "{exported}");
}
