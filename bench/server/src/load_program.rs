//! The measured process: `sessions CLI COUNT`, `resting COUNT` or `slow CLI EVENTS`. Prints one
//! JSON object.

use std::io::BufRead;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use claw_server::{Controller, Delivery, EventSink, Input, SessionSetup, UiMessage};
use rusty_claw::transport::InMemory;
use rusty_claw::{BoxFuture, Options};
use sdk_bench::{Failure, peak_kib, play_one_turn, resident_kib};
use serde_json::{Value, json};
use tokio::sync::oneshot;

/// How much slower the sink is than the source.
const SLOWER: u32 = 100;

pub(crate) fn run(args: &[&str]) -> Result<(), Failure> {
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let report = runtime.block_on(runtime.spawn(async move {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        match args[..] {
            ["sessions", cli, count] => sessions(Some(cli), count.parse()?).await,
            ["resting", count] => sessions(None, count.parse()?).await,
            ["slow", cli, events] => slow(cli, events.parse()?).await,
            _ => Err(format!("unknown arguments: {args:?}").into()),
        }
    }))??;
    println!("{report}");
    Ok(())
}

/// Memory of sessions after one turn each, with a CLI each or with one played in memory.
async fn sessions(cli: Option<&str>, count: usize) -> Result<Value, Failure> {
    let controller = Controller::builder().build();
    let mut played = Vec::with_capacity(count + 16);
    // Open a few first, because the runtime and the allocator take some memory once.
    for _ in 0..16 {
        played.extend(open(&controller, cli).await?);
    }
    let before = resident_kib();
    for _ in 0..count {
        played.extend(open(&controller, cli).await?);
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let after = resident_kib();
    let open = controller.sessions().len();
    if open != count + 16 {
        return Err(format!("only {open} sessions are open").into());
    }
    let each = after.saturating_sub(before) as f64 / count as f64;
    drop(played);
    if cli.is_some() {
        let closed = controller.shutdown(Duration::from_secs(5)).await.len();
        if closed != open {
            return Err(format!("shutting down reported {closed} of {open} sessions").into());
        }
    }
    Ok(json!({"kib_each": each, "resident_kib": after}))
}

/// Opens a session and runs one turn.
async fn open(
    controller: &Controller,
    cli: Option<&str>,
) -> Result<Option<rusty_claw::transport::InMemoryCli>, Failure> {
    let (complete, completed) = oneshot::channel();
    let sink = UntilComplete(Some(complete));
    let (setup, playing) = match cli {
        Some(cli) => (SessionSetup::new(Options::new().cli_path(cli)), None),
        None => {
            let (transport, other) = InMemory::pair();
            let playing = tokio::spawn(play_one_turn(other));
            (
                SessionSetup::new(Options::new()).on(transport),
                Some(playing),
            )
        }
    };
    let session = controller.open(setup.sink(sink)).await?;
    controller.input(Input::text(session, "Hello")).await?;
    completed.await?;
    match playing {
        Some(playing) => Ok(Some(playing.await??)),
        None => Ok(None),
    }
}

struct UntilComplete(Option<oneshot::Sender<()>>);

impl EventSink for UntilComplete {
    fn send(&mut self, message: UiMessage) -> BoxFuture<'_, Delivery> {
        if let UiMessage::Complete { .. } = message
            && let Some(complete) = self.0.take()
        {
            let _ = complete.send(());
        }
        Box::pin(std::future::ready(Delivery::Taken))
    }
}

/// Runs a turn of so many events, with a sink that takes a hundred times as long for each of them
/// as the source.
async fn slow(cli: &str, events: u64) -> Result<Value, Failure> {
    let source = source_speed(cli, events)?;
    let counts = Arc::new(Counts::default());
    let (complete, completed) = oneshot::channel();
    let sink = Slow {
        each: source * SLOWER,
        owed: Duration::ZERO,
        counts: Arc::clone(&counts),
        complete: Some(complete),
    };
    let controller = Controller::builder().build();
    let options = Options::new()
        .cli_path(cli)
        .idle_timeout(None)
        // Holds what the CLI prints while the sink is behind.
        .unread_in_file(4 << 30);
    let setup = SessionSetup::new(options).sink(sink);
    let before = resident_kib();
    let session = controller.open(setup).await?;
    let began = Instant::now();
    controller.input(Input::text(session, "Go")).await?;
    completed.await?;
    let took = began.elapsed();
    let peak = peak_kib();
    controller.shutdown(Duration::from_secs(5)).await;
    let texts = counts.texts.load(Ordering::Relaxed);
    Ok(json!({
        "texts": texts,
        "wrong": counts.wrong.load(Ordering::Relaxed),
        "source_us": source.as_secs_f64() * 1e6,
        "sink_us": took.as_secs_f64() * 1e6 / texts.max(1) as f64,
        "seconds": took.as_secs_f64(),
        "before_kib": before,
        "peak_kib": peak,
    }))
}

/// The time that the source takes for an event without backpressure.
fn source_speed(cli: &str, events: u64) -> Result<Duration, Failure> {
    let mut child = std::process::Command::new(cli)
        .args(["-p", "--input-format", "stream-json"])
        .args(["--output-format", "stream-json", "--verbose"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().ok_or("the CLI has no input")?;
    let stdout = child.stdout.take().ok_or("the CLI has no output")?;
    let prompt = json!({"type": "user", "message": {"role": "user", "content": "Go"}});
    std::io::Write::write_all(&mut stdin, format!("{prompt}\n").as_bytes())?;
    let began = Instant::now();
    let mut lines = 0_u64;
    let mut reader = std::io::BufReader::with_capacity(1 << 16, stdout);
    let mut line = Vec::new();
    while lines < events && reader.read_until(b'\n', &mut line)? > 0 {
        lines += u64::from(line.starts_with(br#"{"type":"assistant""#));
        line.clear();
    }
    let took = began.elapsed();
    drop(stdin);
    child.kill()?;
    child.wait()?;
    if lines < events {
        return Err(format!("the source printed {lines} lines of {events}").into());
    }
    Ok(took / u32::try_from(lines)?)
}

#[derive(Default)]
struct Counts {
    texts: AtomicU64,
    /// Texts out of order, and gaps.
    wrong: AtomicU64,
}

struct Slow {
    each: Duration,
    /// The time still to wait: a timer is no finer than a millisecond.
    owed: Duration,
    counts: Arc<Counts>,
    complete: Option<oneshot::Sender<()>>,
}

impl EventSink for Slow {
    fn send(&mut self, message: UiMessage) -> BoxFuture<'_, Delivery> {
        Box::pin(async move {
            match &message {
                UiMessage::TextChunk { text, .. } => {
                    let before = self.counts.texts.fetch_add(1, Ordering::Relaxed);
                    let number = text.strip_prefix("message ");
                    let number = number.and_then(|rest| rest.split(' ').next()?.parse().ok());
                    if number != Some(before + 1) {
                        self.counts.wrong.fetch_add(1, Ordering::Relaxed);
                    }
                    self.owed += self.each;
                }
                UiMessage::Gap { .. } => {
                    self.counts.wrong.fetch_add(1, Ordering::Relaxed);
                }
                UiMessage::Complete { .. } => {
                    if let Some(complete) = self.complete.take() {
                        let _ = complete.send(());
                    }
                }
                _ => {}
            }
            if self.owed >= Duration::from_millis(5) {
                let began = Instant::now();
                tokio::time::sleep(self.owed).await;
                self.owed = self.owed.saturating_sub(began.elapsed());
            }
            Delivery::Taken
        })
    }
}
