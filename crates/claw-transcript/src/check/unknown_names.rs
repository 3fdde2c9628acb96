//! Collects unknown names.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

/// Maximum number of names that are kept, to bound memory.
const LIMIT: usize = 2000;

/// What an unknown name refers to.
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

/// An unknown name, as written by one version of the CLI.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DriftItem {
    /// What the name refers to.
    pub what: DriftOf,
    /// The kind of lines that have it.
    pub kind: String,
    /// The name.
    pub name: String,
    /// The version of the CLI in the lines; empty if there is none.
    pub version: String,
    /// The number of lines that have it.
    pub lines: u64,
    /// The first file that has it, by path.
    #[serde(serialize_with = "crate::files::lossy")]
    pub path: PathBuf,
    /// The first line in that file that has it, from one.
    pub line: u64,
}

type Key = (DriftOf, String, String, String);

/// Unknown names of one file.
#[derive(Debug, Default)]
pub(super) struct Drift {
    /// The number of lines, and the first of them.
    seen: BTreeMap<Key, (u64, u64)>,
}

impl Drift {
    /// Counts a name. Returns whether it is new in this file.
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

    /// Adds the names of a file to the items of all files.
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

/// Items of all files.
pub(super) type Items = BTreeMap<Key, DriftItem>;
