//! Counters and shares in the output of tools that are no test runners: builders, package
//! managers, downloads, version control, training, scripts.

use super::counters::{Counter, Share, counters, shares};
use super::page::{Page, PageLine};
use super::reading::{CLEAR_FORM, WORDED, label, update};
use super::runners::Found;
use super::subagents::is_agent;
use super::tokens::{Kind, Token};
use super::vocabulary::{
    is_failure, is_not_work, is_over, is_printed_noun, is_step, is_thing, is_work_verb, opens_work,
};
use crate::progress::parser::words::listed;
use crate::progress::{ProgressKind, ProgressState, ProseProgress};

/// The last line that says how far something is, and how it ended if the lines after it tell.
pub(super) fn read(page: &Page<'_>) -> Option<Found> {
    let table = curl_table(page);
    let line = page.read().rev().find_map(|(line, text)| {
        let update = line_update(text)?;
        Some(Found { line, update })
    });
    let mut found = match (line, table) {
        (Some(line), Some(table)) if table.line > line.line => table,
        (Some(line), _) => line,
        (None, table) => table?,
    };
    if let Some(epoch) = epoch_of(page, &found) {
        found.update = epoch;
    }
    match found.update.state {
        ProgressState::Running => found.update.state = ending(page, &found),
        _ if build_stopped(page, &found) => found.update.state = ProgressState::Failed,
        _ => {}
    }
    Some(found)
}

/// The bar of one epoch stands under the epoch, and the epoch is the whole.
fn epoch_of(page: &Page<'_>, found: &Found) -> Option<ProseProgress> {
    let before = page.lines.get(found.line.checked_sub(1)?)?;
    let epoch = line_update(before).filter(|update| update.kind == ProgressKind::Step)?;
    let names_nothing = page.lines[found.line].tokens.first()?.digits().is_some();
    let is_epoch = before.tokens.first()?.low == "epoch";
    let mut epoch = epoch;
    if epoch.done >= epoch.total && found.update.state == ProgressState::Finished {
        epoch.state = ProgressState::Finished;
    }
    (is_epoch && names_nothing && found.update.kind == ProgressKind::Count).then_some(epoch)
}

/// A builder may stop at its last target.
fn build_stopped(page: &Page<'_>, found: &Found) -> bool {
    page.lines.iter().skip(found.line + 1).any(|line| {
        line.text.starts_with("ninja: build stopped")
            || (line.text.contains("make") && line.text.contains("***"))
    })
}

/// How it ended, as the lines after the last counter tell.
fn ending(page: &Page<'_>, found: &Found) -> ProgressState {
    const FAILURES: &[&str] = &[
        "error",
        "fatal",
        "make: ***",
        "make[",
        "gmake: ***",
        "ninja: build stopped",
        "traceback",
        "panic:",
        "npm err!",
        "aborted",
        "killed",
        "segmentation fault",
        "build failed",
        "curl: (",
        "failed to",
        "failed:",
        "failure:",
        "interrupted",
        "rsync error",
        "wget: ",
        "the command '",
        "✗",
        "✖",
        "❌",
        "abgebrochen",
        "fehler:",
        "erreur",
        "could not",
        "cannot ",
    ];
    const ENDS: &[&str] = &[
        "done",
        "finished",
        "complete",
        "success",
        "all done",
        "build completed",
        "build succeeded",
        "✓",
        "✔",
        "✨",
        "✅",
        "fertig",
        "terminé",
        "built ",
    ];
    let whole = match (found.update.done, found.update.total, found.update.percent) {
        (Some(done), Some(total), _) => done >= total,
        (_, _, Some(percent)) => percent >= 100.0,
        _ => false,
    };
    for line in page.lines.iter().skip(found.line + 1) {
        let low = without_mark(line.text).to_lowercase();
        if FAILURES.iter().any(|sign| low.starts_with(sign))
            || low.contains("returned a non-zero code")
            || low.contains("error: failed")
        {
            return ProgressState::Failed;
        }
        let all = low.starts_with("all ") && low.split([' ', '.', '!']).any(is_over);
        if whole && (all || ENDS.iter().any(|sign| low.starts_with(sign))) {
            return ProgressState::Finished;
        }
    }
    ProgressState::Running
}

