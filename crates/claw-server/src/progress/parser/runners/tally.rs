//! Counts with a result: "3 failed, 5 passed".

use crate::progress::parser::form::{Pattern, number};

/// The number of tests for each result.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Tally {
    pub(super) total: Option<f64>,
    pub(super) done: Option<f64>,
    pub(super) passed: f64,
    pub(super) failed: f64,
    pub(super) skipped: f64,
    /// A result has two different numbers.
    pub(super) is_doubled: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counts {
    Passed,
    Failed,
    Skipped,
    Total,
}

/// The field that a word for a result or a total refers to.
fn counts(word: &str) -> Option<Counts> {
    Some(match word.to_lowercase().as_str() {
        "passed" | "passing" | "passes" | "pass" | "succeeded" | "successful" | "success"
        | "successes" | "flaky" | "xpassed" | "ok" => Counts::Passed,
        "failed" | "failing" | "failures" | "failure" | "fail" | "fails" | "errors" | "error"
        | "cancelled" | "unexpected pass" | "timeout" | "aborted" => Counts::Failed,
        "undefined" | "skipped" | "skips" | "skip" | "ignored" | "pending" | "todo" | "todos"
        | "xfailed" | "xfail" | "expected fail" => Counts::Skipped,
        "found" | "total tests" | "total" | "tests" | "test" | "tests run" | "test cases"
        | "test case" | "examples" | "example" | "runs" | "run" | "specs" | "spec"
        | "scenarios" | "scenario" => Counts::Total,
        _ => return None,
    })
}

static WORD_PAIR: Pattern = Pattern::new(
    r"(?i){total} (?:(?:tests?|specs?) (?P<result>passed|failed|skipped|ignored|pass|fail|fails)\b|(?P<word>test cases?|[a-z]+))",
);
static KEY_PAIR: Pattern = Pattern::new(r"(?i)(?P<word>tests run|test cases|[a-z]+)[:=] *{total}");
/// One result on its own line.
static LONE: Pattern = Pattern::new(concat!(
    r"^\s*(?:{total} (?:tests? )?(?P<word>passing|pending|failing|passed|failed|flaky|skipped|pass|fail|skip|todo)(?: \([^)]*\))?$",
    r"|[ℹ#] (?P<key>tests|pass|fail|cancelled|skipped|todo) (?P<value>[0-9]+)$",
    r"|# (?P<upper>TOTAL|PASS|SKIP|XFAIL|FAIL|ERROR): +(?P<amount>[0-9]+)$",
    r"|\[ +(?P<count>[0-9]+) tests (?P<found>found|skipped|aborted|successful|failed) +\]$",
    r"|(?P<name>Total tests|Passed|Failed|Skipped|Ok|Fail|Expected Fail|Unexpected Pass|Timeout): +(?P<times>[0-9]+)\s*$)",
));
static FAILED: Pattern = Pattern::new(
    r"^\W*(?:FAILED\b|FAIL\b|Result: FAIL|[1-9][0-9]* fail|[1-9][0-9]* failures|{n} failures?, [1-9][0-9]* error)",
);
static PASSED: Pattern = Pattern::new(r"^\W*(?:OK\b|PASSED\b|Result: PASS|0 fail)");

impl Tally {
    /// "3 failed, 5 passed".
    pub(super) fn of_words(line: &str) -> Self {
        Self::of(&WORD_PAIR, line)
    }

    /// "Failures: 3, Skipped: 5".
    pub(super) fn of_keys(line: &str) -> Self {
        Self::of(&KEY_PAIR, line)
    }

    fn of(pair: &Pattern, line: &str) -> Self {
        let mut tally = Self::default();
        for captures in pair.all(line) {
            let word = captures.name("word").or(captures.name("result"));
            let word = word.map(|word| word.as_str());
            tally.add(word, number(&captures, "total"));
        }
        tally
    }

    fn add(&mut self, word: Option<&str>, number: Option<f64>) {
        let (Some(word), Some(number)) = (word, number) else {
            return;
        };
        let Some(counts) = counts(word) else { return };
        match counts {
            Counts::Passed => self.passed += number,
            Counts::Failed => self.failed += number,
            Counts::Skipped => self.skipped += number,
            Counts::Total => {
                self.is_doubled |= self.total.is_some_and(|total| total != number);
                self.total = Some(number);
            }
        }
    }

    /// The number of tests with a result.
    pub(super) fn sum(&self) -> f64 {
        self.passed + self.failed + self.skipped
    }
}

/// Results on consecutive lines, and the last of these lines.
pub(super) fn block(lines: &[&str]) -> Option<(usize, Tally)> {
    let mut tally = Tally::default();
    let mut words: Vec<String> = Vec::new();
    let mut last = None;
    for (index, line) in lines.iter().enumerate() {
        let Some(captures) = LONE.captures(line) else {
            continue;
        };
        let group = |names: [&str; 5]| names.into_iter().find_map(|name| captures.name(name));
        let word = group(["word", "key", "upper", "found", "name"])?
            .as_str()
            .to_lowercase();
        let number = group(["total", "value", "amount", "count", "times"])?.as_str();
        tally.is_doubled |= words.contains(&word);
        tally.add(Some(&word), number.replace(',', "").parse().ok());
        words.push(word);
        last = Some(index);
    }
    let is_told = words
        .iter()
        .any(|word| word.starts_with("pass") || word.starts_with("success") || word == "ok");
    Some((last?, tally)).filter(|_| is_told)
}

/// Whether the lines near a total report a failure; `None` if they report neither.
pub(super) fn has_failed(near: &[&str]) -> Option<bool> {
    let any = |pattern: &Pattern| near.iter().any(|line| pattern.matches(line));
    match (any(&FAILED), any(&PASSED)) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    }
}
