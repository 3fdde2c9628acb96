//! Text becomes HTML that shows it, and does nothing else.
//!
//! Most of an export is the output of tools, which lies in the file as JSON strings. It goes from
//! the escapes of JSON to those of HTML in one step: what is between them is copied whole.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memchr3};

/// What a JSON string says, as HTML text. `raw` is what stands between its quotes. Colours that a
/// program wrote for a terminal become classes; all else it wrote for the terminal is left out.
///
/// The quotes of the string are escaped too, so that the result may stand in an attribute. Says
/// how many lines it has.
pub(super) fn json_string(raw: &str, out: &mut Vec<u8>) -> usize {
    write_json(raw, out, true)
}

/// The same for an attribute, where there can be no colours.
pub(super) fn json_attribute(raw: &str, out: &mut Vec<u8>) {
    write_json(raw, out, false);
}

fn write_json(raw: &str, out: &mut Vec<u8>, colours: bool) -> usize {
    out.reserve(raw.len() + raw.len() / 16);
    let raw = tame(raw);
    let bytes = raw.as_bytes();
    let mut at = 0;
    let mut lines = 1;
    let mut colour = Colour::default();
    while let Some(found) = memchr3(b'\\', b'<', b'&', &bytes[at..]) {
        let here = at + found;
        out.extend_from_slice(&bytes[at..here]);
        match bytes[here] {
            b'<' => {
                out.extend_from_slice(b"&lt;");
                at = here + 1;
            }
            b'&' => {
                out.extend_from_slice(b"&amp;");
                at = here + 1;
            }
            _ => {
                at = here + 2;
                match bytes.get(here + 1) {
                    Some(b'n') => {
                        lines += 1;
                        out.push(b'\n');
                    }
                    Some(b'"') => out.extend_from_slice(b"&quot;"),
                    Some(b'\\') => out.push(b'\\'),
                    Some(b't') => out.push(b'\t'),
                    Some(b'/') => out.push(b'/'),
                    // A line end of Windows is one; a program that drew over its line wrote many.
                    Some(b'r')
                        if colours && !bytes.get(at..).unwrap_or_default().starts_with(b"\\n") =>
                    {
                        lines += 1;
                        out.push(b'\n');
                    }
                    Some(b'u') => {
                        let (c, next) = unicode(bytes, here);
                        at = next;
                        if c == '\u{1b}' {
                            at = colour.escape(bytes, at, colours, out);
                        } else {
                            character(c, out);
                        }
                    }
                    // Backspace and form feed show nothing.
                    _ => {}
                }
            }
        }
        at = at.min(bytes.len());
    }
    out.extend_from_slice(&bytes[at..]);
    colour.close(out);
    lines
}

/// The character that `\uXXXX` at `at` means, and where it ends. Half of a pair is U+FFFD.
fn unicode(bytes: &[u8], at: usize) -> (char, usize) {
    let Some(first) = unit_at(bytes, at) else {
        return (char::REPLACEMENT_CHARACTER, (at + 2).min(bytes.len()));
    };
    if let (0xD800..0xDC00, Some(second @ 0xDC00..0xE000)) = (first, unit_at(bytes, at + 6)) {
        let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        return (
            char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
            at + 12,
        );
    }
    (
        char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER),
        at + 6,
    )
}

