//! Whether a command line does nothing but what rules say: for rules that allow.

use super::programs::judge;
use super::word::{Word, shown};
use super::{CommandRule, Part, Script};

impl Script {
    /// Ok when every command is covered by some rule, and the shell does nothing besides; else
    /// why not, in words for a person.
    pub(in super::super) fn check(&self, rules: &[CommandRule]) -> Result<(), String> {
        if let Some(beyond) = &self.beyond {
            return Err(format!("the line has {beyond}"));
        }
        self.parts.iter().try_for_each(|part| part.check(rules))
    }
}

impl Part {
    fn check(&self, rules: &[CommandRule]) -> Result<(), String> {
        let mut why = None;
        for rule in rules.iter().filter(|rule| rule.readable) {
            match rule.covers(&self.words) {
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
