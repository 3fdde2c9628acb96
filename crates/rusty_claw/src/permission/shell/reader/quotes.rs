//! Quotes and backslashes.

use super::Reader;
use super::forms::here_text;

impl Reader<'_> {
    pub(super) fn escaped(&mut self) {
        match self.next() {
            // A line continuation.
            Some('\n') => {}
            Some(next) => {
                self.word().quoted = true;
                self.push_quoted(next);
            }
            None => {
                self.beyond("a backslash at the end");
                self.part.opaque = true;
            }
        }
    }

    pub(super) fn quoted(&mut self) {
        self.word().quoted = true;
        while let Some(c) = self.next() {
            if c == '\'' {
                return;
            }
            self.push_quoted(c);
        }
        self.beyond("quotes without an end");
        self.part.opaque = true;
    }

    pub(super) fn double_quoted(&mut self) {
        self.word().quoted = true;
        while let Some(c) = self.next() {
            match c {
                '"' => return,
                '`' => self.push_beyond(c, "a command substitution"),
                // Each attempt may read the rest of the line, so only the first one is made.
                '$' if self.beyond.is_none() && self.here_text() => {}
                '$' if self.next_if(|c| c == '?').is_some() => {
                    self.word().may_be_option = true;
                    self.push_opaque(c);
                    self.push('?');
                }
                '$' => {
                    // Only before these it is a plain dollar sign.
                    if !matches!(self.peek(), Some('"' | ' ' | '/' | '|' | ')')) {
                        self.beyond("a variable or a substitution");
                    }
                    self.push_opaque(c);
                }
                '\\' => match self.next_if(|c| matches!(c, '$' | '`' | '"' | '\\' | '\n')) {
                    Some('\n') => {}
                    Some(next) => self.push_quoted(next),
                    None => self.push_quoted(c),
                },
                c => self.push_quoted(c),
            }
        }
        self.beyond("quotes without an end");
        self.part.opaque = true;
    }

    /// Reads the rest of `"$(cat <<'E' … E )"` after its dollar sign: the usual way to write a
    /// message of several lines. The text up to the delimiter is literal, without trailing line
    /// ends. Returns false, and reads nothing, for any other substitution.
    fn here_text(&mut self) -> bool {
        let Some((text, rest)) = here_text(self.rest()) else {
            return false;
        };
        self.at = self.text.len() - rest.len();
        text.chars().for_each(|c| self.push_quoted(c));
        self.part.opaque = true;
        true
    }
}
