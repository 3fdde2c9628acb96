//! Checks that rules cover everything that a command line does, for an allow.

use super::budget::{MOST_COMMANDS, WORD};
use super::folder::Files;
use super::programs::{self, changes_files, judge, takes_code};
use super::word::{Word, shown};
use super::{Budget, CommandRule, Part, PathContext, Script};

impl Script {
    /// Returns `Ok` if every command is covered by a rule and the shell does nothing else;
    /// otherwise the reason, as text for a person.
    pub(in super::super) fn check(
        &self,
        rules: &[CommandRule],
        around: &PathContext,
        budget: &Budget,
    ) -> Result<(), String> {
        if let Some(beyond) = &self.beyond {
            return Err(format!("the line has {beyond}"));
        }
        if self.parts.len() > MOST_COMMANDS {
            return Err(format!("the line has more than {MOST_COMMANDS} commands"));
        }
        let files = &Files::new(around, budget);
        // The commands of a pipe run at the same time.
        let changes_beside = |part: &Part| part.piped && changes_files(&part.words);
        if self.parts.iter().any(changes_beside) {
            files.change();
        }
        for part in &self.parts {
            part.check(rules, files)?;
            if !stays(&part.words, files) {
                let shown = shown(&part.words);
                return Err(format!("`{shown}` may leave the session's folder"));
            }
            if changes_files(&part.words) {
                files.change();
            }
        }
        Ok(())
    }
}

/// Returns whether a command stays in the session's folder. The CLI keeps the working directory for
/// the next command line, and every line is judged in the session's folder.
fn stays(command: &[Word], files: &Files<'_>) -> bool {
    let is_before = |word: &&Word| matches!(&*word.text, "builtin" | "command" | "-p" | "--");
    let skipped = command.iter().take_while(is_before).count();
    match command.get(skipped..).unwrap_or_default() {
        [first, target @ ..] if matches!(&*first.text, "cd" | "chdir" | "pushd" | "popd") => {
            matches!(target, [word] if !word.home && files.is_folder(&word.text))
        }
        _ => true,
    }
}

impl Part {
    fn check(&self, rules: &[CommandRule], files: &Files<'_>) -> Result<(), String> {
        let mut why = None;
        let handed = programs::handed_by_xargs(&self.words);
        for rule in rules.iter().filter(|rule| rule.readable) {
            let covered = match handed {
                Some(inner) if rule.open && rule.covers(inner, files).is_ok() => Ok(()),
                _ => rule.covers(&self.words, files),
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
    /// Returns `Ok` if covered; otherwise the reason, or `None` if the rule is about other
    /// commands.
    fn covers(&self, command: &[Word], files: &Files<'_>) -> Result<(), Option<String>> {
        let same = |(word, wanted): (&Word, &Word)| word.is_same(wanted);
        let (given, further) = command.split_at_checked(self.words.len()).ok_or(None)?;
        if !given.iter().zip(&self.words).all(same) {
            return Err(None);
        }
        if further.is_empty() {
            // Every word is in the rule itself.
            return Ok(());
        }
        if !self.open {
            return Err(None);
        }
        if !files.spend(WORD * further.len()) {
            return Err(Some("takes too long to judge".to_owned()));
        }
        judge(&self.words, further, files).map_err(Some)
    }
}
