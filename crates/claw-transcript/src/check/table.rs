//! The lines of one file as a table: for each line of a chain sixteen bytes, and fifteen more until
//! it is known which of them have which parents.

use super::column::Column;
use super::facts::Facts;
use super::ids;
use super::iso;
use super::known::KnownIds;
use super::member::Member;
use super::recent::Recent;
use super::said::Said;
use crate::entry::{Dialect, Kind};

/// No row.
pub(crate) const NONE: u32 = u32::MAX;

/// What is said about a row by yes or no.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Marks(u16);

impl Marks {
    pub(super) const SIDECHAIN: u16 = 1;
    pub(crate) const DOCUMENT: u16 = 1 << 1;
    pub(crate) const USER: u16 = 1 << 2;
    pub(super) const ASSISTANT: u16 = 1 << 3;
    /// Somebody asks something; not the result of a tool.
    pub(crate) const PROMPT: u16 = 1 << 4;
    /// The document's tool call.
    pub(super) const CALL: u16 = 1 << 5;
    /// The document's tool result.
    pub(super) const RESULT: u16 = 1 << 6;
    /// The document's error, which may stand for a result.
    pub(super) const FAILURE: u16 = 1 << 7;
    /// It calls a tool without an id.
    pub(crate) const NAMELESS_CALL: u16 = 1 << 8;
    /// It was cut off, or says that something was.
    pub(super) const ABORTED: u16 = 1 << 9;
    pub(super) const BOUNDARY: u16 = 1 << 10;
    /// It stands in the file before, and says the same.
    pub(super) const COPY: u16 = 1 << 11;
    /// It is a block of a reply that has an id.
    pub(super) const REPLY: u16 = 1 << 12;
    /// It calls a tool, or tells how a call goes on, as the CLI writes that.
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
    /// The row of its parent, [`NONE`] when it has none or it is not there.
    pub(crate) parent: u32,
    /// Seconds since 1970; zero when it does not say.
    pub(crate) seconds: u32,
    /// The agent, as half a number.
    pub(super) agent: u32,
    /// The number of the reply that it is a block of; zero when it is none, and once it is in the
    /// table, where [`Table::replies`] tells which rows are of one.
    pub(super) reply: u64,
    pub(crate) marks: Marks,
}

impl Row {
    /// What a line is to the rules about chains, without what it hangs under.
    pub(super) fn of(
        facts: &Facts<'_>,
        said: Option<&Said<'_>>,
        offset: u64,
        ordinal: u64,
    ) -> Self {
        let half = |id: &str| ids::number(id) as u32 | 1;
        let seconds = facts.string(Member::Timestamp);
        let seconds = seconds.as_deref().and_then(iso::seconds).unwrap_or(0);
        let reply = said.and_then(|said| said.id);
        Self {
            offset,
            ordinal,
            parent: NONE,
            seconds: u32::try_from(seconds).unwrap_or(0),
            agent: facts.id(Member::Agent).as_deref().map_or(0, half),
            reply: reply.map_or(0, |reply| ids::number(reply).max(1)),
            marks: marks(facts, said),
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

    /// Where it lies, for a second look.
    pub(super) fn place(&self) -> (u64, u64) {
        (self.offset, self.ordinal)
    }
}

/// A row as it is kept. Where it lies and when it was said is told from a [`Base`] on.
#[derive(Debug, Clone, Copy)]
struct Packed {
    offset: u32,
    parent: u32,
    ordinal: u16,
    /// Zero when it does not say.
    seconds: u16,
    /// How many rows before it another one of the same reply is; zero for the first of them.
    reply: u16,
    marks: Marks,
}

/// What the rows from one on are told from: until the next lines are too far away to be, which in a
/// conversation is when somebody comes back after a night.
#[derive(Debug, Clone, Copy)]
struct Base {
    row: u32,
    offset: u64,
    ordinal: u64,
    seconds: u32,
}

/// How much earlier than its base a row may be: lines of one moment are written in any order.
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

/// All lines of the chains of a file.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Column<Packed>,
    bases: Vec<Base>,
    /// The rows from which on lines are of another agent.
    agents: Vec<(u32, u32)>,
    ids: KnownIds,
    replies: Recent,
    /// Rows whose parents did not come before them, with the numbers of those.
    pub(super) waiting: Vec<(u32, u64)>,
    /// Rows with an id that an earlier one has, with that one.
    pub(super) doubled: Vec<(u32, u32)>,
}

impl Table {
    /// Rows that know their parents.
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

