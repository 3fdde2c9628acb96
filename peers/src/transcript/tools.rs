//! Other tools, at pinned versions, and what they print.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use claw_bench::transcript::corpora::Source;
use claw_bench::transcript::tasks::Task;
use claw_testkit::corpus::Truth;
use claw_testkit::corpus::traps::Trap;
use serde_json::Value;

use crate::install;

/// How far the dollars may be off, as a share.
const COST_TOLERANCE: f64 = 1e-4;

/// A tool that counts tokens.
pub(super) struct Tool {
    pub(super) name: &'static str,
    /// Its path below the folder of installed tools.
    program: &'static str,
    args: &'static str,
    /// The rows that it prints, which add up to everything.
    rows: fn(&Value) -> Option<Vec<&Value>>,
    /// The names of the tokens in a row: input, output, cache write and cache read.
    tokens: &'static str,
    /// The name of the dollars in a row.
    cost: Option<&'static str>,
}

const DAYS: fn(&Value) -> Option<Vec<&Value>> =
    |printed| Some(printed["daily"].as_array()?.iter().collect());
const TOKENS: &str = "inputTokens outputTokens cacheCreationTokens cacheReadTokens";
const COST: Option<&str> = Some("totalCost");

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "ccusage 20.0.24",
        // A native program that npm hands out. Its launcher would only start it.
        program: "npm/node_modules/@ccusage/ccusage-linux-x64/bin/ccusage",
        // Otherwise it would use a cost from a line.
        args: "claude daily --json --offline --mode calculate",
        rows: DAYS,
        tokens: TOKENS,
        cost: COST,
    },
    Tool {
        name: "cc-usage 0.3.2",
        program: "crates/bin/ccu",
        args: "daily --json --tz UTC",
        rows: DAYS,
        tokens: TOKENS,
        cost: COST,
    },
    Tool {
        name: "ccost 0.6.1",
        program: "crates/bin/ccost",
        args: "--per day --tz UTC --output json --filename -",
        rows: |printed| Some(vec![printed.get("totals")?]),
        tokens: TOKENS,
        cost: COST,
    },
    Tool {
        name: "claude-transcript 0.1.0",
        program: "crates/bin/cct",
        args: "usage --by model --json",
        rows: |printed| Some(printed.as_object()?.values().collect()),
        tokens: "input output cache_write cache_read",
        cost: None,
    },
];

impl Tool {
    /// Counts everything in a folder.
    pub(super) fn task<'a>(&self, source: &'a Source) -> Result<Task<'a>> {
        tell_latest_version(source)?;
        let program = installed()?.join(self.program);
        Ok(Task::new(self.name, program, source).args(self.args.split(' ')))
    }

    pub(super) fn totals(&self, source: &Source) -> Result<Totals> {
        self.added_up(&self.task(source)?.json()?)
    }

    /// Every number must be there: a renamed one must not read as nothing spent.
    fn added_up(&self, printed: &Value) -> Result<Totals> {
        let rows = (self.rows)(printed).context("it printed no rows")?;
        let mut totals = Totals {
            tokens: [0; 4],
            cost: self.cost.map(|_| 0.0),
        };
        for row in rows {
            for (sum, name) in totals.tokens.iter_mut().zip(self.tokens.split(' ')) {
                let count = row[name].as_u64();
                *sum += count.with_context(|| format!("it printed no {name}"))?;
            }
            if let (Some(sum), Some(name)) = (&mut totals.cost, self.cost) {
                let cost = row[name].as_f64();
                *sum += cost.with_context(|| format!("it printed no {name}"))?;
            }
        }
        Ok(totals)
    }
}

/// The folder of the pinned tools.
pub(super) fn installed() -> Result<PathBuf> {
    let pins = ["crates.txt", "package-lock.json", "requirements.txt"];
    install::ensure("transcript", &pins)
}

