//! Programs that run a program named in their arguments.

use super::super::kinds::Kind;
use super::super::word::Word;
use super::call::known_name;
use super::git_table;
use super::known_table::{self, only_reads};
use super::options::is_assignment;

/// Runs the program after its own options.
pub(super) struct Carrier {
    pub(super) name: &'static str,
    /// Letters of its options without a value.
    letters: &'static str,
    /// Letters of its options that take the next word if no value is joined to them.
    valued: &'static str,
    /// The number of words between its options and the program.
    operands: usize,
}

pub(super) const fn carrier(
    name: &'static str,
    letters: &'static str,
    valued: &'static str,
    operands: usize,
) -> Carrier {
    Carrier {
        name,
        letters,
        valued,
        operands,
    }
}

const CARRIERS: &[Carrier] = &[
    carrier("chronic", "ev", "", 0),
    carrier("command", "p", "", 0),
    carrier("doas", "n", "u", 0),
    carrier("env", "i", "u", 0),
    carrier("ionice", "t", "cn", 0),
    carrier("nice", "", "n", 0),
    carrier("nohup", "", "", 0),
    carrier("setsid", "cfw", "", 0),
    carrier("stdbuf", "", "ioe", 0),
    carrier("sudo", "AbEHknPS", "ugp", 0),
    carrier("time", "pqv", "f", 0),
    carrier("timeout", "v", "ks", 1),
];

/// Passes words from its input to the program after its options.
pub(super) const XARGS: Carrier = carrier("xargs", "0rt", "dEILnPs", 0);

/// The carrier of this name. Words after the carried program are checked as its arguments.
pub(super) fn find(program: &str) -> Option<&'static Carrier> {
    CARRIERS.iter().find(|carrier| carrier.name == program)
}

/// The command that xargs passes its input to, if that command only reads, whatever its arguments.
pub(in super::super) fn handed_by_xargs(words: &[Word]) -> Option<&[Word]> {
    let (program, rest) = words.split_first()?;
    let inner = carried(&XARGS, rest).filter(|_| program.text == XARGS.name)?;
    only_reads(inner).then_some(inner)
}

/// The words of the program that the rule itself names; `None` if there is none, or after an option
/// that may take the next word.
pub(super) fn carried<'a>(carrier: &Carrier, given: &'a [Word]) -> Option<&'a [Word]> {
    let mut words = given;
    let mut operands = carrier.operands;
    loop {
        let (first, rest) = words.split_first()?;
        let text = first.text.as_str();
        if first.is_option() {
            let letters = text.strip_prefix('-')?;
            let value = letters.find(|c| carrier.valued.contains(c));
            let plain = letters.get(..value.unwrap_or(letters.len()))?;
            let is_known = |c: char| carrier.letters.contains(c) || c.is_ascii_digit();
            if !plain.chars().all(is_known) {
                return None;
            }
            let takes_next = value.is_some_and(|at| at + 1 == letters.len());
            words = rest.get(usize::from(takes_next)..)?;
        } else if is_assignment(text) && carrier.name == "env" {
            words = rest;
        } else if operands > 0 {
            operands -= 1;
            words = rest;
        } else {
            return Some(words);
        }
    }
}

/// Returns whether a command takes code, or arguments for another program, from its input. A
/// program that is in no table may.
pub(in super::super) fn takes_code(words: &[Word]) -> bool {
    let Some((program, rest)) = words.split_first() else {
        return true;
    };
    let name = known_name(&program.text);
    if let Some(carrier) = find(name) {
        return carried(carrier, rest).is_none_or(takes_code);
    }
    if only_reads(words) || handed_by_xargs(words).is_some() || name == "tee" {
        return false;
    }
    let is_input = |word: &Word| {
        word.text == "-" || ["/dev/", "/proc/"].iter().any(|d| word.text.starts_with(d))
    };
    if rest.iter().any(is_input) {
        return true;
    }
    if known_table::find(name).is_some() || matches!(name, "sed" | "gsed") {
        return false;
    }
    match Kind::of(name) {
        Kind::Shell => !rest
            .first()
            .is_some_and(|word| !word.is_option() || word.text == "-c"),
        Kind::Interpreter | Kind::Awk => !names_code(rest),
        Kind::Git => rest
            .first()
            .is_none_or(|order| git_table::find(&order.text).is_none()),
        _ => true,
    }
}

/// Whether the arguments of an interpreter name its code.
fn names_code(words: &[Word]) -> bool {
    let behind = words
        .iter()
        .position(|word| !matches!(word.text.as_str(), "-u" | "-B" | "-E" | "-I"));
    let Some([first, rest @ ..]) = behind.and_then(|at| words.get(at..)) else {
        return false;
    };
    match first.text.as_str() {
        "-m" => !takes_code(rest),
        "-c" | "-e" | "-f" => !rest.is_empty(),
        _ => !first.is_option(),
    }
}

/// Returns whether a command may change files on which later checks depend. Effects of the project's
/// own code (`make`, `npm test`) are not considered.
pub(in super::super) fn changes_files(words: &[Word]) -> bool {
    let Some((program, rest)) = words.split_first() else {
        return true;
    };
    let name = known_name(&program.text);
    if let Some(carrier) = find(name) {
        return carried(carrier, rest).is_none_or(changes_files);
    }
    match known_table::find(name) {
        Some(known) => known.may_change(rest),
        None if name == "git" => git_table::changes_files(rest),
        None => handed_by_xargs(words).is_none(),
    }
}
