//! Rules that select the requests of a turn.

use serde::Deserialize;

use crate::capture::ApiRequest;

/// A rule that reserves a turn for matching requests; all conditions must hold.
///
/// Agents send more than the conversation: titles, token counts, subagents, summaries. Without
/// rules such a request would take the answer for the next one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Match {
    /// The path without its query; by default `/v1/messages`.
    pub path: Option<String>,
    /// The exact model.
    pub model: Option<String>,
    /// A part of the text blocks of the last user message.
    pub last_user_text: Option<String>,
    /// A part of the first user message, the last one or the system prompt.
    ///
    /// A subagent's prompt is the first message of all its requests; the whole body would also
    /// fit the main conversation, where that prompt is the input of a tool.
    pub about: Option<String>,
    /// A part of the request body, written as compact JSON.
    pub body_text: Option<String>,
    /// A tool of this name is offered.
    pub tool: Option<String>,
    /// Whether any tool at all is offered.
    pub has_tools: Option<bool>,
    /// Whether the answer is to be streamed.
    pub stream: Option<bool>,
}

impl Match {
    /// Matches every request for a message.
    pub fn new() -> Self {
        Self::default()
    }

    /// Matches requests for this model.
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Matches if the last user message contains this.
    pub fn last_user_text(mut self, part: impl Into<String>) -> Self {
        self.last_user_text = Some(part.into());
        self
    }

    /// Matches if the body, as compact JSON, contains this.
    pub fn body_text(mut self, part: impl Into<String>) -> Self {
        self.body_text = Some(part.into());
        self
    }

    pub(crate) fn fits(&self, request: &ApiRequest) -> bool {
        let last = request.last_user_text();
        let is_about = |part: &str| {
            let first = request.messages().first();
            first.is_some_and(|message| message["content"].to_string().contains(part))
                || last.contains(part)
                || request.system_text().contains(part)
        };
        let has =
            |part: &Option<String>, test: &dyn Fn(&str) -> bool| part.as_deref().is_none_or(test);
        let is = |wanted: Option<bool>, found: bool| wanted.is_none_or(|wanted| wanted == found);
        request.path == self.path.as_deref().unwrap_or("/v1/messages")
            && is(self.stream, request.wants_stream())
            && is(self.has_tools, !request.tool_names().is_empty())
            && has(&self.model, &|model| request.model() == Some(model))
            && has(&self.tool, &|tool| request.tool_names().contains(&tool))
            && has(&self.last_user_text, &|part| last.contains(part))
            && has(&self.about, &is_about)
            && has(&self.body_text, &|part| {
                request.body.to_string().contains(part)
            })
    }
}
