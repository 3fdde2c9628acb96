//! Rules for parents, sidechains and times within one file.

use std::borrow::Cow;
use std::collections::HashSet;

use super::common::{is_copy, is_older_than, may_change_side};
use super::report::Finding;
use super::reporter::{Name, Reporter};
use super::rule::{Rule, Severity};
use super::table::{Marks, NONE, Row, Table};
use crate::facts::Member;
use crate::id_hash;
use crate::members;

/// Tolerance for messages that are older than their parent. The CLI writes the timestamps of
/// simultaneous lines in any order.
const SLACK_SECONDS: u32 = 1;

/// Maximum number of names of one file that are searched in other files.
pub(super) const MOST_PENDING: usize = 4096;

/// A name that is missing in its file, but may be in another one.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) name: Name,
    /// The finding to report if it is in no file.
    pub(super) finding: Finding,
}

/// Facts about the whole file that the rules need.
#[derive(Debug)]
pub(super) struct Whole<'w> {
    /// Hashes of the ids that a compaction kept.
    pub(super) preserved: &'w HashSet<u64>,
    /// Whether the file belongs to a subagent.
    pub(super) of_agent: bool,
}

/// Checks all chains of a file. Returns the names to search in other files.
pub(super) fn check(
    table: &mut Table,
    whole: &Whole<'_>,
    report: &mut Reporter<'_>,
) -> Vec<Pending> {
    doubled(table, report);
    let pending = parents(table, whole, report);
    kept_messages(table, report);
    // Ids are no longer needed; free the memory for the next steps.
    table.forget_ids();
    for at in table.numbers().filter(|at| table.parent(*at) != NONE) {
        let row = table.row(at);
        let parent = table.row(row.parent);
        if !whole.of_agent {
            sidechain(&row, &parent, report);
        }
        time(&row, &parent, report);
    }
    pending
}

fn doubled(table: &mut Table, report: &mut Reporter<'_>) {
    for (again, first) in std::mem::take(&mut table.doubled) {
        let row = table.row(again);
        let before = table.row(first);
        let line = report.line(row.offset).to_vec();
        let same = is_copy(&line, report.line(before.offset));
        table.mark(again, Marks::COPY, same);
        let number = before.ordinal + 1;
        let how = (
            Rule::UuidUnique,
            Severity::Error.lowered_if(same, Severity::Note),
        );
        report.add(row.position(), how, Member::Uuid, |_, uuid| match same {
            true => format!("line {number} is here once more: one of the two can go"),
            false => format!(
                "{uuid} is the id of line {number} too, which says something else: give one of them \
                 a new id, and their children the right parent"
            ),
        });
    }
}

/// Resolves parents that come later, and reports missing ones.
fn parents(table: &mut Table, whole: &Whole<'_>, report: &mut Reporter<'_>) -> Vec<Pending> {
    let compaction = table.is_rewritten().then(|| table.row(0));
    let mut forward = Vec::new();
    let mut pending = Vec::new();
    for (child, number) in std::mem::take(&mut table.waiting) {
        let row = table.row(child);
        let Some(parent) = table.find(number) else {
            let gone = compaction.is_some_and(|first| is_older_than(&first, &row));
            let (finding, is_kept) = missing(&row, number, gone, whole, report);
            if is_kept || gone || pending.len() >= MOST_PENDING {
                report
                    .sink
                    .add((finding.rule, finding.severity), || finding);
            } else {
                let name = Name::Uuid(number);
                pending.push(Pending { name, finding });
            }
            continue;
        };
        if parent == child {
            let how = (Rule::ParentAcyclic, Severity::Error);
            report.add(row.position(), how, Member::Parent, |_, _| {
                "the message is its own parent: name the message before it, or write null"
                    .to_owned()
            });
            continue;
        }
        table.set_parent(child, parent);
        forward.push(child);
        let how = (Rule::ParentExists, Severity::Warning);
        let number = table.row(parent).ordinal + 1;
        report.add(row.position(), how, Member::Parent, |_, parent| {
            format!("the parent {parent} comes later, in line {number}: move the message after it")
        });
    }
    if !forward.is_empty() {
        cycles(table, &forward, report);
    }
    pending
}

