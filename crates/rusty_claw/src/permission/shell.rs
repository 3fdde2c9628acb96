//! Matches shell commands against rules, parsed as the shell parses them.
//!
//! There is one parser and there are two checks. An allow requires that every command of a line is
//! parsed and covered by a rule ([`cover`]); anything else is not allowed. A deny or an ask also
//! matches what a line might run ([`net`]), including anything that cannot be parsed.

mod budget;
mod cover;
mod folder;
mod kinds;
mod net;
mod programs;
mod reader;
mod script;
mod word;

use super::fit::Fit;
use super::path_context::PathContext;
pub(super) use budget::Budget;
use reader::{Comments, Reader};
use script::Part;
pub(super) use script::{CommandRule, Script};
use word::Word;

impl CommandRule {
    /// Parses a rule in the CLI's notation: `git status` matches exactly these words, `git log:*`
    /// and `git log *` also match further ones. Returns `None` if it is not one simple command.
    pub(super) fn read(text: &str) -> Option<Self> {
        let open = text.strip_suffix(":*").or_else(|| text.strip_suffix(" *"));
        let rule = Self::new(open.unwrap_or(text), open.is_some());
        rule.readable.then_some(rule)
    }

    /// Matches commands that begin with these words.
    pub(super) fn starting(words: &str) -> Self {
        Self::new(words, true)
    }

    /// Matches commands of exactly these words.
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

    /// How well rules match: `Yes` if every command is covered and does no more than its rule
    /// allows; `Perhaps` if a rule matches, or might match, one of them. If only `Yes` counts
    /// (`least`), everything else is `Perhaps`.
    pub(super) fn fit(
        &self,
        rules: &[CommandRule],
        around: &PathContext,
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
