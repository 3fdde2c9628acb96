//! Every JSON example of the five documents, read into the type that it is an example of.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use claw_testkit::figure::{Figure, record};
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

/// Reads an example into its type. Checks that every member is written again, and has a field
/// unless it is in `kept`.
fn check<T: Wire + Serialize>(example: &Example, text: &str) {
    let file = &example.file;
    let audit = audit::<T>(text.as_bytes()).unwrap_or_else(|error| panic!("{file}: {error}"));
    assert_eq!(audit.new_shapes, [""; 0], "{file}");
    assert_eq!(audit.unknown, [], "{file}");
    for path in &audit.unread {
        let member = path.rsplit(['.', '>']).next().unwrap_or_default();
        let is_kept = example.kept.iter().any(|kept| kept == member);
        assert!(is_kept, "{file}: no field for {path}");
    }
    let value: T = read_all(text).unwrap_or_else(|error| panic!("{file}: {error}"));
    let written = serde_json::to_value(&value).unwrap_or_else(|error| panic!("{file}: {error}"));
    let expected: Value = serde_json::from_str(text).expect("an example is JSON");
    assert!(same(&written, &expected), "{file} was written as {written}");
    let mut members = example.members.clone();
    members.sort();
    assert_eq!(sorted_leaves(&written), members, "{file}");
}

/// The figure of `cargo xtask prove protocol --only documents`.
#[test]
fn every_example_is_read_with_every_member() {
    let (mut here, mut of_server, mut schemas) = (0, 0, 0);
    for example in index() {
        let text = read(&example.file);
        match example.from.as_deref() {
            Some("a TypeScript schema") => schemas += 1,
            _ if example.rust_type.starts_with("claw_server::") => of_server += 1,
            _ => here += 1,
        }
        match example.rust_type.as_str() {
            "Message" => {
                check::<Message>(&example, &text);
                let line = Line::decode(text.as_str());
                let expected: Value = serde_json::from_str(&text).expect("an example is JSON");
                assert_eq!(
                    line.message().map(Message::message_type),
                    expected["type"].as_str(),
                    "{}",
                    example.file
                );
                assert_eq!(line.raw().as_bytes(), text.as_bytes());
            }
            "ApiMessage" => check::<ApiMessage>(&example, &text),
            "ContentBlock" => check::<ContentBlock>(&example, &text),
            "UsageInfo" => check::<UsageInfo>(&example, &text),
            "ToolInfo" => check::<ToolInfo>(&example, &text),
            "McpServerInfo" => check::<McpServerInfo>(&example, &text),
            "StreamEvent" => check::<StreamEvent>(&example, &text),
            // A type of claw-server, whose own test reads it; here only the members in the index
            // are checked.
            name if name.starts_with("claw_server::") => check::<Json>(&example, &text),
            other => panic!("{} names the type {other}", example.file),
        }
    }
    let figure = Figure::new(
        "JSON examples in the documents as fixtures, read into the named types with every field present (44 in 000–002, two inline in 003, one in 004, and the three Elixir structs)",
        "all 47 + 3",
    )
    .measured(
        format!("{} of 50: {here} here, {of_server} by claw-server", here + of_server),
        here + of_server == 50,
    )
    .note(format!("and {schemas} made from the TypeScript schemas of 002"))
    .note("the examples of claw-server's messages are compared byte for byte by its own figure `documents`");
    record("documents", vec![figure]);
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
