//! "I've redrawn 12 of 30 icons", "12 of 30 icons were redrawn".
//!
//! Who does it and what the verb tells decide: something that the speaker or a program did to
//! some of the things is progress; what some of the things are or have is a finding.

use crate::progress::parser::counters::Counter;
use crate::progress::parser::numbers;
use crate::progress::parser::prose::doers::{Doer, SPEAKERS, doer, is_filler};
use crate::progress::parser::prose::scene::Scene;
use crate::progress::parser::prose::told::{Told, is_not, moves, told_of};
use crate::progress::parser::prose::verbs::{
    chooses, describes, finds, has_failure, is_doing, is_done_elsewhere, is_english, is_plural,
    is_worker, opens_doing, stops,
};
use crate::progress::parser::prose::{clause_end, clause_start, is_own, words};
use crate::progress::parser::reading::{WORDED, update};
use crate::progress::parser::subagents::is_agent;
use crate::progress::parser::tokens::Token;
use crate::progress::parser::vocabulary::{is_failure, is_over, is_steps, is_thing, is_work_verb};
use crate::progress::parser::words::listed;
use crate::progress::{ProgressKind, ProgressState, ProseProgress};

/// What is so few is found, not done.
fn is_only(word: &str) -> bool {
    listed!(word, "only just nur seulement solo apenas только")
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
    let leading = said.len() == 1 && listed!(&said[0].low, "after at nach bei après");
    let stopped = is_stopping_place(said)
        || is_cut_short(tokens, place)
        || leading && stops(words(&tokens[place.after..]));
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
    // "… the others are only used here": it was not meant to be more.
    let outcome = words(tokens)
        .skip_while(|word| !listed!(*word, "others rest"))
        .any(|word| {
            listed!(
                word,
                "only already current unused unaffected unchanged used stay stays"
            )
        });
    // "We got 3 of 5 answers": given by others.
    let given = words(lead).any(|word| matches!(word, "got" | "received"))
        && !words(lead).any(|word| word == "through");
    let agents = words(rest).take(3).any(is_agent);
    // "The deploy failed 3 out of 5 times"
    let tries = words(rest)
        .next()
        .is_some_and(|word| listed!(word, "times mal fois veces volte"));
    if given && !stopped
        || agents
        || tries
        || outcome
        || rated
        || share
        || one_of_them
        || (refused && !stopped)
    {
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
    found.state = if stopped || has_failure(words(tokens)) {
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
    let things = place.size || counts_things(rest, place, tokens) || !english && !ends(rest);
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
                || (things
                    && lead_words
                        .iter()
                        .any(|word| matches!(*word, "llevo" | "llevamos")))
                || (has_done(&lead_words) && (things || ends(rest)))
                || able_to(&lead_words)
                || (things && is_into(&lead_words, rest))
                || (sentence_moves && works_again(&lead_words, rest))
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
            // "The importer was written for 3 of the 5 formats"
            let passive = verb.is_some_and(|verb| {
                let done_to_it = !lead_words[verb].ends_with("ing") && !is_over(lead_words[verb]);
                done_to_it
                    && lead_words[..verb]
                        .iter()
                        .any(|word| listed!(word, "was were is are"))
            });
            // "The generator created 14 of 20 files with …": what it made is told, not how far it is.
            let tells = verb.is_some_and(|verb| {
                describes(lead_words[verb])
                    && !lead_words.iter().any(|word| listed!(word, "has have had"))
                    && !sentence_moves
            });
            (near && !passive && !tells)
                || (reached && (things || ends(rest)))
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

/// "3 of 5 down, 2 to go"; but "3 of 5 nodes are down" is a finding.
fn to_go(tokens: &[Token<'_>]) -> bool {
    words(tokens)
        .zip(words(tokens).skip(1))
        .any(|(first, second)| match second {
            "go" => first == "to",
            "down" => is_thing(first) || is_plural(first) || numbers::word(first).is_some(),
            _ => false,
        })
        || tokens
            .windows(2)
            .any(|pair| pair[0].digits().is_some() && pair[1].low == "down")
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

/// "I have three of the seven adapters compiling again"
fn works_again(lead: &[&str], rest: &[Token<'_>]) -> bool {
    let has = lead
        .last()
        .is_some_and(|word| listed!(*word, "have got i've we've"));
    has && words(rest)
        .take(4)
        .any(|word| word.ends_with("ing") && opens_doing(word))
}

/// "I'm 6 of 11 files into the type annotations"
fn is_into(lead: &[&str], rest: &[Token<'_>]) -> bool {
    let there = lead
        .last()
        .is_some_and(|word| listed!(*word, "i'm we're am are"));
    there
        && words(rest)
            .take(3)
            .any(|word| listed!(word, "into in through"))
}

/// "I was able to read 8 of the 9 recordings"
fn able_to(lead: &[&str]) -> bool {
    lead.windows(3)
        .any(|three| matches!(three[..2], ["able" | "managed", "to"] | ["could", "only"]))
}

fn ends(rest: &[Token<'_>]) -> bool {
    words(rest).next().is_none()
}

fn counts_things(rest: &[Token<'_>], place: &Counter, tokens: &[Token<'_>]) -> bool {
    let between = place.unit.is_some_and(|at| is_thing(&tokens[at].low));
    let names = |word: &str| is_thing(word) || is_steps(word) || is_plural(word);
    between || words(rest).take(3).any(names)
}

/// "… before the container ran out of memory", "… when the token expired": something came between.
fn is_cut_short(tokens: &[Token<'_>], place: &Counter) -> bool {
    let before = tokens[place.after..]
        .iter()
        .position(|t| matches!(t.low.as_str(), "before" | "when"));
    before.is_some_and(|before| {
        let between: Vec<&str> = words(&tokens[place.after + before..])
            .skip(1)
            .take(7)
            .collect();
        let happens = between.iter().skip(1).any(|word| {
            is_failure(word)
                || listed!(
                    *word,
                    "ran hit went filled dropped expired broke fell lost hung froze closed revoked
                    refused rejected kicked throttled disconnected locked limited"
                )
        });
        // "… when you stopped it": that was before.
        let by_you = between.first() == Some(&"you");
        place.done < place.total && happens && !by_you
    })
}

/// "The import stopped at row 812 of 2,000", "I gave up after 1,310 of 5,200 addresses".
fn is_stopping_place(said: &[Token<'_>]) -> bool {
    let at = said
        .iter()
        .rfind(|t| t.is_word() && !is_thing(&t.low) && !is_filler_article(&t.low));
    // "at tenant 31 of 64": what is counted may have any name.
    let named = words(said)
        .rev()
        .nth(1)
        .is_some_and(|word| matches!(word, "at" | "on"));
    let placed = named
        || at.is_some_and(|t| {
            listed!(
                &t.low,
                "at after row record in on around bei nach après tras"
            ) || is_failure(&t.low)
        });
    let failed = stops(words(said));
    // "Fine-tuning died in epoch 6 of 10"
    let going = |word: &str| word.len() >= 6 && word.ends_with("ing");
    let somebody = words(said).any(|word| is_worker(word) || SPEAKERS.has(word))
        || words(said).next().is_some_and(going)
        || words(said).next().is_some_and(is_failure);
    let condition = words(said).any(|word| matches!(word, "when" | "if" | "while" | "once"));
    placed && failed && somebody && !condition
}

fn is_filler_article(word: &str) -> bool {
    listed!(word, "the about only just")
}
