//! A line as words, numbers and signs.

use super::numbers::{self, Notation};
use crate::progress::parser::words::Words;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// A word; `low` has it in lower case.
    Word,
    /// Digits that form a number.
    Number(f64),
    /// One other sign.
    Sign(char),
    /// A name, a path, a version, a date, an address: digits in it count nothing.
    Opaque,
}

/// A word, a number or a sign.
#[derive(Debug, Clone)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) low: String,
    /// Where it starts.
    pub(super) at: usize,
    /// There is space before it, or the start of the line.
    pub(super) spaced: bool,
}

impl Token<'_> {
    pub(super) fn is_sign(&self, sign: char) -> bool {
        self.kind == Kind::Sign(sign)
    }

    pub(super) fn is_word(&self) -> bool {
        self.kind == Kind::Word
    }

    /// The number that is meant by digits.
    pub(super) fn digits(&self) -> Option<f64> {
        match self.kind {
            Kind::Number(value) => Some(value),
            _ => None,
        }
    }

    /// The number that is meant by digits or by a word.
    pub(super) fn number(&self) -> Option<f64> {
        match self.kind {
            Kind::Number(value) => Some(value),
            Kind::Word => numbers::word(&self.low),
            _ => None,
        }
    }
}

/// What may stand directly after a number without being part of a name.
static SUFFIXES: Words =
    Words::new("b kb mb gb tb kib mib gib tib k m g t s ms min h x st nd rd th it bytes");

/// The tokens of a line.
pub(super) fn tokens(line: &str, notation: Notation) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut spaced = true;
    while let Some(c) = line[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            spaced = true;
            continue;
        }
        let rest = &line[at..];
        let (kind, length) = if c.is_ascii_digit() {
            number(rest, notation)
        } else if c.is_alphabetic() {
            word(rest)
        } else if c == '\u{fffc}' {
            (Kind::Opaque, c.len_utf8())
        } else {
            (Kind::Sign(c), c.len_utf8())
        };
        let text = &rest[..length];
        let low = match kind {
            Kind::Word => text.to_lowercase().replace('’', "'").replace('ё', "е"),
            _ => String::new(),
        };
        found.push(Token {
            kind,
            text,
            low,
            at,
            spaced,
        });
        at += length;
        spaced = false;
    }
    found
}

/// Where a name ends that began some way before.
fn name_end(rest: &str) -> usize {
    let ends = |c: char| {
        c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '"' | '<' | '>' | '|')
    };
    let end = rest.find(ends).unwrap_or(rest.len());
    // What closes a sentence is not part of the name.
    rest[..end]
        .trim_end_matches(['.', ',', ':', ';', '!', '?', '…'])
        .len()
        .max(1)
}

