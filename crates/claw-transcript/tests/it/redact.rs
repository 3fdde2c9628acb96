//! Redacted copies of recorded sessions.

use std::path::{Path, PathBuf};

use claw_transcript::{
    Check, Counts, DrawOptions, Pseudonyms, Redact, RedactError, RedactReport, SessionFile,
    SessionTree, draw,
};

use crate::scratch::{Scratch, testdata};

mod evidence;
mod planted;

/// Every recorded main file.
fn recorded() -> Vec<SessionFile> {
    let children = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path())
    };
    let scenarios = children(testdata().join("cli/2.1.325"));
    let projects = scenarios.flat_map(|scenario| children(scenario.join("sessions")));
    let mut paths: Vec<PathBuf> = projects.flat_map(children).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    paths.sort();
    let files = paths.into_iter().map(|path| SessionFile::at(path).unwrap());
    files.collect()
}

/// Redacts a session with the default rules.
fn redacted_into(original: &SessionFile, into: &Path) -> RedactReport {
    let report = Redact::new().session(original, &mut Pseudonyms::new(), Some(into));
    report.unwrap()
}

fn whole(main: &SessionFile) -> Vec<SessionFile> {
    let mut files = vec![main.clone()];
    files.extend(main.agents().unwrap());
    files
}

fn drawn(main: &SessionFile) -> String {
    let tree = SessionTree::read(&whole(main)).unwrap();
    draw(&tree, &DrawOptions::new(), |_| String::new())
}

fn findings(main: &SessionFile) -> Counts {
    Check::new().threads(1).files(&whole(main)).total
}

#[test]
fn copies_of_recorded_sessions_are_the_same_trees_and_as_much_in_order() {
    let recorded = recorded();
    assert!(recorded.len() > 40, "{}", recorded.len());
    for original in recorded {
        let out = tempfile::tempdir().unwrap();
        let mut names = Pseudonyms::new();
        let report = Redact::new()
            .session(&original, &mut names, Some(out.path()))
            .unwrap();
        let copy = SessionFile::at(report.main_file().unwrap()).unwrap();
        let name = original.path.display();
        assert_eq!(drawn(&copy), drawn(&original), "{name}");
        assert_eq!(findings(&copy), findings(&original), "{name}");
        // Their user is called `user`; nothing else in them is a secret.
        let found: Vec<&String> = report.found.keys().collect();
        assert!(
            found.iter().all(|found| *found == "home-user"),
            "{name}: {}",
            report.to_text()
        );
        let again = Redact::new().session(&copy, &mut names, None).unwrap();
        assert_eq!(again.total(), 0, "{}", again.to_text());
    }
}

#[test]
fn a_copy_without_a_find_is_the_same_bytes() {
    for original in recorded() {
        let out = tempfile::tempdir().unwrap();
        let report = Redact::new()
            .only([])
            .session(&original, &mut Pseudonyms::new(), Some(out.path()))
            .unwrap();
        for file in &report.files {
            let (old, new) = (&file.original, file.written.as_ref().unwrap());
            assert!(
                std::fs::read(old).unwrap() == std::fs::read(new).unwrap(),
                "{}",
                old.display()
            );
            assert_eq!(file.lines_changed, 0);
        }
    }
}

const ID: &str = "11111111-0000-4000-8000-000000000001";

/// A session with the same text in all members.
fn leaky() -> (Scratch, PathBuf) {
    let scratch = Scratch::new();
    let line = |text: &str| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"22222222-0000-4000-8000-000000000001\",\"parentUuid\":null,\
             \"sessionId\":\"{ID}\",\"timestamp\":\"2026-11-15T02:33:47.027Z\",\"isSidechain\":false,\
             \"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n"
        )
    };
    let main = format!("{}{}", line("nothing"), line("c@d.io and a@b.io"));
    let path = scratch.session("-p", ID, main);
    let beside = path.with_extension("");
    std::fs::create_dir_all(beside.join("subagents")).unwrap();
    std::fs::create_dir_all(beside.join("tool-results")).unwrap();
    let agent = beside.join("subagents/agent-a1.jsonl");
    std::fs::write(&agent, line("ask\\na@b.io")).unwrap();
    std::fs::write(
        agent.with_extension("meta.json"),
        "{\"description\":\"for A@B.io\"}",
    )
    .unwrap();
    std::fs::write(beside.join("tool-results/x.txt"), "first\nsecond a@b.io\n").unwrap();
    std::fs::write(beside.join("tool-results/x.png"), b"\x89PNG\0\xFF").unwrap();
    (scratch, path)
}

