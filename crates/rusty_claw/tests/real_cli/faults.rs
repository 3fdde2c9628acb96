//! Faults of the real CLI, and of hosts that run it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use claw_testkit::Turn;
use claw_testkit::figure::{Figure, quick};
use claw_testkit::processes::{self, RUN};
use claw_testkit::real_cli::World;
use rusty_claw::messages::{ContentBlock, Message};
use rusty_claw::transport::Exit;
use rusty_claw::{Session, TurnOutcome};
use serde_json::json;

use crate::stage::{kill, options, pause};

/// No row takes as long.
const LIMIT: Duration = Duration::from_secs(180);
/// The seconds that a process may live after its host has closed the session. Quick runs allow
/// more, because CI may share its processors; the figure prints the time it took.
fn leak_after() -> u64 {
    if quick() { 30 } else { 5 }
}
/// The commands of the tools, in the foreground and in the background. The CLI refuses a lone
/// sleep.
const COMMANDS: [&str; 2] = [
    "for i in 1 2; do sleep 300; done",
    "for i in 1 2; do sleep 301; done",
];
const SLEEPS: [&str; 2] = ["sleep 300", "sleep 301"];
/// The CLI, and a shell and a sleep for each command.
const PROCESSES: usize = 5;

/// Whether a row is as expected, and what happened.
type Found = Result<(bool, String)>;

pub(crate) async fn figures() -> Vec<Figure> {
    let rows = [
        (
            "half an emoji in the model's text",
            in_time(half_emoji()).await,
        ),
        ("a long assistant text", in_time(long_text()).await),
        (
            "kill -9 of the CLI while tools run",
            in_time(killed_cli()).await,
        ),
        (
            "kill -9 of the host, die_with_parent(false)",
            in_time(outlived_host()).await,
        ),
    ];
    let count = rows.len();
    let right = rows.iter().filter(|(_, (right, _))| *right).count();
    let mut figure = Figure::new(
        "faults on the real CLI: half an emoji, a 50 MB text, kill -9 of the CLI and of the host in mid-turn",
        "0 hangs, 0 lost, 0 leaked processes, each outcome as expected",
    )
    .measured(format!("{right} of {count} as expected"), right == count)
    .note("| fault | verdict | what happened |")
    .note("|---|---|---|");
    for (about, (right, shown)) in rows {
        let verdict = if right { "ok" } else { "WRONG" };
        figure = figure.note(format!("| {about} | {verdict} | {shown} |"));
    }
    let (passed, shown) = in_time(host_killed_by_default()).await;
    let (left, shown) = shown.split_once(": ").unwrap_or((&shown, ""));
    let by_default = Figure::new(
        format!(
            "host killed by SIGKILL in mid-turn on the real CLI, defaults: processes alive after {} s",
            leak_after()
        ),
        "0",
    );
    vec![figure, by_default.measured(left, passed).note(shown)]
}

/// A row that hangs or fails is wrong.
async fn in_time(row: impl Future<Output = Found>) -> (bool, String) {
    match tokio::time::timeout(LIMIT, row).await {
        Ok(Ok(found)) => found,
        Ok(Err(error)) => (false, format!("{error:#}")),
        Err(_) => (false, format!("hang: nothing after {LIMIT:?}")),
    }
}

/// Sends a prompt; returns the outcome, the text of the replies and the line of the last one.
async fn read(world: &World) -> Result<(TurnOutcome, String, String)> {
    let (session, mut messages) = Session::start(options(world)).await?;
    let turn = session.send("go").await?;
    let (mut text, mut line) = (String::new(), String::new());
    while let Some(received) = messages.next_message().await {
        if let Message::Assistant(_) = received.message {
            line = received.raw.to_text().to_ascii_lowercase();
            for block in received.message.content_blocks() {
                if let ContentBlock::Text { text: part, .. } = block {
                    text.push_str(part);
                }
            }
        }
        if received.message.is_final() {
            break;
        }
    }
    let outcome = turn.await;
    session.close().await;
    Ok((outcome, text, line))
}

async fn half_emoji() -> Found {
    let halves = ["high \\ud83d and ", "low \\ude00 halves"];
    let world = World::with([Turn::empty().raw_text_json(halves)]).await?;
    let (outcome, text, line) = read(&world).await?;
    let kept = line.contains("\\ud83d") && line.contains("\\ude00");
    let right = outcome.is_success() && kept && text == "high \u{fffd} and low \u{fffd} halves";
    let kept = if kept { "kept" } else { "NOT kept" };
    Ok((
        right,
        format!("{outcome}; reads as {text:?}; the escapes are {kept} in the line"),
    ))
}

async fn long_text() -> Found {
    let megabytes = if quick() { 5 } else { 50 };
    // All lines differ, so that a missing or repeated part shows.
    let lines = (0..megabytes << 20 >> 6).map(|line| format!("{line:063}\n"));
    let text: String = lines.collect();
    let world = World::with([Turn::text(&text).chunk_chars(64 << 10)]).await?;
    let began = Instant::now();
    let (outcome, read, _) = read(&world).await?;
    let whole = read == text && outcome.text().is_some_and(|last| last == text);
    let shown = format!(
        "{}; {} of {} bytes, {}, {}",
        outcome.name(),
        read.len(),
        text.len(),
        if whole { "equal" } else { "DIFFERENT" },
        after(began)
    );
    Ok((outcome.is_success() && whole, shown))
}

