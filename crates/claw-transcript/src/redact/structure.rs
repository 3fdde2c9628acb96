//! Which members of a line hold it together and are never changed.

/// What part of a line a value stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Region {
    /// The line itself.
    Line,
    /// Its `message`, as the API sends and takes it.
    Message,
    /// The blocks of a message, and those in a tool's result.
    Blocks,
    /// Where a picture or a document comes from.
    Source,
    /// Everything else that the CLI writes around what was said.
    Open,
    /// What a tool was given, or data of others: any name may hold anything.
    Free,
}

/// What becomes of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hold {
    /// It stays, whatever it is: changing it would break the chain, the pairing of calls and
    /// results, or the next request.
    Structure,
    /// It is an id, a kind or a sum by its name, where others may mean something else by it. It is
    /// searched, but that it looks random means nothing.
    Named,
    /// It is searched.
    Text,
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
            (Self::Line, b"message") => Self::Message,
            (Self::Message | Self::Blocks, b"content") => Self::Blocks,
            (Self::Blocks | Self::Open, b"source") => Self::Source,
            _ => Self::Open,
        }
    }

    /// Whether names of members are those of the format.
    pub(super) fn is_format(self) -> bool {
        !matches!(self, Self::Open | Self::Free)
    }

    /// What becomes of the text of a member.
    pub(super) fn hold(self, name: &[u8]) -> Hold {
        let ids: [&[u8]; 3] = [b"Uuid", b"Uuids", b"UUID"];
        let structure = match self {
            Self::Line => LINE.contains(&name) || ids.iter().any(|ending| name.ends_with(ending)),
            Self::Message => MESSAGE.contains(&name),
            Self::Blocks => BLOCKS.contains(&name),
            Self::Source | Self::Open | Self::Free => false,
        };
        if structure {
            return Hold::Structure;
        }
        let named = self != Self::Free
            && (NAMED.contains(&name)
                || LINE.contains(&name)
                || BLOCKS.contains(&name)
                || ids.iter().any(|ending| name.ends_with(ending))
                || name.ends_with(b"Hash"));
        match named {
            true => Hold::Named,
            false => Hold::Text,
        }
    }
}

/// Of a line: what it is, and ids and references to them.
const LINE: [&[u8]; 33] = [
    b"type",
    b"subtype",
    b"version",
    b"timestamp",
    b"userType",
    b"entrypoint",
    b"permissionMode",
    b"promptSource",
    b"turnOrigin",
    b"renderedRole",
    b"uuid",
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
    b"turnAttributionKey",
    b"requestDigest",
];

/// Of a message.
const MESSAGE: [&[u8]; 5] = [b"id", b"type", b"role", b"model", b"stop_reason"];

/// Of a block, with what the API signed or encrypted.
const BLOCKS: [&[u8]; 6] = [
    b"type",
    b"id",
    b"tool_use_id",
    b"signature",
    b"encrypted_content",
    b"encrypted_index",
];

/// Elsewhere: names that the CLI gives to ids, kinds and sums.
const NAMED: [&[u8]; 25] = [
    b"kind",
    b"role",
    b"operation",
    b"level",
    b"model",
    b"requestedModel",
    b"stop_reason",
    b"media_type",
    b"effort",
    b"id",
    b"uuids",
    b"allUuids",
    b"source_uuid",
    b"delivery_id",
    b"runId",
    b"taskId",
    b"backupFileName",
    b"backupTime",
    b"hash",
    b"base",
    b"tail",
    b"digests",
    b"key",
    b"atis",
    b"signature",
];