/// The line without the name of the program that many print in front: "[pipeline] done".
fn without_mark(text: &str) -> &str {
    let Some((mark, rest)) = text.strip_prefix('[').and_then(|text| text.split_once(']')) else {
        return text;
    };
    let is_name = mark
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
    match is_name && mark.chars().any(char::is_alphabetic) {
        true => rest.trim_start(),
        false => text,
    }
}

/// curl's table has its share in the first column.
fn curl_table(page: &Page<'_>) -> Option<Found> {
    let (head, ()) = page.last(|line| {
        (line.text.starts_with("% Total") && line.text.contains("% Received")).then_some(())
    })?;
    let rest = page.between(head + 1, page.lines.len());
    let at = rest.iter().rposition(|line| {
        line.tokens.len() >= 8 && line.tokens[0].digits().is_some_and(|n| n <= 100.0)
    })?;
    let mut found = update(ProgressKind::Percent, CLEAR_FORM);
    found.percent = rest[at].tokens[0].digits();
    if found.percent == Some(100.0) {
        found.state = ProgressState::Finished;
    }
    Some(Found {
        line: head + 1 + at,
        update: found,
    })
}

/// What one line says.
fn line_update(line: &PageLine<'_>) -> Option<ProseProgress> {
    let tokens = &line.tokens;
    let from = after_decoration(tokens);
    let counters = counters(tokens);
    let shares = shares(tokens);
    if counters.is_empty() && shares.is_empty() {
        return None;
    }
    // A heading or a list of a document.
    let heading = line.text.starts_with("# ")
        || line.text.starts_with("## ")
        || line.text.starts_with("### ");
    let numbered = tokens[0].digits().is_some()
        && tokens.get(1).is_some_and(|t| t.is_sign('.') && !t.spaced)
        && tokens.get(2).is_some_and(|t| t.spaced);
    if heading || numbered {
        return None;
    }
    let evidence = Evidence::of(line, from);
    let spoken = |at: usize| !in_quotes(tokens, at);
    let place = counters
        .iter()
        .find(|c| spoken(c.first) && place_is_work(line, c, from, &evidence));
    if let Some(place) = place {
        // apt puts the part in brackets after the whole.
        let whole_first = shares.first().filter(|s| {
            s.first == from && tokens.get(s.after).is_some_and(|t| t.is_sign('[')) && place.size
        });
        if let Some(share) = whole_first {
            return Some(share_update(line, share));
        }
        return Some(place_update(line, place, &shares, from));
    }
    let share = shares
        .iter()
        .rev()
        .find(|s| spoken(s.first) && share_is_work(line, s, from, &evidence))?;
    Some(share_update(line, share))
}

