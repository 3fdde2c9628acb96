//! The worktrees of a git repository, read from its files.
//!
//! `git worktree list` returns the same, but git may be missing, may hang, and runs programs that
//! the repository configures.

use std::path::{Path, PathBuf};

/// The worktrees of the repository of `dir`, the main one first. Empty outside of a repository.
pub(super) fn worktrees_of(dir: &Path) -> Vec<PathBuf> {
    let Some(common) = dir.ancestors().find_map(common_dir) else {
        return Vec::new();
    };
    let mut trees = Vec::new();
    if common.file_name().is_some_and(|name| name == ".git") {
        trees.extend(common.parent().map(Path::to_path_buf));
    } else {
        // A bare repository is listed as itself.
        trees.push(common.clone());
    }
    let Ok(linked) = std::fs::read_dir(common.join("worktrees")) else {
        return trees;
    };
    let mut linked: Vec<PathBuf> = linked
        .flatten()
        .filter_map(|entry| {
            let entry = entry.path();
            let git_file = entry.join(first_line(&entry.join("gitdir"))?);
            git_file.parent().map(Path::to_path_buf)
        })
        .collect();
    linked.sort();
    trees.extend(linked);
    trees
}

/// The git folder that all worktrees share, if `dir` is the root of one.
fn common_dir(dir: &Path) -> Option<PathBuf> {
    let git = dir.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let line = first_line(&git)?;
    let own = dir.join(line.strip_prefix("gitdir: ")?);
    let common = match first_line(&own.join("commondir")) {
        Some(common) => own.join(common),
        None => own,
    };
    std::fs::canonicalize(common).ok()
}

fn first_line(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    text.lines().next().map(str::to_owned)
}
