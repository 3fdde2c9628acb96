//! Maven, Gradle and the console of JUnit.

use super::Found;
use super::tally::Tally;
use crate::progress::parser::page::Page;
use crate::progress::parser::reading::{label, tests_running, verdict};

/// `Tests run: 45, Failures: 0, Errors: 0, Skipped: 2`. The line of one class has a time; the
/// whole has none.
pub(super) fn surefire(page: &Page<'_>) -> Option<Found> {
    let (at, (tally, class)) = page.last(|line| {
        let from = line.text.find("Tests run: ")?;
        let tally = Tally::of(&line.tokens);
        let class = line.text[from..].contains("Time elapsed");
        tally.total.filter(|&total| total > 0.0)?;
        line.text.contains("Failures: ").then_some((tally, class))
    })?;
    let total = tally.total?;
    // Another class has its turn.
    let next = page.last(|line| {
        let name = line
            .text
            .split_once("Running ")
            .filter(|(before, _)| before.is_empty() || *before == "[INFO] ")?;
        let class = !name.1.contains(' ') && name.1.contains('.');
        class.then(|| label(name.1))
    });
    if let Some((next, label)) = next.filter(|(next, _)| *next > at && class) {
        let mut update = tests_running(None, None);
        update.label = label;
        return Some(Found::new(next, update));
    }
    let mut update = verdict(total, tally.any_failed());
    if class {
        let text = page.lines[at].text;
        update.label = text.rsplit([' ', '\t']).next().and_then(label);
    }
    Some(Found::new(at, update))
}

/// `45 tests completed, 2 failed`
pub(super) fn gradle(page: &Page<'_>) -> Option<Found> {
    let (at, (total, failed, going_on)) = page.last(|line| {
        let from = line
            .text
            .find(" tests completed")
            .or_else(|| line.text.find(" test completed"))?;
        let tally = Tally::of(&line.tokens);
        let number = line.text[..from].rsplit(' ').next()?.parse::<u32>().ok()?;
        // "> :app:test > 34 tests completed" is drawn while it runs and has no total.
        Some((
            f64::from(number),
            tally.any_failed(),
            line.text.starts_with('>'),
        ))
    })?;
    if going_on {
        return None;
    }
    Some(Found::new(at, verdict(total, failed)))
}

/// `[         5 tests found           ]` and its fellows.
pub(super) fn junit_console(page: &Page<'_>) -> Option<Found> {
    let number = |what: &str| {
        page.last(|line| {
            let inner = line.text.strip_prefix('[')?.strip_suffix(']')?.trim();
            let (number, rest) = inner.split_once(' ')?;
            (rest == what)
                .then(|| number.parse::<u32>().ok().map(f64::from))
                .flatten()
        })
    };
    let (_, total) = number("tests found")?;
    let (at, failed) = number("tests failed")?;
    (total > 0.0).then(|| Found::new(at, verdict(total, failed > 0.0)))
}
