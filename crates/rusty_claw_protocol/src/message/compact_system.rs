//! Compaction as in the session file document.

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::text::Str;

/// A step of a compaction, as in the session file document.
///
/// Leniency: the CLI has `system` lines with the subtypes `status` and `compact_boundary` instead;
/// these are read, but never written by this library.
#[wire_type(rename_all = "camelCase")]
pub struct CompactSystemMessage {
    /// The line's id.
    pub uuid: Option<Str>,
    /// The preceding line.
    pub parent_uuid: Option<Str>,
    /// When it was created, ISO 8601.
    pub timestamp: Option<Str>,
    /// The session's id.
    #[wire(alias = "session_id")]
    pub session_id: Option<Str>,
    /// The step.
    pub message: CompactStep,
    /// Statistics.
    pub metadata: Option<CompactStatistics>,
}

open_enum! {
    /// A step of a compaction.
    pub enum CompactStep {
        /// Compaction started.
        Compacting = "conversation_compacting",
        /// Compaction completed.
        Compacted = "conversation_compacted",
        /// The full conversation is being restored.
        Restoring = "conversation_restoring",
        /// The full conversation was restored.
        Restored = "conversation_restored",
    }
}

/// Statistics of a compaction.
#[wire_type(rename_all = "camelCase")]
pub struct CompactStatistics {
    /// Number of preserved messages.
    pub preserved_messages: Option<u64>,
    /// Number of messages before.
    pub total_messages: Option<u64>,
    /// The ratio of the two.
    pub compression_ratio: Option<f64>,
}
