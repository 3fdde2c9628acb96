//! A copy of a session that can be given away.
//!
//! Only texts change, and only where something was found in them: everything else of a line is the
//! same bytes, and a line without a find is the same line. Texts are searched as they are meant,
//! without the escapes of JSON. Ids, references, kinds and what the API signed are never touched,
//! so the copy is the same tree, checks as the original does and can be resumed.
//!
//! What is found becomes a pseudonym, the same for the same secret in the session's file, those of
//! its subagents, its long tool results and its sidecars. All files are read twice, and searched once:
//! what was found anywhere by what stands around it is replaced wherever it stands. Sums of requests that the CLI
//! keeps beside them (`hash`, `requestDigest`) stay as they were and are those of the original.

mod assigned;
mod base64;
mod belongings;
mod copy;
mod decoded;
mod detector;
mod edits;
mod finder;
mod known;
mod layer;
mod names;
mod pass;
mod picture;
mod remembered;
mod report;
mod rules;
mod secret_name;
mod shapes;
mod structure;
#[cfg(test)]
mod tests;
mod verify;
mod walk;

use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::TranscriptError;
use crate::files::SessionFile;

use belongings::{Belonging, belongings};
use copy::Seen;
use finder::Finder;
use known::Known;
use pass::Pass;

pub use detector::Detector;
pub use names::Pseudonyms;
pub use report::{RedactReport, RedactedFile, RedactedPlace};
pub use rules::OwnRules;

/// How many places of one detector are listed for one file, unless told otherwise.
const LISTED: u64 = 200;

/// From how many bits a character on a string is taken for random, unless told otherwise.
const ENTROPY: f64 = 4.0;

/// Why a session was not redacted. Nothing that is named here is a secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RedactError {
    /// The file system refused, or there is no such session.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
    /// A file of pseudonyms that cannot be read as one.
    #[error("{} is no key file ({why}): name another, or move it away", path.display())]
    NotAKeyFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// An own rule that cannot be used.
    #[error("rule {rule}: {why}")]
    BadRule {
        /// Its name.
        rule: String,
        /// What is wrong with it.
        why: String,
    },
    /// The copy would be written over something.
    #[error("{} is there already: name a new folder", path.display())]
    Exists {
        /// What is there.
        path: PathBuf,
    },
    /// The copy would be written among the files of the session.
    #[error("{} holds the original: name another folder", path.display())]
    AmongOriginals {
        /// The folder.
        path: PathBuf,
    },
}

impl RedactError {
    fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let error = TranscriptError::io(action, path);
        move |source| Self::Transcript(error(source))
    }
}

/// How sessions are redacted.
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
    listed: u64,
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
            listed: LISTED,
        }
    }
}

impl Redact {
    /// With all detectors that are on by default, and no own rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// Only these detectors.
    pub fn only(mut self, detectors: impl IntoIterator<Item = Detector>) -> Self {
        self.detectors = detectors.into_iter().collect();
        self
    }

    /// This detector too.
    pub fn with(mut self, detector: Detector) -> Self {
        self.detectors.insert(detector);
        self
    }

    /// All but this detector.
    pub fn without(mut self, detector: Detector) -> Self {
        self.detectors.remove(&detector);
        self
    }

    /// Own rules; they have precedence over detectors.
    pub fn rules(mut self, rules: OwnRules) -> Self {
        self.rules = rules;
        self
    }

    /// From how many bits a character on a string is taken for random; 4.0 unless told otherwise.
    pub fn entropy(mut self, bits: f64) -> Self {
        self.entropy = bits;
        self
    }

    /// Makes one pixel of every picture, of a kind that we cannot draw a PNG. Data in base64 that
    /// is neither a picture nor text stays, and is counted.
    pub fn images(mut self, images: bool) -> Self {
        self.images = images;
        self
    }

    /// Gives the copy a session id of its own, so that it can lie beside the original.
    pub fn new_id(mut self, new_id: bool) -> Self {
        self.new_id = new_id;
        self
    }

    /// How many places of one detector are listed for one file; the others are counted.
    pub fn listed(mut self, listed: u64) -> Self {
        self.listed = listed;
        self
    }

    /// Redacts a session with everything beside it into a folder: its file, and under its id what
    /// its subagents did, long tool results and sidecars. Without a folder nothing is written, and
    /// the report says what would be.
    ///
    /// # Errors
    /// The original cannot be read, or the copy cannot be written or is there already.
    pub fn session(
        &self,
        original: &SessionFile,
        names: &mut Pseudonyms,
        into: Option<&Path>,
    ) -> Result<RedactReport, RedactError> {
        let wanted = |detector| self.detectors.contains(&detector);
        let finder = Finder::new(&self.rules, wanted, self.entropy)?;
        let renamed = self.renamed(original);
        let mut report = RedactReport {
            new_session_id: renamed.as_ref().map(|(_, new)| new.clone()),
            ..RedactReport::default()
        };
        if let Some(into) = into {
            belongings::refuse(into, original)?;
        }
        let files = belongings(original)?;
        // Before anything is written: what is found in the last file is known in the first.
        let mut seen = Vec::with_capacity(files.len());
        let mut room = remembered::ROOM;
        for file in &files {
            let mut pass = Pass::new(&finder, names);
            pass.images = self.images;
            let file_seen = Seen::read(&mut pass, &file.path, room)?;
            room -= file_seen.len();
            seen.push(file_seen);
            belongings::redacted(&mut pass, &file.relative);
        }
        let known = Known::new(&finder, names)?;
        for (Belonging { path, relative }, seen) in files.into_iter().zip(seen) {
            let mut pass = Pass::new(&finder, names);
            pass.known = known.as_ref();
            pass.renamed = renamed.as_ref();
            let relative = belongings::redacted(&mut pass, &relative);
            let target = into.map(|into| into.join(relative));
            if let Some(target) = &target {
                belongings::prepare(target)?;
            }
            let mut out: Box<dyn Write> = match &target {
                Some(target) => {
                    let file = names::create(target).map_err(RedactError::io("write", target))?;
                    Box::new(BufWriter::new(file))
                }
                None => Box::new(io::sink()),
            };
            pass.images = self.images;
            pass.listed = self.listed;
            pass.file.original.clone_from(&path);
            pass.file.written.clone_from(&target);
            let written = target.as_deref().unwrap_or(&path);
            copy::copy(&mut pass, &path, written, seen, &mut out)?;
            for (name, count) in pass.found {
                *report.found.entry(name).or_default() += count;
            }
            report.files.push(pass.file);
        }
        let kinds = report.found.keys();
        report.distinct = kinds
            .map(|kind| (kind.clone(), names.count(kind) as u64))
            .collect();
        Ok(report)
    }

    fn renamed(&self, original: &SessionFile) -> Option<(String, String)> {
        let old = original.session_id.clone().filter(|_| self.new_id)?;
        Some((old, uuid::Uuid::new_v4().to_string()))
    }
}
