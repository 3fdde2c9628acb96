//! "Step 2/7", "I've updated 12 of 30 files so far", "All 30 files are converted".

use super::{is_own, remark_after, words};
use crate::progress::parser::counters::{Counter, counters};
use crate::progress::parser::reading::{CLEAR_FORM, WORDED, ended, label, update};
use crate::progress::parser::refusals;
use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::vocabulary::{
    is_failure, is_not_work, is_over, is_step, is_steps, is_thing, is_work_noun, is_work_verb,
    opens_work,
};
use crate::progress::parser::words::listed;
use crate::progress::{ProgressKind, ProgressState, ProseProgress};

pub(super) fn read(tokens: &[Token<'_>], sentence: &str) -> Option<ProseProgress> {
    let places = counters(tokens);
    let said = places.iter().rev().find_map(|place| {
        let remark = remark_after(tokens, place.after).min(aside_after(tokens, place.after));
        let head = &tokens[..remark];
        if refusals::is_elsewhere(head) || is_value(tokens, place) {
            return None;
        }
        numbered(tokens, place, head)
            .or_else(|| in_front(tokens, place))
            .or_else(|| worked(tokens, place, head))
            .map(|found| with_label(found, tokens, place, sentence))
    });
    said.or_else(|| all_done(tokens))
}

/// "…, none of them looks wrong", "…, no failures": what was found on the way is not judged.
fn aside_after(tokens: &[Token<'_>], from: usize) -> usize {
    let aside =
        |pair: &[Token<'_>]| pair[0].is_sign(',') && listed!(&pair[1].low, "none no nothing");
    tokens[from.min(tokens.len())..]
        .windows(2)
        .position(aside)
        .map_or(tokens.len(), |at| from + at)
}

fn with_label(
    mut found: ProseProgress,
    tokens: &[Token<'_>],
    place: &Counter,
    sentence: &str,
) -> ProseProgress {
    let after = tokens.get(place.after).map_or(sentence.len(), |t| t.at);
    found.label = label(&sentence[after..]).or_else(|| label(&sentence[..tokens[place.first].at]));
    found
}

/// A setting, an operand, a share of something: "limit 3/5", "= 3/5", "3/4 of".
fn is_value(tokens: &[Token<'_>], place: &Counter) -> bool {
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
        || tokens[place.after..remark_after(tokens, place.after)]
            .iter()
            .take_while(|t| !t.is_sign(','))
            .filter(|t| t.is_word())
            .take(3)
            .any(|t| is_not_work(&t.low) && !is_thing(&t.low))
}

/// Words that lead to a numbered thing.
fn leads(word: &str) -> bool {
    is_own(word)
        || is_work_noun(word)
        || is_work_verb(word)
        || is_failure(word)
        || listed!(
            word,
            "completes finishes ends do doing let's let me back looking reading on onto into starting start beginning begin working moving continuing
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
    if !unit.is_word() || !(step || is_thing(&unit.low)) {
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
    let clause_end = head[place.after.min(head.len())..]
        .iter()
        .position(|t| t.is_sign(','))
        .map_or(head.len(), |at| place.after + at);
    let told_after = &head[place.after.min(clause_end)..clause_end];
    // Other languages have more words for it than the list.
    let elsewhere = step && !unit.low.is_ascii()
        || listed!(
            &unit.low,
            "schritt teil aufgabe durchgang paso fase etapa parte tarea passo passaggio tarefa stap deel taak krok etap steg"
        );
    let strange = words(lead).filter(|word| !leads(word)).count();
    let own = strange <= usize::from(elsewhere) * 2 && lead.iter().all(|t| t.kind != Kind::Opaque);
    // A thing has to be worked on; a step is work.
    let worked = step
        || (lead.is_empty()
            && tokens
                .get(place.after)
                .is_some_and(|t| matches!(t.kind, Kind::Sign(':' | '—')))
            && listed!(
                &unit.low,
                "file module crate package service endpoint batch chunk migration item component"
            ))
        || words(lead).any(|word| matches!(word, "looking" | "reading"))
        || words(told_after).any(|word| is_over(word) || is_work_verb(word))
        || words(lead).any(|word| {
            is_work_verb(word)
                || is_work_noun(word)
                || is_failure(word)
                || matches!(word, "on" | "at" | "now" | "working")
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
    let over = words(told_after).chain(words(lead)).any(is_over);
    found.state = if words(head).any(is_failure) {
        ProgressState::Failed
    } else if over && place.done >= place.total {
        ProgressState::Finished
    } else {
        ProgressState::Running
    };
    Some(found)
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
    let as_mark =
        signs && said && place.stroke && ((boxed && closes) || (!boxed && (parted || going)));
    let is_front = as_mark || (opens && place.first <= 4);
    is_front.then(|| {
        let mut found = update(
            if as_mark {
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
fn worked(tokens: &[Token<'_>], place: &Counter, head: &[Token<'_>]) -> Option<ProseProgress> {
    if words(head).any(finds) {
        return None;
    }
    let lead = &tokens[..place.first];
    let lead_words: Vec<&str> = words(lead).collect();
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
    // The row at which something stopped.
    let stopped = lead_words.iter().any(|word| is_failure(word))
        && lead_words.iter().any(|word| is_work_noun(word));
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
    let any = done_by_me
        || sized
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
fn all_done(tokens: &[Token<'_>]) -> Option<ProseProgress> {
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
