//! Reads the output of test runners: the start, the progress and the summary of a run.

mod tally;

use std::sync::LazyLock;

use serde::Deserialize;

use self::tally::{Tally, block};
use super::form::{Pattern, Table, found, number};
use super::found::Found;
use super::screen::Screen;
use crate::progress::{ProgressKind, ProgressState};

#[derive(Debug)]
pub(super) enum Run {
    /// The text is not from a test runner.
    None,
    /// The text is from a test runner, but its numbers contradict each other.
    Unclear,
    /// The last update of the runner.
    Read(Found),
}

/// How to read the numbers of a summary.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reads {
    /// "3 failed, 5 passed".
    Words,
    /// "Failures: 3, Skipped: 5".
    Keys,
    /// From the groups of the pattern.
    Groups,
    /// From the group `total`; the result is on a line near it.
    Near,
}

const BEGINS: &str = include_str!("runners/begins.tsv");
const COUNTERS: &str = include_str!("runners/counters.tsv");
const SUMMARIES: &str = include_str!("runners/summaries.tsv");

static BEGIN: LazyLock<Table<ProgressKind>> = LazyLock::new(|| Table::new(BEGINS));
static COUNTER: LazyLock<Table<ProgressKind>> = LazyLock::new(|| Table::new(COUNTERS));
static SUMMARY: LazyLock<Table<Reads>> = LazyLock::new(|| Table::new(SUMMARIES));
static BAD_FILE: Pattern =
    Pattern::new(r"^\s*(?:Errors +[1-9]|(?:Test Suites:|Test Files) .*[1-9][0-9]* failed)");
/// The result of one test, after the start of its run.
static TEST_RESULT: Pattern = Pattern::new(
    r"^test .+ \.\.\. (?:ok|FAILED|ignored)|^(?:not )?ok [0-9]+\b|^\[ +(?:OK|FAILED|SKIPPED) +\] \S+ \([0-9]+ ms\)|^\S.* \.\.\. (?:ok|FAILED|ignored) \([0-9]+m?s\)$|^\S+::\S+ (?:PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR)\b|^\[gw[0-9]+\] \[ *[0-9]+%\] (?:PASSED|FAILED|SKIPPED|XFAIL|ERROR)|^ +[✓✘-] +[0-9]+ (?:\[[^\]]+\] )?› |^ +(?:TRY [0-9]+ )?PASS \[|^ +FAIL \[",
);

pub(super) fn read(screen: &Screen, lines: &[&str]) -> Run {
    let is_cut = |line: &&str| {
        line.trim_end().ends_with(" did not run")
            || line.starts_with("Test Run Aborted")
            || line.contains(" tests collected in ")
    };
    if lines.iter().any(is_cut) {
        return Run::Unclear;
    }
    let mut summary = None;
    for (index, line) in lines.iter().enumerate().rev() {
        summary = summarized(lines, index, line.trim());
        if summary.is_some() {
            break;
        }
    }
    let begun = begun(screen, lines);
    let under_way = begun.into_iter().chain(counted(lines));
    let under_way = under_way.max_by_key(|found| found.line);
    let blocks = block(lines).map(|(line, tally)| (line, closed(line, &tally)));
    let last = [summary, blocks].into_iter().flatten();
    let Some((line, closing)) = last.max_by_key(|(line, _)| *line) else {
        return match under_way {
            Some(found) => Run::Read(found),
            None => went(lines).map_or(Run::None, Run::Read),
        };
    };
    match (closing, under_way) {
        (_, Some(found)) if found.line > line => Run::Read(found),
        (Some(closing), Some(begun)) => Run::Read(stopped(lines, closing, &begun)),
        (Some(closing), None) => Run::Read(closing),
        (None, _) => Run::Unclear,
    }
}

/// The summary in one line, and its update if it is clear.
fn summarized(lines: &[&str], index: usize, line: &str) -> Option<(usize, Option<Found>)> {
    let (form, captures) = SUMMARY.find(line)?;
    // While jest runs, only its suites have a known total.
    let is_open = |line: &&str| line.starts_with("Test Suites:") && line.contains(" of ");
    if form.name == "jest"
        && lines.iter().any(is_open)
        && !lines.iter().any(|line| line.starts_with("Ran all test"))
    {
        return None;
    }
    let tally = match form.tag {
        Reads::Words => Tally::of_words(line),
        Reads::Keys => Tally::of_keys(line),
        Reads::Groups => Tally {
            total: number(&captures, "total"),
            passed: number(&captures, "passed").unwrap_or(0.0),
            failed: number(&captures, "left").unwrap_or(0.0),
            skipped: number(&captures, "also").unwrap_or(0.0),
            ..Tally::default()
        },
        Reads::Near => {
            let from = index.saturating_sub(8);
            let near = &lines[from..lines.len().min(index + 12)];
            let Some(failed) = tally::has_failed(near) else {
                return Some((index, None));
            };
            Tally {
                total: number(&captures, "total"),
                failed: f64::from(u8::from(failed)),
                ..Tally::default()
            }
        }
    };
    let tally = match form.name {
        // nextest does not count skipped tests as part of the run.
        "nextest" => {
            let total = number(&captures, "total");
            let done = number(&captures, "done").or(total);
            Tally {
                skipped: 0.0,
                failed: (done.unwrap_or(0.0) - tally.passed).max(0.0),
                total,
                done,
                ..tally
            }
        }
        "vitest" => Tally {
            total: number(&captures, "total"),
            done: Some(tally.sum()),
            ..tally
        },
        _ => tally,
    };
    let is_empty = tally.total.unwrap_or(tally.sum()) == 0.0;
    let mut closing = closed(index, &tally);
    // A file that does not load has no tests that can fail.
    let near = &lines[index.saturating_sub(3)..lines.len().min(index + 4)];
    if let Some(closing) = &mut closing
        && near.iter().any(|line| BAD_FILE.matches(line))
    {
        closing.update.state = ProgressState::Failed;
    }
    (!is_empty).then_some((index, closing))
}