/// What stands in quotation marks is a name or a value.
fn in_quotes(tokens: &[Token<'_>], at: usize) -> bool {
    let marks = |sign: char| tokens[..at].iter().filter(|t| t.is_sign(sign)).count();
    marks('"') % 2 == 1 || marks('`') % 2 == 1
}

/// The first token that is not a bullet, an arrow, a clock or a level of a log.
fn after_decoration(tokens: &[Token<'_>]) -> usize {
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let boxed_word = token.is_sign('[')
            && tokens
                .get(at + 1)
                .is_some_and(|t| t.is_word() || t.kind == Kind::Opaque || t.is_sign('+'))
            && tokens.get(at + 2).is_some_and(|t| t.is_sign(']'));
        let numbered = token.is_sign('#')
            && tokens
                .get(at + 1)
                .is_some_and(|t| t.digits().is_some() && !t.spaced)
            && tokens
                .get(at + 2)
                .is_some_and(|t| t.is_sign('[') || t.digits().is_some());
        let clock = token.kind == Kind::Opaque
            && token.text.starts_with(|c: char| c.is_ascii_digit())
            && token.text.contains([':', '-']);
        match token.kind {
            _ if boxed_word => {
                // "[download]  45.3%" names the work; "[INFO]" does not.
                if is_printed_noun(&tokens[at + 1].low) || opens_work(&tokens[at + 1].low) {
                    break;
                }
                at += 3;
            }
            _ if numbered => at += 2,
            _ if clock => at += 1,
            Kind::Sign('[' | '(' | '<' | '%') => break,
            Kind::Sign(_) => at += 1,
            Kind::Word
                if matches!(
                    token.low.as_str(),
                    "info" | "debug" | "notice" | "remote" | "warn" | "ℹ"
                ) =>
            {
                at += 1;
            }
            _ => break,
        }
    }
    at
}

/// What besides the number tells that a line is about work.
struct Evidence {
    /// A bar is drawn.
    bar: bool,
    /// A rate or a time that is left.
    rate: bool,
    /// One of the first words opens a report of work.
    opened: bool,
    /// A word says that this is not work.
    refused: bool,
}

impl Evidence {
    fn of(line: &PageLine<'_>, from: usize) -> Self {
        let tokens = &line.tokens;
        let words = tokens[from.min(tokens.len())..]
            .iter()
            .filter(|t| t.is_word());
        let opened = words
            .clone()
            .take(3)
            .any(|t| opens_work(&t.low) || is_printed_noun(&t.low));
        let waits = words.clone().next().is_some_and(|t| t.low == "waiting");
        let dev = line.text.contains("/dev/");
        // A second try is no second step.
        let again = tokens
            .iter()
            .any(|t| listed!(&t.low, "attempt attempts retry retries retrying tries"));
        let earlier = words
            .clone()
            .next()
            .is_some_and(|t| matches!(t.low.as_str(), "last" | "previous" | "earlier" | "old"));
        let earlier = earlier
            || tokens.windows(2).any(|pair| {
                matches!(pair[0].low.as_str(), "last" | "this")
                    && matches!(
                        pair[1].low.as_str(),
                        "night" | "week" | "month" | "sprint" | "year"
                    )
            });
        Self {
            bar: has_bar(line.text),
            rate: has_rate(tokens),
            opened: opened || waits,
            refused: dev || again || earlier || (!waits && is_refused(tokens)),
        }
    }
}

/// A word of the line says that what is counted is not work.
fn is_refused(tokens: &[Token<'_>]) -> bool {
    tokens.iter().enumerate().any(|(at, token)| {
        if !token.is_word() || !is_not_work(&token.low) {
            return false;
        }
        // What is generated or loaded can be pages, users or results; "12s left" is a time.
        let time = matches!(token.low.as_str(), "left" | "remaining" | "elapsed")
            && (has_rate(tokens)
                || at
                    .checked_sub(1)
                    .and_then(|at| tokens.get(at))
                    .is_some_and(|t| {
                        t.kind == Kind::Opaque
                            || listed!(&t.low, "s m h min seconds minutes time file eta")
                    })
                || time_follows(&tokens[at + 1..]));
        // "Rate: 3.1M/s" is a speed.
        let time = time || (token.low == "rate" && has_rate(tokens));
        let made = listed!(
            &token.low,
            "pages page users results cache token tokens problems question questions
            customers load duplicates connections versions packets branches matches
            threads memory missing volume available"
        ) && tokens[..at]
            .iter()
            .any(|t| t.is_word() && (is_work_verb(&t.low) || t.low.ends_with("ing")));
        let metric = matches!(
            token.low.as_str(),
            "loss" | "accuracy" | "precision" | "recall" | "rate" | "gpu" | "mem"
        ) && tokens.iter().take(4).any(|t| is_step(&t.low));
        !(time || made || metric)
    })
}

/// ": ~1m", "0:00:12"
fn time_follows(tokens: &[Token<'_>]) -> bool {
    let Some(at) = tokens
        .iter()
        .take(3)
        .position(|t| t.digits().is_some() || t.kind == Kind::Opaque)
    else {
        return false;
    };
    let unit = tokens.get(at + 1);
    tokens[at].text.contains(':')
        || unit.is_some_and(|t| matches!(t.low.as_str(), "s" | "m" | "h" | "min" | "sec"))
}

fn has_bar(text: &str) -> bool {
    if text.chars().any(|c| {
        matches!(
            c,
            '█' | '▓'
                | '▌'
                | '▊'
                | '▉'
                | '▋'
                | '▍'
                | '▎'
                | '▏'
                | '━'
                | '╸'
                | '╺'
                | '■'
                | '▰'
                | '▱'
                | '⣿'
        )
    }) {
        return true;
    }
    let mut run = 0;
    let mut before = ' ';
    for c in text.chars() {
        run = if c == before { run + 1 } else { 1 };
        before = c;
        if run >= 3 && matches!(c, '#' | '=') {
            return true;
        }
    }
    text.contains("[>")
        || text.contains("=>") && text.contains('[')
        || text.contains("[#")
        || text.contains("[=")
        || text.contains("[-----")
        || text.contains(">---")
}

/// `12.3MB/s`, `36.10it/s`, `ETA 0:12`.
fn has_rate(tokens: &[Token<'_>]) -> bool {
    tokens.windows(3).any(|three| {
        three[0].is_word()
            && three[1].is_sign('/')
            && matches!(three[2].low.as_str(), "s" | "sec" | "second")
    }) || tokens.iter().any(|t| {
        t.low == "eta"
            || (t.kind == Kind::Opaque
                && (t.text.ends_with("B/s")
                    || t.text.ends_with("it/s")
                    || t.text.ends_with("b/s")
                    || matches!(t.text, "K/s" | "k/s" | "M/s" | "G/s")
                    || t.text.ends_with("bps")))
    })
}

fn place_is_work(line: &PageLine<'_>, place: &Counter, from: usize, evidence: &Evidence) -> bool {
    let tokens = &line.tokens;
    let before = |back: usize| place.first.checked_sub(back).and_then(|at| tokens.get(at));
    let after = tokens.get(place.after);
    // What is worked on may be disks, pages or users.
    let acts = mark_names(tokens, place, from).is_some_and(|t| t.is_word() && opens_work(&t.low));
    let known = line.text.starts_with("Rewrite ") || is_stack_event(line, place);
    if known {
        return true;
    }
    if evidence.refused && !acts && !names_step(tokens, place) {
        return false;
    }
    // An operand, a value, an address.
    if before(1).is_some_and(|t| {
        matches!(
            t.kind,
            Kind::Sign('=' | '*' | '+' | '@' | '"' | '\'' | '`' | '$')
        )
    }) || before(1).is_some_and(|t| listed!(&t.low, "with using across only"))
        || after.is_some_and(|t| t.is_sign('=') || t.low == "vus")
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
    // "Batch 3/8: 1,200 rows written"
    let portion = before(1).is_some_and(|t| listed!(&t.low, "batch chunk shard item"))
        && place.first == from + 1
        && after.is_some_and(|t| t.is_sign(':'));
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
            .any(|t| is_work_verb(&t.low));
        let far = place.first.saturating_sub(from) > 14
            || tokens[from.min(place.first)..place.first]
                .iter()
                .any(|t| t.is_sign(';'));
        if (opener || end_opener) && !far {
            return true;
        }
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
    let verb = rest.iter().take(4).any(|t| is_work_verb(&t.low));
    first && ((thing && only) || verb) && tokens.len() < 28
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
    let named = stage.len() <= 2 && stage.iter().all(|t| t.is_word() || t.kind == Kind::Opaque);
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

fn share_is_work(line: &PageLine<'_>, share: &Share, from: usize, evidence: &Evidence) -> bool {
    let tokens = &line.tokens;
    let before = share.first.checked_sub(1).and_then(|at| tokens.get(at));
    let after = tokens.get(share.after);
    // "reading sources... [ 50%] usage": what is in its turn may have any name.
    let in_brackets = before.is_some_and(|t| t.is_sign('['))
        && after.is_some_and(|t| t.is_sign(']'))
        && !is_refused(&tokens[..share.after]);
    // azcopy: "45.2 %, 12 Done, 0 Failed, 28 Pending, 40 Total"
    if share.first == from
        && ["done", "pending", "total"]
            .iter()
            .all(|word| tokens.iter().any(|t| t.low == *word))
    {
        return true;
    }
    if (evidence.refused && !in_brackets)
        || before.is_some_and(|t| matches!(t.kind, Kind::Sign('"' | '\'' | '`' | '*' | '+' | '$')))
    {
        return false;
    }
    // "45% of users" is a share of something else.
    if after.is_some_and(|t| t.low == "of") && !evidence.rate && !evidence.opened {
        return false;
    }
    // "45% smaller", "by 45%", "Compressed 12 images (45%)"
    let compared = after.is_some_and(|t| {
        listed!(
            &t.low,
            "less more faster slower smaller larger off lower higher reduction"
        )
    }) || before.is_some_and(|t| {
        listed!(
            &t.low,
            "by to from than every each under over above below least most"
        )
    }) || tokens.iter().any(|t| {
        listed!(
            &t.low,
            "compressed reduced optimized optimised minified shrunk gzipped executed"
        )
    });
    if compared {
        return false;
    }
    if line.redrawn || evidence.bar || evidence.rate || line.text.contains(".......... ..........")
    {
        return true;
    }
    // "[ 45%] Building C object"
    let boxed = share.first == from + 1
        && tokens
            .get(from)
            .is_some_and(|t| matches!(t.kind, Kind::Sign('[' | '(')))
        && after.is_some_and(|t| matches!(t.kind, Kind::Sign(']' | ')')));
    if boxed
        && tokens[share.after..]
            .iter()
            .any(|t| t.is_word() || t.kind == Kind::Opaque)
    {
        return true;
    }
    // "[0:12] 31.82%  /home/user/media": restic
    let timed = share.first == from
        && from >= 3
        && tokens[from - 1].is_sign(']')
        && tokens[from - 2].text.contains(':')
        && tokens[from - 3].is_sign('[');
    if timed {
        return true;
    }
    // "45% [3 libfoo 12.3 kB/45.6 kB 27%]"
    if share.first == from && after.is_some_and(|t| t.is_sign('[')) {
        return true;
    }
    // "45% done", "45% building modules"
    let said = after.is_some_and(|t| is_over(&t.low) || opens_work(&t.low) || t.low == "through")
        || (share.first == from && after.is_some_and(|t| t.is_sign('|')))
        // k6: "default [ 40% ] 10 VUs"
        || (after.is_some_and(|t| t.is_sign(']')) && tokens.iter().any(|t| t.low == "vus"));
    if said {
        return true;
    }
    // Cells of a table.
    if tokens[from.min(share.first)..share.first]
        .iter()
        .any(|t| t.is_sign('|'))
    {
        return false;
    }
    // "Downloading... 45%", "Progress: 45%"
    let opener = tokens[from.min(share.first)..share.first]
        .iter()
        .filter(|t| t.is_word())
        .take(4)
        .enumerate()
        .any(|(place, t)| {
            // "done" in the middle is a value, "Downloading" is not.
            let opens = match place {
                0 => opens_work(&t.low),
                _ => is_work_verb(&t.low) && !is_over(&t.low),
            };
            opens || is_printed_noun(&t.low)
        });
    opener && share.first.saturating_sub(from) <= 14
}

fn place_update(
    line: &PageLine<'_>,
    place: &Counter,
    shares: &[Share],
    from: usize,
) -> ProseProgress {
    let tokens = &line.tokens;
    let unit_before = tokens[..place.first].iter().rev().find(|t| t.is_word());
    let step = unit_before.is_some_and(|t| is_step(&t.low)) || is_action(line, place, from);
    let kind = if step {
        ProgressKind::Step
    } else {
        ProgressKind::Count
    };
    let tests = counts_tests(tokens, place);
    let named = tokens[place.after..].iter().find(|t| t.is_word());
    let agents = named.into_iter().chain(unit_before);
    let agents = agents.clone().any(|t| is_agent(&t.low));
    let kind = match (tests, agents) {
        (true, _) => ProgressKind::TestRun,
        (_, true) => ProgressKind::Subagent,
        _ => kind,
    };
    let mut found = update(kind, CLEAR_FORM);
    found.done = Some(place.done);
    found.total = Some(place.total);
    found.percent = shares
        .iter()
        .find(|share| belongs(share, place))
        .map(|share| share.percent);
    found.label = label_of(line, place.first, place.after);
    // A step that has its turn is not over; the last of like things is.
    let item = step
        || tests
        || tokens[..place.first]
            .iter()
            .next_back()
            .is_some_and(|t| t.is_word() && is_thing(&t.low));
    let full = place.done >= place.total
        && (!item || says_over(tokens, place.after))
        && !part_goes_on(shares, place);
    if full || line.text.contains("FINISHED") {
        found.state = ProgressState::Finished;
    }
    // "aborted at record 812 of 2000"
    let stopped_at = tokens[..place.first].windows(2).any(|pair| {
        is_failure(&pair[0].low) && matches!(pair[1].low.as_str(), "at" | "on" | "after" | "in")
    });
    let gave_up = agents && tokens[..place.first].iter().any(|t| is_failure(&t.low));
    if stopped_at
        || gave_up
        || step
            && tokens[place.after..]
                .iter()
                .any(|t| t.is_word() && is_failure(&t.low))
    {
        found.state = ProgressState::Failed;
    }
    found
}

/// A word for a test, or the name of one.
fn is_test(token: &Token<'_>) -> bool {
    let named = token.kind == Kind::Opaque
        && (token.text.starts_with("test_")
            || token.text.contains("_test.")
            || token.text.contains(".test.")
            || token.text.contains(".spec."));
    named
        || matches!(
            token.low.as_str(),
            "test" | "tests" | "testing" | "spec" | "specs" | "suite"
        )
}

/// What is counted are tests that run: they are named right beside the place.
fn counts_tests(tokens: &[Token<'_>], place: &Counter) -> bool {
    let around = place.first.saturating_sub(2)..tokens.len().min(place.after + 2);
    let first = tokens
        .iter()
        .find(|t| t.is_word() || t.kind == Kind::Opaque);
    tokens[around].iter().any(is_test)
        || first.is_some_and(|t| t.kind == Kind::Opaque && is_test(t))
}

/// A counter in front of actions that differ in kind: `[2/4] Fetching packages...`.
fn is_action(line: &PageLine<'_>, place: &Counter, from: usize) -> bool {
    let boxed = line.tokens.get(from).is_some_and(|t| t.is_sign('['))
        && place.first > from
        && !line.tokens[from.min(place.first)..place.first]
            .iter()
            .any(|t| t.is_sign(']'));
    let dots = line.text.ends_with("...") || line.text.ends_with('…');
    let named_stage = place.first > from + 1;
    boxed && (dots || named_stage) && place.total <= 20.0
}

/// A share belongs to a place when it stands before it or says the same.
fn belongs(share: &Share, place: &Counter) -> bool {
    let same = (place.done / place.total * 100.0 - share.percent).abs() <= 1.5;
    share.first < place.first || same
}

/// The last one is begun, and its own share is not full.
fn part_goes_on(shares: &[Share], place: &Counter) -> bool {
    shares
        .iter()
        .any(|share| share.first > place.first && share.percent < 100.0)
}

fn says_over(tokens: &[Token<'_>], from: usize) -> bool {
    tokens[from..]
        .iter()
        .any(|t| t.is_word() && is_over(&t.low))
}

fn share_update(line: &PageLine<'_>, share: &Share) -> ProseProgress {
    let tests = line.tokens[..share.first].iter().any(is_test);
    let kind = if tests {
        ProgressKind::TestRun
    } else {
        ProgressKind::Percent
    };
    let mut found = update(kind, WORDED);
    found.percent = Some(share.percent);
    found.label = label_of(line, share.first, share.after);
    if share.percent >= 100.0 {
        found.state = ProgressState::Finished;
    }
    found
}

/// The words before the number, else those after it.
fn label_of(line: &PageLine<'_>, first: usize, after: usize) -> Option<String> {
    let start = line.tokens.get(first).map_or(0, |t| t.at);
    let end = line.tokens.get(after).map_or(line.text.len(), |t| t.at);
    label(&line.text[..start]).or_else(|| label(&line.text[end..]))
}
