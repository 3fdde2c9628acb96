//! Every JSON example of the five documents, read into the type that it is an example of.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rusty_claw_protocol::audit::audit;
use rusty_claw_protocol::messages::{
    ApiMessage, ContentBlock, McpServerInfo, Message, StreamEvent, ToolInfo, UsageInfo,
};
use rusty_claw_protocol::wire::{Wire, read_all};
use rusty_claw_protocol::{Json, Line};
use serde::Serialize;
use serde_json::Value;

use crate::samples::same;

/// One line of `index.json`.
#[derive(Debug, serde::Deserialize)]
struct Example {
    file: String,
    document: String,
    /// What the example is in the document, when it is not JSON there.
    from: Option<String>,
    #[serde(rename = "type")]
    rust_type: String,
    /// The path of every leaf.
    members: Vec<String>,
    /// Members that no typed field has to take.
    #[serde(default)]
    kept: Vec<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/documents")
}

fn read(file: &str) -> String {
    let path = folder().join(file);
    std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
}

fn index() -> Vec<Example> {
    serde_json::from_str(&read("index.json")).expect("the index is JSON")
}

/// The paths of all leaves, as the index writes them.
fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (key, value) in members {
                let dot = if path.is_empty() { "" } else { "." };
                leaves(value, &format!("{path}{dot}{key}"), found);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                leaves(item, &format!("{path}[{index}]"), found);
            }
        }
        _ => found.push(path.to_owned()),
    }
}

fn sorted_leaves(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    leaves(value, "", &mut found);
    found.sort();
    found
}

/// Reads an example into its type; gives what the typed value writes, and what no field took.
fn through<T: Wire + Serialize>(text: &str) -> (Value, Vec<String>) {
    let value: T = read_all(text).unwrap_or_else(|error| panic!("{error} in {text}"));
    let audit = audit::<T>(text.as_bytes()).unwrap_or_else(|error| panic!("{error} in {text}"));
    assert_eq!(audit.new_shapes, [""; 0], "{text}");
    let written = serde_json::to_value(&value).unwrap_or_else(|error| panic!("{error} in {text}"));
    (written, audit.unread)
}

#[test]
fn every_example_is_read_with_every_member() {
    for example in index() {
        let text = read(&example.file);
        let (written, unread) = match example.rust_type.as_str() {
            "Message" => through::<Message>(&text),
            "ApiMessage" => through::<ApiMessage>(&text),
            "ContentBlock" => through::<ContentBlock>(&text),
            "UsageInfo" => through::<UsageInfo>(&text),
            "ToolInfo" => through::<ToolInfo>(&text),
            "McpServerInfo" => through::<McpServerInfo>(&text),
            "StreamEvent" => through::<StreamEvent>(&text),
            // A type of a crate above this one, whose own test reads it; here only the members
            // in the index are checked.
            name if name.starts_with("claw_server::") => through::<Json>(&text),
            other => panic!("{} names the type {other}", example.file),
        };
        let expected: Value = serde_json::from_str(&text).expect("an example is JSON");
        assert!(
            same(&written, &expected),
            "{} was written as {written}",
            example.file
        );
        let mut members = example.members.clone();
        members.sort();
        assert_eq!(sorted_leaves(&written), members, "{}", example.file);
        if example.document == "000" {
            // The names of this document are ours: what it prints has a field.
            for path in unread {
                let member = path.rsplit(['.', '>']).next().unwrap_or_default();
                assert!(
                    example.kept.iter().any(|kept| kept == member),
                    "{}: no field takes {path}",
                    example.file
                );
            }
        }
    }
}

#[test]
fn the_index_has_every_file_and_every_example() {
    let index = index();
    let mut printed: BTreeMap<&str, usize> = BTreeMap::new();
    let mut derived: BTreeMap<&str, usize> = BTreeMap::new();
    for example in &index {
        let counts = match example.from.as_deref() {
            None => &mut printed,
            Some("a TypeScript schema" | "an Elixir struct") => &mut derived,
            Some(other) => panic!("{} is from {other}", example.file),
        };
        *counts.entry(example.document.as_str()).or_default() += 1;
    }
    let counts = |list: &[(&'static str, usize)]| list.iter().copied().collect::<BTreeMap<_, _>>();
    assert_eq!(
        printed,
        counts(&[("000", 33), ("001", 8), ("002", 3), ("003", 2), ("004", 1)]),
        "44 in the first three documents"
    );
    assert_eq!(derived, counts(&[("002", 16), ("004", 3)]));

    let mut files = Vec::new();
    for document in ["000", "001", "002", "003", "004"] {
        for entry in std::fs::read_dir(folder().join(document)).expect("the folder exists") {
            let name = entry.expect("the folder is readable").file_name();
            let name = name.to_string_lossy();
            if name.ends_with(".json") {
                files.push(format!("{document}/{name}"));
            }
        }
    }
    files.sort();
    let mut indexed: Vec<_> = index.into_iter().map(|example| example.file).collect();
    indexed.sort();
    assert_eq!(files, indexed);
}

#[test]
fn every_message_is_also_a_line() {
    for example in index() {
        if example.rust_type != "Message" {
            continue;
        }
        let text = read(&example.file);
        let line = Line::decode(text.as_str());
        let Some(message) = line.message() else {
            panic!("{} is not a message", example.file)
        };
        let expected: Value = serde_json::from_str(&text).expect("an example is JSON");
        assert_eq!(
            Some(message.message_type()),
            expected["type"].as_str(),
            "{}",
            example.file
        );
        assert_eq!(line.raw().as_bytes(), text.as_bytes());
    }
}
