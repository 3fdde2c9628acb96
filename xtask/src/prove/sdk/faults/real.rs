//! Faults of the real CLI, and of hosts that run it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use claw_testkit::Turn;
use rusty_claw::messages::{ContentBlock, Message};
use rusty_claw::transport::Exit;
use rusty_claw::{Session, TurnOutcome};
use serde_json::json;

use super::super::processes::{self, RUN};
use super::super::programs::Programs;
use super::super::{Inputs, World};
use super::run::LEAK_AFTER;
use crate::prove::figure::Figure;

/// Nothing here takes as long.
const PATIENCE: Duration = Duration::from_secs(180);
const GLANCE: Duration = Duration::from_millis(50);
/// What the tool runs, so that there is something to leave behind. The CLI refuses a lone sleep.
const COMMAND: &str = "for i in 1 2; do sleep 300; done";
/// The same command as a background task.
const BACKGROUND: &str = "for i in 1 2; do sleep 301; done";
const SLEEPS: [&str; 2] = ["sleep 300", "sleep 301"];
/// The CLI, and a shell and a sleep for each of the two commands.
const PROCESSES: usize = 5;

/// What came of a row: whether it is right, and what happened.
struct Found {
    about: String,
    right: bool,
    shown: String,
}

/// All rows on the real CLI.
pub(in crate::prove::sdk) fn faults_real(inputs: &Inputs) -> Result<Vec<Figure>> {
    let programs = Programs::build()?;
    let (found, by_default) = inputs.runtime.block_on(async {
        let found = vec![
            in_time("half an emoji in the model's text", half_emoji(inputs)).await,
            in_time("a long assistant text", long_text(inputs)).await,
            in_time("kill -9 of the CLI while tools run", killed_cli(inputs)).await,
            in_time(
                "kill -9 of the host, die_with_parent(false)",
                outlived_host(inputs, &programs),
            )
            .await,
        ];
        (found, host_killed_by_default(inputs, &programs).await)
    });
    let right = found.iter().filter(|found| found.right).count();
    let mut figure = Figure::new(
        "faults on the real CLI: half an emoji, a 50 MB text, kill -9 of the CLI and of the host in mid-turn",
        "0 hangs, 0 lost, 0 leaked processes, each outcome as expected",
    )
    .measured(
        format!("{right} of {} as expected", found.len()),
        right == found.len(),
    )
    .note("| fault | verdict | what happened |")
    .note("|---|---|---|");
    for Found {
        about,
        right,
        shown,
    } in found
    {
        let verdict = if right { "ok" } else { "WRONG" };
        figure = figure.note(format!("| {about} | {verdict} | {shown} |"));
    }
    Ok(vec![figure, by_default])
}

/// Checks that by default all processes end with the host, without a sweep by another program.
async fn host_killed_by_default(inputs: &Inputs, programs: &Programs) -> Figure {
    let figure = Figure::new(
        "host killed by SIGKILL in mid-turn on the real CLI, defaults: processes alive after 5 s",
        "0",
    );
    match tokio::time::timeout(PATIENCE, killed_host(inputs, programs, None)).await {
        Ok(Ok(killed)) => {
            let left = gone(&killed.marks, killed.at).await;
            let shown = format!(
                "{} processes with the host, among them a running Bash tool and a task in the background; {} are left after {}",
                killed.before,
                left.len(),
                after(killed.at)
            );
            let passed = left.is_empty() && killed.before > PROCESSES;
            let measured = left.len().to_string();
            let shown = match end_of(left) {
                Ok(()) => shown,
                Err(error) => format!("{shown}; {error:#}"),
            };
            figure.measured(measured, passed).note(shown)
        }
        Ok(Err(error)) => figure.measured(format!("{error:#}"), false),
        Err(_) => figure.measured(format!("hang: nothing after {PATIENCE:?}"), false),
    }
}

/// A row that hangs or cannot be run is a row that is wrong.
async fn in_time(about: &str, row: impl Future<Output = Result<(bool, String)>>) -> Found {
    let (right, shown) = match tokio::time::timeout(PATIENCE, row).await {
        Ok(Ok(found)) => found,
        Ok(Err(error)) => (false, format!("{error:#}")),
        Err(_) => (false, format!("hang: nothing after {PATIENCE:?}")),
    };
    Found {
        about: about.to_owned(),
        right,
        shown,
    }
}

