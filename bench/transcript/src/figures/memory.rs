//! Peak memory over many session files, and how it grows with the number of messages.

use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context, Result};

use crate::Inputs;
use crate::claw::Claw;
use crate::runner::Task;
use crate::source::Source;
use crate::usage::described;
use claw_testkit::figure::{Figure, Spread};

const PEAK_BAR: f64 = 64e6;
const GROWTH_BAR: f64 = 32.0;
const ROUNDS: usize = 7;

/// The number of messages per file. Memory that a program frees after each file is measured only
/// with one large file.
struct Layout {
    name: &'static str,
    /// The number of messages in a file.
    of_a_file: usize,
    /// The number of messages of the baseline.
    few: usize,
    many: &'static [usize],
    many_quick: &'static [usize],
}

const LAYOUTS: &[Layout] = &[
    Layout {
        name: "many files",
        of_a_file: 2_000,
        few: 10_000,
        // Just past the sizes at which a table of 2ⁿ places is full and doubles, where it is the
        // largest for what it holds.
        many: &[240_000, 480_000, 960_000],
        many_quick: &[240_000],
    },
    Layout {
        name: "one file",
        of_a_file: usize::MAX,
        few: 20_000,
        many: &[200_000, 240_000, 480_000],
        many_quick: &[200_000],
    },
];
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

pub(crate) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
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
    let mut figure = Figure::new(
        "growth of peak memory for each distinct message",
        "≤ 32 bytes, in many files and in one",
    )
    .note("short messages, one line each");
    let claw = match inputs.claw() {
        Ok(claw) => claw,
        Err(error) => return Ok(figure.measured(format!("missing: {error:#}"), false)),
    };
    let (mut worst, mut complete) = (Vec::new(), true);
    for layout in LAYOUTS {
        let grown = layout.measure(inputs, claw)?;
        complete &= grown.is_complete;
        worst.extend(
            grown
                .worst
                .map(|(command, each)| (layout.name, command, each)),
        );
        for note in grown.notes {
            figure = figure.note(note);
        }
    }
    if !complete || worst.len() != LAYOUTS.len() {
        return Ok(figure.measured("missing: not every command could be measured", false));
    }
    let passed = worst.iter().all(|(_, _, each)| *each <= GROWTH_BAR);
    let shown: Vec<String> = worst
        .iter()
        .map(|(layout, command, each)| {
            format!("{layout}: {each:.1} bytes at the worst size of the worst command ({command})")
        })
        .collect();
    Ok(figure.measured(shown.join("; "), passed))
}

/// How memory grows in one layout.
struct Grown {
    /// The command and the bytes of each message.
    worst: Option<(&'static str, f64)>,
    is_complete: bool,
    notes: Vec<String>,
}

impl Layout {
    fn measure(&self, inputs: &Inputs, claw: &Claw) -> Result<Grown> {
        let sizes = if inputs.quick {
            self.many_quick
        } else {
            self.many
        };
        let mut sources = Vec::new();
        for &messages in sizes {
            sources.push((messages, Messages::write(messages, self.of_a_file)?));
        }
        let few = Messages::write(self.few, self.of_a_file)?;
        let mut grown = Grown {
            worst: None,
            is_complete: true,
            notes: Vec::new(),
        };
        for (name, command) in COMMANDS {
            let base = match peak_of(inputs, &command(claw, &few.source)) {
                Ok(base) => base.median,
                Err(error) => {
                    grown.is_complete = false;
                    grown.notes.push(format!("{name} missing: {error:#}"));
                    continue;
                }
            };
            let mut shown = Vec::new();
            for (messages, many) in &sources {
                let peak = peak_of(inputs, &command(claw, &many.source))?.median;
                let each = (peak - base) / (messages - self.few) as f64;
                shown.push(format!(
                    "{messages} messages {:.1} MB, {each:.1} bytes each",
                    peak / 1e6
                ));
                if grown.worst.is_none_or(|(_, worst)| each > worst) {
                    grown.worst = Some((*name, each));
                }
            }
            grown.notes.push(format!(
                "{}, {name}: {:.1} MB with {} messages; {}",
                self.name,
                base / 1e6,
                self.few,
                shown.join("; ")
            ));
        }
        Ok(grown)
    }
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
    fn write(messages: usize, of_a_file: usize) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let project = folder.path().join(".claude/projects/-home-user-project");
        std::fs::create_dir_all(&project)?;
        let numbers: Vec<usize> = (0..messages).collect();
        for (file, numbers) in numbers.chunks(of_a_file).enumerate() {
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
        let made = Messages::write(2_001, 2_000).unwrap();
        let files = made.source.session_files().unwrap();
        assert_eq!(files.len(), 2);
        let mut ids = std::collections::BTreeSet::new();
        for file in files {
            for line in std::fs::read_to_string(file).unwrap().lines() {
                let line: serde_json::Value = serde_json::from_str(line).unwrap();
                ids.insert(line["message"]["id"].as_str().unwrap().to_owned());
            }
        }
        assert_eq!(ids.len(), 2_001);
    }

    #[test]
    fn one_layout_has_all_messages_in_one_file() {
        let one = LAYOUTS.iter().find(|layout| layout.name == "one file");
        let made = Messages::write(2_001, one.unwrap().of_a_file).unwrap();
        assert_eq!(made.source.session_files().unwrap().len(), 1);
    }
}
