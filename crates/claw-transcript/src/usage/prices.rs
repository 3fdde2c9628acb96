//! Prices of models and costs of messages.

mod list;
mod model_name;
mod overrides;

use std::collections::BTreeMap;

use serde::Serialize;

use super::money::Usd;
use super::tokens::Tokens;
use crate::error::TranscriptError;

use list::{Dated, ModelPrice, Rates};

/// Prices by model.
///
/// The built-in list has the prices that the CLI charges, verified against its own totals; see
/// [`PriceTable::as_of`]. Models that are not in the list have no price. Their tokens are counted
/// and reported separately, and never priced like those of another model.
#[derive(Debug, Clone)]
pub struct PriceTable {
    models: BTreeMap<String, Vec<Dated>>,
}

impl Default for PriceTable {
    fn default() -> Self {
        Self::builtin()
    }
}

impl PriceTable {
    /// The prices that the CLI charges.
    pub fn builtin() -> Self {
        let rows = list::LIST.iter().map(|&(name, price)| {
            let since = i64::MIN;
            (name.to_owned(), vec![Dated { since, price }])
        });
        Self {
            models: rows.collect(),
        }
    }

    /// The date of the last comparison of the built-in list with the CLI.
    pub fn as_of() -> &'static str {
        list::AS_OF
    }

    /// Adds prices from a JSON text, in dollars per million tokens. They take precedence over the
    /// built-in ones.
    ///
    /// ```
    /// use claw_transcript::PriceTable;
    ///
    /// let prices = PriceTable::builtin().with_overrides(
    ///     r#"{ "models": {
    ///         "our-model": { "input": 1, "output": 4, "cache_write_5m": 1.25, "cache_read": 0.1 },
    ///         "claude-opus-5-5": [
    ///             { "input": 4, "output": 20, "cache_write_5m": 5, "cache_read": 0.2 },
    ///             { "since": "2027-01-01", "input": 3, "output": 15, "cache_write_5m": 4, "cache_read": 0.2 }
    ///         ]
    ///     } }"#,
    /// )?;
    /// assert!(prices.knows("our-model"));
    /// # Ok::<(), claw_transcript::TranscriptError>(())
    /// ```
    ///
    /// A row may also have `cache_write_1h` (default: `cache_write_5m`), `web_search` (dollars per
    /// search, default: 0.01), `fast` and `long_prompt` (rates like those of the row, the latter
    /// with `above`, a number of tokens). `since` is a day in UTC.
    ///
    /// # Errors
    /// The text does not have this form, or a price is missing or negative.
    pub fn with_overrides(mut self, json: &str) -> Result<Self, TranscriptError> {
        for (model, rows) in overrides::read(json)? {
            let name = model_name::canonical(&model).unwrap_or_else(|| model.to_lowercase());
            self.models.insert(name, rows);
        }
        Ok(self)
    }

    /// Returns whether a model has a price, under any provider's name for it.
    pub fn knows(&self, model: &str) -> bool {
        self.model(model).is_some()
    }

    /// The price of a model, to look up once for many messages.
    pub(crate) fn model(&self, model: &str) -> Option<DatedPrice<'_>> {
        let exact = self.models.get(&model.to_lowercase());
        let rows = exact.or_else(|| self.models.get(&model_name::canonical(model)?))?;
        Some(DatedPrice(rows))
    }
}

/// The prices of one model over time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DatedPrice<'a>(&'a [Dated]);

impl<'a> DatedPrice<'a> {
    /// Returns the price at a second since 1970; `None` before the first row.
    pub(crate) fn at(self, seconds: i64) -> Option<&'a ModelPrice> {
        let rows = self.0.iter().rev();
        let mut before = rows.skip_while(|dated| dated.since > seconds);
        before.next().map(|dated| &dated.price)
    }
}

/// Properties of a message that affect its price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Manner {
    pub(crate) fast: bool,
    /// Inference in the United States only, which costs a tenth more.
    pub(crate) us_only: bool,
}

impl ModelPrice {
    fn rates(&self, tokens: &Tokens, manner: Manner) -> (&Rates, Tier) {
        if manner.fast
            && let Some(fast) = &self.fast
        {
            return (fast, Tier::Fast);
        }
        match &self.long_prompt {
            Some((above, rates)) if tokens.prompt() > *above => (rates, Tier::LongPrompt),
            _ => (&self.rates, Tier::Standard),
        }
    }

    pub(crate) fn cost(&self, tokens: &Tokens, manner: Manner) -> Usd {
        let (rates, _) = self.rates(tokens, manner);
        let charged = tokens.charged().into_iter().zip(rates);
        let all: Usd = charged.map(|(count, rate)| charge(count, *rate)).sum();
        with_surcharge(all, manner) + charge(tokens.web_searches, self.web_search)
    }

    /// The same cost, term by term.
    pub(crate) fn bill(&self, tokens: &Tokens, manner: Manner) -> Bill {
        let (rates, tier) = self.rates(tokens, manner);
        let term = |(what, (count, rate))| Term {
            what,
            count,
            usd_per_million: rate as f64 / 1e6,
            amount: charge(count, rate),
        };
        let kinds = [
            "input",
            "output",
            "cache write, 5 min",
            "cache write, 1 h",
            "cache read",
        ];
        let charged = tokens.charged().into_iter().zip(*rates);
        let mut terms: Vec<Term> = kinds.into_iter().zip(charged).map(term).collect();
        let all: Usd = terms.iter().map(|term| term.amount).sum();
        terms.push(term(("web search", (tokens.web_searches, self.web_search))));
        terms.retain(|term| term.count > 0);
        let surcharge = with_surcharge(all, manner) - all;
        Bill {
            tier,
            terms,
            us_surcharge: manner.us_only.then_some(surcharge),
            total: self.cost(tokens, manner),
        }
    }
}

fn charge(count: u64, rate: u64) -> Usd {
    Usd::from_picos(i128::from(count) * i128::from(rate))
}

/// Adds a tenth for inference in the United States. Searches are exempt.
fn with_surcharge(cost: Usd, manner: Manner) -> Usd {
    match manner.us_only {
        true => Usd::from_picos((cost.picos() * 11 + 5) / 10),
        false => cost,
    }
}

/// The rates at which a message was charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Tier {
    /// The standard rates.
    Standard,
    /// The rates of fast mode.
    Fast,
    /// The rates for prompts above the model's limit.
    LongPrompt,
}

/// The terms of a message's cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Bill {
    /// The rates that were used.
    pub tier: Tier,
    /// The terms. Those with a count of zero are omitted.
    pub terms: Vec<Term>,
    /// The surcharge for inference in the United States.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub us_surcharge: Option<Usd>,
    /// The total cost.
    pub total: Usd,
}

/// One line of a [`Bill`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Term {
    /// The kind of token, or `web search`.
    pub what: &'static str,
    /// The number of tokens or searches.
    pub count: u64,
    /// The price per million, in dollars.
    pub usd_per_million: f64,
    /// Count times price.
    pub amount: Usd,
}

#[cfg(test)]
mod tests;
