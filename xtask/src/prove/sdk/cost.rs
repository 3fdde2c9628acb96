//! What the SDK itself costs: processor time and memory of the host, not of the CLI.

mod pace;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use claw_testkit::fake_claude::{FakeScript, FakeTurn, Replay};
use claw_testkit::{ScriptedApi, Turn};
use serde::Deserialize;

use super::programs::{Programs, ran};
use super::{Inputs, World, peers};
use crate::cli_package::{CLI_VERSION, workspace_root};
use crate::prove::figure::{Figure, Spread};

/// Rounds of a comparison: always the same number, so that nobody stops when it looks good.
const ROUNDS: usize = 9;
const START_BAR_MS: f64 = 5.0;
const IDLE_BAR_KIB: f64 = 40.0;
const TYPESCRIPT_BAR: f64 = 3.0;
const PYTHON_BAR: f64 = 8.0;
const TURN_BAR: f64 = 0.01;
const TOOL_CALLS: usize = 200;
/// Turns of that many calls.
const TURNS: usize = 7;

/// What `figures start` prints.
#[derive(Debug, Deserialize)]
struct Starts {
    cpu_ms: Vec<f64>,
    wall_ms: Vec<f64>,
}

/// What one turn cost.
#[derive(Debug, Deserialize)]
struct Cost {
    messages: usize,
    cpu_ms: f64,
    #[serde(default)]
    wall_ms: f64,
    /// How often the host was woken.
    #[serde(default)]
    wakeups: u64,
}

impl Cost {
    fn us_each(&self) -> f64 {
        self.cpu_ms * 1e3 / self.messages.max(1) as f64
    }
}

/// What `figures idle` prints.
#[derive(Debug, Deserialize)]
struct Idle {
    sessions: usize,
    kib_each: f64,
    resident_kib: u64,
}

/// Processor time of a start of the real CLI, up to the reply to `initialize`.
pub(super) fn start(inputs: &Inputs) -> Result<Vec<Figure>> {
    let programs = Programs::build()?;
    let world = inputs.runtime.block_on(World::new(&inputs.cli))?;
    let mut command = host(&world, &programs.bench("figures"));
    command
        .arg("start")
        .arg(inputs.cli.binary())
        .arg(ROUNDS.to_string());
    let starts: Starts = ran(&mut command)?;
    let cpu = Spread::of(&starts.cpu_ms).context("no rounds")?;
    let wall = Spread::of(&starts.wall_ms).context("no rounds")?;
    Ok(vec![
        Figure::new(
            "own CPU per start, warm cache, to the `initialize` reply",
            "≤ 5 ms",
        )
        .measured(
            format!("{:.2} ms ({:.2}–{:.2})", cpu.median, cpu.min, cpu.max),
            cpu.median <= START_BAR_MS,
        )
        .note(format!(
            "{ROUNDS} starts; wall time {:.0} ms ({:.0}–{:.0}), nearly all of it the CLI's",
            wall.median, wall.min, wall.max
        )),
    ])
}

/// The share of a turn of the real CLI that is the SDK's.
pub(super) fn turn(inputs: &Inputs) -> Result<Vec<Figure>> {
    let programs = Programs::build()?;
    let (calls, rounds) = if inputs.quick {
        (TOOL_CALLS / 10, 1)
    } else {
        (TOOL_CALLS, TURNS)
    };
    let mut shares = Vec::new();
    let mut notes = Vec::new();
    for _ in 0..rounds {
        let world = inputs.runtime.block_on(World::new(&inputs.cli))?;
        script_tool_calls(&world.api, calls);
        let mut command = host(&world, &programs.bench("figures"));
        command.arg("turn").arg(inputs.cli.binary());
        let cost: Cost = ran(&mut command)?;
        ensure!(
            cost.messages > calls * 2,
            "only {} messages for {calls} tool calls",
            cost.messages
        );
        shares.push(cost.cpu_ms / cost.wall_ms);
        notes.push(format!(
            "{calls} calls, {} messages, {} wake-ups, {:.1} ms of {:.0} ms, {:.0} µs a message",
            cost.messages,
            cost.wakeups,
            cost.cpu_ms,
            cost.wall_ms,
            cost.us_each()
        ));
    }
    let profile = pace::profile(inputs, &programs)?;
    let share = Spread::of(&shares).context("no rounds")?;
    Ok(vec![
        Figure::new(
            "own CPU, share of a 200-tool-call turn's wall time",
            "≤ 1 %",
        )
        .measured(
            format!(
                "{:.2} % ({:.2}–{:.2})",
                share.median * 100.0,
                share.min * 100.0,
                share.max * 100.0
            ),
            share.median <= TURN_BAR,
        )
        .list("turns", notes)
        .note("the scripted model answers at once; a real one makes the share smaller")
        .list("where it goes", profile),
    ])
}

fn script_tool_calls(api: &ScriptedApi, calls: usize) {
    for number in 0..calls {
        let input =
            serde_json::json!({"command": format!("echo {number}"), "description": "count"});
        api.turn(Turn::text("Next.").tool_use(format!("toolu_{number}"), "Bash", input));
    }
    api.turn(Turn::text("Done."));
}

