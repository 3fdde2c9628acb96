//! The crate `rusty_claw_protocol`: the speed and the memory of decoding.

use std::process::Command;

use anyhow::{Context, Result};
use claw_testkit::figure::{Bar, Figure, quick};
use rusty_claw_protocol::{Line, Peek};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Group;
use crate::lines::{self, Contender, Recorded, each};
use crate::process::{json_of, program};
use crate::rounds::times;

/// In the order of the page.
pub const GROUPS: &[Group] = &[
    ("decode-speed", decode_speed),
    ("decode-memory", decode_memory),
];

/// The line as typed message and raw text.
pub const DECODE: Contender = ("decode", |lines| {
    each(lines, |line| Line::decode(line.bytes.clone()));
});
const PEEK: Contender = ("peek", |lines| each(lines, |line| Peek::new(&line.bytes)));
/// The line as a tree.
pub(crate) const VALUE: Contender = ("value", |lines| {
    each(lines, |line| serde_json::from_slice::<Value>(&line.bytes));
});

/// Whether `serde_json` accepts a line.
pub(crate) fn is_json(line: &Recorded) -> bool {
    serde_json::from_slice::<Value>(&line.bytes).is_ok()
}

fn decode_speed() -> Result<Vec<Figure>> {
    let lines = lines::recordings(is_json)?;
    let rounds = lines::measure(&lines, &[DECODE, PEEK, VALUE])?;
    let figure = |name: &str, ours: &str, bar: f64| {
        let ratio = rounds.ratio(ours, "value")?;
        let shown = format!("{} in {} rounds", times(ratio), lines::rounds());
        let unmeasured = Figure::new(name, format!("≥ {bar}×"));
        anyhow::Ok(unmeasured.judged(shown, ratio, Bar::AtLeast(bar)).timed())
    };
    let decode = figure(
        "decode to typed + raw, recorded corpus, one core, same run, against `serde_json::Value`",
        "decode",
        2.5,
    )?;
    let peek = figure(
        "peek (type, subtype, session, uuid) against `serde_json::Value`",
        "peek",
        10.0,
    )?;
    let noted = decode
        .note("the profile and what limits it: docs/proof/decode-profile.md")
        .note("dropping the result is part of the time; ours checks UTF-8 and keeps the raw line")
        .note(lines::speeds(&lines, &rounds));
    Ok(vec![noted, peek])
}

/// The memory for one line, in multiples of the line: what the program `decode-memory` prints.
#[derive(Debug, Serialize, Deserialize)]
pub struct Peak {
    /// The name of the line's shape.
    pub shape: String,
    /// The most that was alive while the line was decoded.
    pub peak: f64,
    /// What is alive afterwards.
    pub kept: f64,
}

/// The one shape that is text for JSON and not for UTF-8.
const NOT_TEXT: &str = "a text of bytes that are not UTF-8";

/// Deterministic, so once is enough.
fn decode_memory() -> Result<Vec<Figure>> {
    let length = if quick() { 8 << 20 } else { 64 << 20 };
    let mut command = Command::new(program("decode-memory")?);
    let peaks: Vec<Peak> = json_of(command.arg(length.to_string()))?;
    let (not_text, text): (Vec<_>, Vec<_>) = peaks.iter().partition(|peak| peak.shape == NOT_TEXT);
    let figure = |name: &str, bar: f64, peaks: &[&Peak]| {
        let worst = peaks
            .iter()
            .max_by(|one, other| one.peak.total_cmp(&other.peak));
        let Peak { shape, peak, .. } = worst.context("nothing was measured")?;
        let shapes = peaks.iter();
        let each = shapes.map(|Peak { shape, peak, kept }| {
            format!("{shape}: peak {peak:.2} ×, kept {kept:.2} ×")
        });
        let shown = format!("{peak:.2} × ({shape})");
        anyhow::Ok(
            Figure::new(name, format!("≤ {bar:.1} × the line"))
                .measured(shown, *peak <= bar)
                .list("shapes, also those that no CLI prints", each),
        )
    };
    Ok(vec![
        figure("peak memory to decode a 64 MB line", 2.2, &text)?
            .note("live bytes, the line's own buffer included; a buffer that grows counts twice while it does"),
        figure("the same, of a line whose 64 MB are not UTF-8", 8.5, &not_text)?
            .note("what limits it: each bad byte reads as U+FFFD, which is three bytes, so the text alone is three times the line, and the line is kept as it came: four times the line is the floor")
            .note("it is eight times because the readable text is made for the whole line before it is decoded; decoding string by string would come to the floor"),
    ])
}
