//! The members of a line that the document's dialect cannot represent.

use crate::entry::Kind;
use crate::export::losses::Losses;
use crate::facts::{Facts, Member};
use crate::members::Members;

/// Counts the members of a line, and of its content blocks, that are lost.
pub(super) fn count(line: &Facts<'_>, losses: &mut Losses) {
    let is_subagent = line.kind == Kind::User && line.is_true(Member::Sidechain);
    let members = Members::read(line.text).unwrap_or_default();
    for (name, value) in members.all().filter(|(_, value)| !is_empty(value)) {
        match (&**name, value) {
            ("compactMetadata", _) => {
                for (name, _) in Members::read(value).unwrap_or_default().all() {
                    losses.add("member", &format!("compactMetadata.{name}"), 1);
                }
            }
            // The dialect has a type for compactions, and this member in prompts of subagents.
            ("subtype", "\"compact_boundary\"") => {}
            ("userType", "\"external\"") if is_subagent => {}
            // The dialect has these members, perhaps under another name.
            (
                "type" | "uuid" | "parentUuid" | "timestamp" | "sessionId" | "message"
                | "isSidechain" | "isMeta" | "isError" | "isAborted" | "isDeleted"
                | "isAbortedMidStream" | "isApiErrorMessage" | "content" | "toolName"
                | "toolArguments",
                _,
            ) => {}
            (name, _) => losses.add("member", name, 1),
        }
    }
    let message = line.object(Member::Message).unwrap_or_default();
    for (name, _) in message.all() {
        if !matches!(&**name, "role" | "type" | "content") {
            losses.add("member", &format!("message.{name}"), 1);
        }
    }
    for block in line.blocks() {
        let kept: &[&str] = match block.kind {
            Some("\"text\"") => &["type", "text"],
            Some("\"thinking\"") => &["type", "thinking"],
            Some("\"tool_use\"") => &["type", "name", "input"],
            Some("\"tool_result\"") => &["type", "content", "is_error"],
            // Other blocks are lost and counted as blocks.
            _ => continue,
        };
        for (name, value) in Members::read(block.json).unwrap_or_default().all() {
            if !kept.contains(&&**name) && !is_empty(value) {
                losses.add("member", &format!("message.content[].{name}"), 1);
            }
        }
    }
}

fn is_empty(value: &str) -> bool {
    matches!(value, "null" | "false" | "\"\"" | "[]" | "{}")
}
