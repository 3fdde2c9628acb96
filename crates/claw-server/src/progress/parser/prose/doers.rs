//! Who does what is counted.

use super::is_own;
use super::verbs::{finds, is_done_elsewhere, is_worker, opens_doing};
use crate::progress::parser::vocabulary::is_over;
use crate::progress::parser::words::{Words, listed};

/// Who does what is counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Doer {
    Speaker,
    /// A job, or a program.
    Worker,
    /// Nobody is named: "Redrew 4 of 9", "4 of 9 were redrawn".
    Nobody,
    /// Things have, people do.
    Other,
}

pub(super) static SPEAKERS: Words = Words::new(
    "i i've i'm we we've we're my me ich wir j'ai je j'en nous he hemos llevo llevamos ho
    abbiamo eu já tenho ik я мы jag jeg",
);

/// What may stand before or behind the number without telling anything about the things.
pub(super) fn is_filler(word: &str) -> bool {
    is_own(word)
        || word.ends_with("ly")
        || listed!(
            word,
            "which damit maybe perhaps wurde wurden werden war waren ont été sont está están han sido foram estão stati stata the a an of its der die das den les la le el los las il os as first about all alle
            первые van van's hm oh yes no well alright right finally halfway half way there
            overall altogether total in to on for my our these those"
        )
}

/// Judged by what stands before the number in its clause.
pub(super) fn doer(lead: &[&str]) -> Doer {
    if lead.iter().any(|word| SPEAKERS.has(word)) {
        return Doer::Speaker;
    }
    if lead
        .iter()
        .any(|word| listed!(word, "your you you've deine dein votre vos tu su sus"))
    {
        return Doer::Other;
    }
    let mut content = lead.iter().filter(|word| !is_filler(word)).peekable();
    let Some(first) = content.peek() else {
        return Doer::Nobody;
    };
    let went = matches!(lead, [.., "went" | "got", "through"]);
    if went || opens_doing(first) || is_over(first) || is_done_elsewhere(first) {
        return Doer::Nobody;
    }
    if content.any(|word| is_worker(word)) {
        return Doer::Worker;
    }
    let placed = lead.first().is_some_and(|word| {
        listed!(
            *word,
            "in on for with within during after under across since among bei nach mit dans pour en"
        )
    });
    if placed
        && !lead
            .iter()
            .any(|word| finds(word) || listed!(word, "has have had is are was were"))
    {
        return Doer::Nobody;
    }
    Doer::Other
}
