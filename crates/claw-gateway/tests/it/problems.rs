//! The codes of problems: in the table, the code, the OpenAPI document and the documentation.

use std::collections::BTreeSet;
use std::path::Path;

use claw_gateway::http::{CODES, openapi};

/// Adds the codes that a source file passes to `Problem::new`, or that `GatewayError` has.
fn collect(folder: &Path, codes: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            // The client only reads problems.
            if !path.ends_with("client") {
                collect(&path, codes);
            }
            continue;
        }
        if path.ends_with("client.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for call in text.split("Problem::new(").skip(1) {
            let arguments = call.split(';').next().unwrap();
            let literal = arguments.split(',').nth(1).unwrap_or_default().trim();
            codes.extend(quoted(literal));
        }
        if path.ends_with("src/error.rs") {
            let body = text.split("pub fn code(&self)").nth(1).unwrap();
            let body = body.split("\n    }\n").next().unwrap();
            codes.extend(
                body.lines()
                    .filter_map(|line| quoted(line.split("=> ").nth(1)?)),
            );
        }
    }
}

fn quoted(text: &str) -> Option<String> {
    let rest = text.strip_prefix('"')?;
    Some(rest.split('"').next()?.to_owned())
}

#[test]
fn every_code_is_documented() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut used = BTreeSet::new();
    collect(&manifest.join("src"), &mut used);
    let table: BTreeSet<String> = CODES.iter().map(|(code, _)| (*code).to_owned()).collect();
    assert_eq!(table.len(), CODES.len(), "a code is in the table twice");
    assert_eq!(
        used, table,
        "the code, and the table in src/http/problem.rs"
    );
    let document = serde_json::to_value(openapi()).unwrap();
    let codes = &document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"];
    let codes: BTreeSet<String> = serde_json::from_value(codes.clone()).unwrap();
    assert_eq!(codes, table);
    let page = manifest.join("../../docs/reference/problems.md");
    let page = std::fs::read_to_string(page).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let rows: Vec<&str> = rows.collect();
    let expected = CODES
        .iter()
        .map(|(code, text)| format!("| `{code}` | {text} |"));
    assert_eq!(
        rows,
        expected.collect::<Vec<_>>(),
        "docs/reference/problems.md"
    );
}
