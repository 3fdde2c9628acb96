//! Shell commands, read just well enough to compare them with rules.
//!
//! This is no shell. It reads words, quotes and the marks between commands; whatever else it
//! meets makes the command opaque. An opaque command matches no rule that allows, and every rule
//! that denies and could be meant.

use super::rule::Fit;

/// A command line, read.
#[derive(Debug, PartialEq)]
pub(super) struct Script {
    parts: Vec<Part>,
}

/// One command of a command line.
#[derive(Debug, Default, PartialEq)]
struct Part {
    words: Vec<Word>,
    /// Whether it sets variables first, reads or writes a file beside its arguments, or holds what
    /// this module does not read.
    opaque: bool,
    /// The characters as they stand, to look for names in.
    text: String,
}

#[derive(Debug, Default, PartialEq)]
struct Word {
    text: String,
    /// Whether the shell takes it as it is.
    literal: bool,
}

/// Which commands a rule means.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CommandPattern {
    words: Vec<String>,
    exact: bool,
}

/// Programs that run what they are given.
const LAUNCHERS: &[&str] = &[
    ".", "ash", "awk", "bash", "builtin", "busybox", "chroot", "command", "cron", "dash", "doas",
    "docker", "env", "eval", "exec", "fd", "find", "fish", "flock", "gawk", "ionice", "ksh",
    "nice", "node", "nohup", "nsenter", "parallel", "perl", "podman", "python", "python3", "ruby",
    "script", "setsid", "sg", "sh", "source", "ssh", "stdbuf", "strace", "su", "sudo", "taskset",
    "time", "timeout", "trap", "unshare", "watch", "xargs", "zsh",
];

/// Words that begin something else than a command.
const RESERVED: &[&str] = &[
    "!", "[[", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function",
    "if", "in", "select", "then", "until", "while", "{", "}",
];

impl CommandPattern {
    /// The first words of a command.
    pub(super) fn starting(words: &str) -> Self {
        Self {
            words: words.split_whitespace().map(str::to_owned).collect(),
            exact: false,
        }
    }

    /// All words of a command.
    pub(super) fn exactly(words: &str) -> Self {
        Self {
            exact: true,
            ..Self::starting(words)
        }
    }
}

impl Script {
    /// Reads a command line.
    pub(super) fn read(command: &str) -> Self {
        Reader::default().read(command)
    }

    /// How well the patterns of a rule fit: surely, when every command is one of those meant;
    /// perhaps, when one of them is, or could be.
    pub(super) fn fit(&self, patterns: &[CommandPattern]) -> Fit {
        let fit = |part: &Part| {
            let fits = patterns.iter().map(|pattern| part.fit(pattern));
            fits.max().unwrap_or(Fit::No)
        };
        let fits: Vec<Fit> = self.parts.iter().map(fit).collect();
        match (fits.iter().min(), fits.iter().max()) {
            (Some(Fit::Yes), _) => Fit::Yes,
            (_, Some(Fit::Yes | Fit::Perhaps)) => Fit::Perhaps,
            _ => Fit::No,
        }
    }
}

impl Part {
    fn fit(&self, pattern: &CommandPattern) -> Fit {
        let Some((program, rest)) = pattern.words.split_first() else {
            return Fit::Perhaps;
        };
        if !self.opaque && self.is_surely(pattern) {
            return Fit::Yes;
        }
        let Some(first) = self.words.first() else {
            return if self.opaque && names(&self.text, program) {
                Fit::Perhaps
            } else {
                Fit::No
            };
        };
        // A program that only the shell can name could be any program.
        let anything = !first.literal;
        let launches = LAUNCHERS.contains(&base(&first.text)) || self.opaque;
        let named = base(&first.text) == base(program) && subsequence(&self.words, rest)
            || launches && names(&self.text, program)
            || launches && self.words.iter().any(|word| names(&word.text, program));
        if anything || named {
            Fit::Perhaps
        } else {
            Fit::No
        }
    }

    /// Whether each word of the pattern stands where it must.
    fn is_surely(&self, pattern: &CommandPattern) -> bool {
        let same = |(word, wanted): (&Word, &String)| word.literal && word.text == *wanted;
        let long_enough = if pattern.exact {
            self.words.len() == pattern.words.len()
        } else {
            self.words.len() >= pattern.words.len()
        };
        long_enough && self.words.iter().zip(&pattern.words).all(same)
    }

    fn is_empty(&self) -> bool {
        self.words.is_empty() && !self.opaque
    }
}

/// Whether the words come in this order, with anything between them: `git -C x push` is a push.
/// A word that only the shell can tell could be any of them.
fn subsequence(words: &[Word], wanted: &[String]) -> bool {
    let mut words = words.iter().skip(1);
    wanted
        .iter()
        .all(|wanted| words.any(|word| !word.literal || word.text == *wanted))
}

