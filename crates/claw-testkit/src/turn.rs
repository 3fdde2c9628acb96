//! One scripted answer of the API.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::block::{Block, Pieces};
use crate::capture::ApiRequest;
use crate::matching::Match;
use crate::usage::Usage;

/// The answer to one request: a message of the model, an error, or a broken connection.
///
/// Script files can say everything that a turn can be, and so can
/// `serde_json::from_value::<Turn>(json!({...}))`. The methods are for what tests need often; those
/// that shape a message have no effect on an error.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Spec")]
pub struct Turn {
    pub(crate) spec: Spec,
    predicate: Option<Predicate>,
}

/// A turn in a script file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Spec {
    // The kinds of answer; a turn has exactly one.
    text: Option<String>,
    pub(crate) content: Option<Vec<Block>>,
    pub(crate) error: Option<ErrorReply>,
    pub(crate) json: Option<JsonReply>,
    pub(crate) close_without_response: bool,

    pub(crate) usage: Usage,
    pub(crate) stop_reason: Option<String>,
    pub(crate) stop_sequence: Option<String>,
    pub(crate) stop_details: Option<Value>,
    pub(crate) model: Option<String>,
    pub(crate) message_id: Option<String>,
    pub(crate) request_id: Option<String>,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) pieces: Option<Pieces>,
    pub(crate) ping: bool,
    #[serde(rename = "delay_ms", deserialize_with = "from_ms")]
    pub(crate) delay: Duration,
    #[serde(rename = "delay_between_ms", deserialize_with = "from_ms")]
    pub(crate) delay_between: Duration,

    // How a stream ends; a turn has at most one.
    cut_after: Option<usize>,
    hang_after: Option<usize>,
    pub(crate) sse_error_after: Option<SseError>,

    when: Option<Match>,
    pub(crate) always: bool,
    /// A note for the reader of the script.
    #[serde(rename = "comment")]
    _comment: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ErrorReply {
    pub(crate) status: u16,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) message: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JsonReply {
    #[serde(default = "ok_status")]
    pub(crate) status: u16,
    pub(crate) body: Value,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SseError {
    events: usize,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) message: String,
}

fn ok_status() -> u16 {
    200
}

pub(crate) fn from_ms<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    u64::deserialize(deserializer).map(Duration::from_millis)
}

/// A condition written in code.
#[derive(Clone)]
struct Predicate(Arc<dyn Fn(&ApiRequest) -> bool + Send + Sync>);

impl fmt::Debug for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Predicate")
    }
}

impl TryFrom<Spec> for Turn {
    type Error = &'static str;

    fn try_from(mut spec: Spec) -> Result<Self, &'static str> {
        let kinds = [
            spec.text.is_some(),
            spec.content.is_some(),
            spec.error.is_some(),
            spec.json.is_some(),
            spec.close_without_response,
        ];
        let ends = [
            spec.cut_after.is_some(),
            spec.hang_after.is_some(),
            spec.sse_error_after.is_some(),
        ];
        let count = |given: &[bool]| given.iter().filter(|given| **given).count();
        if count(&kinds) != 1 {
            return Err(
                "a turn needs exactly one of \"text\", \"content\", \"error\", \"json\" and \
                 \"close_without_response\"",
            );
        }
        if count(&ends) > 1 {
            return Err(
                "a turn has at most one of \"cut_after\", \"hang_after\" and \"sse_error_after\"",
            );
        }
        if let Some(text) = spec.text.take() {
            return Ok(Self::of(spec).then_text(text));
        }
        Ok(Self::of(spec))
    }
}

/// What happens after the last part of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    End,
    Cut,
    Hang,
}

impl Turn {
    fn of(spec: Spec) -> Self {
        Self {
            spec,
            predicate: None,
        }
    }

    /// A message without content, to which blocks are added.
    pub fn empty() -> Self {
        Self::of(Spec::default())
    }

