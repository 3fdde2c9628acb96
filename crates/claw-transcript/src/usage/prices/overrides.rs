//! Prices that a user gives.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Dated, ModelPrice, Rates, list};
use crate::error::TranscriptError;
use crate::time;

/// What the file must look like.
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
    input: f64,
    output: f64,
    cache_write_5m: f64,
    cache_write_1h: Option<f64>,
    cache_read: f64,
    web_search: Option<f64>,
    fast: Option<FastRow>,
    long_prompt: Option<LongRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FastRow {
    input: f64,
    output: f64,
    cache_write_5m: f64,
    cache_write_1h: Option<f64>,
    cache_read: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LongRow {
    above: u64,
    input: f64,
    output: f64,
    cache_write_5m: f64,
    cache_write_1h: Option<f64>,
    cache_read: f64,
}

/// The rows of each model by its name as given, oldest first.
pub(super) fn read(json: &str) -> Result<Vec<(String, Vec<Dated>)>, TranscriptError> {
    let file: File = serde_json::from_str(json).map_err(|error| bad(format!("{error}; {FORM}")))?;
    let mut models = Vec::new();
    for (model, rows) in file.models {
        let rows = match rows {
            OneOrMany::One(row) => vec![*row],
            OneOrMany::Many(rows) => rows,
        };
        let mut dated = Vec::new();
        for row in rows {
            dated.push(row.read(&model)?);
        }
        dated.sort_by_key(|row| row.since);
        models.push((model, dated));
    }
    Ok(models)
}

fn bad(why: String) -> TranscriptError {
    TranscriptError::BadPrices { why }
}

/// Dollars for a million tokens become what one token costs. `per` is the number of tokens.
fn price(model: &str, field: &'static str, value: f64, per: f64) -> Result<u64, TranscriptError> {
    let picos = (value * 1e12 / per).round();
    if !(0.0..1e18).contains(&picos) {
        return Err(bad(format!(
            "{field} of {model:?} is {value}: give dollars for a million tokens, zero or more"
        )));
    }
    Ok(picos as u64)
}

fn rates(model: &str, given: [f64; 4], write_1h: Option<f64>) -> Result<Rates, TranscriptError> {
    let [input, output, write_5m, read] = given;
    let per_token = |field, value| price(model, field, value, 1e6);
    Ok(Rates {
        input: per_token("input", input)?,
        output: per_token("output", output)?,
        cache_write_5m: per_token("cache_write_5m", write_5m)?,
        cache_write_1h: per_token("cache_write_1h", write_1h.unwrap_or(write_5m))?,
        cache_read: per_token("cache_read", read)?,
    })
}

impl Row {
    fn read(self, model: &str) -> Result<Dated, TranscriptError> {
        let since = match &self.since {
            None => i64::MIN,
            Some(day) => {
                let midnight = format!("{day}T00:00:00Z");
                let ms = time::parse_ms(&midnight).ok_or_else(|| {
                    bad(format!(
                        "those of {model:?} hold since {day:?}: give a day as 2026-12-31"
                    ))
                })?;
                ms.div_euclid(1000)
            }
        };
        let given = [
            self.input,
            self.output,
            self.cache_write_5m,
            self.cache_read,
        ];
        let fast = self.fast.map(|row| {
            let given = [row.input, row.output, row.cache_write_5m, row.cache_read];
            rates(model, given, row.cache_write_1h)
        });
        let long_prompt = self.long_prompt.map(|row| {
            let given = [row.input, row.output, row.cache_write_5m, row.cache_read];
            Ok::<_, TranscriptError>((row.above, rates(model, given, row.cache_write_1h)?))
        });
        let web_search = self
            .web_search
            .map(|value| price(model, "web_search", value, 1.0));
        Ok(Dated {
            since,
            price: ModelPrice {
                rates: rates(model, given, self.cache_write_1h)?,
                fast: fast.transpose()?,
                long_prompt: long_prompt.transpose()?,
                web_search: web_search.transpose()?.unwrap_or(list::WEB_SEARCH),
            },
        })
    }
}
