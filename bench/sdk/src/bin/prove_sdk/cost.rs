//! CPU time and memory of the SDK: of the host, not of the CLI.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use claw_testkit::figure::{Bar, Figure, Spread, quick};
use claw_testkit::real_cli::{World, bash, real_cli};
use claw_testkit::{FakeScript, FakeTurn, Flood, Replay, Turn};
use serde::Deserialize;
use serde_json::Value;

use crate::{peers, program, ran, repository};

/// The number of rounds of a comparison, independent of the result.
const ROUNDS: usize = 9;
const START_BAR_MS: f64 = 5.0;
const IDLE_BAR_KIB: f64 = 40.0;
const TYPESCRIPT_BAR: f64 = 3.0;
const PYTHON_BAR: f64 = 8.0;
const TURN_BAR: f64 = 0.015;
const TOOL_CALLS: usize = 200;
/// Turns of that many calls.
const TURNS: usize = 7;

/// What `figures start` prints.
#[derive(Debug, Deserialize)]
struct Starts {
    cpu_ms: Vec<f64>,
    wall_ms: Vec<f64>,
}

/// The cost of a turn.
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

/// A world with a model that answers with these turns. The API runs in its own thread.
fn world(turns: impl IntoIterator<Item = Turn>) -> Result<(tokio::runtime::Runtime, World)> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let world = runtime.block_on(World::with(turns))?;
    Ok((runtime, world))
}

/// A host whose CLI gets nothing of this machine but its programs.
fn host(world: &World, program: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .envs(world.environment())
        .current_dir(world.project());
    command
}

/// The program that is measured.
fn ours(world: &World, what: &str, cli: &Path) -> Result<Command> {
    let mut command = host(world, &program("figures")?);
    command.arg(what).arg(cli);
    Ok(command)
}

/// CPU time of a start of the real CLI, up to the reply to `initialize`.
pub(crate) fn start() -> Result<Figure> {
    let (_runtime, world) = world([])?;
    let mut command = ours(&world, "start", world.binary())?;
    let starts: Starts = ran(command.arg(ROUNDS.to_string()))?;
    let cpu = Spread::of(&starts.cpu_ms).context("no rounds")?;
    let wall = Spread::of(&starts.wall_ms).context("no rounds")?;
    Ok(Figure::new(
        "own CPU per start, warm cache, to the `initialize` reply",
        "≤ 5 ms",
    )
    .judged(
        format!("{:.2} ms ({:.2}–{:.2})", cpu.median, cpu.min, cpu.max),
        cpu,
        Bar::AtMost(START_BAR_MS),
    )
    .note(format!(
        "{ROUNDS} starts; wall time {:.0} ms ({:.0}–{:.0}), nearly all of it the CLI's",
        wall.median, wall.min, wall.max
    )))
}

/// The SDK's share of a turn of the real CLI.
pub(crate) fn turn() -> Result<Figure> {
    let (calls, rounds) = if quick() {
        (TOOL_CALLS / 10, 1)
    } else {
        (TOOL_CALLS, TURNS)
    };
    let (mut shares, mut notes) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let turns = (0..calls).map(|number| bash(&number.to_string(), &format!("echo {number}")));
        let (_runtime, world) = world(turns.chain([Turn::text("Done.")]))?;
        let cost: Cost = ran(&mut ours(&world, "turn", world.binary())?)?;
        let messages = cost.messages;
        ensure!(messages > calls * 2, "only {messages} messages");
        shares.push(cost.cpu_ms / cost.wall_ms);
        notes.push(format!(
            "{calls} calls, {messages} messages, {} wake-ups, {:.1} ms of {:.0} ms, {:.0} µs a message",
            cost.wakeups,
            cost.cpu_ms,
            cost.wall_ms,
            cost.us_each()
        ));
    }
    let share = Spread::of(&shares).context("no rounds")?;
    let [median, min, max] = [share.median, share.min, share.max].map(|share| share * 100.0);
    Ok(Figure::new(
        "own CPU, share of a 200-tool-call turn's wall time",
        "≤ 1.5 %",
    )
    .judged(
        format!("{median:.2} % ({min:.2}–{max:.2})"),
        share,
        Bar::AtMost(TURN_BAR),
    )
    .list("turns", notes)
    .note("the scripted model answers at once; a real one makes the share smaller")
    .list("where it goes", profile()?))
}

/// How many messages, how many of them a second (0: at once), and a description.
const PACES: &[(u64, u64, &str)] = &[
    (10_000, 0, "all at once"),
    (1_000, 1_000, "1,000 a second"),
    (200, 20, "20 a second, as in a turn"),
];
/// Near the length of a real message.
const MESSAGE_BYTES: u64 = 600;

/// The same messages at several paces, decoded, and only read as bytes: a message costs more after
/// a pause.
fn profile() -> Result<Vec<String>> {
    // Seen with strace and perf once; not a part of this run.
    let mut lines = vec![
        "the host is woken for nearly every message, since they come one by one; each time it \
         makes two system calls, `epoll_wait` and `read`, on one thread (seen with strace)"
            .to_owned(),
        "with perf: a fifth in the kernel, a quarter in reading messages into types, the rest \
         spread over runtime and session; no function has more than 3 %, arming timers 2 %"
            .to_owned(),
        "a pause leaves the caches to other programs, so what a message costs depends on the \
         pause before it; messages of the stand-in at several paces, own CPU for each:"
            .to_owned(),
    ];
    for &(count, per_second, pace) in PACES {
        let count = if quick() { count / 10 } else { count };
        let decoded = paced("messages", count, per_second)?;
        let read = paced("bytes", count, per_second)?;
        lines.push(format!(
            "{pace}: {:.1} µs; {:.1} µs where the same runtime reads the bytes and drops them",
            decoded.us_each(),
            read.us_each()
        ));
    }
    Ok(lines)
}

