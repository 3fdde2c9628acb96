//! Reads and plants bugs.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::place::workspace_root;

pub(super) const FOLDER: &str = "testdata/mutants";
/// The environment variable that names the enabled bug.
pub(super) const SWITCH: &str = "CLAW_MUTANT";

/// A text of a source file, and its replacement.
#[derive(Debug, Default)]
pub(super) struct Bug {
    /// The file name without the extension.
    pub(super) name: String,
    /// The effect of the bug.
    pub(super) breaks: String,
    /// Finders, each with words that it reads in its own way.
    pub(super) found_by: Vec<String>,
    /// Relative to the root of the workspace.
    file: PathBuf,
    original: String,
    replacement: String,
}

impl Bug {
    fn read(name: &str, text: &str) -> Result<Self> {
        let (head, rest) = text.split_once("<<<\n").context("no <<<")?;
        let (original, rest) = rest.split_once("\n===\n").context("no ===")?;
        let (replacement, _) = rest.split_once("\n>>>").context("no >>>")?;
        ensure!(replacement.contains("@on@"), "the replacement has no @on@");
        // A static, because code that runs often is slower by a look at the environment.
        let is_on = format!(
            "std::convert::identity({{ static ON: std::sync::LazyLock<bool> = \
             std::sync::LazyLock::new(|| std::env::var(\"{SWITCH}\").is_ok_and(|on| \
             on == \"{name}\")); *ON }})"
        );
        let mut bug = Self {
            name: name.to_owned(),
            original: original.to_owned(),
            replacement: replacement.replace("@on@", &is_on),
            ..Self::default()
        };
        for line in head.lines() {
            match line.split_once(": ").unwrap_or((line, "")) {
                ("breaks", text) => bug.breaks = text.to_owned(),
                ("file", path) => bug.file = path.into(),
                ("found-by", words) => bug.found_by.push(words.to_owned()),
                _ => bail!("unknown line `{line}`"),
            }
        }
        Ok(bug)
    }

    /// The words for a finder, each behind a space, if it must find the bug.
    pub(super) fn words(&self, finder: &str) -> Option<&str> {
        let mut lines = self.found_by.iter();
        lines.find_map(|line| line.strip_prefix(finder))
    }

    /// The package of the file.
    pub(super) fn package(&self) -> &str {
        let folder = self.file.iter().nth(1);
        folder
            .and_then(|folder| folder.to_str())
            .unwrap_or_default()
    }

    /// The range of the original text, which must occur exactly once.
    fn place(&self, source: &str) -> Result<Range<usize>> {
        let places: Vec<_> = source.match_indices(&self.original).collect();
        let (name, file, times) = (&self.name, self.file.display(), places.len());
        ensure!(
            times == 1,
            "{name}: its text occurs {times} times in {file}"
        );
        Ok(places[0].0..places[0].0 + self.original.len())
    }
}

/// All planted bugs, sorted by name.
pub(super) fn read_all() -> Result<Vec<Bug>> {
    let mut bugs = Vec::new();
    for entry in fs::read_dir(workspace_root().join(FOLDER)).context(FOLDER)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "patch") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let bug = Bug::read(&name, &fs::read_to_string(&path)?);
            bugs.push(bug.with_context(|| path.display().to_string())?);
        }
    }
    bugs.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(bugs)
}

/// The changed source files, with all bugs planted.
pub(super) fn planted(bugs: &[Bug]) -> Result<BTreeMap<&Path, String>> {
    let mut files: BTreeMap<&Path, Vec<&Bug>> = BTreeMap::new();
    for bug in bugs {
        files.entry(&bug.file).or_default().push(bug);
    }
    let mut planted = BTreeMap::new();
    for (file, bugs) in files {
        let read = fs::read_to_string(workspace_root().join(file));
        let mut source = read.with_context(|| file.display().to_string())?;
        let placed = bugs.into_iter().map(|bug| Ok((bug.place(&source)?, bug)));
        let mut places = placed.collect::<Result<Vec<_>>>()?;
        places.sort_by_key(|(place, _)| Reverse(place.start));
        let mut next = source.len();
        for (place, bug) in places {
            ensure!(place.end <= next, "{} and the next one overlap", bug.name);
            next = place.start;
            source.replace_range(place, &bug.replacement);
        }
        planted.insert(file, source);
    }
    Ok(planted)
}
