//! One thing that a repair does.

use std::fmt;

use serde::Serialize;

/// What is done to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RepairAction {
    /// Entries without a newline between them get lines of their own.
    Split,
    /// What is no entry is taken out and kept in the file of what was removed.
    Remove,
    /// Bytes around an entry are taken away: NUL bytes, a byte order mark.
    Strip,
    /// Bytes that are not UTF-8, and halves of characters, become U+FFFD.
    Text,
    /// A second copy of a line is taken out.
    DropCopy,
    /// A line gets a uuid of its own.
    NewUuid,
    /// A line is hung under another one.
    Relink,
    /// A line gets the sidechain flag of the chain that it is in.
    Sidechain,
    /// A call gets a result that says that the result was lost.
    Answer,
    /// A message that says that the one that stood there was lost.
    StandIn,
    /// A result without a call becomes text.
    ResultToText,
    /// An empty message gets a text, since the API takes none without.
    Fill,
    /// A member gets a valid value, or a duplicate member is removed.
    Field,
    /// A compaction no longer names messages that are lost.
    Forget,
    /// A line is put behind the line that it hangs under.
    Move,
    /// The last line gets its newline, when there is something else to do: the CLI writes it
    /// before the next line.
    EndLine,
}

impl RepairAction {
    /// The name for people and programs.
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
    /// The rule that the file breaks here, by the id that checking uses.
    pub rule: &'static str,
    /// What is done.
    pub action: RepairAction,
    /// The line, counted from one.
    pub line: u64,
    /// Where in the file it is done, in bytes.
    pub offset: u64,
    /// What stands there, shortened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// What will stand there, shortened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Why, for people.
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