/// The finding about a missing parent, and whether a compaction kept the line or its parent.
fn missing(
    row: &Row,
    parent: u64,
    gone: bool,
    whole: &Whole<'_>,
    report: &mut Reporter<'_>,
) -> (Finding, bool) {
    let mut kept = whole.preserved.contains(&parent);
    let how = (Rule::ParentExists, Severity::Error);
    let mut finding = report.describe(row.position(), how, Member::Parent, |facts, parent| {
        let own = facts.id(Member::Uuid);
        kept |= own.is_some_and(|own| whole.preserved.contains(&id_hash::hash(&own)));
        format!(
            "the parent {parent} is not in this session: everything before is cut off; name a \
             message that is there, or write null"
        )
    });
    if kept || gone {
        finding.severity = Severity::Warning.lowered_if(kept, Severity::Note);
        "the parent is older than the compaction that the file begins with, and gone"
            .clone_into(&mut finding.message);
    }
    (finding, kept)
}

/// Reports missing messages that a compaction kept: the CLI restores all of them or none.
fn kept_messages(table: &Table, report: &mut Reporter<'_>) {
    let boundaries = table.numbers();
    for at in boundaries.filter(|at| table.marks(*at).has(Marks::BOUNDARY)) {
        let how = (Rule::ParentExists, Severity::Warning);
        let mut lost: Option<String> = None;
        let position = table.row(at).position();
        let finding = report.describe(position, how, Member::CompactMetadata, |facts, _| {
            let data = facts.object(Member::CompactMetadata).unwrap_or_default();
            let kept = data.object("preservedMessages").unwrap_or_default();
            let ids = members::list(kept.get("uuids").unwrap_or_default()).into_iter();
            let mut ids = ids.filter_map(members::string);
            let gone = ids.find(|id| table.find(id_hash::hash(id)).is_none());
            lost = gone.map(Cow::into_owned);
            let lost = lost.as_deref().unwrap_or_default();
            format!(
                "the compaction kept the message {lost}, which is not there: nothing of what it \
                 kept will be sent; take the name out"
            )
        });
        if lost.is_some() {
            report.sink.add(how, || finding);
        }
    }
}

/// Reports cycles. Every cycle has a line whose parent comes later, so only those are followed.
fn cycles(table: &Table, forward: &[u32], report: &mut Reporter<'_>) {
    // The number of the walk that visited a row, from one.
    let mut seen = vec![0_u32; table.len()];
    for (walk, start) in (1..).zip(forward) {
        let mut at = *start;
        while at != NONE && seen[at as usize] == 0 {
            seen[at as usize] = walk;
            at = table.parent(at);
        }
        if at == NONE || seen[at as usize] != walk {
            continue;
        }
        // Report the first line whose parent comes later: the likely cause of the cycle.
        let (mut first, mut length, mut here) = (NONE, 0, at);
        loop {
            if table.parent(here) > here {
                first = first.min(here);
            }
            length += 1;
            here = table.parent(here);
            if here == at {
                break;
            }
        }
        let row = table.row(if first == NONE { *start } else { first });
        let how = (Rule::ParentAcyclic, Severity::Error);
        report.add(row.position(), how, Member::Parent, |_, parent| {
            format!(
                "the message is an ancestor of its own parent {parent}, in a cycle of {length}: \
                 name an earlier message, or write null"
            )
        });
    }
}

/// Reports chains that change between conversation and sidechain where they may not.
fn sidechain(row: &Row, parent: &Row, report: &mut Reporter<'_>) {
    let [side, above] = [row, parent].map(|row| row.marks.has(Marks::SIDECHAIN));
    let how = (Rule::SidechainConsistent, Severity::Error);
    if side == above {
        if side && row.agent != parent.agent && row.agent != 0 && parent.agent != 0 {
            report.add(row.position(), how, Member::Agent, |_, agent| {
                format!("the line is of agent {agent}, its parent is not: a chain has one agent")
            });
        }
    } else if !may_change_side(parent.marks, row.marks, side) {
        report.add(row.position(), how, Member::Sidechain, |_, _| {
            let (is, was) = match side {
                true => ("marked as sidechain", "not"),
                false => ("not marked as sidechain", "marked"),
            };
            format!("the line is {is}, its parent is {was}: mark the whole chain alike")
        });
    }
}

fn time(row: &Row, parent: &Row, report: &mut Reporter<'_>) {
    let is_message = row.marks.has(Marks::USER | Marks::ASSISTANT);
    if is_message && row.seconds != 0 && row.seconds.saturating_add(SLACK_SECONDS) < parent.seconds
    {
        let how = (Rule::TimeOrder, Severity::Note);
        let earlier = parent.seconds - row.seconds;
        report.add(row.position(), how, Member::Timestamp, |_, _| {
            format!("the message is {earlier} s older than the one that it follows")
        });
    }
}
