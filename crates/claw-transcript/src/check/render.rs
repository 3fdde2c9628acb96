//! Reports for people and for other programs.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::report::{CheckReport, Counts};
use super::rule::{Rule, Severity};

impl CheckReport {
    /// The report for people: findings by file, each as `path:line:offset severity rule message`.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for file in &self.files {
            let path = file.path.display();
            for found in &file.findings {
                let (line, offset) = (found.line, found.offset);
                let (severity, rule, message) = (found.severity, found.rule, &found.message);
                let _ = writeln!(text, "{path}:{line}:{offset} {severity} {rule} {message}");
            }
            for (rule, more) in &file.suppressed {
                let _ = writeln!(text, "{path}: {more} more of {rule}");
            }
            text.push('\n');
        }
        for (rule, counts) in &self.rules {
            let _ = writeln!(text, "{rule:22} {}", in_words(*counts));
        }
        if !self.rules.is_empty() {
            text.push('\n');
        }
        for item in &self.drift {
            let what = item.what.as_str();
            let version = Some(&*item.version).filter(|version| !version.is_empty());
            let version = version.unwrap_or("unknown version");
            let _ = writeln!(
                text,
                "new in {version}: {what} {} of {} ({} lines, first {}:{})",
                item.name,
                item.kind,
                item.lines,
                item.path.display(),
                item.line
            );
        }
        let _ = writeln!(
            text,
            "{} files, {} lines: {}",
            self.files_checked,
            self.lines_checked,
            in_words(self.total)
        );
        text
    }

    /// The report as JSON.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// The report as a SARIF 2.1.0 log, which editors and code hosts show.
    pub fn to_sarif(&self) -> Value {
        let rules: Vec<Value> = Rule::ALL
            .iter()
            .map(|rule| {
                json!({
                    "id": rule.id(),
                    "shortDescription": { "text": rule.about() },
                    "defaultConfiguration": { "level": level(rule.severity()) },
                })
            })
            .collect();
        let results: Vec<Value> = self
            .findings()
            .map(|(file, found)| {
                let mut result = json!({
                    "ruleId": found.rule.id(),
                    "ruleIndex": Rule::ALL.iter().position(|rule| *rule == found.rule),
                    "level": level(found.severity),
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
        // What is counted and not listed is said, so that nobody takes it for mended.
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

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// A path as a URI: absolute ones with their scheme, relative ones as they are.
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

fn in_words(counts: Counts) -> String {
    let several = |count: u64, what: &str| {
        let ending = if count == 1 { "" } else { "s" };
        format!("{count} {what}{ending}")
    };
    let parts = [
        (counts.errors, "error"),
        (counts.warnings, "warning"),
        (counts.notes, "note"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| several(*count, what))
        .collect();
    if parts.is_empty() {
        "nothing found".to_owned()
    } else {
        parts.join(", ")
    }
}
