//! "I've updated 12 of 30 files so far", "All 30 files are converted".

use crate::progress::parser::counters::Counter;
use crate::progress::parser::prose::{is_own, remark_after, words};
use crate::progress::parser::reading::{WORDED, ended, label, update};
use crate::progress::parser::refusals;
use crate::progress::parser::tokens::Token;
use crate::progress::parser::vocabulary::{
    is_failure, is_over, is_steps, is_thing, is_work_noun, is_work_verb, opens_work,
};
use crate::progress::parser::words::listed;
use crate::progress::{ProgressKind, ProgressState, ProseProgress};

/// Verbs that tell what was found, not what was done.
fn finds(word: &str) -> bool {
    listed!(
        word,
        "seen used spent found find see saw noticed counted know think need want recommend suggest expect
        contain contains lack lacks use uses gefunden trouvé encontrado trovato
        encontrei нашёл нашел match matched affected affects ohne without only nur
        seulement solo apenas только missing unused scored won lost sold got there gibt
        hay existe"
    ) || ["发现", "找到", "見つ", "発見", "발견"]
        .iter()
        .any(|part| word.contains(part))
}

/// Past forms that more often describe a thing than tell what was done to it.
fn describes(word: &str) -> bool {
    listed!(
        word,
        "documented covered tested changed tagged labelled labeled signed linked
        formatted added created implemented annotated compressed closed imported
        exported loaded addressed translated read written sorted embedded split through
        indexed deployed installed built applied generated received sent"
    )
}

