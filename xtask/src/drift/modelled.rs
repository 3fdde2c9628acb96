//! What our code models: a value that the decoder does not read is not modelled.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use rusty_claw_protocol::audit::{Audit, audit, audit_line};
use rusty_claw_protocol::control::{AccountInfo, ControlRequest, audit_exchange};
use rusty_claw_protocol::hook::{HookInput, HookOutput};
use rusty_claw_protocol::messages::Message;
use rusty_claw_protocol::tool::ToolView;
use rusty_claw_protocol::{DecodeError, Json};
use serde::Serialize;
use serde_json::json;

use crate::type_file::samples::Sample;

/// The audit of one line; an error if it is not a JSON object.
type Answer = Result<Audit, DecodeError>;

/// Why a value counts as not modelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cause {
    /// A message, block or event of a kind we do not have.
    UnknownKind,
    /// A known kind whose shape we cannot read.
    NewShape,
    /// A field that no typed field takes.
    UnreadField,
    /// A line that is no JSON object: the CLI prints none, so it is news.
    NotJson,
}

impl Cause {
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::UnknownKind => "unknown kind",
            Self::NewShape => "new shape",
            Self::UnreadField => "unread field",
            Self::NotJson => "not JSON",
        }
    }
}

/// One thing that is not modelled.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Gap {
    pub(crate) cause: Cause,
    pub(crate) path: String,
}

/// Gaps over many lines.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Findings {
    pub(crate) lines: usize,
    /// Values that are kept as text on purpose.
    pub(crate) opaque: usize,
    /// Each gap once, with the first line that showed it.
    #[serde(serialize_with = "as_list")]
    pub(crate) gaps: BTreeMap<Gap, Seen>,
}

/// Where a gap was seen.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Seen {
    pub(crate) first: String,
    pub(crate) times: usize,
}

impl Findings {
    /// Adds the audit of one line of `origin`.
    fn add(&mut self, origin: &str, answer: Answer) {
        self.lines += 1;
        match answer {
            Ok(audit) => self.take("", origin, &audit),
            Err(error) => self.gap(
                origin,
                Gap {
                    cause: Cause::NotJson,
                    path: error.to_string(),
                },
            ),
        }
    }

    /// Adds the audit of an answer to a request; `None` if there is no type for it.
    fn add_exchange(&mut self, origin: &str, verb: &str, answer: Option<Audit>) {
        self.lines += 1;
        match answer {
            Some(audit) => self.take(&format!("{verb}: "), origin, &audit),
            None => self.gap(
                origin,
                Gap {
                    cause: Cause::UnknownKind,
                    path: format!("{verb}: an answer without a type"),
                },
            ),
        }
    }

    fn take(&mut self, prefix: &str, origin: &str, audit: &Audit) {
        self.opaque += audit.opaque.len();
        for mut gap in gaps(audit) {
            gap.path.insert_str(0, prefix);
            self.gap(origin, gap);
        }
    }

    fn gap(&mut self, origin: &str, gap: Gap) {
        self.gaps
            .entry(gap)
            .and_modify(|seen| seen.times += 1)
            .or_insert_with(|| Seen {
                first: origin.to_owned(),
                times: 1,
            });
    }
}

fn as_list<S: serde::Serializer>(
    gaps: &BTreeMap<Gap, Seen>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(gaps.iter().map(|(gap, seen)| {
        json!({ "cause": gap.cause, "path": gap.path, "first": seen.first, "times": seen.times })
    }))
}

/// What the decoder did not read of a line.
fn gaps(audit: &Audit) -> Vec<Gap> {
    let gap = |cause: Cause| {
        move |path: &String| Gap {
            cause,
            path: path.clone(),
        }
    };
    // Paths contain the kinds that they pass through; the last one is not repeated.
    let unknown = audit.unknown.iter().map(|(path, tag)| {
        let is_named = path.ends_with(&format!("<{tag}>"));
        let path = if is_named {
            path.clone()
        } else {
            format!("{path}<{tag}>")
        };
        Gap {
            cause: Cause::UnknownKind,
            path,
        }
    });
    unknown
        .chain(audit.new_shapes.iter().map(gap(Cause::NewShape)))
        .chain(audit.unread.iter().map(gap(Cause::UnreadField)))
        .collect()
}