fn number(rest: &str, notation: Notation) -> (Kind, usize) {
    let mut end = 0;
    for (at, c) in rest.char_indices() {
        let after = rest[at + c.len_utf8()..].chars().next();
        let digit_follows = after.is_some_and(|c| c.is_ascii_digit());
        let joins = match c {
            '0'..='9' => true,
            '.' | ',' | '\'' | '’' => digit_follows,
            '\u{a0}' | '\u{202f}' | '\u{2009}' => group_of_three(&rest[at + c.len_utf8()..]),
            ' ' => {
                notation.spaces_group
                    && at <= 3 + 4 * usize::from(rest[..at].contains(' '))
                    && group_of_three(&rest[at + 1..])
            }
            _ => false,
        };
        if !joins {
            break;
        }
        end = at + c.len_utf8();
    }
    let (raw, after) = rest.split_at(end);
    let mut next = after.chars();
    let first = next.next();
    let second = next.next();
    match first {
        // A date, a range, a time, a scale: 2026-03-04, 1–10, 10:14:02, 16:9.
        Some('-' | '–' | ':') if second.is_some_and(|c| c.is_ascii_digit()) => {
            return (Kind::Opaque, name_end(rest).max(end));
        }
        Some('_') => return (Kind::Opaque, name_end(rest).max(end)),
        Some(c) if c.is_ascii_alphabetic() => {
            let letters = after.len()
                - after
                    .trim_start_matches(|c: char| c.is_ascii_alphabetic())
                    .len();
            let suffix = after[..letters].to_ascii_lowercase();
            let goes_on = after[letters..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
            if goes_on || !SUFFIXES.has(&suffix) {
                return (Kind::Opaque, name_end(rest).max(end));
            }
        }
        _ => {}
    }
    match notation.read(raw) {
        Some(value) => (Kind::Number(value), end),
        None => (Kind::Opaque, end),
    }
}

/// Exactly three digits.
fn group_of_three(rest: &str) -> bool {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    digits == 3
}

fn word(rest: &str) -> (Kind, usize) {
    let mut end = 0;
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map(|&(_, c)| c);
        let joins = c.is_alphabetic()
            || is_mark(c)
            || (matches!(c, '\'' | '’' | '-') && after.is_some_and(char::is_alphabetic));
        if !joins {
            break;
        }
        end = at + c.len_utf8();
    }
    let ascii = rest[..end].is_ascii();
    let mut next = rest[end..].chars();
    let (first, second) = (next.next(), next.next());
    let is_unit = || SUFFIXES.has(&rest[..end].to_ascii_lowercase());
    let part_of_a_name = match first {
        // 12.3MB/45.6MB
        Some('/') if second.is_some_and(|c| c.is_ascii_digit()) && is_unit() => false,
        Some('_' | '\\' | '@') => true,
        Some(c) if c.is_ascii_digit() => ascii,
        Some('.' | '-' | '/' | '=') => {
            second.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '_'))
        }
        Some(':') => {
            second.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | ':' | '_'))
        }
        _ => false,
    };
    if part_of_a_name {
        (Kind::Opaque, name_end(rest).max(end))
    } else {
        (
            Kind::Word,
            end.max(rest.chars().next().map_or(0, char::len_utf8)),
        )
    }
}

/// Marks that combine with the letter before, as Devanagari and decomposed accents have.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{903}' | '\u{93a}'..='\u{94f}' | 'ー')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(line: &str) -> String {
        let notation = Notation::of(line);
        let parts = tokens(line, notation)
            .into_iter()
            .map(|token| match token.kind {
                Kind::Word => token.low,
                Kind::Number(value) => format!("#{value}"),
                Kind::Sign(sign) => sign.to_string(),
                Kind::Opaque => "~".to_owned(),
            });
        parts.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn names_hide_their_digits() {
        for (line, want) in [
            ("Step 2/7: go", "step #2 / #7 : go"),
            ("[12/340] CC foo.o", "[ #12 / #340 ] cc ~"),
            ("shows_step_2_of_7", "~"),
            ("chapter_03_of_12.mp3: MPEG", "~ : mpeg"),
            ("step-2-of-7.md", "~"),
            ("10.0.0.0/8", "~ / #8"),
            ("serde v1.0.210", "serde ~"),
            ("2026-03-04 10:14:02", "~ ~"),
            ("results 1–10 of 340", "results ~ of #340"),
            ("12.3MB/45.6MB", "#12.3 mb / #45.6 mb"),
            ("1,204 of 3,511", "#1204 of #3511"),
            ("1.250 von 5.000 Dateien", "#1250 von #5000 dateien"),
            ("2 500 fichiers sur 10 000", "#2500 fichiers sur #10000"),
            (
                "I've the test-writer sub-agent",
                "i've the test-writer sub-agent",
            ),
            ("https://example.com/a/2/7", "~"),
            ("第2步，共5步", "第 #2 步 ， 共 #5 步"),
            ("3个文件", "#3 个文件"),
            ("src/cart.test.ts 2/14", "~ #2 / #14"),
            ("45%|█", "#45 % | █"),
            ("x86_64 UTF-8", "~ ~"),
        ] {
            assert_eq!(short(line), want, "{line}");
        }
    }
}
