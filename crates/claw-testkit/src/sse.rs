//! A message of the model as the API writes it: a stream of events, or one JSON object.

use serde_json::Value;

use crate::block::{Block, json_string_contents};
use crate::turn::Turn;

/// The parts of an answer that depend on the request it answers.
#[derive(Debug)]
pub(crate) struct Identity {
    pub(crate) message_id: String,
    pub(crate) model: String,
}

/// The whole message as one JSON object.
pub(crate) fn whole_message(turn: &Turn, identity: &Identity) -> String {
    let blocks: Vec<String> = turn.blocks().iter().map(Block::whole).collect();
    message_text(
        identity,
        &blocks.join(","),
        &Value::from(turn.final_stop_reason()),
        &format!(
            "{}{}",
            Value::from(turn.spec.stop_sequence.clone()),
            stop_details(turn)
        ),
        &turn.spec.usage.whole(),
    )
}

/// The field that follows the stop sequence, if the turn has one.
fn stop_details(turn: &Turn) -> String {
    let field = |details| format!(r#","stop_details":{details}"#);
    turn.spec
        .stop_details
        .as_ref()
        .map(field)
        .unwrap_or_default()
}

/// The message as the events of a stream, each complete with its blank line.
pub(crate) fn events(turn: &Turn, identity: &Identity) -> Vec<String> {
    let start = message_text(
        identity,
        "",
        &Value::Null,
        "null",
        &turn.spec.usage.at_start(),
    );
    let mut events = vec![event("message_start", &format!(r#""message":{start}"#))];
    let mut ping_due = turn.spec.ping;
    for (index, block) in turn.blocks().iter().enumerate() {
        let body = format!(r#""index":{index},"content_block":{}"#, block.at_start());
        events.push(event("content_block_start", &body));
        if std::mem::take(&mut ping_due) {
            events.push(ping());
        }
        events.extend(deltas(turn, block).iter().map(|delta| {
            event(
                "content_block_delta",
                &format!(r#""index":{index},"delta":{delta}"#),
            )
        }));
        events.push(event("content_block_stop", &format!(r#""index":{index}"#)));
    }
    if ping_due {
        events.push(ping());
    }
    let end = format!(
        r#""delta":{{"stop_reason":{},"stop_sequence":{}{}}},"usage":{}"#,
        Value::from(turn.final_stop_reason()),
        Value::from(turn.spec.stop_sequence.clone()),
        stop_details(turn),
        turn.spec.usage.at_end()
    );
    events.push(event("message_delta", &end));
    events.push("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n".to_owned());
    events
}

/// The event of a failure in mid-stream.
pub(crate) fn error_event(kind: &str, message: &str) -> String {
    event(
        "error",
        &format!(r#""error":{}"#, error_text(kind, message)),
    )
}

/// The body of an HTTP error.
pub(crate) fn error_body(kind: &str, message: &str, request_id: &str) -> String {
    format!(
        r#"{{"type":"error","error":{},"request_id":{}}}"#,
        error_text(kind, message),
        Value::from(request_id)
    )
}

fn error_text(kind: &str, message: &str) -> String {
    format!(
        r#"{{"type":{},"message":{}}}"#,
        Value::from(kind),
        Value::from(message)
    )
}

fn event(name: &str, fields: &str) -> String {
    format!("event: {name}\ndata: {{\"type\":\"{name}\",{fields}}}\n\n")
}

fn ping() -> String {
    "event: ping\ndata: {\"type\":\"ping\"}\n\n".to_owned()
}

fn message_text(
    identity: &Identity,
    content: &str,
    stop_reason: &Value,
    stop_sequence: &str,
    usage: &Value,
) -> String {
    format!(
        r#"{{"id":{},"type":"message","role":"assistant","model":{},"content":[{content}],"stop_reason":{stop_reason},"stop_sequence":{stop_sequence},"usage":{usage}}}"#,
        Value::from(identity.message_id.as_str()),
        Value::from(identity.model.as_str()),
    )
}

fn deltas(turn: &Turn, block: &Block) -> Vec<String> {
    let Some(pieces) = block.deltas(turn.spec.pieces.as_ref()) else {
        return Vec::new();
    };
    let (delta_type, key) = match block.kind() {
        "text" => ("text_delta", "text"),
        "thinking" => ("thinking_delta", "thinking"),
        _ => ("input_json_delta", "partial_json"),
    };
    let delta = |piece: &String| format!(r#"{{"type":"{delta_type}","{key}":"{piece}"}}"#);
    let mut deltas = Vec::with_capacity(pieces.len() + 1);
    if key == "partial_json" {
        // The API opens every tool input with an empty fragment, and clients rely on coping.
        deltas.push(delta(&String::new()));
    }
    deltas.extend(pieces.iter().map(delta));
    if block.kind() == "thinking" {
        let signature = json_string_contents(block.string("signature"));
        deltas.push(format!(
            r#"{{"type":"signature_delta","signature":"{signature}"}}"#
        ));
    }
    let citations = block.json.get("citations").and_then(Value::as_array);
    for citation in citations.into_iter().flatten() {
        deltas.push(format!(
            r#"{{"type":"citations_delta","citation":{citation}}}"#
        ));
    }
    deltas
}
