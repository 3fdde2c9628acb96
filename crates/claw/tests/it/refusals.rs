//! Files that are not sessions, ids that are ambiguous, and output that others must not see.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use super::program::World;

const ID: &str = "5f0c61a2-1111-4222-8333-444455556666";

fn line(id: &str, text: &str) -> String {
    format!(
        r#"{{"parentUuid":null,"isSidechain":false,"type":"user","message":{{"role":"user","content":"{text}"}},"uuid":"11111111-1111-4111-8111-111111111111","timestamp":"2026-11-01T10:00:00.000Z","cwd":"/srv/a","sessionId":"{id}","version":"2.1.325"}}"#
    ) + "\n"
}

/// A session of one prompt in a project.
fn put(world: &World, project: &str, id: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let folder = world.config().join("projects").join(project);
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{id}.jsonl"));
    fs::write(&path, content).unwrap();
    path
}

/// What a run printed on both streams.
fn printed(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8_lossy(&both).into_owned()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_file_that_is_not_a_session_is_refused() {
    let world = World::with(&[]);
    let session = line(ID, "Hello");
    let utf16: Vec<u8> = session.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let cases: [(&str, &[u8], &str); 6] = [
        (
            "passwd",
            b"root:x:0:0:root:/:/bin/sh\n",
            "not lines of JSON",
        ),
        ("word", b"hello", "not lines of JSON"),
        ("a.jsonl", b"\x1f\x8b\x08\0\0\0\0\0\0\x03abc\ndef", "gzip"),
        ("b.jsonl", &[b"\xff\xfe", &utf16[..]].concat(), "UTF-16"),
        ("c.jsonl", &utf16, "UTF-16"),
        ("d.jsonl", b"", "empty"),
    ];
    for (name, bytes, what) in cases {
        let path = world.config().join(name);
        fs::write(&path, bytes).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let out = elsewhere.path().join("out");
        for args in [
            &["repair", text(&path), "-o", text(&out)][..],
            &["repair", text(&path), "--write"],
            &["repair", text(&path)],
            &["show", text(&path)],
            &["tree", text(&path)],
        ] {
            let ran = world.claw(&[&["sessions"], args].concat());
            assert_eq!(ran.status.code(), Some(3), "{name} {args:?}: {ran:?}");
            assert!(printed(&ran).contains(what), "{name} {args:?}: {ran:?}");
        }
        assert!(!out.exists(), "{name}");
        let checked = world.claw(&["sessions", "check", text(&path)]);
        assert_eq!(checked.status.code(), Some(2), "{name}: {checked:?}");
        assert!(printed(&checked).contains(what), "{name}: {checked:?}");
        assert_eq!(fs::read(&path).unwrap(), bytes, "{name}");
    }
}

#[test]
fn a_check_of_nothing_does_not_pass() {
    let world = World::with(&[]);
    let typo = world.config().join("typo");
    for args in [
        &["sessions", "check"][..],
        &["sessions", "--config-dir", text(&typo), "check", "--json"],
    ] {
        let checked = world.claw(args);
        assert_eq!(checked.status.code(), Some(3), "{checked:?}");
        assert!(
            printed(&checked).contains("nothing to check"),
            "{checked:?}"
        );
    }
    let whole = put(&world, "-srv-a", ID, line(ID, "Hello"));
    assert_eq!(world.claw(&["sessions", "check"]).status.code(), Some(0));
    #[cfg(unix)]
    {
        let link = whole.with_file_name("6f0c61a2-1111-4222-8333-444455556666.jsonl");
        std::os::unix::fs::symlink("gone.jsonl", link).unwrap();
        let checked = world.claw(&["sessions", "check"]);
        assert_eq!(checked.status.code(), Some(3), "{checked:?}");
        assert!(printed(&checked).contains("leads nowhere"), "{checked:?}");
    }
}

#[test]
fn an_id_in_two_projects_is_listed_twice_and_ambiguous() {
    let world = World::with(&[]);
    let one = put(&world, "-srv-a", ID, line(ID, "Hello"));
    let other = put(&world, "-srv-b", ID, line(ID, "Hello again"));
    let rows = world.prints(&["sessions", "list", "--json"]);
    let rows: serde_json::Value = serde_json::from_str(&rows).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 2, "{rows}");
    for command in ["show", "repair", "tree", "export"] {
        let asked = world.claw(&["sessions", command, &ID[..8]]);
        assert_eq!(asked.status.code(), Some(3), "{command}: {asked:?}");
        for path in [&one, &other] {
            assert!(printed(&asked).contains(text(path)), "{command}: {asked:?}");
        }
    }
    let shown = world.prints(&["sessions", "show", text(&other)]);
    assert!(shown.contains("Hello again"), "{shown}");
    let shown = world.prints(&["sessions", "--dir", "/srv/a", "show", ID]);
    assert!(
        shown.contains("Hello") && !shown.contains("again"),
        "{shown}"
    );
}