/// Asks the decoder about a sample, as the type that reads it on the wire.
///
/// This is the one place to extend when the protocol crate gets a type for a kind of sample.
pub(crate) fn add_sample(findings: &mut Findings, file: &str, sample: &Sample) -> Result<()> {
    let text = serde_json::to_string(&sample.value)?;
    let line = text.as_bytes();
    let name = sample.name.as_str();
    match (file, sample.subtype.as_deref()) {
        ("messages" | "control_requests", _) => findings.add(name, audit_line(line)),
        ("control_responses", Some(subtype)) => {
            let request = request_of(subtype)?;
            let answer = audit_exchange(&request, &Json::from_text(&text)?);
            findings.add_exchange(name, subtype, answer);
        }
        ("control_responses", None) if name == "AccountInfo" => {
            findings.add(name, audit::<AccountInfo>(line));
        }
        ("control_responses", None) => {
            let frame = json!({"type": "control_response", "response": sample.value});
            findings.add(name, audit_line(frame.to_string().as_bytes()));
        }
        ("hooks", _) if name.ends_with("JSONOutput") => {
            findings.add(name, audit::<HookOutput>(line));
        }
        ("hooks", _) => findings.add(name, audit::<HookInput>(line)),
        ("tools", _) => add_tool(findings, name, &text)?,
        _ => bail!("drift does not know how samples of `{file}` are read"),
    }
    Ok(())
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
/// what no field takes.
fn add_tool(findings: &mut Findings, name: &str, text: &str) -> Result<()> {
    findings.lines += 1;
    let view = ToolView::of(&tool_name(name), &Json::from_text(text)?);
    let gap = match view {
        ToolView::Other => Some(Cause::UnknownKind),
        _ if keeps_extras(&view) => Some(Cause::UnreadField),
        _ => None,
    };
    if let Some(cause) = gap {
        let path = format!("tool {name}");
        findings.gap(name, Gap { cause, path });
    }
    Ok(())
}

/// Whether a view keeps members for which it has no field, at any depth. There are too many kinds
/// of inputs to name them all here, and all of them show their extras when they are printed.
fn keeps_extras(view: &ToolView) -> bool {
    let shown = format!("{view:?}");
    shown
        .match_indices("extra: {")
        .any(|(at, found)| !shown[at + found.len()..].starts_with('}'))
}

/// What a tool is called, by the name of its input's type.
fn tool_name(input_type: &str) -> String {
    let tool = input_type.trim_end_matches("Input");
    match tool.strip_prefix("File").unwrap_or(tool) {
        "Mcp" => "mcp__server__tool".to_owned(),
        tool => tool.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_leftover_is_a_gap_and_opaque_values_are_none() {
        let mut audit = Audit::default();
        audit.unread.push("a.b".to_owned());
        audit.opaque.push("a.input".to_owned());
        audit.unknown.push(("<news>".to_owned(), "news".to_owned()));
        audit.unknown.push(("a".to_owned(), "odd".to_owned()));
        audit.new_shapes.push("a.c".to_owned());
        let found: Vec<_> = gaps(&audit)
            .into_iter()
            .map(|gap| format!("{}: {}", gap.cause.label(), gap.path))
            .collect();
        assert_eq!(
            found,
            [
                "unknown kind: <news>",
                "unknown kind: a<odd>",
                "new shape: a.c",
                "unread field: a.b"
            ]
        );
    }

    #[test]
    fn a_gap_is_kept_once_with_the_first_line_that_showed_it() {
        let mut findings = Findings::default();
        findings.add("one", audit_line(br#"{"type":"never_heard_of"}"#));
        findings.add("two", audit_line(br#"{"type":"never_heard_of"}"#));
        assert_eq!((findings.lines, findings.gaps.len()), (2, 1));
        let seen = findings.gaps.values().next().expect("a gap");
        assert_eq!((seen.first.as_str(), seen.times), ("one", 2));
    }

    #[test]
    fn a_line_that_is_not_json_is_news() {
        let mut findings = Findings::default();
        findings.add("here", audit_line(b"not JSON"));
        let gap = findings.gaps.keys().next().expect("a gap");
        assert_eq!(gap.cause, Cause::NotJson);
    }

    fn gaps_of(file: &str, name: &str, subtype: Option<&str>, value: serde_json::Value) -> usize {
        let mut findings = Findings::default();
        let sample = Sample {
            name: name.to_owned(),
            variant: crate::type_file::samples::Variant::All,
            alternative: 0,
            subtype: subtype.map(str::to_owned),
            direction: None,
            value,
        };
        add_sample(&mut findings, file, &sample).expect("a sample that can be read");
        assert_eq!(findings.lines, 1);
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
            ("control_responses", "B", Some("never_heard_of"), json!({})),
            ("tools", "NewsInput", None, json!({})),
        ];
        for (file, name, subtype, value) in odd {
            assert_eq!(gaps_of(file, name, subtype, value), 1, "{name}");
        }
    }
}
