//! What a model wrote as Markdown, made harmless and closed.
//!
//! It stays as it is but for what acts or reaches out: HTML, links that lead elsewhere than to
//! web pages and mail addresses, pictures, definitions that would hold for the whole page, and
//! headings as large as those of the page. Whatever is changed changes how the rest is read, so
//! the result is read again, until nothing is left to change. What does not come to rest is shown
//! as it was written, between fences.
//!
//! Readers do not agree about what is code, so a tag stands only where all of them see code: in
//! fences at the start of a line that all know, and in code spans on one line. Code that lies
//! elsewhere, and has tags in it, is moved into such a fence.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use super::literal::{begins_tag, fenced, has_tags, literal, plain, span};
use crate::export::html::harmless;

/// Longer texts are shown as they are: nobody wrote them to be read as Markdown.
const LONGEST: usize = 256 * 1024;

/// How often the result is read again. Real texts need two readings.
const ROUNDS: usize = 8;

/// What must be read as a heading behind the text, or the text is not closed.
const PROBE: &str = "\n\n# end\n";

/// How Markdown is read: as it was standardized, and as code hosts read it.
const READERS: [Options; 2] = [
    Options::empty(),
    Options::ENABLE_TABLES
        .union(Options::ENABLE_FOOTNOTES)
        .union(Options::ENABLE_STRIKETHROUGH)
        .union(Options::ENABLE_TASKLISTS)
        .union(Options::ENABLE_GFM),
];

/// Where Markdown stands on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Open,
    /// Between `details`, where some readers know fences but no code spans.
    Folded,
}

/// Markdown in which nothing acts, and behind which the page goes on as if it were not there.
pub(super) fn inert(markdown: &str, place: Place) -> String {
    let mut text = plain(markdown).trim().to_owned();
    if text.len() <= LONGEST {
        for _ in 0..ROUNDS {
            match READERS
                .iter()
                .find_map(|reader| judge(&text, *reader, place))
            {
                Some(Verdict::Change(edits)) => text = changed(&text, edits),
                Some(Verdict::Hopeless) => break,
                None => return text.trim_end().to_owned(),
            }
        }
    }
    fenced(markdown.trim(), "markdown")
}

type Edit = (Range<usize>, String);

enum Verdict {
    Change(Vec<Edit>),
    Hopeless,
}

/// What must be changed. `None` when all is well.
fn judge(text: &str, reader: Options, place: Place) -> Option<Verdict> {
    let probed = format!("{text}{PROBE}");
    let parser = Parser::new_ext(&probed, reader);
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
    let mut ended = false;
    for (event, range) in parser.into_offset_iter() {
        let ours = range.start >= text.len();
        let is_open = range.end == probed.len();
        let range = range.start.min(text.len())..range.end.min(text.len());
        let source = &text[range.clone()];
        match event {
            Event::Html(_) if !ours => {
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
                    Tag::Heading { .. } if ours => ended = depth == 0,
                    Tag::Heading {
                        level: HeadingLevel::H1 | HeadingLevel::H2,
                        ..
                    } if depth == 0 => edits.push((range, smaller(source))),
                    Tag::Link {
                        link_type: LinkType::Autolink | LinkType::Email,
                        ..
                    } => edits.push((range.end - 1..range.end, "&gt;".to_owned())),
                    Tag::Link { dest_url, .. } if harmless(dest_url).is_none() => {
                        edits.push((range.start..range.start + 1, "\\[".to_owned()));
                    }
                    // A picture tells somebody that it is looked at; a link does so when it is
                    // followed. A link cannot be in a link.
                    Tag::Image { dest_url, .. } => {
                        let alone = links == 0 && harmless(dest_url).is_some();
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
                    edits.extend(code.everywhere(text));
                }
            }
            _ => {}
        }
    }
    edits.extend(signs(text, done));
    if !edits.is_empty() {
        return Some(Verdict::Change(edits));
    }
    (!ended).then_some(Verdict::Hopeless)
}

/// A block of code.
struct Code {
    range: Range<usize>,
    text: String,
    language: String,
    /// Whether it is between fences, in no list and no quote.
    is_fenced: bool,
    /// Whether nothing ends it, so that it goes on to the probe.
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

    /// What makes it code for all readers: a fence that begins a line, is ended by the same, and
    /// says no more than a language.
    fn everywhere(self, text: &str) -> Option<Edit> {
        let code = match self.is_open {
            true => self.text.strip_suffix(&PROBE[1..]).unwrap_or(&self.text),
            false => &self.text,
        };
        let fence = fenced(code, &self.language);
        let before = &text[..self.range.start];
        let begins_line = before.is_empty() || before.ends_with('\n');
        let source = &text[self.range.clone()];
        let is_well = if self.is_fenced {
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
        (!is_well).then_some((self.range, by))
    }
}

/// The signs outside of code that would begin a tag, or code for another reader.
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
            // Not every reader knows this escape.
            edits.push((at - usize::from(is_escaped)..at + 1, "&lt;".to_owned()));
        }
    }
    edits
}

