//! Verdicts on a number of tests that is told apart from them.

use super::names_tests;
use super::words::{is_fail, is_pass, is_test, of_others};
use crate::progress::parser::counters::counters;
use crate::progress::parser::prose::scene::Scene;
use crate::progress::parser::prose::{clause_end, clause_start, is_own, words};
use crate::progress::parser::reading::{MENTION, ended, update};
use crate::progress::parser::refusals;
use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::words::listed;
use crate::progress::{ProgressKind, ProseProgress};

/// "With the real code in place: 14 passed.": the last word of a sentence on tests.
pub(super) fn sum(tokens: &[Token<'_>], scene: &Scene) -> Option<ProseProgress> {
    let colon = tokens.iter().rposition(|t| t.is_sign(':'))?;
    let (said, told) = tokens.split_at(colon);
    let [_, number, verdict, rest @ ..] = told else {
        return None;
    };
    // "in 2.31 s"
    let timed = words(rest).all(|word| listed!(word, "in s ms seconds min minutes"));
    let closes = is_pass(&verdict.low) && timed;
    // "pytest: 18 passed"
    let tool = said
        .iter()
        .filter(|t| !matches!(t.kind, Kind::Sign(_)))
        .count()
        == 1;
    let of_tests = scene.tests || names_tests(said) || tool;
    let elsewhere = !words(said).any(|word| word == "now") && refusals::is_elsewhere(said);
    let number = number.digits().filter(|&n| n > 0.0)?;
    (closes && of_tests && !elsewhere && !of_others(said)).then(|| verdict_of(number))
}

/// "130 tests, 2 of them failing", "Of the 64 tests 3 fail", "130/130 green".
pub(super) fn some_of_all(tokens: &[Token<'_>]) -> Option<ProseProgress> {
    let verdict = tokens
        .iter()
        .position(|t| is_pass(&t.low) || is_fail(&t.low) || t.low == "fehl")?;
    let failing = !is_pass(&tokens[verdict].low);
    let (done, total, whole_at, plain) = match counters(tokens).first() {
        Some(place) => {
            // "Full run: 212 of 212 green"
            let clause = clause_start(&tokens[..place.first]);
            let alone = clause == place.first && place.after == verdict;
            let ends = tokens[verdict + 1..].iter().all(|t| !t.is_word());
            // "All green (88/88)"
            let before = verdict < place.first
                && matches!(tokens[place.first - 1].kind, Kind::Sign('(' | ':'))
                && words(&tokens[..place.first]).count() <= 4
                && words(&tokens[place.after..]).next().is_none_or(|word| {
                    is_test(word) || listed!(word, "in on for under across now")
                });
            // "2 red out of 58"
            let unit = place.unit.filter(|&unit| unit == verdict && failing);
            let names_none = tokens
                .get(place.after)
                .is_none_or(|t| !t.is_word() || listed!(&t.low, "now so still left"));
            if unit.is_some()
                && names_none
                && words(&tokens[..place.first]).all(|word| is_own(word) || word == "down")
            {
                let mut found = verdict_of(place.total);
                found.state = ended(place.done > 0.0);
                return Some(found);
            }
            if before
                && words(tokens).any(|word| listed!(word, "all everything everything's alles"))
            {
                let mut found = verdict_of(place.total);
                found.state = ended(place.done < place.total);
                return Some(found);
            }
            (place.done, place.total, place.first, alone && ends)
        }
        None => {
            let whole = tokens.iter().position(|t| t.digits().is_some())?;
            let part = tokens[whole + 1..]
                .iter()
                .position(|t| t.number().is_some())?
                + whole
                + 1;
            let of_tests = tokens[whole + 1..part]
                .iter()
                .take(3)
                .any(|t| is_test(&t.low));
            let of = tokens[..whole]
                .iter()
                .rev()
                .take(3)
                .any(|t| listed!(&t.low, "of von sur de"));
            let joined = listed!(&tokens[part - 1].low, "and but und aber et y");
            let them = joined
                || tokens
                    .get(part + 2)
                    .is_some_and(|t| listed!(&t.low, "them ihnen which"));
            (
                tokens[part].number()?,
                tokens[whole].digits()?,
                whole,
                of_tests && (of || them) && part < verdict,
            )
        }
    };
    if verdict < whole_at {
        return None;
    }
    // "38 passed and 2 failed" is a sum.
    if tokens[whole_at..verdict]
        .iter()
        .any(|t| is_pass(&t.low) || is_fail(&t.low))
    {
        return None;
    }
    let clause = &tokens[clause_start(&tokens[..whole_at])..clause_end(tokens, verdict)];
    if !plain || done > total || refusals::is_elsewhere(clause) || of_others(clause) {
        return None;
    }
    let mut found = verdict_of(total);
    found.state = ended(if failing { done > 0.0 } else { done < total });
    Some(found)
}

/// All of so many tests passed.
pub(super) fn verdict_of(number: f64) -> ProseProgress {
    let mut found = update(ProgressKind::TestRun, MENTION);
    found.done = Some(number);
    found.total = Some(number);
    found.state = ended(false);
    found
}