async fn half_emoji(inputs: &Inputs) -> Result<(bool, String)> {
    let world = World::new(&inputs.cli).await?;
    let halves = ["high \\ud83d and ", "low \\ude00 halves"];
    world.api.turn(Turn::empty().raw_text_json(halves));
    let (session, mut messages) = Session::start(world.options()).await?;
    let turn = session.send("go").await?;
    let mut kept = false;
    let mut read = None;
    while let Some(received) = messages.next_message().await {
        if let Message::Assistant(_) = received.message {
            let raw = received.raw.to_text().to_ascii_lowercase();
            kept = raw.contains("\\ud83d") && raw.contains("\\ude00");
            read = text_of(&received.message);
        }
        if received.message.is_final() {
            break;
        }
    }
    let outcome = turn.await;
    session.close().await;
    let read = read.unwrap_or_default();
    let right = outcome.is_success() && kept && read == "high \u{fffd} and low \u{fffd} halves";
    let kept = if kept { "kept" } else { "NOT kept" };
    Ok((
        right,
        format!("{outcome}; reads as {read:?}; the escapes are {kept} in the line"),
    ))
}

async fn long_text(inputs: &Inputs) -> Result<(bool, String)> {
    let megabytes = if inputs.quick { 5 } else { 50 };
    // Not the same everywhere, so that a piece that is missing or doubled shows.
    let lines = (0..megabytes << 20 >> 6).map(|line| format!("{line:063}\n"));
    let text: String = lines.collect();
    let world = World::new(&inputs.cli).await?;
    world.api.turn(Turn::text(&text).chunk_chars(64 << 10));
    let (session, mut messages) = Session::start(world.options()).await?;
    let began = Instant::now();
    let turn = session.send("go").await?;
    let mut read = String::new();
    while let Some(received) = messages.next_message().await {
        if let Message::Assistant(_) = received.message {
            read.push_str(&text_of(&received.message).unwrap_or_default());
        }
        if received.message.is_final() {
            break;
        }
    }
    let outcome = turn.await;
    let took = began.elapsed();
    session.close().await;
    let whole = read == text && outcome.text().is_some_and(|last| last == text);
    let shown = format!(
        "{}; {} of {} bytes, {}, {:.1} s",
        outcome.name(),
        read.len(),
        text.len(),
        if whole { "equal" } else { "DIFFERENT" },
        took.as_secs_f64()
    );
    Ok((outcome.is_success() && whole, shown))
}

/// The CLI is killed while its shell runs; nothing is left of either.
async fn killed_cli(inputs: &Inputs) -> Result<(bool, String)> {
    let world = World::new(&inputs.cli).await?;
    let mark = uuid::Uuid::new_v4().to_string();
    let marks = [format!("{RUN}={mark}")];
    world.api.turn(sleeping());
    let options = world.options().allowed_tools(["Bash"]).env(RUN, &mark);
    let (session, messages) = Session::start(options).await?;
    drop(messages);
    let turn = session.send("go").await?;
    let before = until_asleep(&marks).await?;
    let pid = session.pid().context("there is no process")?;
    let killed = Instant::now();
    processes::kill(&[i64::from(pid)])?;
    let outcome = turn.await;
    let told = killed.elapsed();
    session.close().await;
    let left = gone(&marks, killed).await;
    let named = matches!(&outcome, TurnOutcome::ProcessLost(end) if end.exit == Exit::Signal(9));
    let shown = format!(
        "{outcome}, told after {} ms; of {before} processes {} are left ({})",
        told.as_millis(),
        left.len(),
        after(killed)
    );
    let right = named && before >= PROCESSES && left.is_empty();
    end_of(left)?;
    Ok((right, shown))
}

/// A host that was killed during a turn.
struct KilledHost {
    world: World,
    marks: [String; 1],
    cli: u32,
    /// The number of processes, including the host.
    before: usize,
    at: Instant,
}

/// Starts a host and kills it while its CLI runs tools.
async fn killed_host(
    inputs: &Inputs,
    programs: &Programs,
    mode: Option<&str>,
) -> Result<KilledHost> {
    let world = World::new(&inputs.cli).await?;
    let mark = uuid::Uuid::new_v4().to_string();
    let marks = [format!("{RUN}={mark}")];
    world.api.turn(sleeping());
    let mut command = host(inputs, programs, &world);
    command.args(mode).env(RUN, &mark);
    let mut host = command.spawn().context("the host did not start")?;
    let told = first_line(&mut host).await?;
    let cli: u32 = told
        .trim()
        .parse()
        .context("the host did not get to its prompt")?;
    let asleep = until_asleep(&marks).await;
    host.kill().context("the host cannot be killed")?;
    host.wait()?;
    Ok(KilledHost {
        world,
        marks,
        cli,
        before: asleep?,
        at: Instant::now(),
    })
}

