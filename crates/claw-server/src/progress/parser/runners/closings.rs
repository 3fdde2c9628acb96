//! Runners that close with a form of their own.

use super::Found;
use super::marks::is_test_verdict;
use crate::progress::parser::counters::counters;
use crate::progress::parser::page::{Page, PageLine};
use crate::progress::parser::reading::{label, tests_running, verdict};
use crate::progress::parser::words::listed;

/// The numbers of a line, in order.
fn numbers(line: &PageLine<'_>) -> Vec<f64> {
    line.tokens.iter().filter_map(|t| t.digits()).collect()
}

/// Boost.Test: `Running 12 test cases...`, and at the end `*** No errors detected` or how many
/// failures there are.
pub(super) fn boost(page: &Page<'_>) -> Option<Found> {
    // A line without a number has no tokens, so it is the text that counts.
    let end = page.lines.iter().rposition(|line| {
        line.text.starts_with("*** No errors detected")
            || (line.text.starts_with("*** ") && line.text.contains(" detected in the test module"))
    })?;
    let total = page.between(0, end).iter().rev().find_map(|line| {
        let is_start = line.text.starts_with("Running ") && line.text.contains(" test case");
        is_start.then(|| numbers(line).first().copied()).flatten()
    })?;
    let failed = !page.lines[end].text.contains("No errors");
    Some(Found::new(end, verdict(total, failed)))
}

/// Check, for C: `100%: Checks: 12, Failures: 0, Errors: 0`
pub(super) fn check(page: &Page<'_>) -> Option<Found> {
    let (line, (total, bad)) = page.last(|line| {
        line.text.contains("%: Checks: ").then_some(())?;
        match numbers(line).as_slice() {
            [_, total, failures, errors] => Some((*total, failures + errors > 0.0)),
            _ => None,
        }
    })?;
    Some(Found::new(line, verdict(total, bad)))
}

/// `[PASS] boot time` for each, and at the end `3/4 checks passed`: what they are called is no matter.
pub(super) fn judged_share(page: &Page<'_>) -> Option<Found> {
    let (at, place) = page.last(|line| {
        let place = counters(&line.tokens).into_iter().next()?;
        let behind = line.tokens[place.after..].iter().take(2);
        let passed = behind
            .clone()
            .any(|t| listed!(&t.low, "passed ok succeeded"));
        passed.then_some(place)
    })?;
    let judged = page
        .between(0, at)
        .iter()
        .filter(|line| is_test_verdict(line));
    let failed = place.done < place.total;
    (judged.take(2).count() == 2).then(|| Found::new(at, verdict(place.total, failed)))
}

/// `00:03 +45 ~1 -2: adds a line`
pub(super) fn dart(page: &Page<'_>) -> Option<Found> {
    let (at, update) = page.last(|line| {
        let (counts, rest) = line.text.split_once(": ")?;
        let mut parts = counts.split(' ');
        let time = parts.next()?;
        let clock = time.len() >= 5
            && time.contains(':')
            && time.chars().all(|c| c.is_ascii_digit() || c == ':');
        if !clock {
            return None;
        }
        let (mut sum, mut failed) = (0.0, 0.0);
        for part in parts {
            let number = f64::from(part.get(1..)?.parse::<u32>().ok()?);
            match part.chars().next()? {
                '+' | '~' => sum += number,
                '-' => failed += number,
                _ => return None,
            }
        }
        if rest.starts_with("All tests passed") || rest.starts_with("Some tests failed") {
            return Some(verdict(
                sum + failed,
                failed > 0.0 || rest.starts_with("Some"),
            ));
        }
        let mut update = tests_running(Some(sum + failed), None);
        update.label = label(rest);
        Some(update)
    })?;
    Some(Found::new(at, update))
}
