//! Checks of `docs/proof/defects.md` and of the workflow.

use std::collections::BTreeMap;
use std::fs;

use super::source_files;
use crate::cli_package::workspace_root;

/// Finds what is wrong with the row of a defect: `| defect | crate | test | at d93bab7 |`.
fn fault(row: &str, sources: &BTreeMap<String, String>) -> Option<String> {
    let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
    let [_, package, tests, at_commit] = cells[..] else {
        return Some(format!("not four cells: {row}"));
    };
    let names: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
    if names.is_empty() || at_commit.is_empty() {
        return Some(format!("no test, or no failure: {row}"));
    }
    let missing = names.into_iter().find(|name| {
        let mut parts: Vec<&str> = name.split("::").collect();
        let function = format!("fn {}(", parts.pop().unwrap_or_default());
        parts.retain(|part| *part != "tests");
        !sources.iter().any(|(path, text)| {
            let is_there =
                format!("/{path}").contains(&format!("/{package}/")) && text.contains(&function);
            is_there
                && path
                    .trim_end_matches("/tests.rs")
                    .contains(&parts.join("/"))
        })
    });
    missing.map(|name| format!("{package} has no test {name}"))
}

#[test]
fn every_test_on_the_page_of_defects_exists() {
    let files = source_files::all().unwrap().into_iter();
    let sources: BTreeMap<String, String> = files
        .filter(|file| file.name.ends_with(".rs"))
        .map(|file| (file.name, fs::read_to_string(file.path).unwrap_or_default()))
        .collect();
    let page = fs::read_to_string(workspace_root().join("docs/proof/defects.md")).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).collect();
    let rows: Vec<&&str> = rows
        .iter()
        .filter(|row| !row.starts_with("| defect"))
        .collect();
    assert!(rows.len() > 50, "{} rows", rows.len());
    let faults: Vec<_> = rows.iter().filter_map(|row| fault(row, &sources)).collect();
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(fault("| a | xtask | `ci::defects::no_such` | b |", &sources).is_some());
}

#[test]
fn actions_are_pinned_by_commit() {
    let text = fs::read_to_string(workspace_root().join(".github/workflows/ci.yml")).unwrap();
    let actions = text.lines().filter_map(|line| line.split_once("uses: "));
    let is_commit = |pin: &str| pin.len() == 40 && pin.chars().all(|c| c.is_ascii_hexdigit());
    for (_, action) in actions {
        let pin = action.split(['@', ' ']).nth(1);
        assert!(pin.is_some_and(is_commit), "{action}");
    }
}
