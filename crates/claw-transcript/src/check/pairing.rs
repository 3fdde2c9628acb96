//! Calls of tools and their results.

use super::ids::{self, ByNumber};
use super::member::Member;
use super::place::{Pointer, SecondLook};
use super::report::Sink;
use super::rule::{Rule, Severity};
use super::said::Said;
use super::table::{Marks, NONE, Table};

mod document;

/// A call on disk.
#[derive(Debug, Clone, Copy)]
struct Call {
    row: u32,
    block: u16,
    answered: bool,
}

/// A result that has no call that waits for it.
#[derive(Debug, Clone, Copy)]
struct Odd {
    row: u32,
    block: u16,
    call: u64,
}

/// The calls and results of one file.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    calls: ByNumber<Call>,
    odd: Vec<Odd>,
    /// Calls whose id was given to another one before they were answered.
    forgotten: Vec<Call>,
}

impl Pairs {
    pub(super) fn clear(&mut self) {
        self.calls.clear();
        self.calls.shrink_to(1 << 12);
        self.odd.clear();
        self.forgotten.clear();
    }

    /// Takes what a line calls or returns. The numbers of its calls are given to `called`.
    pub(super) fn add(&mut self, row: u32, said: &Said<'_>, mut called: impl FnMut(u64)) {
        for (index, block) in said.blocks().iter().enumerate() {
            let at = u16::try_from(index).unwrap_or(u16::MAX);
            if block.is_call() {
                let Some(id) = block.id.and_then(crate::members::string) else {
                    continue;
                };
                let number = ids::number(&id);
                called(number);
                let call = Call {
                    row,
                    block: at,
                    answered: false,
                };
                // Some gateways count calls anew in each reply.
                if let Some(before) = self.calls.insert(number, call)
                    && !before.answered
                {
                    self.forgotten.push(before);
                }
            } else if block.is_result() {
                let Some(id) = block.call.and_then(crate::members::string) else {
                    continue;
                };
                let number = ids::number(&id);
                match self.calls.get_mut(&number) {
                    Some(call) if !call.answered => call.answered = true,
                    _ => self.odd.push(Odd {
                        row,
                        block: at,
                        call: number,
                    }),
                }
            }
        }
    }

    /// Reports results without a call, calls without a result, and second results.
    pub(super) fn check(&mut self, table: &Table, look: &mut SecondLook<'_>, sink: &mut Sink) {
        self.late_calls(table);
        self.results(table, look, sink);
        let mut open: Vec<Call> = self.calls.values().copied().collect();
        open.append(&mut self.forgotten);
        open.retain(|call| !call.answered && !table.row(call.row).marks.has(Marks::COPY));
        open.sort_by_key(|call| (call.row, call.block));
        let rows: Vec<u32> = open.iter().map(|call| call.row).collect();
        let ends = ends(table, &rows);
        for (call, end) in open.iter().zip(ends) {
            let pointer = Pointer::Call(usize::from(call.block));
            unanswered(table, call.row, pointer, end, look, sink);
        }
        document::check(table, look, sink);
    }

    /// A result may stand before its call, where lines were written out of order.
    fn late_calls(&mut self, table: &Table) {
        let calls = &mut self.calls;
        self.odd.retain(|odd| {
            let Some(call) = calls.get_mut(&odd.call) else {
                return true;
            };
            let late = !call.answered && call.row > odd.row;
            call.answered |= late;
            !late && !table.row(odd.row).marks.has(Marks::COPY)
        });
    }

