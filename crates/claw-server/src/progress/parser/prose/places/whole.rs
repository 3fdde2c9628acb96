//! "All 30 icons are redrawn", "Of the 30 icons I've redrawn 12": the whole is named first.

use super::worked::worked;
use crate::progress::parser::counters::Counter;
use crate::progress::parser::prose::doers::{Doer, SPEAKERS, doer};
use crate::progress::parser::prose::scene::Scene;
use crate::progress::parser::prose::told::{Told, is_not, told_of};
use crate::progress::parser::prose::verbs::{
    finds, has_failure, is_doing, is_english, is_plural, opens_doing,
};
use crate::progress::parser::prose::{clause_end, clause_start, remark_after, words};
use crate::progress::parser::reading::{WORDED, ended, label, update};
use crate::progress::parser::refusals;
use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::vocabulary::{is_over, is_steps, is_thing, is_work_verb};
use crate::progress::parser::words::listed;
use crate::progress::{ProgressKind, ProseProgress};

/// "Of the 40 handlers I've converted 12", "Of the 40 handlers, 12 are converted".
pub(super) fn of_whole(tokens: &[Token<'_>], scene: &Scene) -> Option<ProseProgress> {
    let opens =
        |at: usize| at == 0 || matches!(tokens[at - 1].kind, Kind::Sign(':' | ',' | '—' | '–'));
    let of = (0..tokens.len()).rev().find(|&at| {
        let out = at > 0 && tokens[at - 1].low == "out";
        listed!(&tokens[at].low, "of von sur") && opens(at - usize::from(out))
    })?;
    let whole_at = (of + 1..tokens.len().min(of + 4)).find(|&at| tokens[at].digits().is_some())?;
    let total = tokens[whole_at].digits()?;
    let first = (whole_at + 2..tokens.len()).find(|&at| tokens[at].number().is_some())?;
    let done = tokens[first]
        .number()
        .filter(|done| *done <= total && total >= 2.0)?;
    let place = Counter {
        done,
        total,
        first,
        after: first + 1,
        stroke: false,
        size: false,
        unit: None,
    };
    let from = tokens[whole_at..first]
        .iter()
        .position(|t| t.is_sign(',') || SPEAKERS.has(&t.low))
        .map(|at| whole_at + at)?;
    // The whole and its name are no part of what is told.
    let told = &tokens[from..];
    let place = Counter {
        first: first - from,
        after: first - from + 1,
        ..place
    };
    let head = &told[..remark_after(told, place.after)];
    if refusals::is_elsewhere(&head[..clause_end(head, place.after)]) {
        return None;
    }
    worked(told, &place, head, scene)
}

/// "All 30 files have been converted." What follows a colon tells more of it, unless nothing was
/// told before.
pub(super) fn all_done(tokens: &[Token<'_>]) -> Option<ProseProgress> {
    let colon = tokens.iter().position(|t| t.is_sign(':'));
    colon
        .and_then(|colon| all_done_in(&tokens[..colon]))
        .or_else(|| all_done_in(tokens))
}

fn all_done_in(tokens: &[Token<'_>]) -> Option<ProseProgress> {
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
    // "All 9 alerts fired": without "are" or "have" they did it themselves.
    let passive = !english
        || lead_words.iter().any(|word| listed!(*word, "that's is"))
        || words(rest).any(|word| {
            is_over(word)
                || is_work_verb(word)
                || listed!(word, "are is have has were was been went")
        });
    let pushed = opened && !lead_words.first().is_some_and(|word| word.ends_with("ing"));
    let done = (by_speaker || pushed) && told != Told::Found
        || plain
            && (told == Told::Done && passive
                || told == Told::Described && now
                || now && (told == Told::Nothing || words(rest).any(is_in_use)));
    // "All 47 tests", and not "all 47 test helpers".
    let noun = words(rest).take(3).find(|word| is_plural(word));
    let tests = noun.is_some_and(|word| matches!(word, "tests" | "specs"))
        || words(rest).next() == Some("test") && noun.is_none();
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
    found.state = ended(has_failure(words(tokens)));
    Some(found)
}

/// "All 27 call sites now use it": what things do once they were worked on.
fn is_in_use(word: &str) -> bool {
    listed!(
        word,
        "use go call import inherit share live sit point follow nutzen verwenden benutzen utilisent usan usano"
    )
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
