//! `claw sessions`

use crate::program::World;

#[test]
fn without_a_command_it_shows_where_things_stand() {
    let world = World::with(&["perm_allow", "agent_foreground"]);
    insta::assert_snapshot!(world.prints(&["sessions"]));
    let json: serde_json::Value =
        serde_json::from_str(&world.prints(&["sessions", "--json"])).unwrap();
    assert_eq!(
        (json["sessions"].as_u64(), json["agentFiles"].as_u64()),
        (Some(2), Some(1))
    );
}

#[test]
fn a_list_is_for_people_and_for_programs() {
    let world = World::with(&["perm_allow", "agent_foreground"]);
    let rows: serde_json::Value =
        serde_json::from_str(&world.prints(&["sessions", "list", "--json"])).unwrap();
    assert_eq!(rows.as_array().map(Vec::len), Some(2));
    assert!(rows[0]["sessionId"].is_string());
    // Nobody looks at a pipe: no escape codes.
    assert!(!world.prints(&["sessions", "list"]).contains('\u{1b}'));
}

#[test]
fn a_conversation_is_shown_by_the_start_of_its_id() {
    let world = World::with(&["perm_allow"]);
    let rows: serde_json::Value =
        serde_json::from_str(&world.prints(&["sessions", "list", "--json"])).unwrap();
    let id = rows[0]["sessionId"].as_str().unwrap();
    insta::assert_snapshot!(world.prints(&["sessions", "show", &id[..6]]));
    let missing = world.claw(&["sessions", "show", "zzz"]);
    assert_eq!(missing.status.code(), Some(3));
    let said = String::from_utf8(missing.stderr).unwrap();
    assert!(said.contains("claw sessions list"), "{said}");
}

#[test]
fn an_empty_folder_is_no_error() {
    let world = World::with(&[]);
    insta::assert_snapshot!(world.prints(&["sessions"]));
    assert_eq!(world.prints(&["sessions", "list", "--json"]).trim(), "[]");
}

#[test]
fn shells_and_manuals_are_served() {
    let world = World::with(&[]);
    for shell in ["bash", "zsh", "fish"] {
        assert!(world.prints(&["completions", shell]).contains("sessions"));
    }
    let folder = world.config().join("man");
    world.prints(&["man", folder.to_str().unwrap()]);
    assert!(folder.join("claw-sessions-list.1").exists());
}

#[test]
fn help_teaches() {
    let world = World::with(&[]);
    insta::assert_snapshot!(world.prints(&["sessions", "--help"]));
}

#[test]
fn usage_is_counted_and_explained() {
    let world = World::with(&["perm_allow", "agent_foreground"]);
    insta::assert_snapshot!(world.prints(&["sessions", "usage", "--zone", "UTC", "--by", "model"]));
    let json: serde_json::Value =
        serde_json::from_str(&world.prints(&["sessions", "usage", "--json"])).unwrap();
    assert!(json["total"]["messages"].as_u64() > Some(4));
    let explained = world.prints(&["sessions", "usage", "--explain", "total"]);
    assert!(explained.contains("counts"), "{explained}");
}

#[test]
fn a_session_is_followed_from_where_somebody_was() {
    let world = World::with(&["agent_foreground"]);
    let rows: serde_json::Value =
        serde_json::from_str(&world.prints(&["sessions", "list", "--json"])).unwrap();
    let id = rows[0]["sessionId"].as_str().unwrap();
    let place = world.config().join("place.json");
    let place = place.to_str().unwrap();
    let args = ["sessions", "follow", id, "--once", "--cursor", place];
    insta::assert_snapshot!(world.prints(&args));
    assert_eq!(world.prints(&args), "", "nothing is new");
    let json = world.prints(&["sessions", "follow", id, "--once", "--json", "-n", "1"]);
    let agents = json.lines().filter(|line| line.contains("\"agent\":\"a"));
    assert!(agents.count() > 2, "{json}");
}

#[test]
fn a_check_says_where_a_file_is_broken_and_exits_by_it() {
    let world = World::with(&["perm_allow"]);
    assert!(world.prints(&["sessions", "check"]).starts_with("in order"));
    let rows: serde_json::Value =
        serde_json::from_str(&world.prints(&["sessions", "list", "--json"])).unwrap();
    let path = rows[0]["path"]
        .as_str()
        .unwrap()
        .strip_prefix("DIR/")
        .unwrap();
    let path = world.config().join(path);
    let text = std::fs::read_to_string(&path).unwrap();
    let copy = world.config().join("copy.jsonl");
    std::fs::write(
        &copy,
        text.replacen("\"timestamp\":\"2", "\"timestamp\":\"x", 1),
    )
    .unwrap();
    let copy = copy.to_str().unwrap();
    let broken = world.claw(&["sessions", "check", copy]);
    assert_eq!(broken.status.code(), Some(2));
    let said = String::from_utf8(broken.stdout).unwrap();
    insta::assert_snapshot!(said.replace(copy, "copy.jsonl"));
    let sarif = world.claw(&["sessions", "check", "--sarif", copy]);
    let sarif: serde_json::Value = serde_json::from_slice(&sarif.stdout).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    assert_eq!(
        world
            .claw(&["sessions", "check", "gone.jsonl"])
            .status
            .code(),
        Some(3)
    );
}

#[test]
fn a_tree_is_drawn_of_a_session_or_a_file() {
    let world = World::with(&[]);
    let flows = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sessions/flows");
    let edited = format!("{flows}/disk/edit_branch.jsonl");
    insta::assert_snapshot!(world.prints(&["sessions", "tree", &edited]));
    let document = format!("{flows}/document/edit_branch.jsonl");
    insta::assert_snapshot!(world.prints(&["sessions", "tree", "--ascii", &document]));
    let json = world.prints(&["sessions", "tree", "--json", &document]);
    assert!(json.lines().count() >= 6, "{json}");
}
