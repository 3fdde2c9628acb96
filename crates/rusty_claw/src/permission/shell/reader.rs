//! Parses a command line into words and commands.
//!
//! It supports the part of bash that starts programs with plain words and joins them by `&&`, `||`,
//! `;`, `|` and line ends, and five forms whose result is known without running anything:
//! `"$(cat <<'E' …)"`, `"$?"`, `< file`, patterns, and variables of a fixed list that are set in
//! front of a command. Everything else (expansions, substitutions, other assignments, redirections
//! to files, control words, here-documents, background jobs) is reported as `beyond`, because its
//! effect cannot be determined from the words of a rule. Parsing continues after it, for callers
//! that search for what could be meant.

mod braces;
mod forms;
mod quotes;
mod redirect;
mod signs;

use self::braces::Braces;
use self::forms::{is_name, sets_harmless_variable};
use self::signs::{invisible, joins_emoji, looks_like_a_sign, unseen};
use super::kinds::{is_control_word, is_reserved};
use super::script::{Part, Script};
use super::word::Word;

#[derive(Debug)]
pub(super) struct Reader<'a> {
    text: &'a str,
    comments: Comments,
    /// The position of the next character.
    at: usize,
    /// The start of the current part.
    begin: usize,
    parts: Vec<Part>,
    part: Part,
    word: Option<Word>,
    braces: Braces,
    /// Whether the word has an unquoted `=`, so that it may be an assignment.
    sets: bool,
    /// Whether the part has a redirection or an assignment, and so may have no command.
    redirected: bool,
    /// Whether the part follows `&>`. In bash it belongs to the command before it; in other shells
    /// it is another command.
    behind_both: bool,
    /// Whether the last operator must be followed by a command.
    joined: bool,
    unread: Option<String>,
    beyond: Option<String>,
}

/// How comments are treated: not every shell supports them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Comments {
    Skipped,
    Words,
}

