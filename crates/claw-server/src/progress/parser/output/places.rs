//! "[12/340] CC foo.o", "Processed 300/1000 records": places in a line of a tool.

use super::evidence::{Evidence, is_cell, is_refused};
use super::updates::{is_test, says_same};
use crate::progress::parser::counters::{Counter, shares};
use crate::progress::parser::page::PageLine;
use crate::progress::parser::subagents::is_agent;
use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::vocabulary::{
    is_over, is_printed_noun, is_step, is_steps, is_thing, is_work_verb, opens_work,
};
use crate::progress::parser::words::listed;

pub(super) fn place_is_work(
    line: &PageLine<'_>,
    place: &Counter,
    from: usize,
    evidence: &Evidence,
) -> bool {
    let tokens = &line.tokens;
    let before = |back: usize| place.first.checked_sub(back).and_then(|at| tokens.get(at));
    let after = tokens.get(place.after);
    // What is worked on may be disks, pages or users.
    let acts = mark_names(tokens, place, from).is_some_and(|t| t.is_word() && opens_work(&t.low));
    let known = line.text.starts_with("Rewrite ") || is_stack_event(line, place);
    if known {
        return true;
    }
    // "Done: 73% (320/437, 117 left)", drawn again and again
    let own_share = shares(tokens).iter().any(|share| says_same(share, place));
    if own_share && line.redrawn {
        return true;
    }
    if evidence.refused && !acts && !names_step(tokens, place) {
        return false;
    }
    // An operand, a value, an address.
    if is_cell(&tokens[..place.first], &tokens[place.after..]) {
        return false;
    }
    if before(1).is_some_and(|t| {
        matches!(
            t.kind,
            Kind::Sign('=' | '*' | '+' | '@' | '"' | '\'' | '`' | '$')
        )
    }) || before(1).is_some_and(|t| listed!(&t.low, "with using across only"))
        || after.is_some_and(|t| {
            t.is_sign('=')
                || listed!(
                    &t.low,
                    "vus exited crashed restarted unhealthy down offline"
                )
        })
    {
        return false;
    }
    if line.redrawn {
        return true;
    }
    // "Step 2/7", "Epoch [3/10]", "Step: 2/7"
    let opened_by = |back: usize| {
        before(back)
            .filter(|t| t.is_word())
            .is_some_and(|t| is_step(&t.low) || is_test(t))
    };
    let unit_at = if opened_by(1) {
        Some(place.first - 1)
    } else if before(1).is_some_and(|t| matches!(t.kind, Kind::Sign('[' | '(' | ':' | '#' | '：')))
        && opened_by(2)
    {
        Some(place.first - 2)
    } else {
        None
    };
    if let Some(unit) = unit_at {
        let lead: Vec<&Token<'_>> = tokens[from.min(unit)..unit]
            .iter()
            .filter(|t| t.is_word() || t.kind == Kind::Opaque || t.digits().is_some())
            .collect();
        let of_something = after.is_some_and(|t| matches!(t.low.as_str(), "of" | "in" | "from"));
        let quoted = unit
            .checked_sub(1)
            .and_then(|at| tokens.get(at))
            .is_some_and(|t| matches!(t.kind, Kind::Sign('"' | '\'' | '`' | '=')))
            && !tokens[unit].spaced;
        return lead.len() <= 2
            && !of_something
            && !quoted
            && lead
                .iter()
                .all(|t| opens_work(&t.low) || is_printed_noun(&t.low) || is_step(&t.low));
    }
    if evidence.bar || evidence.rate {
        return true;
    }
    // "Batch 3/8: 1,200 rows written", "Image 3 of 4: kernel.img"
    let portion = before(1).is_some_and(|t| t.is_word() && is_thing(&t.low))
        && place.first == from + 1
        && after.is_some_and(|t| t.is_sign(':') || listed!(&t.low, "ok failed done started"));
    if portion {
        return true;
    }
    let file = tokens
        .get(from)
        .is_some_and(|t| t.kind == Kind::Opaque && is_test(t));
    if file && place.after == tokens.len() && place.stroke {
        return true;
    }
    if mark_names(tokens, place, from).is_some() {
        return true;
    }
    // "Generating static pages (12/45)", "Processed 300/1000 records", "Progress: 45/100"
    if evidence.opened {
        let lead = &tokens[from.min(place.first)..place.first];
        let opener = lead.iter().any(|t| {
            t.is_word() && (is_work_verb(&t.low) || is_printed_noun(&t.low) || t.low == "waiting")
        });
        // Any other verb needs things that are alike: "Frobbing 3/8 files".
        let of_things = tokens[place.after..].iter().find(|t| t.is_word());
        let of_things = of_things.is_none_or(|t| is_thing(&t.low) || is_agent(&t.low));
        let bound = lead
            .last()
            .is_some_and(|t| listed!(&t.low, "to by for in as"));
        let opener = opener || (of_things && !bound && lead.iter().any(|t| opens_work(&t.low)));
        let end_opener = tokens[place.first..]
            .iter()
            .take(place.after - place.first + 3)
            .any(|t| {
                is_work_verb(&t.low)
                    && !is_thing(&t.low)
                    && !listed!(&t.low, "documented covered typed annotated")
            });
        let far = place.first.saturating_sub(from) > 14
            || tokens[from.min(place.first)..place.first]
                .iter()
                .any(|t| t.is_sign(';'));
        if (opener || end_opener) && !far {
            return true;
        }
    }
    if is_worded(tokens, place, from) {
        return true;
    }
    // nextflow: "process > ALIGN (2) [ 40%] 2 of 5"
    let share_before = before(1).is_some_and(|t| t.is_sign(']'))
        && before(2).is_some_and(|t| t.is_sign('%'))
        && before(3).is_some_and(|t| t.digits().is_some());
    if share_before && !place.stroke {
        return true;
    }
    // "12/30 files", "300 of 1000 rows done"
    let first = place.first == from;
    let rest: Vec<&Token<'_>> = tokens[place.after..]
        .iter()
        .filter(|t| t.is_word())
        .collect();
    let thing = rest.first().is_some_and(|t| is_thing(&t.low))
        || place.unit.is_some_and(|at| is_thing(&tokens[at].low));
    let only = rest.len() <= 1;
    let thing = thing || (place.size && rest.is_empty());
    let verb = rest
        .iter()
        .take(4)
        .any(|t| is_work_verb(&t.low) && !is_thing(&t.low));
    // "39 of 40 files already formatted", "264 of 1204 symbols were not resolved": what was found.
    let found = rest.iter().any(|t| {
        listed!(
            &t.low,
            "already were was are is not need needs would documented covered typed annotated"
        )
    });
    first && !found && ((thing && only) || verb) && tokens.len() < 28
}

