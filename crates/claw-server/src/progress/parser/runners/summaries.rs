//! Runners that say it all on one line.

mod any;

pub(super) use self::any::any;
use super::Found;
use super::tally::Tally;
use crate::progress::ProseProgress;
use crate::progress::parser::counters::{counters, shares};
use crate::progress::parser::page::{Page, PageLine};
use crate::progress::parser::reading::{ended, label, tests_running, verdict};

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

/// `....F...  63 / 180 ( 35%)`, `OK (180 tests, 420 assertions)`, `Tests: 96, Assertions: 210, …`.
pub(super) fn phpunit(page: &Page<'_>) -> Option<Found> {
    let (at, update) = page.last(|line| {
        if let Some(rest) = line.text.strip_prefix("OK (") {
            let total = rest.split(' ').next()?.parse::<u32>().ok()?;
            return rest
                .contains(" test")
                .then(|| verdict(f64::from(total), false));
        }
        if line.text.starts_with("Tests: ") && line.text.contains("Assertions: ") {
            let tally = Tally::of(&line.tokens);
            return Some(verdict(tally.total?, tally.any_failed()));
        }
        let place = counters(&line.tokens).into_iter().last()?;
        let share = shares(&line.tokens)
            .into_iter()
            .last()
            .filter(|s| s.first > place.first)?;
        let dots = line.text.split(' ').next()?;
        if dots.is_empty() || !dots.chars().all(|c| ".FEWRSIDNT".contains(c)) {
            return None;
        }
        let mut update = tests_running(Some(place.done), Some(place.total));
        update.percent = Some(share.percent);
        if place.done >= place.total {
            let failed = page.lines.iter().any(|line| {
                line.text.split(' ').next().is_some_and(|dots| {
                    dots.contains(['F', 'E']) && dots.chars().all(|c| ".FEWRSIDNT".contains(c))
                })
            });
            update.state = ended(failed);
        }
        Some(update)
    })?;
    Some(Found::new(at, update))
}

/// `Executed 12 out of 45 tests: 44 tests pass and 1 fails locally.`
/// While it runs: `[312 / 340] 4 / 12 tests; Testing //shop:cart_test`.
pub(super) fn bazel(page: &Page<'_>) -> Option<Found> {
    let running = page.last(|line| {
        let places = counters(&line.tokens);
        let [actions, tests, ..] = places.as_slice() else {
            return None;
        };
        let named = line
            .tokens
            .get(tests.after)
            .is_some_and(|t| t.low == "tests");
        (line.text.starts_with('[') && actions.first == 1 && named)
            .then(|| tests_running(Some(tests.done), Some(tests.total)))
    });
    let ended = bazel_end(page);
    match (running, ended) {
        (Some((at, update)), ended) if ended.as_ref().is_none_or(|end| end.line < at) => {
            Some(Found::new(at, update))
        }
        (_, ended) => ended,
    }
}

fn bazel_end(page: &Page<'_>) -> Option<Found> {
    let (at, (total, failed)) = page.last(|line| {
        let rest = line.text.strip_prefix("Executed ")?;
        let place = counters(&line.tokens).into_iter().next()?;
        let bad = line.tokens.windows(2).any(|pair| {
            pair[0].digits().is_some_and(|n| n > 0.0)
                && matches!(
                    pair[1].low.as_str(),
                    "fails" | "fail" | "failed" | "failing"
                )
        });
        rest.contains(" out of ")
            .then_some((place.total, bad || rest.contains(" fail")))
    })?;
    Some(Found::new(at, verdict(total, failed)))
}

/// Lines that begin with words only one runner uses.
pub(super) fn by_name(page: &Page<'_>) -> Option<Found> {
    let (at, update) = page.last(|line| named(page, line))?;
    Some(Found::new(at, update))
}

