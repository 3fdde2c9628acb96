//! Repairing.

use std::cell::RefCell;

use claw_transcript::{
    Body, Check, Dialect, Entry, Finding, Lines, Part, Rule, SessionFile, Severity, repair_bytes,
};

/// What is broken of these rules is mended, all of it.
const MENDED: [Rule; 5] = [
    Rule::LineWhole,
    Rule::LineText,
    Rule::UuidUnique,
    Rule::ParentExists,
    Rule::ParentAcyclic,
];

/// What of a line a repair changes, and what copies of a line may differ in.
const CHANGED: [&str; 8] = [
    "uuid",
    "parentUuid",
    "isSidechain",
    "compactMetadata",
    "timestamp",
    "version",
    "cwd",
    "gitBranch",
];

/// A file without the errors that repairs are for needs no repair. A repaired file needs none
/// either, is without the errors that repairs are for, and has every line
/// that was whole.
pub fn repairing(file: &[u8]) {
    let (steps, mended) = repair_bytes(file);
    if steps.is_empty() {
        assert_eq!(mended, file, "without a step, nothing changes");
    } else if let Some(step) = steps.first() {
        let complaints = complaints(file);
        assert!(
            !complaints.is_empty(),
            "no check asks for {step}\n{}",
            shown(file)
        );
    }
    for step in &steps {
        assert!(step.offset <= file.len() as u64);
        assert!(step.line >= 1);
        let _ = step.to_string();
    }
    let (again, same) = repair_bytes(&mended);
    assert!(
        again.is_empty(),
        "repaired twice: {again:?}\n{}",
        shown(&mended)
    );
    assert_eq!(same, mended);
    assert!(
        std::str::from_utf8(&mended).is_ok(),
        "a repaired file is text"
    );
    super::lines::reading(&mended);
    valid(&mended);
    nothing_lost(file, &mended);
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

thread_local! {
    static FOLDER: RefCell<Option<tempfile::TempDir>> = const { RefCell::new(None) };
}

/// Checking finds nothing that a repair says it mends.
fn valid(mended: &[u8]) {
    for finding in findings(mended) {
        // What is gone with a compaction is not lost.
        let is_gone = finding.message.contains("older than the compaction");
        let is_mended = MENDED.contains(&finding.rule) && finding.severity > Severity::Note;
        assert!(!is_mended || is_gone, "{finding:?}\n{}", shown(mended));
    }
}

/// What checking finds that a repair may be for: what is worse than a note, and notes of bytes
/// and copies that can go.
fn complaints(file: &[u8]) -> Vec<Finding> {
    let mut findings = findings(file);
    findings.retain(|finding| {
        let can_go = matches!(finding.rule, Rule::LineText | Rule::UuidUnique);
        finding.severity > Severity::Note || can_go
    });
    findings
}

fn findings(file: &[u8]) -> Vec<Finding> {
    FOLDER.with_borrow_mut(|folder| {
        let folder = folder.get_or_insert_with(|| tempfile::tempdir().expect("a folder"));
        let path = folder
            .path()
            .join("5e5e5e5e-0000-4000-8000-000000000001.jsonl");
        std::fs::write(&path, file).expect("a file can be written");
        let file = SessionFile::at(&path).expect("a file");
        let report = Check::new().threads(1).files(&[file]);
        let files = report.files.into_iter();
        files.flat_map(|file| file.findings).collect()
    })
}

/// Lines that were whole are still there, once at least.
fn nothing_lost(file: &[u8], mended: &[u8]) {
    let after = said(mended);
    for (line, texts) in said(file) {
        let same = after.iter().filter(|(other, _)| *other == line);
        let mut texts_of_same = same.map(|(_, texts)| texts);
        let is_there = texts_of_same.any(|others| texts.iter().all(|text| others.contains(text)));
        assert!(
            is_there,
            "lost {line} {texts:?}\n{}\n->\n{}",
            shown(file),
            shown(mended)
        );
    }
}

/// What the lines of a file say: what a repair does not change, and the texts of messages.
fn said(file: &[u8]) -> Vec<(String, Vec<String>)> {
    let mut said = Vec::new();
    let mut lines = Lines::new(file);
    while let Some(line) = lines.next_line().expect("memory can be read") {
        if let Body::Entry(entry) = line.body() {
            said.push((unchanged(&entry), texts(&entry)));
        }
    }
    said
}

/// A line of the conversation may be hung elsewhere under another name; all others stay. What is
/// in a message of the user is compared by its texts.
fn unchanged(entry: &Entry<'_>) -> String {
    if entry.uuid().is_none() && entry.get("parentUuid").is_none() {
        return kept(entry.text());
    }
    let of_user = entry.kind_text() == "user";
    let members = entry.members().filter(|(name, _)| {
        let changed = CHANGED.contains(name) || (of_user && *name == "message");
        !changed && !kept(name).is_empty()
    });
    members
        .map(|(name, value)| format!("{name}:{} ", kept(value)))
        .collect()
}

/// Broken characters are replaced, as bytes or as escapes.
fn kept(text: &str) -> String {
    let is_broken = text.contains('\u{FFFD}') || text.contains("\\u");
    if is_broken {
        String::new()
    } else {
        text.to_owned()
    }
}

/// Results without a call become text, and empty messages get one.
fn texts(entry: &Entry<'_>) -> Vec<String> {
    let mut texts = Vec::new();
    for part in entry.parts() {
        match part {
            Part::Text(text) => texts.push(kept(&text)),
            // A call of the document is known by the uuid of its line, which may be another one.
            Part::Call { id: Some(id), .. } if entry.dialect() == Dialect::Disk => {
                texts.push(kept(&id));
            }
            Part::Answer {
                content: Some(content),
                ..
            } => {
                let parts = Part::of_content(content);
                texts.extend(parts.iter().filter_map(|part| match part {
                    Part::Text(text) => Some(kept(text)),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    texts.retain(|text| !text.trim().is_empty());
    texts
}
