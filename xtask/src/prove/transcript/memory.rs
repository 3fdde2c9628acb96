//! Peak memory over many session files, and how it grows with the number of messages.

use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context, Result};

use super::Inputs;
use super::claw::Claw;
use super::runner::Task;
use super::source::Source;
use super::usage::described;
use crate::prove::figure::{Figure, Spread};

const PEAK_BAR: f64 = 64e6;
const GROWTH_BAR: f64 = 32.0;
const ROUNDS: usize = 7;
/// Few messages: what the program needs anyhow.
const FEW: usize = 10_000;
/// Just past the sizes at which a table of 2ⁿ places is full and doubles, where it is the largest
/// for what it holds.
const MANY: &[usize] = &[240_000, 480_000, 960_000];
const MANY_QUICK: &[usize] = &[240_000];
const MESSAGES_OF_A_FILE: usize = 2_000;
/// In most of the files, so that a search has much to find, and in none of the short ones.
const PATTERN: &str = "structuredPatch";

/// Starts our program on some files.
type Start = fn(&Claw, &Source) -> Task;

/// What is measured: each reads everything.
const COMMANDS: &[(&str, Start)] = &[
    ("usage", Claw::usage),
    ("check", Claw::check),
    ("search", |claw, source| claw.search(source, PATTERN)),
];

pub(super) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    Ok(vec![peak(inputs)?, growth(inputs)?])
}

fn peak(inputs: &Inputs) -> Result<Figure> {
    let corpus = inputs.corpora.largest(inputs.quick)?;
    let figure = Figure::new(
        "peak memory of usage, check and search on 1 GB",
        "≤ 64 MB each",
    )
    .note(described(corpus));
    let claw = match inputs.claw() {
        Ok(claw) => claw,
        Err(error) => return Ok(figure.measured(format!("missing: {error:#}"), false)),
    };
    let (mut shown, mut passed) = (Vec::new(), true);
    for (name, command) in COMMANDS {
        match peak_of(inputs, &command(claw, &corpus.source)) {
            Ok(peak) => {
                passed &= peak.max <= PEAK_BAR;
                shown.push(format!(
                    "{name} {:.1} MB ({:.1}–{:.1})",
                    peak.median / 1e6,
                    peak.min / 1e6,
                    peak.max / 1e6
                ));
            }
            Err(error) => {
                passed = false;
                shown.push(format!("{name} missing: {error:#}"));
            }
        }
    }
    Ok(figure.measured(shown.join(", "), passed))
}

fn growth(inputs: &Inputs) -> Result<Figure> {
    let figure = Figure::new(
        "growth of peak memory for each distinct message",
        "≤ 32 bytes",
    )
    .note(format!(
        "short messages, one line each, {MESSAGES_OF_A_FILE} to a file; against {FEW} of them"
    ));
    let claw = match inputs.claw() {
        Ok(claw) => claw,
        Err(error) => return Ok(figure.measured(format!("missing: {error:#}"), false)),
    };
    let mut sources = Vec::new();
    for &messages in many(inputs.quick) {
        sources.push((messages, Messages::write(messages)?));
    }
    let few = Messages::write(FEW)?;
    let (mut figure, mut worst) = (figure, Some(("nothing", f64::NEG_INFINITY)));
    for (name, command) in COMMANDS {
        let base = match peak_of(inputs, &command(claw, &few.source)) {
            Ok(base) => base.median,
            Err(error) => {
                worst = None;
                figure = figure.note(format!("{name} missing: {error:#}"));
                continue;
            }
        };
        let mut sizes = Vec::new();
        for (messages, many) in &sources {
            let peak = peak_of(inputs, &command(claw, &many.source))?.median;
            let each = (peak - base) / (messages - FEW) as f64;
            sizes.push(format!(
                "{messages} messages {:.1} MB, {each:.1} bytes each",
                peak / 1e6
            ));
            worst = worst.map(|worst| if each > worst.1 { (*name, each) } else { worst });
        }
        figure = figure.note(format!(
            "{name}: {:.1} MB with {FEW}; {}",
            base / 1e6,
            sizes.join("; ")
        ));
    }
    Ok(match worst {
        Some((name, each)) => figure.measured(
            format!("{each:.1} bytes at the worst size of the worst command ({name})"),
            each <= GROWTH_BAR,
        ),
        None => figure.measured("missing: not every command could be measured", false),
    })
}

fn many(quick: bool) -> &'static [usize] {
    if quick { MANY_QUICK } else { MANY }
}

fn peak_of(inputs: &Inputs, task: &Task) -> Result<Spread> {
    let rounds = inputs.runner.rounds(std::slice::from_ref(task), ROUNDS)?;
    rounds.spread(&task.name, |took| took.peak)
}

/// Session files with nothing but short messages in them.
struct Messages {
    source: Source,
    _folder: tempfile::TempDir,
}

impl Messages {
    fn write(messages: usize) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let project = folder.path().join(".claude/projects/-home-user-project");
        std::fs::create_dir_all(&project)?;
        let numbers: Vec<usize> = (0..messages).collect();
        for (file, numbers) in numbers.chunks(MESSAGES_OF_A_FILE).enumerate() {
            write_file(&project, file, numbers)
                .with_context(|| format!("cannot write {}", project.display()))?;
        }
        Ok(Self {
            source: Source::at(folder.path())?,
            _folder: folder,
        })
    }
}

fn write_file(project: &Path, file: usize, numbers: &[usize]) -> std::io::Result<()> {
    let session = format!("00000000-0000-4000-9000-{file:012}");
    let path = project.join(format!("{session}.jsonl"));
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    let mut parent = "null".to_owned();
    for number in numbers {
        // As the CLI writes it; ids look random, as real ones do.
        let mark = (*number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let uuid = format!(
            r#""{:08x}-{:04x}-4000-8000-{number:012x}""#,
            mark >> 32,
            mark & 0xffff
        );
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
        let made = Messages::write(MESSAGES_OF_A_FILE + 1).unwrap();
        let files = made.source.session_files().unwrap();
        assert_eq!(files.len(), 2);
        let mut ids = std::collections::BTreeSet::new();
        for file in files {
            for line in std::fs::read_to_string(file).unwrap().lines() {
                let line: serde_json::Value = serde_json::from_str(line).unwrap();
                ids.insert(line["message"]["id"].as_str().unwrap().to_owned());
            }
        }
        assert_eq!(ids.len(), MESSAGES_OF_A_FILE + 1);
    }
}
