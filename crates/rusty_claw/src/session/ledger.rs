//! Matches results to prompts. Pure: no clock, no I/O.
//!
//! Prompts do not have one result each. Queued prompts are answered together, a prompt sent while a
//! tool runs is folded into the running turn, and background tasks start turns without a prompt.
//! The CLI reports which prompts a result ends, and the state of each prompt; from these receipts
//! the ledger derives exactly one outcome for every prompt.

use std::collections::BTreeSet;
use std::sync::Arc;

use rusty_claw_protocol::Str;
use rusty_claw_protocol::messages::{CommandState, ResultMessage, TerminalReason};
use serde::{Deserialize, Serialize};

use super::outcome::{TurnOutcome, TurnReport, details};

/// The id of a prompt, and its outcome.
pub type Resolved = (Str, TurnOutcome);

/// The open prompts of a session. It can be saved, so that another process continues it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    open: Vec<OpenTurn>,
    /// Whether this CLI sends receipts. If it does, a result that names none of our prompts is not
    /// ours.
    has_receipts: bool,
    /// Running background tasks.
    background: BTreeSet<Str>,
    /// The CLI's running total at the last result.
    total_cost: Option<f64>,
    /// The last result of a CLI without receipts, while prompts are open.
    #[serde(skip)]
    last_result: Option<Arc<ResultMessage>>,
    /// Number of started prompts.
    starts: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct OpenTurn {
    id: Str,
    state: TurnState,
    /// The position of its last start among the session's starts.
    start: u64,
    /// Background tasks of earlier turns.
    background_before: BTreeSet<Str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum TurnState {
    /// Written, and no receipt yet.
    Sent,
    Started,
    /// Completed; the result that includes it comes later.
    Folded,
}

impl Ledger {
    /// Creates a ledger with the open prompts of an earlier host.
    pub(crate) fn with_open(ids: impl IntoIterator<Item = Str>, total_cost: Option<f64>) -> Self {
        let mut ledger = Self {
            total_cost,
            ..Self::default()
        };
        ids.into_iter().for_each(|id| ledger.sent(id));
        ledger
    }

    /// Sets the total cost of a new session to zero. That of a resumed one is unknown.
    pub(crate) fn starts_at_zero(&mut self) {
        self.total_cost = Some(0.0);
    }

    /// Records that a prompt was written.
    pub fn sent(&mut self, id: Str) {
        self.open.push(OpenTurn {
            id,
            state: TurnState::Sent,
            start: 0,
            background_before: self.background.clone(),
        });
    }

    /// The number of prompts without an outcome.
    pub(crate) fn open_count(&self) -> usize {
        self.open.len()
    }

    /// The open prompts, oldest first.
    pub fn open_ids(&self) -> Vec<Str> {
        self.open.iter().map(|turn| turn.id.clone()).collect()
    }

    /// The CLI's running total at the last result.
    pub(crate) fn total_cost(&self) -> Option<f64> {
        self.total_cost
    }

    /// Whether the CLI works on a prompt, as far as it reports that.
    pub(crate) fn is_running(&self, id: &str) -> bool {
        let of = |turn: &&OpenTurn| turn.id == *id;
        let state = self.open.iter().find(of).map(|turn| turn.state);
        // A CLI without receipts works on the oldest.
        state == Some(TurnState::Started)
            || !self.has_receipts && self.open.first().is_some_and(|turn| turn.id == *id)
    }

    /// The prompt that the CLI's output belongs to: the first started prompt that is in progress,
    /// or else the first that only lacks its result. `None` in turns without a prompt.
    pub fn running(&self) -> Option<&Str> {
        if !self.has_receipts {
            // A CLI without receipts answers prompts in order.
            return self.open.first().map(|turn| &turn.id);
        }
        let first_in = |state: TurnState| {
            let turns = self.open.iter().filter(move |turn| turn.state == state);
            turns.min_by_key(|turn| turn.start).map(|turn| &turn.id)
        };
        first_in(TurnState::Started).or_else(|| first_in(TurnState::Folded))
    }

    /// Whether a prompt has no outcome yet.
    pub fn is_open(&self, id: &str) -> bool {
        self.open.iter().any(|turn| turn.id == *id)
    }

    /// Sets the running background tasks.
    pub fn background(&mut self, tasks: impl IntoIterator<Item = Str>) {
        self.background = tasks.into_iter().collect();
    }

    /// Records a receipt for a prompt.
    pub fn lifecycle(&mut self, id: &str, state: &CommandState) -> Option<Resolved> {
        self.has_receipts = true;
        let at = self.open.iter().position(|turn| turn.id == *id)?;
        let turn = self.open.get_mut(at)?;
        let outcome = match state {
            CommandState::Started => {
                turn.state = TurnState::Started;
                self.starts += 1;
                turn.start = self.starts;
                turn.background_before = self.background.clone();
                return None;
            }
            CommandState::Completed => {
                turn.state = TurnState::Folded;
                return None;
            }
            CommandState::Cancelled => TurnOutcome::Interrupted { report: None },
            CommandState::Discarded => {
                TurnOutcome::Failed(TurnReport::without_result("the CLI discarded it"))
            }
            CommandState::Refused => {
                TurnOutcome::Failed(TurnReport::without_result("the CLI refused it"))
            }
            _ => return None,
        };
        Some((self.open.remove(at).id, outcome))
    }

    /// Records the result of a turn, and returns the outcomes of the prompts that it ends.
    pub fn result(&mut self, result: ResultMessage) -> Vec<Resolved> {
        let cost = self.cost_of(&result);
        let ours = self.named_by(&result);
        if ours.is_empty() {
            return Vec::new();
        }
        let result = Arc::new(result);
        let mut cost = cost;
        let resolved = ours
            .into_iter()
            .filter_map(|id| {
                let at = self.open.iter().position(|turn| turn.id == id)?;
                let turn = self.open.remove(at);
                let report = TurnReport {
                    result: Some(Arc::clone(&result)),
                    cost_usd: cost.take(),
                    note: None,
                };
                Some((id, self.judge(&turn, report)))
            })
            .collect();
        let more_waits = !self.has_receipts && !self.open.is_empty();
        self.last_result = more_waits.then_some(result);
        resolved
    }

    /// Whether the last result may have answered more prompts.
    pub(crate) fn may_be_done(&self) -> bool {
        !self.has_receipts && self.last_result.is_some() && !self.open.is_empty()
    }

    /// Ends all open prompts of a CLI without receipts that has started nothing since the last
    /// result: it answered several prompts together, and that result is the outcome of the rest.
    pub fn rested(&mut self) -> Vec<Resolved> {
        if !self.may_be_done() {
            return Vec::new();
        }
        let result = self.last_result.take();
        std::mem::take(&mut self.open)
            .into_iter()
            .map(|turn| {
                let report = TurnReport {
                    result: result.clone(),
                    cost_usd: None,
                    note: None,
                };
                let outcome = self.judge(&turn, report);
                (turn.id, outcome)
            })
            .collect()
    }

    /// Records that the CLI is idle. Completed prompts without a result count as answered.
    pub fn idle(&mut self) -> Vec<Resolved> {
        let (done, open): (Vec<_>, Vec<_>) = std::mem::take(&mut self.open)
            .into_iter()
            .partition(|turn| turn.state == TurnState::Folded);
        self.open = open;
        done.into_iter()
            .map(|turn| {
                let report = TurnReport::without_result("the CLI gave no result for it");
                (turn.id, TurnOutcome::Succeeded(report))
            })
            .collect()
    }

    /// Ends all open prompts with the same outcome.
    pub(crate) fn end_all(&mut self, outcome: &TurnOutcome) -> Vec<Resolved> {
        std::mem::take(&mut self.open)
            .into_iter()
            .map(|turn| (turn.id, outcome.clone()))
            .collect()
    }

    /// Ends one prompt, if it is open.
    pub(crate) fn end(&mut self, id: &str, outcome: TurnOutcome) -> Option<Resolved> {
        let at = self.open.iter().position(|turn| turn.id == *id)?;
        Some((self.open.remove(at).id, outcome))
    }

    /// The open prompts that a result ends.
    fn named_by(&self, result: &ResultMessage) -> Vec<Str> {
        let details = details(result);
        let named = details.and_then(|details| details.user_message_uuids.clone());
        if let Some(named) = named.filter(|named| !named.is_empty()) {
            let ours = |id: &Str| self.open.iter().any(|turn| turn.id == *id);
            return named.into_iter().filter(ours).collect();
        }
        if let Some(id) = details.and_then(|details| details.user_message_uuid.clone()) {
            return vec![id];
        }
        // A turn without a prompt, or a CLI with receipts that named none of our prompts.
        let unasked = details.is_some_and(|details| details.origin.is_some());
        if unasked || self.has_receipts {
            return Vec::new();
        }
        // A CLI without receipts answers prompts in order.
        self.open
            .first()
            .map(|turn| turn.id.clone())
            .into_iter()
            .collect()
    }

    /// The outcome of a turn without a prompt.
    pub fn unasked(&self, result: ResultMessage) -> TurnOutcome {
        let report = TurnReport {
            result: Some(Arc::new(result)),
            ..TurnReport::default()
        };
        let turn = OpenTurn {
            id: Str::default(),
            state: TurnState::Started,
            start: 0,
            background_before: self.background.clone(),
        };
        self.judge(&turn, report)
    }

    /// Whether the CLI sends receipts.
    pub fn has_receipts(&self) -> bool {
        self.has_receipts
    }

    fn judge(&self, turn: &OpenTurn, report: TurnReport) -> TurnOutcome {
        let aborted = report.details().is_some_and(|details| {
            matches!(
                details.terminal_reason,
                Some(TerminalReason::AbortedStreaming | TerminalReason::AbortedTools)
            )
        });
        if aborted {
            return TurnOutcome::Interrupted {
                report: Some(report),
            };
        }
        if report
            .result
            .as_deref()
            .is_some_and(ResultMessage::is_error)
        {
            return TurnOutcome::Failed(report);
        }
        let tasks: Vec<Str> = self
            .background
            .difference(&turn.background_before)
            .cloned()
            .collect();
        if tasks.is_empty() {
            TurnOutcome::Succeeded(report)
        } else {
            TurnOutcome::ContinuedInBackground { report, tasks }
        }
    }

    /// The cost of a turn. The CLI reports the total of the session.
    fn cost_of(&mut self, result: &ResultMessage) -> Option<f64> {
        let total = match result {
            ResultMessage::Success { total_cost_usd, .. }
            | ResultMessage::Error { total_cost_usd, .. } => *total_cost_usd,
            _ => None,
        }?;
        let before = self.total_cost.replace(total);
        before.map(|before| (total - before).max(0.0))
    }
}

#[cfg(test)]
mod tests;
