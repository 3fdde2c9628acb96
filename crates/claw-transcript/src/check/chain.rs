//! The rules about how the lines of one file hang together.

use std::borrow::Cow;
use std::collections::HashSet;

use super::alike::{is_copy, is_older_than, may_change_side};
use super::ids;
use super::member::Member;
use super::place::{Pointer, SecondLook};
use super::report::{Finding, Sink};
use super::rule::{Rule, Severity};
use super::table::{Marks, NONE, Row, Table};
use crate::members::{self, Members};

/// How much earlier than its parent a message may be without a word. The CLI stamps lines of one
/// moment in any order.
const SLACK_SECONDS: u32 = 1;

/// How many names of one file are looked for in others.
pub(super) const MOST_PENDING: usize = 4096;

/// A name that is not in its file, but may be in another one.
#[derive(Debug)]
pub(super) struct Pending {
    /// The number of the id.
    pub(super) number: u64,
    /// What to report when it is nowhere.
    pub(super) finding: Finding,
}

/// What the rules need to know about the whole file.
#[derive(Debug)]
pub(super) struct Whole<'w> {
    /// Ids that a compaction says it kept.
    pub(super) preserved: &'w HashSet<u64>,
    /// Whether it is the file of a subagent.
    pub(super) of_agent: bool,
}

/// Checks all chains of a file. Names that are to be looked for elsewhere are given back.
pub(super) fn check(
    table: &mut Table,
    whole: &Whole<'_>,
    look: &mut SecondLook<'_>,
    sink: &mut Sink,
) -> Vec<Pending> {
    doubled(table, look, sink);
    let pending = parents(table, whole, look, sink);
    kept_messages(table, look, sink);
    // Nothing is looked for any more: what follows needs the room.
    table.forget_ids();
    for at in 0..u32::try_from(table.len()).unwrap_or(NONE) {
        if table.parent(at) == NONE {
            continue;
        }
        let row = table.row(at);
        let parent = table.row(row.parent);
        if !whole.of_agent {
            sidechain(&row, &parent, look, sink);
        }
        time(&row, &parent, look, sink);
    }
    pending
}

fn doubled(table: &mut Table, look: &mut SecondLook<'_>, sink: &mut Sink) {
    for (again, first) in std::mem::take(&mut table.doubled) {
        let row = table.row(again);
        let before = table.row(first);
        let same = {
            let line = look.line(row.offset).to_vec();
            is_copy(&line, look.line(before.offset))
        };
        table.mark(again, Marks::COPY, same);
        let severity = if same {
            Severity::Note
        } else {
            Severity::Error
        };
        sink.add(Rule::UuidUnique, severity, || {
            let number = before.ordinal + 1;
            let pointer = Pointer::Member(Member::Uuid);
            let how = (Rule::UuidUnique, severity);
            look.describe(row.place(), how, pointer, |_, uuid| {
                if same {
                    format!("line {number} is here once more: one of the two can go")
                } else {
                    format!(
                        "{uuid} is the id of line {number} too, which says something else: give \
                         one of them a new id, and their children the right parent"
                    )
                }
            })
        });
    }
}

/// Finds parents that came later, and those that are not there.
fn parents(
    table: &mut Table,
    whole: &Whole<'_>,
    look: &mut SecondLook<'_>,
    sink: &mut Sink,
) -> Vec<Pending> {
    let waiting = std::mem::take(&mut table.waiting);
    let compaction = table.is_rewritten().then(|| table.row(0));
    let mut forward = Vec::new();
    let mut pending = Vec::new();
    for (child, number) in waiting {
        let place = table.row(child).place();
        match table.find(number) {
            Some(parent) if parent == child => {
                let how = (Rule::ParentAcyclic, Severity::Error);
                sink.add(how.0, how.1, || {
                    let pointer = Pointer::Member(Member::Parent);
                    look.describe(place, how, pointer, |_, _| {
                        "the message is its own parent: name the message before it, or write null"
                            .to_owned()
                    })
                });
            }
            Some(parent) => {
                table.set_parent(child, parent);
                forward.push(child);
                let how = (Rule::ParentExists, Severity::Warning);
                let number = table.row(parent).ordinal + 1;
                sink.add(how.0, how.1, || {
                    let pointer = Pointer::Member(Member::Parent);
                    look.describe(place, how, pointer, |_, parent| {
                        format!(
                            "the parent {parent} comes later, in line {number}: put the message \
                             behind it"
                        )
                    })
                });
            }
            None => {
                let mut kept = whole.preserved.contains(&number);
                let row = table.row(child);
                let rewritten = compaction.is_some_and(|first| is_older_than(&first, &row));
                let how = (Rule::ParentExists, Severity::Error);
                let pointer = Pointer::Member(Member::Parent);
                let mut finding = look.describe(place, how, pointer, |facts, parent| {
                    let own = facts.id(Member::Uuid);
                    kept |= own.is_some_and(|own| whole.preserved.contains(&ids::number(&own)));
                    format!(
                        "the parent {parent} is not in this session: everything before is cut off; \
                         name a message that is there, or write null"
                    )
                });
                if kept || rewritten {
                    finding.severity = if kept {
                        Severity::Note
                    } else {
                        Severity::Warning
                    };
                    "the parent is older than the compaction that the file begins with, and gone"
                        .clone_into(&mut finding.message);
                    sink.add(finding.rule, finding.severity, || finding);
                } else if pending.len() < MOST_PENDING {
                    pending.push(Pending { number, finding });
                } else {
                    sink.add(finding.rule, finding.severity, || finding);
                }
            }
        }
    }
    if !forward.is_empty() {
        cycles(table, &forward, look, sink);
    }
    pending
}

