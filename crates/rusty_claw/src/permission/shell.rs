//! Shell commands, read just well enough to compare them with rules.
//!
//! This is no shell. It reads words, quotes and the marks between commands; whatever else it
//! meets makes the command opaque. An opaque command matches no rule that allows. A rule that
//! denies matches what could be meant, which is judged by names: it is a net, not a wall.

mod programs;
mod reader;

use super::rule::Fit;
use programs::{Kind, base, is_before_commands, names};
use reader::Reader;

/// How often a script may hold a script before it could be anything.
const DEEPEST: usize = 4;

/// A command line, read.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Script {
    parts: Vec<Part>,
    /// The characters as they stand.
    text: String,
    /// What follows the mark of a here-document. Where that ends, and what of it is a command,
    /// is not read.
    unread: Option<String>,
}

/// One command of a command line.
#[derive(Debug, Default, PartialEq)]
struct Part {
    words: Vec<Word>,
    /// Whether it sets variables first, reads or writes a file beside its arguments, or holds what
    /// this module does not read.
    opaque: bool,
    /// The characters as they stand.
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

    /// Whether a text names it: its program, and unless something else could stand for them its
    /// other words too.
    fn is_named_in(&self, text: &str, program_only: bool) -> bool {
        let count = if program_only { 1 } else { self.words.len() };
        let mut words = self.words.iter().take(count);
        words.all(|word| names(text, word))
    }
}

impl Script {
    /// Reads a command line.
    pub(super) fn read(command: &str) -> Self {
        Reader::new(command).read()
    }

    /// How well the patterns of a rule fit: surely, when every command is one of those meant;
    /// perhaps, when one of them is, or could be.
    pub(super) fn fit(&self, patterns: &[CommandPattern]) -> Fit {
        let meant = |part: &Part| patterns.iter().any(|pattern| part.is_surely(pattern));
        if !self.parts.is_empty() && self.unread.is_none() && self.parts.iter().all(meant) {
            Fit::Yes
        } else if patterns.iter().any(|pattern| self.could_run(pattern, 0)) {
            Fit::Perhaps
        } else {
            Fit::No
        }
    }

    /// Whether it could run a command that is meant.
    fn could_run(&self, pattern: &CommandPattern, depth: usize) -> bool {
        if self.parts.is_empty() && self.unread.is_none() {
            return false;
        }
        if pattern.words.is_empty() || depth > DEEPEST {
            return true;
        }
        // Where something is not read, or a program runs what it is given, a name that stands
        // anywhere may be what it runs.
        let opaque = self.unread.is_some() || self.parts.iter().any(|part| part.opaque);
        let hands_on = self.parts.iter().any(Part::hands_on);
        let unread = self.unread.iter().flat_map(|rest| rest.lines());
        (opaque || hands_on) && pattern.is_named_in(&self.text, opaque)
            || self.parts.iter().any(|part| part.could_run(pattern, depth))
            || unread
                .map(Self::read)
                .any(|line| line.could_run(pattern, depth + 1))
    }
}

impl Part {
    fn could_run(&self, pattern: &CommandPattern, depth: usize) -> bool {
        let nested = |text: &str| Script::read(text).could_run(pattern, depth + 1);
        if self.opaque && substitutions(&self.text).any(nested) {
            return true;
        }
        let words = self.command();
        let (Some(first), Some((program, rest))) = (words.first(), pattern.words.split_first())
        else {
            return false;
        };
        // A program that only the shell can name could be any program.
        if !first.literal {
            return true;
        }
        if same_name(base(&first.text), base(program)) && subsequence(words, rest) {
            return true;
        }
        // A word that only the shell can tell could be any word of the pattern but its program.
        let told = words.iter().all(|word| word.literal);
        let kind = Kind::of(&first.text);
        kind != Kind::RunsNothing && pattern.is_named_in(&self.text, !told)
            || runs_unseen(kind, words, pattern, depth)
    }

    /// Its words from the program on.
    fn command(&self) -> &[Word] {
        let before = |word: &&Word| is_before_commands(&word.text);
        let skipped = self.words.iter().take_while(before).count();
        self.words.get(skipped..).unwrap_or_default()
    }

    /// Whether its program runs what it is given or reads.
    fn hands_on(&self) -> bool {
        let program = self.command().first();
        program.is_some_and(|first| {
            !matches!(
                Kind::of(&first.text),
                Kind::RunsNothing | Kind::Other | Kind::Git
            )
        })
    }