fn paced(what: &str, count: u64, per_second: u64) -> Result<Cost> {
    let (_runtime, world) = world([])?;
    let flood = Flood {
        per_second,
        ..Flood::new(count).bytes(MESSAGE_BYTES)
    };
    let cli = play(world.folder(), FakeTurn::new().step(flood))?;
    let cost: Cost = ran(&mut ours(&world, what, &cli)?)?;
    let messages = cost.messages as u64;
    ensure!(messages >= count, "{what}: {messages} of {count} messages");
    Ok(cost)
}

/// CPU time of 10,000 messages, beside the official SDKs.
pub(crate) fn messages() -> Result<Figure> {
    let (_runtime, world) = world([])?;
    let lines = if quick() { 1_000 } else { 10_000 };
    let cli = flood(world.folder(), lines)?;
    let scripts = repository("bench/sdk/peers");
    let python = peers::python()?;
    let mut times: [Vec<f64>; 3] = Default::default();
    for _ in 0..ROUNDS {
        let mut typescript = host(&world, Path::new("node"));
        typescript
            .arg(scripts.join("messages.mjs"))
            .arg(peers::typescript())
            .arg(&cli);
        let mut python = host(&world, &python);
        python.arg(scripts.join("messages.py")).arg(&cli);
        let commands = [ours(&world, "messages", &cli)?, typescript, python];
        for (times, mut command) in times.iter_mut().zip(commands) {
            let cost: Cost = ran(&mut command)?;
            // The Python SDK skips messages of unknown types.
            let messages = cost.messages;
            ensure!(messages * 10 >= lines * 8, "{command:?}: {messages}");
            times.push(cost.cpu_ms);
        }
    }
    let [ours, typescript, python] = &times;
    let ratio = |theirs: &[f64]| {
        let ratios = theirs.iter().zip(ours).map(|(theirs, ours)| theirs / ours);
        Spread::of(&ratios.collect::<Vec<_>>()).context("no rounds")
    };
    let (by_typescript, by_python) = (ratio(typescript)?, ratio(python)?);
    let less = |by: Spread| format!("{:.1}× ({:.1}–{:.1})", by.median, by.min, by.max);
    let in_ms = |times: &[f64]| -> Result<String> {
        let Spread { median, min, max } = Spread::of(times).context("no rounds")?;
        Ok(format!("{median:.0} ms ({min:.0}–{max:.0})"))
    };
    Ok(Figure::new(
        "own CPU per 10,000 messages, beside TypeScript and Python",
        "≥ 3× less than TypeScript, ≥ 8× less than Python",
    )
    .measured(
        format!("{} and {} less", less(by_typescript), less(by_python)),
        by_typescript.median >= TYPESCRIPT_BAR && by_python.median >= PYTHON_BAR,
    )
    .note(format!(
        "{lines} messages as recorded, each read and decoded; {ROUNDS} interleaved rounds: \
         ours {}, TypeScript {}, Python {}",
        in_ms(ours)?,
        in_ms(typescript)?,
        in_ms(python)?
    )))
}

/// The recordings that a flood repeats.
const RECORDINGS: &[&str] = &[
    "text_long_turn",
    "text_content_zoo_partial",
    "tools_files",
    "text_tool_loop",
];

/// A CLI that prints so many recorded messages in one turn.
fn flood(folder: &Path, lines: usize) -> Result<PathBuf> {
    let recordings = repository("testdata/cli").join(real_cli().version);
    let mut corpus = Vec::new();
    for scenario in RECORDINGS {
        let text = std::fs::read_to_string(recordings.join(scenario).join("stdout.ndjson"))?;
        let is_message = |line: &&str| {
            let line: Value = serde_json::from_str(line).unwrap_or_default();
            let kind = line["type"].as_str().unwrap_or_default();
            ["assistant", "user", "stream_event", "system"].contains(&kind)
        };
        corpus.extend(text.lines().filter(is_message).map(str::to_owned));
    }
    let file = folder.join("messages.ndjson");
    let text: Vec<&str> = corpus
        .iter()
        .map(String::as_str)
        .cycle()
        .take(lines)
        .collect();
    std::fs::write(&file, text.join("\n") + "\n")?;
    let replay = Replay {
        file,
        ..Replay::default()
    };
    play(folder, FakeTurn::new().step(replay))
}

/// A CLI that plays this turn.
fn play(folder: &Path, turn: FakeTurn) -> Result<PathBuf> {
    // Next to the program: hosts may clear the environment.
    let script = FakeScript::new().turn(turn);
    script.write(folder.join("fake-claude.json"))?;
    let cli = folder.join("fake-claude");
    std::os::unix::fs::symlink(program("fake-claude")?, &cli)?;
    Ok(cli)
}

/// Memory of idle sessions.
pub(crate) fn idle() -> Result<Figure> {
    let idle: Idle = ran(Command::new(program("figures")?).args(["idle", "1000"]))?;
    Ok(Figure::new(
        "own memory per idle session, 1,000 in one process, in-memory transport",
        "≤ 40 KiB each",
    )
    .measured(
        format!("{:.1} KiB each", idle.kib_each),
        idle.kib_each <= IDLE_BAR_KIB,
    )
    .note(format!(
        "{} sessions after one turn each, resident memory {} KiB in all; about half of it is \
         what the CLI reports at its start",
        idle.sessions, idle.resident_kib
    )))
}
