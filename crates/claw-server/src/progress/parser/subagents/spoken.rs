//! Agents that are not called so: by what they do, or as "the first three".

use super::words::{
    LINKS, brings_nothing, ends, fails, is_agent, is_other_agent, is_role, may_be_role,
};
use super::{clause_end, is_not_done_here, number_before, read, read_at, words_after};
use crate::progress::parser::counters::{Counter, counters};
use crate::progress::parser::reading::{MENTION, ended, update};
use crate::progress::parser::refusals;
use crate::progress::parser::tokens::Token;
use crate::progress::parser::words::listed;
use crate::progress::{ProgressKind, ProseProgress};

/// What a sentence says about sub-agents. Where the text has spoken of agents, they may be called
/// by what they do; elsewhere such a name needs somebody who reports back.
pub(in crate::progress::parser) fn said(
    tokens: &[Token<'_>],
    known: bool,
    sent: Option<f64>,
) -> Option<ProseProgress> {
    if let Some(found) = read(tokens) {
        // "I launched five agents, and all have ended"
        let only_sent = found.done.is_none() && found.total.is_some();
        let ended = only_sent
            .then(|| all_of_them(tokens, found.total))
            .flatten();
        return ended.or(Some(found));
    }
    if let Some(found) = shared_out(tokens) {
        return Some(found);
    }
    let named = |(at, t): (usize, &Token<'_>)| {
        t.is_word() && is_agent(&t.low) && !is_other_agent(tokens, at)
    };
    let known = known || tokens.iter().enumerate().any(named);
    let launched = launches(tokens);
    let role = |t: &Token<'_>| t.is_word() && (is_role(&t.low) || launched && may_be_role(&t.low));
    if let Some(at) = tokens.iter().position(role) {
        let pairs = || words_after(tokens, at).zip(words_after(tokens, at).skip(1));
        let reports =
            pairs().any(|pair| matches!(pair, ("reported" | "came" | "are" | "is", "back")));
        let found = (known || reports || launched)
            .then(|| read_at(tokens, at))
            .flatten();
        if found.is_some() {
            return found;
        }
    }
    let named = launched && tokens.iter().any(role);
    (known || named)
        .then(|| all_of_them(tokens, sent).or_else(|| of_them(tokens)))
        .flatten()
}

/// Something is sent off to work on its own.
fn launches(tokens: &[Token<'_>]) -> bool {
    let out = |pair: &[Token<'_>]| {
        matches!(pair[0].low.as_str(), "sent" | "sending" | "send") && pair[1].low == "out"
    };
    tokens.iter().any(|t| {
        listed!(
            &t.low,
            "launched launch launching spawned spawn spawning dispatched dispatch dispatching"
        )
    }) || tokens.windows(2).any(out)
}

/// "All four have ended", "both are back", "all are back" where so many were sent.
fn all_of_them(tokens: &[Token<'_>], sent: Option<f64>) -> Option<ProseProgress> {
    let all = tokens.iter().position(|t| {
        listed!(
            &t.low,
            "all alle tous toutes todos tutti both everyone everybody"
        )
    })?;
    if is_not_done_here(tokens, all, clause_end(tokens, all)) {
        return None;
    }
    let number = tokens[all]
        .number()
        .or_else(|| tokens.get(all + 1)?.number());
    // "All files are done" is said of something else.
    let bare = tokens
        .get(all + 1)
        .is_some_and(|t| LINKS.has(&t.low) || ends(&t.low));
    let number = number.or(sent.filter(|_| bare))?;
    let over = tokens[all + 1..].iter().filter(|t| t.is_word()).take(4);
    let mut found = update(ProgressKind::Subagent, MENTION);
    found.done = Some(number);
    found.total = Some(number);
    found.state = ended(any_failed(tokens));
    over.into_iter().any(|t| ends(&t.low)).then_some(found)
}

/// "Of the five agents I sent out, four have reported and one crashed".
fn shared_out(tokens: &[Token<'_>]) -> Option<ProseProgress> {
    let at = tokens
        .iter()
        .position(|t| t.is_word() && is_agent(&t.low))?;
    let total = number_before(tokens, at).filter(|&n| n > 1.0)?;
    let of = tokens[..at].iter().rev().take(5).any(|t| t.low == "of");
    if !of || is_other_agent(tokens, at) || refusals::is_not_done_here(&tokens[..at]) {
        return None;
    }
    let ended_ones = tokens[at..].iter().enumerate().filter_map(|(from, t)| {
        let number = t.number()?;
        let mut verbs = tokens[at + from + 1..].iter().take(3);
        verbs
            .any(|t| ends(&t.low) || fails(&t.low))
            .then_some(number)
    });
    let done: f64 = ended_ones.sum();
    let mut found = update(ProgressKind::Subagent, MENTION);
    found.done = Some(done);
    found.total = Some(total);
    if done >= total {
        found.state = ended(any_failed(&tokens[at..]));
    }
    (done > 0.0 && done <= total).then_some(found)
}

fn any_failed(tokens: &[Token<'_>]) -> bool {
    tokens
        .iter()
        .any(|t| fails(&t.low) || brings_nothing(&t.low))
}

/// "3 of 6 are back", where agents were spoken of.
fn of_them(tokens: &[Token<'_>]) -> Option<ProseProgress> {
    let but = tokens.iter().position(|t| t.low == "but");
    if refusals::is_not_done_here(&tokens[..but.unwrap_or(tokens.len())]) {
        return None;
    }
    // "3 of 5 questions" counts something else.
    let bare = |place: &Counter| {
        tokens
            .get(place.after)
            .is_none_or(|t| !t.is_word() || LINKS.has(&t.low))
    };
    let place = counters(tokens).into_iter().find(bare)?;
    let mut found = update(ProgressKind::Subagent, MENTION);
    found.done = Some(place.done);
    found.total = Some(place.total);
    if place.done >= place.total {
        found.state = ended(any_failed(tokens));
    }
    tokens.iter().any(|t| ends(&t.low)).then_some(found)
}
