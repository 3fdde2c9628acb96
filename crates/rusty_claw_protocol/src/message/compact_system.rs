//! Compaction as the session file document has it.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;

/// A step of a compaction, as the session file document has it.
///
/// Leniency: the CLI has `system` lines of the subtypes `status` and `compact_boundary` instead;
/// we read these, and never make them.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct CompactSystemMessage {
    /// The line's id.
    pub uuid: Option<Str>,
    /// The line this one follows.
    pub parent_uuid: Option<Str>,
    /// When it was made, ISO 8601.
    pub timestamp: Option<Str>,
    /// The session.
    #[wire(alias = "session_id")]
    pub session_id: Option<Str>,
    /// Which step.
    pub message: CompactStep,
    /// How much was compacted.
    pub metadata: Option<CompactStatistics>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// A step of a compaction.
    pub enum CompactStep {
        /// It begins.
        Compacting = "conversation_compacting",
        /// It is done.
        Compacted = "conversation_compacted",
        /// The whole conversation is being brought back.
        Restoring = "conversation_restoring",
        /// The whole conversation is back.
        Restored = "conversation_restored",
    }
}

/// How much was compacted.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct CompactStatistics {
    /// Messages that were kept.
    pub preserved_messages: Option<u64>,
    /// Messages there were.
    pub total_messages: Option<u64>,
    /// The one divided by the other.
    pub compression_ratio: Option<f64>,
    /// What no field holds.
    pub extra: Extra,
}
