//! Our program, as a user runs it.

use std::path::Path;

use anyhow::Result;

use super::corpora::Source;
use super::tasks::Task;
use crate::process::program;

/// Its name in tables.
pub const NAME: &str = "claw";

/// `claw sessions` with a command, over everything in a folder.
fn sessions<'a>(name: &'static str, command: &str, source: &'a Source) -> Result<Task<'a>> {
    let task = Task::new(name, program("claw")?, source);
    let task = task.args(["sessions", command, "--config-dir"]);
    Ok(task.args([source.config()]))
}

/// Usage totals.
///
/// # Errors
/// Returns an error if the program was not built, as all of these do.
pub fn usage(source: &Source) -> Result<Task<'_>> {
    Ok(sessions(NAME, "usage", source)?.args(["--json"]))
}

/// A check of all rules. What it finds makes it exit with 1 or 2.
pub(super) fn check(source: &Source) -> Result<Task<'_>> {
    let check = sessions(NAME, "check", source)?.args(["--json"]);
    Ok(check.may_exit_with(2))
}

/// A search. Finding nothing makes it exit with 1, as `grep` does.
pub(super) fn search<'a>(
    name: &'static str,
    source: &'a Source,
    pattern: &str,
) -> Result<Task<'a>> {
    let search = sessions(name, "search", source)?.args([pattern]);
    Ok(search.may_exit_with(1))
}

/// All sessions.
pub(super) fn list(source: &Source) -> Result<Task<'_>> {
    Ok(sessions(NAME, "list", source)?.args(["--json", "--limit", "0"]))
}

/// All sessions as HTML.
///
/// # Errors
/// Returns an error if the program was not built.
pub fn html<'a>(source: &'a Source, output: &Path) -> Result<Task<'a>> {
    let export = sessions(NAME, "export", source)?.args(["--all", "--html", "--output"]);
    Ok(export.onto(output))
}
