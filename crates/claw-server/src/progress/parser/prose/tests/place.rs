//! "test 5 of 20", "118 of 120 tests pass".

use super::words::{is_fail, is_pass, is_suite, is_test};
use crate::progress::parser::counters::counters;
use crate::progress::parser::prose::verbs::{opens_doing, stops};
use crate::progress::parser::prose::{clause_start, is_own, words};
use crate::progress::parser::reading::{WORDED, ended, update};
use crate::progress::parser::refusals;
use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::vocabulary::is_over;
use crate::progress::parser::words::listed;
use crate::progress::{ProgressKind, ProseProgress};

/// "test 5 of 20", "118 of 120 tests pass", "5 of the 20 tests failed".
pub(super) fn place(tokens: &[Token<'_>]) -> Option<ProseProgress> {
    let place = counters(tokens).into_iter().last()?;
    let before = place.first.checked_sub(1).and_then(|at| tokens.get(at));
    let mut found = update(ProgressKind::TestRun, WORDED);
    found.done = Some(place.done);
    found.total = Some(place.total);
    found.label = Some("tests".to_owned());
    // "test 5 of 20", "Running tests: 5 of 20", "Running tests (5/20)"
    let sign = before.is_some_and(|t| matches!(t.kind, Kind::Sign(':' | '(' | '[' | '#')));
    let named_at = place.first.checked_sub(1 + usize::from(sign));
    let says_verdict = words(&tokens[place.after..])
        .take(2)
        .any(|word| is_pass(word) || is_fail(word));
    // "A test failed (number 31 of 96)": the failure is of that one.
    let by_number = before.is_some_and(|t| matches!(t.low.as_str(), "number" | "nummer"));
    if by_number && words(&tokens[..place.first]).any(is_test) {
        return Some(found);
    }
    if let Some(named_at) =
        named_at.filter(|&at| is_test(&tokens[at].low) && !(sign && says_verdict))
    {
        let lead = words(&tokens[..named_at]);
        let own = lead.clone().all(|word| {
            is_own(word) || opens_doing(word) || listed!(word, "on at in the suite over to onto")
        });
        // "The integration suite is at test 120 of 600"
        let arrives = lead
            .clone()
            .next_back()
            .is_some_and(|word| listed!(word, "at on to reached hit"));
        let own = own
            || arrives
                && has_named_suite(&tokens[..named_at], |word| {
                    is_own(word) || listed!(word, "the our my got reached hit on working made come")
                });
        let goes_on = tokens
            .get(place.after)
            .is_none_or(|t| !matches!(t.low.as_str(), "of" | "in" | "that" | "from"));
        return (own && goes_on).then_some(found);
    }
    if let Some(unit) = place.unit
        && is_fail(&tokens[unit].low)
    {
        // "3 failures out of 60 tests"
        found.done = Some(place.total);
        found.state = ended(place.done > 0.0);
        return Some(found);
    }
    // Scripts without spaces name the tests somewhere around the numbers.
    let around = tokens[place.first.saturating_sub(1)..tokens.len().min(place.after + 2)]
        .iter()
        .any(|t| !t.low.is_ascii() && is_test(&t.low) && t.text.chars().any(|c| c > '\u{2e80}'));
    if around && !words(tokens).any(|word| is_pass(word) || is_fail(word)) {
        return Some(found);
    }
    if is_stopping_place(&tokens[..place.first]) {
        found.state = ended(true);
        return Some(found);
    }
    // "Tests: 57/60 passed", "Tests failed: 3 of 60"
    // "Tests are at 12/40", "The tests are running: 12 of 40 done"
    let lead_tests = tokens[..place.first]
        .iter()
        .any(|t| is_test(&t.low) || is_suite(&t.low));
    let lead_goes = words(&tokens[..place.first])
        .any(|word| matches!(word, "at" | "running" | "run"))
        || is_under_way(&tokens[..place.first], &tokens[place.after..]);
    let lead_plain = has_named_suite(&tokens[..place.first], |word| {
        is_own(word)
            || listed!(
                word,
                "the our my running run going under way underway in progress"
            )
    });
    let so_far = words(tokens).any(|word| matches!(word, "far" | "bisher"));
    if lead_tests && lead_goes && lead_plain && (so_far || !says_verdict_of(tokens)) {
        if place.done >= place.total {
            found.state = ended(false);
        }
        return Some(found);
    }
    // "The suite is green: 40/40"
    let verdict = |word: &str| is_pass(word) || is_fail(word);
    if lead_tests
        && words(&tokens[..place.first]).any(verdict)
        && words(&tokens[place.after..]).next().is_none()
        && words(&tokens[..place.first]).all(|word| {
            is_own(word)
                || verdict(word)
                || is_test(word)
                || is_suite(word)
                || listed!(word, "the unit integration all new full whole")
        })
    {
        found.done = Some(place.total);
        let red = words(&tokens[..place.first]).any(is_fail);
        found.state = ended(red && place.done > 0.0 || place.done < place.total);
        return Some(found);
    }
    // "The tests are through: 88 of 88 passed"
    let told_before = before.is_some_and(|t| t.is_sign(':')) && lead_tests && says_verdict;
    let named = told_before
        || tokens.first().is_some_and(|t| is_test(&t.low))
            && tokens[..place.first].iter().any(|t| t.is_sign(':'));
    let rest = &tokens[place.after..];
    let near = rest
        .iter()
        .take(4)
        .position(|t| is_test(&t.low))
        .or_else(|| place.unit.filter(|&at| is_test(&tokens[at].low)).map(|_| 0))
        .or_else(|| named.then_some(0))?;
    let lead = words(&tokens[..place.first]);
    let clause = clause_start(&tokens[..place.first]);
    let own = is_setting(&tokens[clause..place.first])
        || words(&tokens[clause..place.first]).all(|word| {
            is_own(word)
                || is_pass(word)
                || is_fail(word)
                || listed!(
                    word,
                    "the result run ran executed suite finished all in only tests test
                running was aborted stopped cancelled interrupted crashed after"
                )
        });
    if !own {
        return None;
    }
    // "We're at 30 of 60 tests, no failures so far."
    let clause = rest
        .iter()
        .position(|t| t.is_sign(','))
        .unwrap_or(rest.len())
        .max(near);
    let at = lead
        .clone()
        .next_back()
        .is_some_and(|word| matches!(word, "at" | "on" | "bei"));
    if at && !words(&rest[near..clause]).any(|word| is_pass(word) || is_fail(word)) {
        return Some(found);
    }
    let judged = lead.clone().find(|word| is_pass(word) || is_fail(word));
    let said = words(&rest[near..]).chain(lead.clone()).find(|word| {
        is_pass(word)
            || is_fail(word)
            || listed!(
                *word,
                "fixed run ran done complete completed executed finished through far
                ported converted migrated written rewritten updated gelaufen durch
                fertig"
            )
    })?;
    // "The test run failed: 1 of 9 specs …": a verdict says more than that it ran.
    let said = judged
        .filter(|_| matches!(said, "run" | "ran" | "finished"))
        .unwrap_or(said);
    // "failing tests" before the verb are what is worked on.
    let worked_on = words(rest)
        .take(near)
        .any(|word| is_fail(word) || is_pass(word))
        || words(rest).any(|word| {
            listed!(
                word,
                "fixed ported converted migrated written rewritten updated repaired
                behoben repariert"
            )
        });
    if worked_on {
        return None;
    }
    if is_pass(said) || is_fail(said) {
        let so_far = words(rest).any(|word| matches!(word, "far" | "bisher"));
        let failed = if is_pass(said) {
            place.done < place.total
        } else {
            place.done > 0.0
        };
        if so_far && is_pass(said) {
            return Some(found);
        }
        // How many have run is not said.
        if so_far && place.done < place.total {
            return None;
        }
        found.done = Some(place.total);
        found.state = ended(failed);
    } else if place.done >= place.total {
        found.state = ended(words(tokens).any(is_fail));
    }
    Some(found)
}

/// "The slow regression suite is", "Unit tests are": `known` words around tests, which may have a
/// name of up to two words.
fn has_named_suite(lead: &[Token<'_>], known: impl Fn(&str) -> bool) -> bool {
    let several = |word: &str| is_suite(word) || is_test(word) && word.ends_with('s');
    let list: Vec<&str> = words(lead).collect();
    let suite = list.iter().position(|word| several(word));
    let is_name = |word: &str| {
        // Somebody's suite, and tests that are worked on, are not a run of this session.
        let form = word.ends_with("ing") || word.ends_with("ed");
        let worked_on = form && opens_doing(word) || is_pass(word) || is_fail(word);
        !worked_on && !word.ends_with("'s") && !listed!(word, "your their of for in other old")
    };
    list.iter().enumerate().all(|(at, word)| {
        let names = suite.is_some_and(|suite| at < suite && suite - at <= 2) && is_name(word);
        known(word) || is_test(word) || is_suite(word) || names
    })
}

/// "are still going, 120/312 done": and not "are in progress, 12 of 40 written".
fn is_under_way(lead: &[Token<'_>], rest: &[Token<'_>]) -> bool {
    let moves = words(lead).any(|word| listed!(word, "going way underway"))
        || words(lead)
            .zip(words(lead).skip(1))
            .any(|pair| pair == ("in", "progress"));
    let told = words(rest).next().is_none_or(|word| {
        is_own(word)
            || is_over(word)
            || is_test(word)
            || listed!(
                word,
                "through run ran executed no none nothing without zero all"
            )
    });
    moves && told
}

/// Some passed or failed; "no failures" tells of none.
fn says_verdict_of(tokens: &[Token<'_>]) -> bool {
    let mut before = "";
    words(tokens).any(|word| {
        let none = is_fail(word) && listed!(before, "no none nothing zero without keine sans sin");
        before = word;
        !none && (is_pass(word) || is_fail(word))
    })
}

/// "after my fix", "with this change", "in this run": when it was, and nothing else.
fn is_setting(lead: &[Token<'_>]) -> bool {
    let mut lead = words(lead);
    lead.next()
        .is_some_and(|word| listed!(word, "after with in since on under nach mit seit après con"))
        && lead.clone().count() <= 4
        && lead
            .next()
            .is_some_and(|word| listed!(word, "my the this that these our meinem dem ma mi"))
}

/// "aborted after 12 of 40", "died with a signal after 940 of 1,204".
fn is_stopping_place(said: &[Token<'_>]) -> bool {
    let placed = words(said)
        .next_back()
        .is_some_and(|word| listed!(word, "after at in on nach bei après tras"));
    let mut all = words(said);
    let stopped = stops(all.clone()) || all.clone().any(|word| listed!(word, "hung froze"));
    placed && stopped && !all.any(|word| listed!(word, "when if while once that which"))
}

/// "12 of 340 failed", where the sentence before was about tests.
pub(super) fn of_them(tokens: &[Token<'_>]) -> Option<ProseProgress> {
    let clause = tokens.iter().position(|t| t.is_sign(','));
    let tokens = &tokens[..clause.unwrap_or(tokens.len())];
    let place = counters(tokens).into_iter().next()?;
    let plain = words(&tokens[..place.first]).all(is_own);
    let verdict = words(&tokens[place.after..]).find(|word| {
        (!is_own(word) || *word == "through") && !listed!(*word, "of them the still again are have")
    })?;
    let mut found = update(ProgressKind::TestRun, WORDED);
    found.done = Some(place.total);
    found.total = Some(place.total);
    if is_pass(verdict) {
        found.state = ended(place.done < place.total);
    } else if is_fail(verdict) {
        found.state = ended(place.done > 0.0);
    } else if is_over(verdict) || matches!(verdict, "through" | "run" | "ran" | "durch") {
        found.done = Some(place.done);
        if place.done >= place.total {
            found.state = ended(false);
        }
    } else {
        return None;
    }
    if !plain || refusals::is_elsewhere(tokens) {
        return None;
    }
    Some(found)
}
