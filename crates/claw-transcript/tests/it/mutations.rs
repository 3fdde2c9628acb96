//! Clean sessions with one thing wrong, each found where it is; and nothing found in clean ones.

mod edits;
mod links;
mod session;

use std::collections::BTreeMap;

use claw_testkit::corpus::SessionCorpus;
use claw_testkit::figure::{Figure, record};
use claw_transcript::{Check, SessionFile, SessionLibrary, Severity};

use self::session::{Broken, Session};
use crate::check::{checked, drawn};
use crate::is_full;
use crate::scratch::{session_files_under, testdata};

/// How many lines each way of breaking is tried on, in one file.
const LINES_EACH: usize = 2;
const PLANTED_BAR: usize = 200;
/// Recordings of sessions that were killed or torn on purpose, or hold half of an emoji on purpose:
/// there is something to be found.
const DAMAGED: [&str; 6] = [
    "resume_after_sigkill_midstream",
    "resume_after_sigkill_permission",
    "resume_torn_last_line",
    "sigkill_midstream",
    "sigkill_midtool",
    "unicode_lone_surrogates",
];
/// Recordings in which every rule can be broken, for a plain test.
const FEW: [&str; 12] = [
    "agent_background",
    "agent_foreground",
    "compact_manual",
    "control_rewind_files",
    "err_529_exhausted",
    "hooks_pre_tool_use",
    "perm_allow",
    "queue_priority",
    "slash_commands",
    "stop_refusal_always",
    "text_two_turns",
    "tools_files",
];
/// The document's six rules and the ids of those that check them.
const RULES: [(&str, &[&str]); 6] = [
    ("1 unique ids", &["uuid-unique"]),
    ("2 timestamps", &["timestamp-iso"]),
    ("3 parents", &["parent-exists", "parent-acyclic"]),
    ("4 structure", &["shape", "field-required"]),
    ("5 tool calls", &["call-complete"]),
    ("6 sidechains", &["sidechain-consistent"]),
];
const DISK: &str = "disk";
const DOCUMENT: &str = "document";

/// A session file that is broken in one way.
struct Mutation {
    name: String,
    bytes: Vec<u8>,
    rule: &'static str,
    /// The line where that shows, counted from one.
    line: u64,
}

/// Breaks a clean session file in every applicable way.
fn mutations(clean: &[u8], of_agent: bool) -> Vec<Mutation> {
    let session = Session::read(clean, of_agent);
    let mut found = Vec::new();
    let mut plant = |rule, what: &str, apply: &dyn Fn(usize) -> Option<Broken>| {
        let planted = session.all().filter_map(|at| Some((at, apply(at)?)));
        found.extend(planted.take(LINES_EACH).map(|(at, broken)| Mutation {
            name: format!("{what} on line {}", at + 1),
            bytes: broken.bytes,
            rule,
            line: broken.line as u64 + 1,
        }));
    };
    for edit in edits::all() {
        plant(edit.rule, edit.what, &|at| edit.apply(&session, at));
    }
    for (rule, what, apply) in links::LINKS {
        plant(rule, what, &|at| apply(&session, at));
    }
    for (rule, what, damage) in links::DAMAGE {
        plant(rule, what, &|at| {
            let fits = session.in_chain(at);
            fits.then(|| session.with(at, damage(session.raw(at))))
        });
    }
    found
}

/// The flows of the document and a clean session of each.
pub(crate) fn document_sessions() -> Vec<(&'static str, &'static str)> {
    let data = include_str!("mutations/document_sessions.txt");
    let sessions = data.split("==== ").skip(1);
    sessions
        .map(|session| session.split_once('\n').expect("lines behind the name"))
        .collect()
}

/// Whether a file is of one of these recordings.
fn is_of(file: &SessionFile, recordings: &[&str]) -> bool {
    let mut parts = file.path.iter();
    parts.any(|part| recordings.iter().any(|name| part == *name))
}

/// The recorded files, except damaged ones.
fn recorded() -> Vec<SessionFile> {
    let mut files = session_files_under(&testdata().join("cli"));
    files.retain(|file| !is_of(file, &DAMAGED));
    assert!(files.len() >= 50, "only {} recorded sessions", files.len());
    files
}

