//! Faults of a fake CLI: with our SDK, and with others.

use anyhow::{Context, Result, anyhow};
use claw_testkit::figure::{Figure, Spread};

use crate::rows::{INTERRUPT, OWN_ROWS, ROWS, Row};
use crate::run::{Driver, Run, run};
use crate::{peers, program};

/// Runs of the figure for interrupts.
const INTERRUPTS: usize = 9;
const INTERRUPT_BAR_MS: f64 = 50.0;

fn ours() -> Result<Driver> {
    Ok(Driver {
        name: "rusty_claw",
        program: program("faults_ours")?,
        args: Vec::new(),
    })
}

/// Every fault with our SDK.
pub(crate) fn faults() -> Result<Figure> {
    let rows: Vec<Row> = ROWS.iter().chain(OWN_ROWS).copied().collect();
    let found = run_all(&[ours()?], &rows)?;
    let (mut hangs, mut lost, mut leaked, mut good) = (0, 0, 0, 0);
    let mut figure = Figure::new(
        "faults of a fake CLI: the 13 rows of the study of SDKs, 100,000 messages with a slow reader, callbacks that never answer or panic",
        "0 hangs, 0 lost messages, 0 leaked processes, each outcome as expected",
    )
    .note("| fault | outcome | messages | ms | processes gone after | said |")
    .note("|---|---|---|---|---|---|");
    let mut wrong = Vec::new();
    for (row, run) in rows.iter().zip(found.iter().flatten()) {
        hangs += usize::from(run.report.outcome == "hang");
        lost += row.messages().saturating_sub(run.report.messages);
        leaked += run.leaked.len();
        let errors = row.errors(run);
        good += usize::from(errors.is_empty() && run.leaked.is_empty());
        wrong.extend(errors.iter().map(|error| format!("{}: {error}", row.about)));
        figure = figure.note(full_row(row, run));
    }
    Ok(figure
        .measured(
            format!(
                "{hangs} hangs, {lost} lost messages, {leaked} leaked processes; {good} of {} as expected",
                rows.len()
            ),
            hangs == 0 && lost == 0 && leaked == 0 && good == rows.len(),
        )
        .list("not as expected", wrong)
        .note("a process is leaked when it lives 5 s after the host has let go of the session and still runs itself"))
}

