//! The document's calls and results, which name each other only by where they hang.

use super::{End, ends, unanswered};
use crate::check::member::Member;
use crate::check::place::{Pointer, SecondLook};
use crate::check::report::Sink;
use crate::check::rule::{Rule, Severity};
use crate::check::table::{Marks, NONE, Table};

/// How far up a result looks for its call. More calls at once nobody makes.
const REACH: usize = 1000;

/// How far up a result looks for where a sidechain begins.
const LONGEST_SIDECHAIN: usize = 10_000;

/// Pairs results with calls: by parents, or by order in a file where nothing has one.
pub(super) fn check(table: &Table, look: &mut SecondLook<'_>, sink: &mut Sink) {
    let is = |row: u32, mark: u16| table.marks(row).has(mark);
    let rows = 0..u32::try_from(table.len()).unwrap_or(NONE);
    let calls: Vec<u32> = rows.clone().filter(|row| is(*row, Marks::CALL)).collect();
    let answers = rows.filter(|row| is(*row, Marks::RESULT | Marks::FAILURE));
    let answers: Vec<u32> = answers.collect();
    let mut rows = 0..u32::try_from(table.len()).unwrap_or(NONE);
    let by_order = rows.all(|row| table.parent(row) == NONE);
    let mut answered = vec![false; calls.len()];
    let mut odd: Vec<(u32, bool)> = Vec::new();
    // Results first: an error in their place counts only where none came.
    for (mark, row) in [Marks::RESULT, Marks::FAILURE]
        .into_iter()
        .flat_map(|mark| answers.iter().map(move |row| (mark, *row)))
        .filter(|(mark, row)| is(*row, *mark))
    {
        let (found, had_calls) = if by_order {
            find_before(row, &calls, &answered)
        } else {
            find(table, row, &calls, &answered)
        };
        match found {
            Some(call) => answered[call] = true,
            None if mark == Marks::RESULT => odd.push((row, had_calls)),
            None => {}
        }
    }
    // Where the conversation goes on from what a subagent said last, that is the task's result.
    for row in (0..u32::try_from(table.len()).unwrap_or(NONE)).filter(|row| {
        let parent = table.parent(*row);
        let behind = parent != NONE && is(parent, Marks::SIDECHAIN);
        behind && is(*row, Marks::ASSISTANT) && !is(*row, Marks::SIDECHAIN)
    }) {
        if let Ok(call) = calls.binary_search(&above_sidechain(table, row)) {
            answered[call] = true;
        }
    }
    for (row, had_calls) in odd {
        if is(row, Marks::COPY) {
            continue;
        }
        let how = (Rule::Pairing, Severity::Error);
        sink.add(how.0, how.1, || {
            let pointer = Pointer::Member(Member::Parent);
            look.describe(table.row(row).place(), how, pointer, |_, parent| {
                if had_calls {
                    format!(
                        "the call {parent} has a result already: hang this one under its own call, \
                         or drop it"
                    )
                } else {
                    "a tool result that hangs under no tool call: hang it under its call, or drop \
                     it"
                    .to_owned()
                }
            })
        });
    }
    let mut open = calls.iter().zip(&answered);
    let open: Vec<u32> = open
        .by_ref()
        .filter(|(row, answered)| !**answered && !is(**row, Marks::COPY))
        .map(|(row, _)| *row)
        .collect();
    for (row, end) in open.iter().zip(ends(table, &open)) {
        if end != End::Stopped {
            let pointer = Pointer::Member(Member::ToolName);
            unanswered(table, *row, pointer, end, look, sink);
        }
    }
}

/// The call that a result belongs to, and whether there was any that it could have belonged to.
fn find(table: &Table, row: u32, calls: &[u32], answered: &[bool]) -> (Option<usize>, bool) {
    let mut at = above_sidechain(table, row);
    let mut last_call = None;
    for _ in 0..REACH {
        if at == NONE {
            break;
        }
        let here = table.marks(at);
        if here.has(Marks::CALL) {
            if let Ok(call) = calls.binary_search(&at) {
                if !answered[call] {
                    return (Some(call), true);
                }
                last_call = Some(call);
            }
        } else if !here.has(Marks::RESULT | Marks::FAILURE) {
            break;
        }
        at = table.parent(at);
    }
    let Some(last) = last_call else {
        return (None, false);
    };
    // Calls at the same time may hang side by side, with the results below the last of them.
    let parent = table.parent(calls[last]);
    let beside = |call: &usize| !answered[*call] && table.parent(calls[*call]) == parent;
    let from = last.saturating_sub(REACH);
    ((from..last).find(beside), true)
}

/// The nearest call before a result that has none, and whether there is any before it.
fn find_before(row: u32, calls: &[u32], answered: &[bool]) -> (Option<usize>, bool) {
    let before = calls.partition_point(|call| *call < row);
    let mut nearest = (0..before).rev().take(REACH);
    (nearest.find(|call| !answered[*call]), before > 0)
}

/// What a result hangs under. That of a task hangs under what the subagent said last, and its call
/// is where the sidechain begins.
fn above_sidechain(table: &Table, row: u32) -> u32 {
    let mut at = table.parent(row);
    if table.marks(row).has(Marks::SIDECHAIN) {
        return at;
    }
    for _ in 0..LONGEST_SIDECHAIN {
        if at == NONE || !table.marks(at).has(Marks::SIDECHAIN) {
            break;
        }
        at = table.parent(at);
    }
    at
}
