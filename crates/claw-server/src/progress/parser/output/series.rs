//! A counter that goes up from line to line is work, whatever else the lines say.

use super::evidence::{is_cell, is_refused, unit_is_not_work};
use super::is_called_total;
use super::lead::after_decoration;
use super::shares::share_update;
use super::updates::place_update;
use crate::progress::ProseProgress;
use crate::progress::parser::counters::{Counter, Share, counters, shares};
use crate::progress::parser::endings;
use crate::progress::parser::page::{Page, PageLine};
use crate::progress::parser::tokens::{Kind, Token};
use crate::progress::parser::vocabulary::{is_over, is_step};
use crate::progress::parser::words::listed;

/// How far back the line before may be: others may print in between.
const LOOK_BACK: usize = 40;

/// How many lines of the end are looked at for other rows of a list.
const LOOK_AHEAD: usize = 100;

/// A line with more counters is data.
const MOST_ROWS: usize = 8;

/// A counter in its line.
struct Row<'a> {
    place: Counter,
    /// Between what decorates the line and the counter.
    head: &'a [Token<'a>],
    /// All that is before the counter.
    before: &'a [Token<'a>],
    rest: &'a [Token<'a>],
}

/// The rows of each line of a page, found once.
pub(super) struct Series<'a> {
    page: &'a Page<'a>,
    rows: Vec<Vec<Row<'a>>>,
}

impl<'a> Row<'a> {
    /// The rows that a line can be: one for each counter.
    fn all(line: &'a PageLine<'a>) -> Vec<Self> {
        let tokens = line.tokens.as_slice();
        let from = after_decoration(tokens);
        let row = |place: Counter| Row {
            place,
            head: &tokens[from.min(place.first)..place.first],
            before: &tokens[..place.first],
            rest: &tokens[place.after..],
        };
        let counters = counters(tokens).into_iter().take(MOST_ROWS);
        counters.map(row).collect()
    }

    /// The name of the program in front of what it says.
    fn printer(&self) -> Option<&str> {
        let program = self.before.first()?;
        let colon = self.before.get(1).is_some_and(|t| t.is_sign(':'));
        let cut_away = self.head.len() < self.before.len();
        (colon && cut_away).then_some(program.text)
    }

