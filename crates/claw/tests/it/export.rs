//! `claw sessions export`, `hide` and `unhide`

use std::path::Path;

use serde_json::Value;

use crate::program::World;

const DEMO: &str = "3f1d8c52-9a4e-4b7c-8e21-5d0c6a7b9e10";

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// All files of a folder and what is in them.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(contents(&path));
        } else {
            all.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
    all.sort();
    all
}

#[test]
fn help_teaches() {
    let world = World::with(&[]);
    for command in ["export", "hide"] {
        let help = world.prints(&["sessions", command, "--help"]);
        let (_, examples) = help.split_once("-V, --version").unwrap();
        insta::assert_snapshot!(format!("help_{command}"), examples);
    }
}

#[test]
fn a_session_becomes_each_form() {
    let world = World::demo();
    let out = tempfile::tempdir().unwrap();
    let before = contents(&world.config());
    let page = out.path().join("new/it.html");
    let said = world.prints(&["sessions", "export", "3f1d", "-o", page.to_str().unwrap()]);
    let said = said.replace(out.path().to_str().unwrap(), "OUT");
    // The size is last, and changes with the style of the page.
    insta::assert_snapshot!(said.rsplit_once(", ").unwrap().0);
    let html = read(&page);
    assert!(html.starts_with("<!doctype html>") && html.ends_with("</html>\n"));
    assert_eq!(
        world.prints(&["sessions", "export", "3f1d"]),
        html,
        "on standard output"
    );
    // A folder takes it under the session's id, and nothing half is left.
    world.prints(&[
        "sessions",
        "export",
        DEMO,
        "--markdown",
        "-o",
        out.path().to_str().unwrap(),
    ]);
    let markdown = read(&out.path().join(format!("{DEMO}.md")));
    assert!(markdown.starts_with("# Why the tile server is slow after a deploy\n"));
    assert_eq!(contents(out.path()).len(), 2);
    let json: Vec<Value> =
        serde_json::from_str(&world.prints(&["sessions", "export", "3f1d", "--json"])).unwrap();
    assert!(json.iter().any(|message| message["kind"] == "compaction"));
    let lines = world.prints(&["sessions", "export", "3f1d", "--jsonl"]);
    let file = world
        .config()
        .join(format!("projects/-home-user-atlas/{DEMO}.jsonl"));
    assert!(lines.lines().count() > 30 && lines.lines().all(|line| read(&file).contains(line)));
    // A file is as good as an id.
    let same = world.prints(&["sessions", "export", file.to_str().unwrap()]);
    assert_eq!(same, html);
    assert_eq!(contents(&world.config()), before);
}

#[test]
fn the_dialect_of_the_document_says_what_it_lost() {
    let world = World::demo();
    let out = tempfile::tempdir().unwrap();
    let to = out.path().join("d.jsonl");
    let args = [
        "sessions",
        "export",
        "3f1d",
        "--document",
        "-o",
        to.to_str().unwrap(),
    ];
    let ran = world.claw(&args);
    assert!(ran.status.success());
    insta::assert_snapshot!(String::from_utf8(ran.stderr).unwrap());
    let report: Value =
        serde_json::from_str(&world.prints(&[&args[..], &["--json"]].concat())).unwrap();
    let lost = report["lost"].as_array().unwrap();
    assert!(lost.len() > 12 && lost.iter().any(|lost| lost["name"] == "message.usage"));
    assert_eq!(report["format"], "document");
    // On standard output is the export, and nothing else.
    let ran = world.claw(&["sessions", "export", "3f1d", "--document", "--json"]);
    assert_eq!(String::from_utf8(ran.stdout).unwrap(), read(&to));
    let report: Value = serde_json::from_slice(&ran.stderr).unwrap();
    assert_eq!(report["lost"].as_array(), Some(lost));
    // What comes out is in order by the document's own rules.
    assert!(
        world
            .prints(&["sessions", "check", to.to_str().unwrap()])
            .starts_with("in order")
    );
}

#[test]
fn a_branch_is_chosen_by_what_is_on_it() {
    let world = World::demo();
    let export = |branch: &str| world.prints(&["sessions", "export", "3f1d", "--branch", branch]);
    let (all, live) = (export("all"), export("live"));
    let abandoned = "Just make the cache bigger";
    assert!(all.contains(abandoned) && !live.contains(abandoned));
    let (before, _) = all.rsplit_once(abandoned).unwrap();
    let address = before
        .rsplit_once("href=\"#m-")
        .unwrap()
        .1
        .split('"')
        .next()
        .unwrap();
    let through = export(&format!("it.html#m-{address}"));
    assert!(through.contains(abandoned) && !through.contains("Keep the public functions"));
    assert_eq!(export(address), through);
    let nowhere = world.claw(&["sessions", "export", "3f1d", "--branch", "nowhere"]);
    assert_eq!(nowhere.status.code(), Some(3));
    assert!(nowhere.stdout.is_empty());
}

