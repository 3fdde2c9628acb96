//! Pairs calls and results of the document's dialect, which are linked only by their parents.

use super::reporter::Reporter;
use super::rule::{Rule, Severity};
use super::table::{Marks, NONE, Table};
use super::unanswered::{ends, report_unanswered};
use crate::facts::Member;

/// Maximum distance from a result up to its call. Replies have far fewer parallel calls.
const REACH: usize = 1000;

/// Maximum distance from a result up to the start of a sidechain.
const LONGEST_SIDECHAIN: usize = 10_000;

/// Pairs results with calls: by parents, or by order if no line has a parent.
pub(super) fn check(table: &Table, report: &mut Reporter<'_>) {
    let is = |row: u32, mark: u16| table.marks(row).has(mark);
    let marked = |mark: u16| table.numbers().filter(move |row| is(*row, mark));
    let calls: Vec<u32> = marked(Marks::CALL).collect();
    let by_order = table.numbers().all(|row| table.parent(row) == NONE);
    let mut answered = vec![false; calls.len()];
    let mut odd: Vec<(u32, bool)> = Vec::new();
    // Results first: an error replaces a result only if there is none.
    for row in marked(Marks::RESULT).chain(marked(Marks::FAILURE)) {
        let (found, had_calls) = match by_order {
            true => find_before(row, &calls, &answered),
            false => find(table, row, &calls, &answered),
        };
        match found {
            Some(call) => answered[call] = true,
            None if is(row, Marks::RESULT) => odd.push((row, had_calls)),
            None => {}
        }
    }
    // If the conversation continues after the last message of a subagent, that is the task's
    // result.
    for row in marked(Marks::ASSISTANT).filter(|row| !is(*row, Marks::SIDECHAIN)) {
        let parent = table.parent(row);
        if parent != NONE
            && is(parent, Marks::SIDECHAIN)
            && let Ok(call) = calls.binary_search(&above_sidechain(table, row))
        {
            answered[call] = true;
        }
    }
    for (row, had_calls) in odd.into_iter().filter(|(row, _)| !is(*row, Marks::COPY)) {
        let how = (Rule::Pairing, Severity::Error);
        let position = table.row(row).position();
        report.add(position, how, Member::Parent, |_, parent| match had_calls {
            true => format!(
                "the call {parent} already has a result: make this one a child of its own call, or \
                 drop it"
            ),
            false => {
                "the parent of a tool result is not a tool call: make it a child of its call, \
                      or drop it"
                    .to_owned()
            }
        });
    }
    let open = calls
        .iter()
        .zip(&answered)
        .filter(|(_, answered)| !**answered);
    let open = open
        .map(|(row, _)| *row)
        .filter(|row| !is(*row, Marks::COPY));
    let open: Vec<u32> = open.collect();
    for (row, end) in open.iter().zip(ends(table, &open)) {
        report_unanswered(table, *row, Member::ToolName.into(), end, report);
    }
}

/// Returns the call of a result, and whether there was any candidate.
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
    // Parallel calls may be siblings, with all results below the last one.
    let parent = table.parent(calls[last]);
    let beside = |call: &usize| !answered[*call] && table.parent(calls[*call]) == parent;
    let from = last.saturating_sub(REACH);
    ((from..last).find(beside), true)
}

/// Returns the nearest unanswered call before a result, and whether there is any call before it.
fn find_before(row: u32, calls: &[u32], answered: &[bool]) -> (Option<usize>, bool) {
    let before = calls.partition_point(|call| *call < row);
    let mut nearest = (0..before).rev().take(REACH);
    (nearest.find(|call| !answered[*call]), before > 0)
}

/// The parent of a result. The result of a task follows the subagent's last message; its call is
/// above the start of the sidechain.
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
