//! The fast readers give what the plain ones give, whatever the files are.

use std::path::Path;

use claw_testkit::corpus::{SessionCorpus, hostile_files, traps};
use proptest::prelude::*;

use super::facts::Facts;
use super::json::Cursor;
use super::member::{Member, Named};
use super::said::Said;
use super::{Check, plain};
use crate::entry::Entry;
use crate::files::SessionFile;
use crate::library::SessionLibrary;
use crate::lines::{Lines, readable};

/// Holds the reading of a line to the plain one.
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
    let said = message.and_then(plain::said);
    assert_eq!(facts.said, said, "{}", shown());
    assert_eq!(message.and_then(Said::read), said, "{}", shown());
    let mended = crate::repair::surrogates::whole_characters(&text);
    let half = facts.half_sent.or(facts.half_kept);
    assert_eq!(half.is_some(), mended != text, "{}", shown());
}

/// What a line is, as the checks see it and as entries say it. A message of the document that lost
/// its session is one for the checks alone.
fn compare_dialects(line: &[u8]) {
    let text = readable(line);
    let Some(facts) = Facts::read(&text) else {
        return;
    };
    let Some(entry) = Entry::read(line) else {
        panic!("no entry: {text}");
    };
    assert_eq!(facts.kind, entry.kind(), "{text}");
    let lost = facts.get(Member::Session).is_none() && facts.get(Member::Parent).is_none();
    if !lost {
        assert_eq!(facts.dialect, entry.dialect(), "{text}");
    }
}

fn lines_of(bytes: &[u8], mut each: impl FnMut(&[u8])) -> u64 {
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

/// Recorded, made by hand, generated, traps and hostile files.
fn all_corpora(folder: &Path) -> Vec<SessionFile> {
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
fn one_pass_reads_all_corpora_as_serde_does_and_says_the_same_dialect_as_entries() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut lines = 0;
    for file in all_corpora(folder.path()) {
        let bytes = std::fs::read(&file.path).expect("a file");
        lines += lines_of(&bytes, |line| {
            compare(line);
            compare_dialects(line);
        });
    }
    assert!(lines > 2000, "{lines} lines");
}

#[test]
fn traps_and_hostile_files_are_checked_to_their_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = all_corpora(folder.path());
    let mut lines = 0;
    let mut bytes = 0;
    for file in &files {
        let content = std::fs::read(&file.path).expect("a file");
        bytes += content.len() as u64;
        lines += lines_of(&content, |_| {});
    }
    let report = Check::new().listed(3).files(&files);
    assert_eq!(report.files_checked, files.len() as u64);
    assert_eq!((report.lines_checked, report.bytes_checked), (lines, bytes));
    let rules = super::Rule::ALL.len();
    for file in &report.files {
        assert!(file.findings.len() <= 3 * rules, "{}", file.path.display());
        for finding in &file.findings {
            let length = std::fs::metadata(&file.path).map_or(0, |meta| meta.len());
            assert!(finding.offset + finding.length <= length, "{finding:?}");
        }
    }
}

/// Bits that make JSON and nearly JSON.
const BITS: &[&str] = &[
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
        bits in prop::collection::vec(prop::sample::select(BITS), 0..24),
        around in 0..4_usize,
    ) {
        let text = bits.concat();
        let text = match around {
            0 => text,
            1 => format!("{{\"message\":{{\"content\":[{text}]}}}}"),
            2 => format!("{{\"a\":\"{text}\",\"uuid\":1}}"),
            _ => format!("{{\"message\":{text},\"mine\":[{text}]}}"),
        };
        let mut cursor = Cursor::new(&text);
        let whole = cursor.skip().is_some() && cursor.is_done();
        prop_assert_eq!(whole, serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok());
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
    assert_eq!(facts.said.expect("a message").blocks().len(), 1);
    assert!(Facts::read(&deep[..deep.len() - 1]).is_none());
}