/// "Build Summary: 4/7 steps succeeded", "8812416/41230771 kB (21%)": what is counted and that it
/// is done, or a size with its share.
fn is_worded(tokens: &[Token<'_>], place: &Counter, from: usize) -> bool {
    let lead = &tokens[from.min(place.first)..place.first];
    let titled = lead.len() <= 4 && lead.last().is_none_or(|t| t.is_sign(':'));
    let unit = tokens.get(place.after).filter(|t| t.is_word());
    let unit = unit.is_some_and(|t| is_thing(&t.low) || is_steps(&t.low));
    let done = tokens.get(place.after + 1).is_some_and(|t| is_over(&t.low));
    let share = tokens.get(place.after..place.after + 3);
    let share = share.is_some_and(|three| {
        three[0].is_sign('(') && three[1].digits().is_some() && three[2].is_sign('%')
    });
    (titled && unit && done) || (lead.is_empty() && place.size && share)
}

/// "shop | 4/12 | 10:02:14 AM | CREATE_IN_PROGRESS | …": what a stack of resources does.
fn is_stack_event(line: &PageLine<'_>, place: &Counter) -> bool {
    let cell = |at: Option<usize>| {
        at.and_then(|at| line.tokens.get(at))
            .is_some_and(|t| t.is_sign('|'))
    };
    cell(place.first.checked_sub(1))
        && cell(Some(place.after))
        && (line.text.contains("_IN_PROGRESS") || line.text.contains("_COMPLETE"))
}

/// "Step 3/9 : RUN apk add --no-cache": what the step is may have any words.
fn names_step(tokens: &[Token<'_>], place: &Counter) -> bool {
    let unit = place.first.checked_sub(1).and_then(|at| tokens.get(at));
    unit.is_some_and(|t| t.is_word() && is_step(&t.low))
        && tokens.get(place.after).is_some_and(|t| t.is_sign(':'))
        && !is_refused(&tokens[..place.after])
}

/// "[12/340] CC foo.o", "(3/12): foo.rpm", "[build 4/6] RUN", "[12 of 45] Compiling": a place in
/// brackets in front, and the first word of what it is about.
fn mark_names<'a, 'b>(
    tokens: &'a [Token<'b>],
    place: &Counter,
    from: usize,
) -> Option<&'a Token<'b>> {
    let opens = tokens
        .get(from)
        .is_some_and(|t| matches!(t.kind, Kind::Sign('[' | '(')));
    let stage = tokens.get(from + 1..place.first)?;
    let share = stage.last().is_some_and(|t| t.is_sign('%'));
    let named = stage.iter().all(|t| t.is_word() || t.kind == Kind::Opaque) || share;
    let named = named && stage.len() <= 2;
    let close = place.after
        + tokens[place.after..]
            .iter()
            .position(|t| matches!(t.kind, Kind::Sign(']' | ')')))?;
    // "[3/12 files]" may say of what.
    let plain = close == place.after || tokens[place.after].is_word();
    let operator = tokens
        .get(close + 1)
        .is_some_and(|t| matches!(t.kind, Kind::Sign('*' | '+' | '=')));
    let about = tokens[close..]
        .iter()
        .find(|t| t.is_word() || t.kind == Kind::Opaque);
    about.filter(|_| opens && named && plain && !operator)
}
