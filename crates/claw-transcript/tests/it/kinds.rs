//! Every kind of line that is known or was recorded is read as what it is, and so is every example
//! of the document.

use std::collections::BTreeMap;
use std::path::Path;

use claw_testkit::figure::{Figure, record};
use claw_transcript::{Body, Check, Dialect, Entry, Kind, KindGroup, Lines, Part};

use crate::scratch::{session_files_under, testdata};

/// The names that the CLI itself knows, by how their lines work together, and those of older CLIs
/// and other programs.
const NAMES: &[(KindGroup, &str)] = &[
    (
        KindGroup::Chain,
        "user assistant system attachment progress",
    ),
    (
        KindGroup::State,
        "mode permission-mode custom-title ai-title agent-name agent-color agent-setting tag summary \
         last-prompt pr-link worktree-state relocated bridge-session session-owner isolation-latch \
         dev-mods repl-mode history-suppression ended-by-model atis-latch tools-used cost-state \
         attribution-snapshot artifact-autoreact-ledger observer-ref derived-from",
    ),
    (
        KindGroup::Accumulating,
        "content-replacement memory-mode data-flow-records data-flow-incomplete fork-context-ref \
         frame-link artifact-comment-monitor",
    ),
    (KindGroup::Queue, "queue-operation"),
    (
        KindGroup::Checkpoint,
        "file-history-snapshot file-history-delta",
    ),
    (
        KindGroup::Request,
        "api-request-shape api-request-blob api-request",
    ),
    (KindGroup::Foreign, "continued-in resume-head-vouch"),
];
/// How many names those are.
const KNOWN: usize = 47;
const OLDER: &str = "task-summary speculation-accept marble-origami-commit marble-origami-snapshot \
                     started launched result failed cc-session-fork";

/// Files that were broken on purpose: a line of theirs that is no entry, or of no kind, has no shape
/// to be known.
const BROKEN: &[&str] = &["resume_torn_last_line", "made/broken", "made/titles"];
/// Some of these have lines without a type on purpose.
const REVIEW: &str = "sessions/review";
/// The folder of files that no CLI wrote. Some of them test unknown members, so only the kinds of
/// their lines count.
const MADE: &str = "sessions/made";

#[test]
fn recorded_lines_names_and_examples_are_known() {
    record("kinds", vec![recorded(), named(), examples()]);
}

/// What was in the recorded lines.
#[derive(Default)]
struct Found {
    lines: u64,
    broken: u64,
    kinds: BTreeMap<String, u64>,
    unknown: Vec<String>,
}

impl Found {
    fn read(&mut self, path: &Path, name: &str) {
        let bytes = std::fs::read(path).expect("a file");
        let on_purpose = BROKEN.iter().any(|part| name.contains(part));
        let mut lines = Lines::new(&bytes[..]);
        while let Some(line) = lines.next_line().expect("memory does not fail") {
            let number = line.ordinal + 1;
            match line.body() {
                Body::Blank => {}
                Body::Entry(entry) if on_purpose && entry.kind() == Kind::Unknown => {
                    self.broken += 1;
                }
                Body::Entry(entry) => {
                    self.lines += 1;
                    *self.kinds.entry(entry.kind_text().into()).or_default() += 1;
                    if let Some(what) = unknown_in(&entry, name.starts_with(MADE)) {
                        self.unknown.push(format!("{name}:{number}: {what}"));
                    }
                    if name.starts_with("cli/") && entry.dialect() != Dialect::Disk {
                        let what = "not in the dialect of the disk";
                        self.unknown.push(format!("{name}:{number}: {what}"));
                    }
                }
                Body::Broken(_) if on_purpose => self.broken += 1,
                _ => self.unknown.push(format!("{name}:{number}: not an entry")),
            }
        }
    }
}

/// What of a line is not known here.
fn unknown_in(entry: &Entry<'_>, only_kind: bool) -> Option<String> {
    if entry.kind() == Kind::Unknown {
        return Some(format!("the kind {:?}", entry.kind_text()));
    }
    entry.parts().iter().find_map(|part| match part {
        Part::Other { kind, .. } if !only_kind => Some(format!("the block {kind:?}")),
        _ => None,
    })
}

fn recorded() -> Figure {
    let cli = session_files_under(&testdata().join("cli"));
    let mut files = session_files_under(&testdata().join("sessions"));
    files.retain(|file| !file.path.starts_with(testdata().join(REVIEW)));
    files.extend_from_slice(&cli);
    assert!(files.len() >= 57, "only {} recorded files", files.len());
    let mut found = Found::default();
    for file in &files {
        let name = file.path.strip_prefix(testdata()).expect("in testdata");
        found.read(&file.path, &name.display().to_string());
    }
    // New subtypes, attachments and members would be unreviewed shapes, too.
    let drift = Check::new().files(&cli).drift;
    found.unknown.extend(drift.iter().map(|item| {
        let (what, kind, name) = (item.what.as_str(), &item.kind, &item.name);
        format!("{what} {name:?} of {kind}")
    }));
    let kinds = found.kinds.iter();
    let kinds: Vec<String> = kinds
        .map(|(kind, lines)| format!("{kind} {lines}"))
        .collect();
    Figure::new(
        "recorded line kinds read without \"unknown shape\"",
        "100 %",
    )
    .measured(
        format!(
            "{} kinds in {} lines of {} files, {} unknown",
            kinds.len(),
            found.lines,
            files.len(),
            found.unknown.len()
        ),
        found.unknown.is_empty() && found.lines > 0,
    )
    .note(kinds.join(", "))
    .note(format!(
        "{} lines were broken on purpose and are not counted",
        found.broken
    ))
    .list("unknown", found.unknown)
}

