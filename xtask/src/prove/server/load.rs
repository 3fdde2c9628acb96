//! Many sessions, and readers that are slow.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use claw_testkit::fake_claude::{FakeScript, FakeTurn, Flood};
use serde::Deserialize;

use super::Inputs;
use crate::prove::figure::Figure;
use crate::prove::sdk::programs::{Programs, ran};

const SESSION_BAR_KIB: f64 = 64.0;
/// What a slow sink may cost in memory, whatever the number of events.
const SLOW_SINK_BAR_KIB: u64 = 32 * 1024;

/// What `server slow` prints.
#[derive(Debug, Deserialize)]
struct Slow {
    events: u64,
    texts: u64,
    wrong: u64,
    source_us: f64,
    sink_us: f64,
    seconds: f64,
    before_kib: u64,
    peak_kib: u64,
}

/// What `server sessions` and `server resting` print.
#[derive(Debug, Deserialize)]
struct Sessions {
    sessions: usize,
    kib_each: f64,
    resident_kib: u64,
    closed: usize,
}

/// A sink that is a hundred times slower than the source.
pub(super) fn slow_sink(inputs: &Inputs) -> Result<Vec<Figure>> {
    let programs = Programs::build()?;
    let folder = tempfile::tempdir()?;
    let events = if inputs.quick { 100_000 } else { 1_000_000 };
    let flood = Flood::new(events).bytes(200);
    let cli = beside(folder.path(), &programs.fake, FakeTurn::new().step(flood))?;
    let mut command = program(&programs, folder.path());
    command.arg("slow").arg(&cli).arg(events.to_string());
    let slow: Slow = ran(&mut command)?;
    let grown = slow.peak_kib.saturating_sub(slow.before_kib);
    let dropped = slow.events.saturating_sub(slow.texts);
    let slower = slow.sink_us / slow.source_us;
    Ok(vec![
        Figure::new(
            "slow sink: 1,000,000 events, sink 100× slower than the source",
            "0 dropped, memory bounded",
        )
        .measured(
            format!(
                "{dropped} dropped, {} out of order, of {} events; {:.1} MB more than before",
                slow.wrong,
                slow.events,
                grown as f64 / 1024.0
            ),
            dropped == 0 && slow.wrong == 0 && slower >= 99.0 && grown <= SLOW_SINK_BAR_KIB,
        )
        .note(format!(
            "{:.2} µs an event at the source, {:.0} µs at the sink ({slower:.0}×), {:.0} s in all; \
             peak {} KiB, {} KiB before; the bar of our own is {} KiB",
            slow.source_us,
            slow.sink_us,
            slow.seconds,
            slow.peak_kib,
            slow.before_kib,
            SLOW_SINK_BAR_KIB
        ))
        .note("what waits: events for the sink, then lines in the SDK's memory, then in its file"),
    ])
}

/// Memory of sessions that rest.
pub(super) fn sessions(inputs: &Inputs) -> Result<Vec<Figure>> {
    let programs = Programs::build()?;
    let folder = tempfile::tempdir()?;
    let count = if inputs.quick { "100" } else { "1000" };
    let turn = FakeTurn::new().step(claw_testkit::Step::text("A short answer."));
    let cli = beside(folder.path(), &programs.fake, turn)?;
    let mut command = program(&programs, folder.path());
    command.arg("sessions").arg(&cli).arg(count);
    let with_processes: Sessions = ran(&mut command)?;
    ensure!(
        with_processes.closed == with_processes.sessions + 16,
        "shutting down reported {} of {} sessions",
        with_processes.closed,
        with_processes.sessions + 16
    );
    let mut command = program(&programs, folder.path());
    command.args(["resting", count]);
    let in_memory: Sessions = ran(&mut command)?;
    let worst = with_processes.kib_each.max(in_memory.kib_each);
    Ok(vec![
        Figure::new(
            "1,000 sessions in one process with the fake CLI, own memory per session",
            "≤ 64 KiB",
        )
        .measured(
            format!("{:.1} KiB each", with_processes.kib_each),
            worst <= SESSION_BAR_KIB,
        )
        .note(format!(
            "{} sessions after one turn each, with a process each; {} KiB in all; shutting down \
             reported the end of every one",
            with_processes.sessions, with_processes.resident_kib
        ))
        .note(format!(
            "with a CLI that is played in memory and greets as long as the real one: {:.1} KiB each",
            in_memory.kib_each
        )),
    ])
}

/// The program that is measured, with nothing of this machine but its programs.
fn program(programs: &Programs, home: &Path) -> Command {
    let mut command = Command::new(programs.bench("server"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.env_clear().env("PATH", path).env("HOME", home);
    command.current_dir(home);
    command
}

/// A CLI that plays this turn, in a folder of its own.
fn beside(folder: &Path, fake: &Path, turn: FakeTurn) -> Result<PathBuf> {
    let mut script = FakeScript::new().turn(turn);
    script.no_session_file = true;
    script.write(folder.join("fake-claude.json"))?;
    let cli = folder.join("fake-claude");
    std::os::unix::fs::symlink(fake, &cli).context("the folder takes no links")?;
    Ok(cli)
}
