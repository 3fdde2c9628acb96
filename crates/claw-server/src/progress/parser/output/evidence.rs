//! What besides a number tells that a line is about work.

use crate::progress::parser::counters::counters;
use crate::progress::parser::page::PageLine;
use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::vocabulary::{
    is_not_work, is_printed_noun, is_step, is_work_verb, opens_work,
};
use crate::progress::parser::words::listed;

/// What stands in quotation marks is a name or a value.
pub(super) fn in_quotes(tokens: &[Token<'_>], at: usize) -> bool {
    let marks = |sign: char| tokens[..at].iter().filter(|t| t.is_sign(sign)).count();
    marks('"') % 2 == 1 || marks('`') % 2 == 1
}

/// What besides the number tells that a line is about work.
pub(super) struct Evidence {
    /// A bar is drawn.
    pub(super) bar: bool,
    /// A rate or a time that is left.
    pub(super) rate: bool,
    /// One of the first words opens a report of work.
    pub(super) opened: bool,
    /// A word says that this is not work.
    pub(super) refused: bool,
}

impl Evidence {
    pub(super) fn of(line: &PageLine<'_>, from: usize) -> Self {
        let tokens = &line.tokens;
        let words = tokens[from.min(tokens.len())..]
            .iter()
            .filter(|t| t.is_word());
        let opened = words
            .clone()
            .take(3)
            .any(|t| opens_work(&t.low) || is_printed_noun(&t.low));
        let waits = words.clone().next().is_some_and(|t| t.low == "waiting");
        let dev = line.text.contains("/dev/");
        // A second try is no second step; what is tried again may be one: "part 7/31, retry 1/3".
        let place = counters(tokens).into_iter().next();
        let around = place.map_or(tokens.len(), |place| tokens.len().min(place.after + 1));
        let again = tokens[..around].iter().any(tries_again);
        let tried = tokens[around..].iter().position(tries_again);
        let told = &tokens[..tried.map_or(tokens.len(), |at| around + at)];
        let earlier = words
            .clone()
            .next()
            .is_some_and(|t| matches!(t.low.as_str(), "last" | "previous" | "earlier" | "old"));
        let earlier = earlier
            || tokens.windows(2).any(|pair| {
                matches!(pair[0].low.as_str(), "last" | "this")
                    && matches!(
                        pair[1].low.as_str(),
                        "night" | "week" | "month" | "sprint" | "year"
                    )
            });
        Self {
            bar: has_bar(line.text),
            rate: has_rate(tokens),
            opened: opened || waits,
            refused: dev || again || earlier || (!waits && is_refused(first_sentence(told))),
        }
    }
}

/// "Scanned 12/12 files. Threats found: 0", "frame 118 / 240 (Mem: 412M)": what else is said is not
/// about the number.
fn first_sentence<'a, 'b>(tokens: &'a [Token<'b>]) -> &'a [Token<'b>] {
    let ends = |three: &[Token<'_>]| {
        let said = three[0].is_word() || three[0].digits().is_some();
        said && three[1].is_sign('.') && !three[1].spaced && three[2].spaced
    };
    let notes = |three: &[Token<'_>]| {
        three[0].is_sign('(') && three[1].is_word() && three[2].is_sign(':') && three[0].at > 0
    };
    let mut threes = tokens.windows(3);
    let end = threes.position(|three| ends(three) || notes(three));
    &tokens[..end.map_or(tokens.len(), |at| at + 1)]
}

