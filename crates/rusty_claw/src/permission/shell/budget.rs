//! Limits the work of one decision.
//!
//! For some commands, the search for what they could run takes time cubic in their length.
//! Therefore steps are counted: beyond the limit the search stops, and the command counts as one
//! that could run anything.

use std::cell::Cell;

/// The maximum length of a command line that is parsed, in bytes.
const LONGEST: usize = 64 * 1024;

/// The maximum number of command separators in a line that is parsed, quoted ones included.
const MOST_SIGNS: usize = 4096;

/// The maximum number of commands in a line that a rule allows. Some checks read files of the
/// project, which takes longer than parsing.
pub(super) const MOST_COMMANDS: usize = 100;

/// Why a command line is too large to parse, if it is.
pub(super) fn too_much(line: &str) -> Option<&'static str> {
    let is_sign = |byte: &u8| matches!(byte, b'\n' | b';' | b'&' | b'|');
    if line.len() > LONGEST {
        Some("more than 64 KiB")
    } else if line.bytes().filter(is_sign).count() > MOST_SIGNS {
        Some("more than 4,096 lines or commands")
    } else {
        None
    }
}

/// The steps of one decision, for all rules together. A step takes about 20 ns: the work on one
/// byte.
const STEPS: usize = 750_000;

/// Steps to parse a script, in addition to those for its bytes.
pub(super) const SCRIPT: usize = 100;

/// Steps to compare one command.
pub(super) const COMMAND: usize = 150;

/// Steps to look up one word among the known programs.
pub(super) const WORD: usize = 20;

/// Steps to look up one file or folder.
pub(super) const FILE: usize = 30;

/// The remaining steps of one decision.
#[derive(Debug)]
pub(in super::super) struct Budget {
    left: Cell<usize>,
    /// All steps that were requested, including refused ones.
    #[cfg(test)]
    asked: Cell<usize>,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            left: Cell::new(STEPS),
            #[cfg(test)]
            asked: Cell::default(),
        }
    }
}

impl Budget {
    /// Spends steps. Returns false once too few are left.
    pub(in super::super) fn spend(&self, steps: usize) -> bool {
        #[cfg(test)]
        self.asked.set(self.asked.get() + steps);
        let left = self.left.get().checked_sub(steps);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// The number of steps spent.
    #[cfg(test)]
    pub(super) fn spent(&self) -> usize {
        STEPS - self.left.get()
    }
}

#[cfg(test)]
mod tests {
    use super::super::hostile_lines::{self, HostileLines};
    use super::super::{CommandRule, Fit, PathContext, Script};
    use super::*;

    /// The steps needed to check whether a line could run one of two commands.
    fn steps(line: &str) -> (usize, Fit) {
        let rules = [
            CommandRule::starting("rm"),
            CommandRule::starting("git push"),
        ];
        let budget = Budget::default();
        let fit = Script::read(line).fit(&rules, &PathContext::default(), Fit::Perhaps, &budget);
        assert_stops(&budget, line);
        (budget.spent(), fit)
    }

    /// Checks that the search stops once steps are refused: at most one more piece of work is
    /// requested for each rule.
    fn assert_stops(budget: &Budget, line: &str) {
        let in_vain = budget.asked.get() - budget.spent();
        assert!(in_vain < STEPS, "{in_vain} steps in vain: {line:?}");
    }

    /// Looking up many files takes steps, and the line is not covered when none are left.
    #[test]
    fn work_on_files_is_limited() {
        let folder = tempfile::tempdir().expect("a folder");
        let top = folder.path().canonicalize().expect("a folder");
        std::fs::create_dir(top.join("wide")).expect("a folder");
        for at in 0..1000 {
            std::fs::write(top.join(format!("wide/{at}")), "").expect("a file");
        }
        let rules = ["git", "git add", "cp", "mv"].map(CommandRule::starting);
        let check = |line: &str| {
            let budget = Budget::default();
            let around = PathContext::new(&top);
            let is_ok = Script::read(line).check(&rules, &around, &budget).is_ok();
            assert_stops(&budget, line);
            (is_ok, budget.spent())
        };
        let (is_ok, once) = check("git add wide");
        assert!(is_ok && once >= 1000 * FILE, "{once}");
        let (is_ok, twice) = check("git add wide wide");
        assert!(is_ok && twice > once + 1000 * FILE, "{twice}");
        assert_eq!(
            check(&format!("git add{}", " .".repeat(30_000))),
            (false, STEPS)
        );
        assert_eq!(
            check(&format!("cp{} b", " wide/1".repeat(8000))),
            (false, STEPS)
        );
        assert_eq!(check(&"git add wide;".repeat(90)), (false, STEPS));
    }

    #[test]
    fn work_on_hostile_lines_is_limited() {
        let mut lines = HostileLines::new(7);
        let mut longest = 0;
        for _ in 0..200 {
            let line = lines.line();
            let (steps, fit) = steps(&line);
            let is_read = too_much(&line).is_none();
            assert!(!is_read || steps >= line.len(), "{line:?}");
            // If no steps are left, a line could run anything.
            assert!(steps < STEPS || fit == Fit::Perhaps, "{line:?}");
            longest = longest.max(line.len());
        }
        assert_eq!(longest, hostile_lines::LONGEST);
    }

    #[test]
    fn nested_scripts_are_read_until_no_steps_are_left() {
        // Each `eval` parses the words after it as a script, in which the next `eval` does the
        // same.
        let line = |count: usize| {
            let words = " env eval x eval x".repeat(count);
            format!("{words} ';' {words}")
        };
        let (few, fit) = steps(&line(2));
        assert_eq!(fit, Fit::No);
        let (more, _) = steps(&line(6));
        assert!(more > 9 * few, "{few} {more}");
        assert_eq!(steps(&line(100)), (STEPS, Fit::Perhaps));
    }

    #[test]
    fn a_long_script_of_plain_commands_has_steps_to_spare() {
        let script = "cargo test --workspace --all-features && git commit -m 'a message'\n";
        let (steps, fit) = steps(&script.repeat(30));
        assert_eq!(fit, Fit::No);
        assert!(steps < STEPS / 10, "{steps}");
    }
}
