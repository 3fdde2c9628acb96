//! One scripted answer of the API.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::block::{Block, Pieces};
use crate::capture::ApiRequest;
use crate::matching::Match;
use crate::usage::Usage;

mod spec;

/// The answer to one request: a message of the model, an error, or a broken connection.
///
/// The methods that shape a message have no effect on a turn that is an error, plain JSON or a
/// closed connection.
#[derive(Clone, Debug)]
pub struct Turn {
    pub(crate) reply: Reply,
    pub(crate) blocks: Vec<Block>,
    pub(crate) usage: Usage,
    pub(crate) stop_reason: Option<String>,
    pub(crate) stop_sequence: Option<String>,
    pub(crate) stop_details: Option<Value>,
    pub(crate) model: Option<String>,
    pub(crate) message_id: Option<String>,
    pub(crate) request_id: Option<String>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) pieces: Option<Pieces>,
    pub(crate) ping: bool,
    pub(crate) delay: Duration,
    pub(crate) delay_between: Duration,
    pub(crate) ending: Ending,
    pub(crate) when: Option<Match>,
    pub(crate) predicate: Option<Predicate>,
    pub(crate) always: bool,
}

/// The kinds of answer.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Message,
    Error {
        status: u16,
        kind: String,
        message: String,
    },
    Json {
        status: u16,
        body: Value,
    },
    Close,
}

/// How a stream ends.
#[derive(Clone, Debug)]
pub(crate) enum Ending {
    Complete,
    Cut {
        after: usize,
    },
    Hang {
        after: usize,
    },
    Error {
        after: usize,
        kind: String,
        message: String,
    },
}

/// A condition written in code.
#[derive(Clone)]
pub(crate) struct Predicate(Arc<dyn Fn(&ApiRequest) -> bool + Send + Sync>);

impl fmt::Debug for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Predicate")
    }
}

impl Turn {
    fn with_reply(reply: Reply) -> Self {
        Self {
            reply,
            blocks: Vec::new(),
            usage: Usage::default(),
            stop_reason: None,
            stop_sequence: None,
            stop_details: None,
            model: None,
            message_id: None,
            request_id: None,
            headers: Vec::new(),
            pieces: None,
            ping: false,
            delay: Duration::ZERO,
            delay_between: Duration::ZERO,
            ending: Ending::Complete,
            when: None,
            predicate: None,
            always: false,
        }
    }

    /// A message without content, to which blocks are added.
    pub fn empty() -> Self {
        Self::with_reply(Reply::Message)
    }

