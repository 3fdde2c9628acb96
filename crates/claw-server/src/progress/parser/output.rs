//! Counters and shares in the output of tools that are no test runners: builders, package
//! managers, downloads, version control, training, scripts.

mod evidence;
mod lead;
mod places;
mod series;
mod shares;
mod totals;
mod turns;
mod updates;
mod wget;
mod wholes;

use self::evidence::{Evidence, in_quotes};
use self::lead::after_decoration;
use self::places::place_is_work;
use self::series::{Series, share_moved};
use self::shares::{share_is_work, share_update};
use self::totals::{named_total, with_those_in_hand};
pub(super) use self::turns::is_step_among_others;
use self::updates::place_update;
use self::wholes::whole_of;
use crate::progress::parser::counters::{Counter, counters, shares};
use crate::progress::parser::endings;
use crate::progress::parser::page::{Page, PageLine};
use crate::progress::parser::reading::{CLEAR_FORM, label, update};
use crate::progress::parser::runners::Found;
use crate::progress::parser::tokens::Token;
use crate::progress::parser::words::listed;
use crate::progress::{ProgressKind, ProgressState, ProseProgress};

/// The last line that says how far something is, and how it ended if the lines after it tell.
pub(super) fn read(page: &Page<'_>) -> Option<Found> {
    let table = curl_table(page);
    let series = Series::of(page);
    let lines = page.lines.iter().enumerate().rev();
    let mut lines = lines.filter(|(_, line)| !line.shown);
    let line = lines.find_map(|(line, text)| {
        let update = dotted_scale(text)
            .or_else(|| wget::saved(page, line))
            .or_else(|| line_update(text))
            .or_else(|| series.moved(line))
            .or_else(|| share_moved(page, line))?;
        Some(Found { line, update })
    });
    let mut found = match (line, table) {
        (Some(line), Some(table)) if table.line > line.line => table,
        (Some(line), _) => line,
        (None, table) => table?,
    };
    if let Some(whole) = whole_of(page, &found) {
        found.update = whole;
    }
    if is_step_among_others(page, &found) {
        found.update.kind = ProgressKind::Step;
    }
    found.update.state = endings::of_work(page, &found);
    Some(found)
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

/// "0...10...20...30" and, at the end, "100 - done.", or "solve: 41% ... 42% ... 43%": a scale that
/// is drawn as it fills.
fn dotted_scale(line: &PageLine<'_>) -> Option<ProseProgress> {
    let scale = line.text.trim_end_matches("done.").trim_end_matches("done");
    let scale = scale.trim_end_matches([' ', '-', '.', ',']);
    let scale = scale.rsplit_once(": ").map_or(scale, |(_, scale)| scale);
    let marks = scale.trim_start_matches('.').replace('…', "...");
    let marks: Vec<&str> = marks.split("...").map(str::trim).collect();
    let signed = marks.len() >= 3 && marks.iter().all(|mark| mark.ends_with('%'));
    let shares = marks
        .iter()
        .map(|mark| mark.trim_end_matches('%').parse::<u8>().ok());
    let shares: Option<Vec<u8>> = shares.collect();
    let shares = shares.filter(|shares| shares.iter().all(|share| *share <= 100))?;
    let (last, before) = shares.split_last()?;
    let by_tens = before.windows(2).all(|pair| pair[0] + 10 == pair[1]);
    let rising = shares.windows(2).all(|pair| pair[0] < pair[1]);
    if before.is_empty() || !(by_tens || signed && rising) {
        return None;
    }
    let mut found = update(ProgressKind::Percent, CLEAR_FORM);
    found.percent = Some(f64::from(*last));
    if *last == 100 {
        found.state = ProgressState::Finished;
    }
    Some(found)
}

/// What one line says.
fn line_update(line: &PageLine<'_>) -> Option<ProseProgress> {
    if line.may_be_old {
        return None;
    }
    let tokens = &line.tokens;
    let from = after_decoration(tokens);
    let counters = counters(tokens);
    let shares = shares(tokens);
    if tokens.is_empty() {
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
    let is_work = |c: &&Counter| {
        c.first >= from && spoken(c.first) && place_is_work(line, c, from, &evidence)
    };
    let place = counters.iter().find(is_work);
    let total = counters
        .iter()
        .find(|c| is_called_total(&tokens[..c.first]));
    let place = place.map(|place| total.unwrap_or(place));
    let in_hand = || with_those_in_hand(tokens).filter(|_| evidence.bar);
    let place = place.copied();
    let place = place.or_else(|| named_total(tokens)).or_else(in_hand);
    if let Some(place) = &place {
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

/// "[eu] 402/2000 | [us] 610/2000 | total 1012/4000"
fn is_called_total(before: &[Token<'_>]) -> bool {
    let name = before.last();
    name.is_some_and(|t| listed!(&t.low, "total overall gesamt insgesamt"))
}

/// The words before the number, else those after it.
pub(super) fn label_of(line: &PageLine<'_>, first: usize, after: usize) -> Option<String> {
    let start = line.tokens.get(first).map_or(0, |t| t.at);
    let end = line.tokens.get(after).map_or(line.text.len(), |t| t.at);
    label(&line.text[..start]).or_else(|| label(&line.text[end..]))
}
