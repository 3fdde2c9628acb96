//! Test runs, as they are told.

mod place;
mod sums;
mod words;

use self::sums::{some_of_all, sum, verdict_of};
use self::words::{is_fail, is_pass, is_suite, is_test, of_others};
use super::scene::Scene;
use super::{clause_end, is_own, remark_after, words};
use crate::progress::parser::counters::{counters, shares};
use crate::progress::parser::reading::{MENTION, WORDED, ended, update};
use crate::progress::parser::refusals;
use crate::progress::parser::runners::Tally;
use crate::progress::parser::tokens::Token;
use crate::progress::parser::vocabulary::is_work_noun;
use crate::progress::parser::words::listed;
use crate::progress::{ProgressKind, ProseProgress};

/// The sentence is about tests or a suite of them.
pub(super) fn names_tests(tokens: &[Token<'_>]) -> bool {
    words(tokens).any(|word| is_test(word) || is_suite(word))
}

pub(super) fn read(tokens: &[Token<'_>], scene: &Scene) -> Option<ProseProgress> {
    // "All 96 tests pass now, including the three that failed before."
    let aside = |pair: &[Token<'_>]| {
        pair[0].is_sign(',')
            && listed!(
                &pair[1].low,
                "including even also auch y compris on under in for auf unter sur"
            )
    };
    let end = tokens.windows(2).position(aside).unwrap_or(tokens.len());
    let tokens = &tokens[..end];
    let test = tokens
        .iter()
        .position(|t| t.is_word() && (is_test(&t.low) || is_suite(&t.low)));
    if let Some(found) = scene.tests.then(|| place::of_them(tokens)).flatten() {
        return Some(found);
    }
    if let Some(found) = sum(tokens, scene).or_else(|| some_of_all(tokens)) {
        return Some(found);
    }
    let (tally, tokens) = match bracketed_sum(tokens) {
        Some((tally, end)) => (tally, &tokens[..end]),
        None => (Tally::of(tokens), tokens),
    };
    let Some(test) = test else {
        if let Some(found) = all_of_them(tokens) {
            return Some(found);
        }
        // "240 passed, 0 failed" needs no noun.
        return (tally.passed.is_some() && tally.verdicts() >= 2)
            .then(|| told(tokens, &tally))
            .flatten();
    };
    let end = clause_end(tokens, test).min(remark_after(tokens, test));
    let head = &tokens[..end.min(purpose_after(tokens, test))];
    if refusals::is_elsewhere(head) || of_others(head) {
        return None;
    }
    place::place(tokens)
        .or_else(|| share(tokens, test))
        .or_else(|| told(tokens, &tally))
        .or_else(|| begun(head))
        .or_else(|| begun(tokens))
        .or_else(|| under_way(head))
        .or_else(|| failures_alone(tokens))
        .or_else(|| whole(tokens, test))
}

/// "finished with 2 failures (88 passed, 2 failed)": the brackets say it all again. With the sum
/// goes where they end.
fn bracketed_sum(tokens: &[Token<'_>]) -> Option<(Tally, usize)> {
    let open = tokens.iter().position(|t| t.is_sign('('))?;
    let close = open + tokens[open..].iter().position(|t| t.is_sign(')'))?;
    let tally = Tally::of(&tokens[open + 1..close]);
    (tally.passed.is_some() && tally.verdicts() >= 2).then_some((tally, close + 1))
}

/// "… to see whether anything else depended on it", "… while I write the docs": what it is for and
/// what else is done are not judged.
fn purpose_after(tokens: &[Token<'_>], from: usize) -> usize {
    let for_what = |pair: &[Token<'_>]| {
        listed!(
            &pair[0].low,
            "while whilst during während pendant mientras mentre"
        ) || matches!(pair[0].low.as_str(), "to" | "um" | "pour" | "para" | "per")
            && listed!(
                &pair[1].low,
                "see check make be find know learn zu voir vérifier ver comprobar vedere
                verify confirm ensure catch"
            )
    };
    tokens[from..]
        .windows(2)
        .position(for_what)
        .map_or(tokens.len(), |at| from + at)
}

/// "All 40 pass now.": only when nothing is named that could have passed besides tests.
fn all_of_them(tokens: &[Token<'_>]) -> Option<ProseProgress> {
    let all = tokens
        .iter()
        .position(|t| listed!(&t.low, "all alle tous todos todas tutti все"))?;
    let number = tokens.get(all + 1)?.digits().filter(|&n| n >= 1.0)?;
    let mut rest = words(&tokens[all + 2..]).skip_while(|word| {
        listed!(
            *word,
            "of them are now still have sind jetzt sont están sono"
        )
    });
    let passes = rest.next().is_some_and(is_pass);
    let ends = rest.all(|word| {
        is_own(word)
            || listed!(
                word,
                "the so commit push on again too time this green clean"
            )
    });
    let own = words(&tokens[..all]).all(is_own);
    let elsewhere = refusals::is_elsewhere(tokens) || of_others(tokens);
    if !passes || !ends || !own || elsewhere {
        return None;
    }
    Some(verdict_of(number))
}

/// "The suite is at 45 %", "45 % of the tests have run".
fn share(tokens: &[Token<'_>], test: usize) -> Option<ProseProgress> {
    let share = shares(tokens).into_iter().last()?;
    let before = share.first.checked_sub(1).and_then(|at| tokens.get(at));
    let after = tokens.get(share.after);
    let at = test < share.first
        && before.is_some_and(|t| {
            matches!(
                t.low.as_str(),
                "at" | "reached" | "bei" | "à" | "is" | "are" | "zu"
            )
        });
    let done = after.is_some_and(|t| {
        matches!(
            t.low.as_str(),
            "done" | "complete" | "through" | "finished" | "completed" | "durch" | "fertig"
        )
    });
    let of = after.is_some_and(|t| t.low == "of")
        && words(&tokens[share.after..]).any(|word| {
            matches!(
                word,
                "run" | "ran" | "done" | "executed" | "finished" | "complete"
            )
        });
    let not = words(tokens).any(|word| {
        listed!(
            word,
            "coverage covered pass rate faster slower cpu flaky cover time fail passed
            failed"
        ) || is_pass(word) && word != "passing"
    });
    if !(at || done || of) || not {
        return None;
    }
    let mut found = update(ProgressKind::TestRun, MENTION);
    found.percent = Some(share.percent);
    if share.percent >= 100.0 {
        found.state = ended(false);
    }
    Some(found)
}

/// "240 passed, 0 failed", "All 240 tests pass".
fn told(tokens: &[Token<'_>], tally: &Tally) -> Option<ProseProgress> {
    if refusals::is_elsewhere(tokens) || of_others(tokens) || !counters(tokens).is_empty() {
        return None;
    }
    // "They pass only with the mock."
    let only = words(tokens)
        .zip(words(tokens).skip(1))
        .any(|(verb, only)| only == "only" && (is_pass(verb) || is_fail(verb)));
    if only {
        return None;
    }
    let mut found = update(ProgressKind::TestRun, WORDED);
    let so_far = words(tokens).any(|word| matches!(word, "far" | "bisher" | "running"));
    let all = all_of(tokens);
    if tally.verdicts() >= 2
        && (tally.passed.is_some() || tally.total.is_some())
        && tally.sum() > 0.0
        && !so_far
    {
        let total = if tally.passed.is_some() {
            tally.whole()
        } else {
            tally.total?
        };
        found.done = Some(total);
        found.total = Some(total);
        found.state = ended(tally.any_failed());
        return Some(found);
    }
    // "40 tests, 0 failures"
    if let (Some(total), Some(failures), None) = (tally.total, tally.failed, tally.passed)
        && total >= failures
        && total > 0.0
        && !so_far
    {
        found.done = Some(total);
        found.total = Some(total);
        found.state = ended(failures > 0.0);
        return Some(found);
    }
    // "57 tests, zero failures"
    let none_failed = words(tokens)
        .zip(words(tokens).skip(1))
        .any(|(no, word)| is_fail(word) && listed!(no, "no none zero without keine sans sin"));
    let passed = none_failed || words(tokens).any(is_pass);
    let failed = !none_failed && words(tokens).any(is_fail);
    // "312 tests grün"
    let all = all.or_else(|| {
        tokens.windows(3).find_map(|three| {
            (is_test(&three[1].low) && is_pass(&three[2].low)).then(|| three[0].digits())?
        })
    });
    // "Done: 40 tests, all passed"
    let all = all.or_else(|| {
        tally.total.filter(|_| {
            words(tokens).any(|word| listed!(word, "all alle tous toutes todos todas tutti everything everything's alles tout todo tutto"))
        })
    });
    // Scripts without spaces: 全部 40 个测试通过
    let all = all.or_else(|| {
        let runs_on = |t: &Token<'_>| t.text.chars().any(|c| c > '\u{2e80}') && is_test(&t.low);
        let number = tokens.iter().find_map(Token::digits);
        number.filter(|_| tokens.iter().any(runs_on))
    });
    // "All 12 tests fail."
    let all_failed = all.filter(|_| {
        failed
            && !passed
            && !so_far
            && words(tokens).any(|word| listed!(word, "all alle tous todos tutti"))
    });
    if let Some(number) = all_failed {
        let mut found = verdict_of(number);
        found.state = ended(true);
        return Some(found);
    }
    let mut number = all
        .or(tally.passed)
        .or(tally.total.filter(|_| none_failed))
        .filter(|_| passed && !failed && !so_far);
    // "All 240 tests pass and none failed"
    if number.is_none()
        && passed
        && failed
        && !so_far
        && words(tokens).any(|word| matches!(word, "none" | "no" | "without"))
    {
        number = all;
    }
    let number = number.filter(|&n| n > 0.0)?;
    found.done = Some(number);
    found.total = Some(number);
    found.state = ended(false);
    Some(found)
}

/// "all 240 tests", "alle 240 Tests".
fn all_of(tokens: &[Token<'_>]) -> Option<f64> {
    let at = tokens.iter().position(|t| {
        listed!(
            &t.low,
            "all alle tous todas todos tutti все the les las los die"
        )
    })?;
    let number = tokens[at + 1..].iter().take(3).find_map(Token::number)?;
    let named = tokens[at + 1..].iter().take(6).any(|t| is_test(&t.low));
    // "I added 3 tests, and all 9 pass"
    let meant = tokens[at].low == "all"
        && tokens[at + 1].number().is_some()
        && names_tests(&tokens[..at])
        && words(&tokens[at + 2..]).any(is_pass);
    (named || meant).then_some(number)
}

/// "Running 64 tests".
fn begun(tokens: &[Token<'_>]) -> Option<ProseProgress> {
    let verb = tokens.iter().position(|t| {
        listed!(
            &t.low,
            "kicking kicked started launched running run executing starting start starte lasse lance ejecutando ejecuto
            eseguo запускаю executando"
        )
    })?;
    let lead = words(&tokens[..verb]);
    let own = lead
        .clone()
        .all(|word| is_own(word) || matches!(word, "going" | "let" | "me" | "first" | "will"));
    let bare = verb == 0 && matches!(tokens[verb].low.as_str(), "run" | "start");
    let at = tokens[verb + 1..]
        .iter()
        .take(12)
        .position(|t| t.number().is_some())?
        + verb
        + 1;
    let near = tokens[at + 1..].iter().take(4).any(|t| is_test(&t.low));
    let strange = words(&tokens[verb + 1..at])
        .filter(|word| !is_suite(word) && !is_test(word) && !listed!(*word, "all the alle die les los las now jetzt our my ahora run of off full whole entire complete unit integration e2e with in background about roughly around some some etwa rund"))
        .count();
    // A name may say which suite it is.
    let between = strange <= usize::from(names_tests(&tokens[verb + 1..at]));
    let ended = words(&tokens[at..]).any(|word| {
        is_pass(word) || is_fail(word) || matches!(word, "times" | "took" | "takes" | "seconds")
    });
    if !own || bare || !near || !between || ended {
        return None;
    }
    let mut found = update(ProgressKind::TestRun, WORDED);
    found.done = Some(0.0);
    found.total = tokens[at].number();
    Some(found)
}

/// "12 tests failed.": of how many is not said.
fn failures_alone(tokens: &[Token<'_>]) -> Option<ProseProgress> {
    let [number, tests, verdict, rest @ ..] = tokens else {
        return None;
    };
    let said = number.number().is_some_and(|n| n > 0.0)
        && is_test(&tests.low)
        && verdict.low == "failed"
        && words(rest).next().is_none();
    let mut found = update(ProgressKind::TestRun, MENTION);
    found.state = ended(true);
    said.then_some(found)
}

/// "I'm running the tests now", "Running the test suite now".
fn under_way(tokens: &[Token<'_>]) -> Option<ProseProgress> {
    // What it is for, and what with.
    let aside = |t: &Token<'_>| listed!(&t.low, "before to against with");
    let end = tokens.iter().position(aside).unwrap_or(tokens.len());
    let tokens = &tokens[..end];
    let verb = tokens.iter().position(|t| {
        listed!(
            &t.low,
            "running executing rerunning kicking starting launching kicked started launched"
        )
    })?;
    let own = words(&tokens[..verb]).all(is_own);
    let begins = verb == 0 && listed!(&tokens[verb].low, "kicking starting launching rerunning");
    let now = begins
        || words(tokens).any(|word| matches!(word, "now" | "currently" | "i'm" | "i've" | "still"));
    let named = tokens[verb..]
        .iter()
        .position(|t| is_test(&t.low) || is_suite(&t.low));
    let strange = |word: &&str| {
        !is_test(word)
            && !is_suite(word)
            && !listed!(
                *word,
                "off up the full whole entire unit integration my our all again now once more end-to-end
                e2e complete in background"
            )
    };
    // A name or two may say which tests they are: "the Playwright suite".
    let plain = named.is_some_and(|named| {
        let (which, behind) = tokens[verb + 1..].split_at(named.saturating_sub(1));
        words(which).filter(strange).count() <= 2
            && !words(which).any(|word| word.ends_with("ing"))
            && !words(behind).any(|word| strange(&word))
    });
    let alone = tokens.iter().all(|t| t.digits().is_none());
    (own && now && plain && alone).then(|| update(ProgressKind::TestRun, MENTION))
}

/// "All tests pass", "The test suite passed", "The test run failed".
fn whole(tokens: &[Token<'_>], test: usize) -> Option<ProseProgress> {
    let lead_is_plain = words(&tokens[..test]).all(|word| {
        is_own(word)
            || is_work_noun(word)
            || listed!(
                word,
                "the all full whole entire unit integration my our new alle die tous les
                todas las todos os tutti i все existing"
            )
    });
    let after: Vec<&str> = words(&tokens[test + 1..]).take(5).collect();
    let verb = after.iter().find(|word| {
        !listed!(
            **word,
            "run suite are is now all has have still also just again sind alle ont están
            tous cases suites"
        )
    })?;
    // "The test suite passes (412 tests)"
    let number = tokens.windows(3).find_map(|three| {
        three[1]
            .digits()
            .filter(|&n| n > 0.0 && three[0].is_sign('(') && is_test(&three[2].low))
    });
    let numbers = tokens.iter().filter(|t| t.digits().is_some()).count();
    let numbered = numbers > usize::from(number.is_some());
    let all = words(&tokens[..test]).any(|word| {
        matches!(
            word,
            "all" | "alle" | "tous" | "todas" | "todos" | "tutti" | "все"
        )
    });
    let several = tokens[test].low.ends_with('s')
        || is_suite(&tokens[test].low)
        || after
            .first()
            .is_some_and(|word| matches!(*word, "suite" | "run") || is_suite(word));
    if !lead_is_plain
        || numbered
        || !(several || all)
        || after
            .iter()
            .any(|word| matches!(*word, "when" | "if" | "only" | "because"))
    {
        return None;
    }
    let timed_out = *verb == "timed" && after.contains(&"out");
    // "The tests fail on Windows" is said of any run.
    let fails = matches!(*verb, "fail" | "failing") && after.last() == Some(verb);
    let failed = timed_out
        || fails
        || matches!(
            *verb,
            "failed"
                | "crashed"
                | "aborted"
                | "fehlgeschlagen"
                | "échoué"
                | "fallaron"
                | "falharam"
        );
    if *verb == "running" && after.last() == Some(verb) {
        return Some(update(ProgressKind::TestRun, MENTION));
    }
    let over = matches!(*verb, "finished" | "completed" | "done" | "complete")
        && (is_suite(&tokens[test].low)
            || after.iter().any(|word| is_suite(word) || *word == "run"));
    if !(is_pass(verb) || failed || over) {
        return None;
    }
    let mut found = update(ProgressKind::TestRun, MENTION);
    found.done = number;
    found.total = number;
    found.state = ended(failed);
    Some(found)
}