#[test]
fn everything_becomes_a_folder_with_a_list() {
    let world = World::with(&["perm_allow", "agent_foreground"]);
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().join("pages");
    let to = folder.to_str().unwrap();
    let said = world.prints(&["sessions", "export", "--all", "-o", to]);
    assert!(
        said.starts_with(&format!("written to {to}: 2 sessions, ")),
        "{said}"
    );
    assert_eq!(
        read(&folder.join("index.html"))
            .matches("<li><time>")
            .count(),
        2
    );
    let report = world.prints(&[
        "sessions",
        "export",
        "--all",
        "--document",
        "--json",
        "-o",
        to,
    ]);
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(
        (&report["sessions"], &report["failed"]),
        (&2.into(), &Value::Array(vec![]))
    );
    assert!(!report["lost"].as_array().unwrap().is_empty());
    assert_eq!(contents(&folder).len(), 5);
}

#[test]
fn what_would_do_harm_is_refused() {
    let world = World::demo();
    let inside = world.config().join("projects/it.html");
    let copy = tempfile::tempdir().unwrap();
    let copy = copy.path().join("copy.jsonl");
    let file = world
        .config()
        .join(format!("projects/-home-user-atlas/{DEMO}.jsonl"));
    std::fs::copy(&file, &copy).unwrap();
    let copy = copy.to_str().unwrap();
    for (args, code, why) in [
        (
            vec!["export", "3f1d", "-o", inside.to_str().unwrap()],
            3,
            "among the files of Claude Code",
        ),
        (vec!["export", copy, "-o", copy], 3, "is the session itself"),
        (vec!["export"], 2, "required"),
        (vec!["export", "--all"], 2, "--output"),
        (
            vec!["export", "3f1d", "--html", "--document"],
            2,
            "cannot be used with",
        ),
        (vec!["export", "ffff"], 3, "claw sessions list"),
        (vec!["hide", "3f1d", "zzz", "--data-dir", copy], 3, ""),
        (vec!["hide", "3f1d", "zzz"], 3, "CLAW_DATA_DIR"),
    ] {
        let ran = world.claw(&[&["sessions"][..], &args].concat());
        let said = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(code), "{args:?} {said}");
        assert!(said.contains(why), "{args:?} {said}");
    }
    assert!(!inside.exists());
    assert_eq!(std::fs::read(copy).unwrap(), std::fs::read(file).unwrap());
}

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
    assert_eq!(said, "1 hidden message is left out (--with-hidden)\n");
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

#[cfg(unix)]
#[test]
fn a_path_that_is_no_text_is_told_to_programs() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::demo();
    let out = tempfile::tempdir().unwrap();
    let odd = out.path().join(std::ffi::OsStr::from_bytes(b"bad\xff"));
    let run = |verb: &[&str], to: &Path| {
        let run = std::process::Command::new(env!("CARGO_BIN_EXE_claw"))
            .args(verb)
            .arg("--output")
            .arg(to)
            .env_clear()
            .env("CLAUDE_CONFIG_DIR", world.config())
            .output()
            .unwrap();
        assert!(run.status.success(), "{verb:?}: {run:?}");
        serde_json::from_slice::<Value>(&run.stdout).unwrap()
    };
    let export = ["sessions", "export", "3f1d", "--markdown", "--json"];
    let answer = run(&export, &odd);
    assert!(answer["output"].as_str().unwrap().ends_with("bad\u{fffd}"));
    std::fs::remove_file(&odd).unwrap();
    let answer = run(&["sessions", "redact", "3f1d", "--json"], &odd);
    let written = answer["files"][0]["written"].as_str().unwrap();
    assert!(written.contains("bad\u{fffd}"), "{written}");
}

#[test]
fn a_dash_is_standard_output() {
    let world = World::demo();
    let export = ["sessions", "export", "3f1d", "--markdown"];
    let out = tempfile::tempdir().unwrap();
    let dash = std::process::Command::new(env!("CARGO_BIN_EXE_claw"))
        .args(export)
        .args(["--output", "-"])
        .current_dir(out.path())
        .env_clear()
        .env("CLAUDE_CONFIG_DIR", world.config())
        .output()
        .unwrap();
    assert!(dash.status.success(), "{dash:?}");
    assert_eq!(dash.stdout, world.claw(&export).stdout);
    assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 0);
}
