//! What stands in front of what a line says: bullets, clocks, levels, the name of who prints it.

use super::updates::is_test;
use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::vocabulary::{is_printed_noun, is_step, opens_work};
use crate::progress::parser::words::listed;

/// The first token that belongs to what the line says.
pub(super) fn after_decoration(tokens: &[Token<'_>]) -> usize {
    let mut at = 0;
    // Behind a clock or a level a name may be any word.
    let mut stamped = false;
    while let Some(token) = tokens.get(at) {
        let rest = &tokens[at..];
        if let Some(length) = boxed_name(rest) {
            // "[download]  45.3%" names the work; "[INFO]" does not.
            if is_printed_noun(&rest[1].low) || opens_work(&rest[1].low) {
                break;
            }
            stamped |= is_level(&rest[1]);
            at += length;
        } else if let Some(length) = stamp(rest) {
            stamped = true;
            at += length;
        } else if let Some(length) = printer(rest, stamped) {
            at += length;
        } else {
            match token.kind {
                Kind::Sign('[' | '(' | '<' | '%') => break,
                Kind::Sign(_) => at += 1,
                _ => break,
            }
        }
    }
    at
}

/// `[worker-3]`, `[INFO]`, `[+]`, `[W 10:00:00]`
fn boxed_name(tokens: &[Token<'_>]) -> Option<usize> {
    let (open, rest) = tokens.split_first()?;
    let close = rest.iter().take(4).position(|t| t.is_sign(']'))?;
    let is_name = |t: &Token<'_>| t.is_word() || t.kind == Kind::Opaque || t.is_sign('+');
    let timed = rest[..close].iter().any(is_clock);
    let named = (close == 1 || timed) && rest[..close].iter().all(is_name);
    (open.is_sign('[') && named).then_some(close + 2)
}

fn is_clock(token: &Token<'_>) -> bool {
    token.kind == Kind::Opaque
        && token.text.starts_with(|c: char| c.is_ascii_digit())
        && token.text.contains([':', '-'])
}

/// `2025-03-11`, `14:22:01,004`, `24/05/18`, `11/15`, `INFO`, and `#6` of a step that runs beside others.
fn stamp(tokens: &[Token<'_>]) -> Option<usize> {
    let first = tokens.first()?;
    let numbered = first.is_sign('#')
        && tokens
            .get(1)
            .is_some_and(|t| t.digits().is_some() && !t.spaced)
        && tokens
            .get(2)
            .is_some_and(|t| t.is_sign('[') || t.digits().is_some());
    let date = tokens.get(..5).is_some_and(|date| {
        let number = |at: usize| date[at].digits().is_some();
        let stroke = |at: usize| date[at].is_sign('/');
        number(0) && stroke(1) && number(2) && stroke(3) && number(4)
    });
    // "11/15 09:20:11"
    let day = tokens.get(..4).is_some_and(|day| {
        let number = |at: usize| day[at].digits().is_some();
        number(0) && day[1].is_sign('/') && number(2) && day[3].text.contains(':')
    });
    match (is_clock(first) || is_level(first), numbered, date, day) {
        (true, ..) => Some(1),
        (_, true, ..) => Some(2),
        (_, _, true, _) => Some(5),
        (_, _, _, true) => Some(3),
        _ => None,
    }
}

fn is_level(token: &Token<'_>) -> bool {
    listed!(
        &token.low,
        "info debug notice remote warn warning trace verbose ℹ"
    )
}

/// `mirror.sh:`, `@kit/docs:`, `NOTE:`; behind a stamp also `importer:` and `gen.write`.
fn printer(tokens: &[Token<'_>], stamped: bool) -> Option<usize> {
    let name = tokens.first()?;
    let opaque = name.kind == Kind::Opaque;
    let tag =
        name.is_word() && name.text.len() > 2 && name.text.bytes().all(|b| b.is_ascii_uppercase());
    let names_work = is_printed_noun(&name.low) || opens_work(&name.low) || is_step(&name.low);
    if is_test(name) || names_work || !(opaque || tag || stamped && name.is_word()) {
        return None;
    }
    let colon = tokens.get(1).is_some_and(|t| t.is_sign(':') && !t.spaced);
    let words_follow = tokens.get(1).is_some_and(|t| t.spaced);
    match (colon, stamped && opaque && words_follow) {
        (true, _) => Some(2),
        (_, true) => Some(1),
        _ => None,
    }
}
