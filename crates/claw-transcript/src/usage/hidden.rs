//! Spend that is in no line.
//!
//! The CLI writes no reply for compactions, titles and killed requests, but pays for them. It keeps
//! a running total of each session (`cost-state`) and a record of each request (`api-request`).
//! Hidden spend is what these have beyond the lines. It has no time and no message, so it is never
//! part of a row.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use super::cli_totals::CliTotals;
use super::money::Usd;
use super::prices::PriceTable;
use super::query::TimeRange;
use super::reply::CostState;
use super::sighting::{Sighting, known};
use super::tables::{Name, Tables};
use super::tokens::Tokens;
use crate::files::SessionFile;

/// Spend of one session beyond its lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HiddenSpend {
    /// The session.
    #[serde(rename = "sessionId")]
    pub session: String,
    /// The cost that the CLI counted and no line shows; `None` if the CLI wrote no total.
    pub cost: Option<Usd>,
    /// The same in tokens, if the CLI wrote them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// Requests without a reply: killed, or not shown. Their cost may be part of `cost`.
    pub unanswered_requests: u64,
    /// The CLI's own total of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cli_total: Option<Usd>,
    /// The part of that total that was inherited from the session that this one was forked from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_over: Option<Usd>,
    /// The cost of the session's lines, at list prices.
    pub in_lines: Usd,
}

/// Smaller differences are rounding errors of the CLI's floating-point numbers.
const NOISE: Usd = Usd::from_picos(1_000_000);

/// The spend in the lines of each session, as the CLI would count it.
#[derive(Debug, Default)]
pub(super) struct Shown(HashMap<Name, InLines>);

/// The lines of one session, without copies of other sessions' replies.
#[derive(Debug, Clone, Copy, Default)]
struct InLines {
    tokens: Tokens,
    cost: Usd,
    /// The time of the first reply; zero if unknown.
    first: i64,
    last: i64,
}

impl Shown {
    /// Adds a message with its cost at list prices.
    pub(super) fn add(&mut self, tables: &Tables, message: &Sighting, cost: Option<Usd>) {
        let Some(context) = tables.contexts.get(message.context as usize) else {
            return;
        };
        let session = self.0.entry(context.session).or_default();
        if known(message.time) < known(session.first) {
            session.first = message.time;
        }
        session.last = session.last.max(message.time);
        // The CLI does not count interrupted replies.
        if !message.marks.unfinished {
            session.tokens += message.tokens;
            session.cost += cost.unwrap_or_default();
        }
    }

    /// Compares with the CLI's totals, which are at the prices of `list`. Only includes sessions
    /// whose last reply is in range.
    pub(super) fn compare(
        &self,
        list: &PriceTable,
        tables: &mut Tables,
        files: &[SessionFile],
        totals: Vec<CliTotals>,
        copied: &BTreeSet<(Name, Name)>,
        range: TimeRange,
    ) -> Vec<HiddenSpend> {
        let mut sessions: BTreeMap<&str, CliTotals> = BTreeMap::new();
        for totals in totals {
            let file = files.get(totals.file as usize);
            if let Some(session) = file.and_then(|file| file.session_id.as_deref()) {
                sessions.entry(session).or_default().merge(totals);
            }
        }
        let mut hidden = Vec::new();
        for (session, totals) in &sessions {
            let name = tables.names.number(session);
            let shown = self.0.get(&name).copied().unwrap_or_default();
            if !range.contains(shown.last) {
                continue;
            }
            let originals = copied.iter().filter(|(copy, _)| *copy == name);
            let originals = originals.filter_map(|(_, home)| sessions.get(tables.names.get(*home)));
            let row = row(list, session, totals, shown, originals);
            if row.cost.is_some_and(|cost| cost > NOISE) || row.unanswered_requests > 0 {
                hidden.push(row);
            }
        }
        hidden
    }
}

fn row<'l>(
    list: &PriceTable,
    session: &str,
    totals: &CliTotals,
    shown: InLines,
    originals: impl Iterator<Item = &'l CliTotals>,
) -> HiddenSpend {
    let mut row = HiddenSpend {
        session: session.to_owned(),
        cost: None,
        tokens: None,
        unanswered_requests: totals.unanswered,
        cli_total: None,
        taken_over: None,
        in_lines: shown.cost,
    };
    let Some(state) = &totals.last else {
        return row;
    };
    let taken_over = taken_over(totals, state, originals, known(shown.first));
    row.cli_total = Some(state.total);
    row.taken_over = taken_over.map(|(total, _)| total);
    // The CLI charges unknown models like another one; that is not hidden spend.
    let models = state.models.iter();
    let guessed = models.filter(|(model, ..)| !list.knows(model));
    let guessed: Usd = guessed.map(|(_, _, cost)| *cost).sum();
    let cost = state.total - guessed - row.taken_over.unwrap_or_default() - shown.cost;
    row.cost = Some(if cost > NOISE { cost } else { Usd::ZERO });
    let before = match taken_over {
        None => Some(Tokens::default()),
        Some((_, state)) => state.map(CostState::tokens),
    };
    if let Some(before) = before
        && !state.models.is_empty()
        && cost > NOISE
    {
        let own = state.tokens().combine(before, u64::saturating_sub);
        row.tokens = Some(own.combine(shown.tokens, u64::saturating_sub));
    }
    row
}

/// Returns the total that a fork inherited from its original: both totals have the same start, or
/// the fork's first total is at least what the original's was.
fn taken_over<'l>(
    fork: &CliTotals,
    state: &CostState,
    originals: impl Iterator<Item = &'l CliTotals>,
    before: i64,
) -> Option<(Usd, Option<&'l CostState>)> {
    let first = fork.first_total()?;
    let from = originals.filter_map(|original| {
        let last = original.last.as_ref()?;
        let total = original.total_at(before).unwrap_or(last.total);
        let same_start = last.start != 0 && last.start == state.start;
        let fits = total <= first || (same_start && total <= state.total);
        let is_last = total == last.total;
        fits.then_some((total, is_last.then_some(last)))
    });
    from.max_by_key(|(total, _)| *total)
}