fn named() -> Figure {
    let known = NAMES
        .iter()
        .flat_map(|(group, names)| names.split_whitespace().map(|name| (name, Some(*group))));
    let older = OLDER.split_whitespace().map(|name| (name, None));
    let all: Vec<(&str, Option<KindGroup>)> = known.chain(older).collect();
    let count = all.iter().filter(|(_, group)| group.is_some()).count();
    assert_eq!(count, KNOWN, "names in the table");
    let mut wrong = Vec::new();
    for (name, group) in &all {
        let line = format!(r#"{{"type":"{name}","sessionId":"s"}}"#);
        let is_right = match Body::read(line.as_bytes()) {
            Body::Entry(entry) => {
                entry.kind() != Kind::Unknown
                    && entry.kind().as_str() == *name
                    && entry.text() == line
                    && group.is_none_or(|group| entry.kind().group() == group)
            }
            _ => false,
        };
        if !is_right {
            wrong.push(*name);
        }
    }
    Figure::new(
        "names of line kinds that the CLI knows, read as what they are",
        "all 47",
    )
    .measured(
        format!(
            "{} of {} ({KNOWN} of the CLI, {} of older ones and other programs)",
            all.len() - wrong.len(),
            all.len(),
            all.len() - KNOWN
        ),
        wrong.is_empty(),
    )
    .list("not known", wrong)
}

fn examples() -> Figure {
    let folder = std::fs::read_dir(testdata().join("documents/001")).expect("a folder");
    let mut paths: Vec<_> = folder
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    assert!(paths.len() >= 8, "only {} examples", paths.len());
    let mut wrong = Vec::new();
    for path in &paths {
        let text = std::fs::read_to_string(path).expect("a file");
        if let Some(what) = wrong_in(&text) {
            wrong.push(format!("{}: {what}", path.display()));
        }
    }
    Figure::new(
        "JSON examples of the document read and round-tripped",
        "100 %",
    )
    .measured(
        format!(
            "{} of {}, byte for byte",
            paths.len() - wrong.len(),
            paths.len()
        ),
        wrong.is_empty(),
    )
    .note("each as it stands in the document, and as a line of a session file")
    .list("not the same", wrong)
}

/// What goes wrong when an example is read as it is, and as a line of a file.
fn wrong_in(text: &str) -> Option<&'static str> {
    let Some(entry) = Entry::read(text.as_bytes()) else {
        return Some("not an entry");
    };
    let line = on_one_line(text);
    let mut lines = Lines::new(line.as_bytes());
    let read = lines.next_line().expect("memory does not fail");
    let read = read.expect("a line");
    let back = [read.raw, read.end.bytes()].concat();
    let Some(again) = Entry::read(read.raw) else {
        return Some("its line is not an entry");
    };
    let rules = [
        (entry.text() == text.trim(), "its text changed"),
        (entry.uuid().is_some(), "it has no uuid"),
        (unknown_in(&entry, false).is_none(), "not known"),
        (
            entry.dialect() == Dialect::Document && again.dialect() == Dialect::Document,
            "not in the dialect",
        ),
        (back == line.as_bytes(), "its line changed"),
        (
            again.members().count() == entry.members().count(),
            "its line has other members",
        ),
    ];
    let wrong = rules.into_iter().find(|(holds, _)| !holds);
    wrong.map(|(_, what)| what)
}

/// Without the white space between members, which JSON does not count, and with an end.
fn on_one_line(text: &str) -> String {
    let mut line = String::new();
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        if quoted || !c.is_whitespace() {
            line.push(c);
        }
        quoted ^= c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
    }
    line.push('\n');
    line
}

#[test]
fn unknown_kinds_and_blocks_are_named() {
    let unknown = |line: &str| unknown_in(&Entry::read(line.as_bytes()).unwrap(), false);
    let kind = unknown(r#"{"type":"telepathy"}"#).unwrap();
    assert!(kind.contains("telepathy"));
    let block = r#"{"type":"user","sessionId":"s","message":{"content":[{"type":"smell"}]}}"#;
    assert!(unknown(block).unwrap().contains("smell"));
    assert_eq!(unknown(r#"{"type":"mode","mode":"x"}"#), None);
    assert!(wrong_in("{\"type\":\"user\",\"n\"").is_some());
}
