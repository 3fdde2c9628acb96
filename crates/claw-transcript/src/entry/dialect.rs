//! In which of three ways a line is written.

use super::{Entry, Kind, KindGroup};

/// A way to write a session down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// What the CLI keeps on disk: messages are objects of the API.
    Disk,
    /// What the message type specification describes: messages are strings, tool calls are members
    /// of the line.
    Document,
    /// What the CLI prints on its pipe.
    Stream,
}

impl Dialect {
    /// The name for people and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Disk => "disk",
            Self::Document => "document",
            Self::Stream => "stream",
        }
    }

    pub(super) fn of(entry: &Entry<'_>) -> Self {
        if entry.kind() == Kind::CompactSystem {
            return Self::Document;
        }
        let of_a_file = entry.get("sessionId").is_some() || entry.get("parentUuid").is_some();
        if !of_a_file {
            // Some lines on disk have neither, but they are of kinds that only the disk has.
            let on_disk = !matches!(
                entry.kind().group(),
                KindGroup::Stream | KindGroup::Chain | KindGroup::Unknown
            );
            return if on_disk || entry.get("session_id").is_none() {
                Self::Disk
            } else {
                Self::Stream
            };
        }
        match entry.kind() {
            Kind::User | Kind::Assistant | Kind::System if is_of_the_document(entry) => {
                Self::Document
            }
            _ => Self::Disk,
        }
    }
}

/// Whether a line of the conversation is as the document draws it: its `message` is a string, or it
/// has none and has a member that only the document knows.
fn is_of_the_document(entry: &Entry<'_>) -> bool {
    match entry.get("message") {
        Some(message) => message.starts_with('"'),
        None => {
            let own = ["toolName", "toolArguments", "isDeleted", "isAborted"];
            let subtypes = match entry.kind() {
                Kind::Assistant => &["response", "tool_use", "thinking", "command", "error"][..],
                Kind::System => &["tool_result", "error", "meta"][..],
                _ => &[],
            };
            // A line of the disk says which version wrote it.
            entry.get("version").is_none()
                && (own.iter().any(|name| entry.get(name).is_some())
                    || entry
                        .subtype()
                        .is_some_and(|subtype| subtypes.contains(&&*subtype))
                    || entry.get("content").is_none())
        }
    }
}
