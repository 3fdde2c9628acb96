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
    /// Each total that was written, with the time of the last reply before it.
    pub(super) totals: Vec<(i64, Usd)>,
    /// Requests that were sent, and neither answered nor refused: killed, or their reply is lost.
    pub(super) unanswered: u64,
    /// Requests that the service refused, which cost nothing.
    pub(super) refused: u64,
}

impl Ledger {
    pub(super) fn note(&mut self, state: CostState, time: i64) {
        if self
            .totals
            .last()
            .is_none_or(|(_, total)| *total != state.total)
        {
            self.totals.push((time, state.total));
        }
        self.last = Some(state);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.last.is_none() && self.unanswered == 0
    }

    /// The total at a time: the last that was written after replies up to then.
    pub(super) fn total_at(&self, time: i64) -> Option<Usd> {
        let before = self.totals.iter().rev().find(|(at, _)| *at <= time);
        before.map(|(_, total)| *total)
    }
}
