//! The blocks that a message on the page consists of.

#![allow(
    unused_qualifications,
    reason = "in the code that askama generates for an enum"
)]

use std::borrow::Cow;

use askama::Template;

use super::diff::DiffLine;
use super::markdown::Markdown;
use super::numbers;
use super::text::Terminal;
use crate::entry::Part;
use crate::export::user_text::{UserText, preview};
use crate::members::Members;

/// Output with more lines, or more bytes, is folded.
const LINES: usize = 14;
const BYTES: usize = 2000;

/// Prompts with more lines, or more bytes, are folded.
const PROMPT_LINES: usize = 40;
const PROMPT_BYTES: usize = 4000;

/// Longer JSON is not indented.
const LONGEST_INDENTED: usize = 64 * 1024;

#[derive(Debug, Template)]
#[template(path = "block.html")]
pub(super) enum Block<'p> {
    Markdown(Markdown<'p>),
    /// Markdown that is folded under a heading.
    Folded {
        head: &'static str,
        about: String,
        text: Markdown<'p>,
    },
    /// Text as it is laid out. It is folded if it has a size.
    Text {
        tag: &'static str,
        class: &'static str,
        text: Terminal<'p>,
        size: Option<String>,
    },
    Plain(Cow<'p, str>),
    Code(Cow<'p, str>),
    Line {
        class: &'static str,
        text: Cow<'p, str>,
    },
    Command {
        name: &'p str,
        arguments: &'p str,
    },
    Image {
        media_type: &'static str,
        data: &'p str,
    },
    Diff(Vec<DiffLine<'p>>),
    /// Classes, signs and texts.
    Todos(Vec<(&'static str, &'static str, Cow<'p, str>)>),
    Question {
        text: Cow<'p, str>,
        /// Labels and descriptions.
        options: Vec<(Cow<'p, str>, Option<Cow<'p, str>>)>,
    },
    Members(Vec<(String, Block<'p>)>),
}

impl<'p> Block<'p> {
    pub(super) fn line(class: &'static str, text: impl Into<Cow<'p, str>>) -> Self {
        let text = text.into();
        Self::Line { class, text }
    }

    pub(super) fn markdown(text: impl Into<Cow<'p, str>>) -> Self {
        Self::Markdown(Markdown(text.into()))
    }

    /// The output of a program, or code.
    pub(super) fn output(class: &'static str, text: impl Into<Cow<'p, str>>) -> Self {
        Self::text("pre", class, text.into(), (LINES, BYTES))
    }

    /// Text that is folded if it has more lines or bytes than `longest`.
    fn text(
        tag: &'static str,
        class: &'static str,
        text: Cow<'p, str>,
        longest: (usize, usize),
    ) -> Self {
        let lines = numbers::lines(&text);
        let is_long = lines > longest.0 || text.len() > longest.1;
        Self::Text {
            tag,
            class,
            size: is_long.then(|| size(lines, text.len())),
            text: Terminal(text),
        }
    }

    /// Any JSON value but a string.
    pub(super) fn json(json: &'p str) -> Self {
        if !json.starts_with(['{', '[']) {
            return Self::Code(json.into());
        }
        Self::Text {
            tag: "pre",
            class: "out",
            text: Terminal(indented(json)),
            size: (json.len() > BYTES).then(|| size(0, json.len())),
        }
    }

    /// An image if it is of a type that cannot contain code, else a note.
    pub(super) fn image(media_type: Option<&str>, data: Option<&'p str>) -> Self {
        match (picture_type(media_type, data), data) {
            (Some(media_type), Some(data)) => Self::Image { media_type, data },
            _ => {
                let kind = media_type.unwrap_or("of no known type");
                Self::line("chip", format!("A picture that cannot be shown: {kind}"))
            }
        }
    }

    /// A block of the API that is neither text nor tool.
    pub(super) fn other(kind: &str, json: &'p str) -> Self {
        let block = Members::read(json).unwrap_or_default();
        match kind {
            "tool_reference" => Self::Code(block.string("tool_name").unwrap_or_default()),
            "document" => {
                let source = block.object("source").unwrap_or_default();
                let kind = source.string("media_type");
                let length = source.get("data").map_or(0, str::len) as u64;
                let kind = kind.as_deref().unwrap_or("document");
                let size = numbers::bytes(length / 4 * 3);
                Self::line("chip", format!("📄 {kind} · {size}"))
            }
            _ => Self::json(json),
        }
    }

    pub(super) fn summary(text: &'p str) -> Self {
        Self::Folded {
            head: "The summary that the model continues with",
            about: String::new(),
            text: Markdown(text.into()),
        }
    }

    /// A part that looks the same in all messages. `None` for calls and results.
    pub(super) fn of_part(part: &'p Part<'_>) -> Option<Self> {
        match part {
            Part::Text(text) => Some(Self::markdown(&**text)),
            Part::Thinking { text, redacted } if text.trim().is_empty() => {
                let why = if *redacted { "encrypted" } else { "not kept" };
                Some(Self::line("dim think", format!("Thinking, {why}")))
            }
            Part::Thinking { text, .. } => Some(Self::Folded {
                head: "Thinking",
                about: preview(text, 100),
                text: Markdown((&**text).into()),
            }),
            Part::Image { media_type, data } => Some(Self::image(media_type.as_deref(), *data)),
            Part::Other { kind, json } => Some(Self::other(kind, json)),
            _ => None,
        }
    }

    /// The text of a user line. Instructions for the model are only shown with `system`.
    pub(super) fn of_user_text(text: &'p str, is_prompt: bool, system: bool) -> Vec<Self> {
        match UserText::read(text) {
            UserText::Prompt(text) => {
                let class = if is_prompt { "pre" } else { "pre dim" };
                let text = text.trim().into();
                vec![Self::text("div", class, text, (PROMPT_LINES, PROMPT_BYTES))]
            }
            UserText::Command(name, arguments) => vec![Self::Command { name, arguments }],
            UserText::Shell(command) => vec![Self::output("cmd", command)],
            UserText::Output(output) if output.trim().is_empty() => Vec::new(),
            UserText::Output(output) => vec![Self::output("out", output)],
            UserText::Notification(summary, result) => {
                let mut blocks = vec![Self::line("note", summary)];
                if !result.is_empty() {
                    blocks.push(Self::markdown(result));
                }
                blocks
            }
            UserText::Interrupt(note) => vec![Self::line("note", note)],
            UserText::Hidden(text) if system => vec![Self::output("out", text)],
            UserText::Hidden(_) => Vec::new(),
        }
    }
}

/// The type of an image if browsers only draw it, and its data is Base64.
pub(crate) fn picture_type(media_type: Option<&str>, data: Option<&str>) -> Option<&'static str> {
    let known = ["image/png", "image/jpeg", "image/gif", "image/webp"];
    let base64 = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    data.filter(|data| data.bytes().all(base64))?;
    known.into_iter().find(|known| Some(*known) == media_type)
}

fn size(lines: usize, bytes: usize) -> String {
    if lines > LINES {
        format!("{} lines", numbers::grouped(lines as u64))
    } else {
        numbers::bytes(bytes as u64)
    }
}

/// JSON with line ends and indents; long JSON stays as it is.
fn indented(json: &str) -> Cow<'_, str> {
    if json.len() > LONGEST_INDENTED {
        return Cow::Borrowed(json);
    }
    // Indents of deep JSON would be longer than the JSON.
    let new_line = |depth: usize| format!("\n{}", "  ".repeat(depth.min(20)));
    let mut out = String::with_capacity(json.len() * 2);
    let (mut in_string, mut is_escaped, mut depth) = (false, false, 0usize);
    for c in json.chars() {
        if in_string {
            in_string = c != '"' || is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            out.push(c);
            continue;
        }
        match c {
            ' ' | '\t' | '\n' | '\r' => {}
            '{' | '[' => {
                depth += 1;
                out.push(c);
                out.push_str(&new_line(depth));
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                out.truncate(out.trim_end().len());
                if !out.ends_with(['{', '[']) {
                    out.push_str(&new_line(depth));
                }
                out.push(c);
            }
            ',' => {
                out.push(c);
                out.push_str(&new_line(depth));
            }
            ':' => out.push_str(": "),
            _ => {
                in_string = c == '"';
                out.push(c);
            }
        }
    }
    Cow::Owned(out)
}
