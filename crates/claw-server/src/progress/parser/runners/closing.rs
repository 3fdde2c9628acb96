//! How a run of tests closes: one line or a few that together name its verdicts.

use super::Found;
use super::marks::{gives_verdicts, names_tests};
use super::rows::Row;
use crate::progress::parser::page::{Page, PageLine};
use crate::progress::parser::reading::{KNOWN_FORM, ended, update, verdict};
use crate::progress::{ProgressKind, ProgressState, ProseProgress};

/// How many lines that say nothing may stand between two rows of a summary.
const WIDEST_GAP: usize = 2;
/// How many lines a summary has at most.
const LONGEST: usize = 40;
/// How many summaries that turn out to be none are looked at.
const MOST_TRIES: usize = 50;

/// The last summary of the page.
pub(super) fn closing(page: &Page<'_>) -> Option<Found> {
    let above = page.lines.iter().enumerate().rev();
    let rows = above.filter_map(|(at, line)| Some((at, tests_row(line)?)));
    rows.take(MOST_TRIES).find_map(|(last, row)| {
        let update = told(page, &grown(page, last, row))?;
        let told_after = update.state == ProgressState::Failed && lists_failures(page, last);
        let line = if told_after {
            page.lines.len() - 1
        } else {
            last
        };
        Some(Found::new(line, update))
    })
}

/// "** TEST SUCCEEDED **", "Tests failed.": a verdict without numbers.
pub(in crate::progress::parser) fn said(page: &Page<'_>) -> Option<Found> {
    let (at, failed) = page.last(|line| {
        // tox closes with a face and a time.
        let timed = line.tokens.iter().any(|t| t.digits().is_some());
        match line.text.split(" (").next().unwrap_or("") {
            "evaluation failed :(" if timed => return Some(true),
            "congratulations :)" if timed => return Some(false),
            _ => {}
        }
        let row = tests_row(line).filter(|row| row.said_of_tests && row.is_bare())?;
        row.said
    })?;
    let mut update = update(ProgressKind::TestRun, KNOWN_FORM);
    update.state = ended(failed);
    Some(Found::new(at, update))
}

/// Some tell the failures in full behind the summary: `1) Cart adds`.
fn lists_failures(page: &Page<'_>, end: usize) -> bool {
    let mut rest = page.lines[end + 1..]
        .iter()
        .filter(|line| !line.text.is_empty());
    rest.next().is_some_and(|line| line.text.starts_with("1) "))
}

/// A row that is about tests, or could be.
fn tests_row(line: &PageLine<'_>) -> Option<Row> {
    let heads = |row: &Row| line.text.ends_with(':') && row.names.is_empty();
    let closes = |row: &Row| !row.of_others && !row.not_now && !heads(row);
    // A verdict without a number may be of one test.
    let of_all = |row: &Row| row.kinds() > 0 || row.leftover <= usize::from(row.of_tests);
    Row::of(line).filter(|row| closes(row) && (of_all(row) || row.said_of_tests))
}

/// The row with those above it that tell more of the same run.
fn grown(page: &Page<'_>, last: usize, row: Row) -> Row {
    let (mut sum, mut gap) = (row, 0);
    let above = page.between(last.saturating_sub(LONGEST), last);
    let indent = page.lines[last].indent;
    for line in above.iter().rev() {
        let Some(row) = Row::of(line) else {
            // What is indented tells more of the row above it.
            gap += usize::from(!is_silent(line) && line.indent <= indent);
            if gap > WIDEST_GAP {
                break;
            }
            continue;
        };
        if row.of_others {
            continue;
        }
        // A verdict without a number belongs to the run only when nothing else is said.
        let most = usize::from(row.kinds() > 0);
        if row.not_now || row.leftover > most || sum.repeats(&row) {
            break;
        }
        sum.join(row);
        gap = 0;
    }
    sum
}

/// Nothing but signs, or nothing at all.
fn is_silent(line: &PageLine<'_>) -> bool {
    !line.text.contains(char::is_alphanumeric)
}

impl Row {
    /// Both name the same verdict, so they are of two runs.
    fn repeats(&self, above: &Self) -> bool {
        let said_twice = above.names.iter().any(|name| self.names.contains(name));
        let both = |of: fn(&Self) -> bool| of(self) && of(above);
        let two_totals = both(|row| row.total.is_some()) && self.total != above.total;
        said_twice || (two_totals && both(|row| !row.names.is_empty()))
    }

    fn join(&mut self, above: Self) {
        let sum = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        self.passed = sum(self.passed, above.passed);
        self.failed = sum(self.failed, above.failed);
        self.skipped = sum(self.skipped, above.skipped);
        self.total = match (self.total, above.total) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        self.ran = self.ran.or(above.ran);
        self.not_run += above.not_run;
        self.boxed |= above.boxed;
        self.said_of_tests |= above.said_of_tests;
        self.said = match (self.said, above.said) {
            (Some(a), Some(b)) => Some(a || b),
            (a, b) => a.or(b),
        };
        self.of_tests |= above.of_tests;
        self.as_tests |= above.as_tests;
        self.over |= above.over;
        self.stopped |= above.stopped;
        self.timed |= above.timed;
        self.leftover = self.leftover.max(above.leftover);
        self.names.extend(above.names);
    }

    /// The runner's own total; what it calls errors may be outside of the tests.
    fn whole(&self) -> f64 {
        let sum = |parts: &[Option<f64>]| parts.iter().flatten().sum::<f64>();
        let passed = self.passed.unwrap_or(0.0);
        let all = sum(&[self.passed, self.failed, self.skipped]);
        self.total
            .map_or(all + self.not_run, |total| total.max(passed))
    }
}

/// The update, when there is enough to say that tests have ended.
fn told(page: &Page<'_>, row: &Row) -> Option<ProseProgress> {
    let (kinds, whole) = (row.kinds(), row.whole());
    let counted = row.passed.is_some() || row.total.is_some();
    if !counted || whole <= 0.0 {
        return None;
    }
    let ended_somehow = kinds > 0 || row.said.is_some() || row.over;
    // The more a line says of verdicts, the more else it may say.
    let most = match kinds {
        0 | 1 if row.placed => 0,
        0 | 1 => 1,
        _ => 3,
    };
    if row.leftover > most {
        return None;
    }
    let by_name = row.of_tests && ended_somehow;
    let by_verdicts = row.as_tests && row.passed.is_some() && !row.titled;
    let judged = row.passed.is_some() || row.failed.is_some();
    let paired = kinds > 1 || judged && row.total.is_some();
    let by_page = || {
        paired
            && (row.as_tests || row.failed.is_some() || !row.placed)
            && (names_tests(page) || gives_verdicts(page))
    };
    let alone = by_verdicts && row.leftover == 0 && row.timed && !row.placed;
    if !(by_name || (by_verdicts && kinds > 1) || alone || by_page()) {
        return None;
    }
    let failed = row.failed.is_some_and(|n| n > 0.0) || row.said == Some(true);
    let mut update = verdict(whole, failed);
    let judged = row.passed.unwrap_or(0.0) + row.failed.unwrap_or(0.0);
    let all = judged + row.skipped.unwrap_or(0.0);
    // It stopped before its end, or is not there yet.
    if let Some(ran) = row.ran.filter(|_| all < whole || row.stopped) {
        let done = ran.max(judged);
        update.done = Some(done);
        update.state = ended(failed || done < whole);
    } else if row.not_run > 0.0 {
        update.done = Some(all);
    } else if row.boxed && all < whole {
        update.done = Some(all);
        update.state = ProgressState::Running;
    }
    Some(update)
}
