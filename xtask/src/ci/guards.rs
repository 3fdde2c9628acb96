//! Decides whether a nightly job also runs before a push: it does if the files that it guards have
//! changed since it last passed.
//!
//! `.ci/guarded` has a line for each nightly job that has passed, with a hash of these files. A job
//! that passes updates its line; commit the file with the change that made the job run.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};

use super::process::Cmd;
use crate::place::workspace_root;

const FILE: &str = ".ci/guarded";
/// The nightly jobs, each with the paths that it guards.
const GUARDS: &str = include_str!("guards.tsv");
/// The code of the nightly jobs, which each of them guards too.
const DEFINITIONS: &[&str] = &[
    "xtask/src/ci/cargo_jobs.rs",
    "xtask/src/ci/msrv.rs",
    "xtask/src/ci/nightly.rs",
];

/// Whether the paths of a nightly job have changed since it passed.
pub(super) fn has_changed(job: &str) -> bool {
    state(job).map_or(true, |now| read().get(job) != now.as_ref())
}

/// Returns a hash of the paths as they are in the working tree, or `None` if there are none.
pub(super) fn state(job: &str) -> Result<Option<String>> {
    let paths = paths(job);
    if paths.is_empty() {
        return Ok(None);
    }
    hash(&[&paths, DEFINITIONS].concat()).map(Some)
}

/// The paths that a job guards, as pathspecs of git.
pub(super) fn paths(job: &str) -> Vec<&'static str> {
    let mut lines = GUARDS.lines().filter_map(|line| line.split_once('\t'));
    let paths = lines.find(|(name, _)| *name == job);
    paths.map_or(Vec::new(), |(_, paths)| paths.split(' ').collect())
}

/// Records that a job passed. `state` is the state of its paths before the run.
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
