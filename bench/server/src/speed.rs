//! Measures how fast lines of the CLI become messages of a front end, against parsing them into a
//! tree.
//!
//! Every round runs every contender once over the same lines; dropping the result is part of the
//! time.

use std::hint::black_box;
use std::path::{Path, PathBuf};

use claw_server::{EventBuilder, Output, UiProjection};
use claw_testkit::figure::{Bar, Figure, Spread};
use claw_testkit::real_cli::real_cli;
use rusty_claw_protocol::Line;
use sdk_bench::Failure;
use serde_json::Value;

use crate::corpus::{Corpus, Recorded};
use crate::rounds::{self, Contender, Plan};

/// A fixed number, so that a run cannot stop when the figure looks good.
const PLAN: Plan = Plan {
    rounds: 15,
    millis: 150,
};
const BAR: f64 = 1.5;
/// The least number of recordings; fewer mean that some were not found.
const LEAST_FILES: usize = 500;

pub(crate) fn figure() -> Result<Figure, Failure> {
    on_one_core()?;
    let corpus = Corpus::read(&recordings()?)
        .map_err(|error| error.to_string())?
        .accepted_by(|line| serde_json::from_slice::<Value>(line.bytes()).is_ok());
    // Sessions whose text was streamed, as for a front end that shows it at once.
    let streamed = corpus.files_with(b"\"stream_event\"");
    let messages: usize = corpus.by_file().map(project).sum();
    if messages <= corpus.len() / 2 {
        let lines = corpus.len();
        return Err(format!("{lines} lines became only {messages} messages").into());
    }
    let all = rounds::measure(&PLAN, &corpus, &contenders());
    let of_streamed = rounds::measure(&PLAN, &streamed, &contenders());
    let ui = ratio(&all, "ui")?;
    let figure = Figure::new(
        "decode + project to `ui`, recorded corpus, one core, same bytes, against `serde_json::Value` alone",
        "≥ 1.5×",
    );
    Ok(figure
        .judged(
            format!("{} in {} rounds", times(ui), PLAN.rounds),
            ui,
            Bar::AtLeast(BAR),
        )
        .note(format!(
            "from the bytes of a line to its `UiMessage`s, through decoder, event builder and projection: {messages} messages from {} lines, {:.1} MB; {}",
            corpus.len(),
            corpus.bytes() as f64 / 1e6,
            shown(&all, |seconds| format!("{:.0} MB/s", corpus.bytes() as f64 / seconds / 1e6))
        ))
        .note(format!(
            "decoding alone: {}; with the event builder, to events: {}",
            times(ratio(&all, "decode")?),
            times(ratio(&all, "events")?)
        ))
        .note(format!(
            "of these, the sessions whose text was streamed ({} lines): {}; a line costs {}",
            streamed.len(),
            times(ratio(&of_streamed, "ui")?),
            shown(&of_streamed, |seconds| format!("{:.2} µs", seconds * 1e6 / streamed.len() as f64))
        ))
        .note("release, thin LTO, one core; rounds interleaved; ratios taken within a round; dropping the result is part of the time"))
}

/// Keeps this program on one core.
fn on_one_core() -> Result<(), Failure> {
    let mut cores = rustix::thread::CpuSet::new();
    cores.set(0);
    Ok(rustix::thread::sched_setaffinity(None, &cores)?)
}

/// The lines that the CLI printed in all recordings.
fn recordings() -> Result<Vec<String>, Failure> {
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let mut files = Vec::new();
    for scenario in children(&testdata.join("cli").join(real_cli().version))? {
        files.push(scenario.join("stdout.ndjson"));
    }
    for part in ["study", "study/sdk"] {
        files.extend(children(&testdata.join(part))?);
    }
    files.retain(|path| path.is_file() && path.to_string_lossy().ends_with("stdout.ndjson"));
    if files.len() < LEAST_FILES {
        return Err(format!("there are only {} recordings", files.len()).into());
    }
    Ok(files
        .iter()
        .map(|path| path.display().to_string())
        .collect())
}

fn children(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = std::fs::read_dir(folder)?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>, Failure>>()?;
    paths.sort();
    Ok(paths)
}

/// The seconds of a contender, round by round.
fn seconds(report: &Value, name: &str) -> Vec<f64> {
    let rounds = report["seconds"][name].as_array();
    rounds
        .into_iter()
        .flatten()
        .filter_map(Value::as_f64)
        .collect()
}

/// How many times faster a contender is than the tree.
fn ratio(report: &Value, ours: &str) -> Result<Spread, Failure> {
    let (ours, value) = (seconds(report, ours), seconds(report, "value"));
    let ratios: Vec<f64> = ours
        .iter()
        .zip(value)
        .map(|(ours, value)| value / ours)
        .collect();
    Ok(Spread::of(&ratios).ok_or("no rounds")?)
}

fn times(Spread { median, min, max }: Spread) -> String {
    format!("{median:.2}× ({min:.2}–{max:.2})")
}

/// The median of every contender, in words.
fn shown(report: &Value, words: impl Fn(f64) -> String) -> String {
    let names = ["decode", "events", "ui", "value"].into_iter();
    let shown = names.filter_map(|name| {
        let median = Spread::of(&seconds(report, name))?.median;
        Some(format!("{name} {}", words(median)))
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn contenders() -> [Contender; 4] {
    [
        Contender::new("value", |line| {
            drop(black_box(serde_json::from_slice::<Value>(line.bytes())));
        }),
        Contender::new("decode", |line| {
            drop(black_box(Line::decode(line.shared())));
        }),
        Contender::of_files("events", |lines| {
            let mut builder = EventBuilder::new(1);
            let mut output = Output::default();
            for line in lines {
                builder.line(0, line.shared(), &mut output);
                black_box(&output);
                output.events.clear();
                output.deltas.clear();
            }
        }),
        Contender::of_files("ui", |lines| {
            black_box(project(lines));
        }),
    ]
}

/// Projects one session line by line, as its owner does. Returns the number of messages.
fn project(lines: &[Recorded]) -> usize {
    let mut builder = EventBuilder::new(1);
    let mut projection = UiProjection::new(1);
    let mut output = Output::default();
    let mut messages = Vec::new();
    let mut sent = 0;
    for line in lines {
        builder.line(0, line.shared(), &mut output);
        for event in output.events.drain(..) {
            projection.event(&event, &mut messages);
        }
        for delta in output.deltas.drain(..) {
            projection.delta(&delta, &mut messages);
        }
        sent += black_box(&messages).len();
        messages.clear();
    }
    sent
}
