//! The flags of a line.

use super::{Dialect, Kind};
use crate::facts::{Facts, Member};

/// The flags of a line, the same in every dialect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flags {
    /// Part of a subagent's conversation.
    pub sidechain: bool,
    /// Written by the CLI in the user's place, or hidden.
    pub meta: bool,
    /// Reports an error.
    pub error: bool,
    /// Was interrupted.
    pub aborted: bool,
    /// Was soft-deleted, which only the document's dialect supports.
    pub deleted: bool,
    /// The summary of a compaction.
    pub compact_summary: bool,
    /// Made by the CLI, not by a model.
    pub synthetic: bool,
}

impl Facts<'_> {
    pub(crate) fn flags(&self) -> Flags {
        let assistant = self.kind == Kind::Assistant;
        let document = self.dialect == Dialect::Document;
        let subtype = self.string(Member::Subtype);
        let subtype = subtype.as_deref();
        let model = self.message.as_ref().and_then(|message| message.model);
        Flags {
            sidechain: self.is_true(Member::Sidechain),
            meta: self.is_true(Member::Meta) || (document && subtype == Some("meta")),
            error: self.is_true(Member::Error)
                || self.is_true(Member::ApiError)
                || (self.kind == Kind::System && matches!(subtype, Some("error" | "api_error")))
                || (document && assistant && subtype == Some("error")),
            aborted: self.is_true(Member::Aborted)
                || self.is_true(Member::AbortedMidStream)
                || self.get(Member::Interrupted).is_some(),
            deleted: self.is_true(Member::Deleted),
            compact_summary: self.is_true(Member::CompactSummary),
            synthetic: assistant && model == Some("\"<synthetic>\""),
        }
    }
}
