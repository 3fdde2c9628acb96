//! The page about JSON matches the output of every command.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use claw_testkit::corpus::write_demo;
use serde_json::Value;

/// Objects whose names are data, such as rules, and not part of the shape.
const BY_NAME: [&str; 4] = ["rules", "suppressed", "found", "distinct"];
/// A line of a session file, which has the shape that the CLI gave it.
const AS_IN_THE_FILE: &str = "entry";

/// A session with some damage, for findings.
const BROKEN: &str = concat!(
    r#"{"type":"user","uuid":"5e5e5e5e-2222-4222-8222-000000000001","parentUuid":"5e5e5e5e-2222-4222-8222-00000000000f","timestamp":"2026-01-27T10:00:00Z","sessionId":"5e5e5e5e-0000-4000-8000-000000000001","isSidechain":false,"message":{"role":"user","content":"mail ann@example.org"}}"#,
    "\n",
    r#"{"type":"telepathy","version":"9.0.0"}"#,
    "\n",
    r#"{"type":"user","uuid":"5e5e"#,
    "\n",
);

/// Runs every `$ claw …` of the page, and compares the names and types of what it prints.
#[test]
fn the_page_about_json_has_the_shape_of_what_every_command_prints() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/sessions-json.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now_ms = i64::try_from(now.unwrap().as_millis()).unwrap();
    write_demo(&dir.path().join("target/demo"), now_ms).unwrap();
    std::fs::write(dir.path().join("broken.jsonl"), BROKEN).unwrap();

    let mut fresh = String::new();
    let mut commands = BTreeSet::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        fresh.push_str(line);
        fresh.push('\n');
        let Some(command) = line.strip_prefix("$ claw ") else {
            continue;
        };
        let words: Vec<&str> = command.split(' ').collect();
        commands.insert(words[1].to_owned());
        for (name, types) in shape(&printed(dir.path(), &words)) {
            let types = types.into_iter().collect::<Vec<_>>().join(" or ");
            fresh.push_str(&format!("{name:36} {types}\n"));
        }
        fresh.push_str("```\n");
        let _shown = lines.by_ref().take_while(|line| *line != "```").count();
    }
    if std::env::var_os("UPDATE_GUIDE").is_some() {
        std::fs::write(&page, &fresh).unwrap();
    }
    assert!(
        fresh == text,
        "the page shows another shape than the program prints; UPDATE_GUIDE=1 writes it anew\n{fresh}"
    );
    // Every command is on the page.
    let help = printed(dir.path(), &["sessions", "--help"]);
    let named = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let named = named.take_while(|line| line.starts_with("  "));
    let mut named: BTreeSet<String> = named
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| Some(line.split_whitespace().next()?.to_owned()))
        .collect();
    assert!(named.remove("help") && named.len() >= 10, "{named:?}");
    named.insert("--json".to_owned());
    assert_eq!(commands, named);
}

#[test]
fn all_names_are_in_one_style() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/sessions-json.md");
    let text = std::fs::read_to_string(page).unwrap();
    let mut names = 0;
    let mut inside = false;
    for line in text.lines() {
        match line {
            "```" => inside = false,
            _ if line.starts_with("$ claw ") => inside = true,
            _ if inside => {
                let name = line.split_whitespace().next().unwrap();
                let odd = name.contains('_') || name.contains('-');
                assert!(!odd, "{name} is not in camelCase");
                names += 1;
            }
            _ => {}
        }
    }
    assert!(names > 100, "only {names} names");
}

fn printed(dir: &Path, words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_claw"))
        .args(words)
        .current_dir(dir)
        .env_clear()
        .env("HOME", dir)
        .env("CLAUDE_CONFIG_DIR", dir.join("target/demo/.claude"))
        .env("CLAW_DATA_DIR", dir.join("own"))
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        !printed.is_empty(),
        "{words:?} printed nothing: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    printed
}

/// The names in some documents, each on its line, and of which types they are.
fn shape(printed: &str) -> BTreeMap<String, BTreeSet<&'static str>> {
    let mut shape = BTreeMap::new();
    for line in printed.lines() {
        let document: Value = serde_json::from_str(line).unwrap();
        let start = if document.is_array() { "[]" } else { "" };
        match document {
            Value::Array(items) => items.iter().for_each(|item| look(item, start, &mut shape)),
            document => look(&document, start, &mut shape),
        }
    }
    shape
}

fn look(value: &Value, name: &str, shape: &mut BTreeMap<String, BTreeSet<&'static str>>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    };
    let last = name.rsplit('.').next().unwrap_or_default();
    match value {
        Value::Object(members) if last != AS_IN_THE_FILE => {
            for (member, value) in members {
                let member = if BY_NAME.contains(&last) { "*" } else { member };
                let dot = if name.is_empty() { "" } else { "." };
                look(value, &format!("{name}{dot}{member}"), shape);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                look(item, &format!("{name}[]"), shape);
            }
        }
        _ => {
            shape.entry(name.to_owned()).or_default().insert(kind);
        }
    }
}
