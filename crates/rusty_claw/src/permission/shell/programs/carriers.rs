//! Programs that run what their words say.

use super::super::word::Word;
use super::known;
use super::{Call, Kind, git, known_name, options, refuse, scripts};

/// Runs the program behind its own options.
pub(super) struct Carrier {
    name: &'static str,
    /// Letters of its options without a value.
    letters: &'static str,
    /// Letters of its options that take the next word, when nothing is joined to them.
    valued: &'static str,
    /// Words that stand between its options and the program.
    operands: usize,
}

const fn carrier(
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

/// Hands words from its input to the program behind its options.
const XARGS: Carrier = carrier("xargs", "0rt", "dEILnPs", 0);

/// Fetch the program that the rule names unless it is there, and run it.
const FETCHERS: &[Carrier] = &[
    carrier("bunx", "", "", 0),
    carrier("npx", "y", "", 0),
    carrier("pnpx", "", "", 0),
];

/// Programs that may be fetched so: we know what they do with their words.
const FETCHED: &[&str] = &[
    "eslint",
    "jest",
    "mocha",
    "prettier",
    "stylelint",
    "svelte-check",
    "tsc",
    "vitest",
    "vue-tsc",
];

/// Subcommands that run the program that follows, in the environment of a project.
const RUNNERS: &[(&str, &str)] = &[
    ("bundle", "exec"),
    ("pdm", "run"),
    ("pipenv", "run"),
    ("pnpm", "exec"),
    ("poetry", "run"),
    ("uv", "run"),
    ("yarn", "exec"),
];

/// The carrier of this name. Words after the carried program are checked as its arguments.
pub(super) fn find(program: &str) -> Option<&'static Carrier> {
    CARRIERS.iter().find(|carrier| carrier.name == program)
}

/// The command that xargs passes its input to, if that command only reads, whatever its arguments.
pub(in super::super) fn handed_by_xargs(words: &[Word]) -> Option<&[Word]> {
    let (program, rest) = words.split_first()?;
    let inner = carried(&XARGS, rest).filter(|_| program.text == XARGS.name)?;
    super::only_reads(inner).then_some(inner)
}

/// Returns `None` if the program is not a carrier.
pub(super) fn judge(call: &Call<'_>) -> Option<Result<(), String>> {
    let program = call.program;
    let none = || {
        Err(format!(
            "{program} runs other programs, and the rule names none"
        ))
    };
    if let Some(carrier) = find(program) {
        let inner = carried(carrier, call.given);
        return Some(inner.map_or_else(none, |inner| judge_inner(inner, call)));
    }
    if program == XARGS.name {
        let inner = carried(&XARGS, call.given).filter(|inner| super::only_reads(inner));
        return Some(inner.map_or_else(none, |inner| judge_inner(inner, call)));
    }
    if let [order, inner @ ..] = call.given
        && RUNNERS.contains(&(program, order.text.as_str()))
    {
        let is_named = inner.first().is_some_and(|first| !first.is_option());
        return Some(if is_named {
            judge_inner(inner, call)
        } else {
            none()
        });
    }
    let fetcher = FETCHERS.iter().find(|fetcher| fetcher.name == program)?;
    let is_fetched = |inner: &&[Word]| {
        let first = inner.first();
        first.is_some_and(|first| FETCHED.contains(&first.text.as_str()))
    };
    let inner = carried(fetcher, call.given).filter(is_fetched);
    Some(inner.map_or_else(none, |inner| {
        known::no_shell_signs(call.further)?;
        judge_inner(inner, call)
    }))
}

fn judge_inner(inner: &[Word], call: &Call<'_>) -> Result<(), String> {
    super::judge(inner, call.further, call.files)
}

/// Checks a program by its kind alone. Returns `None` if it is not an interpreter.
pub(super) fn judge_kind(call: &Call<'_>) -> Option<Result<(), String>> {
    match Kind::of(call.program) {
        Kind::Shell | Kind::Interpreter => Some(interpreted(call, false)),
        Kind::Awk => Some(interpreted(call, true)),
        _ => None,
    }
}

/// The words of the program that the rule itself names; None when there is none, and behind an
/// option of which it is not known whether it takes the next word.
fn carried<'a>(carrier: &Carrier, given: &'a [Word]) -> Option<&'a [Word]> {
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
        } else if options::is_assignment(text) && carrier.name == "env" {
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
    if super::only_reads(words) || handed_by_xargs(words).is_some() || name == "tee" {
        return false;
    }
    let is_input = |word: &Word| {
        word.text == "-" || ["/dev/", "/proc/"].iter().any(|d| word.text.starts_with(d))
    };
    if rest.iter().any(is_input) {
        return true;
    }
    if known::find(name).is_some() || matches!(name, "sed" | "gsed") {
        return false;
    }
    match Kind::of(name) {
        Kind::Shell => !rest
            .first()
            .is_some_and(|word| !word.is_option() || word.text == "-c"),
        Kind::Interpreter | Kind::Awk => !names_code(rest),
        Kind::Git => !rest
            .first()
            .is_some_and(|order| git::is_known_command(&order.text)),
        _ => true,
    }
}

/// Whether an interpreter's words say where its code is.
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
    match known::find(name) {
        Some(known) => known.may_change(rest),
        None if name == "git" => git::changes_files(rest),
        None => handed_by_xargs(words).is_none(),
    }
}

/// The first word that is no option names the code, and `-m` a module. Further words go to it,
/// when the rule names one that is known.
fn interpreted(call: &Call<'_>, awk: bool) -> Result<(), String> {
    if awk && call.given.is_empty() {
        return scripts::awk(call.further);
    }
    let mut words = call.given;
    while let Some((first, rest)) = words.split_first() {
        match first.text.as_str() {
            "-m" if !rest.is_empty() => return judge_inner(rest, call),
            "manage.py" => return judge_inner(words, call),
            _ if !first.is_option() && awk => return awk_files(call.further),
            // It is not known whether this option takes the next word, so that word may be code.
            "-u" | "-B" | "-s" | "-E" | "-I" => words = rest,
            _ => break,
        }
    }
    super::only_own_words(call)
}

/// Behind the program of awk stand files.
pub(super) fn awk_files(words: &[Word]) -> Result<(), String> {
    for word in words {
        // A name below `/inet` is a connection.
        let is_other = word.is_option() || word.text.starts_with("/inet");
        if is_other || options::is_assignment(&word.text) {
            return refuse("is an option, a setting or a connection", word);
        }
    }
    Ok(())
}