#[test]
fn a_short_id_in_a_list_names_one_session() {
    let world = World::with(&[]);
    let twin = ID.replace("1111-4222", "1112-4222");
    put(&world, "-srv-a", ID, line(ID, "Hello"));
    put(&world, "-srv-a", &twin, line(&twin, "Hello again"));
    let listed = world.prints(&["sessions", "list"]);
    let rows: Vec<&str> = listed.lines().skip(1).collect();
    assert_eq!(rows.len(), 2, "{listed}");
    for row in rows {
        let id = row.split_whitespace().next().unwrap();
        let shown = world.prints(&["sessions", "show", id]);
        assert_eq!(row.contains("again"), shown.contains("again"), "{id}");
    }
}

#[test]
fn a_second_repair_leaves_no_second_copy() {
    let world = World::with(&[]);
    let torn = line(ID, "Hello") + "{\"parentUuid\":\"1111";
    let path = put(&world, "-srv-a", ID, torn);
    let sessions = || {
        let beside = fs::read_dir(path.parent().unwrap()).unwrap();
        let names = beside.map(|entry| entry.unwrap().path());
        names.filter(|path| path.is_file()).count()
    };
    for run in ["first", "second"] {
        let wrote = world.claw(&["sessions", "repair", ID, "--write"]);
        assert_eq!(wrote.status.code(), Some(0), "{run}: {wrote:?}");
        assert_eq!(sessions(), 2, "{run}");
    }
    let printed = printed(&world.claw(&["sessions", "repair", ID, "--write"]));
    assert!(printed.contains("repaired before"), "{printed}");
}

#[test]
fn counts_that_are_not_numbers_are_reported() {
    let world = World::with(&[]);
    let reply = |count: &str| {
        format!(
            r#"{{"parentUuid":null,"isSidechain":false,"type":"assistant","message":{{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{{"type":"text","text":"hi"}}],"usage":{{"input_tokens":1,"output_tokens":{count}}}}},"uuid":"11111111-1111-4111-8111-111111111111","timestamp":"2026-11-01T10:00:01.000Z","cwd":"/srv/a","sessionId":"{ID}"}}"#
        ) + "\n"
    };
    for (count, odd) in [("\"12\"", 1), ("-5", 1), ("7", 0), ("null", 0)] {
        put(&world, "-srv-a", ID, reply(count));
        let printed = printed(&world.claw(&["sessions", "usage"]));
        assert_eq!(
            printed.contains("below zero"),
            odd > 0,
            "{count}: {printed}"
        );
        let json = world.prints(&["sessions", "usage", "--json"]);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["read"]["oddCounts"], odd, "{count}");
        let checked = world.claw(&["sessions", "check", "--strict"]);
        assert_eq!(checked.status.code(), Some(odd), "{count}: {checked:?}");
    }
}

#[test]
fn damage_that_repair_cannot_fix_comes_with_advice() {
    let world = World::with(&[]);
    let bad = line(ID, "Hello").replace("2026-11-01T10:00:00.000Z", "noon");
    put(&world, "-srv-a", ID, bad);
    let ran = world.claw(&["sessions", "repair", ID]);
    assert_eq!(ran.status.code(), Some(2), "{ran:?}");
    let printed = printed(&ran);
    assert!(
        printed.contains("write it like 2026-01-31T12:00:00.000Z"),
        "{printed}"
    );
}

#[cfg(unix)]
#[test]
fn an_export_is_readable_only_by_its_owner() {
    use std::os::unix::fs::PermissionsExt as _;

    let world = World::with(&[]);
    put(&world, "-srv-a", ID, line(ID, "Hello"));
    let out = tempfile::tempdir().unwrap();
    let page = out.path().join("it.html");
    let all = out.path().join("all");
    fs::create_dir_all(all.join("-srv-a")).unwrap();
    // One that was there keeps no wider mode.
    fs::write(all.join("-srv-a").join(format!("{ID}.html")), "old").unwrap();
    world.prints(&["sessions", "export", ID, "-o", text(&page)]);
    world.prints(&["sessions", "export", "--all", "-o", text(&all)]);
    let inside = all.join("-srv-a").join(format!("{ID}.html"));
    for path in [page, all.join("index.html"), inside] {
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
    }
}

#[test]
fn characters_that_hide_text_do_not_reach_the_terminal() {
    let world = World::with(&[]);
    let hidden = "a\u{200b}b\u{200d}c\u{feff}d\u{2060}e\u{e0041}f\u{202e}g\u{ad}h\u{e0101}";
    put(&world, "-srv-a", ID, line(ID, hidden));
    for args in [
        &["list"][..],
        &["show", ID],
        &["tree", ID],
        &["search", "abc"],
    ] {
        let printed = printed(&world.claw(&[&["sessions"], args].concat()));
        let unseen = printed
            .chars()
            .find(|c| *c != '\n' && claw_transcript::is_unseen(*c));
        assert_eq!(unseen, None, "{args:?}: {printed:?}");
    }
    let shown = world.prints(&["sessions", "show", ID]);
    assert!(shown.contains("abcdefgh"), "{shown}");
}

#[test]
fn an_offset_beyond_the_last_session_is_reported() {
    let world = World::with(&[]);
    put(&world, "-srv-a", ID, line(ID, "Hello"));
    let listed = world.claw(&["sessions", "list", "--offset", "100"]);
    let printed = printed(&listed);
    assert!(
        printed.contains("--offset 100 is beyond the last session"),
        "{printed}"
    );
    assert!(printed.contains("there are 1"), "{printed}");
}
