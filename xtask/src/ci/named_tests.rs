//! Checks that the tests exist that the pages of defects and mistakes name.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

use super::source_files;
use crate::place::workspace_root;

/// Pages with rows `| defect | crate | test | … |`, and the least number of rows.
const PAGES: [(&str, usize); 2] = [("docs/proof/defects.md", 50), ("docs/proof/traps.md", 13)];

/// The names and texts of all Rust files.
pub(crate) fn sources() -> Result<BTreeMap<String, String>> {
    let files = source_files::all()?.into_iter();
    let files = files.filter(|file| file.name.ends_with(".rs"));
    let read = files.map(|file| {
        let text = std::fs::read_to_string(file.path);
        (file.name, text.unwrap_or_default())
    });
    Ok(read.collect())
}

/// The rows that name no test, or one that does not exist.
pub(super) fn faults() -> Result<Vec<String>> {
    let sources = sources()?;
    let mut found = Vec::new();
    for (page, least) in PAGES {
        let text = std::fs::read_to_string(workspace_root().join(page));
        let text = text.with_context(|| format!("cannot read {page}"))?;
        let rows = text.lines().filter(|line| line.starts_with("| "));
        let rows: Vec<&str> = rows
            .filter(|row| !row.contains("| crate | test |"))
            .collect();
        ensure!(
            rows.len() >= least,
            "{page} has {} rows, not {least}",
            rows.len()
        );
        println!("{page}: {} rows", rows.len());
        let faults = rows.iter().filter_map(|row| fault(row, &sources));
        found.extend(faults.map(|fault| format!("{page}: {fault}")));
    }
    Ok(found)
}

/// What is wrong with a row.
fn fault(row: &str, sources: &BTreeMap<String, String>) -> Option<String> {
    let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
    let [_, package, tests, rest @ ..] = &cells[..] else {
        return Some(format!("not three cells: {row}"));
    };
    let names: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
    if names.is_empty() || rest.iter().any(|cell| cell.is_empty()) {
        return Some(format!("no test, or an empty cell: {row}"));
    }
    let missing = names
        .into_iter()
        .find(|name| !exists(package, name, sources));
    missing.map(|name| format!("{package} has no test {name}"))
}

/// Whether a package has a test with this path.
pub(crate) fn exists(package: &str, name: &str, sources: &BTreeMap<String, String>) -> bool {
    let mut modules: Vec<&str> = name.split("::").collect();
    let function = format!("fn {}(", modules.pop().unwrap_or_default());
    modules.retain(|module| *module != "tests");
    let place = modules.join("/");
    sources.iter().any(|(path, text)| {
        let is_in_package = format!("/{path}").contains(&format!("/{package}/"));
        let path = path.trim_end_matches("/tests.rs");
        is_in_package && path.contains(&place) && is_test(text, &function)
    })
}

/// Whether a file has this function, under an attribute that makes it a test.
fn is_test(text: &str, function: &str) -> bool {
    let mut is_marked = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            is_marked = true;
        } else if line.contains("fn ") {
            if is_marked && line.contains(function) {
                return true;
            }
            is_marked = false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_names_tests_that_are_run() {
        let text = "#[test]\nfn first() {}\nfn second() {}\n#[tokio::test]\nasync fn third() {}";
        let sources = BTreeMap::from([("crates/a/src/b.rs".to_owned(), text.to_owned())]);
        let fault = |test: &str| fault(&format!("| x | a | `b::{test}` | y |"), &sources);
        assert_eq!(["first", "third"].map(fault), [None, None]);
        assert!(
            ["second", "fir", "none"]
                .iter()
                .all(|test| fault(test).is_some())
        );
        assert!(super::fault("| x | a | no test | y |", &sources).is_some());
        assert!(super::fault("| x | a |", &sources).is_some());
    }

    #[test]
    fn actions_are_pinned_by_commit() {
        let text = include_str!("../../../.github/workflows/ci.yml");
        let actions = text.lines().filter_map(|line| line.split_once("uses: "));
        let is_commit = |pin: &str| pin.len() == 40 && pin.chars().all(|c| c.is_ascii_hexdigit());
        for (_, action) in actions {
            let pin = action.split(['@', ' ']).nth(1);
            assert!(pin.is_some_and(is_commit), "{action}");
        }
    }
}
