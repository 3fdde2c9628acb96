//! Speed and memory, measured by the programs in `bench/`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::build;
use super::figure::{Figure, Spread};
use super::recordings;

/// Rounds of a run. The number is fixed, so that no run ends early at a good value.
const ROUNDS: usize = 15;
const MEGABYTES: usize = 64;
/// The bar of peak memory, in lines.
const TEXT_BAR: f64 = 2.2;
/// The same for a line that is not UTF-8.
const NOT_TEXT_BAR: f64 = 8.5;

/// The output of `protocol-bench`.
#[derive(Debug, Deserialize)]
struct Report {
    lines: usize,
    bytes: usize,
    value: Part,
    claude_codes: Part,
}

/// Contenders over the lines that all of them accept.
#[derive(Debug, Clone, Deserialize)]
struct Part {
    lines: usize,
    bytes: usize,
    /// Seconds for one pass over the lines, round by round.
    seconds: BTreeMap<String, Vec<f64>>,
}

impl Part {
    /// How many times faster `ours` is, round by round.
    fn ratios(&self, ours: &str, theirs: &str) -> Result<Vec<f64>> {
        let times = |name: &str| {
            self.seconds
                .get(name)
                .with_context(|| format!("the program did not measure {name}"))
        };
        let pairs = times(ours)?.iter().zip(times(theirs)?);
        Ok(pairs.map(|(ours, theirs)| theirs / ours).collect())
    }

    /// The median speed of every contender.
    fn megabytes_a_second(&self) -> String {
        let shown = self.seconds.iter().filter_map(|(name, seconds)| {
            let median = Spread::of(seconds)?.median;
            let speed = self.bytes as f64 / median / 1e6;
            Some(format!("{name} {speed:.0} MB/s"))
        });
        shown.collect::<Vec<_>>().join(", ")
    }
}

/// How many times faster we are than a contender, and the bar.
struct Ratio {
    label: &'static str,
    bar: f64,
    spread: Spread,
}

impl Ratio {
    fn new(label: &'static str, bar: f64, rounds: &[f64]) -> Result<Self> {
        ensure!(rounds.len() >= ROUNDS, "too few rounds for {label}");
        let spread = Spread::of(rounds).context("no rounds")?;
        Ok(Self { label, bar, spread })
    }

    fn passed(&self) -> bool {
        self.spread.median >= self.bar
    }

    fn shown(&self) -> String {
        let Spread { median, min, max } = self.spread;
        let label = self.label;
        format!("{median:.1}× {label} ({min:.1}–{max:.1}, {ROUNDS} rounds)")
    }
}

/// A figure that passes if all ratios do. It is measured again if each of them reached its bar in
/// some round.
fn judged(figure: Figure, shown: &[&Ratio], deciding: &[&Ratio]) -> Figure {
    let shown: Vec<String> = shown.iter().map(|ratio| ratio.shown()).collect();
    let passed = deciding.iter().all(|ratio| ratio.passed());
    let mut figure = figure.measured(shown.join("; "), passed);
    figure.within_spread = deciding.iter().all(|ratio| ratio.spread.max >= ratio.bar);
    figure
}

