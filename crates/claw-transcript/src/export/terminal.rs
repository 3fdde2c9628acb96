//! Text that a program wrote for a terminal, without its escape sequences.

use memchr::{memchr, memchr3};

/// The longest title or link of a terminal that is dropped, in bytes.
const LONGEST_TITLE: usize = 400;

/// The style of a run of text in a terminal.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) bold: bool,
    /// One of the 16 basic colours.
    pub(super) colour: Option<u8>,
}

/// Returns whether a character changes the direction of the text that follows.
pub(super) fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Splits text at escape sequences into runs of one style each.
pub(super) fn runs(text: &str) -> Runs<'_> {
    Runs {
        rest: text,
        style: Style::default(),
    }
}

pub(super) struct Runs<'t> {
    rest: &'t str,
    style: Style,
}

impl<'t> Iterator for Runs<'t> {
    type Item = (Style, &'t str);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(sequence) = self.rest.strip_prefix('\u{1b}') {
            self.rest = &sequence[self.sequence_len(sequence)..];
        }
        let rest = self.rest;
        let end = memchr(0x1b, rest.as_bytes()).unwrap_or(rest.len());
        self.rest = &rest[end..];
        (end > 0).then(|| (self.style, &rest[..end]))
    }
}

impl Runs<'_> {
    /// Applies the escape sequence at the start of `text`, after its escape character. Returns its
    /// length.
    fn sequence_len(&mut self, text: &str) -> usize {
        let bytes = text.as_bytes();
        match bytes.first() {
            Some(b'[') => {
                let inner = bytes[1..].iter();
                let end = 1 + inner.take_while(|b| matches!(b, b' '..=b'?')).count();
                match bytes.get(end) {
                    Some(b'm') => {
                        self.style.select(&text[1..end]);
                        end + 1
                    }
                    Some(b'@'..=b'~') => end + 1,
                    _ => end,
                }
            }
            Some(b']') => title_len(bytes).unwrap_or(1),
            // A character set, named by the next byte.
            Some(b'(' | b')') => 1 + usize::from(bytes.get(1).is_some_and(u8::is_ascii_graphic)),
            Some(b) => usize::from(b.is_ascii_graphic()),
            None => 0,
        }
    }
}

/// The length of a title or a link up to its bell or string terminator; `None` if its line has
/// neither.
fn title_len(bytes: &[u8]) -> Option<usize> {
    let window = &bytes[..bytes.len().min(LONGEST_TITLE)];
    let end = memchr3(0x07, 0x1b, b'\n', window)?;
    match window[end] {
        0x07 => Some(end + 1),
        0x1b if bytes.get(end + 1) == Some(&b'\\') => Some(end + 2),
        _ => None,
    }
}

impl Style {
    /// Applies the parameters of "select graphic rendition".
    fn select(&mut self, parameters: &str) {
        let mut numbers = parameters
            .split([';', ':'])
            .map(|number| number.parse::<u16>().unwrap_or(0));
        while let Some(number) = numbers.next() {
            match number {
                0 => *self = Self::default(),
                1 => self.bold = true,
                22 => self.bold = false,
                30..=37 => self.colour = u8::try_from(number - 30).ok(),
                90..=97 => self.colour = u8::try_from(number - 82).ok(),
                39 => self.colour = None,
                38 | 48 => match numbers.next() {
                    Some(5) => {
                        let index = u8::try_from(numbers.next().unwrap_or_default()).ok();
                        if number == 38 {
                            self.colour = index.filter(|index| *index < 16);
                        }
                    }
                    Some(2) => numbers.by_ref().take(3).for_each(drop),
                    _ => {}
                },
                _ => {}
            }
        }
    }
}