    /// The row of a row's parent, or [`NONE`].
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

    /// Whether the file begins with the boundary of a compaction.
    pub(super) fn is_rewritten(&self) -> bool {
        self.len() > 0 && self.marks(0).has(Marks::BOUNDARY)
    }

    /// For every row the first one that is of the same reply, [`NONE`] for what is no reply.
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

    /// Nothing is found any more; what was found stays.
    pub(super) fn forget_ids(&mut self) {
        self.ids.clear();
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.bases.clear();
        self.agents.clear();
        self.ids.clear();
        self.replies.clear();
        self.waiting.clear();
        self.doubled.clear();
        // One huge file must not keep its memory while all others are read.
        self.bases.shrink_to(1 << 8);
        self.agents.shrink_to(1 << 8);
        self.waiting.shrink_to(1 << 8);
    }

    /// Adds a line; its row.
    pub(super) fn add(
        &mut self,
        facts: &Facts<'_>,
        said: Option<&Said<'_>>,
        offset: u64,
        ordinal: u64,
    ) -> u32 {
        let mut row = Row::of(facts, said, offset, ordinal);
        let parent = facts.id(Member::Parent).map(|id| ids::number(&id));
        let before = parent.and_then(|parent| self.ids.find(parent));
        row.parent = before.unwrap_or(NONE);
        let number = self.push(&row);
        if let (Some(parent), None) = (parent, before) {
            self.waiting.push((number, parent));
        }
        let uuid = facts.id(Member::Uuid);
        if let Some(first) = self.ids.add(uuid.map(|uuid| ids::number(&uuid))) {
            self.doubled.push((number, first));
        }
        number
    }

    /// Adds a row that knows its parent.
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

fn marks(facts: &Facts<'_>, said: Option<&Said<'_>>) -> Marks {
    let mut marks = Marks::default();
    marks.set(Marks::SIDECHAIN, facts.is_true(Member::Sidechain));
    let aborted = facts.is_true(Member::Aborted)
        || facts.is_true(Member::AbortedMidStream)
        || facts.get(Member::Interrupted).is_some()
        || said.is_some_and(Said::is_interrupt);
    marks.set(Marks::ABORTED, aborted);
    let document = facts.dialect == Dialect::Document;
    marks.set(Marks::DOCUMENT, document);
    let subtype = facts.get(Member::Subtype);
    match facts.kind {
        Kind::User => {
            marks.set(Marks::USER, true);
            let results = said.is_some_and(|said| said.blocks().iter().any(|b| b.call.is_some()));
            let meta = facts.is_true(Member::Meta);
            marks.set(Marks::PROMPT, !results && !meta && !aborted);
        }
        Kind::Assistant => {
            marks.set(Marks::ASSISTANT, true);
            let call = document
                && (subtype == Some("\"tool_use\"") || facts.get(Member::ToolName).is_some());
            marks.set(Marks::CALL, call);
            let nameless = said.is_some_and(|said| {
                let mut calls = said.blocks().iter().filter(|block| block.is_call());
                calls.any(|block| {
                    block
                        .id
                        .is_none_or(|id| id.len() < 3 || !id.starts_with('"'))
                })
            });
            marks.set(Marks::NAMELESS_CALL, nameless);
            let calling = said.is_some_and(|said| said.blocks().iter().any(|b| b.is_call()));
            marks.set(Marks::CALLING, calling);
        }
        Kind::Progress => marks.set(Marks::CALLING, true),
        Kind::System => {
            let result = subtype == Some("\"tool_result\"");
            marks.set(Marks::RESULT, document && result);
            let failed = subtype == Some("\"error\"") || facts.is_true(Member::Error);
            marks.set(Marks::FAILURE, document && !result && failed);
            marks.set(Marks::BOUNDARY, subtype == Some("\"compact_boundary\""));
        }
        _ => {}
    }
    marks
}
