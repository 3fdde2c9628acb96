//! The long runs of the fuzzer, and the record of them.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::figure::Figure;
use super::fuzzer::{self, Build};
use super::sources::{self, Sources};
use crate::cli_package::workspace_root;

const SECONDS: u64 = 600;
/// The text before the stamp of the sources in a record.
const STAMP: &str = "Sources: ";

/// Targets that one record is about, so that a change elsewhere does not make it old.
#[derive(Debug)]
pub(crate) struct Campaign {
    name: &'static str,
    targets: &'static [&'static str],
    record: &'static str,
    sources: Sources,
    figure: &'static str,
}

/// Lines of the CLI.
pub(crate) const PROTOCOL: Campaign = Campaign {
    name: "protocol",
    targets: &["framing", "decode"],
    record: "docs/proof/fuzz.md",
    sources: sources::PROTOCOL,
    figure: "fuzzing framing and decode, 10 minutes each, 1,000 inputs in CI",
};

/// Session files.
pub(crate) const SESSION_FILES: Campaign = Campaign {
    name: "transcript",
    targets: &["entry", "salvage", "repair", "repair_lines"],
    record: "docs/proof/fuzz-transcript.md",
    sources: sources::SESSION_FILES,
    figure: "fuzzing entry, salvage and repair (two targets), 10 minutes each, 1,000 inputs in CI",
};

const CAMPAIGNS: [&Campaign; 2] = [&PROTOCOL, &SESSION_FILES];

/// How to fuzz.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Seconds for each target; a record of less than 600 does not reach the bar.
    #[arg(long, default_value_t = SECONDS)]
    seconds: u64,
    /// Only these targets' record: protocol, transcript.
    #[arg(long, value_parser = ["protocol", "transcript"])]
    only: Option<String>,
    /// Write no record.
    #[arg(long)]
    no_record: bool,
}

/// One row of the record.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Run {
    target: String,
    seconds: u64,
    executions: u64,
    coverage: u64,
    findings: u64,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let root = workspace_root();
    fuzzer::build(Build::Optimised, &root)?;
    let chosen = |campaign: &&Campaign| args.only.as_ref().is_none_or(|only| only == campaign.name);
    let mut findings = 0;
    for campaign in CAMPAIGNS.into_iter().filter(chosen) {
        findings += campaign.run(&root, args)?;
    }
    ensure!(findings == 0, "{findings} findings: see fuzz/artifacts");
    Ok(())
}

impl Campaign {
    /// Runs all targets and writes the record; how much was found.
    fn run(&self, root: &Path, args: &Args) -> Result<u64> {
        // Before the runs: later changes were not fuzzed.
        let stamp = self.sources.stamp(root)?;
        let runs = fuzzer::side_by_side(self.targets, |target| fuzz(root, target, args.seconds));
        let runs: Result<Vec<Run>> = runs.into_iter().collect();
        let runs = runs?;
        let record = self.render(&stamp, &runs);
        if !args.no_record {
            let path = root.join(self.record);
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)
                    .with_context(|| format!("cannot create {}", folder.display()))?;
            }
            std::fs::write(&path, &record)
                .with_context(|| format!("cannot write {}", self.record))?;
        }
        print!("{record}");
        Ok(runs.iter().map(|run| run.findings).sum())
    }
}

fn fuzz(root: &Path, target: &str, seconds: u64) -> Result<Run> {
    eprintln!("fuzzing {target} for {seconds} s");
    let corpus = tempfile::tempdir().context("cannot make a folder for the seeds")?;
    fuzzer::write_seeds(root, target, corpus.path())?;
    let limit = format!("-max_total_time={seconds}");
    let launch = fuzzer::Launch::new(Build::Optimised, root, target, &limit, corpus.path());
    let output = launch
        .command(root)
        .output()
        .context("cargo did not start")?;
    let log = String::from_utf8_lossy(&output.stderr);
    let Some(mut run) = parse(target, seconds, &log) else {
        bail!("the fuzzer of {target} did not run: {}", fuzzer::end(&log));
    };
    if !output.status.success() {
        run.findings = run.findings.max(1);
        eprintln!("{target} found something: {}", fuzzer::end(&log));
    }
    Ok(run)
}

/// Reads what libFuzzer prints; none when it never ran.
fn parse(target: &str, seconds: u64, log: &str) -> Option<Run> {
    let number_after = |line: &str, key: &str| -> Option<u64> {
        let rest = line.split_once(key)?.1.trim_start();
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    let executions = log.lines().rev().find_map(|line| {
        number_after(line, "stat::number_of_executed_units:")
            .or_else(|| number_after(line, "Done "))
    })?;
    let coverage = log
        .lines()
        .rev()
        .find_map(|line| number_after(line, " cov: "))?;
    let findings = log
        .lines()
        .filter(|line| line.contains("SUMMARY: "))
        .count() as u64;
    Some(Run {
        target: target.to_owned(),
        seconds,
        executions,
        coverage,
        findings,
    })
}

/// The stamp of the sources that the record is about.
fn stamp_in(record: &str) -> Option<&str> {
    let line = record.lines().find_map(|line| line.strip_prefix(STAMP))?;
    line.split(' ').next()
}

fn read(record: &str) -> Vec<Run> {
    record
        .lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let [target, seconds, executions, coverage, findings] = cells.as_slice() else {
                return None;
            };
            Some(Run {
                target: (*target).to_owned(),
                seconds: seconds.parse().ok()?,
                executions: executions.parse().ok()?,
                coverage: coverage.parse().ok()?,
                findings: findings.parse().ok()?,
            })
        })
        .collect()
}

