//! What of a line the document has no place for.

use crate::entry::{Entry, Kind};
use crate::export::losses::Losses;
use crate::export::skim;

/// The members of a line that the document has a place for, under some name.
const KEPT: [&str; 16] = [
    "type",
    "uuid",
    "parentUuid",
    "timestamp",
    "sessionId",
    "message",
    "isSidechain",
    "isMeta",
    "isError",
    "isAborted",
    "isDeleted",
    "isAbortedMidStream",
    "isApiErrorMessage",
    "content",
    "toolName",
    "toolArguments",
];

/// Counts the members of a line and of the blocks in it that are not written again.
pub(super) fn members(entry: &Entry<'_>, losses: &mut Losses) {
    for (name, value) in entry.members().filter(|(_, value)| says_something(value)) {
        match name {
            "compactMetadata" => {
                for (name, _) in skim::members(value) {
                    losses.member(&format!("compactMetadata.{name}"));
                }
            }
            // A compaction has a type of its own, and a subagent's prompt says who wrote it.
            "subtype" if value == "\"compact_boundary\"" => {}
            "userType" if entry.kind() == Kind::User && entry.flags().sidechain => {
                if value != "\"external\"" {
                    losses.member(name);
                }
            }
            name if KEPT.contains(&name) => {}
            name => losses.member(name),
        }
    }
    let message = entry.get("message").unwrap_or_default();
    for (name, value) in skim::members(message) {
        match name {
            "role" | "type" => {}
            "content" => blocks(value, losses),
            name => losses.member(&format!("message.{name}")),
        }
    }
}

/// Whether losing a value loses anything.
fn says_something(value: &str) -> bool {
    !matches!(value, "null" | "false" | "\"\"" | "[]" | "{}")
}

fn blocks(content: &str, losses: &mut Losses) {
    for block in skim::list(content) {
        let kept: &[&str] = match skim::get(block, "type") {
            Some("\"text\"") => &["text"],
            Some("\"thinking\"") => &["thinking"],
            Some("\"tool_use\"") => &["name", "input"],
            Some("\"tool_result\"") => &["content", "is_error"],
            // A block that is lost whole is counted as a block.
            _ => continue,
        };
        for (name, value) in skim::members(block) {
            if name != "type" && !kept.contains(&name) && says_something(value) {
                losses.member(&format!("message.content[].{name}"));
            }
        }
    }
}
