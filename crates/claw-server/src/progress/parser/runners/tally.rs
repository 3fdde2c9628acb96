//! "2 failed, 1 skipped, 61 passed", "Failed: 1, Passed: 119": verdicts with their numbers.

use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::words::listed;

/// How many of each verdict a line names.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::progress::parser) struct Tally {
    pub(in crate::progress::parser) passed: Option<f64>,
    pub(in crate::progress::parser) failed: Option<f64>,
    pub(in crate::progress::parser) skipped: Option<f64>,
    /// The number that the runner itself calls the total, or its number of tests.
    pub(in crate::progress::parser) total: Option<f64>,
}

enum Verdict {
    Passed,
    Failed,
    Skipped,
    Total,
}

fn verdict(word: &str) -> Option<Verdict> {
    Some(match word {
        "passed" | "passing" | "pass" | "passes" | "ok" | "succeeded" | "success" | "successes"
        | "successful" | "flaky" | "green" | "bestanden" => Verdict::Passed,
        "failed" | "failing" | "fail" | "fails" | "failure" | "failures" | "error" | "errors"
        | "errored" | "broken" | "aborted" | "canceled" | "cancelled" | "crashed" | "timedout"
        | "timed" | "red" | "fehlgeschlagen" => Verdict::Failed,
        "skipped" | "skip" | "skips" | "ignored" | "pending" | "pendings" | "todo" | "disabled"
        | "xfailed" | "xpassed" | "inconclusive" | "incomplete" | "omitted" | "omissions"
        | "undefined" | "excluded" | "übersprungen" => Verdict::Skipped,
        "total" | "tests" | "test" | "specs" | "spec" | "examples" | "example" | "runs"
        | "scenarios" | "scenario" | "testcases" | "doctests" | "doctest" | "properties"
        | "property" => Verdict::Total,
        _ => return None,
    })
}

impl Tally {
    /// What a line says. Numbers come before their verdicts or after them, in one line always in
    /// the same way.
    pub(in crate::progress::parser) fn of(tokens: &[Token<'_>]) -> Self {
        let mut tally = Self::default();
        let colon = |at: usize| {
            tokens
                .get(at)
                .is_some_and(|t| matches!(t.kind, Kind::Sign(':' | '=')))
        };
        let colons = tokens.iter().enumerate().any(|(at, t)| {
            t.is_word()
                && verdict(&t.low).is_some()
                && colon(at + 1)
                && tokens.get(at + 2).is_some_and(|t| t.digits().is_some())
                && tokens
                    .get(at + 3)
                    .is_none_or(|t| !t.is_word() || t.low == "s" || t.low == "ms")
        });
        // A number with its verdict right behind it, or with the tests between.
        let number_first = !colons
            && tokens.iter().enumerate().any(|(at, t)| {
                let verdict_at = |at: usize| {
                    tokens
                        .get(at)
                        .is_some_and(|t| t.is_word() && verdict(&t.low).is_some())
                };
                t.digits().is_some() && verdict_at(at + 1)
            });
        let mut at = 0;
        while at < tokens.len() {
            if number_first {
                if let Some(number) = tokens[at].digits() {
                    at = tally.number_first(tokens, at, number);
                    continue;
                }
            } else if tokens[at].is_word()
                && let Some(kind) = verdict(&tokens[at].low)
            {
                let mut next = at + 1;
                while colon(next)
                    || tokens.get(next).is_some_and(|t| {
                        t.is_word() && matches!(t.low.as_str(), "tests" | "run" | "of")
                    })
                {
                    next += 1;
                }
                if let Some(number) = tokens.get(next).and_then(Token::digits) {
                    tally.put(kind, number);
                    at = next + 1;
                    continue;
                }
            }
            at += 1;
        }
        tally
    }

    /// Reads "2 failed", "2 tests failed", "45 examples".
    fn number_first(&mut self, tokens: &[Token<'_>], at: usize, number: f64) -> usize {
        let mut found = None;
        let mut next = at + 1;
        while let Some(token) = tokens.get(next).filter(|t| t.is_word() && next <= at + 4) {
            match verdict(&token.low) {
                Some(Verdict::Total) if found.is_none() => found = Some(Verdict::Total),
                Some(Verdict::Total) => {}
                Some(kind) => {
                    found = Some(kind);
                    next += 1;
                    break;
                }
                None if listed!(
                    &token.low,
                    "cases case were have has been are expected unexpected"
                ) => {}
                None => break,
            }
            next += 1;
        }
        if let Some(kind) = found {
            self.put(kind, number);
        }
        next
    }

    fn put(&mut self, kind: Verdict, number: f64) {
        let place = match kind {
            Verdict::Passed => &mut self.passed,
            Verdict::Failed => &mut self.failed,
            Verdict::Skipped => &mut self.skipped,
            Verdict::Total => &mut self.total,
        };
        *place = Some(place.unwrap_or(0.0) + number);
    }

    /// Everything that has a verdict.
    pub(in crate::progress::parser) fn sum(&self) -> f64 {
        [self.passed, self.failed, self.skipped]
            .iter()
            .flatten()
            .sum()
    }

    /// How many kinds of verdicts are named.
    pub(in crate::progress::parser) fn verdicts(&self) -> usize {
        [self.passed, self.failed, self.skipped]
            .iter()
            .flatten()
            .count()
    }

    pub(in crate::progress::parser) fn any_failed(&self) -> bool {
        self.failed.is_some_and(|failed| failed > 0.0)
    }

    /// The runner's own total, else everything with a verdict.
    pub(in crate::progress::parser) fn whole(&self) -> f64 {
        self.total.unwrap_or_else(|| self.sum()).max(self.sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::parser::numbers::Notation;
    use crate::progress::parser::tokens::tokens;

    #[test]
    fn numbers_find_their_verdicts() {
        for (line, want) in [
            (
                "2 failed, 1 skipped, 61 passed, 64 total",
                (Some(61.0), Some(2.0), Some(1.0), Some(64.0)),
            ),
            (
                "Failed: 1, Passed: 119, Skipped: 2, Total: 122",
                (Some(119.0), Some(1.0), Some(2.0), Some(122.0)),
            ),
            (
                "45 examples, 2 failures, 1 pending",
                (None, Some(2.0), Some(1.0), Some(45.0)),
            ),
            (
                "34 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out",
                (Some(34.0), Some(0.0), Some(0.0), None),
            ),
            (
                "Tests: succeeded 45, failed 1, canceled 0, ignored 2, pending 0",
                (Some(45.0), Some(1.0), Some(2.0), None),
            ),
            (
                "Tests run: 45, Failures: 1, Errors: 1, Skipped: 2",
                (None, Some(2.0), Some(2.0), Some(45.0)),
            ),
            (
                "45 tests passed, 1 test failed",
                (Some(45.0), Some(1.0), None, None),
            ),
        ] {
            let tally = Tally::of(&tokens(line, Notation::default()));
            assert_eq!(
                (tally.passed, tally.failed, tally.skipped, tally.total),
                want,
                "{line}"
            );
        }
    }
}
