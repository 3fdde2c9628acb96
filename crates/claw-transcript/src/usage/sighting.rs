//! A message as it was seen in one file.

use std::cmp::Ordering;

use super::tables::{Name, Tables};
use super::tokens::Tokens;
use crate::requests::RequestMark;

/// One or more lines of one message in one file, taken together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Sighting {
    /// The hash of the message's id.
    pub(super) key: u64,
    pub(super) request: RequestMark,
    /// Which [`Place`](super::tables::Place).
    pub(super) place: u32,
    /// Seconds since 1970; zero when unknown.
    pub(super) time: i64,
    /// Which [`Class`](super::tables::Class).
    pub(super) class: u32,
    pub(super) tokens: Tokens,
    pub(super) marks: Marks,
    /// What the reply is made of, by identity; only collected when somebody asks for tools.
    pub(super) blocks: Vec<BlockShare>,
}

/// What is particular about a sighting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Marks {
    /// The line says that it was copied from another session.
    pub(super) forked: bool,
    /// The request itself is in the same file, so this is no copy.
    pub(super) at_home: bool,
    /// No line says how it ended: the user stopped it, and the CLI did not count it.
    pub(super) unfinished: bool,
    /// Taken out of a broken line.
    pub(super) recovered: bool,
}

/// A part of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BlockShare {
    /// A hash by which the same block in another copy is known. The tool is part of it.
    pub(super) identity: u32,
    /// The tool it calls.
    pub(super) tool: Option<Name>,
    pub(super) bytes: u32,
}

impl Sighting {
    /// Whether this sighting's usage goes before another's: the largest output wins, since block
    /// lines of old CLIs and interrupted ones carry what was known so far. All else only makes the
    /// choice the same in whatever order files are read.
    pub(super) fn outdoes(&self, other: &Self, tables: &Tables) -> bool {
        match self.tokens.cmp(&other.tokens) {
            Ordering::Equal if self.class == other.class => false,
            Ordering::Equal => tables.rank(self.class) > tables.rank(other.class),
            ordering => ordering.is_gt(),
        }
    }

    /// Takes in another line of the same message in the same file.
    pub(super) fn merge(&mut self, other: Self, tables: &Tables) {
        debug_assert_eq!(self.key, other.key, "lines of one message");
        let marks = Marks {
            forked: self.marks.forked && other.marks.forked,
            at_home: self.marks.at_home || other.marks.at_home,
            unfinished: self.marks.unfinished && other.marks.unfinished,
            recovered: self.marks.recovered && other.marks.recovered,
        };
        if other.outdoes(self, tables) {
            (self.tokens, self.class) = (other.tokens, other.class);
        }
        self.marks = marks;
        if known(other.time) < known(self.time) {
            self.time = other.time;
        }
        self.add_blocks(&other.blocks);
    }

    pub(super) fn add_blocks(&mut self, blocks: &[BlockShare]) {
        for block in blocks {
            // In order, so that a reply of very many blocks is not gone over for each.
            let known = self
                .blocks
                .binary_search_by_key(&block.identity, |known| known.identity);
            match known {
                Ok(at) => self.blocks[at].bytes = self.blocks[at].bytes.max(block.bytes),
                Err(at) => self.blocks.insert(at, *block),
            }
        }
    }
}

/// For comparing: an unknown time is after all others.
pub(super) fn known(time: i64) -> i64 {
    if time == 0 { i64::MAX } else { time }
}
