//! Clean sessions with one thing wrong, each found where it is; and nothing found in clean ones.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use claw_testkit::corpus::SessionCorpus;
use claw_testkit::corpus::mutations::{document_sessions, mutations};
use claw_transcript::{Check, CheckReport, SessionFile, SessionLibrary, Severity};

use crate::Inputs;
use crate::bytes::session_files;
use crate::workspace_root;
use claw_testkit::figure::Figure;

const PLANTED_BAR: usize = 200;
/// Recordings of sessions that were killed or torn on purpose, or hold half of an emoji on purpose:
/// there is something to be found.
const DAMAGED: &[&str] = &[
    "resume_after_sigkill_midstream",
    "resume_after_sigkill_permission",
    "resume_torn_last_line",
    "sigkill_midstream",
    "sigkill_midtool",
    "unicode_lone_surrogates",
];
/// The document's six rules and the ids of those that check them.
const RULES: &[(&str, &[&str])] = &[
    ("1 unique ids", &["uuid-unique"]),
    ("2 timestamps", &["timestamp-iso"]),
    ("3 parents", &["parent-exists", "parent-acyclic"]),
    ("4 structure", &["shape", "field-required"]),
    ("5 tool calls", &["call-complete"]),
    ("6 sidechains", &["sidechain-consistent"]),
];
const GENERATED: u64 = 400;

/// A dialect's name in the notes.
const DISK: &str = "disk";
const DOCUMENT: &str = "document";

pub(crate) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let recorded = recorded()?;
    // Each file has about a hundred mutations, so a third of the files is enough for a quick run.
    let step = if inputs.quick { 3 } else { 1 };
    let broken: Vec<PathBuf> = recorded.iter().step_by(step).cloned().collect();
    Ok(vec![planted(&broken)?, alarms(inputs, &recorded)?])
}

/// A clean session file: its name, and where it is from.
struct Clean {
    name: String,
    dialect: &'static str,
    bytes: Vec<u8>,
}

/// The recorded files but for damaged ones.
fn recorded() -> Result<Vec<PathBuf>> {
    let mut files = session_files(&workspace_root().join("testdata/cli"))?;
    files.retain(|path| {
        let damaged = |part: &std::ffi::OsStr| DAMAGED.iter().any(|name| part == *name);
        !path.iter().any(damaged)
    });
    ensure!(files.len() >= 50, "only {} recorded sessions", files.len());
    Ok(files)
}

fn clean(recorded: &[PathBuf]) -> Result<Vec<Clean>> {
    let mut all = Vec::new();
    for path in recorded {
        let name = path.file_name().context("a file has a name")?;
        all.push(Clean {
            name: name.to_string_lossy().into_owned(),
            dialect: DISK,
            bytes: std::fs::read(path)?,
        });
    }
    for made in document_sessions() {
        all.push(Clean {
            name: format!("{}.jsonl", made.name),
            dialect: DOCUMENT,
            bytes: made.text.into_bytes(),
        });
    }
    Ok(all)
}

/// What was planted, and what of it was found.
#[derive(Default)]
struct Planted {
    /// By rule and dialect: how many.
    counts: BTreeMap<(&'static str, &'static str), usize>,
    missed: Vec<String>,
}

impl Planted {
    fn try_all(&mut self, clean: &Clean) -> Result<()> {
        for mutation in mutations(&clean.bytes, clean.name.starts_with("agent-")) {
            *self
                .counts
                .entry((mutation.rule, clean.dialect))
                .or_default() += 1;
            let report = checked(&clean.name, &mutation.bytes)?;
            let is_found = report.findings().any(|(_, found)| {
                found.rule.id() == mutation.rule
                    && found.line == mutation.line
                    && found.severity >= Severity::Warning
            });
            if !is_found {
                let (name, what) = (&clean.name, &mutation.name);
                self.missed.push(format!(
                    "{name}: {what}: no {} on line {}",
                    mutation.rule, mutation.line
                ));
            }
        }
        Ok(())
    }

    fn total(&self) -> usize {
        self.counts.values().sum()
    }

    fn of(&self, rules: &[&str], dialect: &str) -> usize {
        let ours = self.counts.iter();
        let ours = ours.filter(|((rule, of), _)| rules.contains(rule) && *of == dialect);
        ours.map(|(_, count)| count).sum()
    }

