//! Markdown that shows text as it was typed.

use crate::export::terminal::{is_bidi_control, runs};
use crate::export::user_text::preview;

/// Text without escape sequences and control characters.
pub(super) fn plain(text: &str) -> String {
    let characters = runs(text).flat_map(|(_, run)| run.chars());
    let visible = characters.filter(|c| matches!(c, '\n' | '\t') || !c.is_control());
    let replaced = visible.map(|c| match is_bidi_control(c) {
        true => char::REPLACEMENT_CHARACTER,
        false => c,
    });
    replaced.collect()
}

/// Returns whether a text starts with a tag, a comment or the like for some reader.
pub(super) fn begins_tag(text: &str) -> bool {
    let next = text.strip_prefix('<').and_then(|rest| rest.chars().next());
    next.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
}

/// Returns whether a text contains the [start of a tag](begins_tag).
pub(super) fn has_tags(text: &str) -> bool {
    let mut signs = text.match_indices('<');
    signs.any(|(at, _)| begins_tag(&text[at..]))
}

pub(super) fn span(code: &str) -> String {
    let code = code.replace('\n', " ");
    let ticks = "`".repeat(longest_run(&code) + 1);
    let is_blank = code.trim_matches(' ').is_empty();
    match !is_blank && (code.starts_with(['`', ' ']) || code.ends_with(['`', ' '])) {
        true => format!("{ticks} {code} {ticks}"),
        false => format!("{ticks}{code}{ticks}"),
    }
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`');
    runs.map(str::len).max().unwrap_or_default()
}

/// A code block whose fence is longer than any run of backticks in it.
pub(super) fn fenced(text: &str, language: &str) -> String {
    let text = &plain(text);
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!(
        "{fence}{language}\n{}\n{fence}",
        text.trim_end_matches('\n')
    )
}

/// A prompt as a quote. It is a code block if its white space matters.
pub(super) fn quote(text: &str) -> String {
    let text = plain(text);
    let text = text.trim_matches('\n').trim_end();
    let laid_out = |line: &str| {
        let line = line.trim_end();
        line.starts_with([' ', '\t']) || line.contains("  ") || line.contains('\t')
    };
    if text.lines().any(laid_out) {
        // Some readers do not recognize fences in a quote.
        if has_tags(text) {
            return fenced(text, "");
        }
        let lines: Vec<String> = fenced(text, "")
            .lines()
            .map(|line| format!("> {line}"))
            .collect();
        return lines.join("\n");
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut lines = text.lines().map(str::trim_end).peekable();
    while let Some(line) = lines.next() {
        out.push('>');
        if !line.is_empty() {
            out.push(' ');
            out.push_str(&literal(line));
        }
        if let Some(next) = lines.peek() {
            // Two blanks keep the line end.
            let is_kept = !line.is_empty() && !next.is_empty();
            out.push_str(if is_kept { "  \n" } else { "\n" });
        }
    }
    out
}

pub(super) fn one_line(text: &str) -> String {
    literal(plain(&text.replace(['\n', '\r', '\t'], " ")).trim())
}

/// Escapes a line. Only signs that have a meaning are escaped, so that the source stays readable.
pub(super) fn literal(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 8);
    let mut before = None;
    let marker = marker(line);
    for (at, c) in line.char_indices() {
        let after = line[at + c.len_utf8()..].chars().next();
        let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let escape = match c {
            '`' | '*' | '[' | ']' | '~' | '|' => true,
            '_' => !(word(before) && word(after)),
            '#' => !word(before),
            '\\' => after.is_none_or(|c| c.is_ascii_punctuation()),
            _ => marker == Some(at),
        };
        match c {
            '<' => out.push_str("&lt;"),
            '&' if after.is_some_and(|c| c == '#' || c.is_ascii_alphabetic()) => {
                out.push_str("&amp;");
            }
            c => {
                if escape {
                    out.push('\\');
                }
                out.push(c);
            }
        }
        before = Some(c);
    }
    out
}

/// The position of the sign that makes a line an item, a quote, a rule or a heading.
fn marker(line: &str) -> Option<usize> {
    let rest = line.trim_start();
    let start = line.len() - rest.len();
    if rest.starts_with(['-', '+', '=', '>', ':']) {
        return Some(start);
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let ends = rest[digits..].starts_with(['.', ')']);
    (digits > 0 && ends).then_some(start + digits)
}

/// The start of a text, for HTML in Markdown.
pub(super) fn escaped(text: &str) -> String {
    let text = plain(&preview(text, 140));
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// A word as a code span. A word that some reader takes for a tag is escaped instead.
pub(super) fn code(text: &str) -> String {
    let text = plain(&text.replace(['`', '\n', '\r'], " "));
    match text.trim() {
        "" => String::new(),
        word if has_tags(word) => literal(word),
        word => format!("`{word}`"),
    }
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Parser, TagEnd};

    use super::*;

    /// The text of a rendered quote.
    fn shown(markdown: &str) -> String {
        let mut text = String::new();
        for event in Parser::new(markdown) {
            match event {
                Event::Text(part) | Event::Code(part) => text.push_str(&part),
                Event::SoftBreak | Event::HardBreak => text.push('\n'),
                Event::End(TagEnd::Paragraph) => text.push_str("\n\n"),
                Event::Start(tag) => assert!(
                    matches!(
                        tag,
                        pulldown_cmark::Tag::BlockQuote(_)
                            | pulldown_cmark::Tag::Paragraph
                            | pulldown_cmark::Tag::CodeBlock(_)
                    ),
                    "{tag:?} in {markdown}"
                ),
                Event::End(_) => {}
                event => panic!("{event:?} in {markdown}"),
            }
        }
        text.trim_end().to_owned()
    }

    #[test]
    fn prompts_are_shown_as_they_were_typed() {
        for text in [
            "# a\n<b> & &lt; &c",
            "1. one\n---\n2) two\n===\n- a\n+ b\n* c\n> d",
            "    if (a < b) *p",
            "a\n\tb\n\n\n```\nc\n````",
            "_a_ snake_case __init__ **x** ~~y~~ [z](javascript:a) ![p](http://a.example/p.png)",
            "C:\\Users\\new \\* \\\\ end\\",
            "| a | b |\n|---|---|",
            "a  b   c",
            "</details>\n<!-- x",
            "[a]: http://a.example\n[^1]: b",
            "a\n\nb",
            "C# is # not #",
        ] {
            assert_eq!(shown(&quote(text)), text);
        }
    }

    #[test]
    fn escapes_are_few() {
        assert_eq!(
            quote("Why is `a_b` - in v1.2 - 3 < 4 & so on? See C:\\x"),
            "> Why is \\`a_b\\` - in v1.2 - 3 &lt; 4 & so on? See C:\\x"
        );
        assert_eq!(one_line("a\n# b"), "a \\# b");
        assert_eq!(fenced("a ``` b\n", "sh"), "````sh\na ``` b\n````");
        assert_eq!(plain("\u{1b}[31mred\u{1b}[0m\u{7}"), "red");
        assert_eq!(code(" a`b\n"), "`a b`");
    }
}
