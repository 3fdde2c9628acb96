//! What is known about programs.
//!
//! For a rule that allows: what further words may do to a program that the rule covers.
//! An open rule covers arguments that only tell a program what to look at. It covers neither
//! running other programs, nor writing files, nor choosing other code, nor destroying work, and
//! many programs do these things by an option or an operand. So a program must be in one of these
//! tables for any further word to be allowed:
//!
//! - **known** programs have a list of harmless options and a meaning for their operands;
//! - **carriers** run what their words say (`sudo`, `timeout`, `python3 -m`): the rule itself must
//!   name what is run, and the further words are then judged as that program's;
//! - **subcommands** are harmless parts of programs that do much more (`docker ps`), when the rule
//!   names them.
//!
//! For every other program only the rule's own words are allowed.

mod carriers;
mod git;
mod kinds;
mod known;
mod options;
mod scripts;
mod subcommands;

pub(super) use carriers::{finds_code_here, handed_by_xargs, takes_code};
pub(super) use kinds::{Kind, base, is_before_commands, is_control_word, is_reserved, names};

use super::super::path::Surroundings;
use super::word::Word;

/// The program's words in the rule, and the further ones in the command.
#[derive(Debug, Clone, Copy)]
struct Call<'a> {
    /// The name that tables know it by.
    program: &'a str,
    /// What the rule's author wrote behind the name.
    given: &'a [Word],
    further: &'a [Word],
    around: &'a Surroundings,
}

impl<'a> Call<'a> {
    /// All words behind the name, wherever they were written.
    fn words(&self) -> impl Iterator<Item = &'a Word> {
        self.given.iter().chain(self.further)
    }
}

/// Ok when the further words are harmless arguments; else why they are not.
pub(super) fn judge(rule: &[Word], further: &[Word], around: &Surroundings) -> Result<(), String> {
    let Some((program, given)) = rule.split_first() else {
        return Err("the rule names no program".to_owned());
    };
    let program = known_name(&program.text);
    let call = &Call {
        program,
        given,
        further,
        around,
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

/// For a program that is in no table.
fn only_own_words(call: &Call<'_>) -> Result<(), String> {
    match call.further {
        [word] if matches!(word.text.as_str(), "--help" | "--version") => Ok(()),
        _ => Err(format!(
            "what further words do to {} is not known: only the rule's own words are allowed",
            call.program
        )),
    }
}

/// The name that tables know a program by. A program in another folder than those of the system
/// can be anything; `./gradlew` and `./mvnw` are what builds keep beside their code.
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

/// Words that are no options: those without a dash, and all behind `--`.
fn operands<'a>(words: impl Iterator<Item = &'a Word>) -> impl Iterator<Item = &'a Word> {
    let mut all = false;
    words.filter(move |word| {
        let is_mark = !all && word.text == "--";
        let is_operand = all || !word.is_option();
        all |= is_mark;
        is_operand && !is_mark
    })
}

fn refuse(what: &str, word: &Word) -> Result<(), String> {
    Err(format!(
        "`{}` {what}",
        super::word::shown(std::slice::from_ref(word))
    ))
}
