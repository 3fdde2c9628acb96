//! ctest, googletest, go, meson and XCTest.

use super::Found;
use super::tally::Tally;
use crate::progress::ProgressKind;
use crate::progress::parser::counters::counters;
use crate::progress::parser::page::{Page, PageLine};
use crate::progress::parser::reading::{KNOWN_FORM, ended, label, tests_running, update, verdict};

/// `12/57 Test #12: name ....   Passed`, then `98% tests passed, 1 tests failed out of 57`.
pub(super) fn ctest(page: &Page<'_>) -> Option<Found> {
    let summary = page.last(|line| {
        let (_, rest) = line.text.split_once("tests passed, ")?;
        let (failed, total) = rest
            .split_once(" tests failed out of ")
            .or_else(|| rest.split_once(" test failed out of "))?;
        let number = |text: &str| text.trim().parse::<u32>().ok().map(f64::from);
        Some((number(total)?, number(failed)? > 0.0))
    });
    if let Some((at, (total, failed))) = summary {
        return Some(Found::new(at, verdict(total, failed)));
    }
    let (at, update) = page.last(|line| {
        let place = counters(&line.tokens)
            .into_iter()
            .next()
            .filter(|c| c.first == 0)?;
        line.tokens.get(place.after).filter(|t| t.text == "Test")?;
        line.tokens
            .get(place.after + 1)
            .filter(|t| t.is_sign('#'))?;
        let mut update = tests_running(Some(place.done), Some(place.total));
        let name = line.text.split_once(": ").map_or("", |(_, rest)| rest);
        update.label = name.split(' ').next().and_then(label);
        Some(update)
    })?;
    Some(Found::new(at, update))
}

/// `[==========] Running 45 tests from 6 test suites.` up to `[  PASSED  ] 45 tests.`
pub(super) fn googletest(page: &Page<'_>) -> Option<Found> {
    let after = |mark: &'static str| {
        move |line: &PageLine<'_>| -> Option<f64> {
            let rest = line.text.strip_prefix(mark)?.trim();
            let (number, rest) = rest.split_once(' ')?;
            let number = number.parse::<u32>().ok()?;
            rest.starts_with("test").then_some(f64::from(number))
        }
    };
    let start = page.last(|line| {
        let rest = line.text.strip_prefix("[==========] Running ")?;
        rest.split(' ').next()?.parse::<u32>().ok().map(f64::from)
    });
    let ran = page.last(after("[==========]"));
    let passed = page.last(after("[  PASSED  ]"));
    let failed = page.last(after("[  FAILED  ]"));
    let skipped = page.last(after("[  SKIPPED ]")).map_or(0.0, |(_, n)| n);
    let end = [ran.map(|r| r.0), passed.map(|p| p.0), failed.map(|f| f.0)]
        .into_iter()
        .flatten()
        .max();
    if let Some(end) = end {
        let sum = passed.map_or(0.0, |(_, n)| n) + failed.map_or(0.0, |(_, n)| n) + skipped;
        let total = ran.map_or(sum, |(_, n)| n);
        let last = page
            .lines
            .iter()
            .rposition(|line| line.text.starts_with("[  FAILED  ]"))
            .unwrap_or(end);
        return (total > 0.0).then(|| Found::new(last.max(end), verdict(total, failed.is_some())));
    }
    let (start, total) = start?;
    let is_verdict = |line: &PageLine<'_>| {
        ["[       OK ]", "[  FAILED  ]", "[  SKIPPED ]"]
            .iter()
            .any(|mark| line.text.starts_with(mark))
    };
    let rest = page.between(start + 1, page.lines.len());
    let done = rest.iter().filter(|line| is_verdict(line)).count();
    let broken = !page.unbroken(start, page.lines.len() - 1);
    let end = page
        .lines
        .iter()
        .rposition(|line| line.text.starts_with("[ "))
        .unwrap_or(start);
    Some(Found::new(
        end.max(start),
        tests_running((!broken).then_some(done as f64), Some(total)),
    ))
}

