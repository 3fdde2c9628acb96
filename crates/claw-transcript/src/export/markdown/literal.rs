//! Text as Markdown that shows it as it was typed.

use crate::export::html;
use crate::export::said::preview;

/// Text without what a program wrote for a terminal only.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut signs = text.chars().peekable();
    while let Some(c) = signs.next() {
        match c {
            '\u{1b}' if signs.next_if_eq(&'[').is_some() => {
                while signs.next_if(|c| matches!(c, ' '..='?')).is_some() {}
                signs.next_if(|c| matches!(c, '@'..='~'));
            }
            '\n' | '\t' => out.push(c),
            c if c.is_control() => {}
            c if html::turns(c) => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}

/// Whether some reader sees a tag, a comment or the like begin with a text.
pub(super) fn begins_tag(text: &str) -> bool {
    let next = text.strip_prefix('<').and_then(|rest| rest.chars().next());
    next.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
}

/// Whether something in a text [begins a tag](begins_tag).
pub(super) fn has_tags(text: &str) -> bool {
    let mut signs = text.match_indices('<');
    signs.any(|(at, _)| begins_tag(&text[at..]))
}

/// Code within a line.
pub(super) fn span(code: &str) -> String {
    let code = code.replace('\n', " ");
    let ticks = "`".repeat(longest_run(&code) + 1);
    let is_blank = code.trim_matches(' ').is_empty();
    match !is_blank && (code.starts_with(['`', ' ']) || code.ends_with(['`', ' '])) {
        true => format!("{ticks} {code} {ticks}"),
        false => format!("{ticks}{code}{ticks}"),
    }
}

/// How many backticks there are side by side.
fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`');
    runs.map(str::len).max().unwrap_or_default()
}

/// Code between fences that nothing in it ends.
pub(super) fn fenced(text: &str, language: &str) -> String {
    let text = &plain(text);
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!(
        "{fence}{language}\n{}\n{fence}",
        text.trim_end_matches('\n')
    )
}

/// A prompt as a quote. Where its blanks matter it is code: Markdown keeps none.
pub(super) fn quote(text: &str) -> String {
    let text = plain(text);
    let text = text.trim_matches('\n').trim_end();
    let laid_out = |line: &str| {
        let line = line.trim_end();
        line.starts_with([' ', '\t']) || line.contains("  ") || line.contains('\t')
    };
    if text.lines().any(laid_out) {
        // Not every reader knows fences in a quote.
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
            // A line end is kept where a line follows.
            let kept = !line.is_empty() && !next.is_empty();
            out.push_str(if kept { "  \n" } else { "\n" });
        }
    }
    out
}

/// One line of text, whatever it has for line ends, as Markdown that shows it.
pub(super) fn one_line(text: &str) -> String {
    literal(plain(&text.replace(['\n', '\r', '\t'], " ")).trim())
}

/// A line of text as Markdown that shows it. Only signs that would mean something are escaped, so
/// that the Markdown can be read too.
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

/// Where the sign is that makes a line an item, a quote, a rule or a heading.
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

/// Text for HTML inside of Markdown.
pub(super) fn escaped(text: &str) -> String {
    let text = plain(&preview(text, 140));
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// A word between backticks, but for one that a reader may take for a tag; nothing when there is
/// none.
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

    /// What a reader sees of a quote.
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
