//! Compaction of the history.

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::text::Str;

/// Details of a compaction.
#[wire_type]
pub struct CompactMetadata {
    /// The trigger.
    pub trigger: CompactTrigger,
    /// Tokens in the context before.
    pub pre_tokens: u64,
    /// Tokens in the context after.
    pub post_tokens: Option<u64>,
    /// Tokens dropped by all compactions of the session so far.
    pub cumulative_dropped_tokens: Option<u64>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// The user's instructions for the summary.
    pub user_context: Option<String>,
    /// Number of summarized messages.
    pub messages_summarized: Option<u64>,
    /// Whether the summary was computed in advance.
    pub precomputed: Option<bool>,
    /// Deferred tools that were loaded before.
    pub pre_compact_discovered_tools: Option<Vec<Str>>,
    /// Versions of artifacts that were read before.
    pub pre_compact_artifact_read_versions: Option<Vec<ArtifactVersion>>,
    /// The preserved lines, by their ends.
    pub preserved_segment: Option<PreservedSegment>,
    /// The preserved lines, listed.
    pub preserved_messages: Option<PreservedMessages>,
}

open_enum! {
    /// The trigger of a compaction.
    pub enum CompactTrigger {
        /// The user.
        Manual = "manual",
        /// The CLI, because the context was full.
        Auto = "auto",
    }
}

/// A version of an artifact that was read.
#[wire_type]
pub struct ArtifactVersion {
    /// The artifact's slug.
    pub slug: Str,
    /// Its version.
    pub ver: Str,
}

/// The preserved lines, by the ids of their ends.
#[wire_type]
pub struct PreservedSegment {
    /// The first preserved line.
    pub head_uuid: Str,
    /// The line that the preserved ones now follow.
    pub anchor_uuid: Str,
    /// The last preserved line.
    pub tail_uuid: Str,
}

/// The preserved lines, listed: each follows the previous one, the first one follows the anchor.
#[wire_type]
pub struct PreservedMessages {
    /// The line that the preserved ones now follow.
    pub anchor_uuid: Str,
    /// The preserved lines of the conversation.
    pub uuids: Vec<Str>,
    /// All preserved lines.
    pub all_uuids: Option<Vec<Str>>,
}
