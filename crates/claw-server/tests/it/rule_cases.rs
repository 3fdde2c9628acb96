//! The labelled commands and paths of testdata/server, judged by the rules of this crate and by a
//! policy of the SDK that has the same rules.

use std::collections::BTreeMap;
use std::path::Path;

use claw_server::rules::{AllowRules, Coverage, PathContext};
use rusty_claw::permission::{PermissionAsk, Policy, Rule, Verdict};
use rusty_claw_protocol::Json;
use rusty_claw_protocol::control::CanUseTool;
use serde_json::{Value, json};

use crate::testdata;

/// Who judges.
#[derive(Debug, Clone, Copy)]
pub(crate) enum By {
    Rules,
    Policy,
}

/// A set of labelled cases. The authors of the second and third set had not read the code; each set
/// was written after the code passed the earlier sets. The review has commands only, each with a
/// label.
pub(crate) struct Set {
    /// What the names of its figures end with.
    pub(crate) suffix: &'static str,
    hostile: &'static str,
    benign: &'static str,
    pub(crate) paths: Option<&'static str>,
    /// One in this many benign cases may be asked; `None` if all must be allowed.
    pub(crate) asked_of: Option<usize>,
    /// The results when it was first run, before any change for it.
    pub(crate) first_run: Option<[&'static str; 4]>,
}

pub(crate) const FIRST: Set = Set {
    suffix: "",
    hostile: "shell/hostile.jsonl",
    benign: "shell/benign.jsonl",
    paths: Some("paths/cases.jsonl"),
    asked_of: None,
    first_run: None,
};

pub(crate) const SECOND: Set = Set {
    suffix: ", second set",
    hostile: "shell/hostile_unseen.jsonl",
    benign: "shell/benign_unseen.jsonl",
    paths: Some("paths/unseen.jsonl"),
    asked_of: Some(20),
    first_run: Some([
        "2 of 891 allowed (u227, u402)",
        "136 of 156 allowed",
        "0 of 99 allowed",
        "43 of 45 allowed (not q087, q101)",
    ]),
};

pub(crate) const THIRD: Set = Set {
    suffix: ", third set",
    hostile: "shell/hostile_third.jsonl",
    benign: "shell/benign_third.jsonl",
    paths: None,
    asked_of: Some(20),
    first_run: Some(["63 of 994 allowed", "151 of 177 allowed", "", ""]),
};

pub(crate) const REVIEW: Set = Set {
    suffix: ", review",
    hostile: "shell/review.jsonl",
    benign: "shell/review.jsonl",
    paths: None,
    asked_of: None,
    first_run: None,
};

/// How many cases there were, and the ones that were judged wrongly.
pub(crate) struct Judged {
    pub(crate) cases: usize,
    pub(crate) wrong: Vec<String>,
}

impl Judged {
    /// Rows that should be allowed, or should not.
    fn of(rows: &[Value], should: bool, judge: impl Fn(&Value) -> Result<(), String>) -> Self {
        let told = |row: &Value| {
            let judged = judge(row);
            let told = format!("{} ({}): {judged:?}", text(row, "id"), text(row, "class"));
            (judged.is_ok() != should).then_some(told)
        };
        Self {
            cases: rows.len(),
            wrong: rows.iter().filter_map(told).collect(),
        }
    }
}

fn rows(file: &str) -> Vec<Value> {
    let path = testdata("server").join(file);
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

impl Set {
    /// The commands that no rule means to allow, and those that one does; then the paths.
    pub(crate) fn judged(&self, by: By) -> [Judged; 4] {
        [
            commands(self.hostile, false, by),
            commands(self.benign, true, by),
            paths(self.paths, false, by),
            paths(self.paths, true, by),
        ]
    }
}

/// Checks commands of a session in an empty folder, or in a folder with the files of the case.
fn commands(file: &str, should: bool, by: By) -> Judged {
    let mut rows = rows(file);
    let is_meant = |label: &str| label == expected(should);
    rows.retain(|row| row["expect"].as_str().is_none_or(is_meant));
    Judged::of(&rows, should, |row| {
        let made = tempfile::tempdir().unwrap();
        let folder = made.path().canonicalize().unwrap();
        let place = |name: &str| {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            path
        };
        for file in row["tree"]["files"].as_array().into_iter().flatten() {
            std::fs::write(place(file.as_str().unwrap()), "").unwrap();
        }
        for (file, text) in row["tree"]["texts"].as_object().into_iter().flatten() {
            std::fs::write(place(file), text.as_str().unwrap()).unwrap();
        }
        for (link, target) in row["tree"]["links"].as_object().into_iter().flatten() {
            std::os::unix::fs::symlink(target.as_str().unwrap(), place(link)).unwrap();
        }
        let folder = folder.display().to_string();
        let command = text(row, "command").replace("FOLDER", &folder);
        match by {
            By::Rules => {
                let path_context = PathContext::new(folder);
                answer(AllowRules::read(rules(row)).command_in(&command, &path_context))
            }
            By::Policy => {
                let policy = policy(Policy::new().working_in(folder), rules(row));
                policy_answer(&policy, "Bash", json!({ "command": command }))
            }
        }
    })
}

fn paths(file: Option<&str>, should: bool, by: By) -> Judged {
    let mut rows = file.map_or_else(Vec::new, rows);
    rows.retain(|row| text(row, "expect") == expected(should));
    Judged::of(&rows, should, |row| path(row, by))
}

fn expected(should: bool) -> &'static str {
    if should { "allow" } else { "ask" }
}

/// Judges a path in its tree, which is built below a temporary folder.
fn path(row: &Value, by: By) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let below = Below(&top);
    below.build(&row["tree"]);
    let rules: Vec<String> = rules(row).map(|rule| below.rule(rule)).collect();
    let (cwd, home) = (below.path(text(row, "cwd")), below.path(text(row, "home")));
    let (tool, path) = (text(row, "tool"), below.path(text(row, "path")));
    match by {
        By::Rules => {
            let path_context = PathContext::new(cwd).home(home);
            answer(AllowRules::read(rules).path(tool, &path, &path_context))
        }
        By::Policy => {
            let start = Policy::new().working_in(cwd).home(home);
            let policy = policy(start, rules.iter().map(String::as_str));
            let input = json!({
                "file_path": path, "content": "", "old_string": "a", "new_string": "b",
            });
            policy_answer(&policy, tool, input)
        }
    }
}

