//! Which members of a line hold it together and are never changed.

/// What part of a line a value stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Region {
    /// What the CLI writes around what was said.
    Envelope,
    /// What a tool gave back, as the CLI keeps it for itself.
    Result,
    /// What a tool was given, or data of others: any name may hold anything.
    Free,
}

impl Region {
    /// The region of a member's value.
    pub(super) fn below(self, name: &[u8]) -> Self {
        match (self, name) {
            (Self::Free, _) => Self::Free,
            (
                _,
                b"input"
                | b"toolArguments"
                | b"arguments"
                | b"structuredContent"
                | b"structured_content"
                | b"mcpMeta"
                | b"_meta",
            ) => Self::Free,
            (_, b"toolUseResult") => Self::Result,
            (region, _) => region,
        }
    }

    /// Whether a member's text is structure: kinds, ids, references, times, sums, and what the API
    /// signed or encrypted. Changing one would break the chain, the pairing of calls and results,
    /// or the next request.
    pub(super) fn is_structure(self, name: &[u8]) -> bool {
        match self {
            Self::Free => false,
            Self::Result => RESULT.contains(&name),
            Self::Envelope => {
                let ids: [&[u8]; 4] = [b"Uuid", b"Uuids", b"UUID", b"Hash"];
                ENVELOPE.contains(&name) || ids.iter().any(|ending| name.ends_with(ending))
            }
        }
    }
}

const RESULT: [&[u8]; 8] = [
    b"agentId",
    b"encrypted_content",
    b"media_type",
    b"signature",
    b"toolUseId",
    b"tool_use_id",
    b"type",
    b"uuid",
];

const ENVELOPE: [&[u8]; 60] = [
    // What a line is.
    b"type",
    b"subtype",
    b"kind",
    b"role",
    b"operation",
    b"level",
    b"version",
    b"timestamp",
    b"userType",
    b"entrypoint",
    b"permissionMode",
    b"promptSource",
    b"turnOrigin",
    b"renderedRole",
    b"model",
    b"requestedModel",
    b"stop_reason",
    b"media_type",
    b"effort",
    // Ids and references to them.
    b"uuid",
    b"uuids",
    b"allUuids",
    b"id",
    b"sessionId",
    b"session_id",
    b"continuedInSessionId",
    b"agentId",
    b"parentAgentId",
    b"promptId",
    b"messageId",
    b"interruptedMessageId",
    b"refusedMessageId",
    b"snapshotMessageId",
    b"source_uuid",
    b"tool_use_id",
    b"toolUseID",
    b"toolUseId",
    b"parentToolUseID",
    b"parent_tool_use_id",
    b"requestId",
    b"request_id",
    b"requestRef",
    b"serverClassifierRequest",
    b"deliveryId",
    b"delivery_id",
    b"runId",
    b"taskId",
    b"turnAttributionKey",
    b"backupFileName",
    // Sums of requests, which the CLI refers to by them.
    b"hash",
    b"base",
    b"tail",
    b"digests",
    b"requestDigest",
    b"key",
    b"atis",
    // What the API signed or encrypted.
    b"signature",
    b"encrypted_content",
    b"encrypted_index",
    b"backupTime",
];
