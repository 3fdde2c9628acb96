//! Whether a command line does nothing but what rules say: for rules that allow.

use super::programs::{finds_code_here, judge, only_reads, takes_code};
use super::word::{Word, shown};
use super::{CommandRule, Part, Script};

impl Script {
    /// Ok when every command is covered by some rule, and the shell does nothing besides; else
    /// why not, in words for a person.
    pub(in super::super) fn check(&self, rules: &[CommandRule]) -> Result<(), String> {
        if let Some(beyond) = &self.beyond {
            return Err(format!("the line has {beyond}"));
        }
        let mut stands = Stands::Here;
        for part in &self.parts {
            part.check(rules)?;
            stands.check(&part.words)?;
            stands = stands.after(&part.words);
        }
        Ok(())
    }
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
    fn after(self, command: &[Word]) -> Self {
        let moves = |word: &Word| matches!(word.text.as_str(), "cd" | "chdir" | "pushd" | "popd");
        // Also behind `command` and `builtin`.
        let Some(at) = command.iter().take(2).position(moves) else {
            return self;
        };
        let rest = command.get(at + 1..).unwrap_or_default();
        let is_below = |word: &Word| {
            let climbs = word.text.split('/').any(|name| name == "..");
            let begins = word.text.starts_with(['/', '-']);
            !(climbs || begins || word.home || word.is_pattern() || word.text.is_empty())
        };
        let below = match rest {
            [word] if is_below(word) => Self::Below,
            _ => Self::Elsewhere,
        };
        if self > below { self } else { below }
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
    fn check(&self, rules: &[CommandRule]) -> Result<(), String> {
        let mut why = None;
        for rule in rules.iter().filter(|rule| rule.readable) {
            match rule.covers(&self.words) {
                Ok(()) if self.piped && takes_code(&self.words) => {
                    let shown = shown(&self.words);
                    return Err(format!("`{shown}` may run what is piped into it"));
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
    fn covers(&self, command: &[Word]) -> Result<(), Option<String>> {
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
        judge(&self.words, further).map_err(Some)
    }
}
