//! What a command line could run: for a deny or an ask.
//!
//! Commands are matched by name, and what cannot be parsed could be anything: a net, not a wall.

use super::super::fit::same_name;
use super::budget::{Budget, COMMAND, SCRIPT, WORD, too_much};
use super::kinds::{Kind, base, is_before_commands, names};
use super::reader::{Comments, Reader};
use super::script::{CommandRule, Part, Script};
use super::word::Word;

/// The maximum nesting depth of scripts. A deeper one could be anything.
const DEEPEST: usize = 4;

/// The nesting depth of a script, and the remaining budget.
#[derive(Debug, Clone, Copy)]
pub(super) struct Within<'a> {
    depth: usize,
    budget: &'a Budget,
}

impl<'a> Within<'a> {
    /// A script that is not nested.
    pub(super) fn nothing(budget: &'a Budget) -> Self {
        Self { depth: 0, budget }
    }

    fn deeper(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }
}

impl CommandRule {
    /// Whether a text contains the words of the rule: the program and, unless `program_only`, the
    /// other words too.
    fn is_named_in(&self, text: &str, program_only: bool) -> bool {
        let count = if program_only { 1 } else { self.words.len() };
        let mut words = self.words.iter().take(count);
        words.all(|word| names(text, &word.text))
    }
}

/// Returns whether a command line could run a matching command, with or without comments. Returns
/// true if the line is too long or takes too many steps.
pub(super) fn could_run(text: &str, pattern: &CommandRule, within: Within<'_>) -> bool {
    // The line is parsed, searched for the words of the pattern, and compared by command.
    let steps = SCRIPT + (pattern.words.len() + 2) * text.len();
    let could_run = |comments| {
        if too_much(text).is_some() || !within.budget.spend(steps) {
            return true;
        }
        let script = Reader::new(text, comments).read();
        let words: usize = script.parts.iter().map(|part| part.words.len()).sum();
        let steps = COMMAND * script.parts.len() + WORD * words;
        !within.budget.spend(steps) || script.could_run(pattern, within)
    };
    could_run(Comments::Words) || text.contains('#') && could_run(Comments::Skipped)
}

impl Script {
    fn could_run(&self, pattern: &CommandRule, within: Within<'_>) -> bool {
        if self.parts.is_empty() && self.unread.is_none() {
            return false;
        }
        if pattern.words.is_empty() || within.depth > DEEPEST {
            return true;
        }
        // If something is not parsed, or a program runs its arguments, a name anywhere in the text
        // may be what it runs.
        let opaque = self.unread.is_some() || self.parts.iter().any(|part| part.opaque);
        let hands_on = self.parts.iter().any(Part::hands_on);
        let mut unread = self.unread.iter().flat_map(|rest| rest.lines());
        (opaque || hands_on) && pattern.is_named_in(&self.text, opaque)
            || self
                .parts
                .iter()
                .any(|part| part.could_run(pattern, within))
            || unread.any(|line| could_run(line, pattern, within.deeper()))
    }
}

impl Part {
    fn could_run(&self, pattern: &CommandRule, within: Within<'_>) -> bool {
        let nested = |text: &str| could_run(text, pattern, within.deeper());
        if self.opaque && substitutions(&self.text).any(nested) {
            return true;
        }
        let Some((program, rest)) = pattern.words.split_first() else {
            return false;
        };
        // Also if the rule means a word in front of commands: `time`.
        let is_meant = |words: &[Word]| {
            let first = words.first();
            first.is_some_and(|first| same_name(base(&first.text), base(&program.text)))
                && subsequence(words, rest)
        };
        let words = self.command();
        if is_meant(words) || is_meant(&self.words) {
            return true;
        }
        let Some(first) = words.first() else {
            return false;
        };
        // A program name that only the shell can determine could be any program.
        if !first.literal {
            return true;
        }
        // A word that only the shell can determine could be any word of the pattern but its
        // program.
        let told = words.iter().all(|word| word.literal);
        let kind = Kind::of(&first.text);
        kind != Kind::RunsNothing && pattern.is_named_in(&self.text, !told)
            || runs_unseen(kind, words, pattern, within)
    }

    /// The words from the program on.
    fn command(&self) -> &[Word] {
        let before = |word: &&Word| is_before_commands(&word.text);
        let skipped = self.words.iter().take_while(before).count();
        self.words.get(skipped..).unwrap_or_default()
    }

    /// Whether its program runs its arguments or its input.
    fn hands_on(&self) -> bool {
        let program = self.command().first();
        program.is_some_and(|first| {
            !matches!(
                Kind::of(&first.text),
                Kind::RunsNothing | Kind::Other | Kind::Git
            )
        })
    }
}

