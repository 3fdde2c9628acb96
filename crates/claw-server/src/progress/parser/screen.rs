//! The lines of a text as a terminal shows them.

/// How much is read from the start of a text.
const HEAD: usize = 64 * 1024;
/// How much is read from its end, which has the latest progress.
const TAIL: usize = 192 * 1024;
/// Longer lines are treated as data and cut.
const LONGEST_LINE: usize = 4096;

/// One line, without colours and cursor codes.
#[derive(Debug)]
struct Line {
    text: String,
    /// Whether it was overwritten, as only changing output is.
    redrawn: bool,
}

/// The lines of a text: all of a small one, otherwise its head and tail.
#[derive(Debug)]
pub(super) struct Screen {
    lines: Vec<Line>,
    /// The first line after the gap, if there is one. Counters do not continue across it.
    gap: Option<usize>,
}

impl Screen {
    pub(super) fn of(text: &str) -> Self {
        if text.len() <= HEAD + TAIL {
            return Self {
                lines: lines_of(text),
                gap: None,
            };
        }
        let head = &text[..floor(text, HEAD)];
        let tail = &text[floor(text, text.len() - TAIL)..];
        // A line that was cut in the middle would be misread.
        let head = head.rfind(['\n', '\r']).map_or("", |end| &head[..end]);
        let tail = tail.find(['\n', '\r']).map_or("", |at| &tail[at + 1..]);
        let mut lines = lines_of(head);
        let gap = lines.len();
        lines.extend(lines_of(tail));
        Self {
            lines,
            gap: Some(gap),
        }
    }

    pub(super) fn lines(&self) -> Vec<&str> {
        self.lines.iter().map(|line| line.text.as_str()).collect()
    }

    /// Whether the line was overwritten by a carriage return.
    pub(super) fn is_redrawn(&self, line: usize) -> bool {
        self.lines.get(line).is_some_and(|line| line.redrawn)
    }

    /// The first line before `line` from which counters are continuous.
    pub(super) fn unbroken_from(&self, line: usize) -> usize {
        self.gap.filter(|&gap| gap <= line).unwrap_or(0)
    }
}

/// The largest character boundary that is not beyond `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn lines_of(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    for raw in text.split('\n') {
        let plain = without_codes(raw);
        // Blank redraws erase the line; use the text before them.
        let mut parts = plain
            .trim_end_matches('\r')
            .rsplit('\r')
            .filter(|part| !part.trim().is_empty());
        let shown = parts.next().unwrap_or("");
        let mut before = parts.peekable();
        let redrawn = before.peek().is_some();
        let mut push = |text: &str, redrawn: bool| {
            let text = text[..floor(text, LONGEST_LINE)].to_owned();
            lines.push(Line { text, redrawn });
        };
        // "Rebasing (3/11)" overwritten by "CONFLICT": keep the line with the number, too.
        if redrawn
            && !counts(shown)
            && let Some(counted) = before.find(|part| counts(part))
        {
            push(counted, true);
        }
        push(shown, redrawn);
    }
    if lines.last().is_some_and(|line| line.text.is_empty()) {
        lines.pop();
    }
    lines
}

/// Whether it has a percentage or a counter: "19%", "(3/11)".
fn counts(part: &str) -> bool {
    let bytes = part.as_bytes();
    bytes.windows(2).any(|pair| {
        let before_sign = pair[0].is_ascii_digit() || pair[0] == b' ';
        before_sign && pair[1] == b'%' || pair[0] == b'/' && pair[1].is_ascii_digit()
    }) && bytes.iter().any(u8::is_ascii_digit)
}

/// Removes colour and cursor codes. A code that moves the cursor back or erases restarts the line.
fn without_codes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.next() {
                Some('[') => {
                    let end = chars.find(|c| ('@'..='~').contains(c));
                    if matches!(end, Some('G' | 'K' | 'A' | 'F' | 'J')) {
                        plain.push('\r');
                    }
                }
                // A title or a link: up to the bell or the string terminator.
                Some(']') => {
                    while let Some(c) = chars.next() {
                        if c == '\u{7}' || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                            break;
                        }
                    }
                }
                _ => {}
            },
            '\u{8}' => {
                plain.pop();
            }
            // Spinners contain no progress.
            '\u{2800}'..='\u{28ff}' => plain.push(' '),
            c if c.is_control() && c != '\t' && c != '\r' => {}
            c => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<(String, bool)> {
        let screen = Screen::of(text);
        let lines = screen.lines.into_iter();
        lines.map(|line| (line.text, line.redrawn)).collect()
    }

    #[test]
    fn a_line_that_is_drawn_again_shows_its_last_form() {
        let cases: &[(&str, &[(&str, bool)])] = &[
            ("", &[]),
            ("a\nb\n", &[("a", false), ("b", false)]),
            ("a\r\nb\r\n", &[("a", false), ("b", false)]),
            ("1%\r2%\r3%", &[("3%", true)]),
            ("1%\r2%\r", &[("2%", true)]),
            ("1%\r2%\rdone", &[("2%", true), ("done", true)]),
            ("\u{1b}[32mok\u{1b}[0m", &[("ok", false)]),
            ("1%\u{1b}[2K\u{1b}[1G2%", &[("2%", true)]),
            ("12%\u{8}\u{8}\u{8}13%", &[("13%", false)]),
            ("\u{1b}]8;;x\u{1b}\\a\u{1b}]8;;\u{7}b", &[("ab", false)]),
            ("\u{1b}", &[]),
            ("\u{1b}[", &[]),
            ("\u{1b}]", &[]),
        ];
        for (text, want) in cases {
            let want: Vec<_> = want.iter().map(|(t, r)| ((*t).to_owned(), *r)).collect();
            assert_eq!(shown(text), want, "{text:?}");
        }
    }

    #[test]
    fn a_large_text_is_read_at_both_ends_and_no_line_is_cut() {
        let line = "é0123456789\n";
        let text = line.repeat(100_000);
        let screen = Screen::of(&text);
        let gap = screen.gap.expect("it is larger than head and tail");
        assert!(screen.lines.iter().all(|l| l.text == line.trim_end()));
        assert!(screen.lines.len() * line.len() <= HEAD + TAIL);
        assert!(gap > 1000 && screen.lines.len() - gap > 1000);
        assert_eq!(screen.unbroken_from(gap - 1), 0);
        assert_eq!(screen.unbroken_from(gap), gap);
        assert!(shown(&"x".repeat(1_000_000)).is_empty());
    }
}
