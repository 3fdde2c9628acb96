//! The true totals of a corpus: what a reader who makes no mistake finds in it.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;

use super::line::{Line, Mark};
use super::price::{MODELS, Tokens, dollars};
use crate::calendar;

/// The spend of a day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Day {
    /// Messages of models.
    pub messages: u64,
    /// Their tokens.
    #[serde(flatten)]
    pub tokens: Tokens,
    /// Dollars.
    pub cost: f64,
}

/// The true totals. Lines that were cut or broken do not count.
///
/// A message, a tool call, a compaction, an edit and an interrupt count once, however many forked
/// sessions have copies of its lines. The usage of a message is that of its line with the most
/// output tokens, its day that of its earliest line.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Truth {
    /// Bytes of all session files.
    pub bytes: u64,
    /// Lines of all session files, broken ones too; two entries on one line are one line.
    pub lines: u64,
    /// Whole entries.
    pub entries: u64,
    /// Session files, main ones and those of subagents.
    pub files: u64,
    /// Main files, which is also the number of sessions.
    pub main_files: u64,
    /// Files of subagents.
    pub agent_files: u64,
    /// Whole entries by type.
    pub by_type: BTreeMap<&'static str, u64>,
    /// Whole entries of type assistant.
    pub assistant_lines: u64,
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
    /// Tool calls.
    pub tool_calls: u64,
    /// Results of tool calls.
    pub tool_results: u64,
    /// Tool calls without a result.
    pub unanswered_calls: u64,
    /// Messages with more than one tool call.
    pub parallel_batches: u64,
    /// Compactions.
    pub compactions: u64,
    /// Prompts that were taken back and written anew.
    pub edit_branches: u64,
    /// Answers that the user stopped.
    pub interrupted: u64,
    /// Sessions that start with copies of lines of another.
    pub forks: u64,
    /// Copied lines.
    pub copied_lines: u64,
    /// Files whose lines end in CR LF.
    pub crlf_files: u64,
    /// Files whose last line is cut.
    pub truncated_files: u64,
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
    calls: u32,
}

/// Counts lines that were written.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) truth: Truth,
    pub(super) hidden_price: u64,
    messages: HashMap<u128, Seen>,
    calls: HashSet<u128>,
    results: HashSet<u128>,
    compactions: HashSet<u128>,
    interrupts: HashSet<u128>,
    edits: HashSet<(u128, u128)>,
}

impl Ledger {
    /// Counts the lines of a file that are whole.
    pub(super) fn count<'a>(&mut self, whole: impl Iterator<Item = &'a Line>) {
        let mut prompts = HashSet::new();
        for line in whole {
            self.truth.entries += 1;
            *self.truth.by_type.entry(line.kind).or_default() += 1;
            self.truth.copied_lines += u64::from(line.copied);
            self.results.extend(line.result);
            if let Some(spend) = &line.spend {
                self.truth.assistant_lines += 1;
                let seen = self.messages.entry(spend.message).or_insert(Seen {
                    model: spend.model,
                    tokens: spend.tokens,
                    earliest_ms: line.at_ms,
                    calls: 0,
                });
                if spend.tokens.output > seen.tokens.output {
                    seen.tokens = spend.tokens;
                }
                seen.earliest_ms = seen.earliest_ms.min(line.at_ms);
                if let Some(call) = spend.call {
                    seen.calls += u32::from(self.calls.insert(call));
                }
            }
            match line.mark {
                Mark::None => {}
                Mark::Compaction => {
                    self.compactions.insert(line.origin);
                }
                Mark::Interrupt => {
                    self.interrupts.insert(line.origin);
                }
                Mark::Prompt { instead_of } => {
                    prompts.insert(line.origin);
                    // The one that was taken back comes first in the file.
                    if let Some(old) = instead_of.filter(|old| prompts.contains(old)) {
                        self.edits.insert((old, line.origin));
                    }
                }
            }
        }
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
            truth.parallel_batches += u64::from(seen.calls > 1);
        }
        for (day, price) in day_prices {
            if let Some(day) = truth.by_day.get_mut(&day) {
                day.cost = dollars(price);
            }
        }
        truth.total_cost = dollars(prices.values().sum());
        truth.cost = prices
            .into_iter()
            .map(|(name, price)| (name, dollars(price)))
            .collect();
        truth.unique_messages = self.messages.len() as u64;
        truth.tool_calls = self.calls.len() as u64;
        truth.tool_results = self.results.len() as u64;
        truth.unanswered_calls = self.calls.difference(&self.results).count() as u64;
        truth.compactions = self.compactions.len() as u64;
        truth.interrupted = self.interrupts.len() as u64;
        truth.edit_branches = self.edits.len() as u64;
        truth.hidden_compaction_cost = dollars(self.hidden_price);
        truth
    }
}
