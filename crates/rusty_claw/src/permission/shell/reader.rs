//! The characters of a command line, read into words and commands.

use super::programs::is_reserved;
use super::{Part, Script, Word};

#[derive(Debug)]
pub(super) struct Reader<'a> {
    text: &'a str,
    /// Where the next character is.
    at: usize,
    /// Where the part begins.
    begin: usize,
    parts: Vec<Part>,
    part: Part,
    word: Option<Word>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            begin: 0,
            parts: Vec::new(),
            part: Part::default(),
            word: None,
        }
    }

    pub(super) fn read(mut self) -> Script {
        let mut unread = None;
        while let Some(c) = self.next() {
            match c {
                '\n' | ';' => self.end_part(),
                '|' => {
                    self.next_if(|c| matches!(c, '|' | '&'));
                    self.end_part();
                }
                '&' if self.peek() == Some('>') => {
                    // Not every shell takes this for one mark; to others it ends a command.
                    self.end_part();
                    self.next();
                    self.redirect('>');
                }
                '&' => {
                    self.next_if(|c| c == '&');
                    self.end_part();
                }
                // What follows is text up to a line that this reader would have to find as the
                // shell does. It does not try: a quote in there would turn commands into text.
                '<' if self.peek() == Some('<') => {
                    unread = self.rest().get(1..).map(str::to_owned);
                    self.at = self.text.len();
                    self.part.opaque = true;
                }
                '<' | '>' => self.redirect(c),
                ' ' | '\t' => self.end_word(),
                '\'' => self.quoted(),
                '"' => self.double_quoted(),
                '\\' => match self.next() {
                    Some('\n') => {}
                    Some(next) => self.push(next),
                    None => self.part.opaque = true,
                },
                '$' | '`' | '(' | ')' => self.push_opaque(c),
                '#' if self.word.is_none() => self.push_opaque(c),
                '*' | '?' | '[' | ']' | '{' | '}' | '~' | '!' => {
                    self.push(c);
                    self.word().literal = false;
                }
                // Some shells take other blanks for blanks.
                c if c.is_control() || c.is_whitespace() => self.push_opaque(c),
                c => self.push(c),
            }
        }
        self.end_part();
        Script {
            parts: self.parts,
            text: self.text.to_owned(),
            unread,
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        self.next_if(|_| true)
    }

    fn next_if(&mut self, wanted: impl Fn(char) -> bool) -> Option<char> {
        let c = self.peek().filter(|c| wanted(*c))?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_with(|| Word {
            text: String::new(),
            literal: true,
        })
    }

    fn push(&mut self, c: char) {
        self.word().text.push(c);
    }

    fn push_opaque(&mut self, c: char) {
        self.push(c);
        self.word().literal = false;
        self.part.opaque = true;
    }

    fn quoted(&mut self) {
        self.word();
        while let Some(c) = self.next() {
            if c == '\'' {
                return;
            }
            self.push(c);
        }
        self.part.opaque = true;
    }

    fn double_quoted(&mut self) {
        self.word();
        while let Some(c) = self.next() {
            match c {
                '"' => return,
                '$' | '`' => self.push_opaque(c),
                '\\' => match self.next_if(|c| matches!(c, '$' | '`' | '"' | '\\' | '\n')) {
                    Some('\n') => {}
                    Some(next) => self.push(next),
                    None => self.push(c),
                },
                c => self.push(c),
            }
        }
        self.part.opaque = true;
    }

    /// A redirection. To nowhere or to another stream it changes nothing; else it is something
    /// that a rule about a program does not speak of.
    fn redirect(&mut self, mark: char) {
        // A number right before the mark is a stream, not a word.
        let stream = self
            .word
            .take_if(|word| word.literal && is_number(&word.text));
        if stream.is_none() {
            self.end_word();
        }
        let mut target = String::new();
        let mut double = false;
        if mark == '>' {
            self.next_if(|c| matches!(c, '>' | '|'));
        } else {
            double = matches!(self.peek(), Some('>' | '('));
        }
        while self.next_if(|c| c == ' ').is_some() {}
        target.extend(self.next_if(|c| c == '&'));
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_' | '.');
        while let Some(c) = self.next_if(plain) {
            target.push(c);
        }
        // What follows the target without a blank is part of it.
        let ends = matches!(
            self.peek(),
            None | Some(' ' | '\t' | '\n' | ';' | '|' | '&' | ')')
        );
        let harmless = matches!(target.as_str(), "&1" | "&2" | "/dev/null");
        self.part.opaque |= double || !ends || !harmless;
    }

    fn end_word(&mut self) {
        let Some(mut word) = self.word.take() else {
            return;
        };
        // Alone these two are a test and its end, not a pattern. A brace or a `!` alone is a mark,
        // and what follows it is the command.
        word.literal |= matches!(word.text.as_str(), "[" | "]" | "{" | "}" | "!");
        let first = self.part.words.is_empty();
        // A word such as `PATH=/tmp` in front sets a variable, which can change what runs.
        let sets = first
            && word
                .text
                .split_once('=')
                .is_some_and(|(name, _)| is_name(name));
        if first && (sets || is_reserved(&word.text)) {
            self.part.opaque = true;
        }
        if !sets {
            self.part.words.push(word);
        }
    }

    fn end_part(&mut self) {
        self.end_word();
        let mut part = std::mem::take(&mut self.part);
        let begin = std::mem::replace(&mut self.begin, self.at);
        if !part.is_empty() {
            part.text = self.text.get(begin..self.at).unwrap_or_default().to_owned();
            self.parts.push(part);
        }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_name(text: &str) -> bool {
    // `x+=1` and `x[1]=1` set variables too.
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '[' | ']'))
}
