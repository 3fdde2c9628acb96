//! What is known about a CLI.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::version::Version;

/// The version and flags of a CLI.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    pub(super) path: PathBuf,
    pub(super) version: Option<Version>,
    /// The flags in its help.
    pub(super) listed: BTreeMap<String, Takes>,
    /// Flags that were probed one by one, and whether the CLI accepts them.
    pub(super) asked: BTreeMap<String, bool>,
}

impl Probe {
    pub(super) fn nothing_known(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            version: None,
            listed: BTreeMap::new(),
            asked: BTreeMap::new(),
        }
    }

    /// The CLI's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its version; `None` if it did not report one.
    pub fn version(&self) -> Option<Version> {
        self.version
    }

    /// Returns whether it accepts a flag, such as `--model`; `None` if that is unknown.
    pub fn knows(&self, flag: &str) -> Option<bool> {
        // A program that lists no flags is not the CLI, or cannot be probed.
        let version = self.version.filter(|_| !self.listed.is_empty())?;
        let hidden = HIDDEN
            .iter()
            .any(|(name, _, since)| *name == flag && version >= *since);
        if hidden || self.listed.contains_key(flag) {
            return Some(true);
        }
        self.asked.get(flag).copied()
    }

    pub(super) fn takes(&self, flag: &str) -> Option<Takes> {
        let hidden = HIDDEN.iter().find(|(name, ..)| *name == flag);
        self.listed
            .get(flag)
            .copied()
            .or_else(|| hidden.map(|(_, takes, _)| *takes))
    }
}

/// Whether a flag is followed by a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Takes {
    Nothing,
    Value,
}

/// Flags that work but that `claude --help` does not list, each with the oldest release in which
/// it was seen to work. Checked by asking the pinned CLI for each ([`super::ask_for_flag`]).
#[rustfmt::skip] // One line per flag is what makes it a table.
pub(crate) const HIDDEN: &[(&str, Takes, Version)] = &[
    ("--await-claim",                  Takes::Nothing, SEEN),
    ("--await-initialize",             Takes::Nothing, SEEN),
    ("--enable-auth-status",           Takes::Nothing, SEEN),
    ("--managed-settings",             Takes::Value,   SEEN),
    ("--managed-settings-in-initialize", Takes::Nothing, SEEN),
    ("--max-thinking-tokens",          Takes::Value,   SEEN),
    ("--max-turns",                    Takes::Value,   SEEN),
    ("--permission-prompt-tool",       Takes::Value,   SEEN),
    ("--plugin-dir-no-mcp",            Takes::Value,   SEEN),
    ("--project-config-root",          Takes::Value,   SEEN),
    ("--resume-drops-turn",            Takes::Value,   SEEN),
    ("--resume-session-at",            Takes::Value,   SEEN),
    ("--rewind-files",                 Takes::Value,   SEEN),
    ("--session-mirror",               Takes::Nothing, SEEN),
    ("--task-budget",                  Takes::Value,   SEEN),
    ("--thinking",                     Takes::Value,   SEEN),
    ("--thinking-display",             Takes::Value,   SEEN),
    ("--workload",                     Takes::Value,   SEEN),
];

const SEEN: Version = Version::new(2, 1, 325);

/// Flags that this library accepts although `claude --help` does not list them, each with the
/// oldest release known to have it. Use [`ask_for_flag`](super::ask_for_flag) to check them against
/// a CLI.
pub fn hidden_flags() -> impl Iterator<Item = (&'static str, Version)> {
    HIDDEN.iter().map(|(name, _, since)| (*name, *since))
}
