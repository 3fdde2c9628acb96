//! The results of one thread.

use super::buckets::Buckets;
use super::cli_totals::CliTotals;
use super::dedup::Span;
use super::report::ReadSummary;
use super::sighting::Sighting;
use super::tables::Tables;
use crate::tree::Liveness;

/// What to read besides tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Depth {
    /// The blocks of replies.
    pub(super) blocks: bool,
    /// Which replies are on abandoned branches. Requires reading every line.
    pub(super) branches: bool,
    /// The types of subagents, from their sidecars.
    pub(super) agent_types: bool,
    /// Collects lines of messages one by one, instead of merging them.
    pub(super) watch: Option<Watch>,
}

/// The messages whose lines are collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Watch {
    All,
    /// The message with this key.
    One(u64),
}

/// A line of a message to explain.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) file: u32,
    pub(super) offset: u64,
    pub(super) ordinal: u64,
    pub(super) message_id: Option<String>,
    pub(super) sighting: Sighting,
}

/// One thread's share of the files.
#[derive(Debug, Default)]
pub(super) struct Worker {
    pub(super) tables: Tables,
    pub(super) buckets: Buckets,
    pub(super) spans: Vec<(u32, Span)>,
    pub(super) cli_totals: Vec<CliTotals>,
    pub(super) summary: ReadSummary,
    /// Messages that are not live, by file.
    pub(super) not_live: Vec<((u32, u64), Liveness)>,
    pub(super) watched: Vec<Watched>,
}
