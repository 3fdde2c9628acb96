//! The steps of a plan.

use std::fmt;

use serde::Serialize;

/// The kind of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RepairAction {
    /// Splits a line with several entries into lines.
    Split,
    /// Moves bytes that are not an entry into the file of removed bytes.
    Remove,
    /// Removes NUL bytes or a byte order mark around an entry.
    Strip,
    /// Replaces bytes that are not UTF-8, and halves of characters, with U+FFFD.
    Text,
    /// Removes a second copy of a line.
    DropCopy,
    /// Gives a line a new uuid.
    NewUuid,
    /// Gives a line another parent.
    Relink,
    /// Gives a line the sidechain flag of its chain.
    Sidechain,
    /// Adds a result to a call whose result is lost.
    Answer,
    /// Adds a message in the position of a lost one.
    StandIn,
    /// Turns a result without a call into text.
    ResultToText,
    /// Gives an empty message a text, because the API rejects it otherwise.
    Fill,
    /// Gives a member a valid value, or removes a duplicate member.
    Field,
    /// Removes lost messages from the list of a compaction.
    Forget,
    /// Moves a line after its parent.
    Move,
    /// Adds the newline of the last line, if there are other steps. Otherwise the CLI writes it
    /// before the next line.
    EndLine,
}

impl RepairAction {
    /// Returns the name, such as `new-uuid`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Split => "split",
            Self::Remove => "remove",
            Self::Strip => "strip",
            Self::Text => "text",
            Self::DropCopy => "drop-copy",
            Self::NewUuid => "new-uuid",
            Self::Relink => "relink",
            Self::Sidechain => "sidechain",
            Self::Answer => "answer",
            Self::StandIn => "stand-in",
            Self::ResultToText => "result-to-text",
            Self::Fill => "fill",
            Self::Field => "field",
            Self::Forget => "forget",
            Self::Move => "move",
            Self::EndLine => "end-line",
        }
    }
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RepairStep {
    /// The id of the rule of [`Check`](crate::Check) that the file breaks.
    pub rule: &'static str,
    /// The kind of the step.
    pub action: RepairAction,
    /// The line, counted from one.
    pub line: u64,
    /// The byte offset.
    pub offset: u64,
    /// The old value, shortened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The new value, shortened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The reason, for people.
    pub why: String,
}

impl fmt::Display for RepairStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {}, byte {}: {} ({}): {}",
            self.line,
            self.offset,
            self.action.as_str(),
            self.rule,
            self.why
        )?;
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => write!(f, "\n    {before}\n    -> {after}"),
            (Some(before), None) => write!(f, "\n    {before}"),
            (None, Some(after)) => write!(f, "\n    -> {after}"),
            (None, None) => Ok(()),
        }
    }
}

impl RepairStep {
    pub(super) fn new(
        (rule, action): (&'static str, RepairAction),
        (line, offset): (u64, u64),
        why: impl Into<String>,
    ) -> Self {
        Self {
            rule,
            action,
            line,
            offset,
            before: None,
            after: None,
            why: why.into(),
        }
    }
}

/// The start of some bytes, for people.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    const SHOWN: usize = 120;
    let cut = &bytes[..bytes.len().min(SHOWN)];
    let mut text: String = String::from_utf8_lossy(cut)
        .chars()
        .map(|c| if c == '\0' { '␀' } else { c })
        .filter(|c| !c.is_control())
        .collect();
    if bytes.len() > SHOWN {
        text.push_str(&format!("… ({} bytes)", bytes.len()));
    }
    text
}
