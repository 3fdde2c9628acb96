//! Whether a command line does nothing but what rules say: for rules that allow.

use std::path::Path;

use super::budget::MOST_COMMANDS;
use super::folder::may_be_in_repository;
use super::programs::{self, finds_code_here, judge, only_reads, takes_code};
use super::word::{Word, shown};
use super::{CommandRule, Part, Script, Surroundings};
use crate::permission::protected::is_protected;

impl Script {
    /// Ok when every command is covered by some rule, and the shell does nothing besides; else
    /// why not, in words for a person.
    pub(in super::super) fn check(
        &self,
        rules: &[CommandRule],
        around: &Surroundings,
    ) -> Result<(), String> {
        if let Some(beyond) = &self.beyond {
            return Err(format!("the line has {beyond}"));
        }
        if self.parts.len() > MOST_COMMANDS {
            return Err(format!("the line has more than {MOST_COMMANDS} commands"));
        }
        let mut stands = Stands::Here;
        let mut moved = false;
        for part in &self.parts {
            part.check(rules, around)?;
            stands.check(&part.words)?;
            stands = stands.after(&part.words, around)?;
            // The search of `git add` runs before any file is moved.
            if moved && is_called(&part.words, &["git", "add"]) {
                return Err("`git add` may find other files after `mv`".to_owned());
            }
            moved |= is_called(&part.words, &["mv"]);
        }
        Ok(())
    }
}

fn is_called(words: &[Word], wanted: &[&str]) -> bool {
    let mut words = words.iter();
    let all = |name: &&str| words.any(|word| word.text == **name);
    wanted.iter().all(all)
}

/// Where a command of a line stands: rules are about programs in the folder of the session.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
enum Stands {
    Here,
    /// In a folder of this one.
    Below,
    Elsewhere,
}

impl Stands {
    fn after(self, command: &[Word], around: &Surroundings) -> Result<Self, String> {
        let moves = |word: &Word| matches!(word.text.as_str(), "cd" | "chdir" | "pushd" | "popd");
        // Also behind `command` and `builtin`.
        let Some(at) = command.iter().take(2).position(moves) else {
            return Ok(self);
        };
        let is_below = |word: &Word| {
            let climbs = word.text.split('/').any(|name| name == "..");
            let begins = word.text.starts_with(['/', '-']);
            let is_told = !(word.home || word.is_pattern() || word.may_be_option);
            is_told && !(climbs || begins || word.text.is_empty()) && !is_protected(&word.text)
        };
        let below = match command.get(at + 1..).unwrap_or_default() {
            [word] if !word.home && around.is_in(Path::new(&word.text)) => return Ok(Self::Here),
            // The next command line runs there too.
            [word] if is_below(word) && may_be_in_repository(&word.text, around) => {
                return Err(format!("`{}` is in another repository", word.text));
            }
            [word] if is_below(word) => Self::Below,
            _ => Self::Elsewhere,
        };
        Ok(if self > below { self } else { below })
    }

    fn check(self, command: &[Word]) -> Result<(), String> {
        let other_code = match self {
            Self::Here => false,
            Self::Below => finds_code_here(command),
            Self::Elsewhere => !only_reads(command),
        };
        if other_code {
            let shown = shown(command);
            return Err(format!(
                "`{shown}` would run behind `cd`, where other code may be"
            ));
        }
        Ok(())
    }
}

impl Part {
    fn check(&self, rules: &[CommandRule], around: &Surroundings) -> Result<(), String> {
        let mut why = None;
        let handed = programs::handed_by_xargs(&self.words);
        for rule in rules.iter().filter(|rule| rule.readable) {
            let covered = match handed {
                Some(inner) if rule.open && rule.covers(inner, around).is_ok() => Ok(()),
                _ => rule.covers(&self.words, around),
            };
            match covered {
                Ok(()) if self.piped && takes_code(&self.words) => {
                    let shown = shown(&self.words);
                    return Err(format!("`{shown}` may run what it reads"));
                }
                Ok(()) => return Ok(()),
                Err(reason) => why = why.or(reason),
            }
        }
        let shown = shown(&self.words);
        Err(match why {
            Some(why) => format!("`{shown}`: {why}"),
            None => format!("no rule covers `{shown}`"),
        })
    }
}

impl CommandRule {
    /// Ok when covered; else why not, or None when the rule is about something else.
    fn covers(&self, command: &[Word], around: &Surroundings) -> Result<(), Option<String>> {
        let same = |(word, wanted): (&Word, &Word)| word.is_same(wanted);
        let (given, further) = command.split_at_checked(self.words.len()).ok_or(None)?;
        if !given.iter().zip(&self.words).all(same) {
            return Err(None);
        }
        if further.is_empty() {
            // Every word is one that the rule's author wrote.
            return Ok(());
        }
        if !self.open {
            return Err(None);
        }
        judge(&self.words, further, around).map_err(Some)
    }
}
