//! Command lines against rules, read as the shell reads them.

mod programs;
mod reader;
mod word;

use super::Verdict;
use reader::read_commands;
use word::Word;

/// `git status` covers exactly these words; `git log:*` these and further plain ones.
#[derive(Debug, Clone)]
pub(super) struct CommandRule {
    words: Vec<Word>,
    open: bool,
}

impl CommandRule {
    /// None when the rule is not one simple command.
    pub(super) fn read(text: &str) -> Option<Self> {
        let open = text.strip_suffix(":*").or_else(|| text.strip_suffix(" *"));
        let commands = read_commands(open.unwrap_or(text)).ok()?;
        let [words] = <[Vec<Word>; 1]>::try_from(commands).ok()?;
        Some(Self {
            words,
            open: open.is_some(),
        })
    }

    /// Ok when covered; else why not, or None when the rule is about something else.
    fn covers(&self, command: &[Word]) -> Result<(), Option<String>> {
        let further = command.strip_prefix(self.words.as_slice()).ok_or(None)?;
        if further.is_empty() {
            // Every word is one that the rule's author wrote.
            return Ok(());
        }
        if !self.open {
            return Err(None);
        }
        programs::judge(&self.words, further).map_err(Some)
    }
}

/// Whether every command of the line is covered by some rule.
pub(super) fn judge(rules: &[CommandRule], line: &str) -> Verdict {
    let commands = match read_commands(line) {
        Ok(commands) => commands,
        Err(refusal) => return Verdict::ask(refusal),
    };
    for command in &commands {
        let mut why = None;
        let mut covered = false;
        for rule in rules {
            match rule.covers(command) {
                Ok(()) => covered = true,
                Err(reason) => why = why.or(reason),
            }
        }
        if !covered {
            let shown = word::shown(command);
            return Verdict::ask(match why {
                Some(why) => format!("`{shown}`: {why}"),
                None => format!("no rule covers `{shown}`"),
            });
        }
    }
    Verdict::Covered
}
