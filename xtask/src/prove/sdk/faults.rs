//! Faults of a CLI that is played: what our SDK makes of them, and what others do.

mod real;
mod rows;
mod run;

use anyhow::{Context, Result};

pub(super) use self::real::faults_real;
use self::rows::{OWN_ROWS, ROWS, Row};
pub(super) use self::run::Driver;
use self::run::{Run, run};
use super::Inputs;
use super::peers;
use super::programs::Programs;
use crate::prove::figure::{Figure, Spread};

/// Runs of the figure for interrupts.
const INTERRUPTS: usize = 9;
const INTERRUPT_BAR_MS: f64 = 50.0;

fn ours(programs: &Programs) -> Driver {
    Driver {
        name: "rusty_claw",
        program: programs.bench("faults_ours"),
        args: Vec::new(),
    }
}

/// Every fault with our SDK.
pub(super) fn faults(inputs: &Inputs) -> Result<Vec<Figure>> {
    let programs = Programs::build()?;
    let rows: Vec<Row> = ROWS.iter().chain(OWN_ROWS).copied().collect();
    let driver = ours(&programs);
    let found = run_all(&[driver], &rows, &programs, inputs.quick)?;
    let (mut hangs, mut lost, mut leaked, mut good) = (0, 0, 0, 0);
    let mut figure = Figure::new(
        "faults of a fake CLI: the 13 rows of the study of SDKs, 100,000 messages with a slow reader, callbacks that never answer or panic",
        "0 hangs, 0 lost messages, 0 leaked processes, each outcome as expected",
    )
    .note("| fault | outcome | messages | ms | processes gone after | said |")
    .note("|---|---|---|---|---|---|");
    let mut wrong_rows = Vec::new();
    for (row, runs) in rows.iter().zip(&found) {
        let Some(run) = runs.first() else { continue };
        hangs += usize::from(run.told.outcome == "hang");
        lost += row.messages(inputs.quick).saturating_sub(run.told.messages);
        leaked += run.leaked.len();
        let wrong = row.wrong(run, inputs.quick);
        good += usize::from(wrong.is_empty() && run.leaked.is_empty());
        wrong_rows.extend(wrong.iter().map(|wrong| format!("{}: {wrong}", row.about)));
        figure = figure.note(full_row(row, run, inputs.quick));
    }
    let passed = hangs == 0 && lost == 0 && leaked == 0 && good == rows.len();
    Ok(vec![
        figure
            .measured(
                format!(
                    "{hangs} hangs, {lost} lost messages, {leaked} leaked processes; {good} of {} as expected",
                    rows.len()
                ),
                passed,
            )
            .list("not as expected", wrong_rows)
            .note("a process is leaked when it lives 5 s after the host has let go of the session and still runs itself"),
    ])
}

/// How long an interrupt takes when much is unread.
pub(super) fn interrupt(inputs: &Inputs) -> Result<Vec<Figure>> {
    let programs = Programs::build()?;
    let driver = ours(&programs);
    let row = ROWS
        .iter()
        .find(|row| row.name == "interrupt_unread_10000")
        .context("there is no row for interrupts")?;
    let mut receipts = Vec::new();
    let mut unread = Vec::new();
    let mut wrong = Vec::new();
    for number in 1..=INTERRUPTS {
        let run = run(&driver, row, &programs.fake, inputs.quick)?;
        let found = row.wrong(&run, inputs.quick);
        wrong.extend(
            found
                .into_iter()
                .map(|wrong| format!("run {number}: {wrong}")),
        );
        receipts.extend(run.told.receipt_ms);
        unread.extend(run.unread());
    }
    let spread = Spread::of(&receipts).context("no interrupt had a receipt")?;
    let fewest = unread.iter().min().context("no run says what was unread")?;
    // The slowest counts: a person who waits for one interrupt is not helped by the others.
    let passed = wrong.is_empty() && receipts.len() == INTERRUPTS && spread.max <= INTERRUPT_BAR_MS;
    Ok(vec![
        Figure::new(
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
        .list("not as expected", wrong),
    ])
}

/// The same faults with other SDKs, beside ours.
pub(super) fn fault_peers(inputs: &Inputs) -> Result<Vec<Figure>> {
    if inputs.quick {
        return Ok(Vec::new());
    }
    let programs = Programs::build_with_peers()?;
    let mut drivers = vec![ours(&programs)];
    drivers.extend(peers::drivers(&inputs.cli, &programs)?);
    let found = run_all(&drivers, ROWS, &programs, inputs.quick)?;
    let names: Vec<_> = drivers.iter().map(|driver| driver.name).collect();
    let mut figure = Figure::new("the same faults with other SDKs", "printed beside ours")
        .note(format!("| fault | {} |", names.join(" | ")))
        .note(format!("|---|{}", "---|".repeat(names.len())));
    for (row, runs) in ROWS.iter().zip(&found) {
        let cells: Vec<String> = runs.iter().map(|run| short_cell(row, run)).collect();
        figure = figure.note(format!("| {} | {} |", row.about, cells.join(" | ")));
    }
    let broken = broken_drivers(&names, &found);
    let passed = broken.is_empty();
    let count = |is: fn(&Row, &Run) -> bool| {
        let each = (0..drivers.len()).map(|driver| {
            let runs = ROWS.iter().zip(&found);
            runs.filter(|(row, runs)| runs.get(driver).is_some_and(|run| is(row, run)))
                .count()
        });
        let shown = names
            .iter()
            .zip(each)
            .map(|(name, count)| format!("{name} {count}"));
        shown.collect::<Vec<_>>().join(", ")
    };
    Ok(vec![
        figure
            .measured(
                format!(
                    "rows with a hang: {}; with lost messages: {}; with processes left: {}",
                    count(|_, run| run.told.outcome == "hang"),
                    count(has_lost),
                    count(|_, run| !run.leaked.is_empty())
                ),
                passed,
            )
            .list("no row with all its messages, so the driver is broken and not its SDK", broken)
            .note("each runs one query as its own guide shows; versions: the npm package above, claude-agent-sdk of bench/sdk/peers/requirements.txt, claude-wrapper and claude-codes of bench/sdk/Cargo.toml")
            .note("two limits of ours are set short here: 2 s for the start (60 s unless set) and 1 s for a permission (none unless set: then it waits as the others do)")
            .note("an SDK that does not wait for the answer to `initialize` is not hurt by its absence")
            .note("claude-wrapper: what a slow subscriber misses is still in the turn it returns at the end; it says how many it missed")
            .note("process left: alive 15 s after the host let go; gone after: later than 5 s")
            .note("hang: no outcome after 15 s, 45 s with silence or a slow reader, 75 s without an answer to `initialize`"),
    ])
}

/// Drivers that got through no row at all: what they say of the others proves nothing.
fn broken_drivers<'a>(names: &[&'a str], found: &[Vec<Run>]) -> Vec<&'a str> {
    let works = |driver: usize| {
        ROWS.iter().zip(found).any(|(row, runs)| {
            runs.get(driver).is_some_and(|run| {
                ["ok", "succeeded"].contains(&run.told.outcome.as_str()) && !has_lost(row, run)
            })
        })
    };
    let broken = names.iter().enumerate().filter(|(at, _)| !works(*at));
    broken.map(|(_, name)| *name).collect()
}

