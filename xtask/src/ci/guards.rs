//! When a nightly job runs in a full run: if the paths that it guards are not those with which it
//! passed last.
//!
//! `.ci/guarded` has a line for each nightly job, with a hash of its paths. A job that passes
//! writes its line; commit the file with the change that made the job run.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};

use super::process::Cmd;
use crate::place::workspace_root;

const FILE: &str = ".ci/guarded";
/// What each nightly job does.
const DEFINITIONS: &[&str] = &["xtask/src/ci/nightly.rs"];

/// Whether the paths have changed since the job passed.
pub(super) fn has_changed(job: &str, paths: &[&str]) -> bool {
    let passed = read();
    match state(paths) {
        Ok(None) => false,
        Ok(now) => passed.get(job) != now.as_ref(),
        Err(_) => true,
    }
}

/// Returns a hash of the paths as they are in the working tree, or `None` if there are none.
pub(super) fn state(paths: &[&str]) -> Result<Option<String>> {
    if paths.is_empty() {
        return Ok(None);
    }
    hash(&[paths, DEFINITIONS].concat()).map(Some)
}

/// Records that a job has passed with its paths in this state, which is that before its run.
pub(super) fn passed(job: &str, state: Option<String>) -> Result<()> {
    let Some(state) = state else { return Ok(()) };
    let mut lines = read();
    lines.insert(job.to_owned(), state);
    let text: String = lines
        .iter()
        .map(|(name, hash)| format!("{name} {hash}\n"))
        .collect();
    Ok(std::fs::write(workspace_root().join(FILE), text)?)
}

fn read() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(workspace_root().join(FILE)).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    lines
        .map(|(name, hash)| (name.to_owned(), hash.to_owned()))
        .collect()
}

/// A hash of the names and contents of files, as they are in the working tree.
fn hash(paths: &[&str]) -> Result<String> {
    let list = ["ls-files", "-z", "--cached", "--others"];
    let list = Cmd::new("git").args(list).arg("--exclude-standard");
    let files = list.arg("--").args(paths).text()?;
    ensure!(
        !files.is_empty(),
        "git has no files in {}",
        paths.join(", ")
    );
    let root = workspace_root();
    let names: Vec<&str> = files
        .split_terminator('\0')
        .filter(|name| root.join(name).is_file())
        .collect();
    let hashes = Cmd::new("git")
        .args(["hash-object", "--stdin-paths"])
        .input(names.join("\n"))?;
    let all: String = names
        .iter()
        .zip(hashes.lines())
        .map(|pair| format!("{pair:?}\n"))
        .collect();
    let hash = Cmd::new("git")
        .args(["hash-object", "--stdin"])
        .input(all)?;
    Ok(hash.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_counts() {
        let one = hash(&["xtask/src/ci.rs"]).unwrap();
        assert_eq!(one, hash(&["xtask/src/ci.rs"]).unwrap());
        assert_ne!(one, hash(&["xtask/src/ci*"]).unwrap());
        assert!(hash(&["no-such-path"]).is_err());
    }
}
