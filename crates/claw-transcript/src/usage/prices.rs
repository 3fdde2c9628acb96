//! What messages cost.

mod list;
mod model_name;
mod overrides;

use std::collections::BTreeMap;

use serde::Serialize;

use super::money::Usd;
use super::tokens::Tokens;
use crate::error::TranscriptError;

/// Millionths of a millionth of a dollar for one token of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rates {
    input: u64,
    output: u64,
    cache_write_5m: u64,
    cache_write_1h: u64,
    cache_read: u64,
}

/// The price of one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ModelPrice {
    rates: Rates,
    /// In fast mode, where a model has one.
    fast: Option<Rates>,
    /// For prompts of more than so many tokens.
    long_prompt: Option<(u64, Rates)>,
    /// For one search.
    web_search: u64,
}

/// A price and the second from which it holds.
#[derive(Debug, Clone, Copy)]
struct Dated {
    since: i64,
    price: ModelPrice,
}

/// Prices by model.
///
/// The built-in list is what the CLI itself charges, compared with its own totals; see
/// [`PriceTable::as_of`]. A model that is in no list has no price: its tokens are counted and shown
/// apart, and never priced like another model's.
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

    /// When the built-in list was last compared with the CLI.
    pub fn as_of() -> &'static str {
        list::AS_OF
    }

    /// Prices of your own, which go before the built-in ones: a JSON text with dollars for a
    /// million tokens.
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
    /// A row may also have `cache_write_1h` (without it such writes cost as the others), `web_search`
    /// (dollars for one, 0.01 without it), `fast` and `long_prompt` (rates like those of the row,
    /// the latter with `above`, a number of tokens). `since` is a day in UTC.
    ///
    /// # Errors
    /// The text is not of this form, or a price is missing or negative. The error says where.
    pub fn with_overrides(mut self, json: &str) -> Result<Self, TranscriptError> {
        for (model, rows) in overrides::read(json)? {
            let name = model_name::canonical(&model).unwrap_or_else(|| model.to_lowercase());
            self.models.insert(name, rows);
        }
        Ok(self)
    }

    /// Whether a model has a price, under whatever name a provider gives it.
    pub fn knows(&self, model: &str) -> bool {
        self.rows(model).is_some()
    }

    fn rows(&self, model: &str) -> Option<&[Dated]> {
        let exact = self.models.get(&model.to_lowercase());
        let rows = exact.or_else(|| self.models.get(&model_name::canonical(model)?))?;
        Some(rows)
    }

    /// The price of a model, to look up once for many messages.
    pub(crate) fn model(&self, model: &str) -> Option<DatedPrice<'_>> {
        self.rows(model).map(DatedPrice)
    }

    /// Every price of a model, for checks against other lists.
    #[cfg(test)]
    fn price(&self, model: &str) -> Option<&ModelPrice> {
        self.rows(model)?.last().map(|dated| &dated.price)
    }
}

/// The prices of one model over time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DatedPrice<'a>(&'a [Dated]);

impl DatedPrice<'_> {
    /// The price that held at a second since 1970; before the first row, none did.
    pub(crate) fn at(&self, seconds: i64) -> Option<&ModelPrice> {
        let rows = self.0.iter().rev();
        let mut before = rows.skip_while(|dated| dated.since > seconds);
        before.next().map(|dated| &dated.price)
    }
}

/// How a message was made, as far as that changes its price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Manner {
    pub(crate) fast: bool,
    /// Computed in the United States only, which costs a tenth more.
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
        let charge = |count: u64, rate: u64| i128::from(count) * i128::from(rate);
        let all = charge(tokens.input, rates.input)
            + charge(tokens.output, rates.output)
            + charge(tokens.cache_write_5m, rates.cache_write_5m)
            + charge(tokens.cache_write_1h, rates.cache_write_1h)
            + charge(tokens.cache_read, rates.cache_read);
        let searches = charge(tokens.web_searches, self.web_search);
        Usd::from_picos(with_surcharge(all, manner) + searches)
    }

    /// The same sum, term by term.
    pub(crate) fn bill(&self, tokens: &Tokens, manner: Manner) -> Bill {
        let (rates, tier) = self.rates(tokens, manner);
        let mut terms = Vec::new();
        for (what, count, rate) in [
            ("input", tokens.input, rates.input),
            ("output", tokens.output, rates.output),
            (
                "cache write, 5 min",
                tokens.cache_write_5m,
                rates.cache_write_5m,
            ),
            (
                "cache write, 1 h",
                tokens.cache_write_1h,
                rates.cache_write_1h,
            ),
            ("cache read", tokens.cache_read, rates.cache_read),
        ] {
            if count > 0 {
                terms.push(Term {
                    what,
                    count,
                    usd_per_million: rate as f64 / 1e6,
                    amount: Usd::from_picos(i128::from(count) * i128::from(rate)),
                });
            }
        }
        let all: Usd = terms.iter().map(|term| term.amount).sum();
        if tokens.web_searches > 0 {
            terms.push(Term {
                what: "web search",
                count: tokens.web_searches,
                usd_per_million: self.web_search as f64 / 1e6,
                amount: Usd::from_picos(
                    i128::from(tokens.web_searches) * i128::from(self.web_search),
                ),
            });
        }
        Bill {
            tier,
            terms,
            us_surcharge: manner
                .us_only
                .then(|| Usd::from_picos(with_surcharge(all.picos(), manner)) - all),
            total: self.cost(tokens, manner),
        }
    }
}

/// A tenth more for computing in the United States; searches are not part of it.
fn with_surcharge(picos: i128, manner: Manner) -> i128 {
    if manner.us_only {
        (picos * 11 + 5) / 10
    } else {
        picos
    }
}

/// Which of a model's rates a message was charged at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Tier {
    /// The usual ones.
    Standard,
    /// Those of fast mode.
    Fast,
    /// Those for prompts beyond the model's limit.
    LongPrompt,
}

/// How a message's cost comes about.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Bill {
    /// Which rates were used.
    pub tier: Tier,
    /// What was paid for; kinds of which there were none are left out.
    pub terms: Vec<Term>,
    /// What computing in the United States cost on top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub us_surcharge: Option<Usd>,
    /// All of it.
    pub total: Usd,
}

/// One line of a [`Bill`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Term {
    /// The kind of token, or `web search`.
    pub what: &'static str,
    /// How many.
    pub count: u64,
    /// The price of a million of them, in dollars.
    pub usd_per_million: f64,
    /// Count times price.
    pub amount: Usd,
}

#[cfg(test)]
mod tests;
