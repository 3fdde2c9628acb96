//! Sanitizes the Markdown of a model.
//!
//! Escapes HTML, links to anything but web pages and mail addresses, images, and definitions that
//! would apply to the whole page, and shrinks headings as large as those of the page. An edit can
//! change how the rest is parsed, so the result is parsed again until nothing is left to edit. Text
//! that is never free of edits becomes a code block.
//!
//! Parsers disagree about what is code, so a tag stays only where all of them see code: in fences
//! at the start of a line, and in code spans on one line. Other code with tags is moved into such a
//! fence.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use super::escape::{begins_tag, fenced, has_tags, literal, plain, span};
use crate::export::links::safe_url;

/// Longer texts become code blocks.
const LONGEST: usize = 256 * 1024;

/// The maximum number of passes. Real texts need two.
const ROUNDS: usize = 8;

/// A heading after the text. If it is not parsed as one, something in the text is not closed.
const PROBE: &str = "\n\n# end\n";

/// CommonMark, and the dialect of code hosts.
const DIALECTS: [Options; 2] = [
    Options::empty(),
    Options::ENABLE_TABLES
        .union(Options::ENABLE_FOOTNOTES)
        .union(Options::ENABLE_STRIKETHROUGH)
        .union(Options::ENABLE_TASKLISTS)
        .union(Options::ENABLE_GFM),
];

/// The position of Markdown on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Open,
    /// In `details`, where some parsers recognize fences but no code spans.
    Folded,
}

/// Returns Markdown without active content, which does not affect the rest of the page.
pub(super) fn sanitize(markdown: &str, place: Place) -> String {
    let mut text = plain(markdown).trim().to_owned();
    if text.len() <= LONGEST {
        for _ in 0..ROUNDS {
            let mut dialects = DIALECTS.iter();
            match dialects.find_map(|dialect| problems(&text, *dialect, place)) {
                Some(edits) if edits.is_empty() => break,
                Some(edits) => text = apply(&text, edits),
                None => return text.trim_end().to_owned(),
            }
        }
    }
    fenced(markdown.trim(), "markdown")
}

type Edit = (Range<usize>, String);

/// Returns the edits that a text needs; none if it cannot be edited. `None` if it is fine.
fn problems(text: &str, dialect: Options, place: Place) -> Option<Vec<Edit>> {
    let probed = format!("{text}{PROBE}");
    let parser = Parser::new_ext(&probed, dialect);
    let mut edits: Vec<Edit> = Vec::new();
    let definitions = parser.reference_definitions().iter();
    for (_, definition) in definitions {
        let from = definition.span.start;
        let at = from + probed[from..].find('[').unwrap_or_default();
        edits.push((at..at, "\\".to_owned()));
    }
    let mut depth = 0usize;
    let mut links = 0usize;
    let mut block: Option<Code> = None;
    let mut done: Vec<Range<usize>> = Vec::new();
    let mut is_closed = false;
    for (event, range) in parser.into_offset_iter() {
        let is_probe = range.start >= text.len();
        let is_open = range.end == probed.len();
        let range = range.start.min(text.len())..range.end.min(text.len());
        let source = &text[range.clone()];
        match event {
            Event::Html(_) if !is_probe => {
                done.push(range.clone());
                edits.push((range, literal_block(source)));
            }
            Event::Text(part) => {
                if let Some(code) = &mut block {
                    code.text.push_str(&part);
                }
            }
            Event::Code(content) => {
                done.push(range.clone());
                if place == Place::Folded && has_tags(&content) {
                    edits.push((range, literal(&content)));
                } else if source.contains('\n') {
                    edits.push((range, span(&content)));
                }
            }
            Event::Start(tag) => {
                match &tag {
                    Tag::Heading { .. } if is_probe => is_closed = depth == 0,
                    Tag::Heading {
                        level: HeadingLevel::H1 | HeadingLevel::H2,
                        ..
                    } if depth == 0 => edits.push((range, smaller(source))),
                    Tag::Link {
                        link_type: LinkType::Autolink | LinkType::Email,
                        ..
                    } => edits.push((range.end - 1..range.end, "&gt;".to_owned())),
                    Tag::Link { dest_url, .. } if safe_url(dest_url).is_none() => {
                        edits.push((range.start..range.start + 1, "\\[".to_owned()));
                    }
                    // Loading an image would track the reader. A link cannot be in a link.
                    Tag::Image { dest_url, .. } => {
                        let alone = links == 0 && safe_url(dest_url).is_some();
                        let signs = if alone { "🖼 [" } else { "🖼 \\[" };
                        edits.push((range.start..range.start + 2, signs.to_owned()));
                    }
                    Tag::FootnoteDefinition(_) => {
                        edits.push((range.start..range.start, "\\".to_owned()));
                    }
                    Tag::CodeBlock(kind) => block = Some(Code::new(range, kind, depth, is_open)),
                    _ => {}
                }
                links += usize::from(matches!(tag, Tag::Link { .. }));
                depth += 1;
            }
            Event::End(tag) => {
                links -= usize::from(matches!(tag, TagEnd::Link));
                depth -= 1;
                if let Some(code) = block.take() {
                    done.push(code.range.clone());
                    edits.extend(code.normalize(text));
                }
            }
            _ => {}
        }
    }
    edits.extend(signs(text, done));
    (!edits.is_empty() || !is_closed).then_some(edits)
}

