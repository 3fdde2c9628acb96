//! The parts of a message: texts, tool calls, results.

use std::borrow::Cow;

use super::{Dialect, Kind};
use crate::facts::{Block, Content, Facts, Member};
use crate::members::{self, Members};

/// The arguments that describe a call best, in order of preference.
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

/// A part of a message, the same in all dialects.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Part<'e> {
    /// Text for people, or for the model.
    Text(Cow<'e, str>),
    /// Thinking of the model.
    Thinking {
        /// The text; empty if it was hidden.
        text: Cow<'e, str>,
        /// Whether it is encrypted for the API.
        redacted: bool,
    },
    /// A tool call.
    Call {
        /// The id that the result refers to. In the document's dialect, the id of the line.
        id: Option<Cow<'e, str>>,
        /// The tool.
        name: Option<Cow<'e, str>>,
        /// Its arguments, as JSON text.
        input: Option<&'e str>,
        /// Whether the API runs the tool, not the CLI.
        by_server: bool,
    },
    /// The result of a tool.
    Answer {
        /// The id of the call. In the document's dialect, the parent of the line.
        call: Option<Cow<'e, str>>,
        /// The result as sent to the model, as JSON text: a string or a list of blocks.
        content: Option<&'e str>,
        /// Whether the tool failed.
        is_error: bool,
        /// The result as the CLI displays it, as JSON text.
        structured: Option<&'e str>,
    },
    /// An image.
    Image {
        /// Such as `image/png`.
        media_type: Option<Cow<'e, str>>,
        /// Its bytes in Base64, if the line has them.
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
        Self::of(&Block::read(json))
    }

    fn of(block: &Block<'e>) -> Self {
        let json = block.json;
        let string = |value: Option<&'e str>| value.and_then(members::string);
        let kind = string(block.kind).unwrap_or_default();
        match &*kind {
            "" if json.starts_with('"') => Self::Text(members::string(json).unwrap_or_default()),
            "text" => match string(block.text) {
                Some(text) => Self::Text(text),
                None => Self::Other { kind, json },
            },
            "thinking" => Self::Thinking {
                text: string(block.thinking).unwrap_or_default(),
                redacted: false,
            },
            "redacted_thinking" => Self::Thinking {
                text: Cow::Borrowed(""),
                redacted: true,
            },
            "tool_use" | "server_tool_use" | "mcp_tool_use" => Self::Call {
                id: string(block.id),
                name: string(block.name),
                input: block.input,
                by_server: kind != "tool_use",
            },
            "image" => {
                let source = block.source.and_then(Members::read).unwrap_or_default();
                Self::Image {
                    media_type: source.string("media_type"),
                    // Base64 has no escapes.
                    data: source.get("data").and_then(members::inner),
                }
            }
            // Results of tools on the server have longer names: `web_search_tool_result`.
            _ if kind.ends_with("tool_result") && block.call.is_some() => Self::Answer {
                call: string(block.call),
                content: block.content,
                is_error: block.is_error == Some("true"),
                structured: None,
            },
            _ => Self::Other { kind, json },
        }
    }

    /// For a call, the argument that describes it best: the command, the file, the pattern.
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
        Self::all(&Content::read(json))
    }

    fn all(content: &Content<'e>) -> Vec<Self> {
        match content {
            Content::Text(text) => members::string(text).map(Self::Text).into_iter().collect(),
            Content::Blocks(blocks) => blocks.iter().map(Self::of).collect(),
            Content::Missing | Content::Odd(_) => Vec::new(),
        }
    }
}

impl<'a> Facts<'a> {
    /// Texts, tool calls and results, in any dialect. Empty for kinds without content.
    pub(crate) fn parts(&self) -> Vec<Part<'a>> {
        if self.dialect == Dialect::Document {
            return document_parts(self);
        }
        match (self.kind, &self.message) {
            (Kind::User | Kind::Assistant, Some(message)) => {
                let mut parts = Part::all(&message.content);
                let mut answers = parts.iter_mut().filter_map(|part| match part {
                    Part::Answer { structured, .. } => Some(structured),
                    _ => None,
                });
                if let (Some(structured), None) = (answers.next(), answers.next()) {
                    let kept = self.get(Member::ToolUseResult);
                    *structured = kept.or_else(|| self.get(Member::StreamToolUseResult));
                }
                parts
            }
            (Kind::System | Kind::Progress, _) => {
                let content = self.get(Member::Content);
                content.map(Part::of_content).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }
}

fn document_parts<'a>(line: &Facts<'a>) -> Vec<Part<'a>> {
    let message = line.string(Member::Message);
    let subtype = line.id(Member::Subtype);
    let mut parts = Vec::new();
    match (line.kind, subtype.as_deref()) {
        (Kind::Assistant, Some("thinking")) => {
            let text = message.unwrap_or_default();
            let redacted = false;
            parts.push(Part::Thinking { text, redacted });
        }
        (Kind::System, Some("tool_result")) => parts.push(Part::Answer {
            call: line.parent().id(),
            content: line.get(Member::Message),
            is_error: line.is_true(Member::Error),
            structured: None,
        }),
        _ => parts.extend(message.map(Part::Text)),
    }
    let is_call = line.kind == Kind::Assistant
        && (line.get(Member::ToolName).is_some() || subtype.as_deref() == Some("tool_use"));
    if is_call {
        parts.push(Part::Call {
            id: line.id(Member::Uuid),
            name: line.string(Member::ToolName),
            input: line.get(Member::ToolArguments),
            by_server: false,
        });
    }
    parts
}
