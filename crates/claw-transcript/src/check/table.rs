//! The chain lines of one file as a table: 16 bytes per line, and 15 more until parents are
//! resolved.

use std::ops::Range;

use super::column::Column;
use super::id_table::IdTable;
use super::recent::Recent;
use super::reporter::Position;
use crate::entry::{Dialect, Kind};
use crate::facts::{Block, Facts, Member, Message};
use crate::id_hash;
use crate::members;
use crate::time;

/// No row.
pub(crate) const NONE: u32 = u32::MAX;

/// Flags of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Marks(u16);

impl Marks {
    pub(super) const SIDECHAIN: u16 = 1;
    pub(crate) const DOCUMENT: u16 = 1 << 1;
    pub(crate) const USER: u16 = 1 << 2;
    pub(super) const ASSISTANT: u16 = 1 << 3;
    /// A prompt, not the result of a tool.
    pub(crate) const PROMPT: u16 = 1 << 4;
    /// The document's tool call.
    pub(super) const CALL: u16 = 1 << 5;
    /// The document's tool result.
    pub(super) const RESULT: u16 = 1 << 6;
    /// The document's error, which may replace a result.
    pub(super) const FAILURE: u16 = 1 << 7;
    /// Calls a tool without an id.
    pub(crate) const NAMELESS_CALL: u16 = 1 << 8;
    /// Was interrupted, or reports an interruption.
    pub(super) const ABORTED: u16 = 1 << 9;
    pub(crate) const BOUNDARY: u16 = 1 << 10;
    /// A copy of an earlier line of the file.
    pub(super) const COPY: u16 = 1 << 11;
    /// A block of a reply that has an id.
    pub(super) const REPLY: u16 = 1 << 12;
    /// Calls a tool or reports the progress of a call, in the CLI's dialect.
    pub(super) const CALLING: u16 = 1 << 13;

    pub(crate) fn has(self, mark: u16) -> bool {
        self.0 & mark != 0
    }

    pub(super) fn set(&mut self, mark: u16, on: bool) {
        if on {
            self.0 |= mark;
        }
    }
}

/// A line of a chain.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Row {
    pub(super) offset: u64,
    pub(super) ordinal: u64,
    /// The row of its parent; [`NONE`] if it has none or the parent is missing.
    pub(crate) parent: u32,
    /// Seconds since 1970; zero if unknown.
    pub(crate) seconds: u32,
    /// Part of the hash of the agent's id; zero if there is none.
    pub(super) agent: u32,
    /// Hash of the id of the reply that it is a block of; zero for other lines. Rows of a table
    /// have zero here, see [`Table::replies`].
    pub(super) reply: u64,
    pub(crate) marks: Marks,
}

impl Row {
    /// Reads a line, without its parent.
    pub(super) fn of(
        facts: &Facts<'_>,
        message: Option<&Message<'_>>,
        (offset, ordinal): Position,
    ) -> Self {
        let half = |id: &str| id_hash::hash(id) as u32 | 1;
        let seconds = facts.string(Member::Timestamp);
        let seconds = seconds
            .as_deref()
            .and_then(time::strict_seconds)
            .unwrap_or(0);
        let reply = message.and_then(|message| message.id);
        Self {
            offset,
            ordinal,
            parent: NONE,
            seconds: u32::try_from(seconds).unwrap_or(0),
            agent: facts.id(Member::Agent).as_deref().map_or(0, half),
            reply: reply.map_or(0, |reply| id_hash::hash(reply).max(1)),
            marks: marks(facts, message),
        }
    }

    /// A line that a repair adds.
    pub(crate) fn added(marks: u16, seconds: u32) -> Self {
        Self {
            marks: Marks(marks),
            seconds,
            ..Self::default()
        }
    }

    /// The position of the line.
    pub(super) fn position(&self) -> Position {
        (self.offset, self.ordinal)
    }
}

/// A compact row. Positions and times are relative to a [`Base`].
#[derive(Debug, Clone, Copy)]
struct Packed {
    offset: u32,
    parent: u32,
    ordinal: u16,
    /// Zero if unknown.
    seconds: u16,
    /// Distance to the previous row of the same reply; zero for its first row.
    reply: u16,
    marks: Marks,
}

