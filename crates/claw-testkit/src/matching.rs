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
    /// A part of the system prompt.
    pub system_text: Option<String>,
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

    /// Matches requests for this path instead of `/v1/messages`.
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
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

    /// Matches if the system prompt contains this.
    pub fn system_text(mut self, part: impl Into<String>) -> Self {
        self.system_text = Some(part.into());
        self
    }

    /// Matches if the body, as compact JSON, contains this.
    pub fn body_text(mut self, part: impl Into<String>) -> Self {
        self.body_text = Some(part.into());
        self
    }

    /// Matches if a tool of this name is offered.
    pub fn tool(mut self, name: impl Into<String>) -> Self {
        self.tool = Some(name.into());
        self
    }

    /// Matches if tools are offered, or if none are.
    pub fn has_tools(mut self, has_tools: bool) -> Self {
        self.has_tools = Some(has_tools);
        self
    }

    /// Matches requests with or without a stream.
    pub fn stream(mut self, stream: bool) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Whether the request matches.
    pub fn fits(&self, request: &ApiRequest) -> bool {
        fn holds<T>(condition: Option<&T>, test: impl FnOnce(&T) -> bool) -> bool {
            condition.is_none_or(test)
        }
        request.path == self.path.as_deref().unwrap_or("/v1/messages")
            && holds(self.model.as_ref(), |model| request.model() == Some(model))
            && holds(self.stream.as_ref(), |stream| {
                request.wants_stream() == *stream
            })
            && holds(self.tool.as_ref(), |tool| {
                request.tool_names().contains(&tool.as_str())
            })
            && holds(self.has_tools.as_ref(), |any| {
                request.tool_names().is_empty() != *any
            })
            && holds(self.last_user_text.as_ref(), |part| {
                request.last_user_text().contains(part.as_str())
            })
            && holds(self.system_text.as_ref(), |part| {
                request.system_text().contains(part.as_str())
            })
            && holds(self.about.as_ref(), |part| {
                let first = request.messages().first();
                first.is_some_and(|m| m["content"].to_string().contains(part.as_str()))
                    || request.last_user_text().contains(part.as_str())
                    || request.system_text().contains(part.as_str())
            })
            && holds(self.body_text.as_ref(), |part| {
                request.body.to_string().contains(part.as_str())
            })
    }
}