/// The CLI is killed while its tools run; no process of either is left.
async fn killed_cli() -> Found {
    let world = World::with([sleeping()]).await?;
    let mark = Mark::new();
    let options = options(&world).allowed_tools(["Bash"]).env(RUN, &mark.id);
    let (session, messages) = Session::start(options).await?;
    drop(messages);
    let turn = session.send("go").await?;
    let before = mark.until_asleep().await?;
    let killed = Instant::now();
    kill(&session)?;
    let outcome = turn.await;
    let reported = killed.elapsed().as_millis();
    session.close().await;
    let left = mark.gone(killed).await?;
    let named = matches!(&outcome, TurnOutcome::ProcessLost(end) if end.exit == Exit::Signal(9));
    let shown = format!(
        "{outcome}, reported after {reported} ms; of {before} processes {left} are left ({})",
        after(killed)
    );
    Ok((named && before >= PROCESSES && left == 0, shown))
}

/// By default all processes end with the host, without a sweep by another program.
async fn host_killed_by_default() -> Found {
    let killed = killed_host(None).await?;
    let left = killed.mark.gone(killed.at).await?;
    let shown = format!(
        "{left}: {} processes with the host, among them a running Bash tool and a task in the background; {left} are left after {}",
        killed.before,
        after(killed.at)
    );
    Ok((left == 0 && killed.before > PROCESSES, shown))
}

/// A host that was killed during a turn.
struct KilledHost {
    world: World,
    mark: Mark,
    cli: u32,
    /// The number of processes, including the host.
    before: usize,
    at: Instant,
}

/// Starts a host and kills it while its CLI runs tools.
async fn killed_host(mode: Option<&str>) -> Result<KilledHost> {
    let world = World::with([sleeping()]).await?;
    let mark = Mark::new();
    let mut host = host(&world).args(mode).env(RUN, &mark.id).spawn()?;
    let cli = first_line(&mut host).await?;
    let asleep = mark.until_asleep().await;
    host.kill().context("the host cannot be killed")?;
    host.wait()?;
    Ok(KilledHost {
        world,
        mark,
        cli: cli.context("the host did not send its prompt")?,
        before: asleep?,
        at: Instant::now(),
    })
}

/// A CLI that outlives its host is ended when another program starts its first session.
async fn outlived_host() -> Found {
    let killed = killed_host(Some("outlive")).await?;
    // It must exist before it can be swept.
    pause(1_000).await;
    let orphans = killed.mark.processes();
    let runs = orphans.contains(&killed.cli);
    let alone = after(killed.at);
    let begin = Instant::now();
    let mut next = host(&killed.world).arg("next").spawn()?;
    let started = first_line(&mut next).await?;
    // Counted while the next host still runs.
    let left = killed.mark.end()?;
    tokio::task::spawn_blocking(move || next.wait()).await??;
    ensure!(started.is_some(), "the next host started no session");
    let shown = format!(
        "{} processes with the host; {alone} after its end the CLI {} and {} are left; another program starts its first session in {}; then {left} are left",
        killed.before,
        if runs { "runs" } else { "is gone" },
        orphans.len(),
        after(begin),
    );
    Ok((killed.before > PROCESSES && runs && left == 0, shown))
}

/// A program that runs a session in that world.
fn host(world: &World) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_real-cli-host"));
    command
        .arg(world.binary())
        .current_dir(world.project())
        .env_clear()
        .envs(world.environment())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// The number on the first line that a program prints.
async fn first_line(program: &mut Child) -> Result<Option<u32>> {
    let stdout = program.stdout.take().context("a program has no output")?;
    let read = tokio::task::spawn_blocking(move || {
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).map(|_| line)
    });
    Ok(read.await??.trim().parse().ok())
}

/// A model that runs two long sleeps, one of them in the background.
fn sleeping() -> Turn {
    let [foreground, background] = COMMANDS.map(|command| json!({"command": command}));
    let mut background = background;
    background["run_in_background"] = true.into();
    Turn::empty()
        .tool_use("toolu_background", "Bash", background)
        .tool_use("toolu_sleep", "Bash", foreground)
}

/// Marks the processes of a run.
struct Mark {
    id: String,
    settings: [String; 1],
}

impl Mark {
    fn new() -> Self {
        let id = uuid::Uuid::new_v4().to_string();
        let settings = [format!("{RUN}={id}")];
        Self { id, settings }
    }

    fn processes(&self) -> Vec<u32> {
        processes::carrying(&self.settings)
    }

    /// Waits until both commands run; returns the number of processes.
    async fn until_asleep(&self) -> Result<usize> {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(60) {
            let found = self.processes();
            let lines = found.iter().map(|pid| processes::command_line(*pid));
            let lines: Vec<String> = lines.map(|line| line.trim().to_owned()).collect();
            let runs = |sleep: &&str| lines.iter().any(|line| line == sleep);
            if SLEEPS.iter().all(runs) {
                return Ok(found.len());
            }
            pause(50).await;
        }
        bail!("the CLI did not run the tool within 60 s")
    }

    /// Waits until all are gone; returns how many were not in time.
    async fn gone(&self, begin: Instant) -> Result<usize> {
        while !self.processes().is_empty() && begin.elapsed().as_secs() < leak_after() {
            pause(50).await;
        }
        self.end()
    }

    /// Kills the processes, so that a failed row does not disturb the next one; returns their
    /// number.
    fn end(&self) -> Result<usize> {
        let left: Vec<i64> = self.processes().into_iter().map(i64::from).collect();
        processes::kill(&left)?;
        Ok(left.len())
    }
}

fn after(begin: Instant) -> String {
    format!("{:.1} s", begin.elapsed().as_secs_f64())
}