fn closed(line: usize, tally: &Tally) -> Option<Found> {
    let sum = tally.sum();
    let total = tally.total.unwrap_or(sum);
    let done = tally.done.unwrap_or(total);
    let mut found = Found::new(line, ProgressKind::TestRun, 0.95);
    found.update.done = Some(done);
    found.update.total = Some(total);
    found.update.state = match tally.failed > 0.0 {
        _ if done < total && tally.failed == 0.0 => ProgressState::Running,
        true => ProgressState::Failed,
        false => ProgressState::Finished,
    };
    let is_clear = sum <= total && total > 0.0 && !tally.is_doubled;
    found.if_consistent().filter(|_| is_clear)
}

/// A stopped run keeps the total from its start.
fn stopped(lines: &[&str], mut closing: Found, begun: &Found) -> Found {
    let is_stopped = lines[begun.line..]
        .iter()
        .any(|line| line.starts_with("!!!!"));
    let (total, all) = (closing.update.total, begun.update.total);
    if is_stopped && total < all {
        closing.update.total = all;
        closing.update.state = ProgressState::Failed;
    }
    closing
}

/// The last counter of an unfinished run.
fn counted(lines: &[&str]) -> Option<Found> {
    for (index, line) in lines.iter().enumerate().rev() {
        let Some((form, captures)) = COUNTER.find(line.trim()) else {
            continue;
        };
        // nextest prints the failures again below its summary.
        let is_summary = |line: &&str| line.trim_start().starts_with("Summary [");
        if form.name == "nextest" && lines[..index].iter().any(is_summary) {
            continue;
        }
        let mut found = found(index, form.tag, &captures)?;
        found.update.confidence = 0.95;
        let is_whole = found.update.done.is_some() && found.update.done == found.update.total;
        if is_whole && captures.name("bad").is_some() {
            found.update.state = ProgressState::Failed;
        }
        if form.name.starts_with("pytest") {
            let begun = begin(lines, index);
            let total = begun.as_ref().and_then(|begun| begun.update.total);
            // Results are counted if each has its own line; dots are not counted.
            let results = |begun: &Found| test_results(&lines[..=index], begun.line).len();
            let done = begun.as_ref().map_or(0, results);
            found.update.total = total;
            found.update.done = (done > 0).then_some(done as f64);
        }
        return found.if_consistent();
    }
    None
}

/// The last start of a run before a line.
fn begin(lines: &[&str], before: usize) -> Option<Found> {
    let above = lines[..before].iter().enumerate().rev();
    let mut starts = above.filter_map(|(index, line)| {
        let (form, captures) = BEGIN.find(line.trim_end())?;
        found(index, form.tag, &captures).filter(|begun| begun.update.total > Some(0.0))
    });
    starts.next()
}

/// The start of a run, with a count of the results below it.
fn begun(screen: &Screen, lines: &[&str]) -> Option<Found> {
    let mut begun = begin(lines, lines.len())?;
    if screen.unbroken_from(lines.len()) > begun.line {
        return None;
    }
    // A TAP plan may come after its tests.
    let is_plan = lines[begun.line].starts_with("1..");
    let start = if is_plan { 0 } else { begun.line };
    let results = test_results(lines, start);
    let done = results.len() as f64;
    let is_bad = |index: &usize| {
        let line = lines[*index];
        line.starts_with("not ok") && !line.contains("# TODO") || line.contains("FAILED")
    };
    if begun.update.total == Some(done) && results.iter().any(is_bad) {
        begun.update.state = ProgressState::Failed;
    }
    begun.line = results.last().copied().unwrap_or(0).max(begun.line);
    begun.update.done = Some(done);
    begun.update.confidence = 0.95;
    begun.if_consistent()
}

/// The lines after the start of a run that contain the result of one test.
fn test_results(lines: &[&str], start: usize) -> Vec<usize> {
    let is_summary = |line: &&str| line.trim_start().starts_with("Summary [");
    let end = lines.iter().position(is_summary).unwrap_or(lines.len());
    let below = lines[..end].iter().enumerate().skip(start);
    below
        .filter(|(_, line)| TEST_RESULT.matches(line))
        .map(|(index, _)| index)
        .collect()
}

/// Go prints a line for each package and counts nothing.
fn went(lines: &[&str]) -> Option<Found> {
    let is_ok = |line: &&str| line.starts_with("ok  \t") && !line.contains("[no test");
    let is_bad = |line: &&str| line.starts_with("FAIL\t") || line.starts_with("--- FAIL: ");
    let runs = |line: &&str| line.starts_with("=== RUN ");
    let last = |is: &dyn Fn(&&str) -> bool| lines.iter().rposition(is);
    let (ok, bad) = (last(&is_ok), last(&is_bad));
    let line = ok.max(bad).max(last(&runs))?;
    let mut found = Found::new(line, ProgressKind::TestRun, 0.95);
    found.update.state = match (ok, bad) {
        (_, Some(_)) => ProgressState::Failed,
        (Some(ok), None) if ok == line => ProgressState::Finished,
        _ => ProgressState::Running,
    };
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::parser::tests::check_rows;

    #[test]
    fn each_row_matches_its_texts() {
        check_rows("begins", (&BEGIN, BEGINS), |line| line);
        check_rows("counters", (&COUNTER, COUNTERS), str::trim);
        check_rows("summaries", (&SUMMARY, SUMMARIES), str::trim);
    }
}