/// Names, dialects and contents of the files to break.
fn clean() -> Vec<(String, &'static str, Vec<u8>)> {
    let mut files = recorded();
    files.retain(|file| is_full() || is_of(file, &FEW));
    let recorded = files.into_iter().map(|file| {
        let name = file.path.file_name().expect("a name").to_string_lossy();
        let bytes = std::fs::read(&file.path).expect("a file");
        (name.into_owned(), DISK, bytes)
    });
    let documents = document_sessions().into_iter();
    let documents =
        documents.map(|(name, text)| (format!("{name}.jsonl"), DOCUMENT, text.as_bytes().to_vec()));
    recorded.chain(documents).collect()
}

#[test]
fn planted_violations_are_found_and_clean_sessions_raise_no_alarm() {
    record("mutations", vec![planted(), alarms()]);
}

fn planted() -> Figure {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut missed = Vec::new();
    for (name, dialect, bytes) in clean() {
        for mutation in mutations(&bytes, name.starts_with("agent-")) {
            let (rule, line) = (mutation.rule, mutation.line);
            *counts.entry((rule, dialect)).or_default() += 1;
            let report = checked(&mutation.bytes, &name);
            let is_found = report.findings().any(|(_, found)| {
                found.rule.id() == rule && found.line == line && found.severity >= Severity::Warning
            });
            if !is_found {
                let seen = drawn(&report, Severity::Note).join("; ");
                let what = mutation.name;
                missed.push(format!("{name}: {what}: no {rule} on line {line}: {seen}"));
            }
        }
    }
    let keys = counts.keys();
    let keys: Vec<String> = keys
        .map(|(rule, dialect)| format!("{rule}, {dialect}"))
        .collect();
    insta::assert_snapshot!("planted", keys.join("\n"));
    let total: usize = counts.values().sum();
    let of = |rules: &[&str], dialect: &str| -> usize {
        let of_rules = rules.iter().map(|rule| counts.get(&(*rule, dialect)));
        of_rules.flatten().sum()
    };
    let mut figure = Figure::new(
        "the document's six rules: violations planted by mutation (≥ 200, all rules, both dialects) found",
        "100 %",
    )
    .note("found means: with the right rule, on the right line, as a warning or an error");
    let (mut of_six, mut is_complete) = (0, true);
    for (name, ids) in RULES {
        let both = [of(ids, DISK), of(ids, DOCUMENT)];
        of_six += both[0] + both[1];
        is_complete &= !both.contains(&0);
        figure = figure.note(format!(
            "rule {name}: {} in lines of the disk, {} in the document's",
            both[0], both[1]
        ));
    }
    figure
        .measured(
            format!("{} of {total}", total - missed.len()),
            missed.is_empty() && total >= PLANTED_BAR && is_complete,
        )
        .note(format!(
            "of other rules (pairing, requests, whole lines): {}",
            total - of_six
        ))
        .list("missed", missed)
}

fn alarms() -> Figure {
    let real = Check::new().files(&recorded());
    let mut raised = drawn(&real, Severity::Warning);
    for (name, text) in document_sessions() {
        let report = checked(text.as_bytes(), &format!("{name}.jsonl"));
        raised.extend(drawn(&report, Severity::Warning));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let sessions = if is_full() { 400 } else { 40 };
    let corpus = SessionCorpus::of_sessions(sessions).seed(7).clean();
    corpus.write(folder.path()).expect("a corpus");
    let library = SessionLibrary::open(folder.path().join(".claude"));
    let generated = Check::new().library(&library).expect("a report");
    assert!(generated.files_checked >= sessions);
    raised.extend(drawn(&generated, Severity::Warning));
    Figure::new("false alarms on clean real and generated sessions", "0")
        .measured(raised.len().to_string(), raised.is_empty())
        .note(format!(
            "{} recorded files with {} lines, {} of the document's flows, {} generated files with {} lines",
            real.files_checked,
            real.lines_checked,
            document_sessions().len(),
            generated.files_checked,
            generated.lines_checked
        ))
        .note(format!(
            "not among them, for they were damaged on purpose: {}",
            DAMAGED.join(", ")
        ))
        .list("alarms", raised)
}
