//! Pairs tool calls with their results.

use super::document_pairing;
use super::reporter::{Name, Pointer, Reporter};
use super::rule::{Rule, Severity};
use super::table::{Marks, NONE, Table};
use super::unanswered::{ends, report_unanswered};
use crate::facts::Message;
use crate::id_hash::{self, ByHash};
use crate::members;

/// The row and the index of a content block: a call or a result.
type Place = (u32, u16);

/// The calls and results of one file.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Calls without a result. A session has thousands of calls, but few open ones.
    open: ByHash<Place>,
    /// Results without an open call, with the hash of the id of the call.
    odd: Vec<(Place, u64)>,
    /// Unanswered calls whose id was used again, each with the call that used it again.
    renewed: Vec<(Place, Place)>,
}

impl Pairs {
    /// Adds the calls and results of a line. Passes the hashes of the ids of its calls to `called`.
    pub(super) fn add(&mut self, row: u32, message: &Message<'_>, mut called: impl FnMut(u64)) {
        for (index, block) in message.blocks().iter().enumerate() {
            let place = (row, u16::try_from(index).unwrap_or(u16::MAX));
            let hash = |id: Option<&str>| Some(id_hash::hash(&members::string(id?)?));
            if block.is_call() {
                let Some(number) = hash(block.id) else {
                    continue;
                };
                called(number);
                // Some gateways restart the ids of calls in each reply.
                let before = self.open.insert(number, place);
                self.renewed.extend(before.map(|before| (before, place)));
            } else if block.is_result()
                && let Some(number) = hash(block.call)
                && self.open.remove(&number).is_none()
            {
                self.odd.push((place, number));
            }
        }
    }

    /// Reports results without a call, calls without a result, and second results.
    pub(super) fn check(&mut self, table: &Table, report: &mut Reporter<'_>) {
        self.late_calls(table, report);
        self.results(table, report);
        self.doubled(table, report);
        let renewed = self.renewed.iter().map(|(before, _)| *before);
        let mut open: Vec<Place> = self.open.values().copied().chain(renewed).collect();
        open.retain(|(row, _)| !table.marks(*row).has(Marks::COPY));
        open.sort();
        let rows: Vec<u32> = open.iter().map(|(row, _)| *row).collect();
        for ((row, block), end) in open.iter().zip(ends(table, &rows)) {
            report_unanswered(table, *row, Pointer::Call(*block), end, report);
        }
        document_pairing::check(table, report);
    }

    /// Reports results before their call, in files whose lines were written out of order.
    fn late_calls(&mut self, table: &Table, report: &mut Reporter<'_>) {
        let open = &mut self.open;
        self.odd.retain(|((row, block), number)| {
            let late = open.get(number).is_some_and(|(call, _)| call > row);
            if late {
                open.remove(number);
                let position = table.row(*row).position();
                let how = (Rule::Pairing, Severity::Warning);
                report.add(position, how, Pointer::Result(*block), |_, call| {
                    format!("the result of the call {call} comes before it: move it after the call")
                });
            }
            !late && !table.marks(*row).has(Marks::COPY)
        });
    }

    /// Reports different calls of one reply that share an id.
    fn doubled(&self, table: &Table, report: &mut Reporter<'_>) {
        if self.renewed.is_empty() {
            return;
        }
        let replies = table.replies();
        for (before, call) in &self.renewed {
            let reply = |(row, _): &Place| replies[*row as usize];
            let one_reply = reply(before) == reply(call) && reply(call) != NONE;
            let place = |(row, block): &Place| (table.row(*row).offset, *block);
            if !one_reply || report.block(place(before)) == report.block(place(call)) {
                continue;
            }
            let how = (Rule::CallUnique, Severity::Error);
            let line = table.row(before.0).ordinal + 1;
            let position = table.row(call.0).position();
            report.add(position, how, Pointer::Call(call.1), |_, id| {
                format!(
                    "a call of the same reply in line {line} also has the id {id}: the API rejects \
                     that; give this call the id that its result names"
                )
            });
        }
    }

    fn results(&self, table: &Table, report: &mut Reporter<'_>) {
        let rewritten = table.is_rewritten();
        let names = self.odd.iter().map(|(_, number)| Name::Call(*number));
        let calls = report.defined_among(&names.collect());
        for ((row, block), number) in &self.odd {
            let row = table.row(*row);
            let known = calls.contains(&Name::Call(*number));
            let nameless = row.parent != NONE && table.marks(row.parent).has(Marks::NAMELESS_CALL);
            if !known && nameless {
                continue;
            }
            let severity = Severity::Error.lowered_if(rewritten && !known, Severity::Warning);
            let how = (Rule::Pairing, severity);
            report.add(row.position(), how, Pointer::Result(*block), |_, call| match known {
                true => format!(
                    "the call {call} has a result already: the API refuses a second one; drop one \
                     of the two"
                ),
                false => format!(
                    "a result of the call {call}, which is not there: the API refuses it; restore \
                     the call, or drop the result"
                ),
            });
        }
    }
}
