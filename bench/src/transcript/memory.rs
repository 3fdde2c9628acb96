//! Peak memory over many session files, and how it grows with the number of messages.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::Result;
use claw_testkit::figure::{Figure, Spread, quick};

use super::claw;
use super::corpora::{Corpus, Source};
use super::tasks::{Task, rounds};
use crate::rounds::spread;

const PEAK_BAR: f64 = 64e6;

/// How messages are divided into files. Memory that a program frees after each file is measured only
/// with one large file.
struct Layout {
    name: &'static str,
    /// The number of messages in a file.
    of_a_file: usize,
    /// The number of messages of the baseline.
    few: usize,
    /// Just past the sizes at which a table of 2ⁿ places is full and doubles, where it is the largest
    /// for what it holds.
    many: &'static [usize],
}

const LAYOUTS: &[Layout] = &[
    Layout {
        name: "many files",
        of_a_file: 2_000,
        few: 10_000,
        many: &[240_000, 480_000, 960_000],
    },
    Layout {
        name: "one file",
        of_a_file: usize::MAX,
        few: 20_000,
        many: &[200_000, 240_000, 480_000],
    },
];

/// Starts our program on some files.
type Start = fn(&Source) -> Result<Task<'_>>;

/// What is measured: each reads everything.
const COMMANDS: [(&str, Start); 3] = [
    ("usage", claw::usage),
    ("check", claw::check),
    // In most of the files, so that a search has much to find, and in none of the short ones.
    ("search", |source| {
        claw::search(claw::NAME, source, "structuredPatch")
    }),
];

pub(super) fn measure() -> Result<Vec<Figure>> {
    Ok(vec![peak()?, growth()?])
}

fn peak() -> Result<Figure> {
    let corpus = Corpus::of_megabytes(1000.0)?;
    let (mut shown, mut passed) = (Vec::new(), true);
    for (name, start) in COMMANDS {
        let Spread { median, min, max } = peak_of(start, &corpus.source)?;
        passed &= max <= PEAK_BAR;
        let [median, min, max] = [median, min, max].map(|bytes| bytes / 1e6);
        shown.push(format!("{name} {median:.1} MB ({min:.1}–{max:.1})"));
    }
    let figure = Figure::new(
        "peak memory of usage, check and search on 1 GB",
        "≤ 64 MB each",
    );
    let figure = figure.measured(shown.join(", "), passed);
    Ok(figure.note(corpus.described()))
}

fn growth() -> Result<Figure> {
    let (mut notes, mut shown, mut passed) = (Vec::new(), Vec::new(), true);
    // With few messages and one round, threads and the allocator weigh more.
    let bar = if quick() { 64.0 } else { 32.0 };
    for layout in LAYOUTS {
        let (command, each) = layout.worst(&mut notes)?;
        passed &= each <= bar;
        shown.push(format!(
            "{}: {each:.1} bytes at the worst size of the worst command ({command})",
            layout.name
        ));
    }
    let mut figure = Figure::new(
        "growth of peak memory for each distinct message",
        format!("≤ {bar} bytes, in many files and in one"),
    )
    .measured(shown.join("; "), passed)
    .note("short messages, one line each");
    figure.notes.extend(notes);
    Ok(figure)
}

impl Layout {
    /// The command whose memory grows most, and by how many bytes for each message.
    fn worst(&self, notes: &mut Vec<String>) -> Result<(&'static str, f64)> {
        let sizes = if quick() { &[120_000][..] } else { self.many };
        let few = messages(self.few, self.of_a_file)?;
        let mut many = Vec::new();
        for &size in sizes {
            many.push((size, messages(size, self.of_a_file)?));
        }
        let mut worst = ("", f64::NEG_INFINITY);
        for (name, start) in COMMANDS {
            let base = peak_of(start, &few)?.median;
            let (few, layout) = (self.few, self.name);
            let mut note = format!("{layout}, {name}: {:.1} MB with {few} messages", base / 1e6);
            for (size, source) in &many {
                let peak = peak_of(start, source)?.median;
                let (each, peak) = ((peak - base) / (size - few) as f64, peak / 1e6);
                note += &format!("; {size} messages {peak:.1} MB, {each:.1} bytes each");
                if each > worst.1 {
                    worst = (name, each);
                }
            }
            notes.push(note);
        }
        Ok(worst)
    }
}

fn peak_of(start: Start, source: &Source) -> Result<Spread> {
    let task = start(source)?;
    let peaks = (0..rounds()).map(|_| Ok(task.run()?.peak));
    spread(&peaks.collect::<Result<Vec<_>>>()?)
}

/// Session files with nothing but so many short messages in them.
fn messages(count: usize, of_a_file: usize) -> Result<Source> {
    let private = tempfile::tempdir()?;
    let home = private.path().join("home");
    let project = home.join(".claude/projects/-home-user-project");
    fs::create_dir_all(&project)?;
    let numbers: Vec<usize> = (0..count).collect();
    for (file, numbers) in numbers.chunks(of_a_file).enumerate() {
        write_file(&project, file, numbers)?;
    }
    Ok(Source { home, private })
}

fn write_file(project: &Path, file: usize, numbers: &[usize]) -> std::io::Result<()> {
    let session = format!("00000000-0000-4000-9000-{file:012}");
    let path = project.join(format!("{session}.jsonl"));
    let mut out = BufWriter::new(File::create(path)?);
    let mut parent = "null".to_owned();
    for number in numbers {
        // As the CLI writes it; ids look random, as real ones do.
        let mark = (*number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let (high, low) = (mark >> 32, mark & 0xffff);
        let uuid = format!(r#""{high:08x}-{low:04x}-4000-8000-{number:012x}""#);
        writeln!(
            out,
            r#"{{"parentUuid":{parent},"isSidechain":false,"userType":"external","cwd":"/home/user/project","sessionId":"{session}","version":"2.1.325","gitBranch":"main","type":"assistant","uuid":{uuid},"timestamp":"2026-10-01T12:00:00.000Z","requestId":"req_{mark:016x}","message":{{"id":"msg_{mark:016x}","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[{{"type":"text","text":"{number}"}}],"stop_reason":"end_turn","stop_sequence":null,"usage":{{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":100,"service_tier":"standard","cache_creation":{{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0}}}}}}}}"#
        )?;
        parent = uuid;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_is_a_line_of_json_with_an_id_of_its_own() {
        for (of_a_file, expected) in [(2_000, 2), (usize::MAX, 1)] {
            let made = messages(2_001, of_a_file).unwrap();
            let files = made.files().unwrap();
            assert_eq!(files.len(), expected);
            let mut ids = std::collections::BTreeSet::new();
            for file in files {
                for line in fs::read_to_string(file).unwrap().lines() {
                    let line: serde_json::Value = serde_json::from_str(line).unwrap();
                    ids.insert(line["message"]["id"].as_str().unwrap().to_owned());
                }
            }
            assert_eq!(ids.len(), 2_001);
        }
    }
}