impl Campaign {
    fn render(&self, stamp: &str, runs: &[Run]) -> String {
        let mut out = format!(
            "# Fuzzing\n\nWritten by `cargo xtask prove fuzz --only {}`. CI runs 1,000 fixed inputs through each target.\n\n\
         {STAMP}{stamp} (of {})\n\n\
         | target | seconds | executions | edges covered | findings |\n|---|---|---|---|---|\n",
            self.name,
            self.sources.described()
        );
        for run in runs {
            // Writing to a String cannot fail.
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} |",
                run.target, run.seconds, run.executions, run.coverage, run.findings
            );
        }
        out
    }

    /// Read from the committed record: ten minutes are too long for every proof.
    pub(crate) fn figure(&self, root: &Path) -> Result<Figure> {
        let figure = Figure::new(self.figure, "0 findings");
        let command = format!("cargo xtask prove fuzz --only {}", self.name);
        let Ok(record) = std::fs::read_to_string(root.join(self.record)) else {
            return Ok(figure.measured(
                format!("no record: run `{command}`, which writes {}", self.record),
                false,
            ));
        };
        let runs = read(&record);
        let enough = self.targets.iter().all(|target| {
            runs.iter()
                .any(|run| run.target == *target && run.seconds >= SECONDS && run.executions > 0)
        });
        let findings: u64 = runs.iter().map(|run| run.findings).sum();
        let now = self.sources.stamp(root)?;
        let is_current = stamp_in(&record) == Some(now.as_str());
        let age = if is_current {
            format!("of the sources {now}")
        } else {
            format!("STALE: the sources are {now} now, run `{command}`")
        };
        let shown: Vec<String> = runs
            .iter()
            .map(|run| {
                format!(
                    "{} {} s, {} executions",
                    run.target, run.seconds, run.executions
                )
            })
            .collect();
        Ok(figure
            .measured(
                format!("{findings} findings ({}); {age}", shown.join("; ")),
                enough && findings == 0 && is_current,
            )
            .note(format!("from the committed record, {}", self.record)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "#2 INITED cov: 10 ft: 11\n#900 DONE   cov: 321 ft: 400 corp: 9/1Kb\nDone 900 runs in 601 second(s)\nstat::number_of_executed_units: 900\n";

    #[test]
    fn the_log_of_a_run_is_read() {
        let run = parse("decode", 600, LOG).expect("a run");
        assert_eq!((run.executions, run.coverage, run.findings), (900, 321, 0));
        let crashed = format!("{LOG}SUMMARY: libFuzzer: deadly signal\n");
        assert_eq!(parse("decode", 600, &crashed).expect("a run").findings, 1);
        assert_eq!(parse("decode", 600, "error: could not compile"), None);
    }

    #[test]
    fn the_record_is_read_as_it_was_written() {
        let runs = vec![
            parse("framing", 600, LOG).expect("a run"),
            parse("decode", 60, LOG).expect("a run"),
        ];
        let record = PROTOCOL.render("0123456789abcdef", &runs);
        assert_eq!(read(&record), runs);
        assert_eq!(stamp_in(&record), Some("0123456789abcdef"));
    }

    #[test]
    fn only_a_record_of_these_sources_counts() {
        let root = tempfile::tempdir().expect("a folder");
        let real = workspace_root();
        for part in PROTOCOL.sources.parts() {
            let path = root.path().join(part);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            if path.extension().is_none() {
                std::fs::create_dir_all(&path).expect("a folder");
                std::fs::write(path.join("lib.rs"), part).expect("a file");
            } else {
                std::fs::write(path, part).expect("a file");
            }
        }
        let passed = |record: &str| {
            let path = root.path().join(PROTOCOL.record);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, record).expect("a file");
            PROTOCOL.figure(root.path()).expect("a figure").passed
        };
        let runs = |seconds| -> Vec<Run> {
            let runs = PROTOCOL.targets.iter();
            runs.map(|target| parse(target, seconds, LOG).expect("a run"))
                .collect()
        };
        let (runs, short) = (runs(600), runs(60));
        let render = |stamp: &str, runs: &[Run]| PROTOCOL.render(stamp, runs);
        let stamp = PROTOCOL.sources.stamp(root.path()).expect("a stamp");
        assert!(passed(&render(&stamp, &runs)));
        let other = PROTOCOL.sources.stamp(&real).expect("a stamp");
        assert!(!passed(&render(&other, &runs)));
        assert!(!passed(&render(&stamp, &runs[..1])));
        assert!(!passed(&render(&stamp, &short)));
    }
}