/// "I've updated 12 of 30 files", "12 of 30 files are done", "12 of 30 so far".
pub(super) fn worked(
    tokens: &[Token<'_>],
    place: &Counter,
    head: &[Token<'_>],
) -> Option<ProseProgress> {
    let lead = &tokens[..place.first];
    let lead_words: Vec<&str> = words(lead).collect();
    // The row at which something stopped.
    let stopped = lead_words.iter().any(|word| is_failure(word))
        && lead_words.iter().any(|word| is_work_noun(word))
        && !lead_words
            .iter()
            .any(|word| matches!(*word, "when" | "if" | "while"));
    if words(head).any(finds) && !stopped {
        return None;
    }
    let rest = &head[place.after.min(head.len())..];
    let so_far =
        words(head).any(|word| listed!(word, "far bisher already schon déjà уже hasta ya já"));
    let now =
        words(head).any(|word| matches!(word, "now" | "jetzt" | "maintenant" | "ahora" | "agora"));
    let foreign = |word: &str| {
        is_work_verb(word) && !(word.ends_with("ed") || word.ends_with("ing")) && !describes(word)
    };
    // The verb before: somebody who works is its subject, or nobody is named.
    let verb_before = lead_words.iter().rposition(|word| is_work_verb(word));
    let subject_before = verb_before.is_some_and(|verb| {
        let near = lead_words.len() - verb <= 4;
        near && lead_words[..verb].iter().all(|word| {
            is_own(word)
                || is_work_noun(word)
                || is_thing(word)
                || listed!(
                    *word,
                    "the der die das le la el our my linter crawler importer scanner
                    formatter checker worker script job tool migrator converter fuzzer"
                )
                || is_work_verb(word)
        }) && lead_words[verb + 1..].iter().all(|word| {
            is_own(word) || is_thing(word) || listed!(*word, "the first about les on of row auf in")
        })
    });
    // "I have" with the verb after the number: "Ich habe 3 von 12 Dateien umgestellt".
    let lead_is_own = lead_words.iter().all(|word| {
        is_own(word)
            || is_work_noun(word)
            || listed!(*word, "the der die of les первые are first es")
    });
    let verb_after = words(rest).take(7).any(|word| {
        foreign(word)
            || is_over(word)
            || (is_work_verb(word)
                && (!describes(word)
                    || so_far
                    || now
                    || lead_words
                        .first()
                        .is_some_and(|word| matches!(*word, "i've" | "i" | "we've"))))
    });
    let unit_between = place.unit.is_some_and(|at| is_thing(&tokens[at].low));
    let thing = words(rest)
        .take(3)
        .any(|word| is_thing(word) || is_steps(word))
        || unit_between;
    let makes = matches!(
        lead_words.as_slice(),
        ["that", "makes"] | ["that's"] | ["that", "is"]
    ) && (rest.iter().all(|t| !t.is_word()) || thing);
    let counts_on =
        makes || so_far && (thing || lead_words.is_empty() || rest.is_empty()) && lead_is_own;
    let number_words = tokens[place.first].is_word() && tokens[place.first].low == "one" && !thing;
    // Scripts without spaces say it anywhere.
    let runs_on = words(head)
        .any(|word| !word.is_ascii() && word.chars().any(|c| c > '\u{2e80}') && is_work_verb(word));
    // "I've ticked off 3 of 5": whatever somebody has done to them is work.
    let perfect = listed!(
        lead_words.first().copied().unwrap_or(""),
        "i've we've j'ai ich wir he hemos ho abbiamo ik"
    ) || matches!(
        lead_words.as_slice(),
        ["i" | "we", "have", ..] | ["nous", "avons", ..]
    );
    let done_by_me = perfect
        && lead_words.len() <= 6
        && (lead_words.len() >= 2 || verb_after)
        && thing_or_end(rest);
    // "Closed 3 of 7 issues"
    let told = lead_words.len() == 1 && tokens[0].is_word() && opens_work(lead_words[0]) && thing;
    let to_go = words(tokens)
        .zip(words(tokens).skip(1))
        .any(|pair| matches!(pair, ("to", "go")) || pair.0 == "down")
        && lead_is_own;
    // "All 16 of 16 files are formatted"
    let every = matches!(
        lead_words.as_slice(),
        ["all" | "alle" | "tous" | "todos" | "tutti"]
    ) && place.done >= place.total
        && thing
        && words(rest).any(is_work_verb);
    // "The download stands at 1.2 of 4.8 GB"
    let sized = place.size
        && lead_words
            .last()
            .is_some_and(|word| matches!(*word, "at" | "is" | "bei" | "downloaded"))
        && lead_words.iter().any(|word| is_work_noun(word));
    // "The crawl has reached 1,200 of 5,000 pages", "The backfill is at 400 of 900 rows"
    let reached = lead_words
        .last()
        .is_some_and(|word| matches!(*word, "at" | "reached" | "through"))
        && lead_words.iter().any(|word| is_work_noun(word))
        && lead_words.iter().all(|word| {
            is_own(word) || is_work_noun(word) || listed!(*word, "the my our reached script job")
        })
        && thing_or_end(rest);
    // "We're at 12 of 40 now."
    let stands = matches!(lead_words.as_slice(), ["we're" | "i'm" | "it's", "at"])
        && now
        && words(rest).all(is_own);
    let any = done_by_me
        || stands
        || sized
        || reached
        || every
        || told
        || to_go
        || subject_before
        || (lead_is_own && verb_after)
        || counts_on
        || stopped
        || runs_on;
    if !any || number_words {
        return None;
    }
    // A share is not a place: "3/4 of the files", "3/4 des fichiers".
    if place.stroke
        && rest
            .first()
            .is_some_and(|t| listed!(&t.low, "of des der de dei delle dos das"))
    {
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
    let in_turn = tokens
        .get(place.first.wrapping_sub(1))
        .is_some_and(|t| is_thing(&t.low));
    found.state = if words(tokens).any(is_failure) {
        ProgressState::Failed
    } else if place.done >= place.total && !in_turn {
        ProgressState::Finished
    } else {
        ProgressState::Running
    };
    Some(found)
}

/// Things follow, or nothing does.
fn thing_or_end(rest: &[Token<'_>]) -> bool {
    let mut words = words(rest);
    words.clone().next().is_none()
        || words
            .by_ref()
            .take(4)
            .any(|word| is_thing(word) || is_steps(word) || is_work_verb(word) || word == "far")
}

/// "All 30 files have been converted."
pub(super) fn all_done(tokens: &[Token<'_>]) -> Option<ProseProgress> {
    let mut at = 0;
    while tokens
        .get(at)
        .is_some_and(|t| !t.is_word() || is_own(&t.low) && t.low != "i")
    {
        at += 1;
    }
    let all = tokens
        .get(at)
        .is_some_and(|t| listed!(&t.low, "all alle tous toutes todos todas tutti tutte все"));
    // "the 30 files" after all, or the number at once.
    let number_at =
        (at..at + 3).find(|&at| tokens.get(at).is_some_and(|t| t.number().is_some()))?;
    let both = tokens.get(at).is_some_and(|t| t.low == "both");
    let number = tokens[number_at].number()?;
    let rest = &tokens[number_at + 1..remark_after(tokens, number_at)];
    let unit = words(rest)
        .take(3)
        .find(|word| is_thing(word) || is_steps(word))?;
    let done = words(rest)
        .take(8)
        .any(|word| (is_work_verb(word) && !describes(word)) || is_over(word));
    let says = words(rest).any(|word| {
        listed!(
            word,
            "are have is were sind wurden sont ont están sono estão foram zijn"
        ) || is_over(word)
    }) || tokens
        .get(number_at + 2)
        .is_some_and(|t| is_work_verb(&t.low));
    let tests = words(rest)
        .take(3)
        .any(|word| matches!(word, "test" | "tests"));
    if !(all || both)
        || !done
        || !says
        || tests
        || refusals::is_elsewhere(tokens)
        || words(tokens).any(|word| finds(word) || word == "must")
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
    found.state = ended(false);
    Some(found)
}
