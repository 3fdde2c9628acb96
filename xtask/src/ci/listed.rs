//! Checks files that must agree with others: lock files with manifests, the table of contents of
//! the book with its pages, and pages with the tests that they name.

use std::path::Path;

use anyhow::{Context, Result, bail};

use super::process::Cmd;
use super::{named_tests, source_files};
use crate::place::workspace_root;

pub(super) fn run() -> Result<()> {
    let files: Vec<String> = source_files::all()?
        .into_iter()
        .map(|file| file.name)
        .collect();
    let mut wrong = stale_locks(&files)?;
    let root = workspace_root();
    let read = |name: &str| {
        std::fs::read_to_string(root.join(name)).with_context(|| format!("cannot read {name}"))
    };
    wrong.extend(unlisted(&files, &read("docs/SUMMARY.md")?));
    wrong.extend(named_tests::faults()?);
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    Ok(())
}

/// The lock files that are missing or do not belong to their manifests.
fn stale_locks(files: &[String]) -> Result<Vec<String>> {
    let root = workspace_root();
    let without = files.iter().filter(|file| {
        let (folder, name) = split(file);
        let lock = match name {
            "package.json" => "package-lock.json",
            "Cargo.toml" if is_workspace(&root.join(file)) => "Cargo.lock",
            _ => return false,
        };
        let lock = format!("{folder}/{lock}");
        !files
            .iter()
            .any(|file| lock.trim_start_matches("./") == file)
    });
    let mut stale: Vec<String> = without
        .map(|file| format!("{file} has no lock file"))
        .collect();
    let mut checked = 0;
    for file in files {
        let (folder, name) = split(file);
        let check = match name {
            "Cargo.lock" => {
                let manifest = format!("--manifest-path={folder}/Cargo.toml");
                let metadata = ["metadata", "--locked", "--format-version=1"];
                Cmd::cargo().args(metadata).arg(manifest).output()
            }
            "package-lock.json" => {
                let install = ["ci", "--dry-run", "--ignore-scripts", "--prefer-offline"];
                Cmd::new("npm")
                    .arg(format!("--prefix={folder}"))
                    .args(install)
                    .output()
            }
            _ => continue,
        };
        checked += 1;
        if let Err(error) = check {
            stale.push(format!("{file} is stale or cannot be checked: {error:#}"));
        }
    }
    println!("{checked} lock files");
    Ok(stale)
}

fn is_workspace(manifest: &Path) -> bool {
    let text = std::fs::read_to_string(manifest).unwrap_or_default();
    text.lines().any(|line| line == "[workspace]")
}

/// The folder and the name of a file.
fn split(file: &str) -> (&str, &str) {
    file.rsplit_once('/').unwrap_or((".", file))
}

/// The pages of the book that its table of contents lacks, and entries without a page.
fn unlisted(files: &[String], summary: &str) -> Vec<String> {
    let pages = files.iter().filter_map(|file| file.strip_prefix("docs/"));
    let pages: Vec<&str> = pages
        .filter(|page| page.ends_with(".md") && *page != "SUMMARY.md")
        .collect();
    println!("{} pages", pages.len());
    let entries = summary.split("](").skip(1);
    let entries: Vec<&str> = entries
        .filter_map(|entry| entry.split(')').next())
        .collect();
    let missing = pages.iter().filter(|page| !entries.contains(page));
    let missing = missing.map(|page| format!("docs/SUMMARY.md does not list {page}"));
    let dangling = entries.iter().filter(|entry| !pages.contains(entry));
    missing
        .chain(dangling.map(|entry| format!("docs/SUMMARY.md lists {entry}, which does not exist")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_entries_are_the_same() {
        let files = ["docs/a.md", "docs/b/c.md", "docs/SUMMARY.md", "README.md"];
        let wrong = unlisted(&files.map(str::to_owned), "- [A](a.md)\n- [D](d.md)\n");
        let expected = [
            "docs/SUMMARY.md does not list b/c.md",
            "docs/SUMMARY.md lists d.md, which does not exist",
        ];
        assert_eq!(wrong, expected);
    }

    #[test]
    fn a_file_has_a_folder() {
        assert_eq!(split("Cargo.lock"), (".", "Cargo.lock"));
        assert_eq!(split("a/b/Cargo.lock"), ("a/b", "Cargo.lock"));
    }
}