fn unit_at(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// A character that may mean something to HTML or to nobody.
fn character(c: char, out: &mut Vec<u8>) {
    match c {
        '<' => out.extend_from_slice(b"&lt;"),
        '&' => out.extend_from_slice(b"&amp;"),
        '"' => out.extend_from_slice(b"&quot;"),
        '\t' | '\n' => out.push(c as u8),
        // Shown by their pictures.
        '\0'..='\u{1f}' => utf8(char::from_u32(0x2400 + c as u32).unwrap_or(c), out),
        '\u{7f}' => utf8('\u{2421}', out),
        '\u{80}'..='\u{9f}' => utf8(char::REPLACEMENT_CHARACTER, out),
        c if turns(c) => utf8(char::REPLACEMENT_CHARACTER, out),
        _ => utf8(c, out),
    }
}

/// Whether a character turns around the text that follows, in the source of the page too.
pub(in crate::export) fn turns(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Text without such characters, and without the one control character that JSON need not escape.
fn tame(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr2(0xe2, 0x7f, rest)) {
        let rest = &bytes[at + found..];
        let wild = [0xe2, 0x80, 0xaa]..=[0xe2, 0x80, 0xae];
        let isolates = [0xe2, 0x81, 0xa6]..=[0xe2, 0x81, 0xa9];
        let turns_here = |three: &[u8; 3]| wild.contains(three) || isolates.contains(three);
        if rest[0] == 0x7f || rest.first_chunk().is_some_and(turns_here) {
            let text = text.replace(turns, "\u{fffd}");
            return Cow::Owned(text.replace('\u{7f}', "\u{2421}"));
        }
        at += found + 1;
    }
    Cow::Borrowed(text)
}

fn utf8(c: char, out: &mut Vec<u8>) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Text as HTML, for text and for attributes.
pub(super) fn text(text: &str, out: &mut Vec<u8>) {
    let text = tame(text);
    let bytes = text.as_bytes();
    let mut from = 0;
    let special = |b: &u8| matches!(b, b'<' | b'&' | b'"' | 0x7f | 0..=8 | 11..=31);
    while let Some(found) = bytes[from..].iter().position(special) {
        out.extend_from_slice(&bytes[from..from + found]);
        if bytes[from + found] != b'\r' {
            character(char::from(bytes[from + found]), out);
        }
        from += found + 1;
    }
    out.extend_from_slice(&bytes[from..]);
}

/// Whether a JSON string has more lines than `limit`; stops counting there.
pub(super) fn has_more_lines(raw: &str, limit: usize) -> bool {
    line_ends(raw, limit) >= limit
}

/// How many lines a JSON string has, as an editor counts them.
pub(super) fn count_lines(raw: &str) -> usize {
    let last = !raw.is_empty() && !raw.ends_with("\\n");
    line_ends(raw, usize::MAX) + usize::from(last)
}

/// How many line ends a JSON string has; not more than `limit` are counted.
fn line_ends(raw: &str, limit: usize) -> usize {
    let bytes = raw.as_bytes();
    let (mut at, mut ends) = (0, 0);
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr(b'\\', rest)) {
        ends += usize::from(bytes.get(at + found + 1) == Some(&b'n'));
        if ends >= limit {
            break;
        }
        at += found + 2;
    }
    ends
}

/// How a terminal would show what comes next.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Colour {
    bold: bool,
    foreground: Option<u8>,
    open: bool,
}

impl Colour {
    /// Reads what follows an escape character, and gives where it ends.
    fn escape(&mut self, raw: &[u8], at: usize, colours: bool, out: &mut Vec<u8>) -> usize {
        match raw.get(at) {
            Some(b'[') => {
                let parameters = raw[at + 1..]
                    .iter()
                    .take_while(|b| matches!(b, b'0'..=b'?' | b' '..=b'!' | b'#'..=b'/'))
                    .count();
                let end = at + 1 + parameters;
                match raw.get(end) {
                    Some(b'm') if colours => {
                        self.select(&raw[at + 1..end]);
                        self.write(out);
                        end + 1
                    }
                    Some(b'@'..=b'[' | b']'..=b'~') => end + 1,
                    _ => end,
                }
            }
            // A title or a link, up to a bell; when there is none, only its start is left out.
            Some(b']') => {
                let window = &raw[at..raw.len().min(at + 400)];
                title_end(window).map_or(at + 1, |end| at + end)
            }
            Some(b'(' | b')') => at + 2,
            Some(b'\\' | b'"') | None => at,
            Some(b) if b.is_ascii() => at + 1,
            Some(_) => at,
        }
    }

    /// Takes in the numbers of a "select graphic rendition".
    fn select(&mut self, parameters: &[u8]) {
        let mut numbers = parameters
            .split(|b| matches!(b, b';' | b':'))
            .map(|digits| {
                let text = std::str::from_utf8(digits).unwrap_or_default();
                text.parse::<u16>().unwrap_or(0)
            });
        while let Some(number) = numbers.next() {
            match number {
                0 => {
                    self.bold = false;
                    self.foreground = None;
                }
                1 => self.bold = true,
                22 => self.bold = false,
                30..=37 => self.foreground = u8::try_from(number - 30).ok(),
                90..=97 => self.foreground = u8::try_from(number - 82).ok(),
                39 => self.foreground = None,
                38 | 48 => {
                    let kind = numbers.next();
                    if kind == Some(5) {
                        let index = numbers.next().unwrap_or_default();
                        if number == 38 {
                            self.foreground = u8::try_from(index).ok().filter(|index| *index < 16);
                        }
                    } else if kind == Some(2) {
                        numbers.by_ref().take(3).for_each(drop);
                    }
                }
                _ => {}
            }
        }
    }

