//! Lines in the form that many runners share.

use crate::progress::ProseProgress;
use crate::progress::parser::counters::counters;
use crate::progress::parser::page::{Page, PageLine};
use crate::progress::parser::reading::verdict;
use crate::progress::parser::runners::{Found, Tally};
use crate::progress::parser::tokens::Token;
use crate::progress::parser::words::listed;

/// Any line that names verdicts with their numbers and says that they are of tests, or has the
/// form that many runners share.
pub(in crate::progress::parser::runners) fn any(page: &Page<'_>) -> Option<Found> {
    let (at, update) = page.last(|line| summary_of(line))?;
    // Steps of scenarios follow the scenarios.
    let end = page.lines.iter().rposition(|line| {
        let tokens = &line.tokens;
        tokens.len() > 1
            && tokens[0].digits().is_some()
            && matches!(tokens[1].low.as_str(), "steps" | "step")
    });
    let end = end.filter(|end| *end > at && *end <= at + 2).unwrap_or(at);
    Some(Found::new(end, update))
}

fn summary_of(line: &PageLine<'_>) -> Option<ProseProgress> {
    // "[selftest] 12 tests, 12 passed"
    let tokens = match line.tokens.as_slice() {
        [open, name, close, rest @ ..]
            if open.is_sign('[') && name.is_word() && close.is_sign(']') =>
        {
            rest
        }
        all => all,
    };
    if tokens.len() > 40 {
        return None;
    }
    let tally = Tally::of(tokens);
    let has = |words: &[&str]| tokens.iter().any(|t| words.contains(&t.low.as_str()));
    // Other things have verdicts, too.
    if has(&[
        "checks",
        "check",
        "jobs",
        "workflows",
        "packages",
        "hosts",
        "links",
        "tasks",
        "actions",
        "features",
        "steps",
        "files",
        "suites",
        "requests",
        "commits",
        "hunks",
        "hunk",
        "pods",
        "warnings",
        "queries",
        "builds",
        "deployments",
    ]) && !has(&["tests", "test", "examples", "specs", "scenarios"])
    {
        return None;
    }
    let first_is_number = tokens.first().is_some_and(|t| t.digits().is_some());
    let lead: usize = tokens
        .iter()
        .take_while(|t| t.digits().is_none())
        .filter(|t| t.is_word())
        .count();
    let clear_lead = lead <= 3;
    // "45 examples, 2 failures", "45 runs, 120 assertions, 1 failures", "12 scenarios (1 failed, 11 passed)"
    let total_first = first_is_number
        && tally.total.is_some()
        && tally.verdicts() > 0
        && tokens.get(1).is_some_and(|t| {
            listed!(
                &t.low,
                "tests test examples example specs spec runs scenarios scenario doctests
                doctest properties property doctest,"
            )
        });
    if total_first && tally.whole() > 0.0 {
        return Some(verdict(tally.whole(), tally.any_failed()));
    }
    let of_tests = has(&[
        "tests",
        "test",
        "specs",
        "examples",
        "scenarios",
        "testcases",
    ]);
    let two = tally.verdicts() >= 2;
    let has_pass_or_fail = tally.passed.is_some() || tally.failed.is_some();
    // "Tests: succeeded 45, failed 1", "Tests:  2 failed, 45 passed (120 assertions)"
    if of_tests && two && has_pass_or_fail && clear_lead && tally.sum() > 0.0 {
        return Some(verdict(tally.whole(), tally.any_failed()));
    }
    // "45 passed; 1 skipped; 2 failed", "12 passed, 0 failed (3.2s)"
    let passed = has(&["passed", "pass", "passing", "successes", "ok"]);
    if first_is_number && two && passed && tally.passed.is_some() && tally.sum() > 0.0 {
        return Some(verdict(tally.whole(), tally.any_failed()));
    }
    // "Passed: Total 45, Failed 0, Errors 0, Passed 45"
    let totals = tally.total.is_some() && tally.passed.is_some() && tally.failed.is_some();
    if totals && clear_lead && tally.sum() > 0.0 && tokens.iter().any(|t| t.low == "total") {
        return Some(verdict(tally.whole(), tally.any_failed()));
    }
    let timed = ["s)", "sec)", "m)"]
        .iter()
        .any(|end| line.text.ends_with(end));
    // "Ran 45 tests, 2 failed"
    if of_tests
        && tally.total.is_some_and(|n| n > 0.0)
        && tally.failed.is_some()
        && lead <= 1
        && counters(tokens).is_empty()
    {
        return Some(verdict(tally.whole(), tally.any_failed()));
    }
    // "45/47 tests passed", "Tests passed: 45 of 47"
    if let Some(place) = counters(tokens)
        .into_iter()
        .next()
        .filter(|_| of_tests && tokens.len() <= 12)
    {
        let opens = place.first <= 1 || has_first(tokens, &["tests", "test", "passed"]);
        let passed = has(&["passed", "pass", "passing", "succeeded", "green"]);
        let failed = has(&["failed", "failing", "fail"]);
        if opens && (passed || failed) {
            let bad = if passed {
                place.done < place.total
            } else {
                place.done > 0.0
            };
            return Some(verdict(place.total, bad));
        }
    }
    // "✔ 45 tests complete (1s)"
    let complete = tokens.windows(3).find(|three| {
        three[0].digits().is_some()
            && three[1].low.starts_with("test")
            && matches!(three[2].low.as_str(), "complete" | "completed")
    });
    if let Some(total) = complete
        .and_then(|three| three[0].digits())
        .filter(|_| tokens.len() <= 8 && lead == 0 && timed)
    {
        return Some(verdict(total, false));
    }
    // "45 tests passed", "12 passed (3s)"
    let only = first_is_number && tally.verdicts() == 1 && tally.passed.is_some();
    let short = tokens.len() <= 4 || timed;
    if only && short && (of_tests || timed) && tally.sum() > 0.0 && counters(tokens).is_empty() {
        return Some(verdict(tally.sum(), tally.any_failed()));
    }
    None
}

fn has_first(tokens: &[Token<'_>], words: &[&str]) -> bool {
    let first = tokens.iter().find(|t| t.is_word());
    first.is_some_and(|t| words.contains(&t.low.as_str()))
}
