//! The damaged sessions of a review: the findings in each, and the lines that a repair changes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use claw_transcript::{Check, RepairPlan, RepairTarget, SessionFile, Severity};
use serde::Deserialize;

use crate::scratch::{self, testdata};

/// A row of `expected.json`; its README documents the members.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Row {
    name: String,
    rules: BTreeSet<String>,
    outcome: String,
    #[serde(default)]
    lines: BTreeSet<usize>,
    #[serde(default)]
    agent_lines: BTreeSet<usize>,
    #[serde(default)]
    left: BTreeSet<String>,
    reason: Option<String>,
    #[serde(rename = "resumes")]
    _resumes: bool,
    fails_today: Option<String>,
}

fn folder() -> PathBuf {
    testdata().join("sessions/review")
}

/// The rows with their files.
fn rows() -> Vec<(PathBuf, Row)> {
    let text = fs::read_to_string(folder().join("expected.json")).unwrap();
    let all: BTreeMap<String, Vec<Row>> = serde_json::from_str(&text).unwrap();
    let mut rows = Vec::new();
    for (kind, of_kind) in all {
        for row in of_kind {
            let path = folder().join(&kind).join(&row.name);
            let file = match path.is_dir() {
                true => the_session_in(&path),
                false => path.with_extension("jsonl"),
            };
            rows.push((file, row));
        }
    }
    rows
}

fn the_session_in(folder: &Path) -> PathBuf {
    let paths = fs::read_dir(folder).unwrap();
    let mut paths = paths.map(|entry| entry.unwrap().path());
    let is_session = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "jsonl");
    paths.find(is_session).unwrap()
}

fn with_agents(path: &Path) -> Vec<SessionFile> {
    let main = SessionFile::at(path).unwrap();
    let mut files = main.agents().unwrap();
    files.insert(0, main);
    files
}

/// The violated rules of at least this severity.
fn rules(path: &Path, least: Severity) -> BTreeSet<String> {
    let report = Check::new().threads(1).files(&with_agents(path));
    let found = report.findings().map(|(_, finding)| finding);
    found
        .filter(|finding| finding.severity >= least)
        .map(|finding| finding.rule.id().to_owned())
        .collect()
}

/// The line numbers of one text, from one, that are missing from the other text in the same order.
fn changed(before: &[u8], after: &[u8]) -> BTreeSet<usize> {
    let lines = |bytes: &[u8]| -> Vec<Vec<u8>> {
        let lines = bytes.split(|byte| *byte == b'\n');
        let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line).to_vec());
        lines.filter(|line| !line.is_empty()).collect()
    };
    let (before, after) = (lines(before), lines(after));
    // The length of the longest common subsequence from a position in each text.
    let mut common = vec![vec![0_usize; after.len() + 1]; before.len() + 1];
    for one in (0..before.len()).rev() {
        for other in (0..after.len()).rev() {
            common[one][other] = if before[one] == after[other] {
                common[one + 1][other + 1] + 1
            } else {
                common[one + 1][other].max(common[one][other + 1])
            };
        }
    }
    let (mut one, mut other) = (0, 0);
    let mut changed = BTreeSet::new();
    while one < before.len() {
        if other < after.len() && before[one] == after[other] {
            (one, other) = (one + 1, other + 1);
        } else if other < after.len() && common[one][other + 1] > common[one + 1][other] {
            other += 1;
        } else {
            changed.insert(one + 1);
            one += 1;
        }
    }
    changed
}

/// The first id of a session in a file.
fn id_in(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let (_, rest) = text.split_once("\"sessionId\":\"").unwrap();
    rest.split_once('"').unwrap().0.to_owned()
}

