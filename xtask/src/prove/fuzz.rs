//! The long runs of the fuzzer, and the record of them.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::figure::Figure;
use crate::cli_package::workspace_root;

const RECORD: &str = "docs/proof/fuzz.md";
const TARGETS: [&str; 2] = ["framing", "decode"];
const SECONDS: u64 = 600;

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
    let mut runs = Vec::new();
    for target in TARGETS {
        runs.push(fuzz(&root, target, args.seconds)?);
    }
    let path = root.join(RECORD);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    std::fs::write(&path, render(&runs)).with_context(|| format!("cannot write {RECORD}"))?;
    print!("{}", render(&runs));
    let findings: u64 = runs.iter().map(|run| run.findings).sum();
    ensure!(findings == 0, "{findings} findings: see fuzz/artifacts");
    Ok(())
}

fn fuzz(root: &Path, target: &str, seconds: u64) -> Result<Run> {
    eprintln!("fuzzing {target} for {seconds} s");
    let output = Command::new("cargo")
        .args(["+nightly", "fuzz", "run", target, "--"])
        .arg(format!("-max_total_time={seconds}"))
        .args(["-print_final_stats=1"])
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

fn render(runs: &[Run]) -> String {
    let mut out = String::from(
        "# Fuzzing\n\nWritten by `cargo xtask prove fuzz`. CI repeats a minute of it.\n\n\
         | target | seconds | executions | edges covered | findings |\n|---|---|---|---|---|\n",
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
            format!("{findings} findings ({})", shown.join("; ")),
            enough && findings == 0,
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
        assert_eq!(read(&render(&runs)), runs);
    }
}