    fn write(&mut self, out: &mut Vec<u8>) {
        self.close(out);
        if !self.bold && self.foreground.is_none() {
            return;
        }
        self.open = true;
        out.extend_from_slice(b"<span class=\"");
        if self.bold {
            out.extend_from_slice(b"ab ");
        }
        if let Some(colour) = self.foreground {
            out.extend_from_slice(format!("a{colour}").as_bytes());
        }
        out.extend_from_slice(b"\">");
    }

    fn close(&mut self, out: &mut Vec<u8>) {
        if std::mem::take(&mut self.open) {
            out.extend_from_slice(b"</span>");
        }
    }
}

/// Where a title ends, behind its bell or what may stand for one. `None`: not on its line.
fn title_end(window: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr(b'\\', window.get(at..)?)?;
        let escape = &window[at..];
        if escape.starts_with(b"\\u0007") {
            return Some(at + 6);
        } else if escape.starts_with(b"\\u001b") {
            return escape.starts_with(b"\\u001b\\\\").then_some(at + 8);
        } else if escape.starts_with(b"\\n") {
            return None;
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(raw: &str) -> (String, usize) {
        let mut out = Vec::new();
        let lines = json_string(raw, &mut out);
        (String::from_utf8(out).expect("text stays text"), lines)
    }

    #[test]
    fn json_strings_become_inert_text() {
        for (raw, shown, lines) in [
            ("plain", "plain", 1),
            (r"a\nb\tc\\d\/e", "a\nb\tc\\d/e", 2),
            (r#"<script>\"&amp;"#, "&lt;script>&quot;&amp;amp;", 1),
            (r"\u003cb\u003e \u0026", "&lt;b> &amp;", 1),
            (r"\ud83d\ude00", "😀", 1),
            (
                r"half \ud83d and \ude00 and \ud83d\u0041",
                "half � and � and �A",
                1,
            ),
            (r"\u0000\u0007\u007f\u009b", "␀␇␡�", 1),
            (r"a\r\nb\rc", "a\nb\nc", 3),
            (r"\u202egnp.exe", "�gnp.exe", 1),
            ("\u{7f}", "␡", 1),
            ("…\u{202e}gnp\u{2066}.exe", "…�gnp�.exe", 1),
            ("a\u{2028}b", "a\u{2028}b", 1),
            // What cannot be in a file that was read, but must not break anything.
            (r"end\", "end", 1),
            (r"\u12", "�12", 1),
            (r"\ud83d\u", "��", 1),
        ] {
            assert_eq!(html(raw), (shown.to_owned(), lines), "{raw}");
        }
    }

    #[test]
    fn what_is_for_a_terminal_becomes_colour_or_nothing() {
        for (raw, shown) in [
            (r"\u001b[31mred\u001b[0m", "<span class=\"a1\">red</span>"),
            (r"\u001b[1;92mok", "<span class=\"ab a10\">ok</span>"),
            (r"\u001b[38;5;196mx\u001b[38;2;1;2;3my", "xy"),
            (r"\u001b[2J\u001b[?25lx", "x"),
            (r"\u001b]0;title\u0007x", "x"),
            (r"\u001b]8;;http://a\u001b\\link\u001b]8;;\u001b\\", "link"),
            (r"\u001b]never ends\nshown", "never ends\nshown"),
            // A terminal takes the sign and the letter for the end of its command.
            (r"\u001b[31<img>", "mg>"),
            (r"\u001b[\nx", "\nx"),
            (r"\u001b", ""),
            (r"\u001b[", ""),
        ] {
            assert_eq!(html(raw).0, shown, "{raw}");
        }
    }

    #[test]
    fn text_is_escaped_for_both_places() {
        let mut out = Vec::new();
        text("<a href=\"x\">&\0\r\n\u{1b}[1m\u{2069}", &mut out);
        assert_eq!(
            String::from_utf8_lossy(&out),
            "&lt;a href=&quot;x&quot;>&amp;␀\n␛[1m�"
        );
    }

    #[test]
    fn lines_are_counted_only_as_far_as_needed() {
        assert!(!has_more_lines(r"a\nb\\n", 2));
        assert!(has_more_lines(r"a\nb\nc", 2));
        assert!(!has_more_lines("", 1));
        assert!(!has_more_lines(r"end\", 1));
        for (raw, lines) in [("", 0), ("a", 1), (r"a\n", 1), (r"a\nb", 2), (r"\n\n", 2)] {
            assert_eq!(count_lines(raw), lines, "{raw}");
        }
    }
}
