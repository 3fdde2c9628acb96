//! The labelled commands and paths of testdata/server, judged. Also run by the proof.

use std::path::Path;

use claw_server::rules::{AllowRules, Surroundings, Verdict};
use serde_json::Value;

/// How many cases there were, and the ones that were judged wrongly.
pub(crate) struct Judged {
    pub(crate) cases: usize,
    pub(crate) wrong: Vec<String>,
}

impl Judged {
    fn of(rows: &[Value], is_wrong: impl Fn(&Value) -> Option<Verdict>) -> Self {
        let told = |row: &Value| {
            let verdict = is_wrong(row)?;
            Some(format!(
                "{} ({}): {verdict:?}",
                text(row, "id"),
                text(row, "class")
            ))
        };
        Self {
            cases: rows.len(),
            wrong: rows.iter().filter_map(told).collect(),
        }
    }
}

fn rows(testdata: &Path, file: &str) -> Vec<Value> {
    let path = testdata.join("server").join(file);
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

fn command(row: &Value) -> Verdict {
    AllowRules::read(rules(row)).command(text(row, "command"))
}

/// Commands that no rule means to allow: wrong when covered.
pub(crate) fn hostile_commands(testdata: &Path) -> Judged {
    Judged::of(&rows(testdata, "shell/hostile.jsonl"), |row| {
        Some(command(row)).filter(Verdict::is_covered)
    })
}

/// Commands that a rule means to allow: wrong when asked.
pub(crate) fn benign_commands(testdata: &Path) -> Judged {
    Judged::of(&rows(testdata, "shell/benign.jsonl"), |row| {
        Some(command(row)).filter(|verdict| !verdict.is_covered())
    })
}

/// Paths that no rule means to allow: wrong when covered.
pub(crate) fn hostile_paths(testdata: &Path) -> Judged {
    let mut rows = rows(testdata, "paths/cases.jsonl");
    rows.retain(|row| text(row, "expect") == "ask");
    Judged::of(&rows, |row| Some(path(row)).filter(Verdict::is_covered))
}

/// Paths that a rule means to allow: wrong when asked.
pub(crate) fn benign_paths(testdata: &Path) -> Judged {
    let mut rows = rows(testdata, "paths/cases.jsonl");
    rows.retain(|row| text(row, "expect") == "allow");
    Judged::of(&rows, |row| {
        Some(path(row)).filter(|verdict| !verdict.is_covered())
    })
}

/// Judges a path in its tree, which is built below a temporary folder.
fn path(row: &Value) -> Verdict {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let below = Below(&top);
    below.build(&row["tree"]);
    let rules = AllowRules::read(rules(row).map(|rule| below.rule(rule)));
    let surroundings =
        Surroundings::new(below.path(text(row, "cwd"))).home(below.path(text(row, "home")));
    rules.path(
        text(row, "tool"),
        &below.path(text(row, "path")),
        &surroundings,
    )
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
