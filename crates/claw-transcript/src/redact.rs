//! Redacts sessions, so that they can be shared.
//!
//! Only texts change, and only where a secret was found. The rest of a line keeps its bytes. Texts
//! are searched without the escapes of JSON. Ids, references, kinds and signed data are never
//! changed, so that the copy is the same tree, passes the same checks and can be resumed.
//!
//! The rules are in `redact/rules.toml`. A secret becomes a pseudonym, which is the same in all
//! files of the session: its own, those of subagents, long tool results and sidecars. All files are
//! read twice and searched once: a secret that was found once by its context is replaced
//! everywhere. Digests of requests that the CLI stores (`hash`, `requestDigest`) stay those of the
//! original.

mod base64;
mod checks;
mod copy;
mod detector;
mod edits;
mod error;
mod finder;
mod found;
mod json;
mod known;
mod matches;
mod member_name;
mod own_rules;
mod parts;
mod pass;
mod pattern;
mod pixel;
mod pseudonyms;
mod report;
mod rules;
mod session_files;
mod structure;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::files::SessionFile;

use copy::Seen;
use finder::Finder;
use known::Known;
use pass::Pass;
use session_files::{FileToCopy, session_files};

pub use detector::Detector;
pub use error::RedactError;
pub use own_rules::OwnRules;
pub use pseudonyms::Pseudonyms;
pub use report::{RedactReport, RedactedFile, RedactedPlace};

/// The number of places that are listed for each detector and file.
const LISTED: u64 = 200;

/// The default number of bits per character from which a string counts as random.
const ENTROPY: f64 = 4.0;

/// Redacts sessions.
///
/// ```no_run
/// use claw_transcript::{Pseudonyms, Redact, SessionFile};
///
/// let original = SessionFile::at("session.jsonl")?;
/// let mut names = Pseudonyms::new();
/// let report = Redact::new().session(&original, &mut names, Some("to-share".as_ref()))?;
/// print!("{}", report.to_text());
/// # Ok::<(), claw_transcript::RedactError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Redact {
    detectors: BTreeSet<Detector>,
    rules: OwnRules,
    entropy: f64,
    images: bool,
    new_id: bool,
}

impl Default for Redact {
    fn default() -> Self {
        let all = Detector::ALL.into_iter();
        Self {
            detectors: all.filter(|detector| detector.is_default()).collect(),
            rules: OwnRules::default(),
            entropy: ENTROPY,
            images: false,
            new_id: false,
        }
    }
}

impl Redact {
    /// Uses the default detectors, without own rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// Uses only these detectors.
    pub fn only(mut self, detectors: impl IntoIterator<Item = Detector>) -> Self {
        self.detectors = detectors.into_iter().collect();
        self
    }

    /// Adds a detector.
    pub fn with(mut self, detector: Detector) -> Self {
        self.detectors.insert(detector);
        self
    }

    /// Removes a detector.
    pub fn without(mut self, detector: Detector) -> Self {
        self.detectors.remove(&detector);
        self
    }

    /// Adds own rules, which have precedence over detectors.
    pub fn rules(mut self, rules: OwnRules) -> Self {
        self.rules = rules;
        self
    }

    /// Sets the number of bits per character from which a string counts as random; 4.0 by default.
    pub fn entropy(mut self, bits: f64) -> Self {
        self.entropy = bits;
        self
    }

    /// Replaces every picture with one pixel, as PNG if there is none of its own kind. Other base64
    /// data that is not text is kept and counted.
    pub fn images(mut self, images: bool) -> Self {
        self.images = images;
        self
    }

    /// Gives the copy a new session id, so that the CLI can list it beside the original.
    pub fn new_id(mut self, new_id: bool) -> Self {
        self.new_id = new_id;
        self
    }

    /// Redacts one line of JSON, or another JSON text. Returns `None` if nothing is replaced.
    ///
    /// # Errors
    /// A rule is not valid.
    pub fn line(
        &self,
        line: &[u8],
        names: &mut Pseudonyms,
    ) -> Result<Option<Vec<u8>>, RedactError> {
        let wanted = |detector| self.detectors.contains(&detector);
        let finder = Finder::new(&self.rules, wanted, self.entropy)?;
        let mut pass = Pass::new(&finder, names);
        pass.begin(1, 0);
        pass.json(line);
        Ok(pass.apply(line))
    }

    /// Redacts a session into a folder: its file, and under its id the files of its subagents, long
    /// tool results and sidecars. Without a folder nothing is written, and the report lists what
    /// would be replaced.
    ///
    /// # Errors
    /// Returns an error if the original cannot be read, or if the copy cannot be written, exists,
    /// or would be among the original's files.
    pub fn session(
        &self,
        original: &SessionFile,
        names: &mut Pseudonyms,
        into: Option<&Path>,
    ) -> Result<RedactReport, RedactError> {
        let wanted = |detector| self.detectors.contains(&detector);
        let finder = Finder::new(&self.rules, wanted, self.entropy)?;
        let old_id = original.session_id.clone().filter(|_| self.new_id);
        let renamed = old_id.map(|old| (old, uuid::Uuid::new_v4().to_string()));
        if let Some(into) = into {
            session_files::reject_target(into, original)?;
        }
        let files = session_files(original)?;
        // Before anything is written, so that secrets of the last file are known in the first.
        let mut seen = Vec::with_capacity(files.len());
        let mut room = matches::ROOM;
        for file in &files {
            let mut pass = Pass::new(&finder, names);
            pass.images = self.images;
            let file_seen = Seen::read(&mut pass, &file.path, room)?;
            room -= file_seen.len();
            seen.push(file_seen);
            pass.path(&file.relative);
        }
        let known = Known::new(&finder, names)?;
        let mut report = RedactReport::default();
        for (FileToCopy { path, relative }, seen) in files.into_iter().zip(seen) {
            let mut pass = Pass::new(&finder, names);
            pass.known = known.as_ref();
            pass.renamed = renamed.as_ref();
            pass.images = self.images;
            pass.listed = LISTED;
            let relative = pass.path(&relative);
            let target = into.map(|into| into.join(relative));
            let mut out: Box<dyn Write> = match &target {
                Some(target) => Box::new(BufWriter::new(session_files::create(target)?)),
                None => Box::new(io::sink()),
            };
            let written = target.as_deref().unwrap_or(&path);
            copy::copy(&mut pass, &path, written, seen, &mut out)?;
            for (name, count) in pass.found {
                *report.found.entry(name).or_default() += count;
            }
            report.files.push(RedactedFile {
                original: path,
                written: target,
                ..pass.file
            });
        }
        let kinds = report.found.keys();
        report.distinct = kinds
            .map(|kind| (kind.clone(), names.count(kind) as u64))
            .collect();
        report.new_session_id = renamed.map(|(_, new)| new);
        Ok(report)
    }
}
