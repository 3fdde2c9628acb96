//! Ways to break lines that the tables of the message type specification describe.

use serde_json::{Value, json};

use super::{Broken, Session};

/// A line of the document's dialect and of one type; of any type when it is empty.
fn is(session: &Session, at: usize, kind: &str) -> bool {
    session.in_chain(at)
        && session.of_the_document(at)
        && (kind.is_empty() || session.kind(at) == kind)
}

/// A line of a type with a member that it has or not.
pub(super) fn with(
    session: &Session,
    at: usize,
    kind: &str,
    name: &str,
    value: Value,
) -> Option<Broken> {
    is(session, at, kind).then(|| session.with(at, |line| line[name] = value))
}

/// A line of a type and subtype with another value for a member.
pub(super) fn of_subtype(
    session: &Session,
    at: usize,
    (kind, subtype): (&str, &str),
    name: &str,
    value: Value,
) -> Option<Broken> {
    let fits = is(session, at, kind) && session.json(at)["subtype"] == subtype;
    fits.then(|| session.with(at, |line| line[name] = value))
}

/// A line of a type and subtype that lost a member.
pub(super) fn subtype_without(
    session: &Session,
    at: usize,
    (kind, subtype): (&str, &str),
    name: &str,
) -> Option<Broken> {
    let line = session.json(at);
    let fits = is(session, at, kind) && line["subtype"] == subtype && !line[name].is_null();
    fits.then(|| session.with(at, |line| super::message::drop_member(line, name)))
}

/// What a tool call has, on a line that is none.
pub(super) fn not_a_call(
    session: &Session,
    at: usize,
    kind: &str,
    name: &str,
    value: Value,
) -> Option<Broken> {
    let called = session.json(at)["subtype"] == "tool_use";
    (is(session, at, kind) && !called).then(|| session.with(at, |line| line[name] = value))
}

/// A finished compaction with another value in its metadata.
pub(super) fn statistics(
    session: &Session,
    at: usize,
    change: impl FnOnce(&mut Value),
) -> Option<Broken> {
    let done = session.json(at)["message"] == "conversation_compacted";
    (is(session, at, "compact_system") && done)
        .then(|| session.with(at, |line| change(&mut line["metadata"])))
}

/// A finished compaction whose metadata lack a member, or have one that is no number.
pub(super) fn statistic(
    session: &Session,
    at: usize,
    name: &str,
    value: Option<Value>,
) -> Option<Broken> {
    statistics(session, at, |metadata| match value {
        Some(value) => metadata[name] = value,
        None => super::message::drop_member(metadata, name),
    })
}

/// A word where a text is, which only an operation may be.
pub(super) fn other_operation(session: &Session, at: usize) -> Option<Broken> {
    with(
        session,
        at,
        "compact_system",
        "message",
        json!("conversation_exploded"),
    )
}
