//! Reports of usage and cost.

use serde::{Serialize, Serializer};

use super::group_by::GroupBy;
use super::hidden::HiddenSpend;
use super::money::Usd;
use super::tokens::Tokens;
use super::zone::Zone;
use crate::files::Unreadable;
use crate::time;

/// Progress of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The number of bytes read.
    pub done: u64,
    /// The number of bytes when reading began. Files that are still written may have more.
    pub total: u64,
}

/// Tokens and cost of some messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Sums {
    /// The number of replies, each counted once. Grouped by tool, a reply counts in each of its
    /// rows.
    pub messages: u64,
    /// Their tokens, including those without a price.
    #[serde(flatten)]
    pub tokens: Tokens,
    /// The cost of messages with a known price; `None` if there are none.
    pub cost: Option<Usd>,
    /// The number of messages without a known price, which are not in the cost.
    #[serde(skip_serializing_if = "is_zero")]
    pub unpriced_messages: u64,
    /// The number of tool calls, if grouped by tool.
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

/// A row: the messages with the same keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UsageRow {
    /// A key for each grouping, in the order of the query.
    pub keys: Vec<String>,
    /// The sums of the messages.
    #[serde(flatten)]
    pub sums: Sums,
}

/// Tokens of a model that has no price.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UnpricedModel {
    /// The model, as named in the lines.
    pub model: String,
    /// The number of messages.
    pub messages: u64,
    /// Their tokens.
    #[serde(flatten)]
    pub tokens: Tokens,
}

/// Statistics of reading, including problems.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReadSummary {
    /// The number of files of sessions and subagents.
    pub files: u64,
    /// The number of bytes.
    pub bytes: u64,
    /// The number of lines.
    pub lines: u64,
    /// The number of lines with usage. There are more than messages: a line per block of a reply,
    /// and copies in forked sessions.
    pub reply_lines: u64,
    /// Replies that the CLI wrote itself, for example for an error. They are in no row.
    pub synthetic_messages: u64,
    /// Lines with `"usage"` that are not JSON: truncated, or concatenated.
    pub broken_lines: u64,
    /// Replies salvaged from such lines. They are counted.
    pub recovered_lines: u64,
    /// Token counts of replies that are text or negative. They are counted as zero, so the sums are
    /// too small.
    pub odd_counts: u64,
    /// Messages without a time. They are in the total unless the query has a time range.
    pub undated_messages: u64,
    /// Files that could not be read to the end.
    pub unreadable: Vec<Unreadable>,
}

impl ReadSummary {
    pub(super) fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.lines += other.lines;
        self.reply_lines += other.reply_lines;
        self.broken_lines += other.broken_lines;
        self.recovered_lines += other.recovered_lines;
        self.odd_counts += other.odd_counts;
        self.unreadable.extend(other.unreadable);
    }
}

/// Usage and cost over all session files.
///
/// The result does not depend on the order of files or the number of threads.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UsageReport {
    /// The time zone of days.
    pub zone: Zone,
    /// The start of the time range, in seconds since 1970.
    #[serde(serialize_with = "as_time", skip_serializing_if = "Option::is_none")]
    pub since: Option<i64>,
    /// The end of the time range, exclusive.
    #[serde(serialize_with = "as_time", skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
    /// The keys of each row.
    pub group_by: Vec<GroupBy>,
    /// One row per set of keys, sorted; empty if no grouping was requested.
    pub rows: Vec<UsageRow>,
    /// The sums of all messages.
    pub total: Sums,
    /// Models without a price. Their tokens are in the rows, but not their cost.
    pub unpriced: Vec<UnpricedModel>,
    /// Spend that is in no line, by session. It is not in the rows or the total.
    pub hidden: Vec<HiddenSpend>,
    /// The date of the last comparison of the built-in prices with the CLI.
    pub prices_as_of: &'static str,
    /// Statistics of reading.
    pub read: ReadSummary,
}

fn as_time<S: Serializer>(seconds: &Option<i64>, serializer: S) -> Result<S::Ok, S::Error> {
    seconds.map(time_text).serialize(serializer)
}

/// Formats a second since 1970 as the CLI does.
pub(super) fn time_text(seconds: i64) -> String {
    time::to_iso(time::from_ms(seconds.saturating_mul(1000)))
}
