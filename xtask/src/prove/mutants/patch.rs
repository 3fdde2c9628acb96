//! Reads and applies mutants.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// The mutants that `cargo test` must catch.
pub(super) const TESTED: &str = "testdata/mutants";
/// The mutants that the simulation must find.
pub(super) const SIMULATED: &str = "testdata/mutants/simulation";
/// The environment variable that names the enabled mutant.
pub(super) const SWITCH: &str = "CLAW_MUTANT";

/// A text of a source file, and its replacement.
#[derive(Debug)]
pub(super) struct Mutant {
    /// The file name without the extension.
    pub(super) name: String,
    /// The effect of the bug.
    pub(super) breaks: String,
    pub(super) package: String,
    /// Relative to the root of the workspace.
    file: PathBuf,
    /// Parts of test names; at least one of these tests fails.
    tests: String,
    original: String,
    replacement: String,
}

impl Mutant {
    fn read(name: &str, text: &str) -> Result<Self> {
        let (head, rest) = text.split_once("<<<\n").context("no <<<")?;
        let (original, rest) = rest.split_once("\n===\n").context("no ===")?;
        let (replacement, _) = rest.split_once("\n>>>").context("no >>>")?;
        let member = |key: &str| {
            let mut lines = head.lines().filter_map(|line| line.split_once(": "));
            let found = lines.find(|(one, _)| *one == key);
            let found = found.with_context(|| format!("no line `{key}: …`"))?;
            Ok::<_, anyhow::Error>(found.1.to_owned())
        };
        ensure!(
            replacement.contains("@on@"),
            "the replacement does not contain @on@"
        );
        Ok(Self {
            name: name.to_owned(),
            breaks: member("breaks")?,
            package: member("crate")?,
            file: PathBuf::from(member("file")?),
            tests: member("tests")?,
            original: original.to_owned(),
            replacement: replacement.to_owned(),
        })
    }

    pub(super) fn tests(&self) -> impl Iterator<Item = &str> {
        self.tests.split_whitespace()
    }

    /// The range of the original text, which must occur exactly once.
    fn place(&self, source: &str) -> Result<Range<usize>> {
        let places: Vec<_> = source.match_indices(&self.original).collect();
        let [(start, _)] = places.as_slice() else {
            anyhow::bail!(
                "{}: its text occurs {} times in {}, and must occur once",
                self.name,
                places.len(),
                self.file.display()
            );
        };
        Ok(*start..start + self.original.len())
    }

    fn switched(&self) -> String {
        let is_on = format!(
            "(std::env::var(\"{SWITCH}\").is_ok_and(|on| on == \"{}\"))",
            self.name
        );
        self.replacement.replace("@on@", &is_on)
    }
}

/// All mutants in a folder, sorted by name.
pub(super) fn read_all(root: &Path, folder: &str) -> Result<Vec<Mutant>> {
    let folder = root.join(folder);
    let mut mutants = Vec::new();
    for entry in std::fs::read_dir(&folder)
        .with_context(|| format!("{} cannot be read", folder.display()))?
    {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "patch") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let text = std::fs::read_to_string(&path)?;
            mutants.push(Mutant::read(&name, &text).with_context(|| path.display().to_string())?);
        }
    }
    mutants.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(mutants)
}

/// The changed source files, with all mutants applied.
pub(super) fn applied(root: &Path, mutants: &[Mutant]) -> Result<BTreeMap<PathBuf, String>> {
    let mut files: BTreeMap<&Path, Vec<&Mutant>> = BTreeMap::new();
    for mutant in mutants {
        files.entry(&mutant.file).or_default().push(mutant);
    }
    let mut applied = BTreeMap::new();
    for (file, mutants) in files {
        let mut source = std::fs::read_to_string(root.join(file))
            .with_context(|| format!("{} cannot be read", file.display()))?;
        let places = mutants
            .into_iter()
            .map(|one| Ok((one.place(&source)?, one)));
        let mut places = places.collect::<Result<Vec<_>>>()?;
        places.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
        let mut last = source.len();
        for (place, mutant) in places {
            let name = &mutant.name;
            ensure!(place.end <= last, "{name} and the next one overlap");
            last = place.start;
            source.replace_range(place, &mutant.switched());
        }
        applied.insert(file.to_owned(), source);
    }
    Ok(applied)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli_package::workspace_root;

    #[test]
    fn every_mutant_applies_exactly_once() {
        let root = workspace_root();
        let planted = read_all(&root, SIMULATED).unwrap();
        applied(&root, &planted).unwrap();
        let mutants = read_all(&root, TESTED).unwrap();
        assert!(mutants.len() > 100, "{} mutants", mutants.len());
        applied(&root, &mutants).unwrap();
    }

    #[test]
    fn every_mutant_is_in_the_list_of_branches() {
        let root = workspace_root();
        let list = std::fs::read_to_string(root.join("testdata/mutants/README.md")).unwrap();
        for mutant in read_all(&root, TESTED).unwrap() {
            let (number, _) = mutant.name.split_once('-').unwrap();
            assert!(list.contains(&format!("| {number} |")), "{}", mutant.name);
        }
    }
}
