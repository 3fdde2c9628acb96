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
