//! "Build is at 85 percent", "I'm roughly 30 % through the code base".

use super::told::{Told, told_of};
use super::verbs::{describes, is_english as is_english_sentence, is_past, opens_doing, stops};
use super::{clause_start, is_own, words};
use crate::progress::parser::counters::{Share, shares};
use crate::progress::parser::numbers;
use crate::progress::parser::reading::{MENTION, ended, label, update};
use crate::progress::parser::refusals;
use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::vocabulary::{
    is_failure, is_not_work, is_over, is_thing, is_work_noun, is_work_verb,
};
use crate::progress::parser::words::listed;
use crate::progress::{ProgressKind, ProgressState, ProseProgress};

pub(super) fn read(tokens: &[Token<'_>], sentence: &str) -> Option<ProseProgress> {
    shares(tokens).into_iter().rev().find_map(|share| {
        let end = clause_end(tokens, share.after);
        let head = &tokens[..end];
        if refusals::is_elsewhere(head) || !is_work(tokens, &share, head) {
            return None;
        }
        let mut found = update(ProgressKind::Percent, MENTION);
        found.percent = Some(share.percent);
        let before = &sentence[..tokens[share.first].at];
        let after = tokens.get(share.after).map_or("", |t| &sentence[t.at..]);
        found.label = label(before).or_else(|| label(after));
        found.state = if share.percent >= 100.0 {
            ended(false)
        } else if stops(words(head)) {
            ProgressState::Failed
        } else {
            ProgressState::Running
        };
        Some(found)
    })
}

fn clause_end(tokens: &[Token<'_>], from: usize) -> usize {
    let stops = |t: &Token<'_>| {
        matches!(
            t.kind,
            Kind::Sign(',' | ':' | '—' | '–' | '(' | '，' | '、' | ';')
        )
    };
    // "… and have found nothing yet" says something else.
    tokens[from.min(tokens.len())..]
        .iter()
        .position(|t| {
            stops(t)
                || matches!(
                    t.low.as_str(),
                    "and" | "und" | "et" | "y" | "e" | "и" | "but" | "with"
                )
        })
        .map_or(tokens.len(), |at| from + at)
}

fn is_work(tokens: &[Token<'_>], share: &Share, head: &[Token<'_>]) -> bool {
    let lead = &tokens[..share.first];
    let rest = &head[share.after.min(head.len())..];
    let lead_words: Vec<&str> = words(lead).collect();
    let rest_words: Vec<&str> = words(rest).collect();
    // "… before the disk was full" says what came next.
    let next = |word: &&str| listed!(*word, "before when");
    let of_share = rest_words.iter().take_while(|word| !next(word)).copied();
    if lead_words.iter().copied().chain(of_share).any(|word| {
        is_not_work(word) && !matches!(word, "left" | "ready" | "use" | "full" | "load")
    }) {
        return false;
    }
    // "The copy was killed at 71 %"
    let stopped = matches!(lead_words.as_slice(), [verbs @ .., "at" | "bei" | "à" | "al"]
        if stops(verbs.iter().copied().skip(verbs.len().saturating_sub(3))));
    if stopped
        && rest_words
            .first()
            .is_none_or(|word| listed!(*word, "with because due since mit wegen"))
    {
        return true;
    }
    // "At 47 % the copy stopped"
    let subject = rest_words.iter().take(4).any(|word| is_work_noun(word));
    if lead_words == ["at"] && subject && rest_words.iter().take(5).any(|word| is_failure(word)) {
        return true;
    }
    // "5 % → 25 % → 100 %": stages of something, or a change.
    let beside = [lead.last(), tokens.get(share.after)];
    let arrow = |t: &Token<'_>| matches!(t.kind, Kind::Sign('→' | '⇒' | '>' | '➜'));
    if beside.into_iter().flatten().any(arrow) {
        return false;
    }
    // "12 % faster", "from 40 % to 60 %", "by 12 %", "90 % sure".
    let compared = lead_words.last().is_some_and(|word| {
        listed!(
            *word,
            "by from over under than least most um another only up below above rose fell
            grew dropped"
        )
    });
    let measured = rest_words.first().is_some_and(|word| {
        listed!(
            *word,
            "faster slower less more smaller bigger higher lower off better worse sure
            cheaper chance probability confident compatible correct identical backwards
            safe opaque transparent larger shorter longer"
        )
    });
    let load = lead_words
        .iter()
        .any(|word| listed!(*word, "cores average"));
    if compared || measured || load {
        return false;
    }
    // Whose work it is: mine, or that of something which works.
    let own_subject = lead_words
        .iter()
        .all(|word| is_own(word) || is_work_noun(word) || is_work_verb(word) || is_article(word));
    let i = lead_words.iter().any(|word| {
        listed!(
            *word,
            "i'm i i've we're we've we ich je j'en j'ai estoy voy llevo sono estou ik я wir"
        )
    });
    let work = lead_words
        .iter()
        .any(|word| is_work_noun(word) || is_work_verb(word));
    let about_name = first_is_name(lead);
    // "We're halfway through the import (50 %)"
    let bracketed = lead.last().is_some_and(|t| t.is_sign('('));
    if bracketed
        && (i || work)
        && lead_words
            .iter()
            .any(|word| listed!(*word, "halfway through half quarter third done"))
    {
        return true;
    }
    // "Cloning the repository: 68 %"
    let after_colon = lead.last().is_some_and(|t| t.is_sign(':'));
    let doing = lead_words
        .first()
        .is_some_and(|word| opens_doing(word) && word.ends_with("ing"));
    let of_work = lead_words.iter().take(2).any(|word| *word == "progress")
        || lead_words.windows(2).any(|pair| pair == ["way", "there"]);
    if after_colon && of_work && rest_words.is_empty() {
        return true;
    }
    if after_colon && doing && (2..=6).contains(&lead_words.len()) && rest_words.is_empty() {
        return true;
    }
    // "We're 40 % in."
    if i && rest_words == ["in"] && lead_words.len() <= 3 {
        return true;
    }
    // "64 % of the dump has been restored"
    let english = is_english_sentence(tokens);
    let told = told_of(rest, english, false);
    let moving = words(tokens).any(|word| listed!(word, "far now already"));
    if rest_words.first() == Some(&"of")
        && (told == Told::Done || told != Told::Found && told != Told::Nothing && moving)
        && words(&lead[clause_start(lead)..]).all(|word| is_own(word) || is_article(word))
    {
        return true;
    }
    // "45 % done", "30 % through", "90 % of the way"
    let said_after = rest_words.first().is_some_and(|word| {
        is_over(word)
            || (is_work_verb(word) && !describes(word) && word.ends_with("ed"))
            || listed!(
                *word,
                "through there durch installed indexed built compiled"
            )
    }) || (rest_words.first() == Some(&"of") && rest_words.get(2) == Some(&"way"));
    let clause: Vec<&str> = words(&lead[clause_start(lead)..]).collect();
    if said_after && !about_name {
        return i
            || work
            || lead_words
                .iter()
                .all(|word| is_own(word) || is_article(word))
            || clause.first().is_some_and(|word| is_article(word)) && clause.len() <= 4;
    }
    // "is at 85 %"
    let at = lead_words
        .iter()
        .rev()
        .find(|word| {
            !listed!(
                **word,
                "about roughly around some now nearly almost etwa environ circa ungefähr
                bereits schon already le el il ya just only"
            )
        })
        .is_some_and(|word| {
            listed!(
                *word,
                "at reached hit passed past atteint alcanza erreicht raggiunge bei à al por em op на is on"
            )
        });
    if at && work && own_subject_or_work(&lead_words) && rest_words.first() != Some(&"of") {
        return true;
    }
    if at && i && rest_words.iter().all(|word| is_own(word)) {
        return true;
    }
    // "The download got to 63 % before the server died"
    let ends_there = rest_words
        .first()
        .is_none_or(|word| listed!(*word, "before when then now so"));
    if ends_there && !about_name && came_so_far(&lead_words) {
        return true;
    }
    // "Der Abgleich steht bei 35 Prozent"
    if matches!(lead_words.as_slice(), [.., "steht", "bei"]) && rest_words.is_empty() {
        return true;
    }
    // "Bereinigung läuft, Stand jetzt 45,5 %"
    let standing = lead_words
        .iter()
        .rfind(|word| !is_own(word))
        .is_some_and(|word| {
            listed!(
                *word,
                "stand status progress fortschritt avancement progreso progresso"
            )
        });
    if standing && rest_words.is_empty() {
        return true;
    }
    let only_where = lead_words.len() >= 2
        && (lead_words.len() < 3
            || lead_words
                .iter()
                .any(|word| matches!(*word, "now" | "already" | "still" | "currently")))
        && lead_words.iter().all(|word| {
            matches!(
                *word,
                "still" | "now" | "already" | "currently" | "at" | "about" | "roughly"
            ) || (lead_words.len() >= 3 && matches!(*word, "it's" | "it" | "is" | "we're"))
        });
    if at && lead.iter().all(|t| t.kind != Kind::Opaque) && only_where && rest_words.is_empty() {
        return true;
    }
    // "I've read 60 % of the files", "40 % of the files are converted"
    let of_things = rest_words
        .first()
        .is_some_and(|word| listed!(*word, "of der des de dei van von dos das"));
    if of_things {
        let thing = rest_words.iter().take(5).any(|word| {
            is_thing(word)
                || matches!(
                    *word,
                    "code"
                        | "codebase"
                        | "work"
                        | "arbeit"
                        | "crate"
                        | "rest"
                        | "data"
                        | "repository"
                        | "tree"
                )
        });
        let verb_before = (i || lead_words.iter().any(|word| is_work_noun(word)))
            && lead_words.iter().any(|word| is_work_verb(word))
            && own_subject;
        let verb_after = thing
            && lead_words.iter().all(|word| is_own(word))
            && rest_words.iter().skip(1).any(|word| {
                // "migration" is no verb in English.
                let verb = is_past(word) || !english && is_work_verb(word);
                (verb || is_over(word))
                    && !matches!(
                        *word,
                        "covered" | "documented" | "tested" | "through" | "used" | "read"
                    )
            });
        let of_work = rest_words.iter().take(4).any(|word| is_work_noun(word));
        let over = rest_words.iter().any(|word| is_over(word))
            && lead_words.iter().all(|word| is_own(word));
        return ((verb_before || verb_after || (at && i)) && thing) || (of_work && (over || i));
    }
    // "Indexing: 45 %", "Progress 45 %"
    let labelled = !lead_words.is_empty()
        && lead_words.len() <= 4
        && lead_words.iter().all(|word| {
            is_work_noun(word) || is_work_verb(word) || is_own(word) || is_article(word)
        })
        && work
        && rest_words.iter().all(|word| is_own(word) || is_when(word));
    let first_goes = lead_words
        .first()
        .is_some_and(|word| word.ends_with("ing") && is_work_verb(word))
        && lead_words.len() <= 5
        && rest_words.iter().all(|word| is_own(word) || is_when(word));
    let told_before = lead_words.iter().any(|word| is_work_noun(word))
        && lead_words
            .iter()
            .any(|word| is_over(word) || *word == "through")
        && rest_words.is_empty();
    if labelled || first_goes || told_before {
        return true;
    }
    // Other languages put the verb where they like.
    let foreign =
        words(head).any(|word| (is_over(word) || is_work_verb(word)) && !is_english(word));
    foreign && rest_words.len() <= 8 && !about_name
}

/// "The download got to", "My import has made it to", "The sync got as far as".
fn came_so_far(lead: &[&str]) -> bool {
    let about = |word: &&str| listed!(*word, "about roughly around some nearly almost");
    let end = lead.iter().rposition(|word| !about(word));
    let ([subject @ .., "got" | "gotten" | "came", "to"]
    | [subject @ .., "made", "it", "to"]
    | [subject @ .., "got" | "gotten" | "came", "as", "far", "as"]
    | [subject @ .., "made", "it", "as", "far", "as"]) = &lead[..end.map_or(0, |end| end + 1)]
    else {
        return false;
    };
    let of_it = subject.iter().rfind(|word| !is_own(word));
    let plain =
        |word: &&&str| is_own(word) || is_work_noun(word) || is_work_verb(word) || is_article(word);
    // "The load of the build got to 95 %" is said of the load.
    of_it.is_some_and(|word| is_work_noun(word))
        && !subject.contains(&"of")
        && subject.len() - subject.iter().filter(plain).count() <= 1
}

fn own_subject_or_work(lead: &[&str]) -> bool {
    let known = lead
        .iter()
        .filter(|word| is_own(word) || is_work_noun(word) || is_work_verb(word) || is_article(word))
        .count();
    // One word may say which one: "the docs build is at 40 %".
    lead.len() - known <= 2
}

/// "after four minutes"
fn is_when(word: &str) -> bool {
    numbers::word(word).is_some()
        || listed!(
            word,
            "after for in minute minutes second seconds hour hours min"
        )
}

fn is_article(word: &str) -> bool {
    listed!(
        word,
        "the a my our overall der die das des du del della do da dos dem den steht liegt stands
        sits le la l' les el los il lo o de het is was reached hit
        est ist es está va en à zu bei al por em op на è"
    )
}

/// Forms of English words; what else is known as a verb belongs to another language.
fn is_english(word: &str) -> bool {
    word.ends_with("ed")
        || word.ends_with("ing")
        || listed!(
            word,
            "done built read written complete through ready ran gone sent split rewritten
            rebuilt rewrote successful successfully install installation compilation
            analysis analyst conversion migration copies compile compiler installer
            migrate migrates mis pronto fini"
        )
}

/// "Anna is 80 % done" is about somebody else.
fn first_is_name(lead: &[Token<'_>]) -> bool {
    let Some(first) = lead.iter().find(|t| t.is_word()) else {
        return false;
    };
    let upper = first.text.chars().next().is_some_and(char::is_uppercase);
    upper
        && !is_own(&first.low)
        && !is_work_noun(&first.low)
        && !is_work_verb(&first.low)
        && !is_article(&first.low)
}