/// What ends a command.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    /// A line end, or the end of the text.
    Line,
    Semicolon,
    /// `&&` and `||`.
    Joined,
    /// `|` and `|&`.
    Pipe,
    /// `&`, and `&>`, which may be one.
    Ampersand,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, comments: Comments) -> Self {
        Self {
            text,
            comments,
            at: 0,
            begin: 0,
            parts: Vec::new(),
            part: Part::default(),
            word: None,
            braces: Braces::default(),
            sets: false,
            redirected: false,
            behind_both: false,
            joined: false,
            unread: None,
            beyond: None,
        }
    }

    pub(super) fn read(mut self) -> Script {
        while let Some(c) = self.next() {
            match c {
                '\n' => self.end_part(End::Line),
                ';' => {
                    if matches!(self.peek(), Some(';' | '&' | '|')) {
                        self.beyond("a case of control words");
                    }
                    self.end_part(End::Semicolon);
                }
                '|' if self.next_if(|c| c == '|').is_some() => self.end_part(End::Joined),
                '|' => {
                    self.next_if(|c| c == '&');
                    self.end_part(End::Pipe);
                }
                '&' if self.peek() == Some('>') => {
                    self.end_part(End::Ampersand);
                    self.next();
                    self.redirect('>', true);
                    self.behind_both = true;
                }
                '&' if self.next_if(|c| c == '&').is_some() => self.end_part(End::Joined),
                '&' => {
                    self.beyond("a command in the background");
                    self.end_part(End::Ampersand);
                }
                // The text up to the delimiter is not parsed: the delimiter would have to be found
                // as the shell does, or a quote in the text would turn commands into text.
                '<' if self.peek() == Some('<') => {
                    self.beyond("a here-document");
                    self.unread = self.rest().get(1..).map(str::to_owned);
                    self.at = self.text.len();
                    self.part.opaque = true;
                }
                '<' | '>' => self.redirect(c, false),
                ' ' | '\t' => self.end_word(),
                '\'' => self.quoted(),
                '"' => self.double_quoted(),
                '\\' => self.escaped(),
                '$' => self.push_beyond(c, "a variable or a substitution"),
                '`' => self.push_beyond(c, "a command substitution"),
                '(' | ')' => self.push_beyond(c, "brackets of a subshell or a function"),
                '#' if self.word.is_none() => self.hash(),
                c => self.letter(c),
            }
        }
        self.end_part(End::Line);
        if self.joined {
            self.beyond("an operator without a command behind it");
        }
        if self.parts.is_empty() {
            self.beyond("no command");
        }
        Script {
            parts: self.parts,
            text: self.text.to_owned(),
            unread: self.unread,
            beyond: self.beyond,
        }
    }

    /// Records the first thing that is beyond simple commands.
    fn beyond(&mut self, what: impl Into<String>) {
        self.beyond.get_or_insert_with(|| what.into());
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
        self.word.get_or_insert_with(|| Word::plain(""))
    }

    fn push(&mut self, c: char) {
        self.word().text.push(c);
    }

    fn push_opaque(&mut self, c: char) {
        self.push(c);
        self.word().literal = false;
        self.part.opaque = true;
    }

    fn push_beyond(&mut self, c: char, what: &str) {
        self.beyond(what);
        self.push_opaque(c);
    }

    /// Appends a character in quotes or after a backslash.
    fn push_quoted(&mut self, c: char) {
        if self.beyond.is_none()
            && let Some(hidden) = unseen(c).filter(|_| !joins_emoji(c))
        {
            self.beyond(hidden);
        }
        self.push(c);
    }

    /// Appends a literal character, or a wildcard for file names.
    fn letter(&mut self, c: char) {
        if let Some(list) = self.braces.see(c) {
            self.beyond(list);
        }
        match c {
            '*' | '?' | '[' | ']' | '{' | '}' | '~' | '!' => {
                let word = self.word();
                if matches!(c, '*' | '?' | '[') {
                    word.pattern_at.push(word.text.len());
                }
                word.home |= c == '~' && word.text.is_empty() && !word.quoted;
                word.literal = false;
                self.push(c);
            }
            // Some shells treat other white space as blanks.
            c if c.is_control() || c.is_whitespace() => {
                if self.beyond.is_none() {
                    self.beyond(invisible(c));
                }
                self.push_opaque(c);
            }
            c => {
                self.sets |= c == '=' && !self.word().quoted;
                if self.beyond.is_none()
                    && let Some(hidden) = unseen(c).or_else(|| looks_like_a_sign(c))
                {
                    self.beyond(hidden);
                }
                self.push(c);
            }
        }
    }

    fn hash(&mut self) {
        match self.comments {
            Comments::Skipped => {
                let comment = self.rest().split('\n').next().unwrap_or_default();
                // An invisible character may make a command look like part of the comment.
                let mut signs = comment.chars().filter(|c| !joins_emoji(*c));
                if let Some(hidden) = signs.find_map(unseen) {
                    self.beyond(hidden);
                }
                self.at += comment.len();
            }
            Comments::Words => self.push_beyond('#', "a comment"),
        }
    }

    fn end_word(&mut self) {
        self.braces = Braces::default();
        let Some(mut word) = self.word.take() else {
            return;
        };
        // Alone, `[` and `]` are a test and its end, not a pattern. A brace or a `!` alone is a
        // control word, and the command follows it.
        word.literal |= matches!(word.text.as_str(), "[" | "]" | "{" | "}" | "!");
        if word.text == "[" {
            word.pattern_at.clear();
        }
        // A word such as `PATH=/tmp` in front sets a variable, which can change what runs.
        let is_first = self.part.words.is_empty();
        let unquoted = std::mem::take(&mut self.sets);
        let sets = is_first
            && word
                .text
                .split_once('=')
                .is_some_and(|(name, _)| is_name(name));
        if is_first && unquoted && !self.behind_both && sets_harmless_variable(&word) {
            self.part.opaque = true;
            self.redirected = true;
            return;
        }
        if is_first {
            self.first_word(&word, sets);
        }
        // A matching file may be named `--output=x`.
        word.may_be_option |= word.is_pattern() && word.text.starts_with(['*', '?', '[', '-', '+']);
        if word.text.starts_with('=') && !word.quoted {
            // zsh replaces it with the path of that program.
            self.beyond("a word that begins with `=`");
        }
        if self.behind_both {
            self.beyond("words behind `&>`");
        }
        if !sets {
            self.part.words.push(word);
        }
    }

    fn first_word(&mut self, word: &Word, sets: bool) {
        if sets || is_reserved(&word.text) {
            self.part.opaque = true;
        }
        if word.text.contains('=') {
            self.beyond("an assignment");
        } else if is_control_word(&word.text) {
            self.beyond("a control word");
        } else if word.text.is_empty() {
            self.beyond("a program without a name");
        } else if word.is_pattern() || word.may_be_option {
            self.beyond("a program that only the shell can name");
        }
    }

    fn end_part(&mut self, end: End) {
        self.end_word();
        let needs_command = match end {
            End::Line => self.redirected,
            _ => true,
        };
        let redirected = std::mem::take(&mut self.redirected);
        let behind_both = std::mem::take(&mut self.behind_both);
        let next = Part {
            piped: end == End::Pipe || self.part.words.is_empty() && self.part.piped,
            ..Part::default()
        };
        let mut part = std::mem::replace(&mut self.part, next);
        if part.words.is_empty() && needs_command && !(behind_both && redirected) {
            self.beyond("an operator or a redirection without a command");
        }
        self.joined = match end {
            End::Joined | End::Pipe => true,
            _ => self.joined && part.words.is_empty(),
        };
        let begin = std::mem::replace(&mut self.begin, self.at);
        if !part.words.is_empty() || part.opaque {
            part.text = self.text.get(begin..self.at).unwrap_or_default().to_owned();
            self.parts.push(part);
        }
    }
}
