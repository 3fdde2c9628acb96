//! The long runs of the fuzzer, and the record of them.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::figure::Figure;
use super::{fuzzer, sources};
use crate::cli_package::workspace_root;

const RECORD: &str = "docs/proof/fuzz.md";
const TARGETS: [&str; 2] = ["framing", "decode"];
const SECONDS: u64 = 600;
/// What stands before the stamp of the sources in the record.
const STAMP: &str = "Sources: ";

/// How to fuzz.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Seconds for each target; a record of less than 600 does not reach the bar.
    #[arg(long, default_value_t = SECONDS)]
    seconds: u64,
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
    // Before the runs: what is changed while they go on was not fuzzed.
    let stamp = sources::stamp(&root)?;
    // Side by side: each fuzzer keeps one core busy.
    let runs = std::thread::scope(|scope| {
        let running = TARGETS.map(|target| {
            scope.spawn({
                let root = &root;
                move || fuzz(root, target, args.seconds)
            })
        });
        running
            .into_iter()
            .map(|run| run.join().map_err(|_| anyhow!("a fuzzer panicked"))?)
            .collect::<Result<Vec<_>>>()
    })?;
    let path = root.join(RECORD);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let record = render(&stamp, &runs);
    std::fs::write(&path, &record).with_context(|| format!("cannot write {RECORD}"))?;
    print!("{record}");
    let findings: u64 = runs.iter().map(|run| run.findings).sum();
    ensure!(findings == 0, "{findings} findings: see fuzz/artifacts");
    Ok(())
}

fn fuzz(root: &Path, target: &str, seconds: u64) -> Result<Run> {
    eprintln!("fuzzing {target} for {seconds} s");
    let corpus = tempfile::tempdir().context("cannot make a folder for the seeds")?;
    fuzzer::write_seeds(root, target, corpus.path())?;
    let launch = fuzzer::Launch::new(root, target, seconds, corpus.path());
    let output = Command::new("cargo")
        .args(launch.args)
        .envs(launch.env)
        .current_dir(root)
        .stdin(Stdio::null())
        .output()
        .context("cargo did not start")?;
    let log = String::from_utf8_lossy(&output.stderr);
    let Some(mut run) = parse(target, seconds, &log) else {
        let end: Vec<&str> = log.lines().rev().take(20).collect();
        bail!(
            "the fuzzer of {target} did not run: {}",
            end.into_iter().rev().collect::<Vec<_>>().join("\n")
        );
    };
    if !output.status.success() {
        run.findings = run.findings.max(1);
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

fn render(stamp: &str, runs: &[Run]) -> String {
    let mut out = format!(
        "# Fuzzing\n\nWritten by `cargo xtask prove fuzz`. CI repeats a minute of it for each target.\n\n\
         {STAMP}{stamp} (of {})\n\n\
         | target | seconds | executions | edges covered | findings |\n|---|---|---|---|---|\n",
        sources::described()
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

/// What the committed record says: ten minutes are too long for every proof.
pub(crate) fn figure(root: &Path) -> Result<Figure> {
    let figure = Figure::new(
        "fuzzing framing and decode, 10 minutes each, 60 s in CI",
        "0 findings",
    );
    let Ok(record) = std::fs::read_to_string(root.join(RECORD)) else {
        return Ok(figure.measured(
            format!("no record: run `cargo xtask prove fuzz`, which writes {RECORD}"),
            false,
        ));
    };
    let runs = read(&record);
    let enough = TARGETS.iter().all(|target| {
        runs.iter()
            .any(|run| run.target == *target && run.seconds >= SECONDS && run.executions > 0)
    });
    let findings: u64 = runs.iter().map(|run| run.findings).sum();
    let now = sources::stamp(root)?;
    let is_current = stamp_in(&record) == Some(now.as_str());
    let age = if is_current {
        format!("of the sources {now}")
    } else {
        format!("STALE: the sources are {now} now, run `cargo xtask prove fuzz`")
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
        .note(format!("from the committed record, {RECORD}")))
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
        let record = render("0123456789abcdef", &runs);
        assert_eq!(read(&record), runs);
        assert_eq!(stamp_in(&record), Some("0123456789abcdef"));
    }

    #[test]
    fn only_a_record_of_these_sources_counts() {
        let root = tempfile::tempdir().expect("a folder");
        let real = workspace_root();
        for part in ["rusty_claw_protocol", "rusty_claw_macros", "rusty_claw"] {
            let folder = root.path().join("crates").join(part).join("src");
            std::fs::create_dir_all(&folder).expect("a folder");
            for file in ["lib.rs", "framing.rs"] {
                std::fs::write(folder.join(file), part).expect("a file");
            }
        }
        let passed = |record: &str| {
            let path = root.path().join(RECORD);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, record).expect("a file");
            figure(root.path()).expect("a figure").passed
        };
        let runs = TARGETS.map(|target| parse(target, 600, LOG).expect("a run"));
        let stamp = sources::stamp(root.path()).expect("a stamp");
        assert!(passed(&render(&stamp, &runs)));
        let other = sources::stamp(&real).expect("a stamp");
        assert!(!passed(&render(&other, &runs)));
        assert!(!passed(&render(&stamp, &runs[..1])));
        let short = TARGETS.map(|target| parse(target, 60, LOG).expect("a run"));
        assert!(!passed(&render(&stamp, &short)));
    }
}