    fn results(&self, table: &Table, look: &mut SecondLook<'_>, sink: &mut Sink) {
        let rewritten = table
            .rows
            .first()
            .is_some_and(|row| row.marks.has(Marks::BOUNDARY));
        for odd in &self.odd {
            let row = table.row(odd.row);
            let known = self.calls.contains_key(&odd.call);
            let nameless =
                row.parent != NONE && table.row(row.parent).marks.has(Marks::NAMELESS_CALL);
            if row.marks.has(Marks::COPY) || (!known && nameless) {
                continue;
            }
            let severity = if rewritten && !known {
                Severity::Warning
            } else {
                Severity::Error
            };
            let how = (Rule::Pairing, severity);
            sink.add(how.0, how.1, || {
                let pointer = Pointer::Result(usize::from(odd.block));
                look.describe(row.place(), how, pointer, |_, call| {
                    if known {
                        format!(
                            "the call {call} has a result already: the API refuses a second one; \
                             drop one of the two"
                        )
                    } else {
                        format!(
                            "a result of the call {call}, which is not there: the API refuses \
                             it; restore the call, or drop the result"
                        )
                    }
                })
            });
        }
    }
}

/// What became of a call that has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Nothing came after it: it may still run, or its branch was left.
    Last,
    /// Somebody stopped it.
    Stopped,
    /// The conversation went on without its result.
    Passed,
}

/// What became of the messages of some rows, which are in order.
fn ends(table: &Table, open: &[u32]) -> Vec<End> {
    if open.is_empty() {
        return Vec::new();
    }
    let message = |row: u32| table.row(row).message;
    let mut found: Vec<End> = open
        .iter()
        .map(|row| {
            let stopped = table.row(*row).marks.has(Marks::ABORTED);
            if stopped { End::Stopped } else { End::Last }
        })
        .collect();
    // Which of the open calls each row comes after, the nearest; and all of one message as one.
    let mut after: Vec<u32> = vec![NONE; table.rows.len()];
    let mut by_message: ByNumber<u32> = ByNumber::default();
    for (index, row) in (0..).zip(open) {
        after[*row as usize] = index;
        if message(*row) != 0 {
            by_message.entry(u64::from(message(*row))).or_insert(index);
        }
    }
    for at in 0..table.rows.len() {
        let row = &table.rows[at];
        let above = match row.parent {
            NONE => NONE,
            parent => after[parent as usize],
        };
        let own = by_message.get(&u64::from(row.message)).copied();
        if let Some(own) = own.filter(|_| row.message != 0) {
            // A row of the same message continues nothing; the call itself is marked already.
            if after[at] == NONE {
                after[at] = own;
            }
        } else if after[at] == NONE {
            after[at] = above;
        }
        let Some(end) = found.get(above as usize).copied() else {
            continue;
        };
        let same = row.message != 0 && message(open[above as usize]) == row.message;
        let goes_on = row.marks.has(Marks::ASSISTANT | Marks::PROMPT) && !same;
        let stops = row.marks.has(Marks::ABORTED) && !same;
        let new = match end {
            End::Last if stops => End::Stopped,
            End::Last if goes_on && !row.marks.has(Marks::CALL) => End::Passed,
            end => end,
        };
        if new != end {
            let of = message(open[above as usize]);
            for (index, row) in open.iter().enumerate() {
                let is_it = index == above as usize || (of != 0 && message(*row) == of);
                if is_it && found[index] == End::Last {
                    found[index] = new;
                }
            }
        }
    }
    found
}

fn unanswered(
    table: &Table,
    row: u32,
    pointer: Pointer,
    end: End,
    look: &mut SecondLook<'_>,
    sink: &mut Sink,
) {
    let severity = match end {
        End::Stopped => return,
        End::Last => Severity::Note,
        End::Passed => Severity::Error,
    };
    let how = (Rule::Pairing, severity);
    sink.add(how.0, how.1, || {
        look.describe(table.row(row).place(), how, pointer, |facts, call| {
            let call = match pointer {
                Pointer::Member(_) => facts.id(Member::Uuid).unwrap_or_default().into_owned(),
                _ => call.to_owned(),
            };
            if end == End::Last {
                format!("the call {call} has no result: it still runs, or was never finished")
            } else {
                format!(
                    "the call {call} has no result, though the conversation went on: the API \
                     refuses that; add a result that says it was lost"
                )
            }
        })
    });
}
