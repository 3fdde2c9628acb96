//! Agents that are not called so: by what they do, or as "the first three".

use super::words::{LINKS, brings_nothing, ends, fails, is_agent, is_role, may_be_role};
use super::{read, read_at, words_after};
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
) -> Option<ProseProgress> {
    if let Some(found) = read(tokens) {
        return Some(found);
    }
    let known = known || tokens.iter().any(|t| t.is_word() && is_agent(&t.low));
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
    (known || named).then(|| of_them(tokens)).flatten()
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

/// "3 of 6 are back", "all four have ended", where agents were spoken of.
fn of_them(tokens: &[Token<'_>]) -> Option<ProseProgress> {
    let but = tokens.iter().position(|t| t.low == "but");
    if refusals::is_not_done_here(&tokens[..but.unwrap_or(tokens.len())]) {
        return None;
    }
    let mut found = update(ProgressKind::Subagent, MENTION);
    let over = |from: usize| {
        tokens[from..]
            .iter()
            .filter(|t| t.is_word())
            .take(4)
            .any(|t| ends(&t.low))
    };
    let failed = tokens
        .iter()
        .any(|t| fails(&t.low) || brings_nothing(&t.low));
    // "3 of 5 questions" counts something else.
    let bare = |place: &Counter| {
        tokens
            .get(place.after)
            .is_none_or(|t| !t.is_word() || LINKS.has(&t.low))
    };
    if let Some(place) = counters(tokens).into_iter().find(bare) {
        found.done = Some(place.done);
        found.total = Some(place.total);
        if place.done >= place.total {
            found.state = ended(failed);
        }
        return tokens.iter().any(|t| ends(&t.low)).then_some(found);
    }
    let all = tokens.windows(2).position(|pair| {
        listed!(&pair[0].low, "all alle tous todos tutti") && pair[1].number().is_some()
            || pair[0].low == "both"
    })?;
    let number = tokens[all].number().or_else(|| tokens[all + 1].number());
    found.done = number;
    found.total = number;
    found.state = ended(failed);
    over(all + 1).then_some(found)
}
