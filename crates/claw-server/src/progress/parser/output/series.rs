//! A counter that goes up from line to line is work, whatever else the lines say.

use super::evidence::{is_cell, unit_is_not_work};
use super::is_called_total;
use super::lead::after_decoration;
use super::places::place_update;
use crate::progress::ProseProgress;
use crate::progress::parser::counters::{Counter, counters, shares};
use crate::progress::parser::endings;
use crate::progress::parser::page::{Page, PageLine};
use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::vocabulary::is_step;
use crate::progress::parser::words::listed;

/// How far back the line before may be: others may print in between.
const LOOK_BACK: usize = 40;

/// How many lines of the end are looked at for other rows of a list.
const LOOK_AHEAD: usize = 100;

/// A counter in its line.
struct Row<'a> {
    place: Counter,
    /// Between what decorates the line and the counter.
    head: &'a [Token<'a>],
    /// All that is before the counter.
    before: &'a [Token<'a>],
    rest: &'a [Token<'a>],
}

impl<'a> Row<'a> {
    /// The rows that a line can be: one for each counter.
    fn all(line: &'a PageLine<'a>) -> impl Iterator<Item = Self> {
        let tokens = line.tokens.as_slice();
        let from = after_decoration(tokens);
        counters(tokens).into_iter().map(move |place| Row {
            place,
            head: &tokens[from.min(place.first)..place.first],
            before: &tokens[..place.first],
            rest: &tokens[place.after..],
        })
    }

    /// "(85 of 240)", "[39/41]"
    fn boxed(&self) -> bool {
        let close = self.rest.first();
        self.head
            .last()
            .is_some_and(|t| matches!(t.kind, Kind::Sign('(' | '[')))
            && close.is_some_and(|t| matches!(t.kind, Kind::Sign(')' | ']')))
    }

    /// Names and numbers aside, the same is said before it.
    fn same_head(&self, other: &Self) -> bool {
        words(self.head).eq(words(other.head))
    }

    /// The names before it are the same, too; clocks are none.
    fn same_names(&self, other: &Self) -> bool {
        names(self.before).eq(names(other.before))
    }

    fn unit_is_step(&self) -> bool {
        let unit = self.head.iter().rev().find(|t| t.is_word());
        unit.is_some_and(|t| is_step(&t.low))
    }

    /// This row tells what came after the other.
    fn follows(&self, before: &Self) -> bool {
        let (now, was) = (&self.place, &before.place);
        if now.total != was.total || now.done <= was.done || now.size != was.size {
            return false;
        }
        let by_one = now.done == was.done + 1.0;
        // A list of steps is no work; what steps are at is read by their names.
        if self.unit_is_step() && by_one && !self.boxed() {
            return false;
        }
        match self.same_head(before) {
            // "pass@1: 41/164", "pass@10: 98/164" are two results.
            true => by_one || self.boxed() || self.same_names(before),
            false => by_one && self.boxed() && before.boxed() && now.total >= 3.0,
        }
    }
}

fn words<'a>(tokens: &'a [Token<'a>]) -> impl Iterator<Item = &'a str> {
    tokens
        .iter()
        .filter(|t| t.is_word())
        .map(|t| t.low.as_str())
}

fn names<'a>(tokens: &'a [Token<'a>]) -> impl Iterator<Item = &'a str> {
    let is_name = |t: &&Token<'a>| {
        t.kind == Kind::Opaque && !t.text.starts_with(|c: char| c.is_ascii_digit())
    };
    tokens.iter().filter(is_name).map(|t| t.text)
}

/// What the line says, if its counter was lower in a line before.
pub(super) fn moved(page: &Page<'_>, at: usize) -> Option<ProseProgress> {
    let line = &page.lines[at];
    let moved = |row: &Row<'_>| moves(page, at, row) || closed(page, at, row);
    let rows: Vec<_> = Row::all(line)
        .filter(|row| is_work(row) && moved(row))
        .collect();
    let whole = rows.iter().find(|row| is_called_total(row.before));
    let row = whole.or(rows.first())?;
    let from = after_decoration(&line.tokens);
    Some(place_update(line, &row.place, &shares(&line.tokens), from))
}

fn moves(page: &Page<'_>, at: usize, row: &Row<'_>) -> bool {
    let before = page.lines[..at].iter().rev().take(LOOK_BACK);
    let mut before = before.filter(|line| !line.shown);
    if !before.any(|line| Row::all(line).any(|before| row.follows(&before))) {
        return false;
    }
    // Another counter behind it would be a list: "alice: 4/10", "bob: 2/10".
    let goes_on = |line: &PageLine<'_>| {
        let mut others = Row::all(line).peekable();
        others.peek().is_none() || others.any(|other| row.same_head(&other))
    };
    let later = page.lines[at + 1..].iter().rev().take(LOOK_AHEAD);
    row.boxed() || later.into_iter().all(goes_on)
}

/// "orders 9000/9000" and then "finished in 14.2 s"
fn closed(page: &Page<'_>, at: usize, row: &Row<'_>) -> bool {
    let full = row.place.stroke && row.place.done == row.place.total && row.rest.is_empty();
    let next = page.lines[at + 1..]
        .iter()
        .find(|line| !line.text.is_empty());
    full && next.is_some_and(|line| endings::closes(line.text))
}

fn is_work(row: &Row<'_>) -> bool {
    // "Replica 2/3 is behind" says what it is like.
    let described = row
        .rest
        .iter()
        .any(|t| listed!(&t.low, "is are has have was"));
    let operand = row
        .head
        .last()
        .is_some_and(|t| matches!(t.kind, Kind::Sign('=' | '*' | '+' | '"' | '`' | '$')));
    let cell = is_cell(row.before, row.rest);
    row.place.total >= 2.0
        && !cell
        && !described
        && !operand
        && !unit_is_not_work(row.head, row.rest)
}