/// The ratio against the faster of two ways: the smaller one.
fn faster<'a>(one: &'a Ratio, other: &'a Ratio) -> &'a Ratio {
    if one.spread.median <= other.spread.median {
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
pub(crate) fn figures(root: &Path, quick: bool) -> Result<Vec<Figure>> {
    let report = measure(root, quick)?;
    let (value, claude_codes) = (&report.value, &report.claude_codes);
    let decode = Ratio::new("serde_json::Value", 2.5, &value.ratios("decode", "value")?)?;
    let peek = Ratio::new("serde_json::Value", 10.0, &value.ratios("peek", "value")?)?;
    // claude-codes has two ways to read a line: the one in its guide, and the one that its clients
    // call. The faster one decides.
    let guide = Ratio::new(
        "claude-codes as its guide reads a line",
        5.0,
        &claude_codes.ratios("decode", "claude_codes")?,
    )?;
    let clients = Ratio::new(
        "claude-codes as its clients read a line",
        5.0,
        &claude_codes.ratios("decode", "claude_codes_tolerant")?,
    )?;
    let first = Figure::new(
        "decode to typed + raw, recorded corpus, one core, same run, over the lines both parsers accept: against `serde_json::Value` and against `claude-codes`",
        "≥ 2.5× and ≥ 5×",
    )
    .note("the profile and what limits it: docs/proof/decode-profile.md")
    .note("claude-codes has two ways to read a line; the verdict is by the faster one, whichever it is")
    .note("release, thin LTO, one core; rounds interleaved; ratios taken within a round; dropping the result is part of the time; ours checks UTF-8 and keeps the raw line, claude-codes gets text that is already checked")
    .note(format!(
        "{} lines, {:.1} MB; over the {} lines that serde_json takes: {}; over the {} lines that claude-codes takes: {}",
        report.lines,
        report.bytes as f64 / 1e6,
        value.lines,
        value.megabytes_a_second(),
        claude_codes.lines,
        claude_codes.megabytes_a_second(),
    ));
    let second = Figure::new(
        "peek (type, subtype, session, uuid) against `serde_json::Value`",
        "≥ 10×",
    );
    Ok(vec![
        judged(
            first,
            &[&decode, &guide, &clients],
            &[&decode, faster(&guide, &clients)],
        ),
        judged(second, &[&peek], &[&peek]),
    ])
}

fn measure(root: &Path, quick: bool) -> Result<Report> {
    let mut command = on_one_core(&program("protocol-bench", "peers")?);
    let millis = if quick { "40" } else { "150" };
    command.args(["--rounds", &ROUNDS.to_string(), "--millis", millis]);
    report_of(command.args(recordings::stdout_files(root)?))
}

/// Runs a program that prints its report as JSON.
fn report_of<T: DeserializeOwned>(command: &mut Command) -> Result<T> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("{command:?} did not start"))?;
    ensure!(
        output.status.success(),
        "{command:?} failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout)
        .with_context(|| format!("{command:?} printed something else than its report"))
}

/// A command that runs on one core, if `taskset` is installed.
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

/// The output of the memory program for one shape.
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
pub(crate) fn memory() -> Result<Vec<Figure>> {
    let memory = measure_memory()?;
    let text = memory_figure(
        "peak memory to decode a 64 MB line",
        TEXT_BAR,
        &memory,
        |shape| shape != NOT_TEXT,
    );
    let not_text = memory_figure(
        "the same, of a line whose 64 MB are not UTF-8",
        NOT_TEXT_BAR,
        &memory,
        |shape| shape == NOT_TEXT,
    );
    Ok(vec![
        text.note("every shape of text is judged, also those that no CLI prints; the worst decides"),
        not_text
            .note("what limits it: each bad byte reads as U+FFFD, which is three bytes, so the text alone is three times the line, and the line is kept as it came: four times the line is the floor")
            .note("it is eight times because the readable text is made for the whole line before it is decoded; decoding string by string would come to the floor"),
    ])
}

/// The shape of a line that is not text.
const NOT_TEXT: &str = "a text of bytes that are not UTF-8";

fn measure_memory() -> Result<Memory> {
    report_of(Command::new(program("memory", "")?).arg(MEGABYTES.to_string()))
}

/// The figure of the worst of some shapes.
fn memory_figure(
    name: &'static str,
    bar: f64,
    memory: &Memory,
    is_judged: impl Fn(&str) -> bool,
) -> Figure {
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
    let mut figure = Figure::new(name, format!("≤ {bar:.1} × the line"))
        .measured(format!("{factor:.2} × ({shape})"), factor <= bar)
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
        Ratio::new("x", 10.0, rounds).unwrap()
    }

    #[test]
    fn the_median_decides_and_few_rounds_are_an_error() {
        let (low, high) = (vec![9.0; ROUNDS / 2], vec![11.0; ROUNDS - ROUNDS / 2]);
        assert!(ratio(&[low, high].concat()).passed());
        assert!(Ratio::new("x", 10.0, &[11.0; ROUNDS - 1]).is_err());
    }

    #[test]
    fn only_a_miss_within_the_spread_is_measured_again() {
        let verdict = |rounds: &[f64]| {
            let figure = judged(Figure::new("", ""), &[], &[&ratio(rounds)]);
            (figure.passed, figure.within_spread)
        };
        let mut rounds = [9.0; ROUNDS];
        assert_eq!(verdict(&rounds), (false, false));
        rounds[0] = 10.5;
        assert_eq!(verdict(&rounds), (false, true));
        assert_eq!(verdict(&[11.0; ROUNDS]), (true, true));
    }

    #[test]
    fn the_faster_way_of_a_peer_decides() {
        let (slow, fast) = (ratio(&[20.0; ROUNDS]), ratio(&[9.0; ROUNDS]));
        for found in [faster(&slow, &fast), faster(&fast, &slow)] {
            assert!(!found.passed());
        }
    }

    #[test]
    fn ratios_are_taken_round_by_round() {
        let seconds = [("a", vec![1.0, 2.0]), ("b", vec![3.0, 8.0])];
        let part = Part {
            lines: 1,
            bytes: 1,
            seconds: seconds
                .map(|(name, seconds)| (name.to_owned(), seconds))
                .into(),
        };
        assert_eq!(part.ratios("a", "b").unwrap(), [3.0, 4.0]);
        assert!(part.ratios("a", "c").is_err());
    }
}
