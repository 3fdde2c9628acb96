//! "I've redrawn 12 of 30 icons", "12 of 30 icons were redrawn", "All 30 icons are redrawn".
//!
//! Who does it and what the verb tells decide: something that the speaker or a program did to
//! some of the things is progress; what some of the things are or have is a finding.

use crate::progress::parser::counters::Counter;
use crate::progress::parser::prose::scene::Scene;
use crate::progress::parser::prose::verbs::{
    chooses, describes, finds, is_doing, is_done_elsewhere, is_english, is_plural, is_worker,
    opens_doing, stops,
};
use crate::progress::parser::prose::{clause_end, clause_start, is_own, remark_after, words};
use crate::progress::parser::reading::{WORDED, ended, label, update};
use crate::progress::parser::refusals;
use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::vocabulary::{is_failure, is_over, is_steps, is_thing, is_work_verb};
use crate::progress::parser::words::{Words, listed};
use crate::progress::{ProgressKind, ProgressState, ProseProgress};

/// Who does what is counted.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Doer {
    Speaker,
    /// A job, or a program.
    Worker,
    /// Nobody is named: "Redrew 4 of 9", "4 of 9 were redrawn".
    Nobody,
    /// Things have, people do.
    Other,
}

/// What is told of the things behind their number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::progress::parser::prose) enum Told {
    Done,
    /// "are documented": done to them or true of them.
    Described,
    Found,
    Nothing,
}

pub(super) static SPEAKERS: Words = Words::new(
    "i i've i'm we we've we're my me ich wir j'ai je j'en nous he hemos llevo llevamos ho
    abbiamo eu já tenho ik я мы jag jeg",
);

/// What may stand before or behind the number without telling anything about the things.
fn is_filler(word: &str) -> bool {
    is_own(word)
        || word.ends_with("ly")
        || listed!(
            word,
            "which damit maybe perhaps wurde wurden werden war waren ont été sont está están han sido foram estão stati stata the a an of its der die das den les la le el los las il os as first about all alle
            первые van van's hm oh yes no well alright right finally halfway half way there
            overall altogether total in to on for my our these those"
        )
}

/// Words that tell that there is more to do, or that something has just changed.
pub(in crate::progress::parser::prose) fn moves(word: &str) -> bool {
    listed!(
        word,
        "far already now next rest remaining halfway continuing continue bisher bislang finora rest schon jetzt weiter
        inzwischen déjà maintenant уже hasta ya ahora já agora già ora nu"
    )
}

/// What is so few is found, not done.
fn is_only(word: &str) -> bool {
    listed!(word, "only just nur seulement solo apenas только")
}

fn is_not(word: &str) -> bool {
    listed!(
        word,
        "not nicht ne pas não niet не nie kein keine keinen aren't isn't weren't wasn't hasn't
        haven't no none neither never"
    )
}

