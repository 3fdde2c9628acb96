//! What sleeping sessions cost, and how fast they wake.

use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use claw_gateway::client::{EventsMessage, Followed};
use claw_gateway::{DialectName, SessionSpec};
use claw_server::{Fact, SessionId};
use claw_testkit::Turn;
use claw_testkit::figure::{Bar, Figure, Spread};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::serving::{Stage, key_of};
use crate::template::{Template, uuid};

/// A wake may take this much longer than the start of a new session.
const SLOWER: f64 = 1.15;
const KIB_PER_SESSION: f64 = 2.0;
/// Sessions that are stored at the same time.
const PARALLEL: usize = 64;
/// The size and the number of turns of the large session.
const LARGE: usize = 22_000_000;
const TURNS: usize = 1_000;

/// How much is measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) pairs: usize,
    pub(crate) large_wakes: usize,
    pub(crate) sleeping: usize,
}

pub(crate) async fn figures(size: Size) -> Result<Vec<Figure>> {
    let mut stage = Stage::new().await?;
    stage.world.api.fallback(Turn::text("Done."));
    stage.set("CLAW_IDLE", "1s");
    stage.set("CLAW_RATE", "1000");
    stage.serve()?;
    let measured = measure(&mut stage, size).await;
    stage.explain(measured)
}

async fn measure(stage: &mut Stage, size: Size) -> Result<Vec<Figure>> {
    let mut sleeper = stage.begin(|_| {}).await?;
    stage.done(sleeper, 1).await?;
    stage.sleeps(sleeper).await?;
    let store = stage.store().await?;
    let template = Template::read(&*store, key_of(sleeper)?).await;
    drop(store);
    let (mut ratios, mut wakes, mut starts) = (Vec::new(), Vec::new(), Vec::new());
    for pair in 0..size.pairs {
        let spec = SessionSpec::new(stage.world.project());
        let new = stage.client()?.create(&spec).await?.id;
        let (mut wake, mut start) = (0.0, 0.0);
        for turn in 0..2 {
            // Each of the two is first in every second pair.
            if (pair + turn).is_multiple_of(2) {
                wake = first_text(stage, sleeper, "Go on.").await?;
                stage.sleeps(sleeper).await?;
            } else {
                start = first_text(stage, new, "Go.").await?;
                stage.sleeps(new).await?;
            }
        }
        ratios.push(wake / start);
        wakes.push(wake);
        starts.push(start);
        // The session that wakes always has one turn.
        sleeper = new;
    }
    let large = large_session(stage, size.large_wakes).await?;
    let events = template.events();
    let per_session = memory(stage, sleeper, template, size.sleeping).await?;
    let spread = |values: &[f64]| Spread::of(values).context("nothing was measured");
    let (ratio, wake, start) = (spread(&ratios)?, spread(&wakes)?, spread(&starts)?);
    let cost = Figure::new(
        "sleep: processes and memory per sleeping session",
        format!("0 processes, ≤ {KIB_PER_SESSION} KiB"),
    );
    let speed = Figure::new(
        format!(
            "wake to the first text against a new session, median of {} pairs",
            size.pairs
        ),
        format!("≤ {SLOWER} times"),
    );
    let large = spread(&large)?;
    Ok(vec![
        cost.measured(
            format!("0 processes, {per_session:.2} KiB"),
            per_session <= KIB_PER_SESSION,
        )
        .note(format!(
            "The resident memory of `claw serve` with {} sleeping sessions of {events} events more, \
             after it has served a turn and listed 1,000 of them, on SQLite.",
            size.sleeping
        )),
        speed
            .judged(
                format!(
                    "{:.2} times ({:.2}–{:.2}): {:.0} ms against {:.0} ms",
                    ratio.median, ratio.min, ratio.max, wake.median, start.median
                ),
                ratio,
                Bar::AtMost(SLOWER),
            )
            .timed()
            .note(format!(
                "From the request with the input to the first text at a client. The wake of a \
                 session of {} MB and {TURNS} turns took {:.0} ms ({:.0}–{:.0}).",
                LARGE / 1_000_000,
                large.median,
                large.min,
                large.max
            )),
    ])
}

/// Sends an input. Returns the milliseconds until the first text of the answer.
async fn first_text(stage: &Stage, session: SessionId, text: &str) -> Result<f64> {
    let client = stage.client()?;
    let after = client.get(session).await?.last;
    let mut follow = client.follow(session, DialectName::Events, after);
    let begin = Instant::now();
    let reading = async {
        loop {
            let Followed::Frame(frame) = follow.next().await.context("the stream ended")?? else {
                continue;
            };
            let is_text = match serde_json::from_str(frame.message.get())? {
                EventsMessage::Delta(_) => true,
                EventsMessage::Event(event) => match &event.fact {
                    Fact::Message(line) => is_answer(line.as_bytes()),
                    _ => false,
                },
                _ => false,
            };
            if is_text {
                return anyhow::Ok(begin.elapsed());
            }
        }
    };
    let limited = tokio::time::timeout(Duration::from_secs(60), reading);
    let (sent, read) = tokio::join!(stage.input(session, text), limited);
    sent?;
    Ok(read??.as_secs_f64() * 1e3)
}

