//! cargo test and nextest.

use super::Found;
use super::tally::Tally;
use crate::progress::parser::counters::counters;
use crate::progress::parser::page::{Page, PageLine};
use crate::progress::parser::reading::{label, tests_running, verdict};

/// `running 20 tests`
fn start_of(line: &PageLine<'_>) -> Option<f64> {
    let [first, number, tests, rest @ ..] = line.tokens.as_slice() else {
        return None;
    };
    let says = line.text.starts_with("running ") && matches!(tests.low.as_str(), "test" | "tests");
    // Deno says where its tests are from.
    let ends = rest.is_empty() || rest[0].low == "from";
    (first.is_word() && says && ends)
        .then(|| number.digits())
        .flatten()
}

/// `test frame::split ... ok`, and Deno's `adds ... ok (3ms)`
fn has_verdict(line: &PageLine<'_>) -> bool {
    let Some((name, verdict)) = line.text.rsplit_once(" ... ") else {
        return false;
    };
    let verdict = verdict.split([' ', ',', '(']).next().unwrap_or("");
    !name.is_empty() && matches!(verdict, "ok" | "FAILED" | "ignored" | "bench:")
}

pub(super) fn cargo(page: &Page<'_>) -> Option<Found> {
    let result = page.last(|line| {
        let rest = line.text.strip_prefix("test result: ").or_else(|| {
            let deno = line.text.contains(" passed | ") && line.text.contains(" failed");
            (deno && (line.text.starts_with("ok | ") || line.text.starts_with("FAILED | ")))
                .then_some(line.text)
        })?;
        let tally = Tally::of(&line.tokens);
        Some((
            tally.sum(),
            rest.starts_with("FAILED") || tally.any_failed(),
        ))
    });
    let start = page.last(start_of);
    let (at, update) = match (result, start) {
        (Some((end, (total, failed))), start) if start.is_none_or(|(at, _)| at < end) => {
            let nothing_ran = total == 0.0 && !failed;
            let earlier = page.read().rev().find_map(|(at, line)| {
                let tally = Tally::of(&line.tokens);
                (line.text.starts_with("test result: ") && tally.sum() > 0.0).then_some((at, tally))
            });
            match earlier {
                // The last binary often has no tests at all; it says nothing about the run.
                Some((_, tally)) if nothing_ran => (end, verdict(tally.sum(), tally.any_failed())),
                _ if nothing_ran => return None,
                _ => (end, verdict(total, failed)),
            }
        }
        (_, Some((start, total))) if total > 0.0 => {
            let rest = page.between(start + 1, page.lines.len());
            let broken = !page.unbroken(start, page.lines.len().saturating_sub(1));
            let done = rest.iter().filter(|line| has_verdict(line)).count();
            let last = rest
                .iter()
                .rposition(has_verdict)
                .map_or(start, |at| page.lines.len() - rest.len() + at);
            let mut update = tests_running((!broken).then_some(done as f64), Some(total));
            update.label = binary_of(page, start);
            (last, update)
        }
        _ => return None,
    };
    Some(Found::new(at, update))
}

/// The line that names the binary stands before its tests.
fn binary_of(page: &Page<'_>, start: usize) -> Option<String> {
    let before = page.between(start.saturating_sub(3), start);
    let line = before
        .iter()
        .rev()
        .find_map(|line| line.text.strip_prefix("Running "))?;
    label(line.split(" (").next().unwrap_or(line))
}

pub(super) fn nextest(page: &Page<'_>) -> Option<Found> {
    let summary = page.last(|line| {
        let summary = line.text.strip_prefix("Summary [")?;
        let tally = Tally::of(&line.tokens);
        let place = counters(&line.tokens).first().map(|c| (c.done, c.total));
        if !summary.contains("run:") {
            return None;
        }
        let whole = place.or_else(|| {
            let at = line
                .tokens
                .iter()
                .position(|t| matches!(t.low.as_str(), "tests" | "test"))?;
            let total = line.tokens.get(at.checked_sub(1)?)?.digits()?;
            Some((total, total))
        })?;
        let timed_out = line.text.contains("timed out") || line.text.contains("exec failed");
        Some((whole, tally.any_failed() || timed_out || whole.0 < whole.1))
    });
    if let Some((_, ((done, total), failed))) = summary {
        // What follows repeats failures and says what was not run.
        let mut update = verdict(total, failed);
        update.done = Some(done);
        let end = page.lines.iter().rposition(|line| {
            [
                "FAIL [",
                "Summary [",
                "TIMEOUT [",
                "SIGABRT [",
                "SIGSEGV [",
                "warning: ",
                "error: ",
                "TRY ",
            ]
            .iter()
            .any(|s| line.text.starts_with(s))
        });
        return (total > 0.0).then(|| Found::new(end.unwrap_or(0), update));
    }
    let running = page.last(|line| {
        let bar = line.text.starts_with("Running [") || line.text.starts_with("Cancelling [");
        let status = [
            "PASS", "FAIL", "SLOW", "LEAK", "FLAKY", "TIMEOUT", "SIGKILL", "SIGABRT", "TRY",
            "START",
        ]
        .iter()
        .any(|name| line.text.starts_with(name) && line.text.contains(" ["));
        if !(bar || status) {
            return None;
        }
        let place = counters(&line.tokens).into_iter().next()?;
        let mut update = tests_running(Some(place.done), Some(place.total));
        if status {
            update.label = line.text.split_whitespace().last().and_then(label);
        }
        Some(update)
    });
    let start = page.last(|line| {
        let says = line.text.starts_with("Starting ") && line.text.contains(" across ");
        let total = line.tokens.get(1)?.digits()?;
        says.then_some(total)
    });
    match (running, start) {
        (Some((at, update)), start) if start.is_none_or(|(start, _)| start < at) => {
            Some(Found::new(at, update))
        }
        (_, Some((start, total))) => {
            let rest = page.between(start + 1, page.lines.len());
            let is_verdict = |line: &PageLine<'_>| {
                ["PASS [", "FAIL [", "LEAK [", "TIMEOUT [", "FLAKY "]
                    .iter()
                    .any(|s| line.text.starts_with(s))
            };
            let done = rest.iter().filter(|line| is_verdict(line)).count();
            let last = rest
                .iter()
                .rposition(is_verdict)
                .map_or(start, |at| start + 1 + at);
            Some(Found::new(
                last,
                tests_running(Some(done as f64), Some(total)),
            ))
        }
        _ => None,
    }
}
