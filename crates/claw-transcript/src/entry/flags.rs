//! What is said about a line by yes or no.

use super::{Dialect, Entry, Kind};

/// What is said about a line by yes or no, the same in every dialect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flags {
    /// Part of a subagent's conversation.
    pub sidechain: bool,
    /// Infrastructure: not typed by anybody, or not shown.
    pub meta: bool,
    /// It says that something went wrong.
    pub error: bool,
    /// It was cut off.
    pub aborted: bool,
    /// It was deleted softly. Only the document's dialect knows that.
    pub deleted: bool,
    /// What a compaction left of everything before it.
    pub compact_summary: bool,
    /// Made by the CLI, not by a model.
    pub synthetic: bool,
}

impl Flags {
    pub(super) fn of(entry: &Entry<'_>) -> Self {
        let message = entry.object("message");
        let in_message = |name: &str| message.as_ref().and_then(|message| message.get(name));
        let assistant = entry.kind() == Kind::Assistant;
        let subtype = entry.subtype();
        let subtype = subtype.as_deref();
        let error = entry.is_true("isError")
            || entry.is_true("isApiErrorMessage")
            || (entry.kind() == Kind::System && matches!(subtype, Some("error" | "api_error")))
            || (entry.dialect() == Dialect::Document && assistant && subtype == Some("error"));
        Self {
            sidechain: entry.is_true("isSidechain"),
            meta: entry.is_true("isMeta")
                || (entry.dialect() == Dialect::Document && subtype == Some("meta")),
            error,
            aborted: entry.is_true("isAborted")
                || entry.is_true("isAbortedMidStream")
                || entry.get("interruptedMessageId").is_some(),
            deleted: entry.is_true("isDeleted"),
            compact_summary: entry.is_true("isCompactSummary"),
            synthetic: assistant && in_message("model") == Some("\"<synthetic>\""),
        }
    }
}
