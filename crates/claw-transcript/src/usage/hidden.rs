//! Spend that is in no line.
//!
//! Summarising a long conversation, finding a title, requests that were killed: the CLI pays for them
//! and writes no reply. It does keep a running total of each session (`cost-state`) and a record of
//! each request (`api-request`). What these have more than the lines is hidden spend. It has no time
//! and no message, so it is never part of a row.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use super::facts::CostState;
use super::ledger::Ledger;
use super::money::Usd;
use super::prices::{Manner, PriceTable};
use super::settle::Message;
use super::tables::{Name, Tables};
use super::tokens::Tokens;
use crate::files::SessionFile;

/// What one session cost beyond its lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HiddenSpend {
    /// The session.
    #[serde(rename = "sessionId")]
    pub session: String,
    /// What the CLI counted and no line shows. Unknown when the CLI did not get to write a total.
    pub cost: Option<Usd>,
    /// The same in tokens, where the CLI says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// Requests that were sent and that no line answers: killed, or not shown. Their cost may be
    /// part of the above.
    pub unanswered_requests: u64,
    /// The CLI's own total of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cli_total: Option<Usd>,
    /// What of that total was taken over from the session that this one was forked from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_over: Option<Usd>,
    /// What of it the lines show, at list prices.
    pub in_lines: Usd,
}

/// Less than this is not spend but the rounding of the CLI's floating-point numbers.
const NOISE: Usd = Usd::from_picos(1_000_000);

/// What lines show of each session, as the CLI would count it.
#[derive(Debug)]
pub(super) struct Shown {
    /// The CLI knows nothing of a user's own prices.
    list: PriceTable,
    sessions: HashMap<Name, (Tokens, Usd)>,
    /// The first reply of each session that is its own.
    first: HashMap<Name, i64>,
    last: HashMap<Name, i64>,
}

impl Shown {
    pub(super) fn new() -> Self {
        Self {
            list: PriceTable::builtin(),
            sessions: HashMap::new(),
            first: HashMap::new(),
            last: HashMap::new(),
        }
    }

    pub(super) fn add(&mut self, tables: &Tables, message: &Message) {
        let Some(place) = tables.places.get(message.place as usize) else {
            return;
        };
        if message.time != 0 {
            let first = self.first.entry(place.session).or_insert(message.time);
            *first = message.time.min(*first);
            let last = self.last.entry(place.session).or_insert(message.time);
            *last = message.time.max(*last);
        }
        // The CLI does not count what the user stopped.
        if message.unfinished {
            return;
        }
        let sums = self.sessions.entry(place.session).or_default();
        sums.0 += message.tokens;
        let (model, fast, us_only) = tables.rank(message.class);
        let price = self.list.model(model);
        if let Some(price) = price.as_ref().and_then(|price| price.at(message.time)) {
            sums.1 += price.cost(&message.tokens, Manner { fast, us_only });
        }
    }

    /// Compares with what the CLI says. Only sessions that were last active in the time asked for.
    pub(super) fn compare(
        &self,
        tables: &mut Tables,
        files: &[SessionFile],
        ledgers: Vec<Ledger>,
        copied: &BTreeSet<(Name, Name)>,
        is_asked_for: impl Fn(i64) -> bool,
    ) -> Vec<HiddenSpend> {
        let mut sessions: BTreeMap<String, (Ledger, Name)> = BTreeMap::new();
        for ledger in ledgers {
            let file = files.get(ledger.file as usize);
            let Some(session) = file.and_then(|file| file.session_id.clone()) else {
                continue;
            };
            let name = tables.names.number(&session);
            let of_session = sessions
                .entry(session)
                .or_insert_with(|| (Ledger::default(), name));
            of_session.0.merge(ledger);
        }
        let by_name: HashMap<Name, &Ledger> = sessions
            .values()
            .map(|(ledger, name)| (*name, ledger))
            .collect();
        let mut hidden = Vec::new();
        for (session, (ledger, name)) in &sessions {
            if !is_asked_for(self.last.get(name).copied().unwrap_or_default()) {
                continue;
            }
            let (tokens, in_lines) = self.sessions.get(name).copied().unwrap_or_default();
            let taken_over = ledger.last.as_ref().and_then(|state| {
                let originals = copied.iter().filter(|(copy, _)| copy == name);
                let originals = originals.filter_map(|(_, home)| by_name.get(home));
                let before = self.first.get(name).copied().unwrap_or(i64::MAX);
                taken_over(ledger, state, originals.copied(), before)
            });
            let row = HiddenSpend {
                session: session.clone(),
                cost: None,
                tokens: None,
                unanswered_requests: ledger.unanswered,
                cli_total: ledger.last.as_ref().map(|state| state.total),
                taken_over: taken_over.map(|(total, _)| total),
                in_lines,
            };
            let row = match &ledger.last {
                Some(state) => self.difference(row, state, taken_over, tokens),
                None => row,
            };
            let is_more = row.cost.is_some_and(|cost| cost > NOISE);
            if is_more || row.unanswered_requests > 0 {
                hidden.push(row);
            }
        }
        hidden
    }

    fn difference(
        &self,
        mut row: HiddenSpend,
        state: &CostState,
        taken_over: Option<(Usd, Option<&CostState>)>,
        shown: Tokens,
    ) -> HiddenSpend {
        // A model that is in no list was charged like another one, which is no spend of its own.
        let guessed = state
            .models
            .iter()
            .filter(|(model, ..)| !self.list.knows(model));
        let guessed: Usd = guessed.map(|(_, _, cost)| *cost).sum();
        let before = taken_over.map(|(total, _)| total).unwrap_or_default();
        let cost = state.total - guessed - before - row.in_lines;
        row.cost = Some(if cost > NOISE { cost } else { Usd::ZERO });
        let all = |state: &CostState| {
            let models = state.models.iter().map(|(_, tokens, _)| *tokens);
            models.fold(Tokens::default(), |sum, tokens| sum + tokens)
        };
        let before = match taken_over {
            None => Some(Tokens::default()),
            Some((_, state)) => state.map(all),
        };
        if let Some(before) = before
            && !state.models.is_empty()
            && cost > NOISE
        {
            let own = all(state).combine(before, u64::saturating_sub);
            row.tokens = Some(own.combine(shown, u64::saturating_sub));
        }
        row
    }
}

/// What a fork took over from its original: their totals count from the same start, or the fork's
/// began with no less than what the original had come to.
fn taken_over<'l>(
    fork: &Ledger,
    state: &CostState,
    originals: impl Iterator<Item = &'l Ledger>,
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
