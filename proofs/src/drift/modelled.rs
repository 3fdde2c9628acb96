//! What our code models: a value that the decoder does not read is not modelled.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Result, bail};
use rusty_claw_protocol::Json;
use rusty_claw_protocol::audit::{Audit, audit, audit_line};
use rusty_claw_protocol::control::{AccountInfo, ControlRequest, audit_exchange};
use rusty_claw_protocol::hook::{HookInput, HookOutput};
use rusty_claw_protocol::messages::Message;
use rusty_claw_protocol::tool::ToolView;
use serde_json::json;

use crate::type_file::model::TypeModel;
use crate::type_file::samples::{self, Sample};

/// A message, block or event of a kind we do not have.
const UNKNOWN_KIND: &str = "unknown kind";
/// A field that no typed field takes.
const UNREAD_FIELD: &str = "unread field";

/// What is not modelled of many values.
#[derive(Debug, Default)]
pub(super) struct Findings {
    values: usize,
    /// Values that are kept as text on purpose.
    opaque: usize,
    /// Each gap once, by cause and path: how often it was seen, and where first.
    pub(super) gaps: BTreeMap<(&'static str, String), (usize, String)>,
}

/// Examines values made from a type file.
pub(super) fn examine(model: &TypeModel) -> Result<Findings> {
    let mut findings = Findings::default();
    for (file, samples) in samples::generate(model)? {
        for sample in &samples {
            findings.add_sample(file, sample)?;
        }
    }
    Ok(findings)
}

impl Findings {
    pub(super) fn gap(&mut self, origin: &str, cause: &'static str, path: String) {
        let first = || (0, origin.to_owned());
        self.gaps.entry((cause, path)).or_insert_with(first).0 += 1;
    }

    /// Adds the audit of a value, with a prefix for its paths.
    fn add(&mut self, origin: &str, prefix: &str, audit: Audit) {
        self.opaque += audit.opaque.len();
        for (path, tag) in audit.unknown {
            // Paths contain the kinds that they pass through; the last one is not repeated.
            let tag = Some(format!("<{tag}>")).filter(|tag| !path.ends_with(tag));
            let tag = tag.unwrap_or_default();
            self.gap(origin, UNKNOWN_KIND, format!("{prefix}{path}{tag}"));
        }
        let new_shapes = audit.new_shapes.into_iter().map(|path| ("new shape", path));
        let unread = audit.unread.into_iter().map(|path| (UNREAD_FIELD, path));
        for (cause, path) in new_shapes.chain(unread) {
            self.gap(origin, cause, format!("{prefix}{path}"));
        }
    }

    /// Asks the decoder about a sample, as the type that reads it on the wire.
    ///
    /// This is the one place to extend when the protocol crate gets a type for a kind of sample.
    fn add_sample(&mut self, file: &str, sample: &Sample) -> Result<()> {
        self.values += 1;
        let text = sample.value.to_string();
        let line = text.as_bytes();
        let name = sample.name.as_str();
        let audit = match (file, sample.subtype.as_deref()) {
            ("messages" | "control_requests", _) => audit_line(line),
            ("control_responses", Some(verb)) => {
                let untyped = format!("{verb}: an answer without a type");
                match audit_exchange(&request_of(verb)?, &Json::from_text(&text)?) {
                    Some(audit) => self.add(name, &format!("{verb}: "), audit),
                    None => self.gap(name, UNKNOWN_KIND, untyped),
                }
                return Ok(());
            }
            ("control_responses", None) if name == "AccountInfo" => audit::<AccountInfo>(line),
            ("control_responses", None) => {
                let frame = json!({"type": "control_response", "response": sample.value});
                audit_line(frame.to_string().as_bytes())
            }
            ("hooks", _) if name.ends_with("JSONOutput") => audit::<HookOutput>(line),
            ("hooks", _) => audit::<HookInput>(line),
            ("tools", _) => {
                let view = ToolView::of(&tool_name(name), &Json::from_text(&text)?);
                if let Some(cause) = tool_gap(&view) {
                    self.gap(name, cause, format!("tool {name}"));
                }
                return Ok(());
            }
            _ => bail!("drift does not know how samples of `{file}` are read"),
        };
        match audit {
            Ok(audit) => self.add(name, "", audit),
            Err(error) => self.gap(name, "not JSON", error.to_string()),
        }
        Ok(())
    }
}

/// A request of this subtype, with nothing in it: only its name decides how an answer is read.
fn request_of(subtype: &str) -> Result<ControlRequest> {
    let frame =
        json!({"type": "control_request", "request_id": "1", "request": {"subtype": subtype}});
    match Message::from_json(&frame.to_string())? {
        Message::ControlRequest { request, .. } => Ok(request),
        other => bail!("a control request was read as {}", other.message_type()),
    }
}

/// A tool's input is read by a view, which cannot be audited: what it keeps beside its fields is
/// what no field takes. There are too many kinds of inputs to name them all here, and all of them
/// show their extras when they are printed.
fn tool_gap(view: &ToolView) -> Option<&'static str> {
    if matches!(view, ToolView::Other) {
        return Some(UNKNOWN_KIND);
    }
    let shown = format!("{view:?}");
    let mut extras = shown.split("extra: {").skip(1);
    let is_unread = extras.any(|extra| !extra.starts_with('}'));
    is_unread.then_some(UNREAD_FIELD)
}

