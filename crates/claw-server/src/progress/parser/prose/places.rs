//! "Step 2/7", "I've updated 12 of 30 files so far", "All 30 files are converted".

mod values;
mod whole;
mod worked;

use std::borrow::Cow;

use self::values::is_value;
use self::whole::{all_done, of_whole};
use self::worked::worked;
use super::doers::SPEAKERS;
use super::scene::Scene;
use super::verbs::{has_failure, opens_doing, stops};
use super::{clause_end, clause_start, is_own, remark_after, words};
use crate::progress::parser::counters::{Counter, counters, shares};
use crate::progress::parser::reading::{CLEAR_FORM, ended, label, update};
use crate::progress::parser::refusals;
use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::vocabulary::{
    is_failure, is_not_work, is_over, is_step, is_thing, is_work_noun, is_work_verb,
};
use crate::progress::parser::words::listed;
use crate::progress::{ProgressKind, ProgressState, ProseProgress};

/// A sentence with more places than these is a list of numbers.
const MOST_PLACES: usize = 8;

pub(super) fn read(tokens: &[Token<'_>], sentence: &str, scene: &Scene) -> Option<ProseProgress> {
    let tokens = &without_aside(tokens)[..];
    let places = counters(tokens);
    let said = places.iter().rev().take(MOST_PLACES).find_map(|place| {
        let remark = remark_after(tokens, place.after).min(aside_after(tokens, place.after));
        let head = &tokens[..remark];
        let told = &head[..clause_end(head, place.after)];
        let fell = falls_through(told) || stops_behind(tokens, place);
        let told = if is_heading(tokens, place) {
            &told[..place.after]
        } else {
            told
        };
        if (is_elsewhere(told, place) && !fell) || is_value(tokens, place) {
            return None;
        }
        numbered(tokens, place, head)
            .or_else(|| in_front(tokens, place))
            .or_else(|| worked(tokens, place, head, scene))
            .map(|mut found| {
                if fell {
                    found.state = ended(true);
                }
                with_label(found, tokens, place, sentence)
            })
            .map(|found| with_share(found, tokens, place))
    });
    said.or_else(|| of_whole(tokens, scene))
        .or_else(|| all_done(tokens))
}

/// "Step 3/4 (notarization) failed": what stands in brackets between a place and its verb only
/// names it. Numbers in them tell more, and stay.
fn without_aside<'a, 'b>(tokens: &'a [Token<'b>]) -> Cow<'a, [Token<'b>]> {
    let aside = counters(tokens).into_iter().rev().find_map(|place| {
        let open = place.after;
        tokens.get(open).filter(|t| t.is_sign('('))?;
        let close = open + tokens[open..].iter().position(|t| t.is_sign(')'))?;
        let numbered = tokens[open..close].iter().any(|t| t.digits().is_some());
        let goes_on = tokens.get(close + 1).is_some_and(Token::is_word);
        (!numbered && goes_on).then_some(open..=close)
    });
    match aside {
        Some(aside) => {
            let mut plain = tokens.to_vec();
            plain.drain(aside);
            Cow::Owned(plain)
        }
        None => Cow::Borrowed(tokens),
    }
}

