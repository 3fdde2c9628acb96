//! How fast lines of the CLI become messages of a front end, against parsing them into a tree.

use std::hint::black_box;

use anyhow::{Result, ensure};
use claw_server::{EventBuilder, Output, UiProjection};
use claw_testkit::figure::{Bar, Figure};

use crate::lines::{self, Contender, Recorded};
use crate::protocol::{DECODE, VALUE, is_json};
use crate::rounds::times;

/// From the bytes of a line to its `UiMessage`s.
const UI: Contender = ("ui", |lines| _ = black_box(project(lines)));

pub(super) fn measure() -> Result<Vec<Figure>> {
    let all = lines::recordings(is_json)?;
    let messages = project(&all);
    let least = all.len() / 2;
    ensure!(messages > least, "only {messages} messages, not {least}");
    let rounds = lines::measure(&all, &[VALUE, DECODE, UI])?;
    let ui = rounds.ratio("ui", "value")?;
    let figure = Figure::new(
        "decode + project to `ui`, recorded corpus, one core, same bytes, against `serde_json::Value` alone",
        "≥ 1.5×",
    )
    .judged(format!("{} in {} rounds", times(ui), lines::rounds()), ui, Bar::AtLeast(1.5))
    .note(format!(
        "from the bytes of a line to its `UiMessage`s, through decoder, event builder and projection: {messages} messages from {}",
        lines::speeds(&all, &rounds)
    ))
    .note(format!("decoding alone: {}", times(rounds.ratio("decode", "value")?)));
    Ok(vec![figure.timed()])
}

/// Projects sessions line by line, as their owner does. Returns the number of messages.
fn project(lines: &[Recorded]) -> usize {
    let mut sent = 0;
    for session in lines::files(lines) {
        let mut builder = EventBuilder::new(1);
        let mut projection = UiProjection::new(1);
        let mut output = Output::default();
        let mut messages = Vec::new();
        for line in session {
            builder.line(0, line.bytes.clone(), &mut output);
            for event in output.events.drain(..) {
                projection.event(&event, &mut messages);
            }
            for delta in output.deltas.drain(..) {
                projection.delta(&delta, &mut messages);
            }
            sent += black_box(&messages).len();
            messages.clear();
        }
    }
    sent
}
