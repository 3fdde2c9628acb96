//! Measures how fast lines are read, beside other parsers, in interleaved rounds.
//!
//! ```text
//! protocol-bench [--rounds N] [--millis M] FILE.ndjson…
//! ```
//!
//! Every round runs every contender once over the same lines, so a slow moment of the machine
//! hits all of them alike; the ratio is taken within the round. Dropping the result is part of
//! the time. Output is one JSON object.

mod corpus;
mod rounds;

use std::error::Error;
use std::hint::black_box;

use bytes::Bytes;
use claude_codes::{ClaudeOutput, Protocol};
use rusty_claw_protocol::{Line, Peek};
use serde_json::{Value, json};

use corpus::Corpus;
use rounds::{Contender, Plan};

fn main() -> Result<(), Box<dyn Error>> {
    let (plan, files) = Plan::read(std::env::args().skip(1))?;
    let corpus = Corpus::read(&files)?;
    let for_value =
        corpus.accepted_by(|line| serde_json::from_slice::<Value>(line.bytes()).is_ok());
    let for_peer =
        corpus.accepted_by(|line| Protocol::deserialize::<ClaudeOutput>(line.text()).is_ok());

    let tree = rounds::measure(
        &plan,
        &for_value,
        &[
            Contender::new("decode", |line| decode(line.shared())),
            Contender::new("peek", |line| drop(black_box(Peek::new(line.bytes())))),
            Contender::new("value", |line| {
                drop(black_box(serde_json::from_slice::<Value>(line.bytes())));
            }),
        ],
    );
    let peer = rounds::measure(
        &plan,
        &for_peer,
        &[
            Contender::new("decode", |line| decode(line.shared())),
            // What its guide shows for one line, and the faster of its two ways.
            Contender::new("claude_codes", |line| {
                drop(black_box(Protocol::deserialize::<ClaudeOutput>(
                    line.text(),
                )));
            }),
            // What its own clients call.
            Contender::new("claude_codes_tolerant", |line| {
                drop(black_box(ClaudeOutput::parse_json_tolerant(line.text())));
            }),
        ],
    );
    let report = json!({
        "lines": corpus.len(),
        "bytes": corpus.bytes(),
        "rounds": plan.rounds,
        "value": tree,
        "claude_codes": peer,
    });
    println!("{report}");
    Ok(())
}

fn decode(line: Bytes) {
    drop(black_box(Line::decode(line)));
}