    /// A message that starts with a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::empty().then_text(text)
    }

    /// An HTTP error in the API's own shape, for example `(529, "overloaded_error", "Overloaded")`.
    pub fn error(status: u16, kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self::with_reply(Reply::Error {
            status,
            kind: kind.into(),
            message: message.into(),
        })
    }

    /// Any other JSON answer, for example of the token counter.
    pub fn json(status: u16, body: Value) -> Self {
        Self::with_reply(Reply::Json { status, body })
    }

    /// Reads the request, then closes the connection without a response.
    pub fn close_without_response() -> Self {
        Self::with_reply(Reply::Close)
    }

    /// Adds a text block.
    pub fn then_text(self, text: impl Into<String>) -> Self {
        self.block(json!({"type": "text", "text": text.into()}))
    }

    /// Adds a text block with citations, each an object as the API prints it.
    pub fn cited_text(self, text: impl Into<String>, citations: Vec<Value>) -> Self {
        self.block(json!({"type": "text", "text": text.into(), "citations": citations}))
    }

    /// Adds a text block whose deltas are written verbatim between the quotes of a JSON string,
    /// so that `["\\ud83d", "\\ude00"]` sends the halves of an emoji.
    pub fn raw_text_json<S: Into<String>>(self, pieces: impl IntoIterator<Item = S>) -> Self {
        let pieces = pieces.into_iter().map(Into::into).collect();
        self.then_text("").pieces(Pieces::Raw(pieces))
    }

    /// Adds a thinking block.
    pub fn thinking(self, text: impl Into<String>, signature: impl Into<String>) -> Self {
        self.block(json!({
            "type": "thinking", "thinking": text.into(), "signature": signature.into(),
        }))
    }

    /// Adds a thinking block that the client cannot read.
    pub fn redacted_thinking(self, data: impl Into<String>) -> Self {
        self.block(json!({"type": "redacted_thinking", "data": data.into()}))
    }

    /// Adds a call of a tool that the client runs.
    pub fn tool_use(self, id: impl Into<String>, name: impl Into<String>, input: Value) -> Self {
        self.block(json!({
            "type": "tool_use", "id": id.into(), "name": name.into(), "input": input,
        }))
    }

    /// Adds a call of a tool that the API runs by itself.
    pub fn server_tool_use(
        self,
        id: impl Into<String>,
        name: impl Into<String>,
        input: Value,
    ) -> Self {
        self.block(json!({
            "type": "server_tool_use", "id": id.into(), "name": name.into(), "input": input,
        }))
    }

    /// Adds the results of a search that the API ran: an array of results, or an error object.
    pub fn web_search_result(self, tool_use_id: impl Into<String>, results: Value) -> Self {
        self.block(json!({
            "type": "web_search_tool_result", "tool_use_id": tool_use_id.into(), "content": results,
        }))
    }

    /// Adds an image given as base64.
    pub fn image(self, media_type: impl Into<String>, base64: impl Into<String>) -> Self {
        self.block(json!({
            "type": "image",
            "source": {"type": "base64", "media_type": media_type.into(), "data": base64.into()},
        }))
    }

    /// Adds any other block, as the API would print it in a whole message.
    pub fn block(mut self, json: Value) -> Self {
        self.blocks.push(Block::new(json));
        self
    }

    /// Sets how the last block is cut.
    pub fn pieces(mut self, pieces: Pieces) -> Self {
        if let Some(block) = self.blocks.last_mut() {
            block.pieces = Some(pieces);
        }
        self
    }

    /// Sends each block in this many deltas.
    pub fn chunks(mut self, count: usize) -> Self {
        self.pieces = Some(Pieces::Chunks(count));
        self
    }

    /// Sends each block in deltas of this many characters.
    pub fn chunk_chars(mut self, chars: usize) -> Self {
        self.pieces = Some(Pieces::ChunkChars(chars));
        self
    }

    /// Cuts each block before these positions (UTF-16 units; see [`Pieces::Cuts`]).
    pub fn cuts(mut self, positions: impl IntoIterator<Item = usize>) -> Self {
        self.pieces = Some(Pieces::Cuts(positions.into_iter().collect()));
        self
    }

    /// The usage that the turn reports.
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Why the model stopped; by default `tool_use` after a tool call, else `end_turn`.
    pub fn stop_reason(mut self, reason: impl Into<String>) -> Self {
        self.stop_reason = Some(reason.into());
        self
    }

    /// The sequence that stopped the model; the stop reason follows unless given.
    pub fn stop_sequence(mut self, sequence: impl Into<String>) -> Self {
        self.stop_sequence = Some(sequence.into());
        self
    }

    /// More about why the model stopped, as the API prints it beside the stop reason; a refusal
    /// names its category there.
    pub fn stop_details(mut self, details: Value) -> Self {
        self.stop_details = Some(details);
        self
    }

    /// The model in the answer; by default the one of the request.
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// The id of the message; by default counted.
    pub fn message_id(mut self, id: impl Into<String>) -> Self {
        self.message_id = Some(id.into());
        self
    }

    /// The id in the `request-id` header; by default counted.
    pub fn request_id(mut self, id: impl Into<String>) -> Self {
        self.request_id = Some(id.into());
        self
    }

    /// A response header, for example `retry-after`.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Waits before the first byte of the response.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Waits between the events of a stream.
    pub fn delay_between(mut self, delay: Duration) -> Self {
        self.delay_between = delay;
        self
    }

    /// Sends a ping where the API does, after the first block has started.
    pub fn ping(mut self) -> Self {
        self.ping = true;
        self
    }

    /// Breaks the connection after this many events; without a stream, in the middle of the body.
    pub fn cut_after(mut self, events: usize) -> Self {
        self.ending = Ending::Cut { after: events };
        self
    }

    /// Sends nothing more after this many events, and keeps the connection open until the client disconnects.
    pub fn hang_after(mut self, events: usize) -> Self {
        self.ending = Ending::Hang { after: events };
        self
    }

    /// Ends the stream with an error event after this many events; without a stream, the whole
    /// answer is that error.
    pub fn sse_error_after(
        mut self,
        events: usize,
        kind: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        self.ending = Ending::Error {
            after: events,
            kind: kind.into(),
            message: message.into(),
        };
        self
    }

    /// Reserves this turn for requests that match the rule.
    pub fn when(mut self, rule: Match) -> Self {
        self.when = Some(rule);
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
        self.always = true;
        self
    }

    pub(crate) fn is_conditional(&self) -> bool {
        self.when.is_some() || self.predicate.is_some() || self.always
    }

    pub(crate) fn fits(&self, request: &ApiRequest) -> bool {
        let rule = self
            .when
            .as_ref()
            .map_or_else(|| Match::new().fits(request), |r| r.fits(request));
        rule && self
            .predicate
            .as_ref()
            .is_none_or(|predicate| (predicate.0)(request))
    }

    pub(crate) fn final_stop_reason(&self) -> &str {
        match (&self.stop_reason, &self.stop_sequence) {
            (Some(reason), _) => reason,
            (None, Some(_)) => "stop_sequence",
            (None, None) if self.blocks.iter().any(|block| block.kind() == "tool_use") => {
                "tool_use"
            }
            (None, None) => "end_turn",
        }
    }

    /// One line that lets a reader find the turn in a script.
    pub(crate) fn summary(&self) -> String {
        match &self.reply {
            Reply::Error { status, kind, .. } => format!("error {status} {kind}"),
            Reply::Json { status, .. } => format!("JSON answer {status}"),
            Reply::Close => "close without response".to_owned(),
            Reply::Message => {
                let blocks: Vec<String> = self.blocks.iter().map(Block::summary).collect();
                format!("message [{}]", blocks.join(", "))
            }
        }
    }
}
