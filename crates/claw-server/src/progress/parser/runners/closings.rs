//! Runners that close with a form of their own, over one line or a few.

use super::Found;
use crate::progress::parser::page::{Page, PageLine};
use crate::progress::parser::reading::{tests_running, verdict};

/// The numbers of a line, in order.
fn numbers(line: &PageLine<'_>) -> Vec<f64> {
    line.tokens.iter().filter_map(|t| t.digits()).collect()
}

/// `Passed:   12` and the like: the number behind a name, when the line begins with it.
fn named(line: &PageLine<'_>, name: &str) -> Option<f64> {
    let rest = line.text.strip_prefix(name)?.trim_start_matches([':', ' ']);
    let number = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    number.parse().ok()
}

/// Haskell's QuickCheck: `+++ OK, passed 100 tests.`
pub(super) fn quickcheck(page: &Page<'_>) -> Option<Found> {
    let (line, total) = page.last(|line| {
        let rest = line.text.strip_prefix("+++ OK, passed ")?;
        rest.split(' ').next()?.parse::<f64>().ok()
    })?;
    Some(Found::new(line, verdict(total, false)))
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

/// Zig: `3/12 parser.test.numbers...OK`
pub(super) fn zig(page: &Page<'_>) -> Option<Found> {
    let (line, (done, total)) = page.last(|line| {
        let ends = ["...OK", "...FAIL", "...SKIP"];
        let (place, name) = line.text.split_once(' ')?;
        let (done, total) = place.split_once('/')?;
        let is_test = ends.iter().any(|end| name.contains(end)) && name.contains(".test");
        let number = |text: &str| text.parse::<f64>().ok();
        is_test.then(|| number(done).zip(number(total))).flatten()
    })?;
    Some(Found::new(line, tests_running(Some(done), Some(total))))
}

/// Julia's table: its columns are named after what is in them.
pub(super) fn julia(page: &Page<'_>) -> Option<Found> {
    let head = page
        .lines
        .iter()
        .rposition(|line| line.text.starts_with("Test Summary:") && line.text.contains('|'))?;
    let row = page.lines.get(head + 1)?;
    let columns = page.lines[head].text.split_once('|')?.1.split_whitespace();
    let cells = row.text.split_once('|')?.1.split_whitespace();
    let (mut total, mut bad) = (None, false);
    // The time is the last column, and has a unit.
    let columns: Vec<&str> = columns.collect();
    let cells: Vec<&str> = cells.collect();
    if columns.len() != cells.len() {
        return None;
    }
    for (column, cell) in columns.into_iter().zip(cells) {
        let number = cell.parse::<f64>().ok();
        match column {
            "Total" => total = number,
            "Fail" | "Error" => bad |= number.is_some_and(|number| number > 0.0),
            _ => {}
        }
    }
    Some(Found::new(head + 1, verdict(total?, bad)))
}

/// Clojure: `Ran 12 tests containing 40 assertions.` and a line with failures and errors.
pub(super) fn clojure(page: &Page<'_>) -> Option<Found> {
    let (line, total) = page.last(|line| {
        let is_start = line.text.starts_with("Ran ") && line.text.contains(" tests containing ");
        is_start.then(|| numbers(line).first().copied()).flatten()
    })?;
    let end = page.lines.get(line + 1)?;
    let bad = match numbers(end).as_slice() {
        [failures, errors] if end.text.contains("failures,") => failures + errors > 0.0,
        _ => return None,
    };
    Some(Found::new(line + 1, verdict(total, bad)))
}

/// Elm: `TEST RUN PASSED`, then `Passed:   12` and `Failed:   0`.
pub(super) fn elm(page: &Page<'_>) -> Option<Found> {
    let head = page
        .lines
        .iter()
        .rposition(|line| line.text.starts_with("TEST RUN "))?;
    rows(page, head, 0.0)
}

/// LLVM's lit: `Total Discovered Tests: 340`, then how many passed and failed.
pub(super) fn lit(page: &Page<'_>) -> Option<Found> {
    let head = page
        .lines
        .iter()
        .rposition(|line| line.text.starts_with("Total Discovered Tests:"))?;
    let total = named(&page.lines[head], "Total Discovered Tests")?;
    rows(page, head, total)
}

/// `Passed:` and `Failed:` on lines of their own.
fn rows(page: &Page<'_>, head: usize, least: f64) -> Option<Found> {
    let (mut end, mut sum, mut bad) = (head, 0.0, false);
    for (at, line) in page.lines.iter().enumerate().skip(head + 1).take(12) {
        for name in ["Passed", "Failed", "Todo", "Skipped", "Unsupported"] {
            if let Some(number) = named(line, name) {
                (end, sum) = (at, sum + number);
                bad |= name == "Failed" && number > 0.0;
            }
        }
    }
    (end > head).then(|| Found::new(end, verdict(least.max(sum), bad)))
}