/// What a compaction kept must be there: the CLI takes all of it or nothing.
fn kept_messages(table: &Table, look: &mut SecondLook<'_>, sink: &mut Sink) {
    let rows = 0..u32::try_from(table.len()).unwrap_or(NONE);
    for at in rows.filter(|at| table.marks(*at).has(Marks::BOUNDARY)) {
        let row = table.row(at);
        let how = (Rule::ParentExists, Severity::Warning);
        let mut lost: Option<String> = None;
        let pointer = Pointer::Member(Member::CompactMetadata);
        let finding = look.describe(row.place(), how, pointer, |facts, _| {
            let data = facts.get(Member::CompactMetadata).and_then(Members::read);
            let kept = data.and_then(|data| data.object("preservedMessages"));
            let kept = kept.unwrap_or_default();
            let ids = members::list(kept.get("uuids").unwrap_or("[]")).into_iter();
            let mut ids = ids.filter_map(members::string);
            let gone = ids.find(|id| table.find(ids::number(id)).is_none());
            lost = gone.map(Cow::into_owned);
            let lost = lost.as_deref().unwrap_or_default();
            format!(
                "the compaction kept the message {lost}, which is not there: nothing of what it \
                 kept will be sent; take the name out"
            )
        });
        if lost.is_some() {
            sink.add(how.0, how.1, || finding);
        }
    }
}

/// Every cycle has a line whose parent comes later.
fn cycles(table: &Table, forward: &[u32], look: &mut SecondLook<'_>, sink: &mut Sink) {
    // The walk that a row was seen on; walks are counted from one.
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
        // Told where the chain first points forward, which is where it was bent.
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
        sink.add(how.0, how.1, || {
            let pointer = Pointer::Member(Member::Parent);
            look.describe(row.place(), how, pointer, |_, parent| {
                format!(
                    "the message is an ancestor of its own parent {parent}, in a circle of \
                     {length}: name an earlier message, or write null"
                )
            })
        });
    }
}

/// Where a chain changes between conversation and sidechain, it must be at a place for that.
fn sidechain(row: &Row, parent: &Row, look: &mut SecondLook<'_>, sink: &mut Sink) {
    let (side, above) = (
        row.marks.has(Marks::SIDECHAIN),
        parent.marks.has(Marks::SIDECHAIN),
    );
    let how = (Rule::SidechainConsistent, Severity::Error);
    if side == above {
        if side && row.agent != parent.agent && row.agent != 0 && parent.agent != 0 {
            sink.add(how.0, how.1, || {
                let pointer = Pointer::Member(Member::Agent);
                look.describe(row.place(), how, pointer, |_, agent| {
                    format!(
                        "the line is of agent {agent}, its parent is not: a chain has one agent"
                    )
                })
            });
        }
        return;
    }
    if !may_change_side(parent.marks, row.marks, side) {
        sink.add(how.0, how.1, || {
            let pointer = Pointer::Member(Member::Sidechain);
            look.describe(row.place(), how, pointer, |_, _| {
                let (is, was) = if side {
                    ("marked as sidechain", "not")
                } else {
                    ("not marked as sidechain", "marked")
                };
                format!("the line is {is}, its parent is {was}: mark the whole chain alike")
            })
        });
    }
}

fn time(row: &Row, parent: &Row, look: &mut SecondLook<'_>, sink: &mut Sink) {
    let said = row.marks.has(Marks::USER | Marks::ASSISTANT);
    if said && row.seconds != 0 && row.seconds.saturating_add(SLACK_SECONDS) < parent.seconds {
        let how = (Rule::TimeOrder, Severity::Note);
        let earlier = parent.seconds - row.seconds;
        sink.add(how.0, how.1, || {
            let pointer = Pointer::Member(Member::Timestamp);
            look.describe(row.place(), how, pointer, |_, _| {
                format!("the message is {earlier} s older than the one that it follows")
            })
        });
    }
}