/// The reference position and time of the rows that follow. A new base starts when the next row is
/// too far away, typically after a pause overnight.
#[derive(Debug, Clone, Copy)]
struct Base {
    row: u32,
    offset: u64,
    ordinal: u64,
    seconds: u32,
}

/// How much earlier than its base a row may be. Simultaneous lines are written in any order.
const EARLIER: i64 = 0x4000;

impl Base {
    fn pack(&self, row: &Row) -> Option<Packed> {
        let seconds = match row.seconds {
            0 => 0,
            seconds => i64::from(seconds) - i64::from(self.seconds) + EARLIER,
        };
        let seconds = u16::try_from(seconds).ok()?;
        if seconds == 0 && row.seconds != 0 {
            return None;
        }
        Some(Packed {
            offset: u32::try_from(row.offset.checked_sub(self.offset)?).ok()?,
            parent: row.parent,
            ordinal: u16::try_from(row.ordinal.checked_sub(self.ordinal)?).ok()?,
            seconds,
            reply: 0,
            marks: row.marks,
        })
    }

    fn unpack(&self, packed: Packed, agent: u32) -> Row {
        let seconds = match packed.seconds {
            0 => 0,
            seconds => i64::from(self.seconds) + i64::from(seconds) - EARLIER,
        };
        Row {
            offset: self.offset + u64::from(packed.offset),
            ordinal: self.ordinal + u64::from(packed.ordinal),
            parent: packed.parent,
            seconds: u32::try_from(seconds).unwrap_or(0),
            agent,
            reply: 0,
            marks: packed.marks,
        }
    }
}

/// All chain lines of a file.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Column<Packed>,
    bases: Vec<Base>,
    /// Rows where the agent changes, with the new agent.
    agents: Vec<(u32, u32)>,
    ids: IdTable,
    replies: Recent,
    /// Rows whose parents are not before them, with the hashes of the parents.
    pub(super) waiting: Vec<(u32, u64)>,
    /// Rows with the id of an earlier row, with that row.
    pub(super) doubled: Vec<(u32, u32)>,
}

impl Table {
    /// Creates a table of rows with resolved parents.
    pub(super) fn of_rows(rows: &[Row]) -> Self {
        let mut table = Self::default();
        for row in rows {
            table.push(row);
        }
        table
    }

