//! Recorded requests.

use serde::Serialize;
use serde_json::Value;

/// Headers that carry credentials; they are dropped on arrival so that no recording has them.
const CREDENTIALS: [&str; 5] = [
    "authorization",
    "x-api-key",
    "cookie",
    "proxy-authorization",
    "anthropic-organization-id",
];

/// Who answered a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AnsweredBy {
    /// The turn of this number, counted from 1 in the order of queueing.
    Turn(usize),
    /// The fallback.
    Fallback,
    /// The server itself: token counts, the list of models, liveness.
    BuiltIn,
    /// Not answered: the path is not served.
    NotFound,
    /// Not answered: the script had no turn left.
    RanDry,
}

/// One request as it arrived, without credentials.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ApiRequest {
    /// The position in the order of arrival, from 1.
    pub index: usize,
    /// The method, in capitals.
    pub method: String,
    /// The path without its query.
    pub path: String,
    /// The query without its question mark.
    pub query: Option<String>,
    /// The headers in order of arrival, names in lower case, credentials left out.
    pub headers: Vec<(String, String)>,
    /// The body: `Null` when empty, a string when it is not JSON. A half surrogate is U+FFFD.
    pub body: Value,
    /// Who answered.
    pub answered_by: AnsweredBy,
}

impl ApiRequest {
    /// The first header of this name (in lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// The requested model.
    pub fn model(&self) -> Option<&str> {
        self.body.get("model")?.as_str()
    }

    /// Whether the answer is to be streamed.
    pub fn wants_stream(&self) -> bool {
        self.body
            .get("stream")
            .and_then(Value::as_bool)
            .unwrap_or(false)
    }

    /// The messages of the conversation so far.
    pub fn messages(&self) -> &[Value] {
        self.body
            .get("messages")
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    /// The text blocks of the last user message, one per line. Tool results are not text, and
    /// reminders that the CLI adds are omitted: they mention so much that rules would match by
    /// accident.
    pub fn last_user_text(&self) -> String {
        let last = self
            .messages()
            .iter()
            .rev()
            .find(|message| message["role"] == "user");
        let is_said = |text: &&str| !text.starts_with("<system-reminder>");
        last.map(|message| text_of(&message["content"], is_said))
            .unwrap_or_default()
    }

    /// The text of the system prompt, one block per line.
    pub fn system_text(&self) -> String {
        self.body
            .get("system")
            .map(|system| text_of(system, |_| true))
            .unwrap_or_default()
    }

    /// The names of the tools offered.
    pub fn tool_names(&self) -> Vec<&str> {
        let tools = self
            .body
            .get("tools")
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        tools
            .iter()
            .filter_map(|tool| tool.get("name")?.as_str())
            .collect()
    }
}

fn text_of(content: &Value, wanted: impl FnMut(&&str) -> bool) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks
                .iter()
                .filter_map(|block| block.get("text")?.as_str());
            texts.filter(wanted).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

pub(crate) fn is_credential(name: &str) -> bool {
    CREDENTIALS.contains(&name)
}
