//! What was found.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::drift::DriftItem;
use super::rule::{Rule, Severity};

/// One place where a rule is broken, or something is worth knowing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// How bad it is.
    pub severity: Severity,
    /// The line, counted from one.
    pub line: u64,
    /// Where in the file what is wrong begins, in bytes. What is missing is shown by what it is
    /// missing in.
    pub offset: u64,
    /// How many bytes it is long.
    pub length: u64,
    /// The id of the line, when it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    /// What is wrong and what to do about it.
    pub message: String,
}

/// What was found in one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FileFindings {
    /// The file.
    #[serde(serialize_with = "crate::files::lossy")]
    pub path: PathBuf,
    /// By line, then by place.
    pub findings: Vec<Finding>,
    /// How many more there were of a rule than are listed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub suppressed: BTreeMap<Rule, u64>,
}

/// How often a rule was broken, and how badly.
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
    pub(super) fn add(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Note => self.notes += 1,
        }
    }

    pub(super) fn join(&mut self, other: Self) {
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.notes += other.notes;
    }

    /// All together.
    pub fn total(&self) -> u64 {
        self.errors + self.warnings + self.notes
    }
}

/// What a check found, in a stable order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CheckReport {
    /// How many files were checked.
    pub files_checked: u64,
    /// How many lines they have.
    pub lines_checked: u64,
    /// How many bytes they have.
    pub bytes_checked: u64,
    /// All findings together, those that are not listed too.
    pub total: Counts,
    /// Findings by rule.
    pub rules: BTreeMap<Rule, Counts>,
    /// The files in which something was found, by path.
    pub files: Vec<FileFindings>,
    /// Names that are not known here, by version of the CLI.
    pub drift: Vec<DriftItem>,
}

impl CheckReport {
    /// The exit code of a program that checks: 0 when there is nothing but notes, 2 when there are
    /// errors; warnings alone are 1 when they are taken seriously, otherwise 0.
    pub fn exit_code(&self, strict: bool) -> u8 {
        match self.total {
            Counts { errors: 1.., .. } => 2,
            Counts { warnings: 1.., .. } if strict => 1,
            _ => 0,
        }
    }

    pub(super) fn add(&mut self, path: PathBuf, sink: Sink) {
        for (rule, counts) in sink.counts() {
            self.total.join(*counts);
            self.rules.entry(*rule).or_default().join(*counts);
        }
        self.files.extend(sink.finish(path));
    }

    /// All listed findings with their files.
    pub fn findings(&self) -> impl Iterator<Item = (&FileFindings, &Finding)> {
        let files = self.files.iter();
        files.flat_map(|file| file.findings.iter().map(move |finding| (file, finding)))
    }
}

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

    /// Counts a finding; it is made only when it is to be listed.
    pub(super) fn add(&mut self, rule: Rule, severity: Severity, make: impl FnOnce() -> Finding) {
        let counts = self.counts.entry(rule).or_default();
        counts.add(severity);
        if counts.total() <= self.limit as u64 {
            self.findings.push(make());
        }
    }

    pub(super) fn counts(&self) -> &BTreeMap<Rule, Counts> {
        &self.counts
    }

    pub(super) fn finish(mut self, path: PathBuf) -> Option<FileFindings> {
        if self.counts.is_empty() {
            return None;
        }
        self.findings
            .sort_by_key(|found| (found.line, found.offset, found.rule, found.length));
        let mut suppressed = BTreeMap::new();
        for (rule, counts) in self.counts {
            let more = counts.total().saturating_sub(self.limit as u64);
            if more > 0 {
                suppressed.insert(rule, more);
            }
        }
        Some(FileFindings {
            path,
            findings: self.findings,
            suppressed,
        })
    }
}
