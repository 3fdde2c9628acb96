//! One line of a summary: numbers, and the verdicts that they belong to.
//!
//! Runners write the same few things in many ways: "2 failed, 61 passed", "Failed: 2", "FAIL=2",
//! "2/63 failed", "OK (63 tests)". A line is cut where its signs cut it, and in each part a number
//! takes the word beside it. What is left over tells how much else the line speaks of.

mod items;

use self::items::{Item, has, is_filler, items, number_first, says};
use super::vocabulary::{Class, is_of_tests_only, is_test};
use crate::progress::parser::page::PageLine;
use crate::progress::parser::tokens::Kind;

/// Longer lines are no summaries.
const LONGEST: usize = 60;

/// What one line of a summary says.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Row {
    pub(super) passed: Option<f64>,
    pub(super) failed: Option<f64>,
    pub(super) skipped: Option<f64>,
    /// How many tests there are, in the words of the runner.
    pub(super) total: Option<f64>,
    /// One of its numbers is a part of the total: "2 of 17 failed".
    pub(super) placed: bool,
    /// "41 of 306 tests": how many of them ran.
    pub(super) ran: Option<f64>,
    /// How many it says did not run.
    pub(super) not_run: f64,
    /// The total stands in brackets behind the verdicts: "45 passed (180)".
    pub(super) boxed: bool,
    /// A verdict without a number: whether it is a bad one.
    pub(super) said: Option<bool>,
    /// That verdict is of the tests: "Tests failed."
    pub(super) said_of_tests: bool,
    /// It names tests.
    pub(super) of_tests: bool,
    /// It passes as only tests do.
    pub(super) as_tests: bool,
    /// Its verdicts are of something else.
    pub(super) of_others: bool,
    /// It begins with something else.
    began_otherwise: bool,
    /// It says that the run is over: "Ran 12 tests", "12 tests completed".
    pub(super) over: bool,
    /// It says that the run is not over, or that it was another time.
    pub(super) not_now: bool,
    /// It says that somebody or something ended it early.
    pub(super) stopped: bool,
    /// It has a time.
    pub(super) timed: bool,
    /// How many words and numbers it has that belong to no summary.
    pub(super) leftover: usize,
    /// Some of them come before its numbers.
    pub(super) titled: bool,
    /// The verdicts that have numbers, as they are named.
    pub(super) names: Vec<String>,
}

impl Row {
    /// What the line says, if it can be part of a summary.
    pub(super) fn of(line: &PageLine<'_>) -> Option<Self> {
        if line.shown || line.may_be_old || line.tokens.len() > LONGEST || is_of_one(line) {
            return None;
        }
        let mut row = Self::default();
        let (items, timed) = items(&line.tokens);
        row.timed = timed;
        row.read(&items);
        row.of_others |= row.began_otherwise && !row.of_tests;
        let says = !row.is_bare() || row.said.is_some() || row.of_others || row.not_run > 0.0;
        says.then_some(row)
    }

    /// How many kinds of verdicts have numbers.
    pub(super) fn kinds(&self) -> usize {
        let kinds = [self.passed, self.failed, self.skipped];
        kinds.iter().flatten().count()
    }

