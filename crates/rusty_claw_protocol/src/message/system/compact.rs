//! How the history was summarised.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;

/// How and how much of the history was summarised.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct CompactMetadata {
    /// Who wanted it.
    pub trigger: CompactTrigger,
    /// Size of the context before.
    pub pre_tokens: u64,
    /// Size of the context after.
    pub post_tokens: Option<u64>,
    /// What all summaries of the session have dropped so far.
    pub cumulative_dropped_tokens: Option<u64>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// What the user asked the summary to keep in mind.
    pub user_context: Option<String>,
    /// How many messages the summary stands for.
    pub messages_summarized: Option<u64>,
    /// Whether the summary was made in advance.
    pub precomputed: Option<bool>,
    /// Deferred tools that had been loaded before.
    pub pre_compact_discovered_tools: Option<Vec<Str>>,
    /// Versions of artifacts that had been read before.
    pub pre_compact_artifact_read_versions: Option<Vec<ArtifactVersion>>,
    /// The kept tail, by its ends.
    pub preserved_segment: Option<PreservedSegment>,
    /// The kept tail, line by line.
    pub preserved_messages: Option<PreservedMessages>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Who wanted the summary.
    pub enum CompactTrigger {
        /// The user.
        Manual = "manual",
        /// The CLI, because the context was full.
        Auto = "auto",
    }
}

/// A version of an artifact that had been read.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ArtifactVersion {
    /// The artifact.
    pub slug: Str,
    /// Its version.
    pub ver: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// The lines that were kept, by the ids of their ends.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PreservedSegment {
    /// The first kept line.
    pub head_uuid: Str,
    /// The line that the kept ones now follow.
    pub anchor_uuid: Str,
    /// The last kept line.
    pub tail_uuid: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// The lines that were kept, one by one: each follows the one before it, the first the anchor.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PreservedMessages {
    /// The line that the kept ones now follow.
    pub anchor_uuid: Str,
    /// The kept lines of the conversation.
    pub uuids: Vec<Str>,
    /// All kept lines.
    pub all_uuids: Option<Vec<Str>>,
    /// What no field holds.
    pub extra: Extra,
}
