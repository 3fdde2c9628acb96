//! The faults of a fake CLI with other SDKs, beside ours.

use anyhow::Result;
use claw_bench::sdk::rows::{ROWS, Row};
use claw_bench::sdk::run::{Driver, OURS, Run, one_line, run_all};
use claw_testkit::figure::Figure;

use super::official::{python, typescript};
use super::{codes, wrapper};

pub(super) fn measure() -> Result<Vec<Figure>> {
    let drivers = [
        Driver::own("rusty_claw", OURS)?,
        typescript("faults.mjs"),
        python("faults.py")?,
        Driver::own("claude-wrapper", wrapper::PROGRAM)?,
        Driver::own("claude-codes", codes::PROGRAM)?,
    ];
    let names = drivers.each_ref().map(|driver| driver.name);
    let found = run_all(&drivers, ROWS)?;
    let mut figure = Figure::new("the same faults with other SDKs", "printed beside ours")
        .note(format!("| fault | {} |", names.join(" | ")))
        .note(format!("|---|{}", "---|".repeat(names.len())));
    // The rows of each driver with a hang, lost messages, processes left; and the good ones.
    let mut counts = [[0; 4]; 5];
    for (row, runs) in ROWS.iter().zip(&found) {
        for (run, counts) in runs.iter().zip(&mut counts) {
            let (outcome, lost) = (run.report.outcome.as_str(), has_lost(row, run));
            let is_good = ["ok", "succeeded"].contains(&outcome) && !lost;
            let is = [outcome == "hang", lost, !run.leaked.is_empty(), is_good];
            counts
                .iter_mut()
                .zip(is)
                .for_each(|(count, is)| *count += usize::from(is));
        }
        let cells: Vec<String> = runs.iter().map(|run| cell(row, run)).collect();
        figure = figure.note(format!("| {} | {} |", row.about, cells.join(" | ")));
    }
    let [hangs, lost, left] = [0, 1, 2].map(|at| {
        let each = names.iter().zip(&counts);
        let shown = each.map(|(name, counts)| format!("{name} {}", counts[at]));
        shown.collect::<Vec<_>>().join(", ")
    });
    // A driver without a single good row proves nothing about its SDK.
    let each = names.iter().zip(&counts);
    let broken: Vec<_> = each.filter(|(_, counts)| counts[3] == 0).collect();
    let shown = format!(
        "rows with a hang: {hangs}; with lost messages: {lost}; with processes left: {left}"
    );
    Ok(vec![figure
        .measured(shown, broken.is_empty())
        .list("no row with all its messages, so the driver is broken and not its SDK", broken.iter().map(|(name, _)| name))
        .note("each runs one query as its own guide shows; versions: the npm package above, claude-agent-sdk of peers/sdk/requirements.txt, claude-wrapper and claude-codes of peers/Cargo.toml")
        .note("two limits of ours are set short here: 2 s for the start (60 s unless set) and 1 s for a permission (none unless set: then it waits as the others do)")
        .note("an SDK that does not wait for the answer to `initialize` is not hurt by its absence")
        .note("claude-wrapper: what a slow subscriber misses is still in the turn it returns at the end; it says how many it missed")
        .note("process left: alive 15 s after the host let go; gone after: later than 5 s")
        .note("hang: no outcome after 15 s, 45 s with silence or a slow reader, 75 s without an answer to `initialize`")])
}

/// Whether messages that the CLI wrote did not arrive. A CLI that is interrupted before its output
/// was read does not write the rest, so an SDK that reads late has lost nothing.
fn has_lost(row: &Row, run: &Run) -> bool {
    let report = &run.report;
    let may_be_fewer = report.outcome == "not offered" || report.receipt_ms.is_some();
    !may_be_fewer && report.messages < row.messages()
}

fn cell(row: &Row, run: &Run) -> String {
    let report = &run.report;
    let mut cell = report.outcome.clone();
    if has_lost(row, run) {
        cell.push_str(&format!(", {} of {}", report.messages, row.messages()));
    }
    if let Some(error) = &report.error {
        cell.push_str(&format!(" ({})", one_line(error)));
    }
    if let Some(ms) = report.receipt_ms {
        cell.push_str(&format!(", receipt {ms:.0} ms"));
    }
    if row.name == "initialize_never" && report.outcome != "hang" {
        cell.push_str(&format!(", after {:.0} s", report.ms / 1e3));
    }
    match run.gone_after {
        _ if run.leaked.is_empty() => {}
        Some(after) => cell.push_str(&format!(
            ", process gone after {:.0} s",
            after.as_secs_f64()
        )),
        None => cell.push_str(", **process left**"),
    }
    cell
}
