//! Determines how calls without a result ended.

use super::reporter::{Pointer, Reporter};
use super::rule::{Rule, Severity};
use super::table::{Marks, NONE, Table};
use crate::facts::Member;
use crate::id_hash::ByHash;

/// How the conversation continued after a call without a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Nothing follows it: it may still run, or its branch was abandoned.
    Last,
    /// A person stopped it.
    Stopped,
    /// The conversation continued without its result.
    Passed,
}

/// Returns the ends of the calls of some rows, which are sorted.
pub(super) fn ends(table: &Table, open: &[u32]) -> Vec<End> {
    if open.is_empty() {
        return Vec::new();
    }
    let replies = table.replies();
    // The calls of one reply are represented by the first.
    let mut by_reply: ByHash<usize> = ByHash::default();
    let one: Vec<usize> = (0..)
        .zip(open)
        .map(|(index, row)| match replies[*row as usize] {
            NONE => index,
            reply => *by_reply.entry(u64::from(reply)).or_insert(index),
        })
        .collect();
    let mut found = vec![End::Last; open.len()];
    // By row: the nearest open call above it.
    let mut after: Vec<u32> = vec![NONE; table.len()];
    for (index, row) in one.iter().zip(open) {
        after[*row as usize] = u32::try_from(*index).unwrap_or(NONE);
    }
    // By open call: the open call above it.
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
            // A row of the same reply does not continue the conversation.
            after[at] = own.map_or(above, |own| u32::try_from(own).unwrap_or(NONE));
        }
        let Some(end) = found.get(above as usize).copied() else {
            continue;
        };
        if after[at] == above && own.is_some() {
            continue;
        }
        let marks = table.marks(row);
        // Messages of a subagent do not continue the conversation.
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
    // What follows a call also follows those above it.
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

pub(super) fn report_unanswered(
    table: &Table,
    row: u32,
    pointer: Pointer,
    end: End,
    report: &mut Reporter<'_>,
) {
    let severity = match end {
        End::Stopped => return,
        End::Last => Severity::Note,
        End::Passed => Severity::Error,
    };
    let how = (Rule::Pairing, severity);
    report.add(table.row(row).position(), how, pointer, |facts, call| {
        let uuid = facts.id(Member::Uuid).unwrap_or_default();
        let call = match pointer {
            Pointer::Member(_) => &*uuid,
            _ => call,
        };
        match end {
            End::Last => {
                format!("the call {call} has no result: it still runs, or was never finished")
            }
            _ => format!(
                "the call {call} has no result, though the conversation went on: the API refuses \
                 that; add a result that says it was lost"
            ),
        }
    });
}
