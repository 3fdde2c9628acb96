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
    /// Calls that have no result yet. A session has many thousand calls, and few open ones.
    open: ByNumber<Call>,
    odd: Vec<Odd>,
    /// Calls whose id was given to another one before they were answered.
    forgotten: Vec<Call>,
    /// The same, with the call that has the id now.
    renewed: Vec<(Call, Call)>,
}

impl Pairs {
    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.open.shrink_to(1 << 12);
        self.odd.clear();
        self.forgotten.clear();
        self.renewed.clear();
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
                let call = Call { row, block: at };
                // Some gateways count calls anew in each reply.
                if let Some(before) = self.open.insert(number, call) {
                    self.forgotten.push(before);
                    self.renewed.push((before, call));
                }
            } else if block.is_result() {
                let Some(id) = block.call.and_then(crate::members::string) else {
                    continue;
                };
                let number = ids::number(&id);
                if self.open.remove(&number).is_none() {
                    self.odd.push(Odd {
                        row,
                        block: at,
                        call: number,
                    });
                }
            }
        }
    }

    /// Reports results without a call, calls without a result, and second results.
    pub(super) fn check(&mut self, table: &Table, look: &mut SecondLook<'_>, sink: &mut Sink) {
        self.late_calls(table, look, sink);
        self.results(table, look, sink);
        self.doubled(table, look, sink);
        let mut open: Vec<Call> = self.open.values().copied().collect();
        open.append(&mut self.forgotten);
        open.retain(|call| !table.marks(call.row).has(Marks::COPY));
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
    fn late_calls(&mut self, table: &Table, look: &mut SecondLook<'_>, sink: &mut Sink) {
        let open = &mut self.open;
        self.odd.retain(|odd| {
            let late = open.get(&odd.call).is_some_and(|call| call.row > odd.row);
            if late {
                open.remove(&odd.call);
                let how = (Rule::Pairing, Severity::Warning);
                sink.add(how.0, how.1, || {
                    let pointer = Pointer::Result(usize::from(odd.block));
                    look.describe(table.row(odd.row).place(), how, pointer, |_, call| {
                        format!("the result of the call {call} stands before it: put it behind")
                    })
                });
            }
            !late && !table.marks(odd.row).has(Marks::COPY)
        });
    }

    /// Reports different calls of one reply that share an id.
    fn doubled(&self, table: &Table, look: &mut SecondLook<'_>, sink: &mut Sink) {
        if self.renewed.is_empty() {
            return;
        }
        let replies = table.replies();
        for (before, call) in &self.renewed {
            let reply = |call: &Call| replies[call.row as usize];
            let one_reply = reply(before) == reply(call) && reply(call) != NONE;
            let place = |call: &Call| (table.row(call.row).offset, usize::from(call.block));
            if !one_reply || look.block(place(before)) == look.block(place(call)) {
                continue;
            }
            let how = (Rule::CallUnique, Severity::Error);
            sink.add(how.0, how.1, || {
                let pointer = Pointer::Call(usize::from(call.block));
                let line = table.row(before.row).ordinal + 1;
                look.describe(table.row(call.row).place(), how, pointer, |_, id| {
                    format!(
                        "a call of the same reply in line {line} also has the id {id}: the API \
                         rejects that; give this call the id that its result names"
                    )
                })
            });
        }
    }

    fn results(&self, table: &Table, look: &mut SecondLook<'_>, sink: &mut Sink) {
        let rewritten = table.is_rewritten();
        let numbers = self.odd.iter().map(|odd| odd.call);
        let calls = look.calls_among(numbers.collect());
        for odd in &self.odd {
            let row = table.row(odd.row);
            let known = calls.contains(&odd.call);
            let nameless = row.parent != NONE && table.marks(row.parent).has(Marks::NAMELESS_CALL);
            if !known && nameless {
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

/// What became of the calls of some rows, which are in order.
fn ends(table: &Table, open: &[u32]) -> Vec<End> {
    if open.is_empty() {
        return Vec::new();
    }
    let replies = table.replies();
    // The calls of one reply are one: the first of them stands for all.
    let mut by_reply: ByNumber<usize> = ByNumber::default();
    let one: Vec<usize> = (0..)
        .zip(open)
        .map(|(index, row)| match replies[*row as usize] {
            NONE => index,
            reply => *by_reply.entry(u64::from(reply)).or_insert(index),
        })
        .collect();
    let mut found = vec![End::Last; open.len()];
    // Which of the open calls each row comes after, the nearest.
    let mut after: Vec<u32> = vec![NONE; table.len()];
    for (index, row) in one.iter().zip(open) {
        after[*row as usize] = u32::try_from(*index).unwrap_or(NONE);
    }
    // The open call that the first of a reply comes after.
    let mut above_it = vec![NONE; open.len()];
    for (at, row) in (0..table.len()).zip(0_u32..) {
        let above = match table.parent(row) {
            NONE => NONE,
            parent => after[parent as usize],
        };
        let own = match replies[at] {
            NONE => None,
            reply => by_reply.get(&u64::from(reply)).copied(),
        };
        if after[at] == NONE {
            // A row of the same reply continues nothing.
            after[at] = own.map_or(above, |own| u32::try_from(own).unwrap_or(NONE));
        }
        let Some(end) = found.get(above as usize).copied() else {
            continue;
        };
        if after[at] == above && own.is_some() {
            continue;
        }
        let marks = table.marks(row);
        // What a subagent is told and says is not how the conversation goes on.
        let of_task = !table.marks(open[above as usize]).has(Marks::SIDECHAIN);
        if of_task && marks.has(Marks::SIDECHAIN) {
            continue;
        }
        if let Some(over) = above_it.get_mut(after[at] as usize)
            && after[at] != above
        {
            *over = above;
        }
        found[above as usize] = match end {
            End::Last if marks.has(Marks::ABORTED) => End::Stopped,
            End::Last if marks.has(Marks::ASSISTANT | Marks::PROMPT) && !marks.has(Marks::CALL) => {
                End::Passed
            }
            end => end,
        };
    }
    // What comes after a call comes after those above it too.
    for index in (0..open.len()).rev() {
        if let Some(over) = found.get(above_it[index] as usize)
            && *over == End::Last
        {
            found[above_it[index] as usize] = found[index];
        }
    }
    let ends = open.iter().zip(&one).map(|(row, one)| {
        let stopped = table.marks(*row).has(Marks::ABORTED);
        if stopped { End::Stopped } else { found[*one] }
    });
    ends.collect()
}

/// Whether the conversation went on without the results of the calls of some rows.
pub(super) fn were_passed(table: &Table, open: &[u32]) -> Vec<bool> {
    let ends = ends(table, open).into_iter();
    ends.map(|end| end == End::Passed).collect()
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