/// Lets cc-usage find that it is up to date; otherwise it waits a fifth of a second for an answer
/// from the network, which would count as its time.
fn tell_latest_version(source: &Source) -> Result<()> {
    let folder = source.private.path().join("ccu");
    fs::create_dir_all(&folder)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let text = format!(r#"{{"checked_at":{now},"latest_version":"0.3.2"}}"#);
    Ok(fs::write(folder.join("version.json"), text)?)
}

/// The name of the tool that writes sessions as HTML.
pub(super) const HTML: &str = "claude-code-transcripts 0.6";

/// Writes all sessions of a folder as pages, those of agents too.
pub(super) fn html<'a>(source: &'a Source, output: &Path) -> Result<Task<'a>> {
    let python = installed()?.join("python/bin/python");
    // As its own script does, which names the folder that it was installed in.
    let main = "from claude_code_transcripts import main; main()";
    let task = Task::new(HTML, python, source)
        .args(["-c", main, "all", "--include-agents", "--quiet", "--source"])
        .args([source.config().join("projects")]);
    Ok(task.args(["--output"]).onto(output))
}

/// Tokens (input, output, cache write, cache read) and dollars; none from a tool that does not price.
#[derive(Debug, PartialEq)]
pub(super) struct Totals {
    tokens: [u64; 4],
    cost: Option<f64>,
}

impl Totals {
    pub(super) fn of_trap(trap: &Trap) -> Self {
        let expected = &trap.expected;
        Self {
            tokens: [
                expected.input,
                expected.output,
                expected.cache_write,
                expected.cache_read,
            ],
            cost: Some(expected.cost),
        }
    }

    pub(super) fn of_corpus(truth: &Truth) -> Self {
        let mut tokens = [0; 4];
        for of_model in truth.tokens.values() {
            tokens[0] += of_model.input;
            tokens[1] += of_model.output;
            tokens[2] += of_model.cache_5m + of_model.cache_1h;
            tokens[3] += of_model.cache_read;
        }
        Self {
            tokens,
            cost: Some(truth.total_cost),
        }
    }

    /// Where they differ from the truth, in words.
    pub(super) fn differences(&self, truth: &Self) -> String {
        let names = ["input", "output", "cache write", "cache read"];
        let both = self.tokens.into_iter().zip(truth.tokens);
        let mut differences: Vec<String> = names
            .into_iter()
            .zip(both)
            .filter(|(_, (found, right))| found != right)
            .map(|(name, (found, right))| {
                let off = 100.0 * (found as f64 / right as f64 - 1.0);
                format!("{name} {found} for {right} ({off:+.1} %)")
            })
            .collect();
        if let (Some(found), Some(right)) = (self.cost, truth.cost)
            && (found - right).abs() > COST_TOLERANCE * right
        {
            let off = 100.0 * (found / right - 1.0);
            differences.push(format!("${found:.6} for ${right:.6} ({off:+.2} %)"));
        }
        differences.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_add_up_and_a_missing_number_is_an_error() {
        let day = json!({"inputTokens": 1, "outputTokens": 2, "cacheCreationTokens": 3, "cacheReadTokens": 4, "totalCost": 0.5});
        let totals = TOOLS[0].added_up(&json!({ "daily": [day, day] })).unwrap();
        assert_eq!(totals.tokens, [2, 4, 6, 8]);
        assert_eq!(totals.cost, Some(1.0));
        assert!(
            TOOLS[0]
                .added_up(&json!({ "daily": [{ "inputTokens": 1 }] }))
                .is_err()
        );
        assert!(
            TOOLS[2]
                .added_up(&json!({ "totals": { "inputTokens": 1 } }))
                .is_err()
        );
        let row = json!({"input": 1, "output": 2, "cache_read": 4, "cache_write": 3});
        let totals = TOOLS[3].added_up(&json!({ "a": row, "b": row })).unwrap();
        assert_eq!((totals.tokens, totals.cost), ([2, 4, 6, 8], None));
    }

    #[test]
    fn tokens_must_be_exact_and_dollars_nearly() {
        let totals = |input, cost| Totals {
            tokens: [input, 100, 0, 0],
            cost,
        };
        let truth = totals(10, Some(2.0));
        assert_eq!(totals(10, Some(2.0001)).differences(&truth), "");
        assert_eq!(totals(10, None).differences(&truth), "");
        assert_eq!(
            totals(15, Some(3.0)).differences(&truth),
            "input 15 for 10 (+50.0 %), $3.000000 for $2.000000 (+50.00 %)"
        );
    }
}
