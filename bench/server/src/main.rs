//! Measures how fast the lines of sessions become what a front end is sent, beside parsing them
//! into a tree, in interleaved rounds.
//!
//! ```text
//! server-bench [--rounds N] [--millis M] FILE.ndjson…
//! server-bench policy
//! ```
//!
//! The second form measures the time that permission rules take to decide on hostile commands.
//!
//! A file is what the CLI of one session printed. Every round runs every contender once over the
//! same lines, and dropping what came of a line is part of the time. Output is one JSON object.

#[path = "../../src/corpus.rs"]
mod corpus;
mod policy;
#[path = "../../src/rounds.rs"]
mod rounds;

use std::error::Error;
use std::hint::black_box;

use claw_server::{Output, SessionLedger, UiProjection};
use rusty_claw_protocol::Line;
use serde_json::{Value, json};

use corpus::{Corpus, Recorded};
use rounds::{Contender, Plan};

fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().skip(1).eq(["policy"]) {
        println!("{}", policy::report());
        return Ok(());
    }
    let (plan, files) = Plan::read(std::env::args().skip(1))?;
    let corpus = Corpus::read(&files)?
        .accepted_by(|line| serde_json::from_slice::<Value>(line.bytes()).is_ok());
    // Sessions whose text was streamed, as a front end that shows it at once has them.
    let streamed = corpus.files_with(b"\"stream_event\"");
    let report = json!({
        "all": rounds::measure(&plan, &corpus, &contenders()),
        "streamed": rounds::measure(&plan, &streamed, &contenders()),
        "messages": corpus.by_file().map(project).sum::<usize>(),
    });
    println!("{report}");
    Ok(())
}

fn contenders() -> [Contender; 4] {
    [
        Contender::new("value", |line| {
            drop(black_box(serde_json::from_slice::<Value>(line.bytes())));
        }),
        Contender::new("decode", |line| {
            drop(black_box(Line::decode(line.shared())))
        }),
        Contender::of_files("ledger", |lines| {
            let mut ledger = SessionLedger::new(1);
            let mut output = Output::default();
            for line in lines {
                ledger.line(0, line.shared(), &mut output);
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

/// One session, line by line, as its owner does it; how many messages came of it.
fn project(lines: &[Recorded]) -> usize {
    let mut ledger = SessionLedger::new(1);
    let mut projection = UiProjection::new(1);
    let mut output = Output::default();
    let mut messages = Vec::new();
    let mut sent = 0;
    for line in lines {
        ledger.line(0, line.shared(), &mut output);
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
