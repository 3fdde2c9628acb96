//! The three formats of a line.

use super::{Kind, KindGroup};
use crate::facts::Member;
use crate::members;

/// A format in which sessions are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// The CLI's session files: messages are objects of the API.
    Disk,
    /// The message type specification: messages are strings, tool calls are members of the line.
    Document,
    /// The CLI's standard output.
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

    /// Determines the dialect from the members of a line.
    pub(crate) fn of<'a>(kind: Kind, get: impl Fn(Member) -> Option<&'a str>) -> Self {
        if kind == Kind::CompactSystem {
            return Self::Document;
        }
        let has = |member| get(member).is_some();
        if !has(Member::Session) && !has(Member::Parent) {
            // Kinds that only session files have may lack both.
            let on_disk = !matches!(
                kind.group(),
                KindGroup::Stream | KindGroup::Chain | KindGroup::Unknown
            );
            if !on_disk && has(Member::StreamSession) {
                return Self::Stream;
            }
        }
        match kind {
            Kind::User | Kind::Assistant | Kind::System if is_document(kind, &get) => {
                Self::Document
            }
            _ => Self::Disk,
        }
    }

    /// The subtypes that lines of a kind have in the document's dialect.
    pub(crate) fn document_subtypes(kind: Kind) -> &'static [&'static str] {
        match kind {
            Kind::Assistant => &["response", "tool_use", "thinking", "command", "error"],
            Kind::System => &["tool_result", "error", "meta"],
            _ => &[],
        }
    }
}

/// Returns whether a line of the conversation is in the document's dialect: its `message` is a
/// string, or it has none and has a member that only this dialect has.
fn is_document<'a>(kind: Kind, get: &impl Fn(Member) -> Option<&'a str>) -> bool {
    let has = |member| get(member).is_some();
    if let Some(message) = get(Member::Message) {
        return message.starts_with('"');
    }
    let own = [
        Member::ToolName,
        Member::ToolArguments,
        Member::Deleted,
        Member::Aborted,
    ];
    let subtype = get(Member::Subtype).and_then(members::string);
    // Lines of session files have the version of the CLI.
    !has(Member::Version)
        && (own.into_iter().any(has)
            || subtype.is_some_and(|subtype| Dialect::document_subtypes(kind).contains(&&*subtype))
            || !has(Member::Content))
}
