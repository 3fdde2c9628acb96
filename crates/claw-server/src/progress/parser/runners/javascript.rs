//! jest, vitest, playwright, mocha, bun, node, karma and cypress.

use super::Found;
use super::tally::Tally;
use crate::progress::parser::counters::counters;
use crate::progress::parser::page::{Page, PageLine};
use crate::progress::parser::reading::{ended, label, tests_running, verdict};

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
        (rest.contains(" total") && tally.total.is_some_and(|n| n > 0.0)).then_some(tally)
    });
    let end = page.lines.iter().rposition(|line| {
        ["Test Suites:", "Tests:", "Snapshots:", "Time:", "Ran all"]
            .iter()
            .any(|s| line.text.starts_with(s))
    })?;
    if let Some((_, (tally, Some(place)))) = suites {
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

/// `Tests  2 failed | 58 passed | 1 skipped (61)`: the number in brackets is the total.
pub(super) fn vitest(page: &Page<'_>) -> Option<Found> {
    let row = |name: &str| {
        page.last(|line| {
            let rest = line.text.strip_prefix(name)?;
            let bracket = rest
                .rsplit_once('(')?
                .1
                .strip_suffix(')')?
                .parse::<u32>()
                .ok()?;
            let skip = name.split(' ').count();
            let tally = Tally::of(&line.tokens[skip.min(line.tokens.len())..]);
            rest.starts_with(' ').then_some((tally, f64::from(bracket)))
        })
    };
    let (at, (tally, total)) = row("Tests")?;
    let files = row("Test Files");
    let files_failed = files
        .as_ref()
        .is_some_and(|(_, (files, _))| files.any_failed());
    let files_open = files
        .as_ref()
        .is_some_and(|(_, (files, total))| files.sum() < *total);
    let mut update = tests_running(Some(tally.sum()), Some(total));
    // What nobody caught is counted apart from the tests.
    let uncaught = page.lines.iter().any(|line| {
        let rest = line.text.strip_prefix("Errors ").map(str::trim);
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && rest != "0")
    });
    if tally.sum() >= total && !files_open {
        update.state = ended(tally.any_failed() || files_failed || uncaught);
    }
    let end = page
        .lines
        .iter()
        .rposition(|line| line.text.starts_with("Duration"))
        .unwrap_or(at);
    Some(Found::new(end.max(at), update))
}

/// `12 passing`, alone on its line but for the time.
fn number_and(line: &PageLine<'_>, words: &[&str]) -> Option<f64> {
    let [number, word, rest @ ..] = line.tokens.as_slice() else {
        return None;
    };
    let alone = rest.is_empty() || rest[0].is_sign('(') || rest[0].is_sign('[');
    (alone && words.contains(&word.low.as_str()))
        .then(|| number.digits())
        .flatten()
}

pub(super) fn mocha(page: &Page<'_>) -> Option<Found> {
    let (at, passing) = page.last(|line| number_and(line, &["passing"]))?;
    let rest = page.between(at + 1, page.lines.len());
    let after = |word: &str| {
        rest.iter()
            .take(4)
            .find_map(|line| number_and(line, &[word]))
            .unwrap_or(0.0)
    };
    let (failing, pending) = (after("failing"), after("pending"));
    // The failures are told in full after the end.
    let end = if failing > 0.0 {
        page.lines.len() - 1
    } else {
        at
    };
    Some(Found::new(
        end,
        verdict(passing + failing + pending, failing > 0.0),
    ))
}

/// ` 12 pass`, ` 1 fail`, then `Ran 13 tests across 3 files.`
pub(super) fn bun(page: &Page<'_>) -> Option<Found> {
    let (at, total) = page.last(|line| {
        let says = line.text.starts_with("Ran ") && line.text.contains(" across ");
        says.then(|| line.tokens.get(1)?.digits()).flatten()
    })?;
    let before = page.between(at.saturating_sub(8), at);
    let fail = before.iter().find_map(|line| number_and(line, &["fail"]))?;
    let mut update = verdict(total, fail > 0.0);
    update.state = ended(fail > 0.0);
    Some(Found::new(at, update))
}

/// `# tests 12`, `# pass 11`, `# fail 1`, or the same after an information sign.
pub(super) fn node(page: &Page<'_>) -> Option<Found> {
    let number = |word: &str| {
        page.last(|line| {
            let [sign, name, number] = line.tokens.as_slice() else {
                return None;
            };
            let marked = sign.is_sign('#') || sign.is_sign('ℹ') || sign.text == "ℹ";
            (marked && name.low == word)
                .then(|| number.digits())
                .flatten()
        })
    };
    let (_, total) = number("tests")?;
    let (at, fail) = number("fail")?;
    let cancelled = number("cancelled").map_or(0.0, |(_, n)| n);
    let end = ["skipped", "todo", "cancelled"]
        .iter()
        .filter_map(|word| number(word))
        .map(|(at, _)| at)
        .max();
    let end = page
        .lines
        .iter()
        .rposition(|line| line.text.contains("duration_ms"))
        .or(end)
        .unwrap_or(at)
        .max(at);
    (total > 0.0).then(|| Found::new(end, verdict(total, fail + cancelled > 0.0)))
}

