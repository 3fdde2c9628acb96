//! Renders reports as SARIF.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::report::CheckReport;
use super::rule::Rule;

impl CheckReport {
    /// The report as a SARIF 2.1.0 log, which editors and code hosts show.
    pub fn to_sarif(&self) -> Value {
        let rules: Vec<Value> = Rule::ALL
            .iter()
            .map(|rule| {
                json!({
                    "id": rule.id(),
                    "shortDescription": { "text": rule.about() },
                    "defaultConfiguration": { "level": rule.severity() },
                })
            })
            .collect();
        let results: Vec<Value> = self
            .findings()
            .map(|(file, found)| {
                let mut result = json!({
                    "ruleId": found.rule.id(),
                    "ruleIndex": Rule::ALL.iter().position(|rule| *rule == found.rule),
                    "level": found.severity,
                    "message": { "text": found.message },
                    "locations": [{
                        "physicalLocation": {
                            "artifactLocation": { "uri": uri(&file.path) },
                            "region": {
                                "startLine": found.line,
                                "byteOffset": found.offset,
                                "byteLength": found.length,
                            },
                        },
                    }],
                });
                if let Some(uuid) = &found.uuid {
                    result["properties"] = json!({ "uuid": uuid });
                }
                result
            })
            .collect();
        // Mention findings that are not listed, so that they are not taken for fixed.
        let notices: Vec<Value> = self
            .files
            .iter()
            .flat_map(|file| file.suppressed.iter().map(move |(rule, more)| (file, rule, more)))
            .map(|(file, rule, more)| {
                let path = file.path.display();
                json!({
                    "level": "warning",
                    "associatedRule": { "id": rule.id() },
                    "message": { "text": format!("{more} more of {rule} in {path} are not listed") },
                })
            })
            .collect();
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": {
                    "driver": {
                        "name": "claw-transcript",
                        "version": env!("CARGO_PKG_VERSION"),
                        "rules": rules,
                    },
                },
                "columnKind": "utf16CodeUnits",
                "invocations": [{
                    "executionSuccessful": true,
                    "toolExecutionNotifications": notices,
                }],
                "results": results,
            }],
        })
    }
}

/// Converts a path to a URI; relative paths get no scheme.
fn uri(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    let mut uri = String::with_capacity(text.len() + 8);
    if text.starts_with('/') {
        uri.push_str("file://");
    } else if path.is_absolute() {
        uri.push_str("file:///");
    }
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' | b':' => {
                uri.push(char::from(byte));
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}
