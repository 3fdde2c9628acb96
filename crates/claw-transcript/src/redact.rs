//! A copy of a session that can be given away.
//!
//! Only texts change, and only where something was found in them: everything else of a line is the
//! same bytes, and a line without a find is the same line. Texts are searched as they are meant,
//! without the escapes of JSON. Ids, references, kinds and what the API signed are never touched,
//! so the copy is the same tree, checks as the original does and can be resumed.
//!
//! What is found becomes a pseudonym, the same for the same secret in the session's file, those of
//! its subagents, its long tool results and its sidecars. Sums of requests that the CLI keeps
//! beside them (`hash`, `requestDigest`) stay as they were and are those of the original.

mod decoded;
mod detector;
mod finder;
mod names;
mod pass;
mod picture;
mod report;
mod rules;
mod shapes;
mod structure;
#[cfg(test)]
mod tests;
mod verify;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::TranscriptError;
use crate::files::SessionFile;
use crate::lines::Lines;

use finder::Finder;
use pass::Pass;

pub use detector::{Detector, UnknownDetector};
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

    /// Makes one pixel of every picture. Other data in base64 stays, and is counted.
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
        for (path, relative) in belongings(original)? {
            let target = into.map(|into| into.join(rename(&relative, renamed.as_ref())));
            if let Some(target) = &target {
                prepare(target, &path)?;
            }
            let mut pass = Pass {
                finder: &finder,
                names,
                images: self.images,
                renamed: renamed.as_ref(),
                listed: self.listed,
                file: RedactedFile {
                    original: path.clone(),
                    written: target.clone(),
                    ..RedactedFile::default()
                },
                found: BTreeMap::new(),
                line: 0,
                offset: 0,
                edits: Vec::new(),
            };
            let mut out: Box<dyn Write> = match &target {
                Some(target) => {
                    let file = names::create(target).map_err(RedactError::io("write", target))?;
                    Box::new(BufWriter::new(file))
                }
                None => Box::new(io::sink()),
            };
            copy(
                &mut pass,
                &path,
                target.as_deref().unwrap_or(&path),
                &mut out,
            )?;
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

/// The files of a session, with where they go.
fn belongings(original: &SessionFile) -> Result<Vec<(PathBuf, PathBuf)>, RedactError> {
    let name = original.path.file_name().unwrap_or_default();
    let mut all = vec![(original.path.clone(), PathBuf::from(name))];
    let mut folders: Vec<(PathBuf, PathBuf)> = Vec::new();
    match (original.companions(), original.sidecar()) {
        (Some(folder), _) => {
            let name = PathBuf::from(folder.file_name().unwrap_or_default());
            folders.push((folder, name));
        }
        (None, Some(sidecar)) if sidecar.is_file() => {
            let name = PathBuf::from(sidecar.file_name().unwrap_or_default());
            all.push((sidecar, name));
        }
        _ => {}
    }
    while let Some((folder, relative)) = folders.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if crate::library::is_absent(&error) => continue,
            Err(error) => return Err(RedactError::io("list", &folder)(error)),
        };
        for entry in entries.flatten() {
            let (path, relative) = (entry.path(), relative.join(entry.file_name()));
            // A link leads out of the session, to what was not asked for.
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push((path, relative)),
                Ok(kind) if kind.is_file() => all.push((path, relative)),
                _ => {}
            }
        }
    }
    // Pseudonyms are numbered in the order of files, which must not depend on the disk.
    all[1..].sort();
    Ok(all)
}

fn rename(relative: &Path, renamed: Option<&(String, String)>) -> PathBuf {
    match renamed {
        Some((old, new)) => PathBuf::from(relative.to_string_lossy().replace(old, new)),
        None => relative.to_path_buf(),
    }
}

/// Makes the folder of a copy, unless there is something in its place.
fn prepare(target: &Path, original: &Path) -> Result<(), RedactError> {
    let folder = target.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(RedactError::io("create", folder))?;
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    if real(folder).is_some_and(|folder| original.parent().and_then(real) == Some(folder)) {
        return Err(RedactError::AmongOriginals {
            path: folder.to_path_buf(),
        });
    }
    match target.symlink_metadata() {
        Ok(_) => Err(RedactError::Exists {
            path: target.to_path_buf(),
        }),
        Err(_) => Ok(()),
    }
}

/// Copies a file through a pass, as what it is.
fn copy(
    pass: &mut Pass<'_>,
    path: &Path,
    target: &Path,
    out: &mut dyn Write,
) -> Result<(), RedactError> {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    if ending == "jsonl" {
        let file = File::open(path).map_err(RedactError::io("open", path))?;
        return copy_lines(pass, Lines::new(file), path, target, out);
    }
    // The CLI keeps these short.
    let raw = std::fs::read(path).map_err(RedactError::io("read", path))?;
    let text = simdutf8::basic::from_utf8(&raw).is_ok() && !raw.contains(&0);
    pass.line = 1;
    let new = if !text {
        let pixel = picture::pixel_file(&ending).filter(|_| pass.images);
        match pixel {
            Some(_) => pass.file.images_replaced += 1,
            None => pass.file.not_searched += 1,
        }
        pixel
    } else {
        let lines = memchr::memchr_iter(b'\n', &raw).count() as u64;
        pass.file.lines = lines + u64::from(!raw.is_empty() && !raw.ends_with(b"\n"));
        if ending == "json" && serde_json::from_slice::<serde::de::IgnoredAny>(&raw).is_ok() {
            pass.json(&raw);
        } else {
            pass.plain(&raw);
        }
        for place in &mut pass.file.places {
            let before = &raw[..place.offset as usize];
            place.line = 1 + memchr::memchr_iter(b'\n', before).count() as u64;
        }
        let changed: BTreeSet<u64> = pass.file.places.iter().map(|place| place.line).collect();
        pass.file.lines_changed = changed.len() as u64;
        pass.apply(&raw)
    };
    out.write_all(new.as_deref().unwrap_or(&raw))
        .and_then(|()| out.flush())
        .map_err(RedactError::io("write", target))
}

fn copy_lines(
    pass: &mut Pass<'_>,
    mut lines: Lines<File>,
    path: &Path,
    target: &Path,
    out: &mut dyn Write,
) -> Result<(), RedactError> {
    while let Some(line) = lines.next_line().map_err(RedactError::io("read", path))? {
        (pass.line, pass.offset) = (line.ordinal + 1, line.offset);
        pass.file.lines += 1;
        pass.json(line.raw);
        let new = pass.apply(line.raw);
        pass.file.lines_changed += u64::from(new.is_some());
        out.write_all(new.as_deref().unwrap_or(line.raw))
            .and_then(|()| out.write_all(line.end.bytes()))
            .map_err(RedactError::io("write", target))?;
    }
    out.flush().map_err(RedactError::io("write", target))
}
