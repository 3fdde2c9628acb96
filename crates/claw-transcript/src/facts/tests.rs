//! One pass finds what the reference implementation finds, in every corpus.

mod plain;

use std::path::Path;

use claw_testkit::corpus::{SessionCorpus, hostile_files, traps};
use claw_testkit::processes::cpu_time;
use proptest::prelude::*;

use super::member::Named;
use super::{Facts, Member};
use crate::entry::Entry;
use crate::files::SessionFile;
use crate::library::SessionLibrary;
use crate::lines::{Lines, readable};

/// Compares the facts of a line with the reference implementation, and with its entry.
fn compare(line: &[u8]) {
    let text = readable(line);
    let shown = || text.chars().take(300).collect::<String>();
    let facts = Facts::read(&text);
    let members = plain::members(&text).filter(|_| text.starts_with('{'));
    assert_eq!(facts.is_some(), members.is_some(), "{}", shown());
    let (Some(facts), Some(members)) = (facts, members) else {
        return;
    };
    let mut unknown = Vec::new();
    let mut message = None;
    for (name, value) in &members {
        match Named::of(name) {
            Named::Kept(member) => {
                let last = members.iter().rfind(|(other, _)| other == name);
                assert_eq!(facts.get(member), last.map(|(_, value)| *value), "{name}");
                if member == Member::Message {
                    message = Some(*value);
                }
            }
            Named::Known => {}
            Named::Unknown => unknown.push((name.clone(), *value)),
        }
    }
    assert_eq!(facts.unknown, unknown, "{}", shown());
    assert_eq!(
        facts.message,
        message.and_then(plain::message),
        "{}",
        shown()
    );
    let entry = Entry::read(line).expect("facts, so an entry");
    assert_eq!(
        (facts.kind, facts.dialect),
        (entry.kind(), entry.dialect()),
        "{}",
        shown()
    );
    let mended = crate::repair::surrogates::whole_characters(&text);
    let lone = facts.lone_sent.or(facts.lone_kept);
    assert_eq!(lone.is_some(), mended != text, "{}", shown());
}

pub(crate) fn lines_of(bytes: &[u8], mut each: impl FnMut(&[u8])) -> u64 {
    let mut lines = Lines::new(bytes);
    let mut count = 0;
    while let Some(line) = lines.next_line().expect("memory does not fail") {
        each(line.raw);
        count += 1;
    }
    count
}

fn files_under(folder: &Path) -> Vec<SessionFile> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.append(&mut files_under(&path));
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            found.push(SessionFile::at(path).expect("a file"));
        }
    }
    found
}

/// Recorded, handmade, generated and hostile files, and traps.
pub(crate) fn all_corpora(folder: &Path) -> Vec<SessionFile> {
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let mut files = files_under(&testdata);
    assert!(files.len() >= 60, "{} files of test data", files.len());
    let generated = folder.join("generated");
    SessionCorpus::of_sessions(30)
        .seed(11)
        .damage_every(3)
        .write(&generated)
        .expect("a corpus");
    let library = SessionLibrary::open(generated.join(".claude"));
    files.extend(library.files().expect("files"));
    let trapped = folder.join("traps");
    assert!(traps::write_all(&trapped).expect("traps").len() >= 30);
    files.append(&mut files_under(&trapped));
    let hostile = folder.join("hostile");
    for path in hostile_files(&hostile).expect("files") {
        files.push(SessionFile::at(path).expect("a file"));
    }
    files
}

#[test]
fn one_pass_reads_all_corpora_as_serde_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut lines = 0;
    for file in all_corpora(folder.path()) {
        let bytes = std::fs::read(&file.path).expect("a file");
        lines += lines_of(&bytes, compare);
    }
    assert!(lines > 2000, "{lines} lines");
}

/// Pieces of lines.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\"a\":",
    "\"message\":",
    "\"content\":[",
    "\"type\":",
    "{\"type\":\"text\",\"text\":",
    "{\"role\":\"user\",",
    "\"x\"",
    "\"\\u00e4\"",
    "\"\\ud83d\"",
    "\"\\ud83d\\ude00\"",
    "\"\\ude00\\ud83d\"",
    "\"\\ud83d\":1",
    "\"\\x\"",
    "\"\\u12\"",
    "\\",
    "\\\"",
    "\u{1f}",
    "\t",
    " ",
    "\r",
    "0",
    "-1",
    "01",
    "1.5e+3",
    "1.",
    "-",
    "2e",
    "true",
    "false",
    "null",
    "nul",
    "é",
    "\u{2028}",
    "12345678",
    "abcdefghijklmnop\"",
    "\u{7f}",
];

proptest! {
    #[test]
    fn one_pass_takes_what_serde_takes(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..24),
        around in 0..4_usize,
    ) {
        let text = pieces.concat();
        let text = match around {
            0 => text,
            1 => format!("{{\"message\":{{\"content\":[{text}]}}}}"),
            2 => format!("{{\"a\":\"{text}\",\"uuid\":1}}"),
            _ => format!("{{\"message\":{text},\"mine\":[{text}]}}"),
        };
        compare(text.as_bytes());
    }
}

#[test]
fn a_line_may_be_as_deep_as_it_likes() {
    let deep = [
        "{\"message\":{\"content\":[".to_owned(),
        "[".repeat(200_000),
        "]".repeat(200_000),
        "]}}".to_owned(),
    ]
    .concat();
    let facts = Facts::read(&deep).expect("JSON");
    assert_eq!(facts.message.expect("a message").blocks().len(), 1);
    assert!(Facts::read(&deep[..deep.len() - 1]).is_none());
}

#[test]
fn very_many_unknown_names_take_no_square() {
    let members: Vec<String> = (0..100_000).map(|at| format!("\"n{at}\":1")).collect();
    let line = format!("{{{}}}", members.join(","));
    let start = cpu_time();
    let facts = Facts::read(&line).expect("JSON");
    assert_eq!(facts.unknown.len(), 100_000);
    // Quadratic time would take minutes.
    let used = cpu_time() - start;
    assert!(used.as_secs() < 10, "{used:?}");
}
