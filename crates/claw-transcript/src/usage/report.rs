//! What a count of usage says.

use serde::{Serialize, Serializer};

use super::group::GroupBy;
use super::hidden::HiddenSpend;
use super::money::Usd;
use super::tokens::Tokens;
use super::zone::Zone;
use crate::files::Unreadable;

/// How far reading has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes that were read.
    pub done: u64,
    /// Bytes that there were when reading began. Files that are written meanwhile may have more.
    pub total: u64,
}

/// Tokens and cost of some messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Sums {
    /// How many replies of a model these are, each counted once. Where one reply has a part in
    /// several rows (grouped by tool), each row counts it.
    pub messages: u64,
    /// Their tokens, those without a price included.
    #[serde(flatten)]
    pub tokens: Tokens,
    /// The cost of those whose price is known; nothing when it is known of none.
    pub cost: Option<Usd>,
    /// How many of the messages have no known price and are not in the cost.
    #[serde(skip_serializing_if = "is_zero")]
    pub unpriced_messages: u64,
    /// Calls of a tool, where rows are tools.
    #[serde(skip_serializing_if = "is_zero")]
    pub calls: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Sums {
    pub(super) fn add(&mut self, tokens: Tokens, cost: Option<Usd>) {
        self.messages += 1;
        self.tokens += tokens;
        match cost {
            Some(cost) => self.cost = Some(self.cost.unwrap_or_default() + cost),
            None => self.unpriced_messages += 1,
        }
    }
}

/// One row: the messages that have these keys in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UsageRow {
    /// A key for each grouping that was asked for, in that order.
    pub keys: Vec<String>,
    /// What they used.
    #[serde(flatten)]
    pub sums: Sums,
}

/// Tokens of a model that has no price.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UnpricedModel {
    /// The model, as the lines name it.
    pub model: String,
    /// How many messages.
    pub messages: u64,
    /// Their tokens.
    #[serde(flatten)]
    pub tokens: Tokens,
}

/// What was read, and what of it could not be.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReadSummary {
    /// Files of sessions and subagents.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their lines.
    pub lines: u64,
    /// Lines that say what a reply used. More than there are messages: a line for each block of
    /// a reply, and copies in forked sessions.
    pub reply_lines: u64,
    /// Replies that the CLI wrote itself, such as for an error. They are in no row.
    pub synthetic_messages: u64,
    /// Lines that speak of usage and are not JSON: torn, or glued together.
    pub broken_lines: u64,
    /// Replies that were taken out of such lines, and are counted.
    pub recovered_lines: u64,
    /// Token counts of replies that are text or negative. They are counted as zero, so the sums are
    /// too small.
    pub odd_counts: u64,
    /// Messages without a time. They are in the total unless a time was asked for.
    pub undated_messages: u64,
    /// Files that could not be read to the end.
    pub unreadable: Vec<Unreadable>,
}

/// Usage and cost over all session files.
///
/// The same for the same files, in whatever order and with however many threads they are read.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UsageReport {
    /// Where days begin.
    pub zone: Zone,
    /// The first second, since 1970, of what was asked for.
    #[serde(serialize_with = "as_time", skip_serializing_if = "Option::is_none")]
    pub since: Option<i64>,
    /// The first second after it.
    #[serde(serialize_with = "as_time", skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
    /// What each row's keys are.
    pub group_by: Vec<GroupBy>,
    /// One row for each set of keys, in their order; none when no grouping was asked for.
    pub rows: Vec<UsageRow>,
    /// All messages.
    pub total: Sums,
    /// Models without a price. Their tokens are in the rows and their cost is not.
    pub unpriced: Vec<UnpricedModel>,
    /// Spend that is in no line, by session. It is in no row and not in the total.
    pub hidden: Vec<HiddenSpend>,
    /// When the built-in prices were last compared with the CLI.
    pub prices_as_of: &'static str,
    /// What was read.
    pub read: ReadSummary,
}

fn as_time<S: Serializer>(seconds: &Option<i64>, serializer: S) -> Result<S::Ok, S::Error> {
    match seconds {
        Some(seconds) => {
            let time = crate::time::from_ms(seconds.saturating_mul(1000));
            serializer.serialize_str(&crate::time::to_iso(time))
        }
        None => serializer.serialize_none(),
    }
}
