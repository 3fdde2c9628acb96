//! Repairing.

use std::collections::BTreeMap;

use claw_transcript::{
    Body, Check, Entry, Finding, Lines, Part, Rule, SessionFile, Severity, repair_bytes,
};
use serde_json::value::RawValue;

use super::scratch::shown;

/// What is broken of these rules is mended, all of it.
const MENDED: [Rule; 5] = [
    Rule::LineWhole,
    Rule::LineText,
    Rule::UuidUnique,
    Rule::ParentExists,
    Rule::ParentAcyclic,
];

/// What of a line a repair changes, and what copies of a line may differ in.
const CHANGED: &str = "uuid parentUuid sessionId isSidechain compactMetadata timestamp version cwd \
    gitBranch entrypoint userType toolName toolArguments";

/// What of a message a repair changes. Its texts are compared on their own.
const CHANGED_IN_MESSAGE: [&str; 3] = ["role", "content", "usage"];

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

/// Checks that no finding is left that a repair fixes.
fn valid(mended: &[u8]) {
    for finding in findings(mended) {
        // What is gone with a compaction is not lost.
        let is_gone = finding.message.contains("older than the compaction");
        let is_mended = MENDED.contains(&finding.rule) && finding.severity > Severity::Note;
        assert!(!is_mended || is_gone, "{finding:?}\n{}", shown(mended));
    }
}

/// The findings that a repair may fix: warnings and errors, and notes about removable bytes and
/// copies.
fn complaints(file: &[u8]) -> Vec<Finding> {
    let mut findings = findings(file);
    findings.retain(|finding| {
        let can_go = matches!(finding.rule, Rule::LineText | Rule::UuidUnique);
        finding.severity > Severity::Note || can_go
    });
    findings
}

fn findings(file: &[u8]) -> Vec<Finding> {
    // The name is not an id, so the session is taken from the lines, as in a repair.
    let path = super::scratch::folder().join("session.jsonl");
    std::fs::write(&path, file).expect("a file can be written");
    let file = SessionFile::at(&path).expect("a file");
    let report = Check::new().threads(1).files(&[file]);
    let files = report.files.into_iter();
    files.flat_map(|file| file.findings).collect()
}

/// Lines that were whole are still there, once at least.
fn nothing_lost(file: &[u8], mended: &[u8]) {
    let after = contents(mended);
    for before in contents(file) {
        assert!(
            after.iter().any(|line| before.is_in(line)),
            "lost {before:?}\n{}\n->\n{}",
            shown(file),
            shown(mended)
        );
    }
}

fn contents(file: &[u8]) -> Vec<Contents> {
    let mut contents = Vec::new();
    let mut lines = Lines::new(file);
    while let Some(line) = lines.next_line().expect("memory can be read") {
        if let Body::Entry(entry) = line.body() {
            contents.push(Contents {
                members: members(&entry),
                texts: texts(&entry),
            });
        }
    }
    contents
}

/// What a repair keeps of a line.
#[derive(Debug)]
struct Contents {
    members: BTreeMap<String, String>,
    texts: Vec<String>,
}

impl Contents {
    /// Whether another line has all of it. That may have more: a line of the conversation gets what
    /// it lacks.
    fn is_in(&self, other: &Self) -> bool {
        let mut members = self.members.iter();
        members.all(|(name, value)| other.members.get(name) == Some(value))
            && self.texts.iter().all(|text| other.texts.contains(text))
    }
}

/// The members that stay, the last one of each name. A line of the conversation may be hung
/// elsewhere under another name.
fn members(entry: &Entry<'_>) -> BTreeMap<String, String> {
    let last: BTreeMap<&str, &str> = entry.members().collect();
    let mut members = BTreeMap::new();
    for (name, value) in last {
        match name {
            _ if CHANGED.split(' ').any(|it| it == name) || kept(name).is_empty() => {}
            // If the line has no type, the role of its message is used.
            "type" if !value.starts_with('"') => {}
            "message" if value.starts_with('{') => {
                let message: BTreeMap<String, &RawValue> =
                    serde_json::from_str(value).unwrap_or_default();
                for (name, value) in message {
                    if !CHANGED_IN_MESSAGE.contains(&name.as_str()) && !kept(&name).is_empty() {
                        members.insert(format!("message.{name}"), kept(value.get()));
                    }
                }
            }
            _ => drop(members.insert(name.to_owned(), kept(value))),
        }
    }
    members
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

/// Results without a call become text, and empty messages get one. Calls with the id of another one
/// get a new id.
fn texts(entry: &Entry<'_>) -> Vec<String> {
    let mut texts = Vec::new();
    for part in entry.parts() {
        match part {
            Part::Text(text) => texts.push(kept(&text)),
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
