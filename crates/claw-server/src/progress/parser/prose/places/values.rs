//! Numbers with the form of a place which are settings, operands or measures.

use crate::progress::parser::counters::Counter;
use crate::progress::parser::prose::remark_after;
use crate::progress::parser::prose::verbs::is_plural;
use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::vocabulary::{is_not_work, is_thing};
use crate::progress::parser::words::listed;

/// A setting, an operand, a share of something: "limit 3/5", "= 3/5", "3/4 of".
pub(super) fn is_value(tokens: &[Token<'_>], place: &Counter) -> bool {
    let before = place.first.checked_sub(1).and_then(|at| tokens.get(at));
    let after = tokens.get(place.after);
    before.is_some_and(|t| {
        matches!(t.kind, Kind::Sign('=' | '*' | '+' | '~' | '$' | '@' | '×'))
            || (t.is_word() && is_not_work(&t.low))
    }) || after.is_some_and(|t| {
        matches!(t.kind, Kind::Sign('=' | '*' | '+' | '×'))
            // "I replaced 1/2 by 0.5"
            || (place.stroke && matches!(t.low.as_str(), "by" | "with" | "to" | "as" | "durch" | "par" | "por"))
    })
        || names_a_measure(&tokens[place.after..remark_after(tokens, place.after)])
}

/// "of 16 GB in use", "12 of 40 seats": what is counted is not worked on.
fn names_a_measure(rest: &[Token<'_>]) -> bool {
    let reason = |t: &Token<'_>| listed!(&t.low, "because since when after with due while");
    let clause = rest.iter().take_while(|t| !t.is_sign(',') && !reason(t));
    let named: Vec<&str> = clause
        .filter(|t| t.is_word())
        .map(|t| t.low.as_str())
        .take(4)
        .collect();
    named.iter().take(3).enumerate().any(|(at, word)| {
        let before = at.checked_sub(1).and_then(|at| named.get(at));
        // "23 of 23 prefabs now use it"
        let verb = *word == "use" && before.is_some_and(|before| *before != "in");
        // "14 of 32 stored procedures"
        let of_things =
            word.ends_with("ed") && named.get(at + 1).is_some_and(|next| is_plural(next));
        is_not_work(word) && !is_thing(word) && !is_person(word) && !verb && !of_things
    })
}

/// People who have records: what they do is judged by the verb.
fn is_person(word: &str) -> bool {
    listed!(
        word,
        "users customers kunden nutzer benutzer clients utilisateurs usuarios utenti"
    )
}