/// Checks that a CLI that outlives its host is ended once another program has started its first
/// session.
async fn outlived_host(inputs: &Inputs, programs: &Programs) -> Result<(bool, String)> {
    let killed = killed_host(inputs, programs, Some("outlive")).await?;
    // It must exist before it can be swept.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let orphans = processes::carrying(&killed.marks);
    let runs = orphans.contains(&killed.cli);
    let alone = after(killed.at);
    let begin = Instant::now();
    let left = next_start(inputs, programs, &killed.world, &killed.marks).await?;
    let took = after(begin);
    let right = killed.before > PROCESSES && runs && left.is_empty();
    let shown = format!(
        "{} processes with the host; {alone} after its end the CLI {} and {} are left; another program starts its first session in {took}; then {} are left",
        killed.before,
        if runs { "runs" } else { "is gone" },
        orphans.len(),
        left.len()
    );
    end_of(left)?;
    Ok((right, shown))
}

/// A program that runs a session in that world.
fn host(inputs: &Inputs, programs: &Programs, world: &World) -> Command {
    let mut command = Command::new(programs.bench("host"));
    command
        .arg(inputs.cli.binary())
        .current_dir(world.project())
        .env_clear()
        .envs(world.environment())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// Starts a session in a program of its own, as whoever restarts after a crash does; returns what
/// carried one of the marks when the session had started.
async fn next_start(
    inputs: &Inputs,
    programs: &Programs,
    world: &World,
    marks: &[String],
) -> Result<Vec<u32>> {
    let mut next = host(inputs, programs, world)
        .arg("next")
        .spawn()
        .context("the next host did not start")?;
    let told = first_line(&mut next).await?;
    // Now, not when that program has come to its end.
    let left = processes::carrying(marks);
    tokio::task::spawn_blocking(move || next.wait()).await??;
    ensure!(
        told.trim().parse::<u32>().is_ok(),
        "the next host started no session"
    );
    Ok(left)
}

/// The first line that a program prints; empty when it ends without one.
async fn first_line(program: &mut Child) -> Result<String> {
    let stdout = program.stdout.take().context("a program has no output")?;
    let read = tokio::task::spawn_blocking(move || {
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).map(|_| line)
    });
    Ok(read.await??)
}

/// A model that runs two long sleeps, one of them in the background.
fn sleeping() -> Turn {
    Turn::empty()
        .tool_use(
            "toolu_background",
            "Bash",
            json!({"command": BACKGROUND, "description": "Waits", "run_in_background": true}),
        )
        .tool_use(
            "toolu_sleep",
            "Bash",
            json!({"command": COMMAND, "description": "Waits"}),
        )
}

/// Waits until both commands run; returns the number of processes.
async fn until_asleep(marks: &[String]) -> Result<usize> {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(60) {
        let found = processes::carrying(marks);
        let lines = found.iter().map(|pid| processes::command_line(*pid));
        let lines: Vec<String> = lines.map(|line| line.trim().to_owned()).collect();
        let runs = |sleep: &&str| lines.iter().any(|line| line == sleep);
        if SLEEPS.iter().all(runs) {
            return Ok(found.len());
        }
        tokio::time::sleep(GLANCE).await;
    }
    bail!("the CLI did not run the tool within 60 s")
}

/// Waits until all are gone; returns those that are not in time.
async fn gone(marks: &[String], begin: Instant) -> Vec<u32> {
    loop {
        let left = processes::carrying(marks);
        if left.is_empty() || begin.elapsed() >= LEAK_AFTER {
            return left;
        }
        tokio::time::sleep(GLANCE).await;
    }
}

fn after(begin: Instant) -> String {
    format!("{:.1} s", begin.elapsed().as_secs_f64())
}

/// A failed row must not burden the next one.
fn end_of(left: Vec<u32>) -> Result<()> {
    let left: Vec<i64> = left.into_iter().map(i64::from).collect();
    processes::kill(&left)
}

fn text_of(message: &Message) -> Option<String> {
    message
        .content_blocks()
        .iter()
        .find_map(|block| match block {
            ContentBlock::Text { text, .. } => Some(text.to_string()),
            _ => None,
        })
}