/// Processor time of 10,000 messages, beside the official SDKs.
pub(super) fn messages(inputs: &Inputs) -> Result<Vec<Figure>> {
    let programs = Programs::build()?;
    let folder = tempfile::tempdir()?;
    let world = inputs.runtime.block_on(World::new(&inputs.cli))?;
    let lines = if inputs.quick { 1_000 } else { 10_000 };
    let cli = flood(folder.path(), &programs.fake, lines)?;
    let sdk = inputs.cli.sdk_types();
    let sdk = sdk.parent().context("the package has a folder")?;
    let scripts = workspace_root().join("bench/sdk/peers");
    let python = peers::python()?;
    let mut times: [Vec<f64>; 3] = Default::default();
    for _ in 0..ROUNDS {
        let mut ours = host(&world, &programs.bench("figures"));
        ours.arg("messages").arg(&cli);
        let mut typescript = host(&world, Path::new("node"));
        typescript
            .arg(scripts.join("messages.mjs"))
            .arg(sdk)
            .arg(&cli);
        let mut official_python = host(&world, &python);
        official_python.arg(scripts.join("messages.py")).arg(&cli);
        let commands = [&mut ours, &mut typescript, &mut official_python];
        for (times, command) in times.iter_mut().zip(commands) {
            let cost: Cost = ran(command)?;
            // The Python SDK passes over what it does not know.
            ensure!(
                cost.messages * 10 >= lines * 8,
                "{command:?}: {} messages",
                cost.messages
            );
            times.push(cost.cpu_ms);
        }
    }
    let [ours, typescript, official_python] = times;
    let ratio = |theirs: &[f64]| -> Result<Spread> {
        let ratios: Vec<f64> = theirs
            .iter()
            .zip(&ours)
            .map(|(theirs, ours)| theirs / ours)
            .collect();
        Spread::of(&ratios).context("no rounds")
    };
    let (by_typescript, by_python) = (ratio(&typescript)?, ratio(&official_python)?);
    Ok(vec![
        Figure::new(
            "own CPU per 10,000 messages, beside TypeScript and Python",
            "≥ 3× less than TypeScript, ≥ 8× less than Python",
        )
        .measured(
            format!(
                "{} and {} less",
                times_less(&by_typescript),
                times_less(&by_python)
            ),
            by_typescript.median >= TYPESCRIPT_BAR && by_python.median >= PYTHON_BAR,
        )
        .note(format!(
            "{lines} messages as recorded, each read and decoded; {ROUNDS} interleaved rounds: \
             ours {}, TypeScript {}, Python {}",
            in_ms(&ours)?,
            in_ms(&typescript)?,
            in_ms(&official_python)?
        )),
    ])
}

fn times_less(ratio: &Spread) -> String {
    format!("{:.1}× ({:.1}–{:.1})", ratio.median, ratio.min, ratio.max)
}

fn in_ms(times: &[f64]) -> Result<String> {
    let times = Spread::of(times).context("no rounds")?;
    let Spread { median, min, max } = times;
    Ok(format!("{median:.0} ms ({min:.0}–{max:.0})"))
}

/// A CLI that prints recorded messages, so many in one turn.
fn flood(folder: &Path, fake: &Path, lines: usize) -> Result<PathBuf> {
    let recordings = workspace_root().join("testdata/cli").join(CLI_VERSION);
    let mut corpus = Vec::new();
    for scenario in [
        "text_long_turn",
        "text_content_zoo_partial",
        "tools_files",
        "text_tool_loop",
    ] {
        let text = std::fs::read_to_string(recordings.join(scenario).join("stdout.ndjson"))?;
        let kept = text.lines().filter(|line| {
            let kind = serde_json::from_str::<serde_json::Value>(line)
                .ok()
                .and_then(|line| line["type"].as_str().map(str::to_owned));
            matches!(
                kind.as_deref(),
                Some("assistant" | "user" | "stream_event" | "system")
            )
        });
        corpus.extend(kept.map(str::to_owned));
    }
    ensure!(!corpus.is_empty(), "the recordings hold no messages");
    let text: String = corpus
        .iter()
        .cycle()
        .take(lines)
        .flat_map(|line| [line.as_str(), "\n"])
        .collect();
    std::fs::write(folder.join("messages.ndjson"), text)?;
    let replay = Replay {
        file: folder.join("messages.ndjson"),
        ..Replay::default()
    };
    play(folder, fake, FakeTurn::new().step(replay))
}

/// A CLI that plays this turn.
fn play(folder: &Path, fake: &Path, turn: FakeTurn) -> Result<PathBuf> {
    // Next to the program: hosts may clear the environment.
    FakeScript::new()
        .turn(turn)
        .write(folder.join("fake-claude.json"))?;
    let cli = folder.join("fake-claude");
    std::os::unix::fs::symlink(fake, &cli)?;
    Ok(cli)
}

/// Memory of sessions that rest.
pub(super) fn idle(_inputs: &Inputs) -> Result<Vec<Figure>> {
    let programs = Programs::build()?;
    let mut command = Command::new(programs.bench("figures"));
    command.args(["idle", "1000"]);
    let idle: Idle = ran(&mut command)?;
    Ok(vec![
        Figure::new(
            "own memory per idle session, 1,000 in one process, in-memory transport",
            "≤ 40 KiB each",
        )
        .measured(
            format!("{:.1} KiB each", idle.kib_each),
            idle.kib_each <= IDLE_BAR_KIB,
        )
        .note(format!(
            "{} sessions after one turn each, resident memory {} KiB in all; about half of it is \
             what the CLI said when it began",
            idle.sessions, idle.resident_kib
        )),
    ])
}

/// A host whose CLI has nothing of this machine but its programs.
fn host(world: &World, program: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .envs(world.environment())
        .current_dir(world.project());
    command
}