/// `ok example.com/cart 0.412s`, `FAIL example.com/cart 0.3s`, `--- FAIL: TestTotal`.
pub(super) fn go(page: &Page<'_>) -> Option<Found> {
    fn package(line: &PageLine<'_>) -> Option<(String, bool)> {
        let mut parts = line.text.split_whitespace();
        let verdict = parts.next()?;
        let name = parts.next()?;
        let time = parts.next()?;
        let timed = time == "(cached)"
            || (time.ends_with('s') && time.starts_with(|c: char| c.is_ascii_digit()))
            || time.starts_with("[build")
            || time.starts_with("[setup");
        if line.text.ends_with("[no tests to run]") {
            return None;
        }
        let named = name.contains(['/', '.']) || line.text.contains('\t');
        let known = matches!(verdict, "ok" | "FAIL");
        (timed && named && known).then(|| (name.to_owned(), verdict == "FAIL"))
    }
    if let Some(found) = go_json(page) {
        return Some(found);
    }
    let single = page.last(|line| {
        let name = line
            .text
            .strip_prefix("--- FAIL: ")
            .or_else(|| line.text.strip_prefix("--- PASS: "))
            .or_else(|| line.text.strip_prefix("=== RUN "))?;
        name.trim()
            .starts_with(|c: char| c.is_ascii_uppercase())
            .then(|| label(name.trim().split(" (").next().unwrap_or(name)))
    });
    if let Some((at, (name, _))) = page.last(package) {
        let failed = page.read().any(|(_, line)| {
            package(line).is_some_and(|(_, failed)| failed) || line.text == "FAIL"
        });
        let mut found = update(ProgressKind::TestRun, KNOWN_FORM);
        found.label = label(&name);
        found.state = ended(failed);
        let end = page
            .lines
            .iter()
            .rposition(|line| line.text == "FAIL")
            .unwrap_or(at);
        if single.as_ref().is_none_or(|(single, _)| *single < at) {
            return Some(Found::new(end.max(at), found));
        }
    }
    let (at, label) = single?;
    let mut found = update(ProgressKind::TestRun, KNOWN_FORM);
    found.label = label;
    let last = page
        .last(|line| matches!(line.text, "PASS" | "FAIL").then_some(line.text == "FAIL"))
        .filter(|(end, _)| *end > at);
    let verbose = page
        .read()
        .any(|(_, line)| line.text.starts_with("=== RUN") || line.text.starts_with("--- PASS: "));
    if let Some((_, failed)) = last {
        found.state = ended(failed);
    } else if !verbose {
        // Failures alone are printed when all tests of the package have run.
        found.state = ended(true);
    }
    Some(Found::new(last.map_or(at, |(end, _)| end), found))
}

/// `{"Time":"…","Action":"pass","Package":"example.com/cart","Elapsed":0.41}`: without a test it is
/// the verdict of the package.
fn go_json(page: &Page<'_>) -> Option<Found> {
    let field = |text: &str, name: &str| {
        let rest = text.split(&format!("\"{name}\":\"")).nth(1)?;
        Some(rest.split('"').next()?.to_owned())
    };
    let is_event = |line: &PageLine<'_>| {
        line.text.starts_with("{\"Time\":\"2") && line.text.contains("\",\"Action\":\"")
    };
    let at = page.lines.iter().rposition(is_event)?;
    let package = field(page.lines[at].text, "Package")?;
    let ends = |line: &PageLine<'_>| {
        let action = field(line.text, "Action").filter(|_| is_event(line));
        action.filter(|_| !line.text.contains("\"Test\":\""))
    };
    let mut found = update(ProgressKind::TestRun, KNOWN_FORM);
    match ends(&page.lines[at]).as_deref() {
        Some("pass" | "fail") => {
            let failed = page
                .lines
                .iter()
                .any(|line| ends(line).as_deref() == Some("fail"));
            found.state = ended(failed);
            found.label = label(&package);
        }
        Some("skip") => return None,
        _ => found.label = field(page.lines[at].text, "Test").or(Some(package)),
    }
    Some(Found::new(at, found))
}

/// ` 12/57 suite:name   OK   0.02s`, then `Ok: 57` and `Fail: 0`.
pub(super) fn meson(page: &Page<'_>) -> Option<Found> {
    let row = |name: &str| {
        page.last(|line| {
            let rest = line.text.strip_prefix(name)?;
            rest.trim().parse::<u32>().ok().map(f64::from)
        })
    };
    if let (Some((at, ok)), Some((end, fail))) =
        (row("Ok:"), row("Fail:").or_else(|| row("Failed:")))
    {
        let other: f64 = ["Expected Fail:", "Skipped:", "Timeout:", "Unexpected Pass:"]
            .iter()
            .filter_map(|name| row(name))
            .map(|(_, n)| n)
            .sum();
        let timeout = row("Timeout:").map_or(0.0, |(_, n)| n);
        let end = row("Timeout:").map_or(end, |(at, _)| at).max(at);
        return Some(Found::new(
            end,
            verdict(ok + fail + other, fail + timeout > 0.0),
        ));
    }
    let (at, update) = page.last(|line| {
        let place = counters(&line.tokens)
            .into_iter()
            .next()
            .filter(|c| c.first == 0 && c.stroke)?;
        let has = line
            .tokens
            .iter()
            .any(|t| matches!(t.text, "OK" | "FAIL" | "SKIP" | "TIMEOUT" | "EXPECTEDFAIL"));
        // How it exited may follow the time.
        let timed = line
            .tokens
            .windows(2)
            .any(|pair| pair[0].digits().is_some() && pair[1].low == "s" && !pair[1].spaced);
        (has && timed).then(|| tests_running(Some(place.done), Some(place.total)))
    })?;
    Some(Found::new(at, update))
}

/// `Executed 45 tests, with 2 failures (0 unexpected) in 0.3 (0.4) seconds`
pub(super) fn xctest(page: &Page<'_>) -> Option<Found> {
    let (at, (total, failed)) = page.last(|line| {
        let says = line.text.starts_with("Executed ")
            && line.text.contains(", with ")
            && line.text.contains("failure");
        let tally = Tally::of(&line.tokens);
        let total = line.tokens.get(1)?.digits()?;
        let failures = line
            .tokens
            .iter()
            .position(|t| t.low.starts_with("failure"))
            .and_then(|at| line.tokens.get(at.checked_sub(1)?)?.digits());
        says.then_some((total, failures.or(tally.failed)? > 0.0))
    })?;
    (total > 0.0).then(|| Found::new(at, verdict(total, failed)))
}
