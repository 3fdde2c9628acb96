//! What is told of the things behind their number.

use super::is_own;
use super::verbs::{
    chooses, describes, finds, is_doing, is_done_elsewhere, is_past, is_plural, is_worker,
};
use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::vocabulary::{is_over, is_steps, is_thing, is_work_verb};
use crate::progress::parser::words::listed;

/// What is told of the things behind their number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Told {
    Done,
    /// "are documented": done to them or true of them.
    Described,
    Found,
    Nothing,
}

/// The first verb behind the number decides.
pub(super) fn told_of(rest: &[Token<'_>], english: bool, size: bool) -> Told {
    let mut are = false;
    let mut have = false;
    let mut been = false;
    let list = rest.iter().enumerate().filter(|(_, t)| t.is_word());
    for (at, token) in list.take(12) {
        let word = token.low.as_str();
        // A sign ends what belongs to the word.
        let next = rest
            .get(at + 1)
            .filter(|t| t.is_word() || t.kind == Kind::Opaque);
        let next = next.map(|t| t.low.as_str());
        if listed!(
            word,
            "because which who where when while since if than whose and but so to"
        ) {
            break;
        }
        // "3 of the agents you defined"
        if listed!(word, "you they he she") {
            return Told::Found;
        }
        if is_not(word) || finds(word) || chooses(word) || is_measure(word) && next != Some("of") {
            return Told::Found;
        }
        if word == "that" {
            // "3 of the 9 files that I have moved"
            continue;
        }
        are |= listed!(
            word,
            "are is sind ist sont est están está sono è estão zijn"
        );
        have |= listed!(word, "have has haben hat ont han hanno");
        if at == 0 && is_people(word) {
            return Told::Found;
        }
        // "12.3 of 45.6 MB are on the device"
        if are && size && listed!(word, "on in over across there through") {
            return Told::Done;
        }
        // "3 of 11 packages are on React 19"
        if are && listed!(word, "on off at auf") && next.is_some() {
            return Told::Described;
        }
        if word == "got" && next.is_some_and(|next| listed!(next, "a an the their its")) {
            return Told::Described;
        }
        been |= listed!(
            word,
            "been were was got get being wurden wurde werden été fueron foram"
        );
        let through = matches!(
            (word, next),
            ("went" | "gone", Some("through" | "well" | "fine"))
        );
        if is_over(word) || through || (matches!(word, "in" | "durch") && next.is_none() && are) {
            return Told::Done;
        }
        let known = is_work_verb(word);
        // German writes nouns with capitals, and many end like participles.
        let small = token.text.starts_with(char::is_lowercase);
        let past = if english {
            is_past(word)
        } else {
            known || is_doing(word) || small && is_done_elsewhere(word)
        };
        if !past {
            continue;
        }
        // "converted files", "failing tests": said of the things before their verb.
        let of_things = !are
            && !have
            && !been
            && next.is_some_and(|next| is_thing(next) || is_steps(next) || is_plural(next));
        if of_things {
            continue;
        }
        if next == Some("by") && !by_me(&rest[at + 2..]) {
            return Told::Found;
        }
        if have && !been && next.is_some() && english {
            // "have added a field": the things do something.
            return Told::Found;
        }
        if been || !english && !describes(word) {
            return Told::Done;
        }
        if are {
            return if describes(word) || !known {
                Told::Described
            } else {
                Told::Done
            };
        }
        // "12 of 30 rows imported", "5 of 8 callers passed None"
        let closes = next.is_none_or(|next| {
            is_own(next)
                || moves(next)
                || next.ends_with("ly")
                || listed!(
                    next,
                    "to on in into from onto with for by as under over via without again"
                )
        });
        return if closes || (known && !describes(word)) {
            Told::Done
        } else {
            Told::Found
        };
    }
    Told::Nothing
}

/// "by hand", "by now", "by the script": nobody else.
fn by_me(agent: &[Token<'_>]) -> bool {
    let mut agent = agent.iter().filter(|t| t.is_word()).take(3);
    agent.any(|t| is_worker(&t.low) || listed!(&t.low, "hand now me us using default"))
}

/// What people do is their work.
fn is_people(word: &str) -> bool {
    listed!(
        word,
        "reviewers approvers maintainers people developers colleagues members authors engineers
        voters respondents participants students kids children teams"
    )
}

/// What is spent or tried, and not worked on.
fn is_measure(word: &str) -> bool {
    listed!(
        word,
        "times hours minutes days weeks months years seconds cases people stunden minuten tage heures jours horas"
    )
}

/// Words that tell that there is more to do, or that something has just changed.
pub(super) fn moves(word: &str) -> bool {
    listed!(
        word,
        "far already now next rest remaining halfway continuing continue bisher bislang finora rest schon jetzt weiter
        inzwischen déjà maintenant уже hasta ya ahora já agora già ora nu"
    )
}

/// A word that turns it round.
pub(super) fn is_not(word: &str) -> bool {
    listed!(
        word,
        "not nicht ne pas não niet не nie kein keine keinen aren't isn't weren't wasn't hasn't
        haven't no none neither never"
    )
}