/// `Running 120 tests using 4 workers`, `[15/120] [chromium] › login.spec.ts:12:5 › …`, and a
/// summary with one line for each verdict.
pub(super) fn playwright(page: &Page<'_>) -> Option<Found> {
    let start = page.last(|line| {
        let says = line.text.starts_with("Running ")
            && line.text.contains(" using ")
            && line.text.contains(" worker");
        says.then(|| line.tokens.get(1)?.digits()).flatten()
    });
    let place = page.last(|line| {
        let place = counters(&line.tokens).into_iter().next()?;
        let tests = line.text.contains('›') && line.text.starts_with('[');
        (tests && place.first == 1).then(|| {
            let mut update = tests_running(Some(place.done), Some(place.total));
            let file = line
                .text
                .split('›')
                .map(str::trim)
                .find(|part| part.contains(".spec.") || part.contains(".test."));
            update.label = file.and_then(label);
            update
        })
    });
    let is_verdict = |line: &PageLine<'_>| {
        line.text.contains('›')
            && line.text.starts_with(['✓', '✔', '✘', '✗', '-', '×'])
            && line.tokens.get(1).is_some_and(|t| t.digits().is_some())
    };
    let named = page.lines.iter().any(|line| line.text.contains("] › "));
    if start.is_some() || place.is_some() || named {
        let from = start.map_or(0, |(at, _)| at);
        let row = |word: &str| {
            page.read()
                .rev()
                .filter(|(at, _)| *at >= from)
                .find_map(|(at, line)| Some((at, number_and(line, &[word])?)))
        };
        let skipped_rows = page.read().find_map(|(_, line)| {
            let text = line.text.strip_suffix(" did not run")?;
            text.parse::<u32>().ok().map(f64::from)
        });
        let rows: Vec<(usize, f64)> = ["passed", "failed", "flaky", "skipped"]
            .iter()
            .filter_map(|word| row(word))
            .collect();
        if let Some(end) = rows.iter().map(|(at, _)| *at).max() {
            let done: f64 = rows.iter().map(|(_, n)| n).sum();
            let failed = row("failed").is_some();
            let mut update = verdict(done + skipped_rows.unwrap_or(0.0), failed);
            update.done = Some(done);
            return Some(Found::new(end, update));
        }
    }
    match (place, start) {
        (Some((at, update)), _) => Some(Found::new(at, update)),
        (None, Some((at, total))) => {
            let rest = page.between(at + 1, page.lines.len());
            let done = rest.iter().filter(|line| is_verdict(line)).count();
            let end = rest
                .iter()
                .rposition(is_verdict)
                .map_or(at, |last| at + 1 + last);
            Some(Found::new(
                end,
                tests_running(Some(done as f64), Some(total)),
            ))
        }
        _ => None,
    }
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

/// The table at the end of a spec, and the spec that runs: `Running:  login.cy.ts  (1 of 5)`.
pub(super) fn cypress(page: &Page<'_>) -> Option<Found> {
    let row = |name: &str| {
        page.last(|line| {
            let inner = line.text.trim_matches(['│', '|']).trim();
            let number = inner.strip_prefix(name)?.trim();
            number.parse::<u32>().ok().map(f64::from)
        })
    };
    if let (Some((_, total)), Some(_), Some((at, failing))) =
        (row("Tests:"), row("Passing:"), row("Failing:"))
    {
        let end = row("Skipped:").map_or(at, |(end, _)| end);
        return Some(Found::new(end, verdict(total, failing > 0.0)));
    }
    // The last row of the last table: time, tests, passing, failing.
    let all = page.last(|line| {
        let says = line.text.contains("All specs passed!")
            || (line.text.starts_with('✖') && line.text.contains(" failed ("));
        let mut columns = line
            .text
            .split_whitespace()
            .skip_while(|word| !word.contains(':'));
        columns.next().filter(|_| says)?;
        let total = columns.next()?.parse::<u32>().ok()?;
        let failing = columns.nth(1)?.parse::<u32>().unwrap_or(0);
        Some(verdict(f64::from(total), failing > 0))
    });
    if let Some((at, update)) = all {
        return Some(Found::new(at, update));
    }
    let (at, update) = page.last(|line| {
        let rest = line.text.strip_prefix("Running:")?;
        let place = counters(&line.tokens).into_iter().last()?;
        let mut update = tests_running(Some(place.done), Some(place.total));
        update.label = label(rest.split('(').next().unwrap_or(rest));
        (rest.contains(".cy.") || rest.contains("spec")).then_some(update)
    })?;
    Some(Found::new(at, update))
}