/// The text with these changes. Of two that overlap the first is made; the other shows again when
/// the text is read again.
fn changed(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
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

/// Lines of HTML as lines of text, so that what follows is still read as it was.
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
    // Underlined: all lines but the last are its text.
    let end = if source.ends_with('\n') { "\n" } else { "" };
    let mut lines: Vec<&str> = source.lines().map(str::trim).collect();
    lines.pop();
    format!("### {}{end}", lines.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_becomes_text_and_the_rest_stays() {
        for (text, shown) in [
            ("a <b>x</b>", "a &lt;b>x&lt;/b>"),
            ("`<b>` stays", "`<b>` stays"),
            ("</details>\n<script>", "&lt;/details>\n&lt;script>"),
            ("1 < 2 && *so* on", "1 < 2 && *so* on"),
            (
                "<https://a.example> <a@b.example>",
                "&lt;https://a.example&gt; &lt;a@b.example&gt;",
            ),
            ("<javascript:alert(1)>", "&lt;javascript:alert(1)&gt;"),
            ("[x](javascript:alert(1))", "\\[x](javascript:alert(1))"),
            ("[x](https://a.example)", "[x](https://a.example)"),
            (
                "![t](http://a.example/t.png)",
                "🖼 [t](http://a.example/t.png)",
            ),
            (
                "[![t](http://a.example/t.png)](https://a.example)",
                "[🖼 \\[t](http://a.example/t.png)](https://a.example)",
            ),
            (
                "[a]: javascript:alert(1)\n\n[a]",
                "\\[a]: javascript:alert(1)\n\n\\[a]",
            ),
            (
                "[^1]\n\n[^1]:\n\n    <script>",
                "[^1]\n\n\\[^1]:\n\n    \n\n```\n<script>\n```",
            ),
            ("# You\n\n### small", "### You\n\n### small"),
            ("You\n===\n\ntext", "### You\n\ntext"),
            ("> # You", "> # You"),
            (
                "<div>\n```\n</div>\n\n```\n<script>alert(1)</script>\n```\n",
                "&lt;div>\n\\`\\`\\`\n&lt;/div>\n\n```\n<script>alert(1)</script>\n```",
            ),
        ] {
            assert_eq!(inert(text, Place::Open), shown, "{text}");
        }
    }

    #[test]
    fn fences_are_closed_where_they_are_open() {
        for (text, shown) in [
            ("```\n<b>\n", "```\n<b>\n```"),
            ("a\n```", "a\n```\n\n```"),
            ("```\na\n```  \nb", "```\na\n```\n\nb"),
            ("```\n# end", "```\n# end\n```"),
            ("~~~~ rs, x\n```\n~~~", "````rs\n```\n~~~\n````"),
            ("1. ```sh\n   ls\n   ```", "1. ```sh\n   ls\n   ```"),
            ("- ```sh\n  ls", "- ```sh\n  ls"),
            ("> ```\n> a", "> ```\n> a"),
            ("```x``` is it", "```x``` is it"),
            ("a\n\n    ```\n\nb", "a\n\n    ```\n\nb"),
        ] {
            assert_eq!(inert(text, Place::Open), shown, "{text}");
        }
    }

    #[test]
    fn a_tag_stands_only_where_every_reader_sees_code() {
        let fence = "```\n<b>\n```";
        for (text, shown) in [
            ("<svg/onload=alert(1)>", "&lt;svg/onload=alert(1)>"),
            ("\\<b> \\\\<b>", "&lt;b> \\\\&lt;b>"),
            ("- a\n\n      <b>", &format!("- a\n\n      \n\n{fence}")),
            ("- ```\n  <b>\n  ```", &format!("- \n\n{fence}")),
            ("- ``` <b>\n  a", "- \n\n```\na\n```"),
            ("> ```\n> <b>", &format!("> \n\n{fence}")),
            ("a\n  ```rs,x\n  <b>\n  ```", "a\n  \n\n```rs\n<b>\n```"),
            ("`a\n<svg> ` b", "` a <svg>  ` b"),
            ("``` a `<b>`", "\\`\\`\\` a `<b>`"),
            (
                "[x](https://a.example/`) `<b>`",
                "[x](https://a.example/\\`) `<b>`",
            ),
        ] {
            assert_eq!(inert(text, Place::Open), shown, "{text}");
        }
        assert_eq!(inert("`a` `Vec<T>`", Place::Folded), "`a` Vec&lt;T>");
    }

    #[test]
    fn what_does_not_come_to_rest_is_shown_as_it_is() {
        let text = "[".repeat(40) + "x" + &"](javascript:a)".repeat(40);
        assert_eq!(
            inert(&text, Place::Open),
            format!("```markdown\n{text}\n```")
        );
        let long = "a ".repeat(LONGEST);
        assert!(inert(&long, Place::Open).starts_with("```markdown\na a"));
    }
}
