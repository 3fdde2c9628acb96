//! The true totals of a corpus: what a reader who makes no mistake finds in it.

use std::collections::{BTreeMap, HashMap};

use super::line::Line;
use super::price::{MODELS, Tokens, dollars};
use crate::calendar;

/// The spend of a day.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Day {
    /// Messages of models.
    pub messages: u64,
    /// Their tokens.
    pub tokens: Tokens,
    /// Dollars.
    pub cost: f64,
}

/// The true totals. Lines that were cut or broken do not count.
///
/// A message counts once, however many forked sessions have copies of its lines. Its usage is that
/// of its line with the most output tokens, its day that of its earliest line.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Truth {
    /// Bytes of all session files.
    pub bytes: u64,
    /// Lines of all session files, broken ones too; two entries on one line are one line.
    pub lines: u64,
    /// Session files, main ones and those of subagents.
    pub files: u64,
    /// Main files, which is also the number of sessions.
    pub main_files: u64,
    /// Files of subagents.
    pub agent_files: u64,
    /// Messages of models.
    pub unique_messages: u64,
    /// Tokens by model.
    pub tokens: BTreeMap<&'static str, Tokens>,
    /// Dollars by model.
    pub cost: BTreeMap<&'static str, f64>,
    /// Dollars in all.
    pub total_cost: f64,
    /// Spend by day in UTC, as `2026-09-30`.
    pub by_day: BTreeMap<String, Day>,
    /// Answers that the user stopped.
    pub interrupted: u64,
    /// Sessions that start with copies of lines of another.
    pub forks: u64,
    /// Lines in the middle of files that were cut.
    pub broken_lines: u64,
    /// Cut lines with a whole one behind them on the same line.
    pub glued_lines: u64,
    /// Dollars of the summaries of compactions, which are in no line, only in the totals of
    /// `cost-state`.
    pub hidden_compaction_cost: f64,
}

/// The totals of a message so far.
#[derive(Debug, Clone, Copy)]
struct Seen {
    model: usize,
    tokens: Tokens,
    earliest_ms: i64,
}

/// Counts lines that were written.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) truth: Truth,
    pub(super) hidden_price: u64,
    messages: HashMap<u128, Seen>,
}

impl Ledger {
    /// Counts a line that is whole.
    pub(super) fn count(&mut self, line: &Line) {
        let Some(spend) = &line.spend else { return };
        let seen = self.messages.entry(spend.message).or_insert(Seen {
            model: spend.model,
            tokens: spend.tokens,
            earliest_ms: line.at_ms,
        });
        if spend.tokens.output > seen.tokens.output {
            seen.tokens = spend.tokens;
        }
        seen.earliest_ms = seen.earliest_ms.min(line.at_ms);
    }

    /// The totals of all that was counted.
    pub(super) fn close(self) -> Truth {
        let mut truth = self.truth;
        let mut prices = BTreeMap::<_, u64>::new();
        let mut day_prices = BTreeMap::<String, u64>::new();
        for seen in self.messages.values() {
            let name = MODELS[seen.model].name;
            let price = seen.tokens.price(seen.model);
            let day = calendar::day(seen.earliest_ms);
            truth.tokens.entry(name).or_default().add(&seen.tokens);
            *prices.entry(name).or_default() += price;
            *day_prices.entry(day.clone()).or_default() += price;
            let day = truth.by_day.entry(day).or_default();
            day.messages += 1;
            day.tokens.add(&seen.tokens);
        }
        for (day, price) in truth.by_day.values_mut().zip(day_prices.into_values()) {
            day.cost = dollars(price);
        }
        truth.total_cost = dollars(prices.values().sum());
        let costs = prices.into_iter();
        truth.cost = costs.map(|(name, price)| (name, dollars(price))).collect();
        truth.unique_messages = self.messages.len() as u64;
        truth.hidden_compaction_cost = dollars(self.hidden_price);
        truth
    }
}
