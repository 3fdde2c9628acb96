//! A call of a program, and what its checks share.

use super::super::folder::Files;
use super::super::word::{Word, shown};

/// The program's words in the rule, and the further ones in the command.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a> {
    /// The name in the tables.
    pub(super) program: &'a str,
    /// The words of the rule after the name.
    pub(super) given: &'a [Word],
    pub(super) further: &'a [Word],
    pub(super) files: &'a Files<'a>,
}

impl<'a> Call<'a> {
    /// Whether the program may write what this word names.
    pub(super) fn may_write(&self, word: &Word) -> bool {
        !(word.is_pattern() || word.home) && self.files.may_write(&word.text)
    }

    /// All words after the name, from the rule and the command.
    pub(super) fn words(&self) -> impl Iterator<Item = &'a Word> {
        self.given.iter().chain(self.further)
    }
}

/// The name of a program in the tables. A program outside the system folders can be anything,
/// except for the build wrappers `./gradlew` and `./mvnw`.
pub(super) fn known_name(program: &str) -> &str {
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

/// Words that are not options: those without a dash, and all after `--`.
pub(super) fn operands<'a>(
    words: impl Iterator<Item = &'a Word>,
) -> impl Iterator<Item = &'a Word> {
    let mut all = false;
    words.filter(move |word| {
        let is_mark = !all && word.text == "--";
        let is_operand = all || !word.is_option();
        all |= is_mark;
        is_operand && !is_mark
    })
}

pub(super) const PATH: &str = "is protected, or not known to be in the session's folder";
pub(super) const PROTECTED: &str = "may be a folder with protected files";

pub(super) fn refuse(what: &str, word: &Word) -> Result<(), String> {
    Err(format!("`{}` {what}", shown(std::slice::from_ref(word))))
}
