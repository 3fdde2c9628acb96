//! Breaks the content of lines.

use serde_json::{Value, json};

use super::super::{Broken, Session};

/// Whether a line has a message of the API.
fn is_of_the_api(session: &Session, at: usize) -> bool {
    matches!(session.kind(at), "user" | "assistant") && session.json(at)["message"].is_object()
}

pub(super) fn drop_member(object: &mut Value, name: &str) {
    if let Some(object) = object.as_object_mut() {
        object.remove(name);
    }
}

pub(super) fn user_without(session: &Session, at: usize) -> Option<Broken> {
    let fits = session.kind(at) == "user" && is_of_the_api(session, at);
    fits.then(|| session.with(at, |line| drop_member(line, "message")))
}

pub(super) fn is_a_list(session: &Session, at: usize) -> Option<Broken> {
    is_of_the_api(session, at).then(|| session.with(at, |line| line["message"] = json!([])))
}

pub(super) fn without(session: &Session, at: usize, name: &str) -> Option<Broken> {
    let fits = is_of_the_api(session, at);
    fits.then(|| session.with(at, |line| drop_member(&mut line["message"], name)))
}

pub(super) fn with(session: &Session, at: usize, name: &str, value: Value) -> Option<Broken> {
    let fits = is_of_the_api(session, at);
    fits.then(|| session.with(at, |line| line["message"][name] = value))
}

pub(super) fn other_role(session: &Session, at: usize) -> Option<Broken> {
    let other = if session.kind(at) == "user" {
        "assistant"
    } else {
        "user"
    };
    with(session, at, "role", json!(other))
}

pub(super) fn reply_without(session: &Session, at: usize, name: &str) -> Option<Broken> {
    (session.kind(at) == "assistant").then(|| without(session, at, name))?
}

pub(super) fn block_without_type(session: &Session, at: usize) -> Option<Broken> {
    let fits = is_of_the_api(session, at) && session.json(at)["message"]["content"][0].is_object();
    fits.then(|| {
        session.with(at, |line| {
            drop_member(&mut line["message"]["content"][0], "type");
        })
    })
}

pub(super) fn attachment_without(session: &Session, at: usize) -> Option<Broken> {
    let fits = session.kind(at) == "attachment";
    fits.then(|| session.with(at, |line| drop_member(line, "attachment")))
}

pub(super) fn empty_notice(session: &Session, at: usize) -> Option<Broken> {
    let fits = session.kind(at) == "system" && session.json(at)["version"].is_string();
    fits.then(|| {
        session.with(at, |line| {
            drop_member(line, "subtype");
            drop_member(line, "content");
        })
    })
}

pub(super) fn boundary_without_metadata(session: &Session, at: usize) -> Option<Broken> {
    let fits = session.json(at)["subtype"] == "compact_boundary";
    fits.then(|| session.with(at, |line| drop_member(line, "compactMetadata")))
}

/// The place of the block of a type in a line.
fn block(session: &Session, at: usize, kind: &str) -> Option<usize> {
    let blocks = session.json(at)["message"]["content"].as_array()?;
    is_of_the_api(session, at).then_some(())?;
    blocks.iter().position(|block| block["type"] == kind)
}

pub(super) fn call_without(session: &Session, at: usize, name: &str) -> Option<Broken> {
    let block = block(session, at, "tool_use")?;
    Some(session.with(at, |line| {
        drop_member(&mut line["message"]["content"][block], name);
    }))
}

pub(super) fn call_with(session: &Session, at: usize, name: &str, value: Value) -> Option<Broken> {
    let block = block(session, at, "tool_use")?;
    Some(session.with(at, |line| line["message"]["content"][block][name] = value))
}

pub(super) fn nameless_result(session: &Session, at: usize) -> Option<Broken> {
    let block = block(session, at, "tool_result")?;
    Some(session.with(at, |line| {
        drop_member(&mut line["message"]["content"][block], "tool_use_id");
    }))
}

pub(super) fn result_of_nothing(session: &Session, at: usize) -> Option<Broken> {
    let block = block(session, at, "tool_result")?;
    Some(session.with(at, |line| {
        line["message"]["content"][block]["tool_use_id"] = json!("toolu_nobody");
    }))
}

pub(super) fn second_result(session: &Session, at: usize) -> Option<Broken> {
    block(session, at, "tool_result")?;
    let mut line = session.json(at).clone();
    line["uuid"] = json!("99999999-9999-4999-8999-999999999999");
    Some(session.and(&line))
}

/// The line of the result of a call.
fn result_line(session: &Session, call: &str) -> Option<usize> {
    (0..session.lines.len()).find(|at| {
        block(session, *at, "tool_result").is_some_and(|block| {
            session.json(*at)["message"]["content"][block]["tool_use_id"] == call
        })
    })
}

pub(super) fn call_gone(session: &Session, at: usize) -> Option<Broken> {
    let block = block(session, at, "tool_use")?;
    let call = session.json(at)["message"]["content"][block]["id"].as_str()?;
    let shows = result_line(session, call)?;
    let broken = session.with(at, |line| {
        line["message"]["content"][block] = json!({ "type": "text", "text": "gone" });
    });
    Some(Broken {
        line: shows,
        ..broken
    })
}