    pub(super) fn find(&self, number: u64) -> Option<u32> {
        self.ids.find(number)
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn row(&self, row: u32) -> Row {
        let base = self.bases.partition_point(|base| base.row <= row);
        let agent = self.agents.partition_point(|(from, _)| *from <= row);
        let agent = agent.checked_sub(1).map_or(0, |at| self.agents[at].1);
        self.bases[base - 1].unpack(self.rows.get(row as usize), agent)
    }

    pub(super) fn marks(&self, row: u32) -> Marks {
        self.rows.get(row as usize).marks
    }

    /// Returns the parent of a row, or [`NONE`].
    pub(super) fn parent(&self, row: u32) -> u32 {
        self.rows.get(row as usize).parent
    }

    pub(super) fn set_parent(&mut self, row: u32, parent: u32) {
        let set = |row: &mut Packed| row.parent = parent;
        self.rows.change(row as usize, set);
    }

    pub(super) fn mark(&mut self, row: u32, mark: u16, on: bool) {
        let set = |row: &mut Packed| row.marks.set(mark, on);
        self.rows.change(row as usize, set);
    }

    /// Returns whether the file begins with the boundary of a compaction.
    pub(super) fn is_rewritten(&self) -> bool {
        self.len() > 0 && self.marks(0).has(Marks::BOUNDARY)
    }

    /// Returns for each row the first row of the same reply; [`NONE`] for other lines.
    pub(super) fn replies(&self) -> Vec<u32> {
        let mut replies: Vec<u32> = Vec::with_capacity(self.len());
        for (at, row) in (0..self.len()).zip(0_u32..) {
            let packed = self.rows.get(at);
            replies.push(match packed.reply {
                0 if packed.marks.has(Marks::REPLY) => row,
                0 => NONE,
                before => replies[at - usize::from(before)],
            });
        }
        replies
    }

    /// All row numbers.
    pub(super) fn numbers(&self) -> Range<u32> {
        0..u32::try_from(self.len()).unwrap_or(NONE)
    }

    /// Frees the ids. Resolved parents stay.
    pub(super) fn forget_ids(&mut self) {
        self.ids = IdTable::default();
    }

    /// Adds a line, and returns its row.
    pub(super) fn add(
        &mut self,
        facts: &Facts<'_>,
        message: Option<&Message<'_>>,
        position: Position,
    ) -> u32 {
        let mut row = Row::of(facts, message, position);
        let parent = facts.id(Member::Parent).map(|id| id_hash::hash(&id));
        let before = parent.and_then(|parent| self.ids.find(parent));
        row.parent = before.unwrap_or(NONE);
        let number = self.push(&row);
        if let (Some(parent), None) = (parent, before) {
            self.waiting.push((number, parent));
        }
        let uuid = facts.id(Member::Uuid);
        if let Some(first) = self.ids.add(uuid.map(|uuid| id_hash::hash(&uuid))) {
            self.doubled.push((number, first));
        }
        number
    }

    /// Adds a row with its parent.
    fn push(&mut self, row: &Row) -> u32 {
        let number = u32::try_from(self.rows.len()).unwrap_or(NONE - 1);
        if self.agents.last().map_or(0, |(_, agent)| *agent) != row.agent {
            self.agents.push((number, row.agent));
        }
        let mut packed = self.pack(number, row);
        if row.reply != 0 {
            packed.marks.set(Marks::REPLY, true);
            let before = self.replies.see(row.reply, number);
            let before = before.map_or(0, |before| number - before);
            packed.reply = u16::try_from(before).unwrap_or(0);
        }
        self.rows.push(packed);
        number
    }

    fn pack(&mut self, number: u32, row: &Row) -> Packed {
        if let Some(packed) = self.bases.last().and_then(|base| base.pack(row)) {
            return packed;
        }
        let base = Base {
            row: number,
            offset: row.offset,
            ordinal: row.ordinal,
            seconds: row.seconds,
        };
        self.bases.push(base);
        Packed {
            offset: 0,
            parent: row.parent,
            ordinal: 0,
            seconds: if row.seconds == 0 { 0 } else { EARLIER as u16 },
            reply: 0,
            marks: row.marks,
        }
    }
}

fn marks(facts: &Facts<'_>, message: Option<&Message<'_>>) -> Marks {
    let is = |member: Member| facts.is_true(member);
    let subtype = |name: &str| facts.get(Member::Subtype).and_then(members::inner) == Some(name);
    let blocks = message.map_or(&[][..], Message::blocks);
    let is_document = facts.dialect == Dialect::Document;
    let is_aborted = is(Member::Aborted)
        || is(Member::AbortedMidStream)
        || facts.get(Member::Interrupted).is_some()
        || message.is_some_and(Message::is_interrupt);
    let is_result = is_document && subtype("tool_result");
    let (is_user, is_reply) = (facts.kind == Kind::User, facts.kind == Kind::Assistant);
    let is_system = facts.kind == Kind::System;
    let has_results = || blocks.iter().any(|block| block.call.is_some());
    let has_calls = || blocks.iter().any(Block::is_call);
    let has_nameless_calls = || {
        let mut ids = blocks
            .iter()
            .filter(|block| block.is_call())
            .map(|block| block.id);
        ids.any(|id| id.is_none_or(|id| id.len() < 3 || !id.starts_with('"')))
    };
    let has_tool = || subtype("tool_use") || facts.get(Member::ToolName).is_some();
    let failed = || subtype("error") || is(Member::Error);
    let mut marks = Marks::default();
    for (mark, on) in [
        (Marks::SIDECHAIN, is(Member::Sidechain)),
        (Marks::ABORTED, is_aborted),
        (Marks::DOCUMENT, is_document),
        (Marks::USER, is_user),
        (
            Marks::PROMPT,
            is_user && !is_aborted && !is(Member::Meta) && !has_results(),
        ),
        (Marks::ASSISTANT, is_reply),
        (Marks::CALL, is_reply && is_document && has_tool()),
        (Marks::NAMELESS_CALL, is_reply && has_nameless_calls()),
        (
            Marks::CALLING,
            facts.kind == Kind::Progress || (is_reply && has_calls()),
        ),
        (Marks::RESULT, is_system && is_result),
        (
            Marks::FAILURE,
            is_system && is_document && !is_result && failed(),
        ),
        (Marks::BOUNDARY, is_system && subtype("compact_boundary")),
    ] {
        marks.set(mark, on);
    }
    marks
}
