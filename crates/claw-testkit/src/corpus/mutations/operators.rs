//! Ways to break a session file.

mod document;
mod message;
mod structure;

use serde_json::{Value, json};

use super::{Broken, Session};

/// One way.
pub(super) struct Operator {
    pub(super) name: &'static str,
    /// The rule that it breaks.
    pub(super) rule: &'static str,
    /// Breaks a line, if it applies to it.
    pub(super) apply: fn(&Session, usize) -> Option<Broken>,
}

macro_rules! operators {
    ($($rule:literal, $name:literal, $apply:expr;)*) => {
        pub(super) const ALL: &[Operator] = &[
            $(Operator { name: $name, rule: $rule, apply: $apply },)*
        ];
    };
}

operators! {
    "field-required", "no type", |s, at| remove(s, at, "type");
    "field-required", "no uuid", |s, at| remove(s, at, "uuid");
    "field-required", "no timestamp", |s, at| remove(s, at, "timestamp");
    "field-required", "no sessionId", |s, at| remove(s, at, "sessionId");
    "field-required", "type is a number", |s, at| set(s, at, "type", json!(5));
    "field-required", "uuid is a number", |s, at| set(s, at, "uuid", json!(5));
    "field-required", "uuid is empty", |s, at| set(s, at, "uuid", json!(""));
    "field-required", "sessionId is null", |s, at| set(s, at, "sessionId", Value::Null);
    "timestamp-iso", "a word for a time", |s, at| set(s, at, "timestamp", json!("yesterday"));
    "timestamp-iso", "no zone", |s, at| set(s, at, "timestamp", json!("2026-11-15T02:25:01.891"));
    "timestamp-iso", "a date only", |s, at| set(s, at, "timestamp", json!("2026-11-15"));
    "timestamp-iso", "a 30th of February", |s, at| {
        set(s, at, "timestamp", json!("2026-02-30T02:25:01Z"))
    };
    "timestamp-iso", "a 25th hour", |s, at| set(s, at, "timestamp", json!("2026-11-15T25:25:01Z"));
    "timestamp-iso", "a number for a time", |s, at| {
        set(s, at, "timestamp", json!(1_794_719_546_000_u64))
    };
    "timestamp-iso", "a blank for the T", |s, at| {
        set(s, at, "timestamp", json!("2026-11-15 02:25:01Z"))
    };
    "parent-exists", "a parent that is not there", structure::dangling;
    "parent-exists", "a parent that is a number", |s, at| set(s, at, "parentUuid", json!(7));
    "parent-exists", "a parent that was taken away", structure::orphaned;
    "parent-acyclic", "its own parent", structure::own_parent;
    "parent-acyclic", "a circle of two", structure::circle_of_two;
    "parent-acyclic", "a long circle", structure::long_circle;
    "uuid-unique", "the id of the line before", structure::same_uuid;
    "uuid-unique", "the line again with another text", structure::again_changed;
    "sidechain-consistent", "the flag turned", structure::flag_turned;
    "sidechain-consistent", "the flag is a word", |s, at| {
        set(s, at, "isSidechain", json!("true"))
    };
    "sidechain-consistent", "another agent", structure::other_agent;
    "sidechain-consistent", "no flag in an agent's file", structure::no_flag;
    "line-whole", "torn", structure::torn;
    "line-whole", "glued to a torn one", structure::glued;
    "line-whole", "two on one line", structure::joined;
    "line-whole", "not an object", structure::not_an_object;
    "line-text", "a byte that is not UTF-8", structure::bad_byte;
    "character-whole", "half of an emoji in a text", structure::half_emoji;
    "character-whole", "half of an emoji elsewhere", structure::half_kept;
    "shape", "user without message", message::user_without;
    "shape", "message is a list", message::is_a_list;
    "shape", "no role", |s, at| message::without(s, at, "role");
    "shape", "the other role", message::other_role;
    "shape", "no content", |s, at| message::without(s, at, "content");
    "shape", "content is a number", |s, at| message::with(s, at, "content", json!(3));
    "shape", "a reply without id", |s, at| message::reply_without(s, at, "id");
    "shape", "a reply without usage", |s, at| message::reply_without(s, at, "usage");
    "shape", "a block without type", message::block_without_type;
    "shape", "an attachment without itself", message::attachment_without;
    "shape", "a notice without a text", message::empty_notice;
    "shape", "a result that names no call", message::nameless_result;
    "field-required", "a boundary without metadata", message::boundary_without_metadata;
    "call-complete", "a call without name", |s, at| message::call_without(s, at, "name");
    "call-complete", "a call without input", |s, at| message::call_without(s, at, "input");
    "call-complete", "a call without id", |s, at| message::call_without(s, at, "id");
    "call-complete", "a call with an empty name", |s, at| {
        message::call_with(s, at, "name", json!(""))
    };
    "call-complete", "a call whose input is text", |s, at| {
        message::call_with(s, at, "input", json!("{}"))
    };
    "pairing", "a result of another call", message::result_of_nothing;
    "pairing", "a result again", message::second_result;
    "pairing", "a call that became text", message::call_gone;
    "pairing", "a result that became text", message::result_gone;
    "request-known", "a request that is not there", message::unknown_request;
    "request-known", "a shape that is not there", |s, at| {
        message::request_with(s, at, "shapeHash", json!("0000"))
    };
    "request-known", "a base that is not there", |s, at| {
        (s.json(at)["base"].is_string())
            .then(|| message::request_with(s, at, "base", json!("0000")))?
    };
    "request-answered", "a reply that names no request", message::reply_lost;
    "field-required", "a document's user without message", |s, at| {
        message::document_without(s, at, "user", None, "message")
    };
    "field-required", "a document's reply without message", |s, at| {
        message::document_without(s, at, "assistant", Some("response"), "message")
    };
    "field-required", "a document's notice without message", |s, at| {
        message::document_without(s, at, "system", None, "message")
    };
    "field-required", "a compaction without message", |s, at| {
        message::document_without(s, at, "compact_system", None, "message")
    };
    "field-required", "a compaction without metadata", |s, at| {
        (s.json(at)["message"] == "conversation_compacted").then_some(())?;
        message::document_without(s, at, "compact_system", None, "metadata")
    };
    "field-required", "a compaction whose metadata is text", |s, at| {
        s.json(at)["metadata"].is_object().then_some(())?;
        Some(s.with(at, |line| line["metadata"] = json!("15 of 150")))
    };
    "call-complete", "no toolName", |s, at| {
        message::document_without(s, at, "assistant", Some("tool_use"), "toolName")
    };
    "call-complete", "no toolArguments", |s, at| {
        message::document_without(s, at, "assistant", Some("tool_use"), "toolArguments")
    };
    "call-complete", "toolName is empty", |s, at| message::tool(s, at, "toolName", json!(""));
    "call-complete", "toolName is a list", |s, at| message::tool(s, at, "toolName", json!([]));
    "call-complete", "toolArguments is text", |s, at| {
        message::tool(s, at, "toolArguments", json!("all"))
    };
    "shape", "a document's user whose message is a number", |s, at| {
        document::with(s, at, "user", "message", json!(5))
    };
    "shape", "a document's reply whose message is a list", |s, at| {
        document::with(s, at, "assistant", "message", json!(["hi"]))
    };
    "shape", "a document's subtype is a number", |s, at| {
        document::with(s, at, "assistant", "subtype", json!(5))
    };
    "shape", "a reply of no known subtype", |s, at| {
        document::of_subtype(s, at, ("assistant", "response"), "subtype", json!("banana"))
    };
    "shape", "a notice of no known subtype", |s, at| {
        document::with(s, at, "system", "subtype", json!("banana"))
    };
    "shape", "a user with a subtype", |s, at| {
        document::with(s, at, "user", "subtype", json!("response"))
    };
    "shape", "a compaction with a subtype", |s, at| {
        document::with(s, at, "compact_system", "subtype", json!("meta"))
    };
    "shape", "userType is a number", |s, at| document::with(s, at, "user", "userType", json!(5));
    "shape", "userType on a reply", |s, at| {
        document::with(s, at, "assistant", "userType", json!("external"))
    };
    "shape", "toolName on a user's line", |s, at| {
        document::not_a_call(s, at, "user", "toolName", json!("Bash"))
    };
    "shape", "toolName on a notice", |s, at| {
        document::not_a_call(s, at, "system", "toolName", json!("Bash"))
    };
    "shape", "toolName on a response", |s, at| {
        document::of_subtype(s, at, ("assistant", "response"), "toolName", json!("Bash"))
    };
    "shape", "toolArguments on a user's line", |s, at| {
        document::not_a_call(s, at, "user", "toolArguments", json!({}))
    };
    "shape", "toolArguments on a compaction", |s, at| {
        document::not_a_call(s, at, "compact_system", "toolArguments", json!({}))
    };
    "shape", "toolArguments on a response", |s, at| {
        document::of_subtype(s, at, ("assistant", "response"), "toolArguments", json!({}))
    };
    "shape", "metadata on a user's line", |s, at| {
        document::with(s, at, "user", "metadata", json!({ "totalMessages": 3 }))
    };
    "shape", "isError is a word", |s, at| document::with(s, at, "", "isError", json!("yes"));
    "shape", "isMeta is a number", |s, at| document::with(s, at, "", "isMeta", json!(7));
    "shape", "isDeleted is null", |s, at| document::with(s, at, "", "isDeleted", Value::Null);
    "shape", "isAborted is a list", |s, at| document::with(s, at, "", "isAborted", json!([]));
    "shape", "an error that is none", |s, at| {
        document::of_subtype(s, at, ("system", "error"), "isError", json!(false))
    };
    "shape", "an error without its flag", |s, at| {
        document::subtype_without(s, at, ("system", "error"), "isError")
    };
    "shape", "metadata that is none", |s, at| {
        document::of_subtype(s, at, ("system", "meta"), "isMeta", json!(false))
    };
    "shape", "metadata without its flag", |s, at| {
        document::subtype_without(s, at, ("system", "meta"), "isMeta")
    };
    "shape", "an operation that there is not", document::other_operation;
    "field-required", "an operation that is a number", |s, at| {
        document::with(s, at, "compact_system", "message", json!(5))
    };
    "field-required", "a compaction without metadata", |s, at| {
        document::statistics(s, at, |metadata| *metadata = json!({}))
    };
    "field-required", "a compaction without preservedMessages", |s, at| {
        document::statistic(s, at, "preservedMessages", None)
    };
    "field-required", "a compaction without totalMessages", |s, at| {
        document::statistic(s, at, "totalMessages", None)
    };
    "field-required", "a compaction without compressionRatio", |s, at| {
        document::statistic(s, at, "compressionRatio", None)
    };
    "shape", "preservedMessages is a word", |s, at| {
        document::statistic(s, at, "preservedMessages", Some(json!("15")))
    };
    "shape", "totalMessages is negative", |s, at| {
        document::statistic(s, at, "totalMessages", Some(json!(-1)))
    };
    "shape", "compressionRatio is a list", |s, at| {
        document::statistic(s, at, "compressionRatio", Some(json!([0.1])))
    };
    "pairing", "a document's result again", message::document_second_result;
    "pairing", "a document's result under a prompt", message::document_result_moved;
    "pairing", "a document's result became a notice", message::document_result_gone;
}

/// A line of the chain without a member.
fn remove(session: &Session, at: usize, name: &str) -> Option<Broken> {
    let has = session.in_chain(at) && !session.json(at)[name].is_null();
    has.then(|| {
        session.with(at, |line| {
            if let Some(line) = line.as_object_mut() {
                line.remove(name);
            }
        })
    })
}

/// A line of the chain with another value.
fn set(session: &Session, at: usize, name: &str, value: Value) -> Option<Broken> {
    let has = session.in_chain(at) && !session.json(at)[name].is_null();
    has.then(|| session.with(at, |line| line[name] = value))
}
