//! Checks further arguments, with the model of their program.

use super::super::folder::Files;
use super::super::kinds::Kind;
use super::super::word::Word;
use super::call::{Call, known_name, refuse};
use super::carriers::{self, Carrier, XARGS, carried, carrier};
use super::known::{Known, no_shell_signs};
use super::known_table::{self, only_reads};
use super::{git, scripts, subcommands};

/// Fetch the program that the rule names if it is not installed, and run it.
const FETCHERS: &[Carrier] = &[
    carrier("bunx", "", "", 0),
    carrier("npx", "y", "", 0),
    carrier("pnpx", "", "", 0),
];

/// Programs that may be fetched in this way: their arguments are modelled.
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

/// Checks that the further words are harmless arguments.
pub(in super::super) fn judge(
    rule: &[Word],
    further: &[Word],
    files: &Files<'_>,
) -> Result<(), String> {
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
    let known = known_table::find(program);
    let is_harmless = known.is_some_and(Known::is_harmless);
    if let Some(word) = further.iter().find(|word| word.may_be_option)
        && !is_harmless
        && carriers::find(program).is_none()
    {
        return refuse("may stand for an option", word);
    }
    subcommands::judge(call)
        .or_else(|| judge_carrier(call))
        .or_else(|| scripts::judge(call))
        .or_else(|| (program == "git").then(|| git::judge(call)))
        .or_else(|| known.map(|known| known.judge(call)))
        .or_else(|| judge_kind(call))
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

/// Returns `None` if the program is not a carrier.
fn judge_carrier(call: &Call<'_>) -> Option<Result<(), String>> {
    let program = call.program;
    let none = || {
        Err(format!(
            "{program} runs other programs, and the rule names none"
        ))
    };
    if let Some(carrier) = carriers::find(program) {
        let inner = carried(carrier, call.given);
        return Some(inner.map_or_else(none, |inner| judge_inner(inner, call)));
    }
    if program == XARGS.name {
        let inner = carried(&XARGS, call.given).filter(|inner| only_reads(inner));
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
        no_shell_signs(call.further)?;
        judge_inner(inner, call)
    }))
}

fn judge_inner(inner: &[Word], call: &Call<'_>) -> Result<(), String> {
    judge(inner, call.further, call.files)
}

/// Checks a program by its kind alone. Returns `None` if it is not an interpreter.
fn judge_kind(call: &Call<'_>) -> Option<Result<(), String>> {
    match Kind::of(call.program) {
        Kind::Shell | Kind::Interpreter => Some(interpreted(call, false)),
        Kind::Awk => Some(interpreted(call, true)),
        _ => None,
    }
}

/// Checks an interpreter. The first word that is not an option names the code, and `-m` a module.
/// Further words are its arguments, if the rule names a known one.
fn interpreted(call: &Call<'_>, awk: bool) -> Result<(), String> {
    if awk && call.given.is_empty() {
        return scripts::awk(call.further);
    }
    let mut words = call.given;
    while let Some((first, rest)) = words.split_first() {
        match first.text.as_str() {
            "-m" if !rest.is_empty() => return judge_inner(rest, call),
            "manage.py" => return judge_inner(words, call),
            _ if !first.is_option() && awk => return scripts::awk_files(call.further),
            // Other options may take the next word, so that word may be code.
            "-u" | "-B" | "-s" | "-E" | "-I" => words = rest,
            _ => break,
        }
    }
    only_own_words(call)
}
