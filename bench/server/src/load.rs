//! Many sessions, and a slow sink. Each is measured in its own process, without the environment
//! of this machine.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use claw_testkit::Step;
use claw_testkit::fake_claude::{FakeScript, FakeTurn, Flood};
use claw_testkit::figure::{Figure, quick};
use sdk_bench::Failure;
use serde_json::Value;

/// The first argument of the measured process.
pub(crate) const PROGRAM: &str = "load";

const SESSION_BAR_KIB: f64 = 64.0;
/// The memory that a slow sink may use, for any number of events.
const SLOW_SINK_BAR_KIB: u64 = 32 * 1024;

/// A sink that is a hundred times slower than the source.
pub(crate) fn slow_sink() -> Result<Figure, Failure> {
    let folder = tempfile::tempdir()?;
    let events = if quick() { 100_000 } else { 1_000_000 };
    let flood = Flood::new(events).bytes(200);
    let cli = fake_cli(folder.path(), FakeTurn::new().step(flood))?;
    let cli = cli.to_string_lossy();
    let report = measured(folder.path(), &["slow", &cli, &events.to_string()])?;
    let integer = |name| report[name].as_u64().ok_or("a count is missing");
    let number = |name| report[name].as_f64().ok_or("a time is missing");
    let (peak, before) = (integer("peak_kib")?, integer("before_kib")?);
    let grown = peak.saturating_sub(before);
    let (wrong, dropped) = (integer("wrong")?, events.saturating_sub(integer("texts")?));
    let (source, sink) = (number("source_us")?, number("sink_us")?);
    let slower = sink / source;
    let figure = Figure::new(
        "slow sink: 1,000,000 events, sink 100× slower than the source",
        "0 dropped, memory bounded",
    );
    Ok(figure
        .measured(
            format!(
                "{dropped} dropped, {wrong} out of order, of {events} events; {:.1} MB more than before",
                grown as f64 / 1024.0
            ),
            dropped == 0 && wrong == 0 && slower >= 99.0 && grown <= SLOW_SINK_BAR_KIB,
        )
        .note(format!(
            "{source:.2} µs an event at the source, {sink:.0} µs at the sink ({slower:.0}×), {:.0} s in all; \
             peak {peak} KiB, {before} KiB before; the bar of our own is {SLOW_SINK_BAR_KIB} KiB",
            number("seconds")?,
        ))
        .note("what waits: events for the sink, then lines in the SDK's memory, then in its file"))
}

/// Memory of sessions that rest.
pub(crate) fn sessions() -> Result<Figure, Failure> {
    let folder = tempfile::tempdir()?;
    let count = if quick() { "100" } else { "1000" };
    let turn = FakeTurn::new().step(Step::text("A short answer."));
    let cli = fake_cli(folder.path(), turn)?;
    let with_processes = measured(folder.path(), &["sessions", &cli.to_string_lossy(), count])?;
    let in_memory = measured(folder.path(), &["resting", count])?;
    let each = |report: &Value| report["kib_each"].as_f64().ok_or("no memory");
    let (process_kib, memory_kib) = (each(&with_processes)?, each(&in_memory)?);
    let figure = Figure::new(
        "1,000 sessions in one process with the fake CLI, own memory per session",
        "≤ 64 KiB",
    );
    Ok(figure
        .measured(
            format!("{process_kib:.1} KiB each"),
            process_kib.max(memory_kib) <= SESSION_BAR_KIB,
        )
        .note(format!(
            "{count} sessions after one turn each, with a process each; {} KiB in all; shutting down \
             reported the end of every one",
            with_processes["resident_kib"]
        ))
        .note(format!(
            "with a CLI that is played in memory and greets as long as the real one: {memory_kib:.1} KiB each"
        )))
}

/// Runs this program with these arguments, and with nothing of this machine but its programs.
fn measured(home: &Path, args: &[&str]) -> Result<Value, Failure> {
    let output = Command::new(std::env::current_exe()?)
        .arg(PROGRAM)
        .args(args)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .current_dir(home)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("{args:?} failed: {}", output.status).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// A CLI that plays this turn, in its own folder. `fake-claude` is built beside this program.
fn fake_cli(folder: &Path, turn: FakeTurn) -> Result<PathBuf, Failure> {
    let mut script = FakeScript::new().turn(turn);
    script.no_session_file = true;
    script.write(folder.join("fake-claude.json"))?;
    let cli = folder.join("fake-claude");
    let fake = std::env::current_exe()?.with_file_name("fake-claude");
    std::os::unix::fs::symlink(fake, &cli)?;
    Ok(cli)
}
