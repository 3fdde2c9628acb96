//! Breaks the links between lines, and the lines themselves.

use serde_json::json;

use super::super::{Broken, Session};

const NOBODY: &str = "99999999-9999-4999-8999-999999999999";

pub(super) fn dangling(session: &Session, at: usize) -> Option<Broken> {
    session.parent(at)?;
    Some(session.with(at, |line| line["parentUuid"] = json!(NOBODY)))
}

/// The parent of other lines gets another id.
pub(super) fn orphaned(session: &Session, at: usize) -> Option<Broken> {
    let uuid = session.uuid(at)?;
    let child = (at + 1..session.lines.len()).find(|line| session.parent(*line) == Some(uuid))?;
    let broken = session.with(at, |line| line["uuid"] = json!(NOBODY));
    Some(Broken {
        line: child,
        ..broken
    })
}

pub(super) fn own_parent(session: &Session, at: usize) -> Option<Broken> {
    session.in_chain(at).then_some(())?;
    let uuid = session.uuid(at)?.to_owned();
    Some(session.with(at, |line| line["parentUuid"] = json!(uuid)))
}

pub(super) fn circle_of_two(session: &Session, at: usize) -> Option<Broken> {
    circle(session, at, 1)
}

pub(super) fn long_circle(session: &Session, at: usize) -> Option<Broken> {
    circle(session, at, 4)
}

/// The parent of a line is some steps after it.
fn circle(session: &Session, at: usize, steps: usize) -> Option<Broken> {
    session.in_chain(at).then_some(())?;
    let mut below = at;
    for _ in 0..steps {
        let uuid = session.uuid(below)?;
        let mut later = below + 1..session.lines.len();
        below = later.find(|line| session.parent(*line) == Some(uuid))?;
    }
    let uuid = session.uuid(below)?.to_owned();
    Some(session.with(at, |line| line["parentUuid"] = json!(uuid)))
}

pub(super) fn same_uuid(session: &Session, at: usize) -> Option<Broken> {
    session.in_chain(at).then_some(())?;
    let before = (0..at).rev().find(|line| session.in_chain(*line))?;
    let uuid = session.uuid(before)?.to_owned();
    Some(session.with(at, |line| line["uuid"] = json!(uuid)))
}

/// Changes the text: another time alone would be a copy, which a resumed session may have.
pub(super) fn again_changed(session: &Session, at: usize) -> Option<Broken> {
    session.in_chain(at).then_some(())?;
    let mut line = session.json(at).clone();
    line["timestamp"] = json!("2026-11-15T23:59:59.000Z");
    line["note"] = json!("something else");
    Some(session.and(&line))
}

/// Turned where it shows: not on a prompt, which may begin a sidechain, and in the document's
/// dialect not on the last reply, which may end one.
pub(super) fn flag_turned(session: &Session, at: usize) -> Option<Broken> {
    session.in_chain(at).then_some(())?;
    let parent = session.parent(at).and_then(|uuid| session.line_of(uuid))?;
    let side = session.json(at)["isSidechain"] == true;
    let same = (session.json(parent)["isSidechain"] == true) == side;
    let fits = match (session.of_agent, session.of_the_document(at)) {
        (true, _) => true,
        (false, false) => same && session.kind(at) != "user",
        (false, true) if side => {
            same && !(session.kind(at) == "assistant" && session.kind(parent) == "assistant")
        }
        (false, true) => same && session.kind(at) != "user",
    };
    fits.then(|| session.with(at, |line| line["isSidechain"] = json!(!side)))
}

pub(super) fn other_agent(session: &Session, at: usize) -> Option<Broken> {
    let has = session.in_chain(at) && session.json(at)["agentId"].is_string();
    has.then(|| session.with(at, |line| line["agentId"] = json!("a0000000000000000")))
}

pub(super) fn no_flag(session: &Session, at: usize) -> Option<Broken> {
    (session.of_agent && session.in_chain(at)).then(|| {
        session.with(at, |line| {
            if let Some(line) = line.as_object_mut() {
                line.remove("isSidechain");
            }
        })
    })
}

pub(super) fn torn(session: &Session, at: usize) -> Option<Broken> {
    session.in_chain(at).then_some(())?;
    let raw = &session.lines[at].raw;
    Some(session.with_raw(at, raw[..raw.len() / 2].to_vec()))
}

pub(super) fn glued(session: &Session, at: usize) -> Option<Broken> {
    session.in_chain(at).then_some(())?;
    let raw = &session.lines[at].raw;
    let torn = &raw[..raw.len() / 2];
    Some(session.with_raw(at, [torn, &raw[..]].concat()))
}

pub(super) fn joined(session: &Session, at: usize) -> Option<Broken> {
    session.in_chain(at).then_some(())?;
    let state = br#"{"type":"mode","mode":"normal","sessionId":"s"}"#;
    Some(session.with_raw(at, [&session.lines[at].raw[..], state].concat()))
}

pub(super) fn not_an_object(session: &Session, at: usize) -> Option<Broken> {
    session.in_chain(at).then_some(())?;
    let raw = &session.lines[at].raw;
    Some(session.with_raw(at, [b"[", &raw[..], b"]"].concat()))
}

pub(super) fn bad_byte(session: &Session, at: usize) -> Option<Broken> {
    session.in_chain(at).then_some(())?;
    let mut raw = session.lines[at].raw.clone();
    // Behind the brace, in a member that nothing else looks at.
    raw.splice(1..1, *b"\"cwd\":\"a\xFFb\",");
    Some(session.with_raw(at, raw))
}

/// Half of an emoji in a text.
pub(super) fn half_emoji(session: &Session, at: usize) -> Option<Broken> {
    let texts = ["/message", "/message/content", "/message/content/0/text"];
    let json = session.json(at);
    let path = texts.iter().find(|path| {
        let text = json.pointer(path);
        text.is_some_and(|text| text.as_str().is_some_and(|text| !text.is_empty()))
    })?;
    session.in_chain(at).then_some(())?;
    let mark = "half of an emoji goes here";
    let broken = session.with(at, |json| {
        if let Some(text) = json.pointer_mut(path) {
            *text = mark.into();
        }
    });
    let text = String::from_utf8(broken.bytes).ok()?;
    Some(Broken {
        bytes: text.replace(mark, "\\ud83d cut").into_bytes(),
        ..broken
    })
}

/// The other half, where the API does not see it.
pub(super) fn half_kept(session: &Session, at: usize) -> Option<Broken> {
    session.in_chain(at).then_some(())?;
    let mut raw = session.lines[at].raw.clone();
    raw.splice(1..1, *b"\"cwd\":\"a\\ude00b\",");
    Some(session.with_raw(at, raw))
}
