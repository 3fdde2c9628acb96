//! Processor time and memory of the SDK: of the host, not of the CLI.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use claw_testkit::Turn;
use claw_testkit::figure::{Bar, Figure, quick};
use claw_testkit::processes::cpu_time;
use claw_testkit::real_cli::{World, bash};
use rusty_claw::transport::{InMemory, InMemoryCli};
use rusty_claw::{MessageStream, Options, Session};
use serde::{Deserialize, Serialize};

use super::played::play_one_turn;
use crate::process::{json_of, measured, print_json, resident_kib, runtime};
use crate::rounds::spread;
use crate::verdicts::{in_ms, judged, with_spread};

/// The program that is measured: `start CLI ROUNDS`, `turn CLI` or `idle SESSIONS`.
pub const PROGRAM: &str = "sdk-cost";

/// What a start or a turn takes.
#[derive(Debug, Serialize, Deserialize)]
pub struct Cost {
    /// How many messages a turn has.
    pub messages: usize,
    /// The processor time of the host.
    pub cpu_ms: f64,
    /// The time that passed, if it was measured.
    #[serde(default)]
    pub wall_ms: f64,
}

pub(super) fn main(args: &[String]) -> Result<()> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["start", cli, rounds] => print_json(starts(cli.to_owned(), rounds.parse()?)),
        ["turn", cli] => {
            let options = Options::new().cli_path(cli);
            print_json(one_turn(options.allowed_tools(["Bash", "Read", "Write"])))
        }
        ["idle", sessions] => {
            let count = sessions.parse()?;
            print_json(async move { Ok(resting(count, resting_session).await?.0) })
        }
        _ => bail!("unknown arguments: {args:?}"),
    }
}

/// A world with a model that answers with these turns. The API runs in threads of the runtime.
///
/// # Errors
/// Returns an error if the API cannot be started.
///
/// # Panics
/// If the real CLI is not installed.
pub fn world(turns: impl IntoIterator<Item = Turn>) -> Result<(tokio::runtime::Runtime, World)> {
    let runtime = runtime()?;
    let world = runtime.block_on(World::with(turns))?;
    Ok((runtime, world))
}

/// The measured program, whose CLI gets nothing of this machine but its programs.
fn ours(world: &World, what: &str) -> Result<Command> {
    let mut command = measured(PROGRAM, &world.project())?;
    command
        .envs(world.environment())
        .arg(what)
        .arg(world.binary());
    Ok(command)
}

/// Processor time of a start of the real CLI, up to the reply to `initialize`.
pub(super) fn start() -> Result<Vec<Figure>> {
    let rounds = if quick() { 1 } else { 9 };
    let (_runtime, world) = world([])?;
    let starts: Vec<Cost> = json_of(ours(&world, "start")?.arg(rounds.to_string()))?;
    let all = |of: fn(&Cost) -> f64| spread(&starts.iter().map(of).collect::<Vec<_>>());
    let name = "own CPU per start, warm cache, to the `initialize` reply";
    let bar = ("≤ 5 ms", Bar::AtMost(5.0));
    let figure = judged(name, bar, in_ms, all(|start| start.cpu_ms)?);
    let wall = with_spread(all(|start| start.wall_ms)?, in_ms);
    Ok(vec![figure.note(format!(
        "{rounds} starts; wall time {wall}, nearly all of it the CLI's"
    ))])
}

async fn starts(cli: String, rounds: usize) -> Result<Vec<Cost>> {
    let mut costs = Vec::new();
    for _ in 0..=rounds {
        let (began, before) = (Instant::now(), cpu_time());
        let (session, messages) = Session::start(Options::new().cli_path(&cli)).await?;
        costs.push(Cost::since(0, began, before));
        session.close().await;
        drop(messages);
    }
    // The first start asks the CLI for its version and flags, and remembers.
    Ok(costs.split_off(1))
}

impl Cost {
    fn since(messages: usize, began: Instant, before: Duration) -> Self {
        Self {
            messages,
            cpu_ms: (cpu_time() - before).as_secs_f64() * 1e3,
            wall_ms: began.elapsed().as_secs_f64() * 1e3,
        }
    }
}

