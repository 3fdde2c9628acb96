//! All files of a library, and their lines.

use std::fs;
use std::path::PathBuf;

use claw_transcript::{Body, Dialect, Entry, FileRole, Kind, Lines, SessionLibrary};

use crate::scratch::testdata;

fn recorded() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![testdata().join("cli"), testdata().join("sessions")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "jsonl") {
                found.push(path);
            }
        }
    }
    assert!(found.len() >= 57, "{} session files", found.len());
    found
}

#[test]
fn every_recorded_file_is_written_back_as_it_was() {
    for path in recorded() {
        let bytes = fs::read(&path).expect("a file");
        let mut lines = Lines::new(&bytes[..]);
        let mut back = Vec::new();
        while let Some(line) = lines.next_line().expect("memory does not fail") {
            assert_eq!(line.offset, back.len() as u64);
            back.extend_from_slice(line.raw);
            back.extend_from_slice(line.end.bytes());
        }
        assert_eq!(back, bytes, "{}", path.display());
    }
}

#[test]
fn every_line_the_cli_wrote_is_of_a_known_kind_in_the_disk_dialect() {
    let mut kinds = std::collections::BTreeSet::new();
    let mut broken = 0;
    let recorded = recorded().into_iter();
    for path in recorded.filter(|path| path.starts_with(testdata().join("cli"))) {
        let bytes = fs::read(&path).expect("a file");
        let mut lines = Lines::new(&bytes[..]);
        while let Some(line) = lines.next_line().expect("memory does not fail") {
            let body = line.body();
            // Some recordings resume files that were torn on purpose.
            let Some(entry) = body.entry() else {
                broken += 1;
                continue;
            };
            assert_ne!(entry.kind(), Kind::Unknown, "{}", entry.kind_text());
            assert_eq!(entry.dialect(), Dialect::Disk, "{}", entry.text());
            kinds.insert(entry.kind().as_str());
        }
    }
    insta::assert_debug_snapshot!((kinds, broken));
}

#[test]
fn links_are_followed_once_and_agents_outlive_their_session() {
    let dir = tempfile::tempdir().expect("a folder");
    let projects = dir.path().join("projects");
    let write = |path: &str| {
        let path = projects.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, "{}\n").expect("a file");
    };
    write("-real/11111111-1111-4111-8111-111111111111.jsonl");
    write("-real/11111111-1111-4111-8111-111111111111/subagents/agent-a1.jsonl");
    write("-real/11111111-1111-4111-8111-111111111111/subagents/agent-a1.meta.json");
    write("-real/11111111-1111-4111-8111-111111111111/tool-results/x.txt");
    write("-real/22222222-2222-4222-8222-222222222222/subagents/agent-a2.jsonl");
    write("-real/agent-old.jsonl");
    write("-real/11111111-1111-4111-8111-111111111111/subagents/workflows/w/journal.jsonl");
    #[cfg(unix)]
    std::os::unix::fs::symlink("-real", projects.join("-a-link")).expect("a link");
    let files = SessionLibrary::open(dir.path()).files().expect("files");
    let drawn: Vec<String> = files
        .iter()
        .map(|file| {
            let path = file.path.strip_prefix(&projects).expect("inside");
            let role = match &file.role {
                FileRole::Agent { agent_id } => format!("agent {agent_id}"),
                FileRole::Journal => "journal".to_owned(),
                _ => "main".to_owned(),
            };
            let session = file.session_id.as_deref().map_or("-", |id| &id[..4]);
            format!("{} {role} {session}", path.display())
        })
        .collect();
    insta::assert_debug_snapshot!(drawn);
}

#[test]
fn the_documents_examples_are_its_dialect() {
    let mut seen = 0;
    for entry in fs::read_dir(testdata().join("documents/001")).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let text = fs::read(&path).expect("a file");
        // An example has several lines, which are read as one.
        if let Body::Entry(entry) = Body::read(&text) {
            assert_eq!(entry.dialect(), Dialect::Document, "{}", path.display());
            assert!(Entry::read(&text).is_some_and(|entry| entry.uuid().is_some()));
            seen += 1;
        }
    }
    assert!(seen >= 7, "only {seen} examples are entries");
}
