//! Whether session files are what they should be.
//!
//! Every file is read once, line by line; what is kept of a line is a few bytes in tables of
//! numbers, and only while its file is read. A line is looked at a second time only when something
//! about it must be told. Files are shared out among threads, largest first, and what is found is
//! told in the order of paths and lines, whatever the number of threads.

pub(crate) mod across;
pub(crate) mod alike;
mod chain;
mod column;
mod drift;
pub(crate) mod examine;
mod facts;
mod ids;
pub(crate) mod iso;
mod json;
mod kin;
mod known;
mod member;
mod pairing;
mod place;
#[cfg(test)]
mod plain;
mod recent;
mod render;
mod report;
mod requests;
mod rule;
mod said;
mod scan;
mod sidecar;
pub(crate) mod table;
#[cfg(test)]
mod tests;

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::TranscriptError;
use crate::files::SessionFile;
use crate::library::SessionLibrary;

use scan::{Outcome, Scan};
use sidecar::Sidecars;

pub use drift::{DriftItem, DriftOf};
pub use report::{CheckReport, Counts, FileFindings, Finding};
pub use rule::{Rule, Severity};

/// How many findings of one rule are listed for one file, unless told otherwise.
const LISTED: usize = 50;

/// How session files are checked.
///
/// ```no_run
/// use claw_transcript::{Check, SessionLibrary};
///
/// let report = Check::new().library(&SessionLibrary::from_env()?)?;
/// print!("{}", report.to_text());
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
    /// With a thread for each processor, and fifty findings of each rule and file.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many threads read files.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// How many findings of one rule are listed for one file; the others are counted.
    pub fn listed(mut self, listed: usize) -> Self {
        self.listed = listed;
        self
    }

    /// Checks all files of a library.
    ///
    /// # Errors
    /// The folders cannot be listed. What is wrong with a file is a finding.
    pub fn library(&self, library: &SessionLibrary) -> Result<CheckReport, TranscriptError> {
        Ok(self.files(&library.files()?))
    }

    /// Checks some files. What they name and do not have is looked for in the files around them,
    /// whether those are among the given or not.
    pub fn files(&self, files: &[SessionFile]) -> CheckReport {
        let mut files = files.to_vec();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        let sidecars = Sidecars::of(&files);
        let mut outcomes = self.scan(&files, &sidecars);
        across::settle(&files, &mut outcomes, &sidecars);
        let mut report = CheckReport::default();
        let mut drift = drift::Items::new();
        for (file, outcome) in files.into_iter().zip(outcomes) {
            report.files_checked += 1;
            report.lines_checked += outcome.lines;
            report.bytes_checked += outcome.bytes;
            outcome.drift.join_into(&mut drift, &file.path);
            report.add(file.path, outcome.sink);
        }
        for (path, sink) in across::sidecar_findings(&sidecars, self.listed) {
            report.add(path, sink);
        }
        report.files.sort_by(|a, b| a.path.cmp(&b.path));
        report.drift = drift.into_values().collect();
        report
    }

    fn scan(&self, files: &[SessionFile], sidecars: &Sidecars) -> Vec<Outcome> {
        // The largest first, so that no thread is left alone with one at the end.
        let mut order: Vec<usize> = (0..files.len()).collect();
        order.sort_by_key(|index| (std::cmp::Reverse(files[*index].len), *index));
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, Outcome)>> = Mutex::default();
        let work = || {
            let mut scan = Scan::default();
            let mut own = Vec::new();
            while let Some(index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                let file = &files[*index];
                let outcome = scan.file(file, sidecars.wanted(file), self.listed);
                own.push((*index, outcome));
            }
            let mut done = done.lock().unwrap_or_else(|broken| broken.into_inner());
            done.append(&mut own);
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads.min(files.len()) {
                scope.spawn(work);
            }
            work();
        });
        let mut done = done
            .into_inner()
            .unwrap_or_else(|broken| broken.into_inner());
        done.sort_by_key(|(index, _)| *index);
        done.into_iter().map(|(_, outcome)| outcome).collect()
    }
}
