//! The CLI's own totals of a session.

use super::money::Usd;
use super::reply::CostState;

/// The CLI's own totals in one main file, and the unanswered requests of any file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CliTotals {
    pub(super) file: u32,
    /// The last running total.
    pub(super) last: Option<CostState>,
    /// Each total in picodollars, with the time of the last reply before it.
    totals: Vec<(i64, i64)>,
    /// Requests that were neither answered nor refused: killed, or their reply is missing.
    pub(super) unanswered: u64,
}

impl CliTotals {
    pub(super) fn note(&mut self, state: CostState, time: i64) {
        let total = i64::try_from(state.total.picos()).unwrap_or(i64::MAX);
        if self.totals.last().is_none_or(|(_, last)| *last != total) {
            self.totals.push((time, total));
        }
        self.last = Some(state);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.last.is_none() && self.unanswered == 0
    }

    /// The last total at a time.
    pub(super) fn total_at(&self, time: i64) -> Option<Usd> {
        let before = self.totals.iter().rev().find(|(at, _)| *at <= time);
        before.map(|(_, total)| Usd::from_picos(i128::from(*total)))
    }

    pub(super) fn first_total(&self) -> Option<Usd> {
        let first = self.totals.first();
        first.map(|(_, total)| Usd::from_picos(i128::from(*total)))
    }

    /// Merges another file of the same session. A total only grows, so the larger one is current, and
    /// the smaller one is of an old copy.
    pub(super) fn merge(&mut self, other: Self) {
        self.unanswered += other.unanswered;
        let total = |last: &Option<CostState>| last.as_ref().map(|state| state.total);
        if total(&other.last) > total(&self.last) {
            (self.last, self.totals) = (other.last, other.totals);
        }
    }
}