    fn read(&mut self, items: &[Item<'_>]) {
        let mut from = 0;
        let mut at = 0;
        while at < items.len() {
            match items[at] {
                Item::Open => {
                    let verdict = self.part(&items[from..at]);
                    let close = items[at..].iter().position(|i| matches!(i, Item::Close));
                    let close = close.map_or(items.len(), |close| at + close);
                    // "48 passed (1 flaky)" tells more of the 48; "58 passed (61)" tells the total.
                    if verdict {
                        if let [Item::Number { value, whole: None }] = items[at + 1..close] {
                            self.boxed = self.total.is_none();
                            self.total = self.total.or(Some(value));
                        }
                        at = close;
                    }
                    from = at + 1;
                }
                Item::Cut | Item::Close => {
                    self.part(&items[from..at]);
                    from = at + 1;
                }
                _ => {}
            }
            at += 1;
        }
        self.part(items.get(from..).unwrap_or(&[]));
    }

    /// Reads one part and tells whether a number in it has a verdict.
    fn part(&mut self, items: &[Item<'_>]) -> bool {
        for item in items {
            match item {
                Item::Word(Class::Unknown, _) => {
                    self.leftover += 1;
                    self.titled |= self.names.is_empty() && self.total.is_none();
                }
                Item::Word(Class::NotNow, _) => self.not_now = true,
                Item::Word(_, "interrupted" | "aborted" | "bailed") => self.stopped = true,
                Item::Word(Class::Over, _) => self.over = true,
                Item::Word(Class::Whole, "ran" | "executed") => self.over = true,
                _ => {}
            }
        }
        let numbers: Vec<usize> = (0..items.len())
            .filter(|&at| matches!(items[at], Item::Number { .. }))
            .collect();
        if numbers.is_empty() {
            self.say(items);
            return false;
        }
        let number_first = number_first(items, &numbers);
        let mut verdict = false;
        for (nth, &at) in numbers.iter().enumerate() {
            let Item::Number { value, whole } = items[at] else {
                continue;
            };
            let last = nth.checked_sub(1).map_or(0, |before| numbers[before] + 1);
            let next = numbers.get(nth + 1).copied().unwrap_or(items.len());
            let (before, after) = (&items[last..at], &items[at + 1..next]);
            let alone = numbers.len() == 1;
            let words: Vec<&Item<'_>> = match number_first {
                true if alone || !says(after) => after.iter().chain(before).collect(),
                true => after.iter().collect(),
                false if alone => before.iter().chain(after).collect(),
                false => before.iter().collect(),
            };
            // The word right before the number is one that names it.
            let nearest = before.iter().rev().find(|item| !is_filler(item));
            let beside = !matches!(nearest, Some(Item::Word(Class::Unknown, _)));
            verdict |= self.claim(&words, (number_first, beside), (value, whole));
        }
        verdict
    }

    /// A part without a number: "All tests passed", "FAILED", "Test Suites".
    fn say(&mut self, items: &[Item<'_>]) {
        let has = |wanted| has(items.iter(), wanted);
        self.of_tests |= has(Class::Tests) && !has(Class::Other);
        // What a part at the start names, the rest is about.
        self.began_otherwise |= self.is_bare() && has(Class::Other);
        let failed = has(Class::Failed);
        if failed || has(Class::Passed) {
            self.said = Some(failed || self.said == Some(true));
            let plain = |item: &Item<'_>| matches!(item, Item::Word(class, word) if *class != Class::Tests || is_test(word));
            let only = items.iter().all(plain) && !has(Class::Unknown) && !has(Class::Other);
            self.said_of_tests |= only && has(Class::Tests);
        }
    }

    /// No number has been read yet.
    pub(super) fn is_bare(&self) -> bool {
        self.names.is_empty() && self.total.is_none()
    }

    /// The number belongs to these words. Whether they have a verdict.
    fn claim(
        &mut self,
        words: &[&Item<'_>],
        (number_first, beside): (bool, bool),
        (value, whole): (f64, Option<f64>),
    ) -> bool {
        let has = |wanted| has(words.iter().copied(), wanted);
        let verdict = verdict_of(has);
        // "45 audits passed"
        let first_word = words.iter().find_map(|item| match item {
            Item::Word(Class::Filler, _) => None,
            Item::Word(class, _) => Some(*class),
            _ => None,
        });
        let of_something = first_word == Some(Class::Unknown) && number_first;
        // "FAIL code 1"
        let of_another = !number_first && !beside;
        if of_another {
            self.leftover += 1;
            return false;
        }
        let of_others = has(Class::Other) || (of_something && !has(Class::Tests));
        if of_others && verdict.is_some() {
            // "Pass 12. Fail 0. 0 builds failed", "12 tests in 3 suites passed"
            self.of_others |= !self.of_tests || self.is_bare();
            let failed = verdict == Some(Class::Failed) && value > 0.0;
            self.said = Some(failed || self.said == Some(true));
            return true;
        }
        if has(Class::Other) {
            self.began_otherwise |= self.is_bare() && self.said.is_none() && !has(Class::Tests);
            return false;
        }
        // "12 invalid examples"
        if of_something && verdict.is_none() && first_word != Some(Class::Tests) {
            self.leftover += 1;
            return false;
        }
        self.of_tests |= has(Class::Tests);
        if let Some(whole) = whole {
            self.placed = true;
            self.total = Some(self.total.unwrap_or(0.0).max(whole));
            // "3 of 1204 tests are flaky" is a finding.
            let flaky = |item: &&Item<'_>| matches!(item, Item::Word(_, "flaky"));
            self.not_now |= words.iter().any(flaky);
        }
        // "12 did not run"
        if words
            .iter()
            .any(|item| matches!(item, Item::Word(_, "not" | "notrun")))
        {
            self.not_run += value;
            return false;
        }
        let Some(verdict) = verdict else {
            self.count(has(Class::Tests), has(Class::Whole), (value, whole));
            return false;
        };
        let said = words.iter().filter_map(|item| match item {
            Item::Word(Class::Filler | Class::Unknown | Class::Tests, _) => None,
            Item::Word(_, word) => Some(word.to_lowercase()),
            _ => None,
        });
        let name: String = said.collect::<Vec<_>>().join(" ");
        self.as_tests |= name.split(' ').any(is_of_tests_only);
        self.names.push(name);
        let place = match verdict {
            Class::Passed => &mut self.passed,
            Class::Failed => &mut self.failed,
            _ => &mut self.skipped,
        };
        *place = Some(place.unwrap_or(0.0) + value);
        // Those that did not pass have failed.
        if let (Class::Passed, Some(whole)) = (verdict, whole) {
            self.said = self.said.or(Some(value < whole));
        }
        true
    }

    /// A number without a verdict.
    fn count(&mut self, tests: bool, all: bool, (value, whole): (f64, Option<f64>)) {
        match whole {
            _ if !tests && !all => self.leftover += 1,
            Some(_) => self.ran = Some(value),
            None if tests => self.total = Some(self.total.unwrap_or(0.0) + value),
            None => self.total = Some(self.total.unwrap_or(0.0).max(value)),
        }
    }
}

/// The verdict among some words.
fn verdict_of(has: impl Fn(Class) -> bool) -> Option<Class> {
    let expected = has(Class::Expected);
    let failed = has(Class::Unexpected) || has(Class::Failed) && !expected;
    // Some failures are expected, and some successes are not.
    match () {
        () if has(Class::Skipped) || (expected && has(Class::Failed)) => Some(Class::Skipped),
        () if failed => Some(Class::Failed),
        () if has(Class::Passed) => Some(Class::Passed),
        () => None,
    }
}

/// The line is of one test or one file: `ok 12 - adds`, `✓ src/cart.test.ts (12 tests)`.
fn is_of_one(line: &PageLine<'_>) -> bool {
    let number = line.tokens.iter().position(|t| t.digits().is_some());
    let numbered = match line.tokens.as_slice() {
        [ok, number, ..] if ok.low == "ok" => number.digits().is_some(),
        [not, ok, ..] => not.low == "not" && ok.low == "ok",
        _ => false,
    };
    let lead = &line.tokens[..number.unwrap_or(line.tokens.len())];
    let named = lead
        .iter()
        .any(|t| t.kind == Kind::Opaque && (t.text.contains('/') || t.text.contains("::")));
    numbered || named || line.text.starts_with('>')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::parser::numbers::Notation;
    use crate::progress::parser::page::Page;
    use crate::progress::parser::screen::Screen;

    type Numbers = (Option<f64>, Option<f64>, Option<f64>, Option<f64>);

    fn row(text: &str) -> Row {
        let screen = Screen::of(text);
        let page = Page::of(&screen, Notation::default());
        Row::of(&page.lines[0]).unwrap_or_default()
    }

    #[test]
    fn numbers_find_their_verdicts_in_any_order() {
        let some = |n: u32| Some(f64::from(n));
        let cases: &[(&str, Numbers)] = &[
            (
                "2 failed, 1 skipped, 61 passed, 64 total",
                (some(61), some(2), some(1), some(64)),
            ),
            (
                "Failed: 1, Passed: 119, Skipped: 2, Total: 122",
                (some(119), some(1), some(2), some(122)),
            ),
            (
                "45 examples, 2 failures, 1 pending",
                (None, some(2), some(1), some(45)),
            ),
            (
                "Tests run: 45, Failures: 1, Errors: 1, Skipped: 2",
                (None, some(2), some(2), some(45)),
            ),
            (
                "** TESTS=5 PASS=4 FAIL=1 SKIP=0   812.00",
                (some(4), some(1), some(0), some(5)),
            ),
            (
                "Cases: 12  Tried: 12  Errors: 0  Failures: 1",
                (None, some(1), None, some(12)),
            ),
            (
                "5 success(es) 1 failure(s) 0 error(s) 6 test(s) run",
                (some(5), some(1), None, some(6)),
            ),
            ("2/17 failed (1m 04s)", (None, some(2), None, some(17))),
            (
                "FAILED: 1 of 12 unit tests has failed.",
                (None, some(1), None, some(12)),
            ),
            (
                "96% tests passed, 2 tests failed out of 57",
                (None, some(2), None, some(57)),
            ),
            ("12 tests, no failures", (None, some(0), None, some(12))),
            ("Expected Fail: 3", (None, None, some(3), None)),
            ("Unexpected Success: 1", (None, some(1), None, None)),
            (
                "48 tests run: 48 passed (1 flaky), 3 skipped",
                (some(48), None, some(3), some(48)),
            ),
            (
                "Tests  2 failed | 58 passed | 1 skipped (61)",
                (some(58), some(2), some(1), some(61)),
            ),
            (
                "12 scenarios (1 failed, 11 passed)",
                (some(11), some(1), None, some(12)),
            ),
            (
                "[  FAILED  ] 2 tests, listed below:",
                (None, some(2), None, None),
            ),
            (
                "All tests passed (120 assertions in 45 test cases)",
                (None, None, None, some(45)),
            ),
        ];
        for (text, want) in cases {
            let row = row(text);
            assert_eq!(
                (row.passed, row.failed, row.skipped, row.total),
                *want,
                "{text}: {row:?}"
            );
        }
    }

    #[test]
    fn verdicts_of_other_things_are_told_apart() {
        for text in [
            "Test Suites: 1 failed, 7 passed, 8 total",
            "steps: 120 | 118 passed | 2 failed",
            "40 steps passed, 1 failed, 2 skipped",
            "12 successful, 0 failing, and 2 skipped checks",
            "Passed checks: 20, Failed checks: 3",
        ] {
            assert!(row(text).of_others, "{text}");
        }
        for text in [
            "12 examples, 40 assertions, 1 failure",
            "Ran 12 tests across 3 files",
        ] {
            assert!(!row(text).of_others, "{text}");
        }
    }
}