/// Whether a text holds the name of a program as a word of its own.
fn names(text: &str, program: &str) -> bool {
    let in_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+');
    text.split(|c: char| !in_name(c))
        .any(|word| !word.is_empty() && base(word) == base(program))
}

/// The name of a program without its folder.
fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

#[derive(Debug, Default)]
struct Reader {
    parts: Vec<Part>,
    part: Part,
    word: Option<Word>,
}

impl Reader {
    fn read(mut self, command: &str) -> Script {
        let mut chars = command.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\n' | ';' => self.end_part(),
                '|' => {
                    if matches!(chars.peek(), Some('|' | '&')) {
                        chars.next();
                    }
                    self.end_part();
                }
                '&' if chars.peek() == Some(&'>') => {
                    chars.next();
                    self.redirect('>', &mut chars);
                }
                '&' => {
                    if chars.peek() == Some(&'&') {
                        chars.next();
                    }
                    self.end_part();
                }
                '<' | '>' => self.redirect(c, &mut chars),
                ' ' | '\t' => {
                    self.end_word();
                    self.part.text.push(c);
                }
                '\'' => self.quoted(&mut chars),
                '"' => self.double_quoted(&mut chars),
                '\\' => match chars.next() {
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
                c if c.is_control() => self.push_opaque(c),
                c => self.push(c),
            }
        }
        self.end_part();
        Script { parts: self.parts }
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_with(|| Word {
            text: String::new(),
            literal: true,
        })
    }

    fn push(&mut self, c: char) {
        self.part.text.push(c);
        self.word().text.push(c);
    }

    fn push_opaque(&mut self, c: char) {
        self.push(c);
        self.word().literal = false;
        self.part.opaque = true;
    }

    fn quoted(&mut self, chars: &mut impl Iterator<Item = char>) {
        self.word();
        for c in chars {
            if c == '\'' {
                return;
            }
            self.push(c);
        }
        self.part.opaque = true;
    }

    fn double_quoted(&mut self, chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
        self.word();
        while let Some(c) = chars.next() {
            match c {
                '"' => return,
                '$' | '`' => self.push_opaque(c),
                '\\' if matches!(chars.peek(), Some('$' | '`' | '"' | '\\')) => {
                    if let Some(next) = chars.next() {
                        self.push(next);
                    }
                }
                '\\' if chars.peek() == Some(&'\n') => {
                    chars.next();
                }
                c => self.push(c),
            }
        }
        self.part.opaque = true;
    }

    /// A redirection. To nowhere or to another stream it changes nothing; else it is something
    /// that a rule about a program does not speak of.
    fn redirect(&mut self, mark: char, chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
        // A number right before the mark is a stream, not a word.
        let stream = self
            .word
            .take_if(|word| word.literal && is_number(&word.text));
        if stream.is_none() {
            self.end_word();
        }
        let mut target = String::new();
        let mut double = false;
        if mark == '>' && matches!(chars.peek(), Some('>' | '|')) {
            chars.next();
        } else if mark == '<' && matches!(chars.peek(), Some('<' | '>' | '(')) {
            double = true;
        }
        while chars.peek() == Some(&' ') {
            chars.next();
        }
        if chars.peek() == Some(&'&') {
            target.extend(chars.next());
        }
        let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_' | '.');
        while let Some(c) = chars.next_if(plain) {
            target.push(c);
        }
        // What follows the target without a blank is part of it.
        let ends = matches!(
            chars.peek(),
            None | Some(' ' | '\t' | '\n' | ';' | '|' | '&' | ')')
        );
        self.part.text.push(' ');
        self.part.text.push_str(&target);
        let harmless = matches!(target.as_str(), "&1" | "&2" | "/dev/null");
        self.part.opaque |= double || !ends || !harmless;
    }

    fn end_word(&mut self) {
        let Some(mut word) = self.word.take() else {
            return;
        };
        // Alone these two are a test and its end, not a pattern.
        word.literal |= matches!(word.text.as_str(), "[" | "]");
        let first = self.part.words.is_empty();
        // A word such as `PATH=/tmp` in front sets a variable, which can change what runs.
        let sets = first
            && word
                .text
                .split_once('=')
                .is_some_and(|(name, _)| is_name(name));
        if first && (sets || RESERVED.contains(&word.text.as_str())) {
            self.part.opaque = true;
        }
        if !sets {
            self.part.words.push(word);
        }
    }

    fn end_part(&mut self) {
        self.end_word();
        let part = std::mem::take(&mut self.part);
        if !part.is_empty() {
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

#[cfg(test)]
mod tests;