/// The SDK's share of a turn of the real CLI.
pub(super) fn turn() -> Result<Vec<Figure>> {
    let (calls, rounds) = if quick() { (20, 1) } else { (200, 7) };
    let (mut shares, mut notes) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let turns = (0..calls).map(|number| bash(&number.to_string(), &format!("echo {number}")));
        let (_runtime, world) = world(turns.chain([Turn::text("Done.")]))?;
        let cost: Cost = json_of(&mut ours(&world, "turn")?)?;
        let (messages, cpu_ms, wall_ms) = (cost.messages, cost.cpu_ms, cost.wall_ms);
        ensure!(messages > calls * 2, "only {messages} messages");
        shares.push(cpu_ms / wall_ms * 100.0);
        let each = cpu_ms * 1e3 / messages as f64;
        notes.push(format!(
            "{calls} calls, {messages} messages, {cpu_ms:.1} ms of {wall_ms:.0} ms, {each:.0} µs a message"
        ));
    }
    let name = "own CPU, share of a 200-tool-call turn's wall time";
    let bar = ("≤ 1.5 %", Bar::AtMost(1.5));
    let in_percent = |share: f64| format!("{share:.2} %");
    let figure = judged(name, bar, in_percent, spread(&shares)?).list("turns", notes);
    let note = "the scripted model answers at once; a real one makes the share smaller";
    Ok(vec![figure.note(note)])
}

/// The cost of a turn, each of whose messages is read and decoded.
///
/// # Errors
/// Returns an error if the turn does not succeed.
pub async fn one_turn(options: Options) -> Result<Cost> {
    let (session, mut messages) = Session::start(options).await?;
    let (began, before) = (Instant::now(), cpu_time());
    let turn = session.send("go").await?;
    let count = read_turn(&mut messages).await;
    let outcome = turn.await;
    let cost = Cost::since(count, began, before);
    session.close().await;
    ensure!(outcome.is_success(), "the turn did not succeed: {outcome}");
    Ok(cost)
}

/// Reads up to the result.
async fn read_turn(messages: &mut MessageStream) -> usize {
    let mut count = 0;
    while let Some(received) = messages.next_message().await {
        count += 1;
        if received.message.is_final() {
            break;
        }
    }
    count
}

/// Memory of idle sessions.
pub(super) fn idle() -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir()?;
    let mut command = measured(PROGRAM, folder.path())?;
    let (kib_each, resident_kib): Resting = json_of(command.args(["idle", "1000"]))?;
    let figure = Figure::new(
        "own memory per idle session, 1,000 in one process, in-memory transport",
        "≤ 40 KiB each",
    )
    .measured(format!("{kib_each:.1} KiB each"), kib_each <= 40.0)
    .note(format!(
        "resident memory {resident_kib} KiB in all; about half of it is what the CLI reports at its start"
    ));
    Ok(vec![figure])
}

/// The memory of one session that rests, and of the process, in KiB.
pub(crate) type Resting = (f64, u64);

/// Measures the memory of sessions that were opened and rest, and returns them.
pub(crate) async fn resting<T, F>(count: u64, open: impl Fn() -> F) -> Result<(Resting, Vec<T>)>
where
    F: Future<Output = Result<T>>,
{
    let mut kept = Vec::with_capacity(count as usize + 16);
    // A few first, because the runtime and the allocator take some memory once.
    for _ in 0..16 {
        kept.push(open().await?);
    }
    let before = resident_kib(std::process::id())?;
    for _ in 0..count {
        kept.push(open().await?);
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let resident_kib = resident_kib(std::process::id())?;
    let kib_each = resident_kib.saturating_sub(before) as f64 / count as f64;
    Ok(((kib_each, resident_kib), kept))
}

/// A session after one turn, and the other end of it: a CLI whose own memory is next to nothing.
async fn resting_session() -> Result<(Session, MessageStream, InMemoryCli)> {
    let (transport, cli) = InMemory::pair();
    let played = tokio::spawn(play_one_turn(cli));
    let (session, mut messages) = Session::start_on(transport, Options::new()).await?;
    let turn = session.send("Hello").await?;
    read_turn(&mut messages).await;
    let _ = turn.await;
    Ok((session, messages, played.await??))
}
