//! The newest recordings under `testdata/cli/`.

use std::path::Path;

use anyhow::{Context, Result, ensure};

/// What both sides wrote, scenario by scenario.
#[derive(Debug)]
pub(crate) struct Recordings {
    /// Version of the CLI.
    pub(crate) version: String,
    pub(crate) scenarios: Vec<Scenario>,
}

/// One run of the CLI.
#[derive(Debug)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) stdin: Vec<u8>,
    pub(crate) stdout: Vec<u8>,
}

/// Finds the recordings of the newest version; an error when there are none, because then nothing
/// that the CLI prints was looked at.
pub(crate) fn newest(folder: &Path) -> Result<Recordings> {
    let names = children(folder)?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let version = newest_version(&names).with_context(|| {
        format!(
            "there are no recordings in {}: run `cargo xtask record`",
            folder.display()
        )
    })?;
    let folder = folder.join(version);
    let mut scenarios = Vec::new();
    for name in children(&folder)? {
        let read = |file: &str| {
            let path = folder.join(&name).join(file);
            std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))
        };
        if folder.join(&name).is_dir() {
            scenarios.push(Scenario {
                stdin: read("stdin.ndjson")?,
                stdout: read("stdout.ndjson")?,
                name,
            });
        }
    }
    ensure!(
        !scenarios.is_empty(),
        "{} has no scenario: run `cargo xtask record`",
        folder.display()
    );
    Ok(Recordings {
        version: version.to_owned(),
        scenarios,
    })
}

fn children(folder: &Path) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("cannot list {}", folder.display()))?
        .collect::<Result<Vec<_>, _>>()?;
    let mut names: Vec<String> = entries
        .iter()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    Ok(names)
}

/// The highest version, by numbers and not by letters; names that are no version do not count.
fn newest_version<'a>(names: &[&'a str]) -> Option<&'a str> {
    let numbers = |name: &str| -> Option<Vec<u64>> {
        name.split('.').map(|part| part.parse().ok()).collect()
    };
    names
        .iter()
        .copied()
        .filter_map(|name| Some((numbers(name)?, name)))
        .max()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::{newest, newest_version};

    #[test]
    fn no_recordings_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(newest(&folder.path().join("missing")).is_err());
        assert!(newest(folder.path()).is_err());
        let version = folder.path().join("2.1.1");
        std::fs::create_dir(&version).unwrap();
        assert!(newest(folder.path()).is_err());
        std::fs::create_dir(version.join("hello")).unwrap();
        assert!(newest(folder.path()).is_err());
        for file in ["stdin.ndjson", "stdout.ndjson"] {
            std::fs::write(version.join("hello").join(file), "{}\n").unwrap();
        }
        assert_eq!(newest(folder.path()).unwrap().scenarios.len(), 1);
    }

    #[test]
    fn versions_compare_by_number() {
        assert_eq!(
            newest_version(&["2.1.99", "2.1.325", "README.md"]),
            Some("2.1.325")
        );
        assert_eq!(newest_version(&["README.md"]), None);
    }
}
