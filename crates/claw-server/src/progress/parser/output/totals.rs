//! "6 successful, 8 total", "1204 files 3.2 GiB, total 9011 files": a part, and the whole by its
//! name.

use crate::progress::parser::counters::Counter;
use crate::progress::parser::tokens::Token;
use crate::progress::parser::vocabulary::{is_over, is_thing, is_work_verb};

/// How many tokens may stand between the two numbers.
const APART: usize = 16;

pub(super) fn named_total(tokens: &[Token<'_>]) -> Option<Counter> {
    let total = tokens.iter().rposition(|t| t.low == "total")?;
    let behind = total.checked_sub(1).filter(|&at| is_number(tokens, at));
    // "8 total", and "total 9011 files"
    let (whole, unit) = match behind {
        Some(at) => (at, None),
        None if is_number(tokens, total + 1) => (total + 1, tokens.get(total + 2)),
        None => return None,
    };
    let first = (whole.saturating_sub(APART)..whole).find(|&at| {
        let what = tokens.get(at + 1).filter(|t| t.is_word());
        is_number(tokens, at)
            && what.is_some_and(|what| match unit {
                Some(unit) => unit.low == what.low && is_thing(&what.low),
                None => is_over(&what.low) || is_work_verb(&what.low),
            })
    })?;
    let (done, total) = (tokens[first].digits()?, tokens[whole].digits()?);
    let counter = Counter {
        done,
        total,
        first,
        after: whole + 1,
        stroke: false,
        size: false,
        unit: Some(first + 1),
    };
    let cells = tokens[first..whole].iter().any(|t| t.is_sign('|'));
    (done <= total && total >= 1.0 && !cells).then_some(counter)
}

/// "(104 + 8) / 200" in a bar: done, in hand, and all of them.
pub(super) fn with_those_in_hand(tokens: &[Token<'_>]) -> Option<Counter> {
    let signs = [(0, '('), (2, '+'), (4, ')'), (5, '/')];
    let fits = |seven: &[Token<'_>]| signs.iter().all(|&(at, sign)| seven[at].is_sign(sign));
    let first = tokens.windows(7).position(fits)?;
    let (done, total) = (tokens[first + 1].digits()?, tokens[first + 6].digits()?);
    let counter = Counter {
        done,
        total,
        first,
        after: first + 7,
        stroke: true,
        size: false,
        unit: None,
    };
    (done <= total && total >= 1.0).then_some(counter)
}

fn is_number(tokens: &[Token<'_>], at: usize) -> bool {
    tokens.get(at).is_some_and(|t| t.digits().is_some())
}
