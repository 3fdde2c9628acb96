//! `claw sessions search`

use crate::program::World;

#[test]
fn search_shows_who_said_what_and_exits_as_grep_does() {
    let world = World::with(&["perm_allow", "agent_foreground"]);
    insta::assert_snapshot!(world.prints(&["sessions", "search", "-i", "-C", "30", "OUTPUT"]));
    let shown = world.prints(&[
        "--color", "always", "sessions", "search", "-n", "1", "output",
    ]);
    assert!(
        shown.contains("\u{1b}[1m\u{1b}[31moutput\u{1b}[0m"),
        "{shown:?}"
    );
    for line in world
        .prints(&["sessions", "search", "--json", "-e", "out.ut"])
        .lines()
    {
        let hit: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = hit["text"].as_str().unwrap();
        let at = |end: usize| hit["matches"][0][end].as_u64().unwrap() as usize;
        assert_eq!(&text[at(0)..at(1)], "output");
        let path = hit["path"].as_str().unwrap().strip_prefix("DIR/").unwrap();
        let file = std::fs::read(world.config().join(path)).unwrap();
        let offset = hit["offset"].as_u64().unwrap() as usize;
        assert_eq!(file[offset], b'{');
    }
    let code = |args: &[&str]| world.claw(args).status.code();
    assert_eq!(code(&["sessions", "search", "in no session"]), Some(1));
    assert_eq!(
        code(&[
            "sessions", "search", "output", "--since", "1d", "--until", "2d"
        ]),
        Some(1)
    );
    assert_eq!(code(&["sessions", "search", "-e", "("]), Some(3));
    assert_eq!(
        code(&["sessions", "search", "output", "--role", "nobody"]),
        Some(2)
    );
}

#[test]
fn an_index_is_kept_outside_of_the_folder_and_changes_nothing() {
    let world = World::with(&["perm_allow", "agent_foreground"]);
    let cache = tempfile::tempdir().unwrap();
    let plain = world.prints(&["sessions", "search", "output"]);
    let option = format!("--index={}", cache.path().display());
    let indexed = || world.claw(&["sessions", "search", &option, "output"]);
    for _ in 0..2 {
        assert_eq!(
            world.prints(&["sessions", "search", &option, "output"]),
            plain
        );
        assert_eq!(String::from_utf8_lossy(&indexed().stderr), "");
    }
    let kept = std::fs::read_dir(cache.path()).unwrap().flatten();
    let mut kept = kept.map(|file| file.path());
    let index = kept
        .find(|path| path.extension().is_some_and(|end| end == "idx"))
        .unwrap();
    // A broken one is thrown away with a word, once.
    let mut bytes = std::fs::read(&index).unwrap();
    bytes[100] ^= 1;
    std::fs::write(&index, bytes).unwrap();
    assert!(String::from_utf8_lossy(&indexed().stderr).starts_with("index built anew: "));
    assert_eq!(String::from_utf8_lossy(&indexed().stderr), "");
    // What belongs to the CLI is not written to.
    let inside = format!("--index={}", world.config().join("cache").display());
    let refused = world.claw(&["sessions", "search", &inside, "output"]);
    assert_eq!(refused.status.code(), Some(3));
}
