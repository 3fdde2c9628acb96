//! jest, karma and webdriverio, which say in forms of their own how far they are.

use super::Found;
use super::tally::Tally;
use crate::progress::parser::counters::{Counter, counters, shares};
use crate::progress::parser::page::Page;
use crate::progress::parser::reading::{ended, tests_running, verdict};

/// `Tests: 2 failed, 61 passed, 64 total`. While it runs, only the suites have a known total.
pub(super) fn jest(page: &Page<'_>) -> Option<Found> {
    let suites = page.last(|line| {
        let rest = line
            .text
            .strip_prefix("Test Suites:")
            .filter(|rest| rest.contains("total"))?;
        let running = rest
            .contains(" of ")
            .then(|| counters(&line.tokens).first().copied())
            .flatten();
        Some((Tally::of(&line.tokens), running))
    });
    let tests = page.last(|line| {
        let rest = line.text.strip_prefix("Tests:")?;
        let tally = Tally::of(&line.tokens[2.min(line.tokens.len())..]);
        rest.contains(" total").then_some(tally)
    });
    let end = page.lines.iter().rposition(|line| {
        ["Test Suites:", "Tests:", "Snapshots:", "Time:", "Ran all"]
            .iter()
            .any(|s| line.text.starts_with(s))
    })?;
    // Those that are left out have no turn.
    let open = |tally: &Tally, place: &Counter| {
        place.done + tally.skipped.unwrap_or(0.0) < place.total || place.done == 0.0
    };
    if let Some((_, (tally, Some(place)))) =
        suites.filter(|(_, (tally, place))| place.is_some_and(|place| open(tally, &place)))
    {
        let mut update = tests_running(Some(place.done), Some(place.total));
        // It was told to stop at the first failure.
        if page.lines[end].text.starts_with("Ran all") {
            update.state = ended(tally.any_failed());
        }
        update.label = Some("Test Suites".to_owned());
        return Some(Found::new(end, update));
    }
    let (_, tally) = tests?;
    let failed = tally.any_failed() || suites.is_some_and(|(_, (suites, _))| suites.any_failed());
    Some(Found::new(end, verdict(tally.whole(), failed)))
}

/// `Executed 12 of 45 (1 FAILED) (0.3 secs / 0.1 secs)`
pub(super) fn karma(page: &Page<'_>) -> Option<Found> {
    let (at, update) = page.last(|line| {
        let from = line.tokens.iter().position(|t| t.text == "Executed")?;
        let place = counters(&line.tokens)
            .into_iter()
            .find(|c| c.first == from + 1 && !c.stroke)?;
        if line.text.contains(" tests") || line.text.contains("out of") {
            return None;
        }
        let skipped = line
            .tokens
            .iter()
            .position(|t| t.low == "skipped")
            .and_then(|at| line.tokens.get(at + 1)?.digits());
        let done = (place.done + skipped.unwrap_or(0.0)).min(place.total);
        let mut update = tests_running(Some(done), Some(place.total));
        if line.text.contains("SUCCESS") || done >= place.total {
            update.state = ended(line.text.contains("FAILED"));
        }
        if line.text.contains(" DISCONNECTED") || line.text.contains(" ERROR") {
            update.state = ended(true);
        }
        Some(update)
    })?;
    Some(Found::new(at, update))
}

/// `Spec Files: 2 passed, 1 failed, 3 total (100% completed) in 00:00:12`
pub(super) fn webdriverio(page: &Page<'_>) -> Option<Found> {
    let (at, update) = page.last(|line| {
        line.text.starts_with("Spec Files:").then_some(())?;
        let share = shares(&line.tokens).into_iter().next()?;
        let tally = Tally::of(&line.tokens);
        if share.percent >= 100.0 {
            return Some(verdict(tally.whole(), tally.any_failed()));
        }
        let mut update = tests_running(Some(tally.sum()), tally.total);
        update.percent = Some(share.percent);
        Some(update)
    })?;
    Some(Found::new(at, update))
}
