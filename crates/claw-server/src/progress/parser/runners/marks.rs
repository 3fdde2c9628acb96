//! The verdict that a line gives to one test, and the signs that a page is about tests.

use crate::progress::parser::page::{Page, PageLine};
use crate::progress::parser::vocabulary::opens_work;
use crate::progress::parser::words::listed;

/// Whether the line says of one test how it ended: `Some(true)` when it failed.
pub(super) fn verdict_of(line: &PageLine<'_>) -> Option<bool> {
    let text = line.text;
    in_front(text).or_else(|| behind(text))
}

/// Whether the line has a verdict of one test anywhere.
pub(super) fn is_judged(line: &PageLine<'_>) -> bool {
    let judged = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphabetic());
        word.starts_with(|c: char| c.is_ascii_uppercase()) && judged(word).is_some()
    };
    verdict_of(line).is_some() || line.text.split_whitespace().any(judged)
}

/// `✓ adds`, `PASS [ 0.01s] adds`, `[       OK ] Cart.Adds`, `not ok 3 - adds`, `--- FAIL: TestAdd`
fn in_front(text: &str) -> Option<bool> {
    let mark = text.chars().next()?;
    if matches!(mark, '✓' | '✔' | '√' | '✅') {
        return Some(false);
    }
    if matches!(mark, '✗' | '✘' | '✖' | '×' | '❌') {
        return Some(true);
    }
    if text.starts_with("not ok ") {
        return Some(true);
    }
    // "E NewsletterCest: Double opt in (5.41s)"
    let lettered = matches!(mark, 'E' | 'F' | 'S' | 'I') && text[1..].starts_with(' ');
    if lettered && (text.ends_with("s)") || text.ends_with("ms)")) {
        return Some(matches!(mark, 'E' | 'F'));
    }
    // "-  3 [firefox] › login": left out.
    let numbered = |rest: &str| rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
    if text.strip_prefix("-  ").is_some_and(numbered) {
        return Some(false);
    }
    let text = text.strip_prefix("--- ").unwrap_or(text);
    // Another try decides.
    let tried = text.strip_prefix("TRY ").map(|rest| rest.split_once(' '));
    let (text, again) = match tried {
        Some(Some((_, rest))) => (rest, true),
        _ => (text, false),
    };
    let (word, rest) = match text.strip_prefix('[').and_then(|text| text.split_once(']')) {
        Some((inner, rest)) => (inner.trim(), rest),
        None => text.split_once([' ', '\t', ':'])?,
    };
    let failed = judged(word)?;
    let named = rest.contains(|c: char| c.is_alphanumeric());
    (named && !(again && failed)).then_some(failed)
}

/// `test adds ... ok`, `adds [OK]`, `adds: PASS (0.02 s)`, `adds PASSED`
fn behind(text: &str) -> Option<bool> {
    // "Applying 0001_initial... OK" is something that is done.
    let first = text.split(' ').next().unwrap_or("").to_lowercase();
    if opens_work(&first) && first != "testing" {
        return None;
    }
    // A time, a share or a remark may follow.
    let text = text.trim_end_matches(['.', '!']);
    let cut = text.strip_suffix([')', ']']).and_then(|cut| {
        let open = cut.rfind(['(', '['])?;
        judged(cut[open + 1..].trim())
            .is_none()
            .then(|| text[..open].trim_end())
    });
    let text = cut.unwrap_or(text);
    let text = match text.split_once(" ... ") {
        Some((name, verdict)) if !name.is_empty() => {
            let word = verdict.split([' ', ',', '(']).next().unwrap_or("");
            return judged(word).or((word == "bench:").then_some(false));
        }
        _ => text,
    };
    let (name, word) = text.rsplit_once([' ', '\t', '.', '[', '*'])?;
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let capital = word.chars().all(|c| c.is_ascii_uppercase());
    let dotted = name.ends_with("..") || name.ends_with('[') || name.ends_with("  ");
    (capital || dotted).then(|| judged(word)).flatten()
}

/// Whether one word is a verdict, and whether it is a bad one.
fn judged(word: &str) -> Option<bool> {
    if listed!(
        word,
        "ok OK Ok PASS PASSED Passed passed pass SKIP SKIPPED Skipped skipped SKIPPING ignored IGNORED
        XFAIL XPASS xfail FLAKY LEAK EXPECTEDFAIL TODO Disabled DISABLED"
    ) {
        return Some(false);
    }
    listed!(
        word,
        "FAIL FAILED Failed failed fail ERROR TIMEOUT Timeout CRASH CRASHED SIGKILL SIGABRT SIGSEGV
        ABORTED FAILURE"
    )
    .then_some(true)
}

/// Some line of the page names tests, or gives a verdict in the way that only tests are judged.
pub(super) fn names_tests(page: &Page<'_>) -> bool {
    page.read()
        .any(|(_, line)| names_test(line.text) || is_test_verdict(line))
}

/// Some line of the page gives a verdict to something with a name.
pub(super) fn gives_verdicts(page: &Page<'_>) -> bool {
    let ticked = |line: &PageLine<'_>| {
        let (mark, name) = line.text.split_once(' ').unwrap_or((line.text, ""));
        listed!(mark, "✓ ✔ √ ✗ ✘ ✖") && !name.is_empty()
    };
    page.read().any(|(_, line)| ticked(line))
}

/// The line gives a verdict to something with a name, in a word that is kept for tests.
pub(super) fn is_test_verdict(line: &PageLine<'_>) -> bool {
    let mut words = line.text.split_whitespace();
    let judged = words.clone().any(|word| {
        let bare = word.trim_matches(|c: char| !c.is_alphabetic());
        listed!(bare, "PASS PASSED FAIL") || word == "[Passed]"
    });
    judged && words.nth(1).is_some() && is_judged(line)
}

/// The line names a file of tests that has its turn: `login.spec.ts`, `t/01.t ..`.
pub(super) fn names_test_file(text: &str) -> bool {
    let is_file = |word: &str| {
        let spec = [".spec.", ".cy.", ".test.", ".e2e."];
        spec.iter().any(|part| word.contains(part))
            || word.ends_with(".t")
            || word.ends_with(".bats")
    };
    let first = text.split(' ').next().unwrap_or("").to_lowercase();
    let first = first.trim_end_matches(':');
    let runs = !opens_work(first) || matches!(first, "running" | "testing");
    runs && text.split_whitespace().any(is_file)
}

/// A word for tests, alone or as a part of a name.
pub(super) fn names_test(text: &str) -> bool {
    let low = text.to_lowercase();
    low.split(|c: char| !c.is_alphabetic()).any(|word| {
        listed!(
            word,
            "test tests testing tested spec specs testsuite testsuites unittest unittests pytest
            scenario scenarios testcase testcases selftest testthat junit phpunit seed"
        )
    })
}