fn is_answer(line: &[u8]) -> bool {
    let line: Value = serde_json::from_slice(line).unwrap_or_default();
    line["type"] == "assistant"
}

/// Returns the times of wakes of a session with a large session file.
async fn large_session(stage: &mut Stage, wakes: usize) -> Result<Vec<f64>> {
    let before = stage.session_files();
    let session = stage.begin(|_| {}).await?;
    stage.done(session, 1).await?;
    stage.sleeps(session).await?;
    let mut files = stage.session_files();
    files.retain(|file| !before.contains(file));
    let file = files.pop().context("no session file")?;
    let text = std::fs::read_to_string(&file)?;
    let mut file = std::fs::File::options().append(true).open(&file)?;
    file.write_all(turns(&text)?.as_bytes())?;
    drop(file);
    // The first wake copies the lines to the store.
    first_text(stage, session, "Warm up.").await?;
    stage.sleeps(session).await?;
    let sent = stage.world.last_request().len();
    ensure!(sent > LARGE / 2, "the model received only {sent} bytes");
    let mut times = Vec::new();
    for wake in 0..wakes {
        times.push(first_text(stage, session, &format!("Wake {wake}.")).await?);
        stage.sleeps(session).await?;
    }
    Ok(times)
}

/// Returns the lines of more turns like the last one of a session file.
fn turns(text: &str) -> Result<String> {
    let lines: Vec<Value> = text
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let last = |role: &str| {
        let is_it = |line: &&Value| line["type"] == role && line["message"]["role"] == role;
        lines.iter().rfind(is_it).cloned().context("no such line")
    };
    let (mut prompt, mut answer) = (last("user")?, last("assistant")?);
    let padding = "All work and no play. ".repeat(LARGE / TURNS / 22);
    let mut parent = answer["uuid"].clone();
    let mut more = String::new();
    for turn in 0..TURNS {
        prompt["message"]["content"] = json!(format!("Question {turn}."));
        answer["message"]["id"] = json!(format!("msg_large_{turn}"));
        answer["message"]["content"] = json!([{"type": "text", "text": padding}]);
        for line in [&mut prompt, &mut answer] {
            line["parentUuid"] = parent;
            line["uuid"] = json!(uuid());
            parent = line["uuid"].clone();
            more += &format!("{line}\n");
        }
    }
    // The CLI resumes at the line that the last of these lines names.
    let is_end = |line: &&Value| line["type"] == "last-prompt";
    if let Some(mut end) = lines.iter().rfind(is_end).cloned() {
        end["leafUuid"] = parent;
        more += &format!("{end}\n");
    }
    Ok(more)
}

/// Returns the KiB of the gateway for each sleeping session.
async fn memory(
    stage: &mut Stage,
    sleeper: SessionId,
    template: Template,
    count: usize,
) -> Result<f64> {
    stage.kill_gateway()?;
    let few = resident(stage, sleeper, "With few.").await?;
    let (store, template) = (stage.store().await?, Arc::new(template));
    let mut storing = JoinSet::new();
    for number in 0..PARALLEL {
        let (template, store) = (Arc::clone(&template), Arc::clone(&store));
        let count = count / PARALLEL + usize::from(number < count % PARALLEL);
        storing.spawn(async move {
            for _ in 0..count {
                template.copy(&*store).await;
            }
        });
    }
    while let Some(stored) = storing.join_next().await {
        stored?;
    }
    drop(store);
    let many = resident(stage, sleeper, "With many.").await?;
    // The noise is larger than what a session costs.
    Ok(((many - few) / count as f64).max(0.0))
}

/// Starts a gateway, which serves a turn and lists sessions. Returns its KiB of memory while all
/// sessions sleep.
async fn resident(stage: &mut Stage, session: SessionId, text: &str) -> Result<f64> {
    stage.serve()?;
    first_text(stage, session, text).await?;
    stage.client()?.list(None).await?;
    stage.sleeps(session).await?;
    let pid = stage.gateway_pid().context("no gateway runs")?;
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = resident.context("no VmRSS")?.trim().trim_end_matches(" kB");
    let kib = kib.parse()?;
    stage.kill_gateway()?;
    Ok(kib)
}
