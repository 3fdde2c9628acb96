//! Text becomes HTML that shows it and does nothing else.

use std::borrow::Cow;
use std::fmt::{self, Write};

use askama::filters::Escaper;

use crate::export::terminal::{Style, is_bidi_control, runs};

/// The escaper of the templates, for text and for attributes in double quotes. `askama.toml`
/// selects it.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageText;

impl Escaper for PageText {
    fn write_escaped_str<W: Write>(&self, mut out: W, text: &str) -> fmt::Result {
        escape(text, &mut out)
    }
}

/// Returns whether a byte may start a character that has to be escaped.
fn is_special(byte: u8) -> bool {
    matches!(byte, 0..=8 | 11..=31 | b'"' | b'&' | b'<' | 0x7f | 0xc2 | 0xe2)
}

/// Writes text as HTML. Control characters become visible ones, except backspaces, form feeds and
/// the carriage returns of line ends, which are dropped.
pub(super) fn escape(text: &str, out: &mut dyn Write) -> fmt::Result {
    let bytes = text.as_bytes();
    let (mut written, mut at) = (0, 0);
    while let Some(found) = bytes[at..].iter().position(|b| is_special(*b)) {
        let here = at + found;
        let c = text[here..].chars().next().unwrap_or_default();
        at = here + c.len_utf8();
        let mut utf8 = [0; 4];
        let shown = match c {
            '<' => "&lt;",
            '&' => "&amp;",
            '"' => "&quot;",
            '\u{8}' | '\u{c}' => "",
            '\r' if bytes.get(at) == Some(&b'\n') => "",
            // The program overwrites its line.
            '\r' => "\n",
            c if visible(c) == c => continue,
            c => visible(c).encode_utf8(&mut utf8),
        };
        out.write_str(&text[written..here])?;
        out.write_str(shown)?;
        written = at;
    }
    out.write_str(&text[written..])
}

/// The character to show for one that a page must not contain.
fn visible(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(c),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' => char::REPLACEMENT_CHARACTER,
        c if is_bidi_control(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

/// Text that a program wrote for a terminal: its colours become classes.
#[derive(Debug)]
pub(super) struct Terminal<'t>(pub(super) Cow<'t, str>);

impl fmt::Display for Terminal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (style, run) in runs(&self.0) {
            if style == Style::default() {
                escape(run, f)?;
                continue;
            }
            let bold = if style.bold { "ab " } else { "" };
            let colour = style.colour.map(|colour| format!("a{colour}"));
            let class = format!("{bold}{}", colour.unwrap_or_default());
            write!(f, "<span class=\"{}\">", class.trim_end())?;
            escape(run, f)?;
            f.write_str("</span>")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_becomes_inert() {
        for (text, shown) in [
            ("plain", "plain"),
            ("a\nb\tc\\d/e", "a\nb\tc\\d/e"),
            ("<script>\"&amp;", "&lt;script>&quot;&amp;amp;"),
            ("😀 é …", "😀 é …"),
            ("\0\u{7}\u{7f}\u{9b}", "␀␇␡�"),
            ("a\r\nb\rc\u{8}\u{c}", "a\nb\nc"),
            ("…\u{202e}gnp\u{2066}.exe", "…�gnp�.exe"),
            ("a\u{2028}b", "a\u{2028}b"),
            // Escape sequences become colour or nothing.
            ("\u{1b}[31mred\u{1b}[0m", "<span class=\"a1\">red</span>"),
            ("\u{1b}[1;92mok", "<span class=\"ab a10\">ok</span>"),
            ("\u{1b}[1mb\u{1b}[22mx", "<span class=\"ab\">b</span>x"),
            ("\u{1b}[38;5;196mx\u{1b}[38;2;1;2;3my", "xy"),
            ("\u{1b}[2J\u{1b}[?25lx", "x"),
            ("\u{1b}]0;title\u{7}x", "x"),
            ("\u{1b}]8;;http://a\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}]never ends\nshown", "never ends\nshown"),
            // A terminal treats the sign and the letter as the end of the sequence.
            ("\u{1b}[31<img>", "mg>"),
            ("\u{1b}[\nx", "\nx"),
            ("\u{1b}\nx", "\nx"),
            ("\u{1b}é", "é"),
            ("\u{1b}", ""),
            ("\u{1b}[", ""),
            ("\u{1b}(é\u{1b}(Bx", "éx"),
        ] {
            assert_eq!(Terminal(text.into()).to_string(), shown, "{text}");
        }
    }

    #[test]
    fn attributes_are_escaped() {
        let mut out = String::new();
        escape("<a href=\"x\">&\0\r\n\u{1b}[1m\u{2069}", &mut out).unwrap();
        assert_eq!(out, "&lt;a href=&quot;x&quot;>&amp;␀\n␛[1m�");
    }
}
