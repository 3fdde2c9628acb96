//! What is known about programs.
//!
//! For a rule that allows: what further words may do to a program that the rule covers.
//! A rule with an open end gives plain arguments away. It gives away neither running other
//! programs, nor writing files, nor choosing other code, and many programs do these things by an
//! option or an operand. Four kinds of programs are told apart:
//!
//! - **known** ones have a list of the options that are harmless: others ask;
//! - **carriers** run what their words say (`sudo`, `xargs`, `python3`): the rule itself must name
//!   what is run, and the further words are then judged as that program's;
//! - **converters** make one file of another by words that look alike: only the rule's own words
//!   are let through;
//! - of **unknown** ones, options that do not mean the same everywhere ask, and orders to run
//!   something.
//!
//! A rule may also name an order of a program that does much more (`docker ps`): then what is
//! known about that order counts.

mod carriers;
mod converters;
mod git;
mod kinds;
mod known;
mod options;
mod orders;
mod scripts;
mod subcommands;

pub(super) use carriers::{finds_code_here, takes_code};
pub(super) use kinds::{Kind, base, is_before_commands, is_control_word, is_reserved, names};

use super::word::Word;

/// The program's words in the rule, and the further ones in the command.
#[derive(Debug, Clone, Copy)]
struct Call<'a> {
    /// The name without folders.
    program: &'a str,
    /// What the rule's author wrote behind the name.
    given: &'a [Word],
    further: &'a [Word],
}

impl<'a> Call<'a> {
    fn of(given: &'a [Word], further: &'a [Word]) -> Option<Self> {
        let (program, given) = given.split_first()?;
        Some(Self {
            program: base(&program.text),
            given,
            further,
        })
    }

    /// Words of the command that are no options, wherever they were written.
    fn operands(&self) -> impl Iterator<Item = &'a Word> {
        let words = self.given.iter().chain(self.further);
        words.filter(|word| !word.is_option())
    }
}

/// Ok when the further words are plain arguments; else why they are not.
pub(super) fn judge(rule: &[Word], further: &[Word]) -> Result<(), String> {
    let Some(call) = Call::of(rule, further) else {
        return Err("the rule names no program".to_owned());
    };
    if let Some(judged) = subcommands::judge(&call) {
        return judged;
    }
    if let Some(judged) = carriers::judge(&call) {
        return judged;
    }
    if let Some(judged) = scripts::judge(&call) {
        return judged;
    }
    if call.program == "git" {
        return git::judge(&call);
    }
    match known::find(call.program) {
        Some(known) => known.judge(&call),
        None => carriers::judge_kind(&call).unwrap_or_else(|| orders::judge(&call)),
    }
}

/// Whether a command only reads, whatever its words are and wherever it stands.
pub(super) fn only_reads(words: &[Word]) -> bool {
    let known = words.first().and_then(|program| known::find(&program.text));
    known.is_some_and(known::Known::is_harmless)
}

fn refuse(what: &str, word: &Word) -> Result<(), String> {
    Err(format!(
        "`{}` {what}",
        super::word::shown(std::slice::from_ref(word))
    ))
}
