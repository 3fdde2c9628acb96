//! Speed and memory, measured by the programs in `bench/`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::build;
use super::figure::{Figure, Spread};
use super::recordings;

/// A miss within the spread is measured once more; then all rounds of both runs count.
const ATTEMPTS: usize = 2;
/// Rounds of a run: always the same number, so that nobody stops when the figure looks good.
const ROUNDS: usize = 15;
const MEGABYTES: usize = 64;
const MEMORY_BAR: f64 = 2.2;

/// What `protocol-bench` prints.
#[derive(Debug, Deserialize)]
struct Report {
    lines: usize,
    bytes: usize,
    value: Part,
    claude_codes: Part,
}

/// Contenders over the lines that all of them accept.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Part {
    pub(crate) lines: usize,
    pub(crate) bytes: usize,
    /// Seconds for one pass over the lines, round by round.
    seconds: BTreeMap<String, Vec<f64>>,
}

impl Part {
    /// How many times faster `ours` is, round by round.
    pub(crate) fn ratios(&self, ours: &str, theirs: &str) -> Result<Vec<f64>> {
        let times = |name: &str| {
            self.seconds
                .get(name)
                .with_context(|| format!("the program did not measure {name}"))
        };
        let pairs = times(ours)?.iter().zip(times(theirs)?);
        Ok(pairs.map(|(ours, theirs)| theirs / ours).collect())
    }

    pub(crate) fn megabytes_a_second(&self) -> String {
        self.shown(|seconds| format!("{:.0} MB/s", self.bytes as f64 / seconds / 1e6))
    }

    pub(crate) fn microseconds_a_line(&self) -> String {
        self.shown(|seconds| format!("{:.2} µs", seconds * 1e6 / self.lines as f64))
    }

    /// The median of every contender, in words.
    fn shown(&self, words: impl Fn(f64) -> String) -> String {
        let shown = self.seconds.iter().filter_map(|(name, seconds)| {
            let median = Spread::of(seconds)?.median;
            Some(format!("{name} {}", words(median)))
        });
        shown.collect::<Vec<_>>().join(", ")
    }
}

/// A ratio and the bar it must reach.
struct Ratio {
    label: &'static str,
    bar: f64,
    rounds: Vec<f64>,
}

impl Ratio {
    fn spread(&self) -> Option<Spread> {
        Spread::of(&self.rounds)
    }

    fn passed(&self) -> bool {
        self.rounds.len() >= ROUNDS
            && self
                .spread()
                .is_some_and(|spread| spread.median >= self.bar)
    }

    /// A miss, though some round reached the bar: noise may have decided.
    fn is_doubtful(&self) -> bool {
        !self.passed() && self.spread().is_some_and(|spread| spread.max >= self.bar)
    }

    fn shown(&self) -> String {
        match self.spread() {
            Some(spread) => format!(
                "{:.1}× {} ({:.1}–{:.1}, {} rounds)",
                spread.median,
                self.label,
                spread.min,
                spread.max,
                self.rounds.len()
            ),
            None => format!("no rounds for {}", self.label),
        }
    }
}

/// The ratio against the faster of two ways: the smaller one.
fn faster<'a>(one: &'a Ratio, other: &'a Ratio) -> &'a Ratio {
    let median = |ratio: &Ratio| ratio.spread().map_or(0.0, |spread| spread.median);
    if median(one) <= median(other) {
        one
    } else {
        other
    }
}

/// Builds a program of `bench/`, whose lock file names the peers.
fn program(name: &str, features: &str) -> Result<PathBuf> {
    let manifest = ["--manifest-path", "bench/Cargo.toml"];
    let what = ["--bin", name, "--features", features];
    Ok(build::release(&[manifest.as_slice(), &what].concat())?.join(name))
}

