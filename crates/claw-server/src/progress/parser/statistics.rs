//! Rows that say how something is made up: "Hits: 1311 / 1840 (71 %)". They look like bars of
//! several things that are worked on at once.

use super::counters::{Counter, counters, shares};
use super::page::PageLine;
use super::tokens::Token;
use super::vocabulary::is_not_work;

/// Fewer rows can be chance.
const FEWEST: usize = 3;

/// How many rows are looked at together.
const MOST: usize = 40;

/// A name, and a place or a share behind it, set apart by a colon or by more than one space.
struct Row<'a> {
    name: &'a [Token<'a>],
    place: Option<Counter>,
}

/// For each line whether it is a row of statistics.
pub(super) fn shown(lines: &[PageLine<'_>]) -> Vec<bool> {
    let mut shown = vec![false; lines.len()];
    let mut at = 0;
    while at < lines.len() {
        let rows: Vec<Row<'_>> = lines[at..].iter().map_while(row).take(MOST).collect();
        if rows.len() >= FEWEST && differ(&rows) && (names_a_measure(&rows) || nest(&rows)) {
            shown[at..at + rows.len()].fill(true);
        }
        at += rows.len().max(1);
    }
    shown
}

fn row<'a>(line: &'a PageLine<'_>) -> Option<Row<'a>> {
    let (places, shares) = (counters(&line.tokens), shares(&line.tokens));
    let place = places.first().copied();
    let starts = [
        place.map(|place| place.first),
        shares.first().map(|share| share.first),
    ];
    let value = starts.into_iter().flatten().min()?;
    let (last, rest) = line.tokens[..value].split_last()?;
    let colon = last.is_sign(':');
    let name = if colon { rest } else { &line.tokens[..value] };
    let gap = line.tokens[value].at - (last.at + last.text.len());
    // Coverage stands behind the package that was tested.
    let of_path = name.iter().any(|t| t.text.contains('/'));
    let apart = (colon || gap > 1) && name.iter().any(Token::is_word) && !of_path;
    (apart && places.len() <= 1 && shares.len() <= 1 && !line.redrawn)
        .then_some(Row { name, place })
}

/// What moves is named again and again.
fn differ(rows: &[Row<'_>]) -> bool {
    let same = |one: &Row<'_>, other: &Row<'_>| {
        let (one, other) = (one.name.iter(), other.name.iter());
        one.map(|t| t.text).eq(other.map(|t| t.text))
    };
    let mut pairs = rows.windows(2);
    pairs.all(|pair| !same(&pair[0], &pair[1]))
}

/// "Hits", "Misses", "Memory". What is all done may have any name: "users 500/500".
fn names_a_measure(rows: &[Row<'_>]) -> bool {
    let open = |row: &&Row<'_>| row.place.is_none_or(|place| place.done < place.total);
    let names = rows.iter().filter(open).flat_map(|row| row.name);
    names.filter(|t| t.is_word()).any(|t| is_not_work(&t.low))
}

/// What one row counts is the whole of another.
fn nest(rows: &[Row<'_>]) -> bool {
    let places = || rows.iter().filter_map(|row| row.place);
    let mut parts = places().filter(|place| 1.0 < place.done && place.done < place.total);
    parts.any(|part| places().any(|whole| whole.total == part.done))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::parser::numbers::Notation;
    use crate::progress::parser::page::Page;
    use crate::progress::parser::screen::Screen;

    #[test]
    fn rows_that_are_parts_of_each_other_are_statistics() {
        let cases = [
            ("Calls: 90 / 100\nDirect: 60 / 90\nOther: 30 / 90", true),
            ("active users  9%\nstaged rollout  20%\nopt-outs  1%", true),
            ("Hits: 9 / 10\nMisses: 1 / 10\nSlots: 4 / 8", true),
            ("a.iso: 90 / 100\nb.iso: 60 / 80\nc.iso: 30 / 70", false),
            ("copy: 10 / 100\ncopy: 20 / 100\ncopy: 30 / 100", false),
            ("Calls: 90 / 100\nDirect: 60 / 90", false),
        ];
        for (text, want) in cases {
            let screen = Screen::of(text);
            let page = Page::of(&screen, Notation::default());
            assert_eq!(shown(&page.lines).contains(&true), want, "{text}");
        }
    }
}
