//! Models of programs.
//!
//! For a rule that allows, they decide which further arguments of a covered program are harmless.
//! An open rule covers arguments that only select what a program reads. It does not cover running
//! other programs, writing files, choosing other code or destroying work, and many programs do so
//! by an option or an operand. Therefore further arguments are allowed only for programs in one of
//! these tables:
//!
//! - **known** programs have a list of harmless options and a role for their operands;
//! - **carriers** run another program (`sudo`, `timeout`, `python3 -m`): the rule must name that
//!   program, and further arguments are checked as its arguments;
//! - **subcommands** are harmless parts of larger programs (`docker ps`), if the rule names them.
//!
//! For every other program only the rule's own words are allowed.

mod carriers;
mod git;
mod kinds;
mod known;
mod options;
mod scripts;
mod subcommands;

pub(super) use carriers::{changes_files, handed_by_xargs, takes_code};
pub(super) use kinds::{Kind, base, is_before_commands, is_control_word, is_reserved, names};

use super::folder::Files;
use super::word::Word;

/// The program's words in the rule, and the further ones in the command.
#[derive(Debug, Clone, Copy)]
struct Call<'a> {
    /// The name in the tables.
    program: &'a str,
    /// What the rule's author wrote behind the name.
    given: &'a [Word],
    further: &'a [Word],
    files: &'a Files<'a>,
}

impl<'a> Call<'a> {
    /// Whether the program may write what this word names.
    fn may_write(&self, word: &Word) -> bool {
        !(word.is_pattern() || word.home) && self.files.may_write(&word.text)
    }

    /// All words after the name, from the rule and the command.
    fn words(&self) -> impl Iterator<Item = &'a Word> {
        self.given.iter().chain(self.further)
    }
}

/// Checks that the further words are harmless arguments.
pub(super) fn judge(rule: &[Word], further: &[Word], files: &Files<'_>) -> Result<(), String> {
    let Some((program, given)) = rule.split_first() else {
        return Err("the rule names no program".to_owned());
    };
    let program = known_name(&program.text);
    let call = &Call {
        program,
        given,
        further,
        files,
    };
    let known = known::find(program);
    let is_harmless = known.is_some_and(known::Known::is_harmless);
    if let Some(word) = further.iter().find(|word| word.may_be_option)
        && !is_harmless
        && carriers::find(program).is_none()
    {
        return refuse("may stand for an option", word);
    }
    subcommands::judge(call)
        .or_else(|| carriers::judge(call))
        .or_else(|| scripts::judge(call))
        .or_else(|| (program == "git").then(|| git::judge(call)))
        .or_else(|| known.map(|known| known.judge(call)))
        .or_else(|| carriers::judge_kind(call))
        .unwrap_or_else(|| only_own_words(call))
}

/// Checks a program that is in no table.
fn only_own_words(call: &Call<'_>) -> Result<(), String> {
    match call.further {
        [word] if matches!(word.text.as_str(), "--help" | "--version") => Ok(()),
        _ => Err(format!(
            "{} is not modelled, so only the rule's own words are allowed",
            call.program
        )),
    }
}

/// The name of a program in the tables. A program outside the system folders can be anything,
/// except for the build wrappers `./gradlew` and `./mvnw`.
fn known_name(program: &str) -> &str {
    let Some((folder, name)) = program.rsplit_once('/') else {
        return program;
    };
    let is_system = matches!(folder, "/bin" | "/usr/bin" | "/usr/local/bin");
    let is_wrapper = folder == "." && matches!(name, "gradlew" | "mvnw");
    if is_system || is_wrapper {
        name
    } else {
        program
    }
}

/// Whether a command only reads, whatever its words are and wherever it stands.
pub(super) fn only_reads(words: &[Word]) -> bool {
    let known = words.first().and_then(|program| known::find(&program.text));
    known.is_some_and(known::Known::is_harmless)
}

/// Words that are not options: those without a dash, and all after `--`.
fn operands<'a>(words: impl Iterator<Item = &'a Word>) -> impl Iterator<Item = &'a Word> {
    let mut all = false;
    words.filter(move |word| {
        let is_mark = !all && word.text == "--";
        let is_operand = all || !word.is_option();
        all |= is_mark;
        is_operand && !is_mark
    })
}

const PATH: &str = "is protected, or not known to be in the session's folder";
const PROTECTED: &str = "may be a folder with protected files";

fn refuse(what: &str, word: &Word) -> Result<(), String> {
    Err(format!(
        "`{}` {what}",
        super::word::shown(std::slice::from_ref(word))
    ))
}
