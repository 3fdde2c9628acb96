//! Breaks the links between lines, and the bytes of lines.

use serde_json::{Value, json};

use super::edits::pointer;
use super::session::{Broken, Session};

const NOBODY: &str = "99999999-9999-4999-8999-999999999999";
const CALL: &str = "/message/content/[tool_use]";
const CALL_ID: &str = "/message/content/[tool_use]/id";
const RESULT_ID: &str = "/message/content/[tool_result]/tool_use_id";

/// A rule, how it is broken, and what breaks it on a line, if the line is of the right kind.
type Operator = (
    &'static str,
    &'static str,
    fn(&Session, usize) -> Option<Broken>,
);

pub(super) const LINKS: &[Operator] = &[
    ("parent-exists", "a parent that was taken away", orphaned),
    ("parent-acyclic", "its own parent", |s, at| circle(s, at, 0)),
    ("parent-acyclic", "a circle of two", |s, at| {
        circle(s, at, 1)
    }),
    ("parent-acyclic", "a long circle", |s, at| circle(s, at, 4)),
    ("uuid-unique", "the id of the line before", same_uuid),
    (
        "uuid-unique",
        "the line again with another text",
        again_changed,
    ),
    ("sidechain-consistent", "the flag turned", flag_turned),
    ("pairing", "a result again", second_result),
    ("pairing", "a call that became text", call_gone),
    ("pairing", "a result that became text", result_gone),
    (
        "pairing",
        "a document's result under a prompt",
        document_result_moved,
    ),
    (
        "pairing",
        "a document's result became a notice",
        document_result_gone,
    ),
    (
        "request-answered",
        "a reply that names no request",
        reply_lost,
    ),
];

/// A rule, how it is broken, and what breaks the bytes of any line of the chain.
type Damage = (&'static str, &'static str, fn(&[u8]) -> Vec<u8>);

