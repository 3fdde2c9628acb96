//! pytest.

use super::Found;
use super::tally::Tally;
use crate::progress::parser::counters::shares;
use crate::progress::parser::page::{Page, PageLine};
use crate::progress::parser::reading::{ended, label, tests_running, verdict};
use crate::progress::parser::words::listed;

/// `==== 1 failed, 47 passed in 3.81s ====`, or without the rule when it is quiet.
fn summary_of(line: &PageLine<'_>) -> Option<Tally> {
    let body = line.text.trim_matches('=').trim();
    let (counts, time) = body.rsplit_once(" in ")?;
    let timed = time.starts_with(|c: char| c.is_ascii_digit()) && time.contains('s');
    let known = |part: &str| {
        let (number, word) = part.trim().split_once(' ').unwrap_or(("", ""));
        let word = word.split(' ').next().unwrap_or("");
        let counts = number.bytes().all(|b| b.is_ascii_digit());
        counts
            && listed!(
                word,
                "passed failed skipped xfailed xpassed error errors deselected warning
            warnings rerun subtests"
            )
    };
    if !timed || !counts.split(',').all(known) {
        return None;
    }
    let tally = Tally::of(&line.tokens);
    (tally.verdicts() > 0).then_some(tally)
}

/// `collected 312 items / 12 deselected / 300 selected`
fn collected_by(line: &PageLine<'_>) -> Option<f64> {
    // With several processes: `4 workers [220 items]`.
    if line.text.ends_with(" items]") && line.text.contains(" workers [") {
        let total = line.tokens.iter().rev().find_map(|t| t.digits());
        return total.filter(|&total| total > 0.0);
    }
    let rest = line
        .text
        .strip_prefix("collected ")
        .or_else(|| line.text.strip_prefix("collecting ... collected "))?;
    let is_items = rest.contains(" item");
    let selected = line
        .tokens
        .iter()
        .position(|t| t.low == "selected")
        .and_then(|at| line.tokens.get(at.checked_sub(1)?)?.digits());
    let first = line.tokens.iter().find_map(|t| t.digits());
    is_items
        .then(|| selected.or(first))
        .flatten()
        .filter(|&total| total > 0.0)
}

/// A line that ends in `[ 45%]`, or has it in front when several processes work. Also the form
/// with a place: `[ 45/312]`.
fn share_of(line: &PageLine<'_>) -> Option<f64> {
    let path = line.text.contains(".py") || line.text.contains("::");
    let dots = line.text.starts_with(['.', 'F', 's', 'E', 'x'])
        && line
            .text
            .split(' ')
            .next()
            .is_some_and(|dots| dots.chars().all(|c| ".FsExXpPR".contains(c)));
    let verdict = ["PASSED", "FAILED", "SKIPPED", "ERROR", "XFAIL", "XPASS"]
        .iter()
        .any(|v| line.text.contains(v));
    // One reporter draws ticks and a bar.
    let ticked = path && line.text.contains(['✓', '✗']) && line.text.contains(['█', '▊', '▌', '▎']);
    let boxed = line.text.ends_with("%]") || line.text.starts_with("[gw") || ticked;
    if !(boxed && (path || dots || verdict)) || line.text.contains(": ") && !verdict && !path {
        return None;
    }
    shares(&line.tokens).last().map(|share| share.percent)
}

fn has_verdict(line: &PageLine<'_>) -> bool {
    line.text.contains("::")
        && ["PASSED", "FAILED", "SKIPPED", "ERROR", "XFAIL", "XPASS"]
            .iter()
            .any(|v| line.text.split_whitespace().any(|word| word == *v))
}

pub(super) fn pytest(page: &Page<'_>) -> Option<Found> {
    // A listing runs nothing.
    if page
        .read()
        .any(|(_, line)| line.text.contains(" collected in "))
    {
        return None;
    }
    let start = page.last(collected_by);
    let summary = page.last(summary_of);
    if let Some((end, tally)) = summary {
        let sum = tally.sum();
        let mut update = verdict(sum, tally.any_failed());
        let stopped = page.read().any(|(at, line)| {
            at <= end
                && line.text.starts_with("!!!")
                && (line.text.contains("topping after") || line.text.contains("nterrupt"))
        });
        if stopped {
            update.state = ended(true);
        }
        if let Some((_, total)) = start.filter(|(at, total)| *at < end && stopped && *total > sum) {
            update.total = Some(total);
        }
        return Some(Found::new(end, update));
    }
    let share = page
        .last(share_of)
        .filter(|(at, _)| start.is_none_or(|(start, _)| start < *at));
    match (share, start) {
        (Some((at, percent)), start) => {
            let mut update = tests_running(None, start.map(|(_, total)| total));
            update.percent = Some(percent);
            update.label = page.lines[at]
                .text
                .split(' ')
                .find(|word| word.contains(".py"))
                .and_then(label);
            if let Some((start, _)) = start.filter(|(start, _)| page.unbroken(*start, at)) {
                let named = page
                    .between(start + 1, at + 1)
                    .iter()
                    .filter(|line| has_verdict(line))
                    .count();
                update.done = (named > 0).then_some(named as f64);
            }
            Some(Found::new(at, update))
        }
        (None, Some((at, total))) => {
            let rest = page.between(at + 1, page.lines.len());
            let named = rest.iter().filter(|line| has_verdict(line)).count();
            let end = rest
                .iter()
                .rposition(has_verdict)
                .map_or(at, |last| at + 1 + last);
            Some(Found::new(
                end,
                tests_running(Some(named as f64), Some(total)),
            ))
        }
        _ => None,
    }
}
