//! `claw sessions export`

use std::path::Path;

use serde_json::Value;

use crate::program::{DEMO, World, contents, read};

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
            "in the folder of Claude Code",
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
