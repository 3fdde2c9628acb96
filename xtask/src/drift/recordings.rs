//! The newest recordings under `testdata/cli/`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// What the CLI printed, scenario by scenario.
#[derive(Debug, Default)]
pub(crate) struct Recordings {
    /// Version of the CLI; none when nothing was recorded.
    pub(crate) version: Option<String>,
    pub(crate) files: Vec<PathBuf>,
}

/// Finds the recordings of the newest version.
pub(crate) fn newest(folder: &Path) -> Result<Recordings> {
    if !folder.is_dir() {
        return Ok(Recordings::default());
    }
    let names = children(folder)?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let Some(version) = newest_version(&names) else {
        return Ok(Recordings::default());
    };
    let scenarios = folder.join(version);
    let files = children(&scenarios)?
        .iter()
        .map(|scenario| scenarios.join(scenario).join("stdout.ndjson"))
        .filter(|path| path.is_file())
        .collect();
    Ok(Recordings {
        version: Some(version.to_owned()),
        files,
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
    use super::newest_version;

    #[test]
    fn versions_compare_by_number() {
        assert_eq!(
            newest_version(&["2.1.99", "2.1.325", "README.md"]),
            Some("2.1.325")
        );
        assert_eq!(newest_version(&["README.md"]), None);
    }
}