    /// Whether every one of the six rules was broken in both dialects.
    fn is_complete(&self) -> bool {
        let both = [DISK, DOCUMENT];
        RULES
            .iter()
            .all(|(_, ids)| both.iter().all(|dialect| self.of(ids, dialect) > 0))
    }
}

fn planted(recorded: &[PathBuf]) -> Result<Figure> {
    let mut planted = Planted::default();
    for clean in clean(recorded)? {
        planted.try_all(&clean)?;
    }
    let total = planted.total();
    let mut figure = Figure::new(
        "the document's six rules: violations planted by mutation (≥ 200, all rules, both dialects) found",
        "100 %",
    )
    .measured(
        format!("{} of {total}", total - planted.missed.len()),
        planted.missed.is_empty() && total >= PLANTED_BAR && planted.is_complete(),
    )
    .note("found means: with the right rule, on the right line, as a warning or an error");
    for (name, ids) in RULES {
        figure = figure.note(format!(
            "rule {name}: {} in lines of the disk, {} in the document's",
            planted.of(ids, DISK),
            planted.of(ids, DOCUMENT)
        ));
    }
    let six: Vec<&str> = RULES
        .iter()
        .flat_map(|(_, ids)| ids.iter().copied())
        .collect();
    let more = total - planted.of(&six, DISK) - planted.of(&six, DOCUMENT);
    Ok(figure
        .note(format!(
            "of other rules (pairing, requests, whole lines): {more}"
        ))
        .list("missed", planted.missed))
}

fn alarms(inputs: &Inputs, recorded: &[PathBuf]) -> Result<Figure> {
    let files: Vec<SessionFile> = recorded
        .iter()
        .map(|path| Ok(SessionFile::at(path)?))
        .collect::<Result<_>>()?;
    let real = Check::new().files(&files);
    let folder = tempfile::tempdir()?;
    let mut raised = alarmed(&real);
    for made in document_sessions() {
        let name = format!("{}.jsonl", made.name);
        raised.extend(alarmed(&checked(&name, made.text.as_bytes())?));
    }
    let out = folder.path().join("generated");
    let sessions = if inputs.quick {
        GENERATED / 10
    } else {
        GENERATED
    };
    SessionCorpus::of_sessions(sessions)
        .seed(7)
        .clean()
        .write(&out)?;
    let generated = Check::new().library(&SessionLibrary::open(out.join(".claude")))?;
    ensure!(
        generated.files_checked >= sessions,
        "only {} generated files were checked",
        generated.files_checked
    );
    raised.extend(alarmed(&generated));
    Ok(
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
            .note(format!("not among them, for they were damaged on purpose: {}", DAMAGED.join(", ")))
            .list("alarms", raised),
    )
}

/// Checks one file in a folder of its own: other files there could have what it lacks.
fn checked(name: &str, bytes: &[u8]) -> Result<CheckReport> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join(name);
    std::fs::write(&path, bytes)?;
    Ok(Check::new().threads(1).files(&[SessionFile::at(path)?]))
}

/// All warnings and errors of a report.
fn alarmed(report: &CheckReport) -> Vec<String> {
    let findings = report.findings();
    let alarms = findings.filter(|(_, found)| found.severity >= Severity::Warning);
    alarms
        .map(|(file, found)| {
            let name = file.path.file_name().unwrap_or_default().to_string_lossy();
            format!("{name}:{} {} {}", found.line, found.rule, found.message)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missed_is_named_and_what_was_not_tried_shows() {
        let mut planted = Planted::default();
        let made = document_sessions()
            .into_iter()
            .find(|made| made.name == "linear");
        let clean = Clean {
            name: "linear.jsonl".to_owned(),
            dialect: DOCUMENT,
            bytes: made.unwrap().text.into_bytes(),
        };
        planted.try_all(&clean).unwrap();
        assert_eq!(planted.missed, [""; 0]);
        assert!(planted.of(&["timestamp-iso"], DOCUMENT) > 0);
        assert_eq!(planted.of(&["timestamp-iso"], DISK), 0);
        assert!(!planted.is_complete());
        let torn = checked("x.jsonl", b"{\"type\":\"us").unwrap();
        assert_eq!(alarmed(&torn).len(), 1);
    }
}