/// How long an interrupt takes if much is unread.
pub(crate) fn interrupt() -> Result<Figure> {
    let driver = ours()?;
    let row = ROWS.iter().find(|row| row.name == INTERRUPT);
    let row = row.context("there is no row for interrupts")?;
    let (mut receipts, mut unread, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for number in 1..=INTERRUPTS {
        let run = run(&driver, row)?;
        let errors = row.errors(&run).into_iter();
        wrong.extend(errors.map(|error| format!("run {number}: {error}")));
        receipts.extend(run.report.receipt_ms);
        unread.extend(run.unread());
    }
    let spread = Spread::of(&receipts).context("no interrupt had a receipt")?;
    let fewest = unread.iter().min().context("no run says what was unread")?;
    // The slowest counts: the others do not help a person who waits for this one.
    let passed = wrong.is_empty() && receipts.len() == INTERRUPTS && spread.max <= INTERRUPT_BAR_MS;
    Ok(Figure::new(
        "interrupt, call → receipt, with 10,000 unread messages, the slowest of 9 runs",
        "≤ 50 ms",
    )
    .measured(
        format!(
            "{:.1} ms ({:.1}–{:.1}, median {:.1}), {fewest} unread or more",
            spread.max, spread.min, spread.max, spread.median,
        ),
        passed,
    )
    .list("not as expected", wrong))
}

/// The same faults with other SDKs, beside ours.
pub(crate) fn peers() -> Result<Figure> {
    let mut drivers = vec![ours()?];
    drivers.extend(peers::drivers()?);
    let found = run_all(&drivers, ROWS)?;
    let names: Vec<_> = drivers.iter().map(|driver| driver.name).collect();
    let mut figure = Figure::new("the same faults with other SDKs", "printed beside ours")
        .note(format!("| fault | {} |", names.join(" | ")))
        .note(format!("|---|{}", "---|".repeat(names.len())));
    for (row, runs) in ROWS.iter().zip(&found) {
        let cells: Vec<String> = runs.iter().map(|run| short_cell(row, run)).collect();
        figure = figure.note(format!("| {} | {} |", row.about, cells.join(" | ")));
    }
    let rows_with = |driver: usize, is: fn(&Row, &Run) -> bool| {
        let runs = ROWS.iter().zip(&found);
        runs.filter(|(row, runs)| is(row, &runs[driver])).count()
    };
    let count = |is: fn(&Row, &Run) -> bool| {
        let each = names.iter().enumerate();
        let shown = each.map(|(at, name)| format!("{name} {}", rows_with(at, is)));
        shown.collect::<Vec<_>>().join(", ")
    };
    // A driver without a single good row proves nothing about its SDK.
    let is_good = |row: &Row, run: &Run| {
        ["ok", "succeeded"].contains(&run.report.outcome.as_str()) && !has_lost(row, run)
    };
    let broken: Vec<&str> = names
        .iter()
        .enumerate()
        .filter(|(at, _)| rows_with(*at, is_good) == 0)
        .map(|(_, name)| *name)
        .collect();
    Ok(figure
        .measured(
            format!(
                "rows with a hang: {}; with lost messages: {}; with processes left: {}",
                count(|_, run| run.report.outcome == "hang"),
                count(has_lost),
                count(|_, run| !run.leaked.is_empty())
            ),
            broken.is_empty(),
        )
        .list("no row with all its messages, so the driver is broken and not its SDK", broken)
        .note("each runs one query as its own guide shows; versions: the npm package above, claude-agent-sdk of bench/sdk/peers/requirements.txt, claude-wrapper and claude-codes of bench/sdk/Cargo.toml")
        .note("two limits of ours are set short here: 2 s for the start (60 s unless set) and 1 s for a permission (none unless set: then it waits as the others do)")
        .note("an SDK that does not wait for the answer to `initialize` is not hurt by its absence")
        .note("claude-wrapper: what a slow subscriber misses is still in the turn it returns at the end; it says how many it missed")
        .note("process left: alive 15 s after the host let go; gone after: later than 5 s")
        .note("hang: no outcome after 15 s, 45 s with silence or a slow reader, 75 s without an answer to `initialize`"))
}

/// Runs all drivers through all rows. Rows in which nothing happens for long run beside the others.
fn run_all(drivers: &[Driver], rows: &[Row]) -> Result<Vec<Vec<Run>>> {
    std::thread::scope(|scope| {
        let start = |row| {
            drivers
                .iter()
                .map(move |it| scope.spawn(move || run(it, row)))
        };
        let mut found = Vec::new();
        for row in rows.iter().filter(|row| row.waits) {
            found.push((row.name, start(row).collect::<Vec<_>>()));
        }
        let mut all = Vec::new();
        for row in rows {
            let runs = if row.waits {
                Vec::new()
            } else {
                let runs = drivers.iter().map(|driver| run(driver, row));
                runs.collect::<Result<_>>()?
            };
            all.push(runs);
        }
        for (name, handles) in found {
            let at = rows.iter().position(|row| row.name == name);
            for handle in handles {
                let run = handle.join().map_err(|_| anyhow!("a run panicked"))?;
                all[at.unwrap_or_default()].push(run?);
            }
        }
        Ok(all)
    })
}

/// A row of our own table.
fn full_row(row: &Row, run: &Run) -> String {
    let report = &run.report;
    let mut notes = Vec::new();
    notes.extend(report.error.as_deref().map(one_line));
    let receipt = report.receipt_ms;
    notes.extend(receipt.map(|ms| format!("receipt after {ms:.1} ms")));
    notes.extend(run.deny().map(|why| format!("denied: {}", one_line(why))));
    if row.is_scaled {
        notes.push(format!("peak {} MiB", report.peak_kib >> 10));
    }
    let left = match run.gone_after {
        Some(after) => format!("{:.1} s", after.as_secs_f64()),
        None => format!("NOT GONE: {}", run.leaked.join(", ")),
    };
    format!(
        "| {} | {} | {} of {} | {:.0} | {left} | {} |",
        row.about,
        report.outcome,
        report.messages,
        row.messages(),
        report.ms,
        notes.join("; ")
    )
}

/// Whether messages that the CLI wrote did not arrive. A CLI that is interrupted before its output
/// was read does not write the rest, so an SDK that reads late has lost nothing.
fn has_lost(row: &Row, run: &Run) -> bool {
    let report = &run.report;
    let may_be_fewer = report.outcome == "not offered" || report.receipt_ms.is_some();
    !may_be_fewer && report.messages < row.messages()
}

/// A cell of the table of SDKs.
fn short_cell(row: &Row, run: &Run) -> String {
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
    if !run.leaked.is_empty() {
        cell.push_str(&match run.gone_after {
            Some(after) => format!(", process gone after {:.0} s", after.as_secs_f64()),
            None => ", **process left**".to_owned(),
        });
    }
    cell
}

/// The first 120 characters, without line breaks and column separators.
fn one_line(text: &str) -> String {
    let text: String = text.chars().take(120).collect();
    text.replace(['\n', '\r'], " ").replace('|', "\\|")
}