pub(super) const DAMAGE: &[Damage] = &[
    ("line-whole", "torn", |raw| raw[..raw.len() / 2].to_vec()),
    ("line-whole", "glued to a torn one", |raw| {
        [&raw[..raw.len() / 2], raw].concat()
    }),
    ("line-whole", "two on one line", |raw| {
        [raw, br#"{"type":"mode","mode":"normal","sessionId":"s"}"#].concat()
    }),
    ("line-whole", "not an object", |raw| {
        [&b"["[..], raw, b"]"].concat()
    }),
    // In a member that no other rule looks at.
    ("line-text", "a byte that is not UTF-8", |raw| {
        [&b"{\"cwd\":\"a\xFFb\","[..], &raw[1..]].concat()
    }),
    ("character-whole", "half of an emoji elsewhere", |raw| {
        [&br#"{"cwd":"a\ude00b","#[..], &raw[1..]].concat()
    }),
];

/// The parent of other lines gets another id.
fn orphaned(session: &Session, at: usize) -> Option<Broken> {
    let child = session.child(at, |_| true)?;
    let broken = session.changed(at, |line| line["uuid"] = json!(NOBODY));
    Some(broken.seen_at(child))
}

/// The parent of a line is some steps after it.
fn circle(session: &Session, at: usize, steps: usize) -> Option<Broken> {
    session.in_chain(at).then_some(())?;
    let below = (0..steps).try_fold(at, |line, _| session.child(line, |_| true))?;
    let uuid = session.uuid(below)?;
    Some(session.changed(at, |line| line["parentUuid"] = json!(uuid)))
}

fn same_uuid(session: &Session, at: usize) -> Option<Broken> {
    session.in_chain(at).then_some(())?;
    let before = (0..at).rev().find(|line| session.in_chain(*line))?;
    let uuid = session.uuid(before)?;
    Some(session.changed(at, |line| line["uuid"] = json!(uuid)))
}

/// Changes the text: another time alone would be a copy, which a resumed session may have.
fn again_changed(session: &Session, at: usize) -> Option<Broken> {
    session.in_chain(at).then(|| {
        session.repeated(at, |line| {
            line["timestamp"] = json!("2026-11-15T23:59:59.000Z");
            line["note"] = json!("something else");
        })
    })
}

/// Turned where it shows: not on a prompt, which may begin a sidechain, and in the document's
/// dialect not on the last reply, which may end one.
fn flag_turned(session: &Session, at: usize) -> Option<Broken> {
    session.in_chain(at).then_some(())?;
    let uuid = session.parent(at)?;
    let parent = session
        .all()
        .find(|line| session.uuid(*line) == Some(uuid))?;
    let is_side = |line: usize| session.json(line)["isSidechain"] == true;
    let side = is_side(at);
    let is_reply = |line: usize| session.kind(line) == "assistant";
    let shows = if side && session.of_the_document(at) {
        !(is_reply(at) && is_reply(parent))
    } else {
        session.kind(at) != "user"
    };
    let fits = session.of_agent || (is_side(parent) == side && shows);
    fits.then(|| session.changed(at, |line| line["isSidechain"] = json!(!side)))
}

fn is_document_result(session: &Session, at: usize) -> bool {
    session.json(at)["subtype"] == "tool_result"
}

fn second_result(session: &Session, at: usize) -> Option<Broken> {
    let fits = is_document_result(session, at) || session.text(at, RESULT_ID).is_some();
    fits.then(|| session.repeated(at, |line| line["uuid"] = json!(NOBODY)))
}

/// The line of the result of the call of a line.
fn result_of(session: &Session, at: usize) -> Option<usize> {
    let call = session.text(at, CALL_ID)?;
    session
        .all()
        .find(|line| session.text(*line, RESULT_ID) == Some(call))
}

fn call_gone(session: &Session, at: usize) -> Option<Broken> {
    let shows = result_of(session, at)?;
    let call = pointer(session.json(at), CALL)?;
    let broken = session.changed(at, |line| {
        if let Some(block) = line.pointer_mut(&call) {
            *block = json!({ "type": "text", "text": "gone" });
        }
    });
    Some(broken.seen_at(shows))
}

/// Changes the result of a call that a reply follows, which is found at the call.
fn lost(
    session: &Session,
    call: usize,
    result: usize,
    change: impl FnOnce(&mut Value),
) -> Option<Broken> {
    session.child(result, |line| session.kind(line) == "assistant")?;
    Some(session.changed(result, change).seen_at(call))
}

fn result_gone(session: &Session, at: usize) -> Option<Broken> {
    lost(session, at, result_of(session, at)?, |line| {
        line["message"]["content"] = json!([{ "type": "text", "text": "gone" }]);
    })
}

fn document_result_gone(session: &Session, at: usize) -> Option<Broken> {
    (session.json(at)["subtype"] == "tool_use").then_some(())?;
    let result = session.child(at, |line| is_document_result(session, line))?;
    lost(session, at, result, |line| remove(line, "subtype"))
}

fn document_result_moved(session: &Session, at: usize) -> Option<Broken> {
    is_document_result(session, at).then_some(())?;
    let prompt = (0..at).find(|line| session.kind(*line) == "user")?;
    let uuid = session.uuid(prompt)?;
    Some(session.changed(at, |line| line["parentUuid"] = json!(uuid)))
}

/// The only reply to a request is taken for an older one, so that the request has none; not of the
/// last request, which may still run.
fn reply_lost(session: &Session, at: usize) -> Option<Broken> {
    let is_request = |line: &usize| session.kind(*line) == "api-request";
    is_request(&at).then_some(())?;
    let next = session.after(at).find(is_request)?;
    let id = session.text(at, "/id")?;
    let mut replies = session
        .all()
        .filter(|line| session.json(*line)["requestRef"] == id);
    let reply = replies.next().filter(|_| replies.next().is_none())?;
    // An error or an interruption is a reason for no reply.
    let excuses = |line: usize| {
        let raw = String::from_utf8_lossy(session.raw(line));
        session.json(line)["isApiErrorMessage"] == true
            || session.kind(line) == "system"
            || raw.contains("[Request interrupted")
    };
    let prompt = session
        .after(at)
        .find(|line| {
            session.kind(*line) == "user" && session.text(*line, "/promptSource").is_some()
        })
        .unwrap_or(session.all().end);
    if (at..prompt.max(next)).any(excuses) {
        return None;
    }
    let broken = session.changed(reply, |line| remove(line, "requestRef"));
    Some(broken.seen_at(at))
}

fn remove(line: &mut Value, name: &str) {
    line.as_object_mut().expect("an object").remove(name);
}