/// "I've updated 12 of 30 files", "12 of 30 files are done", "12 of 30 so far".
pub(super) fn worked(
    tokens: &[Token<'_>],
    place: &Counter,
    head: &[Token<'_>],
    scene: &Scene,
) -> Option<ProseProgress> {
    let said = &tokens[..place.first];
    let lead = &said[clause_start(said)..];
    let rest = &head[place.after.min(head.len())..];
    let stopped = is_stopping_place(said);
    // A share is not a place: "3/4 of the files", "3/4 des fichiers".
    let share = place.stroke
        && rest
            .first()
            .is_some_and(|t| listed!(&t.low, "of des der de dei delle dos das"));
    let one_of_them = tokens[place.first].low == "one" && !counts_things(rest, place, tokens);
    // "In step 2 of 5 of the guide": which one it is was judged before.
    let numbered = said
        .last()
        .is_some_and(|t| is_thing(&t.low) || is_steps(&t.low));
    // "In January we had converted 12": that was before.
    let before = words(lead).any(|word| matches!(word, "had" | "hatte" | "hatten" | "avait"));
    let refused = numbered || before || words(said).any(finds) || words(lead).any(is_not);
    // "Ratio of passing tests: 3 of 4"
    let rated =
        words(said).any(|word| listed!(word, "ratio rate rates score share quota coverage"));
    if rated || share || one_of_them || (refused && !stopped) {
        return None;
    }
    if !(stopped || is_work(tokens, place, said, rest, scene)) {
        return None;
    }
    let step = words(rest).next().is_some_and(is_steps);
    let mut found = update(
        if step {
            ProgressKind::Step
        } else {
            ProgressKind::Count
        },
        WORDED,
    );
    found.done = Some(place.done);
    found.total = Some(place.total);
    let in_turn = said.last().is_some_and(|t| is_thing(&t.low));
    found.state = if stopped || words(tokens).any(is_failure) {
        ProgressState::Failed
    } else if place.done >= place.total && !in_turn {
        ProgressState::Finished
    } else {
        ProgressState::Running
    };
    Some(found)
}

fn is_work(
    tokens: &[Token<'_>],
    place: &Counter,
    said: &[Token<'_>],
    rest: &[Token<'_>],
    scene: &Scene,
) -> bool {
    let (before, lead) = said.split_at(clause_start(said));
    let english = is_english(tokens);
    let doing = |word: &str| is_doing(word) || (!english && is_done_elsewhere(word));
    let lead_words: Vec<&str> = words(lead).collect();
    // "18 of 25 scripts run on it now, the rest follows"
    let twice = words(tokens).filter(|word| moves(word)).count() >= 2;
    let sentence_moves =
        words(tokens).any(moves) || to_go(tokens) || scene.goes_on || scene.rest_follows;
    let told = told_of(rest, english, place.size);
    let every = place.done >= place.total;
    // "16 of 16 components use it now"
    if every && lead.is_empty() && words(rest).any(|word| word == "now") && !words(rest).any(is_not)
    {
        return true;
    }
    if told == Told::Found || lead_words.last() == Some(&"in") {
        return false;
    }
    if lead_words.iter().any(|word| chooses(word)) && !sentence_moves {
        return false;
    }
    if works_elsewhere(lead) || works_elsewhere(rest) {
        return true;
    }
    let things = counts_things(rest, place, tokens) || !english && !ends(rest);
    let verb = lead_words
        .iter()
        .rposition(|word| doing(word) || is_over(word));
    let near = verb.is_some_and(|verb| {
        lead_words.len() - verb <= 5
            && lead_words[verb + 1..].iter().all(|word| {
                is_filler(word)
                    || is_thing(word)
                    || listed!(
                        *word,
                        "through up off over down into with row on auf out at"
                    )
            })
    });
    let reached = lead_words
        .iter()
        .rfind(|word| !listed!(**word, "about roughly around now the etwa"))
        .is_some_and(|word| listed!(*word, "at reached through past bei à auf op"));
    match doer(&lead_words) {
        Doer::Other => false,
        Doer::Speaker => {
            (near && verb.is_some())
                || (has_done(&lead_words) && (things || ends(rest)))
                || able_to(&lead_words)
                || matches!(told, Told::Done | Told::Described)
                || (things
                    && lead_words
                        .last()
                        .is_some_and(|word| listed!(*word, "through past")))
                || (reached && words(rest).all(|word| is_own(word) || is_thing(word)) && things)
                || (reached
                    && words(rest).all(is_own)
                    && (sentence_moves || ends(rest) && !place.stroke))
        }
        Doer::Worker => {
            near || (reached && (things || ends(rest)))
                || (place.size && lead_words.last().is_some_and(|word| *word == "is"))
                || (told == Told::Done
                    && lead_words
                        .iter()
                        .all(|word| is_filler(word) || is_worker(word)))
        }
        Doer::Nobody if lead_words.iter().any(|word| is_only(word)) => false,
        Doer::Nobody => {
            let opens = lead_words.iter().find(|word| !is_filler(word));
            let opener =
                opens.is_some_and(|word| opens_doing(word) || is_over(word) || doing(word));
            let says = |all: &[&str]| lead_words.as_slice() == all;
            let sums = lead_words
                .iter()
                .any(|word| listed!(*word, "makes making brings bringing puts macht"));
            let makes =
                (sums || says(&["that's"]) || says(&["that", "is"])) && (ends(rest) || things);
            // "The import is over: 2,000 of 2,000 rows", "Done with 4/9"
            let summed_up = lead_words.iter().all(|word| is_filler(word))
                && words(&rest[..clause_end(rest, 0)])
                    .all(|word| is_filler(word) || is_thing(word) || is_plural(word))
                && words(before).any(|word| doing(word) || opens_doing(word) || is_over(word))
                || lead_words.iter().any(|word| is_over(word)) && ends(rest);
            // "I closed the loop: 55 of 58 tickets got a label"
            let speaker_before = words(before).any(|word| SPEAKERS.has(word))
                && words(before).any(|word| doing(word) || is_over(word));
            let went = matches!(
                lead_words.as_slice(),
                ["went" | "got" | "worked", "through" | "over", ..]
            );
            (opener && near && (things || ends(rest) || sentence_moves))
                || told == Told::Done
                || (told == Told::Described && (sentence_moves || every || speaker_before))
                || (told == Told::Nothing
                    && things
                    && (twice || scene.rest_follows || scene.goes_on && words(rest).any(moves)))
                || (told == Told::Nothing && every && words(rest).any(moves))
                || makes
                || went
                || summed_up
                || to_go(tokens)
                || (sentence_moves
                    && (things || ends(rest))
                    && (stands(lead) && so_far(lead) || stands(rest)))
        }
    }
}

/// Nothing is told of the things but that there are so many by now.
fn stands(rest: &[Token<'_>]) -> bool {
    words(rest).all(|word| is_filler(word) || is_thing(word) || is_steps(word) || moves(word))
        || so_far(rest)
}

fn so_far(tokens: &[Token<'_>]) -> bool {
    words(tokens).any(|word| matches!(word, "far" | "bisher" | "hasta"))
}

/// Scripts without spaces say it anywhere.
fn works_elsewhere(tokens: &[Token<'_>]) -> bool {
    words(tokens).any(|word| word.chars().any(|c| c > '\u{2e80}') && is_work_verb(word))
}

/// "3 of 5 down, 2 to go"
fn to_go(tokens: &[Token<'_>]) -> bool {
    words(tokens)
        .zip(words(tokens).skip(1))
        .any(|pair| matches!(pair, ("to", "go")) || pair.0 == "down")
}

/// "J'ai parcouru": whatever somebody has done to them is work.
fn has_done(lead: &[&str]) -> bool {
    let from = lead.iter().position(|word| SPEAKERS.has(word)).unwrap_or(0);
    let perfect = match &lead[from..] {
        [
            "i've" | "we've" | "j'ai" | "he" | "hemos" | "ho" | "abbiamo",
            rest @ ..,
        ]
        | ["i" | "we", "have", rest @ ..]
        | ["nous", "avons", rest @ ..]
        | ["ik", "heb", rest @ ..] => Some(rest),
        _ => None,
    };
    perfect.is_some_and(|rest| rest.len() <= 4 && rest.iter().any(|word| !is_filler(word)))
}

/// "I was able to read 8 of the 9 recordings"
fn able_to(lead: &[&str]) -> bool {
    lead.windows(3)
        .any(|three| matches!(three[0], "able" | "managed") && three[1] == "to")
}

fn ends(rest: &[Token<'_>]) -> bool {
    words(rest).next().is_none()
}

fn counts_things(rest: &[Token<'_>], place: &Counter, tokens: &[Token<'_>]) -> bool {
    let between = place.unit.is_some_and(|at| is_thing(&tokens[at].low));
    let names = |word: &str| is_thing(word) || is_steps(word) || is_plural(word);
    between || words(rest).take(3).any(names)
}

fn doer(lead: &[&str]) -> Doer {
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

/// The first verb behind the number decides.
pub(in crate::progress::parser::prose) fn told_of(
    rest: &[Token<'_>],
    english: bool,
    size: bool,
) -> Told {
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
            "because which who where when while since if than whose and but so"
        ) {
            break;
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
        // "12.3 of 45.6 MB are on the device"
        if are && size && listed!(word, "on in over across there through") {
            return Told::Done;
        }
        // "3 of 11 packages are on React 19"
        if are && listed!(word, "on at auf") && next.is_some() {
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
        let past = known || is_doing(word) || (!english && small && is_done_elsewhere(word));
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

/// What is spent or tried, and not worked on.
fn is_measure(word: &str) -> bool {
    listed!(
        word,
        "times hours minutes days weeks months years seconds cases people stunden minuten tage heures jours horas"
    )
}

/// "The import stopped at row 812 of 2,000", "I gave up after 1,310 of 5,200 addresses".
fn is_stopping_place(said: &[Token<'_>]) -> bool {
    let at = said
        .iter()
        .rfind(|t| t.is_word() && !is_thing(&t.low) && !is_filler_article(&t.low));
    let placed = at.is_some_and(|t| {
        listed!(
            &t.low,
            "at after row record in on around bei nach après tras"
        ) || is_failure(&t.low)
    });
    let failed = stops(words(said));
    let somebody = words(said).any(|word| is_worker(word) || SPEAKERS.has(word))
        || words(said).next().is_some_and(is_failure);
    let condition = words(said).any(|word| matches!(word, "when" | "if" | "while" | "once"));
    placed && failed && somebody && !condition
}

fn is_filler_article(word: &str) -> bool {
    listed!(word, "the about only just")
}

/// "All 30 files have been converted."
pub(super) fn all_done(tokens: &[Token<'_>]) -> Option<ProseProgress> {
    let english = is_english(tokens);
    let (first, number_at) = (0..tokens.len())
        .rev()
        .find_map(|from| whole_at(tokens, from).or_else(|| whole_told_later(tokens, from)))?;
    let number = tokens[number_at].number()?;
    let lead = &tokens[clause_start(&tokens[..first])..first];
    let rest = &tokens[number_at + 1..remark_after(tokens, number_at)];
    let unit = words(rest).take(3).find(|word| {
        is_thing(word)
            || is_steps(word)
            || is_plural(word)
            || !english && !is_over(word) && !is_doing(word)
    })?;
    let lead_words: Vec<&str> = words(lead).collect();
    let by_speaker = matches!(doer(&lead_words), Doer::Speaker | Doer::Worker)
        && lead_words
            .iter()
            .any(|word| is_doing(word) || is_over(word));
    let opened = lead_words.first().is_some_and(|word| opens_doing(word)) && lead_words.len() <= 3;
    let plain = doer(&lead_words) == Doer::Nobody && !opened;
    let now = words(rest).any(|word| listed!(word, "now jetzt maintenant ahora agora ora"));
    let told = told_of(rest, english, false);
    let done = by_speaker && told != Told::Found
        || plain
            && (told == Told::Done
                || told == Told::Described && now
                || now && told == Told::Nothing);
    let tests = words(rest)
        .take(3)
        .any(|word| matches!(word, "test" | "tests"));
    if !done
        || tests
        || number < 2.0
        || refusals::is_elsewhere(tokens)
        || words(&tokens[..first]).any(|word| finds(word) || is_not(word))
        || words(tokens).any(|word| word == "must")
    {
        return None;
    }
    let kind = if is_steps(unit) {
        ProgressKind::Step
    } else {
        ProgressKind::Count
    };
    let mut found = update(kind, WORDED);
    found.done = Some(number);
    found.total = Some(number);
    found.label = label(unit);
    found.state = ended(words(tokens).any(is_failure));
    Some(found)
}

/// "all 30", "all of the 30", "alle 30", "every one of the 19", "both": where it begins, and where
/// its number is.
fn whole_at(tokens: &[Token<'_>], first: usize) -> Option<(usize, usize)> {
    let all = |word: &str| {
        listed!(
            word,
            "all alle tous toutes todos todas tutti tutte все each every"
        )
    };
    if tokens[first].low == "both" {
        return Some((first, first));
    }
    if !all(&tokens[first].low) {
        return None;
    }
    let mut at = first + 1;
    while listed!(
        &tokens.get(at)?.low,
        "of the one my our these die der les las los single"
    ) {
        at += 1;
    }
    tokens[at].number().map(|_| (first, at))
}

/// "The 14 controllers have all been migrated".
fn whole_told_later(tokens: &[Token<'_>], first: usize) -> Option<(usize, usize)> {
    let article = listed!(&tokens[first].low, "the les die los las gli i le os as");
    let number = tokens.get(first + 1)?.digits()?;
    let later = tokens[first + 2..]
        .iter()
        .take(5)
        .any(|t| listed!(&t.low, "all alle tous toutes todos todas tutti tutte"));
    (article && later && number >= 2.0).then_some((first, first + 1))
}
