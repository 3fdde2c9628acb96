//! Many sessions, and a slow sink. Each is measured in a process of its own, without the environment
//! of this machine.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use claw_server::{Controller, Delivery, EventSink, Input, SessionSetup, UiMessage};
use claw_testkit::figure::{Figure, quick};
use claw_testkit::{FakeScript, FakeTurn, Flood, Step};
use rusty_claw::transport::{InMemory, InMemoryCli};
use rusty_claw::{BoxFuture, Options};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::process::{fake_cli, json_of, measured, peak_kib, print_json, resident_kib};
use crate::sdk::cost::{Resting, resting};
use crate::sdk::driver::number_in;
use crate::sdk::played::play_one_turn;

/// The program that is measured: `sessions COUNT [CLI]` or `slow EVENTS CLI`.
pub(super) const PROGRAM: &str = "server-load";

/// The other end of a session in memory.
type Played = JoinHandle<Result<InMemoryCli>>;

/// How much slower the sink is than the source.
const SLOWER: u32 = 100;
const SESSION_BAR_KIB: f64 = 64.0;
/// The memory that a slow sink may use, for any number of events.
const SLOW_SINK_BAR_KIB: u64 = 32 * 1024;

pub(super) fn main(args: &[String]) -> Result<()> {
    let [what, count, cli @ ..] = args else {
        bail!("usage: sessions COUNT [CLI] | slow EVENTS CLI");
    };
    let (count, cli) = (count.parse()?, cli.first().cloned());
    match what.as_str() {
        "sessions" => print_json(open_sessions(cli, count)),
        _ => print_json(slow(cli.context("no CLI")?, count)),
    }
}

/// Starts the measured program, with a CLI that plays this turn.
fn load<T: for<'a> Deserialize<'a>>(what: &str, turn: Option<FakeTurn>, count: u64) -> Result<T> {
    let folder = tempfile::tempdir()?;
    let mut command = measured(PROGRAM, folder.path())?;
    command.args([what, &count.to_string()]);
    if let Some(turn) = turn {
        let mut script = FakeScript::new().turn(turn);
        script.no_session_file = true;
        command.arg(fake_cli(folder.path(), &script)?);
    }
    json_of(&mut command)
}

/// Memory of sessions that rest.
pub(super) fn sessions() -> Result<Vec<Figure>> {
    let count = if quick() { 100 } else { 1000 };
    let turn = FakeTurn::new().step(Step::text("A short answer."));
    let (cli_kib, resident_kib): Resting = load("sessions", Some(turn), count)?;
    let (memory_kib, _): Resting = load("sessions", None, count)?;
    let figure = Figure::new(
        "1,000 sessions in one process with the fake CLI, own memory per session",
        "≤ 64 KiB",
    )
    .measured(format!("{cli_kib:.1} KiB each"), cli_kib.max(memory_kib) <= SESSION_BAR_KIB)
    .note(format!(
        "{count} sessions after one turn each, with a process each; {resident_kib} KiB in all;          shutting down reported the end of every one"
    ))
    .note(format!(
        "with a CLI that is played in memory and greets as long as the real one: {memory_kib:.1} KiB each"
    ));
    Ok(vec![figure])
}

/// Sessions after one turn each, with a CLI each or with one played in memory.
async fn open_sessions(cli: Option<String>, count: u64) -> Result<Resting> {
    let controller = Controller::builder().build();
    let (resting, kept) = resting(count, || open(&controller, cli.as_deref())).await?;
    let open = controller.sessions().len();
    ensure!(open == kept.len(), "{open} sessions are open");
    if cli.is_some() {
        let closed = controller.shutdown(Duration::from_secs(5)).await.len();
        ensure!(closed == open, "only {closed} of {open} sessions ended");
    }
    Ok(resting)
}

/// Opens a session and runs one turn. Returns the other end of it, if it is in memory.
async fn open(controller: &Controller, cli: Option<&str>) -> Result<Option<Played>> {
    let (complete, completed) = oneshot::channel();
    let sink = Sink::new(Duration::ZERO, complete);
    let (setup, played) = match cli {
        Some(cli) => (SessionSetup::new(Options::new().cli_path(cli)), None),
        None => {
            let (transport, other) = InMemory::pair();
            let setup = SessionSetup::new(Options::new()).on(transport);
            (setup, Some(tokio::spawn(play_one_turn(other))))
        }
    };
    let session = controller.open(setup.sink(sink)).await?;
    controller.input(Input::text(session, "Hello")).await?;
    completed.await?;
    Ok(played)
}

/// What a slow sink came to.
#[derive(Serialize, Deserialize)]
struct Slow {
    texts: u64,
    wrong: u64,
    source_us: f64,
    seconds: f64,
    before_kib: u64,
    peak_kib: u64,
}

