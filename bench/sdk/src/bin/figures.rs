//! What the SDK itself costs: processor time and memory of this process, not of the CLI.
//!
//! Each command prints one line of JSON. The environment of the CLI is the caller's business: it
//! is passed on.

use std::process::Stdio;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use rusty_claw::transport::{InMemory, InMemoryCli};
use rusty_claw::{MessageStream, Options, Session};
use sdk_bench::{Failure, play_one_turn, resident_kib};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const USAGE: &str =
    "usage: figures start CLI ROUNDS | messages CLI | bytes CLI | turn CLI | idle SESSIONS";

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    // What an application has; a runtime with fewer threads would flatter us.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let args: Vec<String> = args.into_iter().map(str::to_owned).collect();
    // In a task, as a server runs sessions: the main thread of a runtime is none of its workers.
    let report = runtime.block_on(runtime.spawn(async move {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        match args[..] {
            ["start", cli, rounds] => start(cli, rounds.parse()?).await,
            ["messages", cli] => messages(cli).await,
            ["bytes", cli] => bytes(cli).await,
            ["turn", cli] => turn(cli).await,
            ["idle", sessions] => idle(sessions.parse()?).await,
            _ => Err(USAGE.into()),
        }
    }))??;
    println!("{report}");
    Ok(())
}

/// Processor time of this process from the call to the reply to `initialize`.
async fn start(cli: &str, rounds: usize) -> Result<Value, Failure> {
    // The first start asks the CLI for its version and flags, and remembers.
    let (session, _messages) = Session::start(Options::new().cli_path(cli)).await?;
    session.close().await;
    let mut cpu = Vec::new();
    let mut wall = Vec::new();
    for _ in 0..rounds {
        let began = Instant::now();
        let before = ProcessTime::try_now()?;
        let (session, messages) = Session::start(Options::new().cli_path(cli)).await?;
        cpu.push(before.try_elapsed()?.as_secs_f64() * 1e3);
        wall.push(began.elapsed().as_secs_f64() * 1e3);
        session.close().await;
        drop(messages);
    }
    Ok(json!({"cpu_ms": cpu, "wall_ms": wall}))
}

/// Processor time of this process for a turn of many messages, each of them read and decoded.
async fn messages(cli: &str) -> Result<Value, Failure> {
    let (session, mut messages) = Session::start(Options::new().cli_path(cli)).await?;
    let before = ProcessTime::try_now()?;
    let turn = session.send("go").await?;
    let count = read_turn(&mut messages).await;
    let outcome = turn.await;
    let cpu = before.try_elapsed()?;
    session.close().await;
    if !outcome.is_success() {
        return Err(format!("the turn did not succeed: {outcome}").into());
    }
    Ok(json!({"messages": count, "cpu_ms": cpu.as_secs_f64() * 1e3}))
}

/// The same turn with nothing but the runtime: its bytes are read and dropped. What the figure
/// for messages cannot go below.
async fn bytes(cli: &str) -> Result<Value, Failure> {
    let streams = ["-p", "--input-format", "stream-json"];
    let mut child = tokio::process::Command::new(cli)
        .args(streams)
        .args(["--output-format", "stream-json", "--verbose"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let mut stdin = child.stdin.take().ok_or("the CLI has no input")?;
    let mut stdout = child.stdout.take().ok_or("the CLI has no output")?;
    let mut buffer = vec![0; 64 << 10];
    let initialize = json!({"type": "control_request", "request_id": "1",
        "request": {"subtype": "initialize"}});
    stdin
        .write_all(format!("{initialize}\n").as_bytes())
        .await?;
    let _ = stdout.read(&mut buffer).await?;
    let before = ProcessTime::try_now()?;
    let prompt = json!({"type": "user", "message": {"role": "user", "content": "go"}});
    stdin.write_all(format!("{prompt}\n").as_bytes()).await?;
    // It exits after the turn, so its output is not searched for the end.
    drop(stdin);
    let mut lines = 0;
    let reading = async {
        loop {
            let count = stdout.read(&mut buffer).await?;
            if count == 0 {
                return Ok::<_, Failure>(());
            }
            let ends = buffer[..count].iter().filter(|byte| **byte == b'\n');
            lines += ends.count();
        }
    };
    tokio::time::timeout(Duration::from_secs(60), reading).await??;
    let cpu = before.try_elapsed()?;
    Ok(json!({"messages": lines, "cpu_ms": cpu.as_secs_f64() * 1e3}))
}

/// Processor time and wall time of a turn of the real CLI.
async fn turn(cli: &str) -> Result<Value, Failure> {
    let options = Options::new()
        .cli_path(cli)
        .allowed_tools(["Bash", "Read", "Write"]);
    let (session, mut messages) = Session::start(options).await?;
    let rests = context_switches()?;
    let before = ProcessTime::try_now()?;
    let began = Instant::now();
    let turn = session.send("go").await?;
    let count = read_turn(&mut messages).await;
    let outcome = turn.await;
    let wall = began.elapsed();
    let cpu = before.try_elapsed()?;
    let wakeups = context_switches()?.saturating_sub(rests);
    session.close().await;
    if !outcome.is_success() {
        return Err(format!("the turn did not succeed: {outcome}").into());
    }
    Ok(json!({
        "messages": count,
        "cpu_ms": cpu.as_secs_f64() * 1e3,
        "wall_ms": wall.as_secs_f64() * 1e3,
        "wakeups": wakeups,
    }))
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

/// Memory of sessions that have had a turn and rest.
async fn idle(sessions: usize) -> Result<Value, Failure> {
    // A few first: what the runtime and the allocator take once is not a session's.
    let mut first = Vec::new();
    for _ in 0..16 {
        first.push(rest().await?);
    }
    let before = resident_kib();
    let mut kept = Vec::with_capacity(sessions);
    for _ in 0..sessions {
        kept.push(rest().await?);
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    let after = resident_kib();
    let each = after.saturating_sub(before) as f64 / sessions as f64;
    Ok(json!({"sessions": sessions, "kib_each": each, "resident_kib": after}))
}

/// A session after one turn, and the other end of it: a CLI whose own memory is next to nothing.
async fn rest() -> Result<(Session, MessageStream, InMemoryCli), Failure> {
    let (transport, cli) = InMemory::pair();
    let played = tokio::spawn(play_one_turn(cli));
    let (session, mut messages) = Session::start_on(transport, Options::new()).await?;
    let turn = session.send("Hello").await?;
    read_turn(&mut messages).await;
    let _ = turn.await;
    Ok((session, messages, played.await??))
}

/// How often the threads of this process have gone to sleep, and so were woken.
fn context_switches() -> Result<u64, Failure> {
    let mut all = 0;
    for thread in std::fs::read_dir("/proc/self/task")? {
        // A thread may end meanwhile.
        let status = std::fs::read_to_string(thread?.path().join("status")).unwrap_or_default();
        let counted = status
            .lines()
            .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        all += counted.map_or(Ok(0), |count| count.trim().parse::<u64>())?;
    }
    Ok(all)
}
