//! The time that rules take to decide on hostile command lines, measured by `bench/server`.

use anyhow::{Context, Result};
use serde::Deserialize;

use super::Inputs;
use super::speed::server_bench;
use crate::prove::figure::Figure;

/// The maximum time of a decision, in milliseconds.
const BAR_MS: f64 = 50.0;
const COMMANDS: usize = 10_000;
const LONGEST: usize = 64 * 1024;

/// The output of `server-bench policy`.
#[derive(Debug, Deserialize)]
struct Report {
    commands: usize,
    longest: usize,
    denied: usize,
    rules_ms: f64,
    policy_ms: f64,
}

/// Quick runs measure no times. A test counts the steps instead.
pub(super) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    if inputs.quick {
        return Ok(Vec::new());
    }
    let output = server_bench(|bench| bench.arg("policy"))?;
    let report: Report = serde_json::from_slice(&output)
        .context("server-bench printed something else than its report")?;
    let slowest = report.rules_ms.max(report.policy_ms);
    let is_whole = report.commands >= COMMANDS && report.longest == LONGEST;
    Ok(vec![
        Figure::new(
            "policy decision, slowest of 10,000 hostile commands up to 64 KiB, release",
            "≤ 50 ms",
        )
        .measured(
            format!(
                "{slowest:.1} ms (allow rules {:.1} ms, policy {:.1} ms)",
                report.rules_ms, report.policy_ms
            ),
            is_whole && slowest <= BAR_MS,
        )
        .note(format!(
            "time on the processor; a policy of 6 rules that deny, 2 that ask and 20 that allow, which denied {} of {}; the steps are counted by the test `work_on_hostile_lines_is_limited`",
            report.denied, report.commands
        )),
    ])
}
