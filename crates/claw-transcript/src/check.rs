//! Checks session files against rules.
//!
//! Every file is read once, line by line. A few bytes of each line are kept while its file is read;
//! a line is read again only to describe a finding. Several threads read files, and findings are
//! reported in the order of paths and lines, whatever the number of threads.

pub(crate) mod across;
mod chain;
mod column;
pub(crate) mod common;
mod document_pairing;
pub(crate) mod examine;
mod id_table;
mod known_names;
mod line_text;
mod pairing;
mod parent_files;
mod recent;
mod render;
mod report;
mod reporter;
mod requests;
mod rule;
mod scan;
mod sidecar;
pub(crate) mod table;
#[cfg(test)]
mod tests;
mod unanswered;
mod unknown_names;

use std::collections::HashSet;
use std::num::NonZeroUsize;

use crate::error::TranscriptError;
use crate::files::SessionFile;
use crate::library::SessionLibrary;
use crate::lines::ReusedLines;
use crate::parallel;

use scan::{Outcome, scan};
use sidecar::Sidecar;

pub use report::{CheckReport, Counts, FileFindings, Finding};
pub use rule::{Rule, Severity};
pub use unknown_names::{DriftItem, DriftOf};

/// Default number of listed findings of one rule in one file.
const LISTED: usize = 50;

/// Options for checking session files.
///
/// ```no_run
/// use claw_transcript::{Check, SessionLibrary};
///
/// let report = Check::new().library(&SessionLibrary::from_env()?)?;
/// for (file, finding) in report.findings() {
///     println!("{}:{} {}", file.path.display(), finding.line, finding.message);
/// }
/// std::process::exit(report.exit_code(false).into());
/// # Ok::<(), claw_transcript::TranscriptError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Check {
    threads: usize,
    listed: usize,
}

impl Default for Check {
    fn default() -> Self {
        let threads = std::thread::available_parallelism();
        Self {
            threads: threads.map_or(1, NonZeroUsize::get),
            listed: LISTED,
        }
    }
}

impl Check {
    /// One thread per processor, and fifty findings per rule and file.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of threads.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// The number of findings listed per rule and file; further ones are only counted.
    pub fn listed(mut self, listed: usize) -> Self {
        self.listed = listed;
        self
    }

    /// Checks all files of a library.
    ///
    /// # Errors
    /// The folders cannot be listed. Problems of single files are findings.
    pub fn library(&self, library: &SessionLibrary) -> Result<CheckReport, TranscriptError> {
        Ok(self.files(&library.files()?))
    }

    /// Checks some files. Missing parents, calls and requests are also searched in files around
    /// them that are not in the list.
    pub fn files(&self, files: &[SessionFile]) -> CheckReport {
        let mut files = files.to_vec();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        let sidecars: Vec<Sidecar> = files.iter().filter_map(Sidecar::of).collect();
        let calls = sidecars.iter().map(|sidecar| sidecar.number).collect();
        let mut outcomes = self.scan(&files, &calls);
        let of_sidecars = across::settle(&files, &mut outcomes, sidecars, self.listed);
        let mut report = CheckReport::default();
        let mut drift = unknown_names::Items::new();
        for (file, outcome) in files.into_iter().zip(outcomes) {
            report.files_checked += 1;
            report.lines_checked += outcome.lines;
            report.bytes_checked += outcome.bytes;
            outcome.drift.join_into(&mut drift, &file.path);
            report.add(file.path, outcome.sink);
        }
        for (path, sink) in of_sidecars {
            report.add(path, sink);
        }
        report.files.sort_by(|a, b| a.path.cmp(&b.path));
        report.drift = drift.into_values().collect();
        report
    }

    fn scan(&self, files: &[SessionFile], calls: &HashSet<u64>) -> Vec<Outcome> {
        let workers = parallel::for_each(
            files,
            |file| file.len,
            self.threads,
            <(ReusedLines, Vec<(usize, Outcome)>)>::default,
            |(buffer, done), index, file| {
                done.push((index, scan(file, buffer, calls, self.listed)));
            },
        );
        let mut done: Vec<_> = workers.into_iter().flat_map(|(_, done)| done).collect();
        done.sort_by_key(|(index, _)| *index);
        done.into_iter().map(|(_, outcome)| outcome).collect()
    }
}