    /// A message that starts with a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::empty().then_text(text)
    }

    /// An HTTP error in the API's own shape, for example `(529, "overloaded_error", "Overloaded")`.
    pub fn error(status: u16, kind: impl Into<String>, message: impl Into<String>) -> Self {
        let error = ErrorReply {
            status,
            kind: kind.into(),
            message: message.into(),
        };
        Self::of(Spec {
            error: Some(error),
            ..Spec::default()
        })
    }

    /// Adds a text block.
    pub fn then_text(self, text: impl Into<String>) -> Self {
        self.block(json!({"type": "text", "text": text.into()}))
    }

    /// Adds a text block whose deltas are written verbatim between the quotes of a JSON string,
    /// so that `["\\ud83d", "\\ude00"]` sends the halves of an emoji.
    pub fn raw_text_json<S: Into<String>>(mut self, pieces: impl IntoIterator<Item = S>) -> Self {
        let pieces = pieces.into_iter().map(Into::into).collect();
        self = self.then_text("");
        if let Some(block) = self.spec.content.iter_mut().flatten().last() {
            block.pieces = Some(Pieces::Raw(pieces));
        }
        self
    }

    /// Adds a thinking block.
    pub fn thinking(self, text: impl Into<String>, signature: impl Into<String>) -> Self {
        self.block(json!({
            "type": "thinking", "thinking": text.into(), "signature": signature.into(),
        }))
    }

    /// Adds a call of a tool that the client runs.
    pub fn tool_use(self, id: impl Into<String>, name: impl Into<String>, input: Value) -> Self {
        self.block(json!({
            "type": "tool_use", "id": id.into(), "name": name.into(), "input": input,
        }))
    }

    /// Adds any other block, as the API would print it in a whole message.
    pub fn block(mut self, json: Value) -> Self {
        let json = match json {
            Value::Object(json) => json,
            _ => serde_json::Map::new(),
        };
        let block = Block { pieces: None, json };
        self.spec.content.get_or_insert_default().push(block);
        self
    }

    /// Sends each block in this many deltas.
    pub fn chunks(mut self, count: usize) -> Self {
        self.spec.pieces = Some(Pieces::Chunks(count));
        self
    }

    /// Sends each block in deltas of this many characters.
    pub fn chunk_chars(mut self, chars: usize) -> Self {
        self.spec.pieces = Some(Pieces::ChunkChars(chars));
        self
    }

    /// Why the model stopped; by default `tool_use` after a tool call, else `end_turn`.
    pub fn stop_reason(mut self, reason: impl Into<String>) -> Self {
        self.spec.stop_reason = Some(reason.into());
        self
    }

    /// More about why the model stopped, as the API prints it beside the stop reason; a refusal
    /// names its category there.
    pub fn stop_details(mut self, details: Value) -> Self {
        self.spec.stop_details = Some(details);
        self
    }

    /// The model in the answer; by default the one of the request.
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.spec.model = Some(model.into());
        self
    }

    /// A response header, for example `retry-after`.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.spec.headers.insert(name.into(), value.into());
        self
    }

    /// Waits before the first byte of the response.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.spec.delay = delay;
        self
    }

    /// Waits between the events of a stream.
    pub fn delay_between(mut self, delay: Duration) -> Self {
        self.spec.delay_between = delay;
        self
    }

    /// Sends nothing more after this many events, and keeps the connection open until the client
    /// disconnects.
    pub fn hang_after(mut self, events: usize) -> Self {
        self.spec.hang_after = Some(events);
        self
    }

    /// Reserves this turn for requests that match the rule.
    pub fn when(mut self, rule: Match) -> Self {
        self.spec.when = Some(rule);
        self
    }

    /// Reserves this turn for requests that match a condition in code, and the rule if there is one.
    pub fn matching(mut self, fits: impl Fn(&ApiRequest) -> bool + Send + Sync + 'static) -> Self {
        self.predicate = Some(Predicate(Arc::new(fits)));
        self
    }

    /// Answers every matching request, not only the first, and never counts as unused. Without a
    /// rule it hides all turns that have none; see
    /// [`ScriptedApi::fallback`](crate::ScriptedApi::fallback) for that.
    pub fn always(mut self) -> Self {
        self.spec.always = true;
        self
    }

    pub(crate) fn is_conditional(&self) -> bool {
        self.spec.when.is_some() || self.predicate.is_some() || self.spec.always
    }

    pub(crate) fn fits(&self, request: &ApiRequest) -> bool {
        let is_message = || Match::new().fits(request);
        let rule = self.spec.when.as_ref();
        let predicate = self.predicate.as_ref();
        rule.map_or_else(is_message, |rule| rule.fits(request))
            && predicate.is_none_or(|predicate| (predicate.0)(request))
    }

    pub(crate) fn blocks(&self) -> &[Block] {
        self.spec.content.as_deref().unwrap_or_default()
    }

    pub(crate) fn final_stop_reason(&self) -> &str {
        let calls_tool = self.blocks().iter().any(|block| block.kind() == "tool_use");
        match (&self.spec.stop_reason, &self.spec.stop_sequence) {
            (Some(reason), _) => reason,
            (None, Some(_)) => "stop_sequence",
            (None, None) if calls_tool => "tool_use",
            (None, None) => "end_turn",
        }
    }

    /// After how many events a stream ends, and how.
    pub(crate) fn ending(&self) -> (usize, Then) {
        let spec = &self.spec;
        match (spec.cut_after, spec.hang_after, &spec.sse_error_after) {
            (Some(after), ..) => (after, Then::Cut),
            (_, Some(after), _) => (after, Then::Hang),
            (.., Some(error)) => (error.events, Then::End),
            _ => (usize::MAX, Then::End),
        }
    }

    /// One line that lets a reader find the turn in a script.
    pub(crate) fn summary(&self) -> String {
        if let Some(ErrorReply { status, kind, .. }) = &self.spec.error {
            return format!("error {status} {kind}");
        }
        if let Some(JsonReply { status, .. }) = &self.spec.json {
            return format!("JSON answer {status}");
        }
        if self.spec.close_without_response {
            return "close without response".to_owned();
        }
        let blocks: Vec<String> = self.blocks().iter().map(Block::summary).collect();
        format!("message [{}]", blocks.join(", "))
    }
}
