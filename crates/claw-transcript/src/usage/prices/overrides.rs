//! User-defined prices.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::list::{self, Dated, ModelPrice, Rates};
use crate::error::TranscriptError;
use crate::time;

/// The expected form of the file.
const FORM: &str = "give an object {\"models\": {name: row}}, each row with input, output, \
                    cache_write_5m and cache_read in dollars for a million tokens";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    models: BTreeMap<String, OneOrMany>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(Box<Row>),
    Many(Vec<Row>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    since: Option<String>,
    #[serde(flatten)]
    prices: Prices,
    web_search: Option<f64>,
    fast: Option<Prices>,
    long_prompt: Option<LongPrompt>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LongPrompt {
    above: u64,
    #[serde(flatten)]
    prices: Prices,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Prices {
    input: f64,
    output: f64,
    cache_write_5m: f64,
    cache_write_1h: Option<f64>,
    cache_read: f64,
}

/// Returns the rows of each model by its name as given, oldest first.
pub(super) fn read(json: &str) -> Result<Vec<(String, Vec<Dated>)>, TranscriptError> {
    let file: File = serde_json::from_str(json).map_err(|error| bad(format!("{error}; {FORM}")))?;
    let mut models = Vec::new();
    for (model, rows) in file.models {
        let rows = match rows {
            OneOrMany::One(row) => vec![*row],
            OneOrMany::Many(rows) => rows,
        };
        let dated: Result<Vec<Dated>, _> = rows.iter().map(|row| row.read(&model)).collect();
        let mut dated = dated?;
        dated.sort_by_key(|row| row.since);
        models.push((model, dated));
    }
    Ok(models)
}

fn bad(why: String) -> TranscriptError {
    TranscriptError::BadPrices { why }
}

/// Converts dollars per `per` units to picodollars per unit.
fn price(model: &str, field: &'static str, value: f64, per: f64) -> Result<u64, TranscriptError> {
    let picos = (value * 1e12 / per).round();
    if !(0.0..1e18).contains(&picos) {
        return Err(bad(format!(
            "{field} of {model:?} is {value}: give dollars for a million tokens, zero or more"
        )));
    }
    Ok(picos as u64)
}

impl Prices {
    fn rates(&self, model: &str) -> Result<Rates, TranscriptError> {
        let per_token = |field, value| price(model, field, value, 1e6);
        let write_1h = self.cache_write_1h.unwrap_or(self.cache_write_5m);
        Ok([
            per_token("input", self.input)?,
            per_token("output", self.output)?,
            per_token("cache_write_5m", self.cache_write_5m)?,
            per_token("cache_write_1h", write_1h)?,
            per_token("cache_read", self.cache_read)?,
        ])
    }
}

impl Row {
    fn read(&self, model: &str) -> Result<Dated, TranscriptError> {
        let since = match &self.since {
            None => i64::MIN,
            Some(day) => {
                let ms = time::parse_ms(&format!("{day}T00:00:00Z"));
                let why =
                    || format!("those of {model:?} hold since {day:?}: give a day as 2026-12-31");
                ms.ok_or_else(|| bad(why()))?.div_euclid(1000)
            }
        };
        let long_prompt = match &self.long_prompt {
            Some(row) => Some((row.above, row.prices.rates(model)?)),
            None => None,
        };
        let fast = self.fast.as_ref().map(|prices| prices.rates(model));
        let web_search = self
            .web_search
            .map(|value| price(model, "web_search", value, 1.0));
        Ok(Dated {
            since,
            price: ModelPrice {
                rates: self.prices.rates(model)?,
                fast: fast.transpose()?,
                long_prompt,
                web_search: web_search.transpose()?.unwrap_or(list::WEB_SEARCH),
            },
        })
    }
}
