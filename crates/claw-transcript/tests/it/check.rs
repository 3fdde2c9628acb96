//! Checking session files.

use std::fs;
use std::path::{Path, PathBuf};

use claw_transcript::{Check, CheckReport, SessionFile, Severity};

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata")
        .join(name)
}

/// The session files of a recording: those of a library, in the place of its `projects`.
fn files_under(folder: &Path) -> Vec<SessionFile> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "jsonl") {
                found.push(SessionFile::at(path).expect("a file"));
            }
        }
    }
    found
}

/// A report without notes, as text with short paths.
fn drawn(report: &CheckReport, above: Severity) -> Vec<String> {
    let findings = report.findings();
    findings
        .filter(|(_, found)| found.severity >= above)
        .map(|(file, found)| {
            let path = file.path.strip_prefix(testdata("")).unwrap_or(&file.path);
            let path = path.display();
            let (line, severity, rule) = (found.line, found.severity, found.rule);
            format!("{path}:{line} {severity} {rule} {}", found.message)
        })
        .collect()
}

#[test]
fn recorded_sessions_are_clean_but_for_those_that_were_cut_off_on_purpose() {
    let report = Check::new().files(&files_under(&testdata("cli")));
    assert!(report.files_checked >= 57);
    insta::assert_debug_snapshot!(drawn(&report, Severity::Note));
}
