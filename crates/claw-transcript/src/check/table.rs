//! The lines of one file as a table: thirty-two bytes for each line of a chain.

use super::facts::Facts;
use super::ids::{self, ByNumber};
use super::iso;
use super::member::Member;
use super::said::Said;
use crate::entry::{Dialect, Kind};

/// No row.
pub(super) const NONE: u32 = u32::MAX;

/// What is said about a row by yes or no.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Marks(u16);

impl Marks {
    pub(super) const SIDECHAIN: u16 = 1;
    pub(super) const DOCUMENT: u16 = 1 << 1;
    pub(super) const USER: u16 = 1 << 2;
    pub(super) const ASSISTANT: u16 = 1 << 3;
    /// Somebody asks something; not the result of a tool.
    pub(super) const PROMPT: u16 = 1 << 4;
    /// The document's tool call.
    pub(super) const CALL: u16 = 1 << 5;
    /// The document's tool result.
    pub(super) const RESULT: u16 = 1 << 6;
    /// The document's error, which may stand for a result.
    pub(super) const FAILURE: u16 = 1 << 7;
    /// It calls a tool without an id.
    pub(super) const NAMELESS_CALL: u16 = 1 << 8;
    /// It was cut off, or says that something was.
    pub(super) const ABORTED: u16 = 1 << 9;
    pub(super) const BOUNDARY: u16 = 1 << 10;
    /// It stands in the file before, byte for byte.
    pub(super) const COPY: u16 = 1 << 11;

    pub(super) fn has(self, mark: u16) -> bool {
        self.0 & mark != 0
    }

    pub(super) fn set(&mut self, mark: u16, on: bool) {
        if on {
            self.0 |= mark;
        }
    }
}

/// A line of a chain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) offset: u64,
    pub(super) ordinal: u32,
    /// The row of its parent, [`NONE`] when it has none or it is not there.
    pub(super) parent: u32,
    /// Seconds since 1970; zero when it does not say.
    pub(super) seconds: u32,
    /// The reply that it is a block of, as half a number.
    pub(super) message: u32,
    /// The agent, as half a number.
    pub(super) agent: u32,
    pub(super) marks: Marks,
}

impl Row {
    /// Where it lies, for a second look.
    pub(super) fn place(&self) -> (u64, u64) {
        (self.offset, u64::from(self.ordinal))
    }
}

/// All lines of the chains of a file.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) rows: Vec<Row>,
    by_uuid: ByNumber<u32>,
    /// Rows whose parents did not come before them, with the numbers of those.
    pub(super) waiting: Vec<(u32, u64)>,
    /// Rows with an id that an earlier one has, with that one.
    pub(super) doubled: Vec<(u32, u32)>,
}

impl Table {
    pub(super) fn find(&self, number: u64) -> Option<u32> {
        self.by_uuid.get(&number).copied()
    }

    pub(super) fn row(&self, row: u32) -> &Row {
        &self.rows[row as usize]
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.by_uuid.clear();
        self.waiting.clear();
        self.doubled.clear();
        // One huge file must not keep its memory while all others are read.
        self.rows.shrink_to(1 << 14);
        self.by_uuid.shrink_to(1 << 14);
    }

    /// Adds a line; its row.
    pub(super) fn add(
        &mut self,
        facts: &Facts<'_>,
        said: Option<&Said<'_>>,
        offset: u64,
        ordinal: u64,
    ) -> u32 {
        let number = u32::try_from(self.rows.len()).unwrap_or(NONE - 1);
        let half = |id: &str| ids::number(id) as u32 | 1;
        let seconds = facts.string(Member::Timestamp);
        let seconds = seconds.as_deref().and_then(iso::seconds).unwrap_or(0);
        let mut row = Row {
            offset,
            ordinal: u32::try_from(ordinal).unwrap_or(u32::MAX),
            parent: NONE,
            seconds: u32::try_from(seconds).unwrap_or(0),
            message: said.and_then(|said| said.id).map_or(0, half),
            agent: facts.id(Member::Agent).as_deref().map_or(0, half),
            marks: marks(facts, said),
        };
        if let Some(parent) = facts.id(Member::Parent) {
            let parent = ids::number(&parent);
            match self.by_uuid.get(&parent) {
                Some(before) => row.parent = *before,
                None => self.waiting.push((number, parent)),
            }
        }
        self.rows.push(row);
        if let Some(uuid) = facts.id(Member::Uuid) {
            let first = *self.by_uuid.entry(ids::number(&uuid)).or_insert(number);
            if first != number {
                self.doubled.push((number, first));
            }
        }
        number
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
        }
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