/// All drivers through all rows. Rows in which nothing happens for long run beside the others.
fn run_all(
    drivers: &[Driver],
    rows: &[Row],
    programs: &Programs,
    quick: bool,
) -> Result<Vec<Vec<Run>>> {
    let one = |driver: &Driver, row: &Row| run(driver, row, &programs.fake, quick);
    std::thread::scope(|scope| {
        let waiting: Vec<Vec<_>> = rows
            .iter()
            .map(|row| {
                let drivers = drivers.iter().filter(|_| row.waits);
                let started = drivers.map(|driver| scope.spawn(move || one(driver, row)));
                started.collect()
            })
            .collect();
        let mut found = Vec::new();
        for (row, waiting) in rows.iter().zip(waiting) {
            let runs: Result<Vec<Run>> = if row.waits {
                // Joined below, when the others are done.
                found.push((Vec::new(), waiting));
                continue;
            } else {
                drivers.iter().map(|driver| one(driver, row)).collect()
            };
            found.push((runs?, waiting));
        }
        found
            .into_iter()
            .map(|(mut runs, waiting)| {
                for handle in waiting {
                    let run = handle
                        .join()
                        .map_err(|_| anyhow::anyhow!("a run panicked"))?;
                    runs.push(run?);
                }
                Ok(runs)
            })
            .collect()
    })
}

/// A row of our own table.
fn full_row(row: &Row, run: &Run, quick: bool) -> String {
    let told = &run.told;
    let mut said = Vec::new();
    said.extend(told.error.as_deref().map(one_line));
    said.extend(
        told.receipt_ms
            .map(|ms| format!("receipt after {ms:.1} ms")),
    );
    said.extend(run.deny().map(|why| format!("denied: {}", one_line(why))));
    if row.is_scaled {
        said.push(format!("peak {} MiB", told.peak_kib >> 10));
    }
    let left = match run.gone_after {
        Some(after) => format!("{:.1} s", after.as_secs_f64()),
        None => format!("NOT GONE: {}", run.leaked.join(", ")),
    };
    format!(
        "| {} | {} | {} of {} | {:.0} | {left} | {} |",
        row.about,
        told.outcome,
        told.messages,
        row.messages(quick),
        told.ms,
        said.join("; ")
    )
}

/// Whether messages that the CLI has written did not arrive. A CLI that is interrupted before its
/// output was read writes the rest no more, so an SDK that reads late has lost nothing by it.
fn has_lost(row: &Row, run: &Run) -> bool {
    let told = &run.told;
    let may_be_fewer = told.outcome == "not offered" || told.receipt_ms.is_some();
    !may_be_fewer && told.messages < row.messages(false)
}

/// A cell of the table of SDKs.
fn short_cell(row: &Row, run: &Run) -> String {
    let told = &run.told;
    let mut cell = told.outcome.clone();
    if has_lost(row, run) {
        cell.push_str(&format!(", {} of {}", told.messages, row.messages(false)));
    }
    if let Some(error) = &told.error {
        cell.push_str(&format!(" ({})", one_line(error)));
    }
    if let Some(ms) = told.receipt_ms {
        cell.push_str(&format!(", receipt {ms:.0} ms"));
    }
    if row.name == "initialize_never" && told.outcome != "hang" {
        cell.push_str(&format!(", after {:.0} s", told.ms / 1e3));
    }
    if !run.leaked.is_empty() {
        cell.push_str(&match run.gone_after {
            Some(after) => format!(", process gone after {:.0} s", after.as_secs_f64()),
            None => ", **process left**".to_owned(),
        });
    }
    cell
}

/// The beginning of a text, fit for a table.
fn one_line(text: &str) -> String {
    let text: String = text.chars().take(120).collect();
    text.replace(['\n', '\r'], " ").replace('|', "\\|")
}
