//! What the CLI itself says about a session's spend.

use super::facts::CostState;
use super::money::Usd;

/// The CLI's own account of one main file, and the requests of any file that no line answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Ledger {
    /// Which file.
    pub(super) file: u32,
    /// The running total as it was written last.
    pub(super) last: Option<CostState>,
    /// Each total that was written, with the time of the last reply before it. In millionths of a
    /// millionth of a dollar, of which nine million dollars fit.
    totals: Vec<(i64, i64)>,
    /// Requests that were sent, and neither answered nor refused: killed, or their reply is lost.
    pub(super) unanswered: u64,
    /// Requests that the service refused, which cost nothing.
    pub(super) refused: u64,
}

impl Ledger {
    pub(super) fn of_file(file: u32) -> Self {
        Self {
            file,
            ..Self::default()
        }
    }

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

    /// The total at a time: the last that was written after replies up to then.
    pub(super) fn total_at(&self, time: i64) -> Option<Usd> {
        let before = self.totals.iter().rev().find(|(at, _)| *at <= time);
        before.map(|(_, total)| Usd::from_picos(i128::from(*total)))
    }

    /// The total that was written first.
    pub(super) fn first_total(&self) -> Option<Usd> {
        let first = self.totals.first();
        first.map(|(_, total)| Usd::from_picos(i128::from(*total)))
    }

    /// Takes in what another file of the same session says. A total only grows, so the larger one
    /// is what the session came to, and the smaller one of a copy that was left behind.
    pub(super) fn merge(&mut self, other: Self) {
        self.unanswered += other.unanswered;
        self.refused += other.refused;
        let total = |last: &Option<CostState>| last.as_ref().map(|state| state.total);
        if total(&other.last) > total(&self.last) {
            (self.last, self.totals) = (other.last, other.totals);
        }
    }
}