/// A word of the line says that what is counted is not work.
pub(super) fn is_refused(tokens: &[Token<'_>]) -> bool {
    tokens.iter().enumerate().any(|(at, token)| {
        if !token.is_word() || !is_not_work(&token.low) {
            return false;
        }
        // What is generated or loaded can be pages, users or results; "12s left" is a time.
        let time = matches!(token.low.as_str(), "left" | "remaining" | "elapsed")
            && (has_rate(tokens)
                || at
                    .checked_sub(1)
                    .and_then(|at| tokens.get(at))
                    .is_some_and(|t| {
                        t.kind == Kind::Opaque
                            || listed!(&t.low, "s m h min seconds minutes time file eta")
                    })
                || is_rest(tokens, at)
                || time_follows(&tokens[at + 1..]));
        // "Rate: 3.1M/s" is a speed.
        let time = time || (token.low == "rate" && has_rate(tokens));
        let made = listed!(
            &token.low,
            "pages page users results cache token tokens problems question questions
            customers load duplicates connections versions packets branches matches
            threads memory missing volume available version"
        ) && (tokens[..at]
            .iter()
            .any(|t| t.is_word() && (is_work_verb(&t.low) || t.low.ends_with("ing")))
            // "12 of 80 pages built"
            || tokens.get(at + 1).is_some_and(|t| listed!(&t.low, "built rendered generated crawled fetched")));
        let metric = matches!(
            token.low.as_str(),
            "loss" | "accuracy" | "precision" | "recall" | "rate" | "gpu" | "mem"
        ) && (tokens.iter().take(4).any(|t| is_step(&t.low))
            || tokens
                .iter()
                .any(|t| t.text.ends_with("/step") || t.text == "step"));
        !(time || made || metric)
    })
}

/// `0411;17/20;9/10`: a value among others.
pub(super) fn is_cell(before: &[Token<'_>], rest: &[Token<'_>]) -> bool {
    let behind = rest.first().is_some_and(|t| t.is_sign(';'));
    let glued = rest.get(1).is_some_and(|t| !t.spaced);
    (behind && glued) || before.last().is_some_and(|t| t.is_sign(';'))
}

/// The word right beside a counter that moves says that it is still no work: "attempt 2/5",
/// "page 3/12", and not "3/12 pages written".
pub(super) fn unit_is_not_work(head: &[Token<'_>], rest: &[Token<'_>]) -> bool {
    // What is loaded or saved is worked on.
    let other = |token: Option<&Token<'_>>| {
        token.is_some_and(|t| {
            is_not_work(&t.low) && !listed!(&t.low, "load saved stored cache cached volume level")
        })
    };
    let before = head.iter().rev().find(|t| t.is_word());
    // "fixture 3/3 users" has its unit in front.
    let after = rest.first().filter(|t| t.is_word() && before.is_none());
    let worked_on = rest.get(1).is_some_and(|t| is_work_verb(&t.low))
        || head.iter().any(|t| t.is_word() && is_work_verb(&t.low));
    head.iter().chain(rest).any(tries_again) || (!worked_on && (other(before) || other(after)))
}

/// "attempt 2 of 5", "poll 3/60": the same is done once more.
pub(super) fn tries_again(token: &Token<'_>) -> bool {
    listed!(
        &token.low,
        "attempt attempts retry retries retrying tries poll polls polling"
    )
}

/// "Indexed 12/40, 28 remaining": what is left of what is counted.
fn is_rest(tokens: &[Token<'_>], at: usize) -> bool {
    let left = at.checked_sub(1).and_then(|at| tokens[at].digits());
    let places = counters(&tokens[..at]);
    places
        .iter()
        .any(|place| left == Some(place.total - place.done))
}

/// ": ~1m", "0:00:12"
fn time_follows(tokens: &[Token<'_>]) -> bool {
    let Some(at) = tokens
        .iter()
        .take(3)
        .position(|t| t.digits().is_some() || t.kind == Kind::Opaque)
    else {
        return false;
    };
    let unit = tokens.get(at + 1);
    tokens[at].text.contains(':')
        || unit.is_some_and(|t| matches!(t.low.as_str(), "s" | "m" | "h" | "min" | "sec"))
}

pub(super) fn has_bar(text: &str) -> bool {
    if text.chars().any(|c| {
        matches!(
            c,
            '█' | '▓'
                | '▌'
                | '▊'
                | '▉'
                | '▋'
                | '▍'
                | '▎'
                | '▏'
                | '━'
                | '╸'
                | '╺'
                | '■'
                | '▰'
                | '▱'
                | '⣿'
        )
    }) {
        return true;
    }
    let mut run = 0;
    let mut before = ' ';
    for c in text.chars() {
        run = if c == before { run + 1 } else { 1 };
        before = c;
        if run >= 3 && matches!(c, '#' | '=') {
            return true;
        }
    }
    text.contains("[>")
        || text.contains("=>") && text.contains('[')
        || text.find("[#").is_some_and(|at| {
            // "[#156]" is the number of an issue.
            !text[at + 2..].starts_with(|c: char| c.is_alphanumeric())
        })
        || text.contains("[=")
        || text.contains("[-----")
        || text.contains(">---")
}

/// `12.3MB/s`, `36.10it/s`, `ETA 0:12`.
pub(super) fn has_rate(tokens: &[Token<'_>]) -> bool {
    tokens.windows(3).any(|three| {
        three[0].is_word()
            && three[1].is_sign('/')
            && matches!(three[2].low.as_str(), "s" | "sec" | "second")
    }) || tokens.iter().any(|t| {
        t.low == "eta"
            || (t.kind == Kind::Opaque
                && ["/s", "/sec", "/min", "bps"]
                    .iter()
                    .any(|end| t.text.ends_with(end)))
    })
}
