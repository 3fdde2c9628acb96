//! Tokens and dollars, as each program prints them.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::Value;

/// What a program counted over all session files.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Totals {
    pub(crate) input: u64,
    pub(crate) output: u64,
    /// Both lifetimes.
    pub(crate) cache_write: u64,
    pub(crate) cache_read: u64,
    /// Dollars; none from a program that does not price.
    pub(crate) cost: Option<f64>,
}

impl Totals {
    /// The same tokens; and the same dollars, where both have some.
    pub(crate) fn is(&self, truth: &Self, tolerance: f64) -> bool {
        self.tokens() == truth.tokens() && self.cost_error(truth).is_none_or(|e| e <= tolerance)
    }

    pub(crate) fn tokens(&self) -> [u64; 4] {
        [self.input, self.output, self.cache_write, self.cache_read]
    }

    /// How far the dollars are off, as a share of the truth; none where one side has none.
    pub(crate) fn cost_error(&self, truth: &Self) -> Option<f64> {
        Some(share(self.cost?, truth.cost?).abs())
    }

    /// Where it differs, in words.
    pub(crate) fn beside(&self, truth: &Self) -> String {
        let names = ["input", "output", "cache write", "cache read"];
        let mut differences: Vec<String> = names
            .into_iter()
            .zip(self.tokens().into_iter().zip(truth.tokens()))
            .filter(|(_, (found, true_count))| found != true_count)
            .map(|(name, (found, true_count))| {
                let off = 100.0 * share(found as f64, true_count as f64);
                format!("{name} {found} for {true_count} ({off:+.1} %)")
            })
            .collect();
        match (self.cost, truth.cost) {
            (Some(found), Some(cost)) if share(found, cost).abs() > 1e-9 => {
                let off = 100.0 * share(found, cost);
                differences.push(format!("${found:.6} for ${cost:.6} ({off:+.2} %)"));
            }
            (None, Some(_)) => differences.push("no cost".to_owned()),
            _ => {}
        }
        if differences.is_empty() {
            "exact".to_owned()
        } else {
            differences.join(", ")
        }
    }
}

/// How far off, as a share of the truth.
fn share(found: f64, truth: f64) -> f64 {
    if found == truth {
        0.0
    } else if truth == 0.0 {
        f64::INFINITY
    } else {
        found / truth - 1.0
    }
}

/// Adds up the days that ccusage and cc-usage print: they share their field names.
pub(crate) fn of_days(printed: &[u8]) -> Result<Totals> {
    let value: Value = serde_json::from_slice(printed).context("it did not print JSON")?;
    let days = value
        .get("daily")
        .and_then(Value::as_array)
        .context("it printed no days")?;
    let mut totals = Totals {
        cost: Some(0.0),
        ..Totals::default()
    };
    for day in days {
        totals.input += count(day, "inputTokens")?;
        totals.output += count(day, "outputTokens")?;
        totals.cache_write += count(day, "cacheCreationTokens")?;
        totals.cache_read += count(day, "cacheReadTokens")?;
        let cost = day.get("totalCost").and_then(Value::as_f64);
        totals.cost = totals.cost.zip(cost).map(|(sum, cost)| sum + cost);
    }
    Ok(totals)
}

/// ccost prints its own sum.
pub(crate) fn of_ccost(printed: &[u8]) -> Result<Totals> {
    let value: Value = serde_json::from_slice(printed).context("it did not print JSON")?;
    let sum = value.get("totals").context("it printed no totals")?;
    Ok(Totals {
        input: count(sum, "inputTokens")?,
        output: count(sum, "outputTokens")?,
        cache_write: count(sum, "cacheCreationTokens")?,
        cache_read: count(sum, "cacheReadTokens")?,
        cost: sum.get("totalCost").and_then(Value::as_f64),
    })
}

/// claude-transcript prints a row for each model and does not price.
pub(crate) fn of_cct(printed: &[u8]) -> Result<Totals> {
    let rows: BTreeMap<String, Value> =
        serde_json::from_slice(printed).context("it did not print rows of JSON")?;
    let mut totals = Totals::default();
    for row in rows.values() {
        totals.input += count(row, "input")?;
        totals.output += count(row, "output")?;
        totals.cache_write += count(row, "cache_write")?;
        totals.cache_read += count(row, "cache_read")?;
    }
    Ok(totals)
}

/// A number that must be there: a renamed field must not read as nothing spent.
pub(crate) fn count(value: &Value, field: &str) -> Result<u64> {
    value
        .get(field)
        .and_then(Value::as_u64)
        .with_context(|| format!("it printed no {field}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truth() -> Totals {
        Totals {
            input: 10,
            output: 100,
            cost: Some(2.0),
            ..Totals::default()
        }
    }

    #[test]
    fn tokens_are_exact_and_dollars_nearly() {
        let near = Totals {
            cost: Some(2.0001),
            ..truth()
        };
        assert!(near.is(&truth(), 1e-4));
        assert!(!near.is(&truth(), 1e-5));
        assert!(
            Totals {
                cost: None,
                ..truth()
            }
            .is(&truth(), 0.0)
        );
        let other = Totals {
            cache_read: 1,
            ..truth()
        };
        assert!(!other.is(&truth(), 1.0));
        assert_eq!(other.beside(&truth()), "cache read 1 for 0 (+inf %)");
        assert_eq!(truth().beside(&truth()), "exact");
    }

    #[test]
    fn days_add_up_and_a_missing_field_is_an_error() {
        let day = r#"{"inputTokens":1,"outputTokens":2,"cacheCreationTokens":3,"cacheReadTokens":4,"totalCost":0.5}"#;
        let totals = of_days(format!(r#"{{"daily":[{day},{day}]}}"#).as_bytes()).unwrap();
        assert_eq!(totals.tokens(), [2, 4, 6, 8]);
        assert_eq!(totals.cost, Some(1.0));
        assert!(of_days(br#"{"daily":[{"inputTokens":1}]}"#).is_err());
        assert!(of_days(b"no JSON").is_err());
        assert!(of_ccost(br#"{"totals":{"inputTokens":1}}"#).is_err());
    }

    #[test]
    fn rows_of_models_add_up_and_have_no_cost() {
        let row = r#"{"messages":1,"input":1,"output":2,"cache_read":4,"cache_write":3}"#;
        let totals = of_cct(format!(r#"{{"a":{row},"b":{row}}}"#).as_bytes()).unwrap();
        assert_eq!(totals.tokens(), [2, 4, 6, 8]);
        assert_eq!(totals.cost, None);
        assert!(of_cct(br#"{"a":{"input":1}}"#).is_err());
    }
}
