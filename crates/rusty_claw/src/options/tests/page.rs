//! The page about options is correct.

use std::collections::BTreeSet;
use std::path::Path;

use super::{launch, table};

pub(super) fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path);
    match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

/// The cells of the rows below a heading.
pub(super) fn cells(page: &str, heading: &str) -> Vec<Vec<String>> {
    let below = page.split_once(heading).unwrap().1;
    let section = below.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| "));
    rows.skip(1)
        .map(|row| {
            row.trim_matches('|')
                .split('|')
                .map(|cell| cell.trim().to_owned())
                .collect()
        })
        .collect()
}

/// The texts between backticks.
fn quoted(text: &str) -> BTreeSet<String> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[test]
fn it_has_a_row_for_each_option_of_the_pinned_sdk() {
    let types: serde_json::Value =
        serde_json::from_str(&read("testdata/types/0.3.325.json")).unwrap();
    let declared: BTreeSet<String> = serde_json::from_value(types["options"].clone()).unwrap();
    assert_eq!(types["package_version"], "0.3.325");
    assert!(declared.len() >= 69, "found only {declared:?}");
    let rows = cells(&read("docs/reference/options.md"), "## From TypeScript");
    let named: BTreeSet<String> = rows.iter().flat_map(|row| quoted(&row[0])).collect();
    assert_eq!(rows.len(), named.len(), "an option has two rows");
    assert_eq!(named, declared);
    for row in &rows {
        let left_out = row[1] == "–";
        assert!(!left_out || !row[3].is_empty(), "no reason: {row:?}");
    }
}

#[test]
fn it_names_each_method_and_no_other() {
    let page = read("docs/reference/options.md");
    let mut named: BTreeSet<String> = BTreeSet::new();
    for row in cells(&page, "## From TypeScript") {
        named.extend(quoted(&row[1]));
    }
    for row in cells(&page, "## Only here") {
        named.extend(quoted(&row[0]));
    }
    let mut methods = table::methods();
    methods.remove("new");
    assert_eq!(named, methods);
}

#[test]
fn it_names_each_flag_variable_and_member_and_no_other() {
    let page = read("docs/reference/options.md");
    let mut named = BTreeSet::new();
    for row in cells(&page, "## From TypeScript") {
        named.extend(quoted(&row[2]));
        named.extend(quoted(&row[3]).into_iter().filter(|word| is_sent(word)));
    }
    for row in cells(&page, "## Only here") {
        named.extend(quoted(&row[1]));
    }
    // Not a flag, but how flags are written.
    named.remove("--name=value");

    let plain = launch(&super::Options::new()).0;
    let mut sent = BTreeSet::new();
    for (name, options) in table::rows() {
        let (launch, _) = launch(&options);
        if !matches!(name, "extra_flag" | "env" | "env_remove" | "env_clear") {
            for argument in launch.args.iter().filter(|arg| !plain.args.contains(arg)) {
                let argument = argument.to_str().unwrap();
                let flag = argument.split('=').next().unwrap();
                sent.insert(
                    if argument.ends_with("=stdio") {
                        argument
                    } else {
                        flag
                    }
                    .to_owned(),
                );
            }
            for (name, value) in &launch.env {
                let known = plain.env.iter().any(|(other, _)| other == name);
                if !known && value.is_some() {
                    sent.insert(name.to_str().unwrap().to_owned());
                }
            }
        }
        let initialize = serde_json::to_value(options.initialize()).unwrap();
        sent.extend(initialize.as_object().unwrap().keys().cloned());
    }
    assert_eq!(named, sent);

    let always = quoted(page.split_once("## Always").unwrap().1);
    for argument in &plain.args {
        assert!(always.contains(argument.to_str().unwrap()), "{argument:?}");
    }
    for (name, _) in &plain.env {
        assert!(always.contains(name.to_str().unwrap()), "{name:?}");
    }
}

fn is_sent(word: &str) -> bool {
    word.starts_with("--") || word == "managedSettings"
}
