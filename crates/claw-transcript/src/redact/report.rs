//! A report of replacements, without the secrets.

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
    /// The byte offset in the original.
    pub offset: u64,
    /// The length in the original, in bytes.
    pub length: u64,
    /// The detector or own rule that found it.
    pub detector: String,
    /// Its replacement.
    pub pseudonym: String,
}

/// The report of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RedactedFile {
    /// The original.
    #[serde(serialize_with = "crate::files::lossy")]
    pub original: PathBuf,
    /// The copy, if one was written.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "lossy")]
    pub written: Option<PathBuf>,
    /// The number of lines.
    pub lines: u64,
    /// The number of changed lines.
    pub lines_changed: u64,
    /// The number of lines that are not JSON, which were searched as text.
    pub lines_broken: u64,
    /// The number of signatures that were emptied, because their thinking was changed.
    pub signatures_emptied: u64,
    /// The number of pictures that were replaced with one pixel.
    pub images_replaced: u64,
    /// The number of pictures and other data that were not searched, and are unchanged.
    pub not_searched: u64,
    /// The replaced places, in order.
    pub places: Vec<RedactedPlace>,
    /// The number of places of each detector that are not listed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub suppressed: BTreeMap<String, u64>,
}

/// The copy's path, which may not be UTF-8.
fn lossy<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    let path = path.as_deref().map(Path::to_string_lossy);
    path.serialize(serializer)
}

/// The report of a redaction.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RedactReport {
    /// The new id of the session, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_session_id: Option<String>,
    /// The number of finds of each detector and own rule.
    pub found: BTreeMap<String, u64>,
    /// The number of distinct secrets, including those of earlier runs with the same key.
    pub distinct: BTreeMap<String, u64>,
    /// The files, the session's own first.
    pub files: Vec<RedactedFile>,
}

impl RedactReport {
    /// The number of replaced places.
    pub fn total(&self) -> u64 {
        self.found.values().sum()
    }

    /// The sum of a count over all files.
    pub fn sum(&self, of: impl Fn(&RedactedFile) -> u64) -> u64 {
        self.files.iter().map(of).sum()
    }

    /// The copy of the session's own file, if one was written.
    pub fn main_file(&self) -> Option<&Path> {
        self.files.first()?.written.as_deref()
    }

    /// The report for people: places as `path:line:offset detector pseudonym`, then sums.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for file in &self.files {
            let path = file.original.display();
            for place in &file.places {
                let (line, offset) = (place.line, place.offset);
                let found = format!("{} {}", place.detector, place.pseudonym);
                let _ = writeln!(text, "{path}:{line}:{offset} {found}");
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
        type Count = fn(&RedactedFile) -> u64;
        let counts: [(Count, &str); 4] = [
            (
                |file| file.signatures_emptied,
                "signatures of changed thinking emptied",
            ),
            (|file| file.images_replaced, "pictures replaced"),
            (
                |file| file.not_searched,
                "pictures or other data not looked into",
            ),
            (|file| file.lines_broken, "broken lines, searched as text"),
        ];
        for (count, what) in counts.map(|(count, what)| (self.sum(count), what)) {
            if count > 0 {
                let _ = writeln!(text, "{count} {what}");
            }
        }
        let _ = writeln!(
            text,
            "{} places in {} of {} lines, {} file{}",
            self.total(),
            self.sum(|file| file.lines_changed),
            self.sum(|file| file.lines),
            self.files.len(),
            if self.files.len() == 1 { "" } else { "s" },
        );
        text
    }
}
