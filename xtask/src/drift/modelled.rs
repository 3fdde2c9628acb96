//! What our code models, found out by asking the decoder: a value that it does not read is not
//! modelled, whatever we believe.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use serde::Serialize;
use serde_json::json;

use crate::type_file::samples::Sample;

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
    /// Audits one line; `origin` says where it comes from.
    pub(crate) fn add(&mut self, origin: &str, line: &[u8]) -> Result<()> {
        let audit = audit(line)?;
        self.lines += 1;
        self.opaque += audit.opaque;
        for gap in audit.gaps {
            self.gaps
                .entry(gap)
                .and_modify(|seen| seen.times += 1)
                .or_insert_with(|| Seen {
                    first: origin.to_owned(),
                    times: 1,
                });
        }
        Ok(())
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

struct LineAudit {
    gaps: Vec<Gap>,
    opaque: usize,
}

/// Asks the decoder what of a line it did not read.
fn audit(_line: &[u8]) -> Result<LineAudit> {
    bail!("the decoder has no audit yet")
}

/// A sample as a line that the decoder reads; none for samples that only their asker can read.
pub(crate) fn as_line(file: &str, sample: &Sample) -> Result<Option<Vec<u8>>> {
    let value = match file {
        "messages" | "control_requests" => &sample.value,
        // Hook inputs travel in control requests, which have samples of their own.
        _ => return Ok(None),
    };
    Ok(Some(serde_json::to_vec(value)?))
}
