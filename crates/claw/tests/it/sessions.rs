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
    // No escape codes in a pipe.
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
    let agents = json
        .lines()
        .filter(|line| line.contains("jsonl\",\"agentId\":\"a"));
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

#[test]
fn a_redacted_copy_has_the_same_tree_and_no_secret() {
    let world = World::with(&["agent_foreground"]);
    let rows: serde_json::Value =
        serde_json::from_str(&world.prints(&["sessions", "list", "--json"])).unwrap();
    let id = rows[0]["sessionId"].as_str().unwrap();
    let dry = world.prints(&["sessions", "redact", id]);
    assert!(
        dry.contains("home-user") && dry.contains("nothing written"),
        "{dry}"
    );

    let shared = tempfile::tempdir().unwrap();
    let (out, key) = (shared.path().join("copy"), shared.path().join("key"));
    let (out_name, key_name) = (out.to_str().unwrap(), key.to_str().unwrap());
    let args = [
        "sessions", "redact", id, "-o", out_name, "--key", key_name, "--json",
    ];
    let report: serde_json::Value = serde_json::from_str(&world.prints(&args)).unwrap();
    assert_eq!(report["inOrder"], true);
    assert!(report["found"]["home-user"].as_u64() > Some(0), "{report}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&key).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let copy = out.join(format!("{id}.jsonl"));
    let copy = copy.to_str().unwrap();
    let text = std::fs::read_to_string(copy).unwrap();
    assert!(text.contains("/home/user-1/") && !text.contains("/home/user/"));
    let tree = world.prints(&["sessions", "tree", id]);
    let expected = tree.replace("/home/user/", "/home/user-1/");
    assert_eq!(world.prints(&["sessions", "tree", copy]), expected);

    // Nothing is written over, among the CLI's own files, or with its key beside it.
    let config = world.config();
    let own = config.join("projects/copy");
    let beside = out.join("key");
    for (output, key) in [
        (out_name, key_name),
        (own.to_str().unwrap(), key_name),
        (out_name, beside.to_str().unwrap()),
    ] {
        let refused = world.claw(&["sessions", "redact", id, "-o", output, "--key", key]);
        assert_eq!(refused.status.code(), Some(3), "{output} {key}");
    }
    assert!(!own.exists() && !beside.exists());
}
