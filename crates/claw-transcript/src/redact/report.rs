//! What was replaced, without saying what it was.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

/// One place where something was replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RedactedPlace {
    /// The line of the original, counted from one.
    pub line: u64,
    /// Where in the original it begins, in bytes.
    pub offset: u64,
    /// How many bytes it was long there.
    pub length: u64,
    /// The detector or own rule that found it.
    pub detector: String,
    /// What stands there now.
    pub pseudonym: String,
}

/// What was done to one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RedactedFile {
    /// The original.
    #[serde(serialize_with = "crate::files::lossy")]
    pub original: PathBuf,
    /// The copy, when one was written.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "lossy")]
    pub written: Option<PathBuf>,
    /// How many lines it has.
    pub lines: u64,
    /// How many of them are not as they were.
    pub lines_changed: u64,
    /// Lines that are no JSON, and were searched as text.
    pub lines_broken: u64,
    /// Thinking that was changed. Its signature no longer fits and was emptied.
    pub signatures_emptied: u64,
    /// Pictures that are one pixel now.
    pub images_replaced: u64,
    /// Pictures and other data that nobody looked into; they are as they were.
    pub not_searched: u64,
    /// Where something was replaced, in order.
    pub places: Vec<RedactedPlace>,
    /// How many more there are of a detector than are listed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub suppressed: BTreeMap<String, u64>,
}

/// The copy's path, which need not be text.
fn lossy<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    let path = path.as_deref().map(Path::to_string_lossy);
    path.serialize(serializer)
}

/// What a redaction did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RedactReport {
    /// The new id of the session, when it got one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_session_id: Option<String>,
    /// How often each detector and own rule found something.
    pub found: BTreeMap<String, u64>,
    /// How many different secrets those were, as far as is known, those of earlier runs with the
    /// same key included.
    pub distinct: BTreeMap<String, u64>,
    /// The files, the session's own first.
    pub files: Vec<RedactedFile>,
}

impl RedactReport {
    /// How many places were replaced.
    pub fn total(&self) -> u64 {
        self.found.values().sum()
    }

    /// How often something happened in all files.
    pub fn sum(&self, of: impl Fn(&RedactedFile) -> u64) -> u64 {
        self.files.iter().map(of).sum()
    }

    /// The copy of the session's own file, when one was written.
    pub fn main_file(&self) -> Option<&Path> {
        self.files.first()?.written.as_deref()
    }

    /// The report for people: places as `path:line:offset detector pseudonym`, then sums.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for file in &self.files {
            let path = file.original.display();
            for place in &file.places {
                let RedactedPlace {
                    line,
                    offset,
                    detector,
                    pseudonym,
                    ..
                } = place;
                let _ = writeln!(text, "{path}:{line}:{offset} {detector} {pseudonym}");
            }
            for (detector, more) in &file.suppressed {
                let _ = writeln!(text, "{path}: {more} more of {detector}");
            }
        }
        text.push_str(&self.summary());
        text
    }

    /// Only the sums.
    pub fn summary(&self) -> String {
        let mut text = String::new();
        for (detector, count) in &self.found {
            let distinct = self.distinct.get(detector).copied().unwrap_or_default();
            let _ = writeln!(
                text,
                "{detector:16} {count:>7} places, {distinct} different"
            );
        }
        let said: [(u64, &str); 4] = [
            (
                self.sum(|file| file.signatures_emptied),
                "signatures of changed thinking emptied",
            ),
            (self.sum(|file| file.images_replaced), "pictures replaced"),
            (
                self.sum(|file| file.not_searched),
                "pictures or other data not looked into",
            ),
            (
                self.sum(|file| file.lines_broken),
                "broken lines, searched as text",
            ),
        ];
        for (count, what) in said.into_iter().filter(|(count, _)| *count > 0) {
            let _ = writeln!(text, "{count} {what}");
        }
        let _ = writeln!(
            text,
            "{} places in {} of {} lines, {} {}",
            self.total(),
            self.sum(|file| file.lines_changed),
            self.sum(|file| file.lines),
            self.files.len(),
            if self.files.len() == 1 {
                "file"
            } else {
                "files"
            },
        );
        text
    }
}