/// A sink that is a hundred times slower than the source.
pub(super) fn slow_sink() -> Result<Vec<Figure>> {
    let events = if quick() { 100_000 } else { 1_000_000 };
    let turn = FakeTurn::new().step(Flood::new(events).bytes(200));
    let slow: Slow = load("slow", Some(turn), events)?;
    let dropped = events.saturating_sub(slow.texts);
    let grown = slow.peak_kib.saturating_sub(slow.before_kib);
    let sink_us = slow.seconds * 1e6 / slow.texts.max(1) as f64;
    let slower = sink_us / slow.source_us;
    let is_whole = dropped == 0 && slow.wrong == 0;
    let shown = format!(
        "{dropped} dropped, {} out of order, of {events} events; {:.1} MB more than before",
        slow.wrong,
        grown as f64 / 1024.0
    );
    let figure = Figure::new(
        "slow sink: 1,000,000 events, sink 100× slower than the source",
        "0 dropped, memory bounded",
    )
    .measured(shown, is_whole && slower >= 99.0 && grown <= SLOW_SINK_BAR_KIB)
    .note(format!(
        "{:.2} µs an event at the source, {sink_us:.0} µs at the sink ({slower:.0}×), {:.0} s in all; \
         peak {} KiB, {} KiB before; the bar of our own is {SLOW_SINK_BAR_KIB} KiB",
        slow.source_us, slow.seconds, slow.peak_kib, slow.before_kib
    ))
    .note("what waits: events for the sink, then lines in the SDK's memory, then in its file");
    Ok(vec![figure])
}

/// Runs a turn of so many events, with a sink that takes a hundred times as long for each of them
/// as the source.
async fn slow(cli: String, events: u64) -> Result<Slow> {
    let source = source_speed(&cli, events)?;
    let (complete, completed) = oneshot::channel();
    let sink = Sink::new(source * SLOWER, complete);
    let controller = Controller::builder().build();
    let options = Options::new()
        .cli_path(&cli)
        .idle_timeout(None)
        // Holds what the CLI prints while the sink is behind.
        .unread_in_file(4 << 30);
    let setup = SessionSetup::new(options).sink(sink);
    let before_kib = resident_kib(std::process::id())?;
    let session = controller.open(setup).await?;
    let began = Instant::now();
    controller.input(Input::text(session, "Go")).await?;
    let (texts, wrong) = completed.await?;
    let seconds = began.elapsed().as_secs_f64();
    let peak_kib = peak_kib(std::process::id())?;
    controller.shutdown(Duration::from_secs(5)).await;
    Ok(Slow {
        texts,
        wrong,
        source_us: source.as_secs_f64() * 1e6,
        seconds,
        before_kib,
        peak_kib,
    })
}

/// The time that the source takes for an event without backpressure.
fn source_speed(cli: &str, events: u64) -> Result<Duration> {
    let prompt = json!({"type": "user", "message": {"role": "user", "content": "Go"}});
    let flags = "-p --input-format stream-json --output-format stream-json --verbose";
    let count = r#"grep -c '^{"type":"assistant"'"#;
    let script = format!("echo '{prompt}' | '{cli}' {flags} | {count}");
    let began = Instant::now();
    let lines: u64 = json_of(Command::new("sh").args(["-c", &script]))?;
    let took = began.elapsed();
    ensure!(lines == events, "{lines} lines of {events}");
    Ok(took / u32::try_from(lines)?)
}

/// A sink that takes some time for each text, and sends its counts at the end of the turn.
struct Sink {
    each: Duration,
    /// The time still to wait: a timer is no finer than a millisecond.
    owed: Duration,
    texts: u64,
    /// Texts out of order, and gaps.
    wrong: u64,
    complete: Option<oneshot::Sender<(u64, u64)>>,
}

impl Sink {
    fn new(each: Duration, complete: oneshot::Sender<(u64, u64)>) -> Self {
        Self {
            each,
            owed: Duration::ZERO,
            texts: 0,
            wrong: 0,
            complete: Some(complete),
        }
    }

    fn count(&mut self, message: &UiMessage) {
        match message {
            UiMessage::TextChunk { text, .. } => {
                self.texts += 1;
                self.wrong += u64::from(number_in(text) != Some(self.texts));
                self.owed += self.each;
            }
            UiMessage::Gap { .. } => self.wrong += 1,
            UiMessage::Complete { .. } => {
                if let Some(complete) = self.complete.take() {
                    let _ = complete.send((self.texts, self.wrong));
                }
            }
            _ => {}
        }
    }
}

impl EventSink for Sink {
    fn send(&mut self, message: UiMessage) -> BoxFuture<'_, Delivery> {
        self.count(&message);
        Box::pin(async move {
            if self.owed >= Duration::from_millis(5) {
                let began = Instant::now();
                tokio::time::sleep(self.owed).await;
                self.owed = self.owed.saturating_sub(began.elapsed());
            }
            Delivery::Taken
        })
    }
}