/// The parts of a row that are not satisfied.
fn faults(path: &Path, row: &Row) -> Vec<String> {
    let scratch = tempfile::tempdir().unwrap();
    let copy = scratch
        .path()
        .join("project")
        .join(path.file_name().unwrap());
    scratch::copy(path.parent().unwrap(), copy.parent().unwrap());
    let before = fs::read(&copy).unwrap();
    let mut faults = Vec::new();
    let mut expect = |what: &str, holds: bool, found: &dyn std::fmt::Debug| {
        if !holds {
            faults.push(format!("{what}: {found:?}"));
        }
    };
    let found = rules(&copy, Severity::Note);
    expect("found", found == row.rules, &found);
    let plan = RepairPlan::of_file(&copy).unwrap();
    let errors = plan.check().unwrap().total.errors;
    let out = scratch.path().join("out");
    let applied = plan.apply(&RepairTarget::Folder(out.clone()));
    match row.outcome.as_str() {
        "nothing" => {
            let complaints = rules(&copy, Severity::Warning);
            expect("complaints", complaints.is_empty(), &complaints);
            expect("steps", plan.is_empty(), &plan);
        }
        "advice" => {
            expect("steps", plan.is_empty(), &plan);
            let complaints = rules(&copy, Severity::Warning);
            expect("complaints", !complaints.is_empty(), &complaints);
        }
        "refused" => {
            let told = applied.as_ref().map_err(ToString::to_string);
            expect("refused", told.is_err(), &told);
            expect("errors", errors > 0, &errors);
            let said = told.err().unwrap_or_default();
            expect("what the file is", said.contains("not a session"), &said);
            expect("written", !out.exists(), &out);
        }
        "repaired" => match applied {
            Err(error) => expect("repaired", false, &error.to_string()),
            Ok(repaired) => {
                expect("steps left", repaired.steps_left == 0, &repaired.steps_left);
                let left = rules(&repaired.path, Severity::Error);
                expect("errors left", left == row.left, &left);
                // The session of a document has no id that the CLI accepts, so it gets a new one.
                let after = fs::read_to_string(&repaired.path).unwrap();
                let after = after.replace(&repaired.session_id, &id_in(&before));
                let lines = changed(&before, after.as_bytes());
                expect("changed", lines.is_subset(&row.lines), &lines);
                let (old, new) = (with_agents(&copy), with_agents(&repaired.path));
                for (old, new) in old.iter().zip(&new).skip(1) {
                    let bytes = |file: &SessionFile| fs::read(&file.path).unwrap();
                    let lines = changed(&bytes(old), &bytes(new));
                    expect("changed of the subagent", lines == row.agent_lines, &lines);
                }
            }
        },
        other => panic!("{}: no outcome {other}", row.name),
    }
    let after = fs::read(&copy).unwrap();
    expect("the original", before == after, &"changed");
    faults
}

#[test]
fn every_damage_is_found_and_repaired_by_the_smallest_change() {
    let rows = rows();
    assert_eq!(rows.len(), 54 + 14);
    let mut wrong = Vec::new();
    for (path, row) in &rows {
        let faults = faults(path, row);
        match (&row.fails_today, faults.is_empty()) {
            (None, false) => wrong.push(format!("{}: {}", row.name, faults.join("; "))),
            (Some(known), true) => {
                wrong.push(format!("{} holds now, but is listed: {known}", row.name));
            }
            _ => {}
        }
    }
    assert!(
        wrong.is_empty(),
        "{} rows:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn undamaged_lines_change_only_for_a_reason() {
    let text = fs::read_to_string(folder().join("touched-lines.json")).unwrap();
    let touched: BTreeMap<String, BTreeSet<usize>> = serde_json::from_str(&text).unwrap();
    for (_, row) in rows() {
        let more = match touched.get(&row.name) {
            Some(touched) => !row.lines.is_subset(touched),
            None => row.lines.len() > 1,
        };
        let needs_reason = more || row.outcome == "advice" || row.outcome == "refused";
        assert!(row.reason.is_some() || !needs_reason, "{}", row.name);
    }
}

/// A session of the review with a changed text, in its own folder.
fn changed_copy(name: &str, change: impl Fn(&str) -> String) -> (tempfile::TempDir, PathBuf) {
    let path = the_session_in(&folder().join("damaged").join(name));
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path().join(path.file_name().unwrap());
    fs::write(&copy, change(&fs::read_to_string(path).unwrap())).unwrap();
    (dir, copy)
}

#[test]
fn different_second_result_becomes_labelled_text() {
    let (dir, path) = changed_copy("18_two_results", |text| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        assert!(lines[48].contains("\"tool_use_id\":\"toolu_ts\""));
        lines[48] = lines[48].replacen(
            "\"type\":\"tool_result\"",
            "\"is_error\":true,\"type\":\"tool_result\"",
            1,
        );
        lines.join("\n") + "\n"
    });
    let plan = RepairPlan::of_file(&path).unwrap();
    let repaired = plan
        .apply(&RepairTarget::Folder(dir.path().join("out")))
        .unwrap();
    let (before, after) = (fs::read(&path).unwrap(), fs::read(&repaired.path).unwrap());
    assert_eq!(changed(&before, &after), BTreeSet::from([49]));
    let after = String::from_utf8(after).unwrap();
    assert!(!after.contains("lost the call"), "{plan}");
    assert!(after.contains("another result of a tool call"), "{plan}");
}

#[test]
fn duplicate_members_are_found_in_messages_and_blocks() {
    for (old, new) in [
        (
            "\"role\":\"user\",",
            "\"role\":\"assistant\",\"role\":\"user\",",
        ),
        (
            "{\"tool_use_id\":",
            "{\"tool_use_id\":\"x\",\"tool_use_id\":",
        ),
    ] {
        let (_dir, path) = changed_copy("00_clean", |text| {
            assert!(text.contains(old), "{old}");
            text.replacen(old, new, 1)
        });
        assert_eq!(
            rules(&path, Severity::Note),
            BTreeSet::from(["key-unique".to_owned()])
        );
        let plan = RepairPlan::of_file(&path).unwrap();
        let out = path.with_file_name("out");
        let repaired = plan.apply(&RepairTarget::Folder(out)).unwrap();
        let whole = the_session_in(&folder().join("damaged/00_clean"));
        assert_eq!(fs::read(&repaired.path).unwrap(), fs::read(whole).unwrap());
    }
}
