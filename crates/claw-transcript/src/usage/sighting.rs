//! The lines of a message.

use std::cmp::Ordering;

use super::tables::{Name, Renumbering, Tables};
use super::tokens::Tokens;
use crate::requests::RequestMark;

/// One or more lines of one message, merged: those of one file, or all of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Sighting {
    /// The hash of the message's id.
    pub(super) key: u64,
    pub(super) request: RequestMark,
    /// The number of its [`Context`](super::tables::Context); of all lines, that of the original.
    pub(super) context: u32,
    /// Seconds since 1970; zero if unknown.
    pub(super) time: i64,
    /// The number of its [`Class`](super::tables::Class).
    pub(super) class: u32,
    pub(super) tokens: Tokens,
    pub(super) marks: Marks,
    /// The blocks of the reply by identity; only collected for tools.
    pub(super) blocks: Vec<BlockShare>,
}

/// Flags of a sighting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Marks {
    /// Marked as a copy from another session.
    pub(super) forked: bool,
    /// The request is in the same file, so this is no copy.
    pub(super) at_home: bool,
    /// No line has a stop reason: the user stopped it, and the CLI did not count it.
    pub(super) unfinished: bool,
    /// Salvaged from a broken line.
    pub(super) recovered: bool,
    /// Another file has it too, and only the last times of both show which is the copy.
    pub(super) guessed: bool,
}

/// A block of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BlockShare {
    /// Hash of the block and its tool, to recognize copies.
    pub(super) identity: u32,
    pub(super) tool: Option<Name>,
    pub(super) bytes: u32,
}

impl Sighting {
    /// Returns whether this usage takes precedence. The largest output wins, since block lines of old
    /// CLIs and interrupted ones have the usage so far. The rest makes the choice independent of
    /// the order of files.
    pub(super) fn outdoes(&self, other: &Self, tables: &Tables) -> bool {
        match self.tokens.cmp(&other.tokens) {
            Ordering::Equal if self.class == other.class => false,
            Ordering::Equal => tables.rank(self.class) > tables.rank(other.class),
            ordering => ordering.is_gt(),
        }
    }

    pub(super) fn merge(&mut self, other: Self, tables: &Tables) {
        debug_assert_eq!(self.key, other.key, "lines of one message");
        if other.outdoes(self, tables) {
            (self.tokens, self.class) = (other.tokens, other.class);
        }
        self.marks.forked &= other.marks.forked;
        self.marks.at_home |= other.marks.at_home;
        self.marks.unfinished &= other.marks.unfinished;
        self.marks.recovered &= other.marks.recovered;
        if known(other.time) < known(self.time) {
            self.time = other.time;
        }
        self.add_blocks(&other.blocks);
    }

    pub(super) fn renumber(&mut self, renumbering: &Renumbering) {
        self.context += renumbering.first_context;
        self.class = renumbering.classes[self.class as usize];
        for block in &mut self.blocks {
            block.tool = block.tool.map(|tool| renumbering.names[tool.0 as usize]);
        }
    }

    pub(super) fn add_blocks(&mut self, blocks: &[BlockShare]) {
        for block in blocks {
            // Kept sorted, so that replies with many blocks are fast.
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

/// Sorts an unknown time after all others.
pub(super) fn known(time: i64) -> i64 {
    if time == 0 { i64::MAX } else { time }
}
