//! What a model wrote as Markdown, made harmless and closed.
//!
//! It stays as it is but for what acts or reaches out: HTML, links that lead elsewhere than to
//! web pages and mail addresses, pictures, definitions that would hold for the whole page, and
//! headings as large as those of the page. Whatever is changed changes how the rest is read, so
//! the result is read again, until nothing is left to change. What does not come to rest is shown
//! as it was written, between fences.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag};

use super::literal::{fenced, literal, plain};
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

/// Markdown in which nothing acts, and behind which the page goes on as if it were not there.
pub(super) fn inert(markdown: &str) -> String {
    let mut text = plain(markdown).trim().to_owned();
    if text.len() <= LONGEST {
        for _ in 0..ROUNDS {
            let Some(edit) = READERS.iter().find_map(|reader| judge(&text, *reader)) else {
                return text;
            };
            match edit {
                Verdict::Change(edits) => text = changed(&text, edits),
                Verdict::Close(fence) => {
                    text.push('\n');
                    text.push_str(&fence);
                }
                Verdict::Hopeless => break,
            }
        }
    }
    fenced(markdown.trim(), "markdown")
}

enum Verdict {
    Change(Vec<(Range<usize>, String)>),
    /// It ends in a fence that must be ended so.
    Close(String),
    Hopeless,
}

/// What must be changed. `None` when all is well.
fn judge(text: &str, reader: Options) -> Option<Verdict> {
    let probed = format!("{text}{PROBE}");
    let parser = Parser::new_ext(&probed, reader);
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let definitions = parser.reference_definitions().iter();
    for (_, definition) in definitions {
        let from = definition.span.start;
        let at = from + probed[from..].find('[').unwrap_or_default();
        edits.push((at..at, "\\".to_owned()));
    }
    let mut depth = 0usize;
    let mut links = 0usize;
    let mut block = None;
    let mut ended = false;
    for (event, range) in parser.into_offset_iter() {
        let ours = range.start >= text.len();
        let range = range.start.min(text.len())..range.end.min(text.len());
        let source = &text[range.clone()];
        match event {
            Event::Html(_) if !ours => edits.push((range, literal_block(source))),
            Event::InlineHtml(_) if !ours => edits.push((range, source.replace('<', "&lt;"))),
            Event::Start(tag) => {
                match &tag {
                    Tag::Heading { .. } if ours => ended = depth == 0,
                    Tag::Heading {
                        level: HeadingLevel::H1 | HeadingLevel::H2,
                        ..
                    } if depth == 0 => edits.push((range, smaller(source))),
                    Tag::Link {
                        link_type,
                        dest_url,
                        ..
                    } if *link_type != LinkType::Email && harmless(dest_url).is_none() => {
                        let auto = *link_type == LinkType::Autolink;
                        let sign = if auto { "&lt;" } else { "\\[" };
                        edits.push((range.start..range.start + 1, sign.to_owned()));
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
                    Tag::CodeBlock(CodeBlockKind::Fenced(_)) if depth == 0 => {
                        block = Some(source.to_owned());
                    }
                    _ => {}
                }
                links += usize::from(matches!(tag, Tag::Link { .. }));
                depth += 1;
            }
            Event::End(tag) => {
                links -= usize::from(matches!(tag, pulldown_cmark::TagEnd::Link));
                depth -= 1;
            }
            _ => {}
        }
    }
    if !edits.is_empty() {
        return Some(Verdict::Change(edits));
    }
    if ended {
        return None;
    }
    let block = block.as_deref().unwrap_or_default();
    let sign = block.chars().next().filter(|c| matches!(c, '`' | '~'));
    Some(match sign {
        Some(sign) => Verdict::Close(block.chars().take_while(|c| *c == sign).collect()),
        None => Verdict::Hopeless,
    })
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
                "<https://a.example> <a@b.example>",
            ),
            ("<javascript:alert(1)>", "&lt;javascript:alert(1)>"),
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
                "[^1]\n\n\\[^1]:\n\n    &lt;script>",
            ),
            ("# You\n\n### small", "### You\n\n### small"),
            ("You\n===\n\ntext", "### You\n\ntext"),
            ("> # You", "> # You"),
            (
                "<div>\n```\n</div>\n\n```\n<script>alert(1)</script>\n```\n",
                "&lt;div>\n\\`\\`\\`\n&lt;/div>\n\n```\n<script>alert(1)</script>\n```",
            ),
        ] {
            assert_eq!(inert(text), shown, "{text}");
        }
    }

    #[test]
    fn fences_are_closed_where_they_are_open() {
        for (text, shown) in [
            ("```\n<b>\n", "```\n<b>\n```"),
            ("~~~~ rs\n```\n~~~", "~~~~ rs\n```\n~~~\n~~~~"),
            ("1. ```sh\n   ls\n   ```", "1. ```sh\n   ls\n   ```"),
            ("- ```sh\n  ls", "- ```sh\n  ls"),
            ("> ```\n> a", "> ```\n> a"),
            ("```x``` is it", "```x``` is it"),
            ("a\n\n    ```\n\nb", "a\n\n    ```\n\nb"),
        ] {
            assert_eq!(inert(text), shown, "{text}");
        }
    }

    #[test]
    fn what_does_not_come_to_rest_is_shown_as_it_is() {
        let text = "[".repeat(40) + "x" + &"](javascript:a)".repeat(40);
        assert_eq!(inert(&text), format!("```markdown\n{text}\n```"));
        let long = "a ".repeat(LONGEST);
        assert!(inert(&long).starts_with("```markdown\na a"));
    }
}
