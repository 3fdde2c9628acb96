//! Allow rules against the labelled commands and paths of testdata/server.

use std::path::Path;

use claw_server::rules::{AllowRules, Surroundings, Verdict};
use serde_json::Value;

fn rows(file: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/server")
        .join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name]
        .as_str()
        .unwrap_or_else(|| panic!("{name} in {row}"))
}

fn rules(row: &Value) -> impl Iterator<Item = &str> {
    row["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule.as_str().unwrap())
}

#[test]
fn no_hostile_command_is_covered() {
    let rows = rows("shell/hostile.jsonl");
    assert!(rows.len() >= 150);
    let covered: Vec<&Value> = rows
        .iter()
        .filter(|row| {
            AllowRules::read(rules(row))
                .command(text(row, "command"))
                .is_covered()
        })
        .collect();
    assert!(covered.is_empty(), "{covered:#?}");
}

#[test]
fn what_a_rule_means_is_covered() {
    let rows = rows("shell/benign.jsonl");
    assert!(rows.len() >= 60);
    let asked: Vec<String> = rows
        .iter()
        .filter_map(
            |row| match AllowRules::read(rules(row)).command(text(row, "command")) {
                Verdict::Covered => None,
                verdict => Some(format!("{}: {verdict:?}", text(row, "id"))),
            },
        )
        .collect();
    assert!(asked.is_empty(), "{asked:#?}");
}

/// The tree of a case below a temporary folder, which stands in front of every absolute path.
struct Below<'a>(&'a Path);

impl Below<'_> {
    fn path(&self, path: &str) -> String {
        if path.starts_with('/') && !path.contains('\0') {
            format!("{}{path}", self.0.display())
        } else {
            path.to_owned()
        }
    }

    fn rule(&self, rule: &str) -> String {
        match rule.split_once("(/") {
            Some((tool, rest)) => format!(
                "{tool}({}/{}",
                self.0.display(),
                rest.trim_start_matches('/')
            ),
            None => rule.to_owned(),
        }
    }

    fn build(&self, tree: &Value) {
        let names = |kind: &str| -> Vec<String> {
            tree[kind]
                .as_array()
                .unwrap()
                .iter()
                .map(|name| self.path(name.as_str().unwrap()))
                .collect()
        };
        for folder in names("dirs") {
            std::fs::create_dir_all(folder).unwrap();
        }
        let make_parent =
            |path: &str| std::fs::create_dir_all(Path::new(path).parent().unwrap()).unwrap();
        for file in names("files") {
            make_parent(&file);
            std::fs::write(file, "").unwrap();
        }
        for (link, target) in tree["links"].as_object().unwrap() {
            let link = self.path(link);
            make_parent(&link);
            std::os::unix::fs::symlink(self.path(target.as_str().unwrap()), link).unwrap();
        }
    }
}

#[test]
fn paths_are_covered_as_text_and_as_the_file_they_lead_to() {
    let rows = rows("paths/cases.jsonl");
    let mut wrong = Vec::new();
    for row in &rows {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let below = Below(&top);
        below.build(&row["tree"]);
        let rules = AllowRules::read(rules(row).map(|rule| below.rule(rule)));
        let surroundings =
            Surroundings::new(below.path(text(row, "cwd"))).home(below.path(text(row, "home")));
        let verdict = rules.path(
            text(row, "tool"),
            &below.path(text(row, "path")),
            &surroundings,
        );
        if verdict.is_covered() != (text(row, "expect") == "allow") {
            wrong.push(format!(
                "{} {}: {verdict:?} {}",
                text(row, "id"),
                text(row, "class"),
                text(row, "path")
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}: {wrong:#?}",
        wrong.len(),
        rows.len()
    );
}