/// What a tool is called, by the name of its input's type.
fn tool_name(input_type: &str) -> String {
    let tool = input_type.trim_end_matches("Input");
    match tool.strip_prefix("File").unwrap_or(tool) {
        "Mcp" => "mcp__server__tool".to_owned(),
        tool => tool.to_owned(),
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ((cause, path), (times, first)) in &self.gaps {
            writeln!(f, "  {cause:<13} {path}  ({times}, first in {first})")?;
        }
        let (values, gaps, opaque) = (self.values, self.gaps.len(), self.opaque);
        write!(f, "  {values} values, {gaps} gaps, ")?;
        writeln!(f, "{opaque} values kept as text on purpose")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::type_file::samples::Variant;

    #[test]
    fn every_kind_of_leftover_is_a_gap_and_opaque_values_are_none() {
        let mut audit = Audit::default();
        audit.unread.push("a.b".to_owned());
        audit.opaque.push("a.input".to_owned());
        audit.unknown.push(("<news>".to_owned(), "news".to_owned()));
        audit.unknown.push(("a".to_owned(), "odd".to_owned()));
        audit.new_shapes.push("a.c".to_owned());
        let mut findings = Findings::default();
        findings.add("here", "", audit);
        let found = findings
            .gaps
            .keys()
            .map(|(cause, path)| format!("{cause}: {path}"));
        assert_eq!(
            found.collect::<Vec<_>>(),
            [
                "new shape: a.c",
                "unknown kind: <news>",
                "unknown kind: a<odd>",
                "unread field: a.b"
            ]
        );
    }

    fn gaps_of(file: &str, name: &str, subtype: Option<&str>, value: serde_json::Value) -> usize {
        let mut findings = Findings::default();
        let sample = Sample {
            name: name.to_owned(),
            variant: Variant::All,
            alternative: 0,
            subtype: subtype.map(str::to_owned),
            direction: None,
            value,
        };
        findings
            .add_sample(file, &sample)
            .expect("a sample that can be read");
        assert_eq!(findings.values, 1);
        findings.gaps.len()
    }

    #[test]
    fn samples_of_every_file_are_asked_about() {
        let cases = [
            ("messages", "A", None, json!({"type": "keep_alive"})),
            (
                "control_responses",
                "B",
                Some("set_model"),
                json!({"model": "m"}),
            ),
            (
                "control_responses",
                "AccountInfo",
                None,
                json!({"email": "e"}),
            ),
            (
                "control_responses",
                "C",
                None,
                json!({"subtype": "error", "request_id": "1", "error": "e"}),
            ),
            (
                "hooks",
                "SyncHookJSONOutput",
                None,
                json!({"continue": true}),
            ),
            (
                "hooks",
                "Stop",
                None,
                json!({"hook_event_name": "Stop", "session_id": "s", "transcript_path": "t", "cwd": "c", "stop_hook_active": true}),
            ),
            ("tools", "BashInput", None, json!({"command": "ls"})),
            ("tools", "FileReadInput", None, json!({"file_path": "f"})),
        ];
        for (file, name, subtype, value) in cases {
            assert_eq!(gaps_of(file, name, subtype, value.clone()), 0, "{name}");
            let mut odd = value;
            odd["never_heard_of"] = json!({"a": 1});
            assert_eq!(gaps_of(file, name, subtype, odd), 1, "{name}");
        }
        let odd = [
            ("messages", "not JSON", None, json!(7)),
            ("control_responses", "B", Some("never_heard_of"), json!({})),
            ("tools", "NewsInput", None, json!({})),
        ];
        for (file, name, subtype, value) in odd {
            assert_eq!(gaps_of(file, name, subtype, value), 1, "{name}");
        }
    }
}