/// A result is lost and the conversation continues: found at the call.
pub(super) fn result_gone(session: &Session, at: usize) -> Option<Broken> {
    let block = block(session, at, "tool_use")?;
    let call = &session.json(at)["message"]["content"][block]["id"];
    let lost = result_line(session, call.as_str()?)?;
    // Only if there is a message below it that is not an interruption.
    let uuid = session.uuid(lost)?;
    let mut later = lost + 1..session.lines.len();
    later.find(|line| session.parent(*line) == Some(uuid) && session.kind(*line) == "assistant")?;
    let broken = session.with(lost, |line| {
        line["message"]["content"] = json!([{ "type": "text", "text": "gone" }]);
    });
    Some(Broken { line: at, ..broken })
}

pub(super) fn unknown_request(session: &Session, at: usize) -> Option<Broken> {
    let mut before = 0..at;
    before.find(|line| session.kind(*line) == "api-request")?;
    session.json(at)["requestRef"].is_string().then(|| {
        session.with(at, |line| {
            line["requestRef"] = json!("99999999-9999-4999-8999-999999999999");
        })
    })
}

pub(super) fn request_with(
    session: &Session,
    at: usize,
    name: &str,
    value: Value,
) -> Option<Broken> {
    let fits = session.kind(at) == "api-request";
    fits.then(|| session.with(at, |line| line[name] = value))
}

/// All replies to a request are taken for older ones, so that the request has none; not the last
/// request, which may still run.
pub(super) fn reply_lost(session: &Session, at: usize) -> Option<Broken> {
    (session.kind(at) == "api-request").then_some(())?;
    let mut later = at + 1..session.lines.len();
    let next = later.find(|line| session.kind(*line) == "api-request")?;
    let id = session.json(at)["id"].as_str()?;
    let names_it = |line: &usize| session.json(*line)["requestRef"] == id;
    let mut replies = (0..session.lines.len()).filter(names_it);
    let (Some(reply), None) = (replies.next(), replies.next()) else {
        return None;
    };
    // Not if an error is the reason for none.
    let error = |line: usize| {
        let json = session.json(line);
        json["isApiErrorMessage"] == true || session.kind(line) == "system"
    };
    let prompt = (at..session.lines.len())
        .find(|line| {
            session.kind(*line) == "user" && session.json(*line)["promptSource"].is_string()
        })
        .unwrap_or(session.lines.len());
    let stopped = (at..prompt.max(next)).any(|line| {
        error(line)
            || session.lines[line]
                .raw
                .windows(20)
                .any(|text| text == b"[Request interrupted")
    });
    if stopped {
        return None;
    }
    let broken = session.with(reply, |line| drop_member(line, "requestRef"));
    Some(Broken { line: at, ..broken })
}

pub(super) fn document_without(
    session: &Session,
    at: usize,
    kind: &str,
    subtype: Option<&str>,
    name: &str,
) -> Option<Broken> {
    let line = session.json(at);
    let fits = session.of_the_document(at)
        && session.kind(at) == kind
        && subtype.is_none_or(|subtype| line["subtype"] == subtype)
        && line["subtype"] != "meta"
        && !line[name].is_null();
    fits.then(|| session.with(at, |line| drop_member(line, name)))
}

pub(super) fn tool(session: &Session, at: usize, name: &str, value: Value) -> Option<Broken> {
    let fits = !session.json(at)["toolName"].is_null();
    fits.then(|| session.with(at, |line| line[name] = value))
}

fn is_document_result(session: &Session, at: usize) -> bool {
    session.json(at)["subtype"] == "tool_result"
}

pub(super) fn document_second_result(session: &Session, at: usize) -> Option<Broken> {
    is_document_result(session, at).then_some(())?;
    let mut line = session.json(at).clone();
    line["uuid"] = json!("msg-nobody");
    Some(session.and(&line))
}

pub(super) fn document_result_moved(session: &Session, at: usize) -> Option<Broken> {
    is_document_result(session, at).then_some(())?;
    let prompt = (0..at).find(|line| session.kind(*line) == "user")?;
    let uuid = session.uuid(prompt)?.to_owned();
    Some(session.with(at, |line| line["parentUuid"] = json!(uuid)))
}

/// A result becomes a notice and the conversation continues: found at the call.
pub(super) fn document_result_gone(session: &Session, at: usize) -> Option<Broken> {
    let called = session.json(at)["subtype"] == "tool_use";
    let uuid = session.uuid(at).filter(|_| called)?;
    let mut later = at + 1..session.lines.len();
    let result = later
        .find(|line| session.parent(*line) == Some(uuid) && is_document_result(session, *line))?;
    let below = session.uuid(result)?;
    let mut later = result + 1..session.lines.len();
    later
        .find(|line| session.parent(*line) == Some(below) && session.kind(*line) == "assistant")?;
    let broken = session.with(result, |line| drop_member(line, "subtype"));
    Some(Broken { line: at, ..broken })
}
