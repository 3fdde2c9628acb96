//! Counters and shares in the output of tools that are no test runners: builders, package
//! managers, downloads, version control, training, scripts.

mod evidence;
mod places;
mod shares;

use self::evidence::{Evidence, after_decoration, in_quotes};
use self::places::{place_is_work, place_update};
use self::shares::{share_is_work, share_update};
use crate::progress::parser::counters::{counters, shares};
use crate::progress::parser::endings;
use crate::progress::parser::page::{Page, PageLine};
use crate::progress::parser::reading::{CLEAR_FORM, label, update};
use crate::progress::parser::runners::Found;
use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::vocabulary::is_step;
use crate::progress::{ProgressKind, ProgressState, ProseProgress};

/// The last line that says how far something is, and how it ended if the lines after it tell.
pub(super) fn read(page: &Page<'_>) -> Option<Found> {
    let table = curl_table(page);
    let line = page.read().rev().find_map(|(line, text)| {
        let update = line_update(text).or_else(|| moved(page, line))?;
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
    found.update.state = endings::of_work(page, &found);
    Some(found)
}

/// "Tiles: 512/2048" and then "Tiles: 600/2048": whatever is counted, it moves.
fn moved(page: &Page<'_>, at: usize) -> Option<ProseProgress> {
    let line = &page.lines[at];
    let place = counters(&line.tokens).into_iter().next()?;
    let before = page.lines[..at].iter().rev().take(2);
    let before = before.filter(|line| !line.shown).find_map(|line| {
        let place = counters(&line.tokens).into_iter().next()?;
        Some((line, place))
    });
    let (earlier, was) = before?;
    let head = &line.tokens[..place.first];
    let texts = head.iter().map(|t| t.text);
    let goes_up = was.total == place.total && was.done < place.done;
    let same = goes_up && texts.eq(earlier.tokens[..was.first].iter().map(|t| t.text));
    // A list of steps is no work; what steps are at is read by their names.
    let plain = |t: &Token<'_>| {
        (t.is_word() && !is_step(&t.low)) || matches!(t.kind, Kind::Sign(':' | '(' | '['))
    };
    let named =
        head.len() <= 6 && head.first().is_some_and(Token::is_word) && head.iter().all(plain);
    // "Replica 2/3 is behind" says what it is like.
    let described = line.tokens[place.after..]
        .iter()
        .any(|t| matches!(t.low.as_str(), "is" | "are" | "has" | "have" | "was"));
    let from = after_decoration(&line.tokens);
    if !same || !named || described || Evidence::of(line, from).refused {
        return None;
    }
    // Another counter behind it would be a list: "alice: 4/10", "bob: 2/10". The end is enough to
    // look at.
    let goes_on = |later: &PageLine<'_>| {
        let there = counters(&later.tokens).into_iter().next();
        there.is_none_or(|there| {
            let texts = later.tokens[..there.first].iter().map(|t| t.text);
            texts.eq(head.iter().map(|t| t.text))
        })
    };
    let mut later = page.lines[at + 1..].iter().rev().take(100);
    if !later.all(goes_on) {
        return None;
    }
    Some(place_update(line, &place, &shares(&line.tokens), from))
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

/// The words before the number, else those after it.
pub(super) fn label_of(line: &PageLine<'_>, first: usize, after: usize) -> Option<String> {
    let start = line.tokens.get(first).map_or(0, |t| t.at);
    let end = line.tokens.get(after).map_or(line.text.len(), |t| t.at);
    label(&line.text[..start]).or_else(|| label(&line.text[end..]))
}
