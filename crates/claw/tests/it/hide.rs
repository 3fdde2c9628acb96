//! `claw sessions hide` and `unhide`

use std::path::Path;

use serde_json::Value;

use crate::program::{DEMO, World, contents, read};

#[test]
fn hidden_messages_are_nowhere_to_be_seen_until_they_are_shown_again() {
    let world = World::demo();
    let own = tempfile::tempdir().unwrap();
    let own = own.path().to_str().unwrap();
    let before = contents(&world.config());
    let messages = world.prints(&["sessions", "export", "3f1d", "--json"]);
    let messages: Vec<Value> = serde_json::from_str(&messages).unwrap();
    let uuid = |said: &str| {
        let is = |message: &&Value| message["parts"].to_string().contains(said);
        messages.iter().find(is).unwrap()["id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let hide =
        |args: &[&str]| world.prints(&[&["sessions"][..], args, &["--data-dir", own]].concat());
    assert_eq!(hide(&["hide", "3f1d"]), "nothing is hidden\n");
    // The first prompt, which is also the title of a session without one; a call with its result;
    // the start of an abandoned branch; what a subagent was started by.
    let (prompt, call) = (uuid("tile server is slow"), uuid("git log --stat"));
    let (branch, agent) = (
        uuid("Just make the cache bigger"),
        uuid("Measure cold tiles"),
    );
    let said = hide(&[
        "hide",
        "3f1d",
        &prompt[..8],
        &call,
        &format!("#m-{branch}"),
        &agent,
    ]);
    insta::assert_snapshot!(said);
    let all = [
        "tile server is slow after a deploy: the",
        "Change number",
        "Just make the cache",
        "0.219",
    ];
    for form in ["--html", "--markdown", "--jsonl", "--json", "--document"] {
        let export = |more: &[&str]| hide(&[&["export", "3f1d", form][..], more].concat());
        let (without, with) = (export(&[]), export(&["--with-hidden"]));
        for hidden in all {
            assert!(with.contains(hidden), "{form} {hidden}");
            assert!(!without.contains(hidden), "{form} {hidden}");
        }
    }
    let ran = world.claw(&[
        "sessions",
        "export",
        "3f1d",
        "--document",
        "--data-dir",
        own,
    ]);
    let marked = String::from_utf8(ran.stdout).unwrap();
    assert!(
        marked
            .lines()
            .filter(|line| line.contains("\"isDeleted\":true"))
            .count()
            >= 5
    );
    assert!(
        String::from_utf8(ran.stderr)
            .unwrap()
            .contains("marked isDeleted")
    );
    // A copy under another id leaves them out too, and they can be shown again there.
    let text = read(
        &world
            .config()
            .join(format!("projects/-home-user-atlas/{DEMO}.jsonl")),
    );
    let copy = "3f1d8c52-9a4e-4b7c-8e21-5d0c6a7b9e11";
    let path = tempfile::tempdir().unwrap();
    let path = path.path().join(format!("{copy}.jsonl"));
    std::fs::write(&path, text.replace(DEMO, copy)).unwrap();
    let path = path.to_str().unwrap();
    assert!(!hide(&["export", path]).contains("Just make the cache"));
    let listed: Value = serde_json::from_str(&hide(&["hide", path, "--json"])).unwrap();
    assert_eq!(listed["hidden"][0]["sessionId"], DEMO);
    hide(&["unhide", path, &branch]);
    assert!(hide(&["export", "3f1d"]).contains("Just make the cache"));
    hide(&["hide", "3f1d", &branch]);
    let one = tempfile::tempdir().unwrap();
    let one = one.path().to_str().unwrap();
    world.prints(&["sessions", "hide", "3f1d", &branch, "--data-dir", one]);
    let ran = world.claw(&["sessions", "export", "3f1d", "--json", "--data-dir", one]);
    let said = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(said, "1 hidden message left out (--with-hidden)\n");
    // Everything at once leaves them out too.
    let out = tempfile::tempdir().unwrap();
    hide(&["export", "--all", "-o", out.path().to_str().unwrap()]);
    let page = read(&out.path().join(format!("-home-user-atlas/{DEMO}.html")));
    assert!(!page.contains("Just make the cache"));

    let listed: Value = serde_json::from_str(&hide(&["hide", "3f1d", "--json"])).unwrap();
    assert!(listed["hidden"].as_array().unwrap().len() >= 6, "{listed}");
    hide(&["unhide", "3f1d", &call]);
    assert!(hide(&["export", "3f1d"]).contains("Change number"));
    hide(&["unhide", "3f1d", "--all"]);
    assert_eq!(hide(&["hide", "3f1d"]), "nothing is hidden\n");
    assert_eq!(
        contents(&world.config()),
        before,
        "the session is as it was"
    );
    // A broken file of marks must not show what was hidden.
    let marks = Path::new(own).join(format!("deleted/{DEMO}.json"));
    std::fs::write(marks, "{\"messages\": [").unwrap();
    let ran = world.claw(&["sessions", "export", "3f1d", "--data-dir", own]);
    assert_eq!((ran.status.code(), ran.stdout.len()), (Some(3), 0));
}

#[test]
fn marks_of_forks_are_listed_and_undone() {
    let world = World::with(&[]);
    let folder = world.config().join("projects/-p");
    std::fs::create_dir_all(&folder).unwrap();
    let id = |number: u8| format!("5e5e5e5e-0000-4000-8000-00000000000{number}");
    let line = |session: &str, uuid: &str, parent: &str, says: &str, more: &str| {
        format!(
            r#"{{"parentUuid":{parent},"isSidechain":false,"uuid":"{uuid}","timestamp":"2026-01-31T12:00:01.000Z","sessionId":"{session}","cwd":"/tmp/x","version":"2.1.325","type":"user","message":{{"role":"user","content":"{says}"}}{more}}}"#
        ) + "\n"
    };
    let (original, fork) = (id(1), id(2));
    let (first, second) = (id(3), id(4));
    let text = line(&original, &first, "null", "plain words", "")
        + &line(&original, &second, &format!("{first:?}"), "SECRETWORD", "");
    std::fs::write(folder.join(format!("{original}.jsonl")), text).unwrap();
    let from = |uuid: &str| {
        format!(r#","forkedFrom":{{"sessionId":"{original}","messageUuid":"{uuid}"}}"#)
    };
    let text = line(&fork, &id(5), "null", "plain words", &from(&first))
        + &line(
            &fork,
            &id(6),
            &format!("{:?}", id(5)),
            "SECRETWORD",
            &from(&second),
        );
    std::fs::write(folder.join(format!("{fork}.jsonl")), text).unwrap();

    let own = tempfile::tempdir().unwrap();
    let own = ["--data-dir", own.path().to_str().unwrap()];
    let run = |args: &[&str]| world.prints(&[&["sessions"][..], args, &own].concat());
    // Two messages, one document.
    let both = run(&["hide", &original, &first, &second, "--json"]);
    let both: Value = serde_json::from_str(&both).unwrap();
    assert_eq!(both["hidden"].as_array().map(Vec::len), Some(2), "{both}");
    run(&["unhide", &original, &first]);

    assert!(!run(&["export", &fork, "--markdown"]).contains("SECRETWORD"));
    let listed: Value = serde_json::from_str(&run(&["hide", &fork, "--json"])).unwrap();
    assert_eq!(listed["hidden"][0]["uuid"], id(6), "{listed}");
    assert_eq!(listed["hidden"][0]["sessionId"], original, "{listed}");
    assert!(run(&["hide", &fork]).contains("SECRETWORD"));
    assert!(run(&["unhide", &fork, "--all"]).contains("shown again"));
    assert!(run(&["export", &fork, "--markdown"]).contains("SECRETWORD"));
    assert_eq!(run(&["hide", &original]), "nothing is hidden\n");
}
