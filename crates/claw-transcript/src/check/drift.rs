//! Names that are not known here.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

/// How many different names are kept. A file of nothing but new names must not fill the memory.
const LIMIT: usize = 2000;

/// What a name that is not known names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DriftOf {
    /// A `type` of lines.
    Kind,
    /// A `subtype` of a kind.
    Subtype,
    /// A type of attachments.
    Attachment,
    /// A member of lines of a kind.
    Member,
}

impl DriftOf {
    /// The name for people and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kind => "kind",
            Self::Subtype => "subtype",
            Self::Attachment => "attachment",
            Self::Member => "member",
        }
    }
}

/// A name that is not known here, as one version of the CLI writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DriftItem {
    /// What it names.
    pub what: DriftOf,
    /// The kind of lines that it was seen in.
    pub kind: String,
    /// The name.
    pub name: String,
    /// The version of the CLI that the lines say; empty when none does.
    pub version: String,
    /// How many lines have it.
    pub lines: u64,
    /// A file that has it, the first by path.
    #[serde(serialize_with = "crate::files::lossy")]
    pub path: PathBuf,
    /// The first line there that has it, counted from one.
    pub line: u64,
}

type Key = (DriftOf, String, String, String);

/// New names of one file, or of all.
#[derive(Debug, Default)]
pub(super) struct Drift {
    /// How many lines, and the first of them.
    seen: BTreeMap<Key, (u64, u64)>,
}

impl Drift {
    /// Counts a name; says whether it is new in this file.
    pub(super) fn add(
        &mut self,
        what: DriftOf,
        kind: &str,
        name: &str,
        version: &str,
        line: u64,
    ) -> bool {
        let short = |text: &str| text.chars().take(80).collect::<String>();
        let key = (what, short(kind), short(name), short(version));
        if let Some((lines, _)) = self.seen.get_mut(&key) {
            *lines += 1;
            return false;
        }
        let (_, kind, name, _) = &key;
        let mut known = self.seen.keys();
        let first = !known.any(|(w, k, n, _)| *w == what && k == kind && n == name);
        if self.seen.len() < LIMIT {
            self.seen.insert(key, (1, line));
        }
        first && self.seen.len() < LIMIT
    }

    /// Adds the names of a file to a list of items.
    pub(super) fn join_into(self, items: &mut BTreeMap<Key, DriftItem>, path: &std::path::Path) {
        for (key, (lines, line)) in self.seen {
            if let Some(item) = items.get_mut(&key) {
                item.lines += lines;
            } else if items.len() < LIMIT {
                let (what, kind, name, version) = key.clone();
                let path = path.to_path_buf();
                let item = DriftItem {
                    what,
                    kind,
                    name,
                    version,
                    lines,
                    path,
                    line,
                };
                items.insert(key, item);
            }
        }
    }
}

/// All items by their names.
pub(super) type Items = BTreeMap<Key, DriftItem>;