    /// Whether each word of the pattern stands where it must.
    fn is_surely(&self, pattern: &CommandPattern) -> bool {
        let same = |(word, wanted): (&Word, &String)| word.literal && word.text == *wanted;
        let long_enough = if pattern.exact {
            self.words.len() == pattern.words.len()
        } else {
            self.words.len() >= pattern.words.len()
        };
        !self.opaque
            && !pattern.words.is_empty()
            && long_enough
            && self.words.iter().zip(&pattern.words).all(same)
    }

    fn is_empty(&self) -> bool {
        self.words.is_empty() && !self.opaque
    }
}

/// Whether a program of this kind could run what is meant without its name standing there.
fn runs_unseen(kind: Kind, words: &[Word], pattern: &CommandPattern, depth: usize) -> bool {
    let rest = words.get(1..).unwrap_or_default();
    match kind {
        Kind::RunsNothing | Kind::Other => false,
        Kind::Shell => shell_could_run(rest, pattern, depth),
        Kind::Eval => {
            let script: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
            rest.iter().any(|word| !word.literal)
                || Script::read(&script.join(" ")).could_run(pattern, depth + 1)
        }
        Kind::Interpreter => !is_file_of_code(rest),
        Kind::Awk => rest.iter().any(|word| {
            let runs = ["system", "|", "@"].iter().any(|m| word.text.contains(m));
            let option = word.text.strip_prefix('-');
            runs || option.is_some_and(|option| !option.starts_with(['F', 'v']))
        }),
        // Settings given with a call can hold commands, and names for commands.
        Kind::Git => rest.iter().any(|word| {
            let script = word.text.split_once('!').map(|(_, script)| script);
            let program = pattern.words.first().map(String::as_str);
            word.text.contains("alias.") && program.map(Kind::of) == Some(Kind::Git)
                || script.is_some_and(|script| Script::read(script).could_run(pattern, depth + 1))
        }),
        Kind::Launcher => (0..rest.len()).any(|at| {
            let (before, from) = rest.split_at(at);
            let Some(word) = from.first() else {
                return false;
            };
            if !word.literal {
                return could_be_program(before, word);
            }
            // The folder here, unless a builtin is asked for.
            let builtin = words
                .first()
                .is_some_and(|first| matches!(first.text.as_str(), "builtin" | "command"));
            if word.text == "." && !builtin {
                return false;
            }
            let kind = Kind::of(&word.text);
            kind != Kind::Launcher && runs_unseen(kind, from, pattern, depth + 1)
                // `ssh host 'a; b'`, `su -c 'a; b'`.
                || word.text.contains(char::is_whitespace)
                    && Script::read(&word.text).could_run(pattern, depth + 1)
        }),
    }
}

/// Whether a shell with these arguments could run what is meant: its script is read, and what is
/// no script in its arguments is a file or comes from elsewhere, which nobody can read here.
fn shell_could_run(arguments: &[Word], pattern: &CommandPattern, depth: usize) -> bool {
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
            None if script_follows => return Script::read(text).could_run(pattern, depth + 1),
            // The name of an option: `-o pipefail`.
            None if matches!(text, "pipefail" | "errexit" | "nounset" | "xtrace") => {}
            None => return true,
        }
    }
    true
}

/// Whether an interpreter is given a file or a module: code that is no part of the command, as
/// that of every other program. Else the code is in an argument, or it comes from elsewhere.
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

/// Whether a word that only the shell can tell could be the program that a launcher runs, by
/// what stands before it.
fn could_be_program(before: &[Word], word: &Word) -> bool {
    let is_option = |word: &Word| word.text.starts_with('-');
    let sets = |word: &Word| {
        let name = word.text.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
    };
    let last = before.last();
    // The place where `find` and `xargs` put a name: a program only where one is expected.
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

fn same_name(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// Whether the words come in this order, with anything between them: `git -C x push` is a push.
/// A word that only the shell can tell could be any of them.
fn subsequence(words: &[Word], wanted: &[String]) -> bool {
    let mut words = words.iter().skip(1);
    wanted
        .iter()
        .all(|wanted| words.any(|word| !word.literal || same_name(&word.text, wanted)))
}

#[cfg(test)]
mod tests;
