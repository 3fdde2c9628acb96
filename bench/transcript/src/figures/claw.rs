//! Our program, as a user runs it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::program;
use crate::runner::Task;
use crate::source::Source;
use crate::totals::{Totals, count};

/// How it is called in tables.
pub(crate) const NAME: &str = "claw";

/// The program.
pub(crate) struct Claw {
    program: PathBuf,
}

impl Claw {
    /// Finds it beside this program.
    pub(crate) fn find() -> Result<Self> {
        Ok(Self {
            program: program("claw")?,
        })
    }

    /// `claw sessions` with a command, over everything in a folder.
    fn sessions(&self, command: &str, source: &Source) -> Task {
        Task::new(NAME, &self.program, source)
            .args(["sessions", command, "--config-dir"])
            .args([source.config()])
    }

    pub(crate) fn usage(&self, source: &Source) -> Task {
        self.sessions("usage", source).args(["--json"])
    }

    /// Usage by the days of a zone.
    pub(crate) fn usage_by_day(&self, source: &Source, zone: &str) -> Task {
        self.usage(source).args(["--by", "day", "--zone", zone])
    }

    /// What it finds makes it exit with 1 or 2.
    pub(crate) fn check(&self, source: &Source) -> Task {
        self.sessions("check", source)
            .args(["--json"])
            .may_exit_with(&[1, 2])
    }

    /// Finding nothing makes it exit with 1, as grep does.
    pub(crate) fn search(&self, source: &Source, pattern: &str) -> Task {
        self.sessions("search", source)
            .args([pattern])
            .may_exit_with(&[1])
    }

    pub(crate) fn list(&self, source: &Source) -> Task {
        self.sessions("list", source)
            .args(["--json", "--limit", "0"])
    }

    pub(crate) fn html(&self, source: &Source, output: &Path) -> Task {
        self.sessions("export", source)
            .args(["--all", "--html", "--output"])
            .args([output])
            .onto(output)
    }
}

/// What `claw sessions usage --json` printed.
pub(crate) fn totals(printed: &[u8]) -> Result<Totals> {
    let value: Value = serde_json::from_slice(printed).context("it did not print JSON")?;
    let sum = value.get("total").context("it printed no total")?;
    Ok(Totals {
        input: count(sum, "input")?,
        output: count(sum, "output")?,
        cache_write: count(sum, "cacheWrite5m")? + count(sum, "cacheWrite1h")?,
        cache_read: count(sum, "cacheRead")?,
        // What has no price is as wrong as a wrong one.
        cost: Some(sum.get("cost").and_then(Value::as_f64).unwrap_or_default()),
    })
}

/// The days that `claw sessions usage --by day --json` printed.
pub(crate) fn days(printed: &[u8]) -> Result<Vec<String>> {
    let value: Value = serde_json::from_slice(printed).context("it did not print JSON")?;
    let rows = value.get("rows").and_then(Value::as_array);
    rows.context("it printed no rows")?
        .iter()
        .map(|row| {
            let day = row.pointer("/keys/0").and_then(Value::as_str);
            Ok(day.context("it printed a row without a day")?.to_owned())
        })
        .collect()
}

/// What `claw sessions check --json` printed.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) files: u64,
    pub(crate) lines: u64,
    /// Errors, warnings and notes, as it prints them.
    pub(crate) found: Value,
}

/// The number of checked files, and the findings.
pub(crate) fn checked(printed: &[u8]) -> Result<Checked> {
    let value: Value = serde_json::from_slice(printed).context("it did not print JSON")?;
    Ok(Checked {
        files: count(&value, "filesChecked")?,
        lines: count(&value, "linesChecked")?,
        found: value.get("total").context("it printed no total")?.clone(),
    })
}

/// How many sessions `claw sessions list --json` printed.
pub(crate) fn sessions_listed(printed: &[u8]) -> Result<usize> {
    let rows: Vec<Value> =
        serde_json::from_slice(printed).context("it did not print rows of JSON")?;
    Ok(rows.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_and_days_are_read_and_a_missing_field_is_an_error() {
        let printed = br#"{"rows":[{"keys":["2026-10-01"],"messages":1}],"total":{"messages":1,"output":2,"input":1,"cacheWrite5m":3,"cacheWrite1h":4,"cacheRead":5,"webSearches":0,"cost":0.5}}"#;
        let found = totals(printed).unwrap();
        assert_eq!(found.tokens(), [1, 2, 7, 5]);
        assert_eq!(found.cost, Some(0.5));
        assert_eq!(days(printed).unwrap(), ["2026-10-01"]);
        assert!(totals(br#"{"total":{"input":1}}"#).is_err());
        assert!(days(br#"{"rows":[{}]}"#).is_err());
    }

    #[test]
    fn a_total_without_a_price_costs_nothing_and_is_not_left_unjudged() {
        let printed = br#"{"total":{"output":2,"input":1,"cacheWrite5m":0,"cacheWrite1h":0,"cacheRead":0,"cost":null}}"#;
        assert_eq!(totals(printed).unwrap().cost, Some(0.0));
    }
}
