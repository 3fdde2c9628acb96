//! What our code models, found out by asking the decoder: a value that it does not read is not
//! modelled, whatever we believe.

use std::collections::BTreeMap;

use anyhow::Result;
use rusty_claw_protocol::DecodeError;
use rusty_claw_protocol::audit::Audit;
pub(crate) use rusty_claw_protocol::audit::audit_line;
use serde::Serialize;
use serde_json::json;

use crate::type_file::samples::Sample;

/// What the decoder says of one line; an error when it is no JSON object.
pub(crate) type Answer = Result<Audit, DecodeError>;

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
}

impl Cause {
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::UnknownKind => "unknown kind",
            Self::NewShape => "new shape",
            Self::UnreadField => "unread field",
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
    /// Lines that are no JSON object: kept by the decoder, and no matter of types.
    pub(crate) not_json: usize,
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
    /// Takes in what the decoder says of one line; `origin` says where the line comes from.
    pub(crate) fn add(&mut self, origin: &str, answer: Answer) {
        self.lines += 1;
        let Ok(audit) = answer else {
            self.not_json += 1;
            return;
        };
        self.opaque += audit.opaque.len();
        for gap in gaps(&audit) {
            self.gaps
                .entry(gap)
                .and_modify(|seen| seen.times += 1)
                .or_insert_with(|| Seen {
                    first: origin.to_owned(),
                    times: 1,
                });
        }
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
    // Paths name the kinds that they pass through; the last one need not be said twice.
    let unknown = audit.unknown.iter().map(|(path, tag)| {
        let said = path.ends_with(&format!("<{tag}>"));
        let path = if said {
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

/// Asks the decoder about a sample; none where a type is read by nothing that can be asked.
///
/// This is the one place to extend when the protocol crate gets a type for a kind of sample.
pub(crate) fn audit_sample(file: &str, sample: &Sample) -> Result<Option<Answer>> {
    let line = serde_json::to_vec(&sample.value)?;
    Ok(match file {
        "messages" | "control_requests" => Some(audit_line(&line)),
        // Hook inputs are audited inside the control requests that carry them.
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_leftover_is_a_gap_and_opaque_values_are_none() {
        let audit = Audit {
            unread: vec!["a.b".to_owned()],
            opaque: vec!["a.input".to_owned()],
            unknown: vec![
                ("<news>".to_owned(), "news".to_owned()),
                ("a".to_owned(), "odd".to_owned()),
            ],
            new_shapes: vec!["a.c".to_owned()],
        };
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
        findings.add("three", audit_line(b"not JSON"));
        assert_eq!(
            (findings.lines, findings.not_json, findings.gaps.len()),
            (3, 1, 1)
        );
        let seen = findings.gaps.values().next().expect("a gap");
        assert_eq!((seen.first.as_str(), seen.times), ("one", 2));
    }
}
