//! `decode-memory BYTES`: measures the most memory that is alive while one long line is decoded.
//!
//! The line's own buffer counts: it is kept beside the typed message. Growing a buffer counts the
//! old and the new one together, which is the worst an allocator can do. Prints a [`Peak`] for each
//! shape of a line as JSON.

use std::hint::black_box;

use bytes::Bytes;
use claw_bench::protocol::Peak;
use peak_alloc::PeakAlloc;
use rusty_claw_protocol::Line;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// A shape in each line: its name, the text before the long part, the repeated part and the text
/// after it; tabs are between them. In the repeated part, `%` is a counter and `?` is a byte that is
/// not UTF-8. No CLI prints those after `not JSON`, but an attacker may make it print them.
const SHAPES: &str = include_str!("../data/long_lines.tsv");

fn main() -> anyhow::Result<()> {
    let length = std::env::args().nth(1).unwrap_or_default().parse()?;
    let peaks: Vec<Peak> = SHAPES.lines().map(|shape| measure(shape, length)).collect();
    println!("{}", serde_json::to_string(&peaks)?);
    Ok(())
}

fn measure(shape: &str, length: usize) -> Peak {
    let mut columns = shape.split('\t');
    let [name, before, repeated, after] = [(); 4].map(|()| columns.next().unwrap_or_default());
    let line = line(length, before, repeated, after);
    let bytes = line.len();
    // Everything alive beside the line was alive before it and does not count.
    let before = MEMORY.current_usage().saturating_sub(bytes);
    MEMORY.reset_peak_usage();
    let decoded = black_box(Line::decode(line));
    let times = |usage: usize| usage.saturating_sub(before) as f64 / bytes as f64;
    let (peak, kept) = (times(MEMORY.peak_usage()), times(MEMORY.current_usage()));
    drop(decoded);
    Peak {
        shape: name.to_owned(),
        peak,
        kept,
    }
}

fn line(length: usize, before: &str, repeated: &str, after: &str) -> Bytes {
    let mut text = Vec::with_capacity(length + repeated.len() + 16);
    text.extend_from_slice(before.as_bytes());
    let mut count = 0_usize;
    while text.len() + after.len() < length {
        for byte in repeated.bytes() {
            match byte {
                b'%' => text.extend_from_slice(count.to_string().as_bytes()),
                b'?' => text.push(0xFF),
                _ => text.push(byte),
            }
        }
        count += 1;
    }
    text.extend_from_slice(after.as_bytes());
    // Exactly as large as it must be: spare room would count as part of the line.
    text.shrink_to_fit();
    Bytes::from(text)
}
