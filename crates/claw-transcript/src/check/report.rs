//! Findings and reports.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::rule::{Rule, Severity};
use super::unknown_names::DriftItem;

/// A broken rule, or a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// The severity.
    pub severity: Severity,
    /// The line, counted from one.
    pub line: u64,
    /// The offset in the file, in bytes. If something is missing, that of the object it is missing
    /// in.
    pub offset: u64,
    /// The length in bytes.
    pub length: u64,
    /// The id of the line, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    /// What is wrong and what to do about it.
    pub message: String,
}

/// The findings of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FileFindings {
    /// The file.
    #[serde(serialize_with = "crate::files::lossy")]
    pub path: PathBuf,
    /// Sorted by line and offset.
    pub findings: Vec<Finding>,
    /// Numbers of findings that are not listed, by rule.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub suppressed: BTreeMap<Rule, u64>,
}

/// Numbers of findings by severity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// Findings that are errors.
    pub errors: u64,
    /// Findings that are warnings.
    pub warnings: u64,
    /// Findings that are notes.
    pub notes: u64,
}

impl Counts {
    fn add(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Note => self.notes += 1,
        }
    }

    fn join(&mut self, other: Self) {
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.notes += other.notes;
    }

    /// The number of all findings.
    pub fn total(&self) -> u64 {
        self.errors + self.warnings + self.notes
    }
}

/// The report of a check, in a stable order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CheckReport {
    /// Number of files.
    pub files_checked: u64,
    /// Number of lines.
    pub lines_checked: u64,
    /// Number of bytes.
    pub bytes_checked: u64,
    /// Counts of all findings, including those not listed.
    pub total: Counts,
    /// Counts by rule.
    pub rules: BTreeMap<Rule, Counts>,
    /// The files with findings, by path.
    pub files: Vec<FileFindings>,
    /// Unknown names, by version of the CLI.
    pub drift: Vec<DriftItem>,
}

impl CheckReport {
    /// The exit code for a program: 2 if there are errors, 1 if there are warnings and `strict`,
    /// otherwise 0.
    pub fn exit_code(&self, strict: bool) -> u8 {
        match self.total {
            Counts { errors: 1.., .. } => 2,
            Counts { warnings: 1.., .. } if strict => 1,
            _ => 0,
        }
    }

    pub(super) fn add(&mut self, path: PathBuf, sink: Sink) {
        if sink.counts.is_empty() {
            return;
        }
        let mut findings = sink.findings;
        findings.sort_by_key(|found| (found.line, found.offset, found.rule, found.length));
        let mut suppressed = BTreeMap::new();
        for (rule, counts) in sink.counts {
            self.total.join(counts);
            self.rules.entry(rule).or_default().join(counts);
            let more = counts.total().saturating_sub(sink.limit as u64);
            if more > 0 {
                suppressed.insert(rule, more);
            }
        }
        self.files.push(FileFindings {
            path,
            findings,
            suppressed,
        });
    }

    /// All listed findings with their files.
    pub fn findings(&self) -> impl Iterator<Item = (&FileFindings, &Finding)> {
        let files = self.files.iter();
        files.flat_map(|file| file.findings.iter().map(move |finding| (file, finding)))
    }
}

/// A rule, and how severe a finding about it is.
pub(super) type How = (Rule, Severity);

/// The findings of one file while it is read.
#[derive(Debug, Default)]
pub(super) struct Sink {
    limit: usize,
    findings: Vec<Finding>,
    counts: BTreeMap<Rule, Counts>,
}

impl Sink {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    /// Counts a finding. Calls `make` only if it is listed.
    pub(super) fn add(&mut self, how: How, make: impl FnOnce() -> Finding) {
        if self.count(how) {
            self.findings.push(make());
        }
    }

    /// Counts a finding, and returns whether to list it.
    pub(super) fn count(&mut self, (rule, severity): How) -> bool {
        let counts = self.counts.entry(rule).or_default();
        counts.add(severity);
        counts.total() <= self.limit as u64
    }

    pub(super) fn list(&mut self, finding: Finding) {
        self.findings.push(finding);
    }
}
