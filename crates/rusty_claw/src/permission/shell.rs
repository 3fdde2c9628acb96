//! Shell commands against rules, read as the shell reads them.
//!
//! There is one reader and there are two questions. A rule that allows asks whether a command line
//! does nothing but what it says ([`cover`]); what is not understood is not allowed. A rule that
//! denies or asks wants to know what could be meant ([`net`]); what is not understood could be.

mod budget;
mod cover;
mod folder;
mod net;
mod programs;
mod reader;
mod word;

use super::path::Surroundings;
use super::rule::Fit;
pub(super) use budget::Budget;
use reader::{Comments, Reader};
use word::Word;

/// A command line, read.
#[derive(Debug, Default)]
pub(super) struct Script {
    parts: Vec<Part>,
    /// The characters as they stand.
    text: String,
    /// What follows the mark of a here-document. Where that ends, and what of it is a command, is
    /// not read.
    unread: Option<String>,
    /// What in it is more than simple commands with plain words, if anything is.
    beyond: Option<String>,
}

/// One command of a command line.
#[derive(Debug, Default)]
struct Part {
    words: Vec<Word>,
    /// Whether it sets variables first, reads or writes a file beside its arguments, or holds what
    /// this module does not read.
    opaque: bool,
    /// Whether it reads the output of another command, or a file.
    piped: bool,
    /// The characters as they stand.
    text: String,
}

/// Which commands a rule means.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CommandRule {
    words: Vec<Word>,
    /// Whether further words may follow.
    open: bool,
    /// Whether it is one simple command; else it allows nothing.
    readable: bool,
}

impl CommandRule {
    /// Reads a rule as people and the CLI write it: `git status` means exactly these words,
    /// `git log:*` and `git log *` these and further ones. None when it is not one simple command.
    pub(super) fn read(text: &str) -> Option<Self> {
        let open = text.strip_suffix(":*").or_else(|| text.strip_suffix(" *"));
        let rule = Self::new(open.unwrap_or(text), open.is_some());
        rule.readable.then_some(rule)
    }

    /// The first words of a command.
    pub(super) fn starting(words: &str) -> Self {
        Self::new(words, true)
    }

    /// All words of a command.
    pub(super) fn exactly(words: &str) -> Self {
        Self::new(words, false)
    }

    fn new(text: &str, open: bool) -> Self {
        let script = Reader::new(text, Comments::Words).read();
        match <[Part; 1]>::try_from(script.parts) {
            Ok([part]) if script.beyond.is_none() && !part.opaque => Self {
                words: part.words,
                open,
                readable: true,
            },
            _ => Self {
                words: text.split_whitespace().map(Word::plain).collect(),
                open,
                readable: false,
            },
        }
    }
}

impl Script {
    /// Parses a command line. A line that is too long is not parsed and counts as unsupported.
    pub(super) fn read(command: &str) -> Self {
        if let Some(too_much) = budget::too_much(command) {
            return Self {
                text: command.to_owned(),
                beyond: Some(too_much.to_owned()),
                ..Self::default()
            };
        }
        Reader::new(command, Comments::Skipped).read()
    }

    /// The words of each command. `None` if a pattern, `~` or `"$?"` makes them depend on files or
    /// on earlier commands.
    #[allow(
        dead_code,
        reason = "for a test and a fuzz target, which ask bash for the same words"
    )]
    pub(super) fn settled_words(&self) -> Option<Vec<Vec<&str>>> {
        fn settled(word: &Word) -> Option<&str> {
            let depends =
                word.is_pattern() || word.may_be_option || word.home || word.text.contains('~');
            (!depends).then_some(&*word.text)
        }
        let words = |part| {
            let part: &Part = part;
            part.words.iter().map(settled).collect()
        };
        self.parts.iter().map(words).collect()
    }

    /// How well rules fit: surely, when every command is one of those meant and does no more than
    /// its rule says; perhaps, when one of them is meant, or could be. What could be meant is not
    /// looked for where only a sure fit counts (`least`).
    pub(super) fn fit(
        &self,
        rules: &[CommandRule],
        around: &Surroundings,
        least: Fit,
        budget: &Budget,
    ) -> Fit {
        let could_run = |rule| net::could_run(&self.text, rule, net::Within::nothing(budget));
        if self.check(rules, around, budget).is_ok() {
            Fit::Yes
        } else if least == Fit::Yes || rules.iter().any(could_run) {
            Fit::Perhaps
        } else {
            Fit::No
        }
    }
}

#[cfg(test)]
mod attacks;
#[cfg(test)]
#[cfg(unix)]
mod bash_agrees;
#[cfg(test)]
mod hostile_lines;
#[cfg(test)]
#[cfg(unix)]
mod referee;
#[cfg(test)]
mod tests;
