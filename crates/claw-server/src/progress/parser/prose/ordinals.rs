//! "The second of three phases", "the third step of five", "the last of the 5 steps".

use super::told::{Told, told_of};
use super::verbs::{is_english, is_plural, stops};
use super::{is_own, remark_after, words};
use crate::progress::parser::numbers;
use crate::progress::parser::reading::{WORDED, label, update};
use crate::progress::parser::refusals;
use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::vocabulary::{
    is_failure, is_over, is_steps, is_thing, is_work_noun, is_work_verb,
};
use crate::progress::parser::words::listed;
use crate::progress::{ProgressKind, ProgressState, ProseProgress};

/// A place in a row of things.
struct Row {
    /// `None` is the last one.
    done: Option<f64>,
    total: f64,
    first: usize,
    after: usize,
    steps: bool,
    /// What is counted is known only by its form.
    strange: bool,
}

pub(super) fn read(tokens: &[Token<'_>], sentence: &str) -> Option<ProseProgress> {
    let row = (0..tokens.len()).rev().find_map(|at| row_at(tokens, at))?;
    let remark = remark_after(tokens, row.after);
    let head = &tokens[..remark];
    if refusals::is_elsewhere(head) {
        return None;
    }
    let lead = &tokens[..row.first];
    let clause = head[row.after.min(head.len())..]
        .iter()
        .position(|t| t.is_sign(','))
        .map_or(head.len(), |at| row.after + at);
    let told: Vec<&str> = words(&head[row.after.min(clause)..clause]).collect();
    let on_it = words(lead).any(|word| listed!(word, "i'm we're ich bin"))
        && words(lead).any(|word| listed!(word, "on at in doing bei"));
    // "The last of the 22 procedures is rewritten"
    let done_to_it = told_of(
        &head[row.after.min(clause)..clause],
        is_english(tokens),
        false,
    ) == Told::Done;
    // "Stopped after the third of six volumes"
    let stopped = stops(words(lead)) && words(lead).any(|word| listed!(word, "after at in on"));
    let over_with_it = words(lead).any(is_over);
    if row.strange && !on_it && !done_to_it && !stopped && !over_with_it {
        return None;
    }
    let plain = words(lead).all(|word| {
        is_own(word)
            || is_work_noun(word)
            || is_work_verb(word)
            || listed!(
                word,
                "the on in for was starting start beginning begin working onto into moving turning
                comes der die das ist beim la le il el"
            )
    });
    // Without a word that says it is worked on, it may be explained, praised or counted.
    let in_hand = words(lead).any(|word| {
        is_work_verb(word)
            || listed!(
                word,
                "now on at we're working starting start beginning onto i'm was that's through
                currently still jetzt nun"
            )
    });
    let begins = told.windows(2).any(|pair| matches!(pair, ["under", "way"]));
    let goes = told.iter().take(4).any(|word| {
        is_over(word)
            || is_failure(word)
            || listed!(
                *word,
                "underway running started starts begins began ran now läuft laufen"
            )
    });
    let alone = told.is_empty() && row.steps && row.after < tokens.len() && remark < tokens.len();
    let worked =
        in_hand && told.len() <= 4 || begins || goes || alone || done_to_it || over_with_it;
    if !(plain && worked || stopped) {
        return None;
    }
    let kind = if row.steps {
        ProgressKind::Step
    } else {
        ProgressKind::Count
    };
    let mut found = update(kind, WORDED);
    let done = row.done.unwrap_or(row.total);
    found.done = Some(done);
    found.total = Some(row.total);
    found.label = tokens
        .get(remark)
        .and_then(|t| label(&sentence[t.at..]))
        .or_else(|| label(&sentence[tokens[row.first].at..]));
    let over = done_to_it
        || over_with_it
        || told.iter().any(|word| is_over(word))
        || words(lead).any(|word| word == "was");
    found.state = if stopped || told.iter().any(|word| is_failure(word)) {
        ProgressState::Failed
    } else if over && done >= row.total {
        ProgressState::Finished
    } else {
        ProgressState::Running
    };
    Some(found)
}

/// "second of three phases", "2nd of 3 phases", "second phase of three".
fn row_at(tokens: &[Token<'_>], first: usize) -> Option<Row> {
    let (done, mut at) = ordinal_at(tokens, first)?;
    let named = |at: usize| {
        let unit = tokens.get(at).filter(|t| t.is_word())?;
        let steps = is_steps(&unit.low);
        let strange = !steps && !is_thing(&unit.low);
        (!strange || is_plural(&unit.low)).then_some((steps, strange))
    };
    let before = named(at);
    at += usize::from(before.is_some());
    if tokens.get(at)?.low == "out" {
        at += 1;
    }
    if !matches!(
        tokens.get(at)?.low.as_str(),
        "of" | "von" | "der" | "sur" | "de"
    ) {
        return None;
    }
    at += 1;
    while listed!(&tokens.get(at)?.low, "the all these my our den total") {
        at += 1;
    }
    let total_at = at;
    let total = tokens.get(at)?.number()?;
    at += 1;
    // "the 22 stored procedures"
    let named_after = named(at).or_else(|| {
        at += 1;
        named(at)
    });
    let after = named_after;
    // "Second of six: the middleware"
    let colon = tokens.get(total_at + 1).is_some_and(|t| t.is_sign(':'));
    let (steps, strange) = before.or(after).or(colon.then_some((true, false)))?;
    if before.is_none() && after.is_none() {
        at = total_at + 1;
    }
    at += usize::from(after.is_some() && before.is_none());
    let fits = total.fract() == 0.0 && total >= 2.0 && done.is_none_or(|done| done <= total);
    fits.then_some(Row {
        done,
        total,
        first,
        after: at,
        steps,
        strange,
    })
}

/// The number that an ordinal means, and the token after it.
fn ordinal_at(tokens: &[Token<'_>], at: usize) -> Option<(Option<f64>, usize)> {
    let token = &tokens[at];
    if let Kind::Number(number) = token.kind {
        let ending = tokens.get(at + 1).filter(|t| !t.spaced)?;
        return matches!(ending.low.as_str(), "st" | "nd" | "rd" | "th")
            .then_some((Some(number), at + 2));
    }
    if listed!(
        &token.low,
        "last final letzte letzten dernière dernier última último"
    ) {
        return Some((None, at + 1));
    }
    Some((Some(numbers::ordinal(&token.low)?), at + 1))
}