/// Both speed figures, from the same rounds.
pub(crate) fn figures(root: &Path, quick: bool) -> Result<(Figure, Figure)> {
    let mut decode = Ratio {
        label: "serde_json::Value",
        bar: 2.5,
        rounds: Vec::new(),
    };
    // It has two ways to read a line, and the faster one decides: what its guide shows for one
    // line, and what its own clients call.
    let mut guide = Ratio {
        label: "claude-codes as its guide reads a line",
        bar: 10.0,
        rounds: Vec::new(),
    };
    let mut clients = Ratio {
        label: "claude-codes as its clients read a line",
        bar: 10.0,
        rounds: Vec::new(),
    };
    let mut peek = Ratio {
        label: "serde_json::Value",
        bar: 10.0,
        rounds: Vec::new(),
    };
    let mut notes = Vec::new();
    for attempt in 1..=ATTEMPTS {
        let report = measure(root, quick)?;
        decode
            .rounds
            .extend(report.value.ratios("decode", "value")?);
        peek.rounds.extend(report.value.ratios("peek", "value")?);
        guide
            .rounds
            .extend(report.claude_codes.ratios("decode", "claude_codes")?);
        clients.rounds.extend(
            report
                .claude_codes
                .ratios("decode", "claude_codes_tolerant")?,
        );
        notes.push(format!(
            "run {attempt}: {} lines, {:.1} MB; over the {} lines that serde_json takes: {}; over the {} lines that claude-codes takes: {}",
            report.lines,
            report.bytes as f64 / 1e6,
            report.value.lines,
            report.value.megabytes_a_second(),
            report.claude_codes.lines,
            report.claude_codes.megabytes_a_second(),
        ));
        if ![&decode, faster(&guide, &clients), &peek]
            .into_iter()
            .any(Ratio::is_doubtful)
        {
            break;
        }
    }
    let mut first = Figure::new(
        "decode to typed + raw, recorded corpus, one core, same run, over the lines both parsers accept: against `serde_json::Value` and against `claude-codes`",
        "≥ 2.5× and ≥ 10×",
    )
    .measured(
        format!("{}; {}; {}", decode.shown(), guide.shown(), clients.shown()),
        decode.passed() && faster(&guide, &clients).passed(),
    )
    .note("the profile and what limits it: docs/proof/decode-profile.md")
        .note("claude-codes has two ways to read a line; the verdict is by the faster one, whichever it is")
    .note("release, thin LTO, one core; rounds interleaved; ratios taken within a round; dropping the result is part of the time; ours checks UTF-8 and keeps the raw line, claude-codes gets text that is already checked");
    first.notes.extend(notes);
    let second = Figure::new(
        "peek (type, subtype, session, uuid) against `serde_json::Value`",
        "≥ 10×",
    )
    .measured(peek.shown(), peek.passed());
    Ok((first, second))
}