fn read(path: impl AsRef<Path>) -> String {
    String::from_utf8(std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn one_secret_has_one_pseudonym_in_all_files_and_runs() {
    let (_scratch, path) = leaky();
    let original = SessionFile::at(&path).unwrap();
    let out = tempfile::tempdir().unwrap();
    let key = out.path().join("key");
    let mut names = Pseudonyms::load(&key).unwrap();
    let (first, second) = (out.path().join("1"), out.path().join("2"));
    let report = Redact::new()
        .session(&original, &mut names, Some(&first))
        .unwrap();
    names.save(&key).unwrap();
    let main = read(first.join(format!("{ID}.jsonl")));
    assert!(main.contains("[email-1] and [email-2]"), "{main}");
    assert_eq!(main.lines().next(), read(&path).lines().next());
    let beside = first.join(ID);
    assert!(read(beside.join("subagents/agent-a1.jsonl")).contains("ask\\n[email-2]"));
    assert_eq!(
        read(beside.join("subagents/agent-a1.meta.json")),
        "{\"description\":\"for [email-2]\"}"
    );
    assert_eq!(
        read(beside.join("tool-results/x.txt")),
        "first\nsecond [email-2]\n"
    );
    assert_eq!(
        std::fs::read(beside.join("tool-results/x.png")).unwrap(),
        b"\x89PNG\0\xFF"
    );
    assert_eq!((report.found["email"], report.distinct["email"]), (5, 2));
    let places: Vec<(u64, u64)> = report
        .files
        .iter()
        .flat_map(|file| &file.places)
        .map(|place| (place.line, place.offset))
        .collect();
    assert_eq!(places.last(), Some(&(2, 13)));
    // The report contains places, never secrets.
    let printed = report.to_text() + &serde_json::to_string(&report).unwrap();
    assert!(!printed.to_lowercase().contains("@b.io"), "{printed}");

    // Another run, in which the second is met first.
    std::fs::write(&path, read(&path).replace("c@d.io and ", "")).unwrap();
    let mut names = Pseudonyms::load(&key).unwrap();
    let redact = Redact::new().new_id(true).images(true);
    let report = redact
        .session(&original, &mut names, Some(&second))
        .unwrap();
    let id = report.new_session_id.unwrap();
    let main = read(second.join(format!("{id}.jsonl")));
    assert!(
        main.contains("[email-2]") && main.contains(&id) && !main.contains(ID),
        "{main}"
    );
    assert!(read(second.join(&id).join("subagents/agent-a1.jsonl")).contains(&id));
    let pixel = std::fs::read(second.join(&id).join("tool-results/x.png")).unwrap();
    assert!(pixel.len() > 60);
}

#[test]
fn nothing_is_written_over() {
    let (_scratch, path) = leaky();
    let original = SessionFile::at(&path).unwrap();
    let out = tempfile::tempdir().unwrap();
    let mut names = Pseudonyms::new();
    let redact = Redact::new();
    redact
        .session(&original, &mut names, Some(out.path()))
        .unwrap();
    let again = redact.session(&original, &mut names, Some(out.path()));
    assert!(matches!(again, Err(RedactError::Exists { .. })));
    let before = read(&path);
    let beside = redact
        .new_id(true)
        .session(&original, &mut names, path.parent());
    assert!(matches!(beside, Err(RedactError::AmongOriginals { .. })));
    assert_eq!(read(&path), before);
    let bad = out.path().join("bad.key");
    std::fs::write(&bad, "{}").unwrap();
    assert!(matches!(
        Pseudonyms::load(&bad),
        Err(RedactError::NotAKeyFile { .. })
    ));
}