fn named(page: &Page<'_>, line: &PageLine<'_>) -> Option<ProseProgress> {
    let text = line.text;
    let tally = Tally::of(&line.tokens);
    let first = line.tokens.iter().find_map(|t| t.digits());
    let whole = |tally: Tally| {
        Some(verdict(tally.whole(), tally.any_failed())).filter(|_| tally.whole() > 0.0)
    };
    // dotnet
    if (text.starts_with("Passed!") || text.starts_with("Failed!")) && text.contains("Total:") {
        let mut update = whole(tally)?;
        update.label = text
            .rsplit(" - ")
            .next()
            .and_then(|rest| label(rest.split(" (").next()?));
        return Some(update);
    }
    if (text.starts_with("Test summary: total:") || text.starts_with("Test Run Summary"))
        && tally.total.is_some()
    {
        return whole(tally);
    }
    if text.starts_with("Total tests: ") {
        let failed = page.read().find_map(|(_, line)| {
            line.text
                .strip_prefix("Failed: ")?
                .trim()
                .parse::<u32>()
                .ok()
        });
        return Some(verdict(first?, failed.is_some_and(|n| n > 0)));
    }
    // gotestsum
    if text.starts_with("DONE ") && text.contains(" test") {
        return Some(verdict(first?, tally.any_failed()));
    }
    // ginkgo
    if (text.starts_with("SUCCESS! -- ") || text.starts_with("FAIL! -- ")) && text.contains(" | ") {
        return Some(verdict(tally.sum(), tally.any_failed()));
    }
    if text.starts_with("Will run ") && text.contains(" specs") {
        return Some(tests_running(Some(0.0), first));
    }
    // perl's prove
    if text.starts_with("Files=") && text.contains("Tests=") {
        let total = text
            .split("Tests=")
            .nth(1)?
            .split(',')
            .next()?
            .parse::<u32>()
            .ok()?;
        let failed = page.read().any(|(_, line)| line.text == "Result: FAIL");
        return Some(verdict(f64::from(total), failed));
    }
    if let Some((name, place)) = text.split_once(" .. ")
        && name.trim_end_matches('.').ends_with(".t")
        && place.starts_with(|c: char| c.is_ascii_digit())
    {
        let place = counters(&line.tokens).into_iter().last()?;
        return Some(tests_running(Some(place.done), Some(place.total)));
    }
    // testthat
    if text.starts_with("[ FAIL ") && text.contains("| PASS ") {
        let number = |name: &str| {
            text.split(name)
                .nth(1)?
                .split([' ', ']'])
                .next()?
                .parse::<u32>()
                .ok()
                .map(f64::from)
        };
        let (fail, skip, pass) = (number("FAIL ")?, number("SKIP ")?, number("PASS ")?);
        return Some(verdict(fail + skip + pass, fail > 0.0));
    }
    // Catch2, doctest
    if text.starts_with("All tests passed (") && text.contains(" test case") {
        let at = line.tokens.iter().position(|t| t.low == "test")?;
        return Some(verdict(
            line.tokens.get(at.checked_sub(1)?)?.digits()?,
            false,
        ));
    }
    if let Some(rest) = text.split("test cases:").nth(1)
        && rest.contains('|')
    {
        return Some(verdict(first?, tally.any_failed()));
    }
    // Boost, and others that say how many they start.
    let starts = (text.starts_with("Running ")
        || text.starts_with("Starting ")
        || text.starts_with("Executing "))
        && first == line.tokens.get(1).and_then(|t| t.digits());
    let of_tests = line
        .tokens
        .get(2)
        .is_some_and(|t| matches!(t.low.as_str(), "tests" | "test" | "specs" | "examples"));
    if starts
        && of_tests
        && first? > 0.0
        && line.tokens.len() <= 12
        && counters(&line.tokens).is_empty()
    {
        return Some(tests_running(Some(0.0), first));
    }
    // tasty, zig, swift-testing
    let plain = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    if (text.starts_with("All ") || plain.starts_with("Test run with "))
        && (text.contains(" tests passed") || text.contains(" passed after "))
    {
        return Some(verdict(first?, false));
    }
    if plain.starts_with("Test run with ") && text.contains(" failed") {
        return Some(verdict(first?, true));
    }
    if text.contains(" out of ") && text.contains(" tests failed") {
        let place = counters(&line.tokens).into_iter().next()?;
        return Some(verdict(place.total, place.done > 0.0));
    }
    // alcotest
    if text.starts_with("Test Successful in ") && text.contains(" run") {
        let at = line
            .tokens
            .iter()
            .position(|t| matches!(t.low.as_str(), "test" | "tests") && t.at > 5)?;
        return Some(verdict(
            line.tokens.get(at.checked_sub(1)?)?.digits()?,
            false,
        ));
    }
    // lit: "PASS: LLVM :: a.ll (12 of 340)"
    let lit = ["PASS: ", "FAIL: ", "XFAIL: ", "UNSUPPORTED: ", "XPASS: "];
    if lit.iter().any(|mark| text.starts_with(mark)) && text.ends_with(')') {
        let place = counters(&line.tokens).into_iter().last()?;
        let boxed = place.after + 1 == line.tokens.len() && !place.stroke;
        return boxed.then(|| tests_running(Some(place.done), Some(place.total)));
    }
    // webdriverio
    if text.starts_with("Spec Files:") && text.contains("completed)") {
        let share = shares(&line.tokens).into_iter().next()?;
        if share.percent < 100.0 {
            let mut update = tests_running(Some(tally.sum()), tally.total);
            update.percent = Some(share.percent);
            return Some(update);
        }
        return whole(tally);
    }
    None
}

/// `12 tests passed` and `1 test failed`, each on its own line.
pub(super) fn ava(page: &Page<'_>) -> Option<Found> {
    let row = |line: &PageLine<'_>| {
        let [number, tests, verdict] = line.tokens.as_slice() else {
            return None;
        };
        let says = matches!(tests.low.as_str(), "test" | "tests")
            && matches!(
                verdict.low.as_str(),
                "passed" | "failed" | "skipped" | "todo"
            );
        says.then(|| Some((number.digits()?, verdict.low == "failed")))
            .flatten()
    };
    let (end, _) = page.last(row)?;
    let rows: Vec<(f64, bool)> = page
        .between(0, end + 1)
        .iter()
        .rev()
        .map_while(row)
        .collect();
    let failed = rows.iter().any(|(number, failed)| *failed && *number > 0.0);
    let total = rows.iter().map(|(number, _)| number).sum();
    (rows.len() > 1).then(|| Found::new(end, verdict(total, failed)))
}
