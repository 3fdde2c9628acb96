//! What was said, called or returned.

use std::borrow::Cow;

use super::{Dialect, Entry, Kind};
use crate::members::{self, Members};

/// The arguments that say best what a call is about, the best first.
pub(crate) const TELLING: [&str; 13] = [
    "command",
    "file_path",
    "notebook_path",
    "pattern",
    "url",
    "query",
    "description",
    "subject",
    "skill",
    "path",
    "task_id",
    "name",
    "prompt",
];

/// A part of what a line says: the same view on all dialects.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Part<'e> {
    /// Text for people, or for the model.
    Text(Cow<'e, str>),
    /// What the model thought.
    Thinking {
        /// The text; empty when it was hidden.
        text: Cow<'e, str>,
        /// Whether only the API can read it.
        redacted: bool,
    },
    /// The model calls a tool.
    Call {
        /// By which the result names it. The document's calls go by the id of their line.
        id: Option<Cow<'e, str>>,
        /// The tool.
        name: Option<Cow<'e, str>>,
        /// Its arguments, as JSON text.
        input: Option<&'e str>,
        /// Whether the API runs the tool, not the CLI.
        by_server: bool,
    },
    /// What a tool returned.
    Answer {
        /// The call, where it is named. The document's results hang under theirs.
        call: Option<Cow<'e, str>>,
        /// What the model gets to see, as JSON text: a string or a list of blocks.
        content: Option<&'e str>,
        /// Whether the tool failed.
        is_error: bool,
        /// What the CLI kept of it for its own screen, as JSON text.
        structured: Option<&'e str>,
    },
    /// A picture.
    Image {
        /// Such as `image/png`.
        media_type: Option<Cow<'e, str>>,
        /// Its bytes in Base64, when they are in the line.
        data: Option<&'e str>,
    },
    /// A block of another type, as JSON text.
    Other {
        /// Its type.
        kind: Cow<'e, str>,
        /// The block.
        json: &'e str,
    },
}

impl<'e> Part<'e> {
    /// Reads a content block of the API.
    pub fn of_block(json: &'e str) -> Self {
        let Some(block) = Members::read(json) else {
            let kind = Cow::Borrowed("");
            return members::string(json).map_or(Self::Other { kind, json }, Self::Text);
        };
        let kind = block.string("type").unwrap_or_default();
        match &*kind {
            "text" => match block.string("text") {
                Some(text) => Self::Text(text),
                None => Self::Other { kind, json },
            },
            "thinking" => Self::Thinking {
                text: block.string("thinking").unwrap_or_default(),
                redacted: false,
            },
            "redacted_thinking" => Self::Thinking {
                text: Cow::Borrowed(""),
                redacted: true,
            },
            "tool_use" | "server_tool_use" | "mcp_tool_use" => Self::Call {
                id: block.string("id"),
                name: block.string("name"),
                input: block.get("input"),
                by_server: kind != "tool_use",
            },
            "image" => {
                let source = block.object("source").unwrap_or_default();
                let data = source.get("data").and_then(|data| {
                    // Base64 has no escapes, so that its text is the string.
                    data.strip_prefix('"')?.strip_suffix('"')
                });
                Self::Image {
                    media_type: source.string("media_type"),
                    data,
                }
            }
            // Results of tools on the server have longer names: `web_search_tool_result`.
            _ if kind.ends_with("tool_result") && block.get("tool_use_id").is_some() => {
                Self::Answer {
                    call: block.string("tool_use_id"),
                    content: block.get("content"),
                    is_error: block.is_true("is_error"),
                    structured: None,
                }
            }
            _ => Self::Other { kind, json },
        }
    }

    /// For a call, the argument that says best what it is about: the command, the file, the
    /// pattern.
    ///
    /// ```
    /// use claw_transcript::Part;
    ///
    /// let block = r#"{"type":"tool_use","id":"t","name":"Bash","input":{"timeout":9,"command":"ls"}}"#;
    /// assert_eq!(Part::of_block(block).about().as_deref(), Some("ls"));
    /// ```
    pub fn about(&self) -> Option<Cow<'e, str>> {
        let Self::Call {
            input: Some(input), ..
        } = self
        else {
            return None;
        };
        let members = Members::read(input)?;
        let telling = TELLING.iter().find_map(|name| members.string(name));
        let first = || members.iter().find_map(|(_, value)| members::string(value));
        telling.or_else(first)
    }

    /// The parts of the content of a message or a result: a string or a list of blocks.
    pub fn of_content(json: &'e str) -> Vec<Self> {
        if let Some(text) = members::string(json) {
            return vec![Self::Text(text)];
        }
        let blocks = members::list(json).into_iter();
        blocks.map(Self::of_block).collect()
    }
}

pub(super) fn parts<'e>(entry: &'e Entry<'_>) -> Vec<Part<'e>> {
    if entry.dialect() == Dialect::Document {
        return of_the_document(entry);
    }
    match entry.kind() {
        Kind::User | Kind::Assistant => {
            let message = entry.object("message");
            let content = message.as_ref().and_then(|message| message.get("content"));
            let mut parts = content.map(Part::of_content).unwrap_or_default();
            let kept = entry
                .get("toolUseResult")
                .or_else(|| entry.get("tool_use_result"));
            let mut answers = parts.iter_mut().filter_map(|part| match part {
                Part::Answer { structured, .. } => Some(structured),
                _ => None,
            });
            if let (Some(structured), None) = (answers.next(), answers.next()) {
                *structured = kept;
            }
            parts
        }
        Kind::System | Kind::Progress => entry
            .get("content")
            .map(Part::of_content)
            .unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn of_the_document<'e>(entry: &'e Entry<'_>) -> Vec<Part<'e>> {
    let message = entry.string("message");
    let mut parts = Vec::new();
    match (entry.kind(), entry.subtype().as_deref()) {
        (Kind::Assistant, Some("thinking")) => {
            let text = message.unwrap_or_default();
            let redacted = false;
            parts.push(Part::Thinking { text, redacted });
        }
        (Kind::System, Some("tool_result")) => parts.push(Part::Answer {
            call: entry.parent().id(),
            content: entry.get("message"),
            is_error: entry.is_true("isError"),
            structured: None,
        }),
        _ => parts.extend(message.map(Part::Text)),
    }
    let calls = entry.kind() == Kind::Assistant
        && (entry.get("toolName").is_some() || entry.subtype().as_deref() == Some("tool_use"));
    if calls {
        parts.push(Part::Call {
            id: entry.uuid(),
            name: entry.string("toolName"),
            input: entry.get("toolArguments"),
            by_server: false,
        });
    }
    parts
}