/// "…, none of them looks wrong", "…, no failures": what was found on the way is not judged.
fn aside_after(tokens: &[Token<'_>], from: usize) -> usize {
    let aside = |pair: &[Token<'_>]| {
        pair[0].is_sign(',')
            && listed!(
                &pair[1].low,
                "none no nothing without sans ohne sin senza sem"
            )
    };
    tokens[from.min(tokens.len())..]
        .windows(2)
        .position(aside)
        .map_or(tokens.len(), |at| from + at)
}

/// "After 7 of 20 screenshots the emulator crashed"
fn stops_behind(tokens: &[Token<'_>], place: &Counter) -> bool {
    let opens = place.first == 1 && listed!(&tokens[0].low, "after at nach bei après");
    opens && stops(words(&tokens[place.after..]))
}

/// "Pass 2 of 3 over the transcript: speaker names": the step opens the line and a colon follows.
fn is_heading(tokens: &[Token<'_>], place: &Counter) -> bool {
    let rest = &tokens[place.after..];
    let colon = rest.iter().position(|t| t.is_sign(':'));
    place.first == 1
        && is_step(&tokens[0].low)
        && colon.is_some_and(|colon| {
            !words(&rest[..colon]).any(|word| listed!(word, "is was are in of"))
        })
}

/// "Phase 2 of 3 didn't go through", "I couldn't get past step 2 of 6".
fn falls_through(told: &[Token<'_>]) -> bool {
    let list: Vec<&str> = words(told).collect();
    list.windows(2).any(|pair| {
        listed!(pair[0], "didn't couldn't won't doesn't")
            && listed!(
                pair[1],
                "go get work succeed complete finish pass build compile apply"
            )
    }) && !list
        .iter()
        .any(|word| listed!(word, "if when once would should"))
}

/// Documents may be what the speaker works on.
fn is_elsewhere(told: &[Token<'_>], place: &Counter) -> bool {
    let said = &told[..place.first];
    let speaks = words(&said[clause_start(said)..]).any(|word| SPEAKERS.has(word));
    if speaks {
        refusals::is_not_done_here(told)
    } else {
        refusals::is_elsewhere(told)
    }
}

/// "230 of the 1,000 (23 %)": the share of the same thing.
fn with_share(mut found: ProseProgress, tokens: &[Token<'_>], place: &Counter) -> ProseProgress {
    let next = tokens
        .get(place.after)
        .filter(|t| matches!(t.kind, Kind::Sign('(' | ',' | '=')));
    found.percent = next.and_then(|_| {
        let share = shares(tokens)
            .into_iter()
            .find(|share| share.first == place.after + 1)?;
        Some(share.percent)
    });
    found
}

fn with_label(
    mut found: ProseProgress,
    tokens: &[Token<'_>],
    place: &Counter,
    sentence: &str,
) -> ProseProgress {
    let last = &tokens[place.after - 1];
    let after = last.at + last.text.len();
    found.label = label(&sentence[after..]).or_else(|| label(&sentence[..tokens[place.first].at]));
    found
}

/// Words that lead to a numbered thing.
fn leads(word: &str) -> bool {
    is_own(word)
        || is_work_noun(word)
        || is_work_verb(word)
        || is_failure(word)
        || listed!(
            word,
            "middle past couldn't completes finishes ends do doing let's let me back looking reading on onto into starting start beginning begin working moving continuing
            continue proceeding in the was were completed finished finishing reached
            reaching got halfway through my our of for comes going running executing
            entering over off from first last final onwards doing taking handling weiter
            mit bei zu zum zur der die das à la l'étape passons voy por el estoy en
            vamos sono al alla sto estou no na ben bij met я на перехожу к nous sommes
            ist est es está va é"
        )
}

/// "Step 2/7", "phase 3 of 4", "file 3 of 12": the thing is named before its number.
fn numbered(tokens: &[Token<'_>], place: &Counter, head: &[Token<'_>]) -> Option<ProseProgress> {
    // 3/5 단계
    let step_after = tokens
        .get(place.after)
        .filter(|t| t.text.chars().all(|c| c > '\u{2e80}') && is_step(&t.low));
    if step_after.is_some() && place.stroke && words(&tokens[..place.first]).all(leads) {
        let mut found = update(ProgressKind::Step, CLEAR_FORM);
        found.done = Some(place.done);
        found.total = Some(place.total);
        return Some(found);
    }
    let mut unit_at = place.first.checked_sub(1)?;
    if matches!(
        tokens[unit_at].kind,
        Kind::Sign('#' | '(' | '[' | ':' | '：' | '№')
    ) {
        unit_at = unit_at.checked_sub(1)?;
    }
    let unit = &tokens[unit_at];
    let step = is_step(&unit.low) || (unit.low == "第");
    let number = listed!(&unit.low, "number nummer numéro número numero");
    // "I'm at lecture 3 of 9": the speaker is there, whatever it is.
    let there = unit_at >= 2
        && listed!(&tokens[unit_at - 1].low, "at on bei")
        && words(&tokens[..unit_at - 1]).any(|word| listed!(word, "i'm we're bin sind"));
    if !unit.is_word() || !(step || number || there || is_thing(&unit.low)) {
        return None;
    }
    if is_not_work(&unit.low) {
        return None;
    }
    // The clause before is about something else.
    let clause = tokens[..unit_at]
        .iter()
        .rposition(|t| matches!(t.kind, Kind::Sign(',' | '—' | ':' | '，')))
        .map_or(0, |at| at + 1);
    let lead = &tokens[clause..unit_at];
    let told_after = &head[place.after.min(head.len())..clause_end(head, place.after)];
    // Other languages have more words for it than the list.
    let elsewhere = step && !unit.low.is_ascii()
        || listed!(
            &unit.low,
            "schritt teil aufgabe durchgang paso fase etapa parte tarea passo passaggio tarefa stap deel taak krok etap steg"
        );
    // "Retrying chunk 7 of 16": whatever is done, it is done to that one.
    let opened = words(lead).next().is_some_and(|word| {
        opens_doing(word)
            && word.ends_with("ing")
            && !listed!(word, "following regarding concerning considering including remaining pending failing missing")
    });
    let strange = words(lead)
        .skip(usize::from(opened))
        .filter(|word| !leads(word))
        .count();
    let own = strange <= usize::from(elsewhere) * 2 && lead.iter().all(|t| t.kind != Kind::Opaque);
    // A thing has to be worked on; a step is work.
    let worked = step
        || opened
        || number && words(lead).any(|word| listed!(word, "that's is this"))
        // "Still crunching: tile 230 of 1,100"
        || lead.is_empty() && words(&tokens[..clause]).any(opens_doing)
        || (lead.is_empty()
            && tokens
                .get(place.after)
                .is_some_and(|t| matches!(t.kind, Kind::Sign(':' | '—')))
            && listed!(
                &unit.low,
                "file module crate package service endpoint batch chunk migration item component"
            ))
        || words(lead).any(|word| matches!(word, "looking" | "reading"))
        // "chunk 12 of 30 came back empty, so I'm sending it again"
        || words(&tokens[place.after..]).any(|word| matches!(word, "i'm" | "i'll"))
        || words(told_after).any(|word| is_over(word) || is_work_verb(word))
        || words(lead).any(|word| {
            is_work_verb(word)
                || is_work_noun(word)
                || is_failure(word)
                || matches!(word, "on" | "at" | "now" | "working" | "bei" | "à" | "en")
        });
    let followed = tokens.get(place.after);
    let of_what = followed.filter(|t| listed!(&t.low, "of in from der des du del della"));
    let in_list = of_what.is_some()
        && words(&tokens[place.after..]).take(4).any(|word| {
            matches!(
                word,
                "list" | "plan" | "queue" | "total" | "liste" | "lista"
            )
        });
    let of_work = in_list
        || of_what.is_none()
        || words(&head[place.after.min(head.len())..])
            .take(4)
            .any(is_work_noun);
    let described = followed.is_some_and(|t| {
        listed!(
            &t.low,
            "that which who approved seems seemed appears sounds feels covers explains
            describes deals depends requires asks tells mentions introduces contains
            includes assumes"
        )
    });
    // "Step 2 of 5 is optional": what it is like, not how far it is.
    let said_of = tokens[place.after..].iter().filter(|t| !t.is_sign('*'));
    let described = described
        || matches!(said_of.take(2).collect::<Vec<_>>().as_slice(),
            [is, what] if matches!(is.low.as_str(), "is" | "was")
                && what.is_word()
                && !may_follow_is(&what.low));
    let later: Vec<&str> = words(told_after).collect();
    let described = described
        || later
            .iter()
            .any(|word| listed!(*word, "will would wird würde"))
        || later
            .windows(2)
            .any(|pair| matches!(pair[0], "is" | "was") && !may_follow_is(pair[1]))
        // "… is the risky one"
        || later.windows(3).any(|three| {
            matches!(three[..2], ["is", "the"])
                && !listed!(three[2], "last current next one")
        });
    // Somebody else is to do it.
    let order = words(lead).next().is_some_and(|word| {
        matches!(
            word,
            "run" | "do" | "repeat" | "skip" | "follow" | "start" | "begin" | "continue"
        )
    });
    if !own || !worked || !of_work || described || order {
        return None;
    }
    let kind = if step {
        ProgressKind::Step
    } else {
        ProgressKind::Count
    };
    let mut found = update(kind, CLEAR_FORM);
    found.done = Some(place.done);
    found.total = Some(place.total);
    let over = words(told_after).chain(words(lead)).any(is_over)
        || matches!(
            words(lead).collect::<Vec<_>>().as_slice(),
            ["that" | "this", "was", ..]
        )
        || is_marked(tokens, place, "✔✓✅☑")
        || is_closed(tokens, place)
        || matches!(
            words(told_after).take(2).collect::<Vec<_>>().as_slice(),
            ["is" | "went", "through"]
        );
    found.state = if has_failure(words(head)) || is_marked(tokens, place, "❌✗✘✖") {
        ProgressState::Failed
    } else if over && place.done >= place.total {
        ProgressState::Finished
    } else {
        ProgressState::Running
    };
    Some(found)
}

/// One of the marks stands behind the number.
fn is_marked(tokens: &[Token<'_>], place: &Counter, marks: &str) -> bool {
    let mut after = tokens[place.after..].iter().map(|t| t.kind);
    after
        .find(|kind| !matches!(kind, Kind::Sign(')' | ']' | ':' | '\u{fe0f}')))
        .is_some_and(|kind| matches!(kind, Kind::Sign(sign) if marks.contains(sign)))
}

/// "Part 6 of 6 – done."
fn is_closed(tokens: &[Token<'_>], place: &Counter) -> bool {
    let mut after = tokens[place.after..].iter();
    let dash = after
        .next()
        .is_some_and(|t| matches!(t.kind, Kind::Sign(':' | '—' | '–' | '-' | ',')));
    let over = after.next().is_some_and(|t| is_over(&t.low));
    let at_once = dash && over && after.next().is_none_or(|t| !t.is_word());
    // "Stage 3 of 3: clean-up ... done."
    let mut last = tokens[place.after..]
        .iter()
        .rev()
        .skip_while(|t| matches!(t.kind, Kind::Sign('.' | '!')));
    let at_end = last.next().is_some_and(|t| is_over(&t.low))
        && last
            .next()
            .is_some_and(|t| matches!(t.kind, Kind::Sign('.' | '…' | '—' | '–' | '✓')));
    at_once || at_end
}

/// What can be said of a step that is worked on.
fn may_follow_is(word: &str) -> bool {
    is_over(word)
        || is_failure(word)
        || is_work_verb(word)
        || word.ends_with("ing")
        || is_own(word)
        || listed!(
            word,
            "next underway under in on behind ahead almost nearly finally well where what the
            through live merged green broken blocked"
        )
}

/// "[3/7] Moving the parser", "(3/7) …", "3/7: …", "Progress: 12/30".
fn in_front(tokens: &[Token<'_>], place: &Counter) -> Option<ProseProgress> {
    let signs = tokens[..place.first].iter().all(|t| {
        matches!(
            t.kind,
            Kind::Sign('[' | '(' | '#' | '-' | '•' | '✅' | '⏳' | '🔄')
        )
    });
    let boxed = place.first > 0 && matches!(tokens[place.first - 1].kind, Kind::Sign('[' | '('));
    let closes = tokens
        .get(place.after)
        .is_some_and(|t| matches!(t.kind, Kind::Sign(']' | ')')));
    let parted = tokens.get(place.after).is_some_and(|t| {
        matches!(t.kind, Kind::Sign(':' | '—' | '–')) || (t.is_sign('-') && t.spaced)
    });
    let said = tokens[place.after..].iter().any(Token::is_word);
    let opens = words(&tokens[..place.first]).all(|word| {
        listed!(
            word,
            "progress status fortschritt progression avancement progreso progresso
            прогресс update overall total stand download upload import migration"
        )
    }) && words(&tokens[..place.first]).next().is_some();
    let going = tokens
        .get(place.after)
        .is_some_and(|t| t.is_word() && t.low.ends_with("ing"));
    let as_mark = signs
        && said
        && (place.stroke || parted && place.first == 0)
        && ((boxed && closes) || (!boxed && (parted || going)));
    // "(8/21)": a sentence of its own.
    let alone = boxed && closes && signs && place.after + 1 >= tokens.len() && place.stroke;
    let is_front = alone || as_mark || (opens && place.first <= 4);
    is_front.then(|| {
        let mut found = update(
            if as_mark && !alone {
                ProgressKind::Step
            } else {
                ProgressKind::Count
            },
            CLEAR_FORM,
        );
        found.done = Some(place.done);
        found.total = Some(place.total);
        let over = words(&tokens[place.after..]).any(is_over) || !as_mark;
        if over && place.done >= place.total {
            found.state = ended(false);
        }
        found
    })
}