fn answer(coverage: Coverage) -> Result<(), String> {
    match coverage {
        Coverage::Covered => Ok(()),
        Coverage::Ask { why } => Err(why),
    }
}

/// A policy with these rules, one for each tool. Rules that it cannot express are left out.
fn policy<'a>(start: Policy, rules: impl Iterator<Item = &'a str>) -> Policy {
    let mut by_tool: BTreeMap<&str, Rule> = BTreeMap::new();
    for text in rules {
        let Some((tool, about)) = text
            .strip_suffix(')')
            .and_then(|text| text.split_once('('))
            .filter(|(_, about)| !about.is_empty())
        else {
            continue;
        };
        let open = about.strip_suffix(":*").or(about.strip_suffix(" *"));
        let rule = match (tool, open, by_tool.remove(tool)) {
            ("Bash", Some(words), None) => Rule::command(words),
            ("Bash", Some(words), Some(rule)) => rule.or_command(words),
            ("Bash", None, None) => Rule::command_exactly(about),
            ("Bash", None, Some(rule)) => rule.or_command_exactly(about),
            (_, _, rule) => rule.unwrap_or_else(|| Rule::tool(tool)).at(&place(about)),
        };
        by_tool.insert(tool, rule);
    }
    by_tool.into_values().fold(start, Policy::allow)
}

/// Converts the start of a path in a rule's text to the syntax of [`Rule::path`].
fn place(about: &str) -> String {
    match about.strip_prefix('/') {
        Some(absolute) if absolute.starts_with('/') => absolute.to_owned(),
        Some(below) => format!("./{below}"),
        None => about.to_owned(),
    }
}

fn policy_answer(policy: &Policy, tool: &str, input: Value) -> Result<(), String> {
    let ask = PermissionAsk::new(CanUseTool::new(tool, Json::from_value(&input), ""));
    match policy.verdict(&ask) {
        Verdict::Allow => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

/// The tree of a case in a temporary folder, which is prepended to every absolute path.
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
        // One slash is the session's folder.
        match rule.split_once("(//") {
            Some((tool, rest)) => format!(
                "{tool}(/{}/{}",
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