struct Code {
    range: Range<usize>,
    text: String,
    language: String,
    /// Whether it is a fence outside of lists and quotes.
    is_fenced: bool,
    /// Whether it is not closed, and contains the probe.
    is_open: bool,
}

impl Code {
    fn new(range: Range<usize>, kind: &CodeBlockKind<'_>, depth: usize, is_open: bool) -> Self {
        let info = match kind {
            CodeBlockKind::Fenced(info) => info,
            CodeBlockKind::Indented => "",
        };
        let of_name = |c: &char| c.is_ascii_alphanumeric() || "_#.+-".contains(*c);
        Self {
            range,
            text: String::new(),
            language: info.chars().take_while(of_name).collect(),
            is_fenced: depth == 0 && matches!(kind, CodeBlockKind::Fenced(_)),
            is_open,
        }
    }

    /// The edit that makes it code for all parsers: a fence at the start of a line, closed by the
    /// same, with only a language after it.
    fn normalize(self, text: &str) -> Option<Edit> {
        let code = match self.is_open {
            true => self.text.strip_suffix(&PROBE[1..]).unwrap_or(&self.text),
            false => &self.text,
        };
        let fence = fenced(code, &self.language);
        let before = &text[..self.range.start];
        let begins_line = before.is_empty() || before.ends_with('\n');
        let source = &text[self.range.clone()];
        let is_fine = if self.is_fenced {
            let line_end = |rest: &str| rest.is_empty() || rest.starts_with('\n');
            let behind = text[self.range.start..].strip_prefix(&fence);
            begins_line && !self.is_open && behind.is_some_and(line_end)
        } else {
            !has_tags(source)
        };
        let by = match begins_line {
            true => format!("{fence}\n"),
            false => format!("\n\n{fence}\n"),
        };
        (!is_fine).then_some((self.range, by))
    }
}

/// Escapes signs outside of code that start a tag, or code for another parser.
fn signs(text: &str, mut done: Vec<Range<usize>>) -> Vec<Edit> {
    done.sort_by_key(|range| range.start);
    let mut done = done.into_iter().peekable();
    let mut edits = Vec::new();
    for (at, sign) in text.match_indices(['<', '`']) {
        while done.next_if(|range| range.end <= at).is_some() {}
        if done.peek().is_some_and(|range| range.contains(&at)) {
            continue;
        }
        let slashes = text[..at].bytes().rev().take_while(|b| *b == b'\\');
        let is_escaped = slashes.count() % 2 == 1;
        if sign == "`" && !is_escaped {
            edits.push((at..at, "\\".to_owned()));
        } else if begins_tag(&text[at..]) {
            // Some parsers do not support this escape.
            edits.push((at - usize::from(is_escaped)..at + 1, "&lt;".to_owned()));
        }
    }
    edits
}

/// Applies edits. If two overlap, the second is found again in the next pass.
fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(text.len() + 16 * edits.len());
    let mut from = 0;
    for (range, by) in edits {
        if range.start >= from && range.end <= text.len() {
            out.push_str(&text[from..range.start]);
            out.push_str(&by);
            from = range.end;
        }
    }
    out.push_str(&text[from..]);
    out
}

/// Escapes lines of HTML one by one, so that the parsing of what follows is unchanged.
fn literal_block(source: &str) -> String {
    let lines = source.split_inclusive('\n').map(|line| {
        let end = if line.ends_with('\n') { "\n" } else { "" };
        format!("{}{end}", literal(line.trim_end_matches('\n').trim_start()))
    });
    lines.collect()
}

/// A heading that is smaller than those of the page.
fn smaller(source: &str) -> String {
    if source.starts_with('#') {
        return format!("##{source}");
    }
    // The last line underlines the others.
    let end = if source.ends_with('\n') { "\n" } else { "" };
    let mut lines: Vec<&str> = source.lines().map(str::trim).collect();
    lines.pop();
    format!("### {}{end}", lines.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Active content becomes text, open fences are closed, and a tag stays only where every parser
    /// sees code.
    #[test]
    fn markdown_is_sanitized() {
        let cases = include_str!("sanitized.json");
        let cases: Vec<(String, String)> = serde_json::from_str(cases).unwrap();
        for (text, sanitized) in cases {
            assert_eq!(sanitize(&text, Place::Open), sanitized, "{text}");
        }
        assert_eq!(sanitize("`a` `Vec<T>`", Place::Folded), "`a` Vec&lt;T>");
    }

    #[test]
    fn text_that_cannot_be_sanitized_becomes_code() {
        let text = "[".repeat(40) + "x" + &"](javascript:a)".repeat(40);
        assert_eq!(
            sanitize(&text, Place::Open),
            format!("```markdown\n{text}\n```")
        );
        let long = "a ".repeat(LONGEST);
        assert!(sanitize(&long, Place::Open).starts_with("```markdown\na a"));
    }
}