fn measure(root: &Path, quick: bool) -> Result<Report> {
    let mut command = on_one_core(&program("protocol-bench", "peers")?);
    let millis = if quick { "40" } else { "150" };
    command.args(["--rounds", &ROUNDS.to_string(), "--millis", millis]);
    command.args(recordings::stdout_files(root)?);
    let output = command
        .stdin(Stdio::null())
        .output()
        .context("protocol-bench did not start")?;
    ensure!(
        output.status.success(),
        "protocol-bench failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout)
        .context("protocol-bench printed something else than its report")
}

/// A program that is kept on one core, where that can be asked for.
pub(crate) fn on_one_core(program: &Path) -> Command {
    if !has_taskset() {
        return Command::new(program);
    }
    let mut command = Command::new("taskset");
    command.args(["-c", "0"]).arg(program);
    command
}

fn has_taskset() -> bool {
    Command::new("taskset")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// What the memory program prints for one shape.
#[derive(Debug, Clone, Deserialize)]
struct Peak {
    line: usize,
    peak: usize,
    kept: usize,
}

#[derive(Debug, Deserialize)]
struct Memory {
    shapes: BTreeMap<String, Peak>,
}

/// Peak memory; deterministic, so once is enough.
pub(crate) fn memory() -> Result<Figure> {
    Ok(memory_figure(
        "peak memory to decode a 64 MB line",
        &measure_memory()?,
        |shape| shape != NOT_TEXT,
    )
    .note("every shape of text is judged, also those that no CLI prints; the worst decides"))
}

/// The same for the one shape that cannot reach the bar.
pub(crate) fn memory_of_no_text() -> Result<Figure> {
    Ok(memory_figure(
        "the same, of a line whose 64 MB are not UTF-8",
        &measure_memory()?,
        |shape| shape == NOT_TEXT,
    )
    .note("what limits it: each bad byte reads as U+FFFD, which is three bytes, so the text alone is three times the line, and the line is kept as it came: four times the line is the floor")
    .note("it is eight times because the readable text is made for the whole line before it is decoded; decoding string by string would come to the floor"))
}

/// The shape of a line that is not text.
const NOT_TEXT: &str = "a text of bytes that are not UTF-8";

fn measure_memory() -> Result<Memory> {
    let output = Command::new(program("memory", "")?)
        .arg(MEGABYTES.to_string())
        .stdin(Stdio::null())
        .output()
        .context("the memory program did not start")?;
    ensure!(
        output.status.success(),
        "the memory program failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout)
        .context("the memory program printed something else than its report")
}

/// The worst of some shapes, judged.
fn memory_figure(name: &'static str, memory: &Memory, is_judged: impl Fn(&str) -> bool) -> Figure {
    let times = |peak: &Peak| peak.peak as f64 / peak.line as f64;
    let shapes: Vec<_> = memory
        .shapes
        .iter()
        .filter(|(shape, _)| is_judged(shape))
        .collect();
    let worst = shapes
        .iter()
        .max_by(|a, b| times(a.1).total_cmp(&times(b.1)));
    let (shape, factor) = worst.map_or(("nothing was measured", f64::INFINITY), |(shape, peak)| {
        (shape.as_str(), times(peak))
    });
    let mut figure = Figure::new(name, "≤ 2.2 × the line")
        .measured(format!("{factor:.2} × ({shape})"), factor <= MEMORY_BAR)
        .note("live bytes, the line's own buffer included; a buffer that grows counts twice while it does");
    for (shape, peak) in shapes {
        figure = figure.note(format!(
            "{shape}: peak {:.2} ×, kept {:.2} ×",
            times(peak),
            peak.kept as f64 / peak.line as f64
        ));
    }
    figure
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(rounds: &[f64]) -> Ratio {
        Ratio {
            label: "x",
            bar: 10.0,
            rounds: rounds.to_vec(),
        }
    }

    #[test]
    fn the_median_decides_and_few_rounds_do_not_count() {
        let (low, high) = (vec![9.0; ROUNDS / 2], vec![11.0; ROUNDS - ROUNDS / 2]);
        assert!(ratio(&[low, high].concat()).passed());
        assert!(!ratio(&[11.0; ROUNDS - 1]).passed());
    }

    #[test]
    fn a_miss_within_the_spread_is_doubtful_and_a_clear_one_is_not() {
        let mut rounds = [9.0; ROUNDS];
        assert!(!ratio(&rounds).is_doubtful());
        rounds[0] = 10.5;
        assert!(ratio(&rounds).is_doubtful());
        assert!(!ratio(&[11.0; ROUNDS]).is_doubtful());
    }

    #[test]
    fn the_faster_way_of_a_peer_decides() {
        let (slow, fast) = (ratio(&[20.0; ROUNDS]), ratio(&[9.0; ROUNDS]));
        for found in [faster(&slow, &fast), faster(&fast, &slow)] {
            assert_eq!(found.rounds, fast.rounds);
            assert!(!found.passed());
        }
    }

    #[test]
    fn ratios_are_taken_round_by_round() {
        let part = Part {
            lines: 1,
            bytes: 1,
            seconds: [("a", vec![1.0, 2.0]), ("b", vec![3.0, 8.0])]
                .into_iter()
                .map(|(name, seconds)| (name.to_owned(), seconds))
                .collect(),
        };
        assert_eq!(part.ratios("a", "b").unwrap(), [3.0, 4.0]);
        assert!(part.ratios("a", "c").is_err());
    }
}
