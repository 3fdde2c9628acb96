//! How fast lines of the CLI become what a front end is sent, measured by `bench/server`.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::Inputs;
use crate::prove::build;
use crate::prove::figure::{Bar, Figure, Spread};
use crate::prove::recordings;
use crate::prove::speed::{Part, on_one_core};

/// Always the same number, so that nobody stops when the figure looks good.
const ROUNDS: usize = 15;
const BAR: f64 = 1.5;

/// What `server-bench` prints.
#[derive(Debug, Deserialize)]
struct Report {
    all: Part,
    /// The sessions whose text was streamed.
    streamed: Part,
    /// Messages for a front end that came of all lines.
    messages: usize,
}

/// Nothing in a quick run: a time says something only on a machine that does nothing else.
pub(super) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    if inputs.quick {
        return Ok(Vec::new());
    }
    let report = run(&inputs.root)?;
    ensure!(
        report.messages > report.all.lines / 2,
        "{} lines gave only {} messages: that is not what a front end is sent",
        report.all.lines,
        report.messages
    );
    let all = spread(&report.all, "ui")?;
    let streamed = spread(&report.streamed, "ui")?;
    Ok(vec![
        Figure::new(
            "decode + project to `ui`, recorded corpus, one core, same bytes, against `serde_json::Value` alone",
            "≥ 1.5×",
        )
        .judged(
            format!("{} in {ROUNDS} rounds", times(&all)),
            all,
            Bar::AtLeast(BAR),
        )
        .note(format!(
            "from the bytes of a line to its `UiMessage`s, through decoder, ledger and projection: {} messages from {} lines, {:.1} MB; {}",
            report.messages,
            report.all.lines,
            report.all.bytes as f64 / 1e6,
            report.all.megabytes_a_second()
        ))
        .note(format!(
            "decoding alone: {}; with the ledger, to events: {}",
            times(&spread(&report.all, "decode")?),
            times(&spread(&report.all, "ledger")?)
        ))
        .note(format!(
            "of these, the sessions whose text was streamed ({} lines): {}; a line costs {}",
            report.streamed.lines,
            times(&streamed),
            report.streamed.microseconds_a_line()
        ))
        .note("release, thin LTO, one core; rounds interleaved; ratios taken within a round; dropping the result is part of the time"),
    ])
}

fn spread(part: &Part, ours: &str) -> Result<Spread> {
    Spread::of(&part.ratios(ours, "value")?).context("no rounds")
}

fn times(spread: &Spread) -> String {
    let Spread { median, min, max } = spread;
    format!("{median:.2}× ({min:.2}–{max:.2})")
}

fn run(root: &Path) -> Result<Report> {
    let files = recordings::stdout_files(root)?;
    let output = server_bench(|bench| {
        bench
            .args(["--rounds", &ROUNDS.to_string(), "--millis", "150"])
            .args(files)
    })?;
    serde_json::from_slice(&output).context("server-bench printed something else than its report")
}

/// Builds `bench/server`, runs it on one core and returns what it prints.
pub(super) fn server_bench(args: impl FnOnce(&mut Command) -> &mut Command) -> Result<Vec<u8>> {
    let folder = build::release(&["--manifest-path", "bench/server/Cargo.toml"])?;
    let mut bench = on_one_core(&folder.join("server-bench"));
    let output = args(&mut bench)
        .stdin(Stdio::null())
        .output()
        .context("server-bench did not start")?;
    ensure!(
        output.status.success(),
        "server-bench failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(output.stdout)
}