/// Whether a program of this kind could run a matching command without its name in the text.
fn runs_unseen(kind: Kind, words: &[Word], pattern: &CommandRule, within: Within<'_>) -> bool {
    let rest = words.get(1..).unwrap_or_default();
    // Most kinds examine all words that follow.
    if !within.budget.spend(WORD * rest.len()) {
        return true;
    }
    match kind {
        Kind::RunsNothing | Kind::Other => false,
        Kind::Shell => shell_could_run(rest, pattern, within),
        Kind::Eval => {
            let script: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
            rest.iter().any(|word| !word.literal)
                || could_run(&script.join(" "), pattern, within.deeper())
        }
        Kind::Interpreter => !is_file_of_code(rest),
        Kind::Awk => rest.iter().any(|word| {
            let runs = ["system", "|", "@"].iter().any(|m| word.text.contains(m));
            let option = word.text.strip_prefix('-');
            runs || option.is_some_and(|option| !option.starts_with(['F', 'v']))
        }),
        // Settings passed with a call can contain commands and aliases.
        Kind::Git => rest.iter().any(|word| {
            let script = word.text.split_once('!').map(|(_, script)| script);
            let program = pattern.words.first().map(|word| word.text.as_str());
            word.text.contains("alias.") && program.map(Kind::of) == Some(Kind::Git)
                || script.is_some_and(|script| could_run(script, pattern, within.deeper()))
        }),
        Kind::Launcher => (0..rest.len()).any(|at| {
            let (before, from) = rest.split_at(at);
            let Some(word) = from.first() else {
                return false;
            };
            if !word.literal {
                return !within.budget.spend(WORD * before.len()) || could_be_program(before, word);
            }
            // The current folder, unless a builtin is called.
            let builtin = words
                .first()
                .is_some_and(|first| matches!(first.text.as_str(), "builtin" | "command"));
            if word.text == "." && !builtin {
                return false;
            }
            let kind = Kind::of(&word.text);
            kind != Kind::Launcher && runs_unseen(kind, from, pattern, within.deeper())
                // `ssh host 'a; b'`, `su -c 'a; b'`.
                || word.text.contains(char::is_whitespace)
                    && could_run(&word.text, pattern, within.deeper())
        }),
    }
}

/// Whether a shell with these arguments could run a matching command. A script in an argument is
/// parsed; code from a file or from input cannot be, so it could.
fn shell_could_run(arguments: &[Word], pattern: &CommandRule, within: Within<'_>) -> bool {
    let mut script_follows = false;
    for word in arguments {
        let text = word.text.as_str();
        if !word.literal {
            return true;
        }
        match text.strip_prefix('-') {
            Some("-version" | "-help") => return false,
            Some("-login" | "-norc" | "-noprofile" | "-posix") => {}
            Some(letters) if !letters.starts_with('-') && !letters.is_empty() => {
                script_follows |= letters.contains('c');
            }
            Some(_) => return true,
            None if script_follows => return could_run(text, pattern, within.deeper()),
            // The name of an option: `-o pipefail`.
            None if matches!(text, "pipefail" | "errexit" | "nounset" | "xtrace") => {}
            None => return true,
        }
    }
    true
}

/// Whether an interpreter is given a file or a module: code that is not part of the command, as
/// with any other program. Otherwise the code is in an argument or comes from elsewhere.
fn is_file_of_code(arguments: &[Word]) -> bool {
    arguments.first().is_some_and(|word| {
        let file = !word.text.starts_with('-');
        let device = ["/dev/", "/proc/"].iter().any(|d| word.text.starts_with(d));
        let shows = matches!(
            word.text.as_str(),
            "-m" | "-V" | "-v" | "--version" | "--help"
        );
        word.literal && (shows || file && !device && !word.text.contains(char::is_whitespace))
    })
}

/// Whether a word that only the shell can determine could be the program that a launcher runs, by
/// the words before it.
fn could_be_program(before: &[Word], word: &Word) -> bool {
    let is_option = |word: &Word| word.text.starts_with('-');
    let sets = |word: &Word| {
        let name = word.text.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
    };
    let last = before.last();
    // The placeholder of `find` and `xargs`: a program only where one is expected.
    if word.text == "{}" {
        return last.is_some_and(|last| {
            last.text == "{}" || is_option(last) && !matches!(last.text.as_str(), "-I" | "-i")
        });
    }
    let passes = |word: &Word| {
        let number = word.text.starts_with(|c: char| c.is_ascii_digit());
        is_option(word) || sets(word) || number || Kind::of(&word.text) == Kind::Launcher
    };
    !sets(word) && (last.is_some_and(is_option) || before.iter().all(passes))
}

/// The commands within `$(…)`, `(…)` and backticks, roughly.
fn substitutions(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    let marks = text.match_indices(['(', ')', '`']);
    marks.filter_map(move |(at, mark)| {
        inside = match mark {
            "(" => true,
            ")" => false,
            _ => !inside,
        };
        let rest = text.get(at + 1..).filter(|_| inside)?;
        rest.split(['(', ')', '`']).next()
    })
}

/// Whether the words occur in this order, with anything between them: `git -C x push` is a push. A
/// word that only the shell can determine could be any of them.
fn subsequence(words: &[Word], wanted: &[Word]) -> bool {
    let mut words = words.iter().skip(1);
    wanted
        .iter()
        .all(|wanted| words.any(|word| !word.literal || same_name(&word.text, &wanted.text)))
}