    /// "(85 of 240)", "[39/41]"
    fn boxed(&self) -> bool {
        // A share may stand in the same box: "[ 42% 412/981]".
        let share = |t: &&Token<'_>| t.is_sign('%') || t.digits().is_some();
        let open = self.head.iter().rev().find(|t| !share(t));
        let close = self.rest.first();
        open.is_some_and(|t| matches!(t.kind, Kind::Sign('(' | '[')))
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

    /// Some words say in both what is counted.
    fn same_words(&self, other: &Self) -> bool {
        words(self.head).next().is_some() || words(self.rest).eq(words(other.rest))
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
            // "pass@1: 41/164", "pass@10: 98/164" are two results, "1/4 cup" and "3/4 spoon" two
            // amounts.
            true => by_one || self.boxed() || (self.same_names(before) && self.same_words(before)),
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

impl<'a> Series<'a> {
    pub(super) fn of(page: &'a Page<'a>) -> Self {
        let rows = page.lines.iter().map(|line| match line.shown {
            true => Vec::new(),
            false => Row::all(line),
        });
        Self {
            page,
            rows: rows.collect(),
        }
    }

    /// What the line says, if its counter was lower in a line before.
    pub(super) fn moved(&self, at: usize) -> Option<ProseProgress> {
        let line = &self.page.lines[at];
        let moved = |row: &&Row<'_>| {
            is_work(row)
                && (self.moves(at, row) || self.closed(at, row) || self.has_its_turn(at, row))
        };
        let rows: Vec<_> = self.rows[at].iter().filter(moved).collect();
        let whole = rows.iter().find(|row| is_called_total(row.before));
        let row = whole.or(rows.first())?;
        let from = after_decoration(&line.tokens);
        Some(place_update(line, &row.place, &shares(&line.tokens), from))
    }

    fn moves(&self, at: usize, row: &Row<'_>) -> bool {
        let mut before = self.rows[..at].iter().rev().take(LOOK_BACK).flatten();
        if !before.any(|before| row.follows(before)) {
            return self.steps_on(at, row);
        }
        // Another counter behind it would be a list: "alice: 4/10", "bob: 2/10".
        let goes_on = |others: &Vec<Row<'_>>| {
            others.is_empty() || others.iter().any(|other| row.same_head(other))
        };
        let mut later = self.rows[at + 1..].iter().rev().take(LOOK_AHEAD);
        row.boxed() || later.all(goes_on)
    }

    /// "north, 6 of 9", "south, 7 of 9", "east, 8 of 9": three in a row are no chance, whatever the
    /// words are.
    fn steps_on(&self, at: usize, row: &Row<'_>) -> bool {
        let place = &row.place;
        let mut last = place.done;
        for before in self.rows[..at].iter().rev().take(LOOK_BACK).flatten() {
            let one_less = before.place.done + 1.0 == last;
            if before.place.total == place.total && one_less && before.boxed() == row.boxed() {
                last = before.place.done;
            }
        }
        let patch = row.before.last().is_some_and(|t| t.low == "patch");
        place.total >= 5.0 && last + 2.0 <= place.done && !row.unit_is_step() && !patch
    }

    /// "seed: users 2000/2000", "seed: items 850/850", "seed: orders 310/1200": a program says of each
    /// thing how far it is, and all before the last are done.
    fn has_its_turn(&self, at: usize, row: &Row<'_>) -> bool {
        let Some(program) = row.printer().filter(|_| row.rest.is_empty()) else {
            return false;
        };
        let mut done = 0;
        for rows in self.rows[..at].iter().rev().take(LOOK_BACK) {
            let [other] = rows.as_slice() else { break };
            if other.printer() != Some(program) {
                break;
            }
            let full = other.place.done >= other.place.total && other.rest.is_empty();
            if !full || row.same_head(other) {
                return false;
            }
            done += 1;
        }
        done >= 2 && self.rows[at + 1..].iter().all(Vec::is_empty)
    }

    /// "orders 9000/9000" and then "finished in 14.2 s"
    fn closed(&self, at: usize, row: &Row<'_>) -> bool {
        let full = row.place.stroke && row.place.done == row.place.total && row.rest.is_empty();
        let mut next = self.page.lines[at + 1..].iter();
        let next = next.find(|line| !line.text.is_empty());
        full && next.is_some_and(|line| endings::closes(line.text))
    }
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

/// "lightmaps 33 %", "lightmaps 37 %", "lightmaps 41 %": a share that goes up twice. Two shares that
/// differ could be anything.
pub(super) fn share_moved(page: &Page<'_>, at: usize) -> Option<ProseProgress> {
    let line = page.lines.get(at).filter(|line| !line.may_be_old)?;
    let share = only_share(line).filter(|_| !is_refused(&line.tokens))?;
    // "10% off"
    let after = line.tokens.get(share.after);
    if after.is_some_and(|t| t.is_word() && !is_over(&t.low)) {
        return None;
    }
    let mut lowest = share.percent;
    let mut times = 0;
    for earlier in page.lines[..at].iter().rev().take(LOOK_BACK) {
        let Some(before) = only_share(earlier).filter(|_| says_the_same(earlier, line)) else {
            continue;
        };
        if before.percent > lowest {
            break;
        }
        times += usize::from(before.percent < lowest);
        lowest = before.percent;
    }
    (times >= 2).then(|| share_update(line, &share))
}

fn only_share(line: &PageLine<'_>) -> Option<Share> {
    let numbers = line.tokens.iter().filter(|t| t.digits().is_some());
    let alone = numbers.take(2).count() == 1 && !line.shown;
    alone
        .then(|| shares(&line.tokens).into_iter().next())
        .flatten()
}

fn says_the_same(one: &PageLine<'_>, other: &PageLine<'_>) -> bool {
    let (one, other) = (&one.tokens, &other.tokens);
    words(one).eq(words(other)) && names(one).eq(names(other))
}
