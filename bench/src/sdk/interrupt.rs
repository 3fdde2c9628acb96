//! The time of an interrupt.

use anyhow::{Context, Result, ensure};
use claw_testkit::figure::{Figure, quick};

use super::rows::INTERRUPT;
use super::run::{Driver, OURS, run};
use crate::rounds::spread;

/// How long an interrupt takes if much is unread.
pub(super) fn measure() -> Result<Vec<Figure>> {
    let driver = Driver::own("rusty_claw", OURS)?;
    let (mut receipts, mut fewest) = (Vec::new(), u64::MAX);
    for _ in 0..if quick() { 1 } else { 9 } {
        let run = run(&driver, &INTERRUPT)?;
        let (report, unread) = (&run.report, run.unread().unwrap_or_default());
        let whole = report.messages == INTERRUPT.messages() && report.ordered;
        let is_right = whole && report.outcome == "interrupted" && unread >= 10_000;
        ensure!(is_right, "{report:?}");
        receipts.push(report.receipt_ms.context("no receipt")?);
        fewest = fewest.min(unread);
    }
    let spread = spread(&receipts)?;
    let shown = format!(
        "{:.1} ms ({:.1}–{:.1}, median {:.1}), {fewest} unread or more",
        spread.max, spread.min, spread.max, spread.median,
    );
    let figure = Figure::new(
        "interrupt, call → receipt, with 10,000 unread messages, the slowest of 9 runs",
        "≤ 50 ms",
    );
    // The slowest counts: the others do not help a person who waits for this one.
    Ok(vec![figure.measured(shown, spread.max <= 50.0).timed()])
}
