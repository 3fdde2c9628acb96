//! A turn in a script file.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::Value;

use super::{Ending, Reply, Turn};
use crate::block::{Block, Pieces};
use crate::matching::Match;
use crate::usage::Usage;

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct TurnSpec {
    // The four kinds of answer; a turn has exactly one.
    text: Option<String>,
    content: Option<Vec<Block>>,
    error: Option<ErrorSpec>,
    json: Option<JsonSpec>,
    #[serde(default)]
    close_without_response: bool,

    #[serde(default)]
    usage: Usage,
    stop_reason: Option<String>,
    stop_sequence: Option<String>,
    stop_details: Option<Value>,
    model: Option<String>,
    message_id: Option<String>,
    request_id: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    pieces: Option<Pieces>,
    #[serde(default)]
    ping: bool,
    #[serde(default)]
    delay_ms: u64,
    #[serde(default)]
    delay_between_ms: u64,

    cut_after: Option<usize>,
    hang_after: Option<usize>,
    sse_error_after: Option<SseErrorSpec>,

    when: Option<Match>,
    #[serde(default)]
    always: bool,
    /// A note for the reader of the script.
    #[serde(default, rename = "comment")]
    _comment: Option<String>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ErrorSpec {
    status: u16,
    #[serde(rename = "type")]
    kind: String,
    message: String,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonSpec {
    #[serde(default = "ok_status")]
    status: u16,
    body: Value,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct SseErrorSpec {
    events: usize,
    #[serde(rename = "type")]
    kind: String,
    message: String,
}

fn ok_status() -> u16 {
    200
}

impl<'de> Deserialize<'de> for Turn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spec = TurnSpec::deserialize(deserializer)?;
        Self::try_from(spec).map_err(D::Error::custom)
    }
}

impl TryFrom<TurnSpec> for Turn {
    type Error = String;

    fn try_from(spec: TurnSpec) -> Result<Self, String> {
        let mut turn = reply_of(
            spec.text,
            spec.content,
            spec.error,
            spec.json,
            spec.close_without_response,
        )?;
        turn.ending = ending_of(spec.cut_after, spec.hang_after, spec.sse_error_after)?;
        turn.usage = spec.usage;
        turn.stop_reason = spec.stop_reason;
        turn.stop_sequence = spec.stop_sequence;
        turn.stop_details = spec.stop_details;
        turn.model = spec.model;
        turn.message_id = spec.message_id;
        turn.request_id = spec.request_id;
        turn.headers = spec.headers.into_iter().collect();
        turn.pieces = spec.pieces;
        turn.ping = spec.ping;
        turn.delay = Duration::from_millis(spec.delay_ms);
        turn.delay_between = Duration::from_millis(spec.delay_between_ms);
        turn.when = spec.when;
        turn.always = spec.always;
        Ok(turn)
    }
}

fn reply_of(
    text: Option<String>,
    content: Option<Vec<Block>>,
    error: Option<ErrorSpec>,
    json: Option<JsonSpec>,
    close: bool,
) -> Result<Turn, String> {
    match (text, content, error, json, close) {
        (Some(text), None, None, None, false) => Ok(Turn::text(text)),
        (None, Some(blocks), None, None, false) => Ok(Turn {
            blocks,
            ..Turn::empty()
        }),
        (None, None, Some(error), None, false) => {
            Ok(Turn::error(error.status, error.kind, error.message))
        }
        (None, None, None, Some(json), false) => Ok(Turn::with_reply(Reply::Json {
            status: json.status,
            body: json.body,
        })),
        (None, None, None, None, true) => Ok(Turn::close_without_response()),
        _ => Err(
            "a turn needs exactly one of \"text\", \"content\", \"error\", \"json\" and \
                  \"close_without_response\""
                .to_owned(),
        ),
    }
}

fn ending_of(
    cut: Option<usize>,
    hang: Option<usize>,
    error: Option<SseErrorSpec>,
) -> Result<Ending, String> {
    match (cut, hang, error) {
        (None, None, None) => Ok(Ending::Complete),
        (Some(after), None, None) => Ok(Ending::Cut { after }),
        (None, Some(after), None) => Ok(Ending::Hang { after }),
        (None, None, Some(error)) => Ok(Ending::Error {
            after: error.events,
            kind: error.kind,
            message: error.message,
        }),
        _ => Err(
            "a turn has at most one of \"cut_after\", \"hang_after\" and \"sse_error_after\""
                .to_owned(),
        ),
    }
}
