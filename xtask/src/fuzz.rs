//! Runs the targets of `fuzz/`, two at a time.

use std::panic::resume_unwind;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, ensure};

use crate::ci::process::command;
use crate::ci::tools;
use crate::figure::Figure;
use crate::place::workspace_root;

/// How many run at once: each fuzzer keeps one core busy, and small machines have two.
const AT_ONCE: usize = 2;
/// Shorter runs are built quickly and always begin in the same way.
const LONG: u64 = 60;
/// Optimising takes the compiler longer than a short run, and code that is optimised less has the
/// same branches.
const QUICK: [(&str, &str); 2] = [
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1"),
    ("CARGO_PROFILE_RELEASE_DEBUG", "0"),
];

/// A target, its files in `fuzz/seeds`, its dictionary, and the maximum length of an input: longer
/// ones make every step slower and find nothing that shorter ones do not.
type Target = (&'static str, &'static [&'static str], &'static str, u32);

static TARGETS: [Target; 9] = [
    ("framing", &["framing"], "json", 4096),
    ("decode", &["decode"], "json", 4096),
    ("entry", &["entry"], "session", 4096),
    ("salvage", &["entry"], "session", 4096),
    ("repair", &["files"], "session", 4096),
    // Five bytes are a line, and forty lines are enough to go wrong in every way.
    ("repair_lines", &["lines"], "", 200),
    ("shell", &["shell"], "shell", 200),
    ("export", &["files", "texts"], "text", 4096),
    ("redact", &["files", "texts"], "text", 4096),
];

/// What libFuzzer printed about one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) target: &'static str,
    pub(crate) seconds: u64,
    pub(crate) executions: u64,
    /// The number of edges that were covered.
    pub(crate) coverage: u64,
    pub(crate) findings: u64,
}

/// Fuzzes each target for some seconds: those that are named, or all.
pub(crate) fn run(seconds: u64, only: &[String]) -> Result<Vec<Run>> {
    let is_known = |name: &String| TARGETS.iter().any(|it| it.0 == name);
    ensure!(only.iter().all(is_known), "fuzz/ lacks one of {only:?}");
    let is_chosen = |name: &str| only.is_empty() || only.iter().any(|it| it == name);
    let chosen: Vec<_> = TARGETS.iter().filter(|it| is_chosen(it.0)).collect();
    tools::FUZZ.ensure()?;
    // At once, so that no run waits for another one to be built.
    let built = cargo_fuzz("build", seconds).status()?;
    ensure!(built.success(), "the targets of fuzz/ do not build");
    let fuzz_all =
        |part: &[&Target]| -> Vec<_> { part.iter().map(|it| fuzz(it, seconds)).collect() };
    thread::scope(|scope| {
        let parts = chosen.chunks(chosen.len().div_ceil(AT_ONCE));
        let threads: Vec<_> = parts
            .map(|part| scope.spawn(move || fuzz_all(part)))
            .collect();
        let runs = threads.into_iter().map(|thread| thread.join());
        runs.flat_map(|run| run.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    })
}

/// A figure for each target.
pub(crate) fn figures(seconds: u64) -> Result<Vec<Figure>> {
    let figure = |run: Run| {
        let Run {
            target,
            executions,
            coverage,
            findings,
            ..
        } = run;
        let measured = format!("{findings}, {executions} executions, {coverage} edges covered");
        Figure::new(format!("fuzzing {target} for {seconds} s"), "0 findings")
            .measured(measured, findings == 0)
    };
    Ok(run(seconds, &[])?.into_iter().map(figure).collect())
}

fn fuzz((target, seeds, words, most): &Target, seconds: u64) -> Result<Run> {
    let root = workspace_root();
    let corpus = tempfile::tempdir().context("cannot make a folder for the seeds")?;
    write_seeds(seeds, corpus.path())?;
    let mut command = cargo_fuzz("run", seconds);
    command.arg(target).arg(corpus.path()).arg("--");
    command.args(["-print_final_stats=1", "-timeout=25"]);
    command.arg(format!("-max_total_time={seconds}"));
    command.arg(format!("-max_len={most}"));
    if seconds < LONG {
        command.arg("-seed=1");
    }
    if !words.is_empty() {
        let words = root.join(format!("fuzz/{words}.dict"));
        command.arg(format!("-dict={}", words.display()));
    }
    let output = command.output().context("cargo did not start")?;
    let log = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = log.lines().collect();
    let end = lines[lines.len().saturating_sub(40)..].join("\n");
    let run = read_log(target, seconds, &log);
    let mut run = run.with_context(|| format!("the fuzzer of {target} did not run: {end}"))?;
    if !output.status.success() {
        run.findings = run.findings.max(1);
        eprintln!("{target} found something, see fuzz/artifacts/{target}: {end}");
    }
    Ok(run)
}

/// `cargo fuzz` with a toolchain that has the flags of the fuzzer.
fn cargo_fuzz(action: &str, seconds: u64) -> Command {
    let mut command = command("cargo");
    if tools::has_toolchain("nightly") {
        command.arg("+nightly");
    } else {
        command.env("RUSTC_BOOTSTRAP", "1");
    }
    command
        .args(["fuzz", action])
        .current_dir(workspace_root())
        .stdin(Stdio::null());
    if seconds < LONG {
        // The targets call no unsafe code of ours, so a short run does without AddressSanitizer.
        command.args(["--sanitizer", "none"]).envs(QUICK);
    }
    command
}

/// Writes seeds into a folder, each into a file. In `fuzz/seeds` they are texts, in which each
/// character is a byte.
fn write_seeds(names: &[&str], folder: &Path) -> Result<()> {
    for name in names {
        let text = std::fs::read(workspace_root().join(format!("fuzz/seeds/{name}.json")))?;
        let seeds: Vec<String> = serde_json::from_slice(&text)?;
        for (index, seed) in seeds.iter().enumerate() {
            let bytes: Vec<u8> = seed.chars().map(u8::try_from).collect::<Result<_, _>>()?;
            std::fs::write(folder.join(format!("{name}-{index:04}")), bytes)?;
        }
    }
    Ok(())
}

/// Reads what libFuzzer prints; none when it never ran.
fn read_log(target: &'static str, seconds: u64, log: &str) -> Option<Run> {
    let last = |key: &str| {
        let (_, rest) = log.rsplit_once(key)?;
        rest.split_whitespace().next()?.parse().ok()
    };
    Some(Run {
        target,
        seconds,
        executions: last("stat::number_of_executed_units:").or_else(|| last("\nDone "))?,
        coverage: last(" cov: ")?,
        findings: log.matches("SUMMARY: ").count() as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_of_a_run_is_read() {
        let log = "#2 INITED cov: 10 ft: 11\n#900 DONE   cov: 321 ft: 400 corp: 9/1Kb\n\
            Done 900 runs in 601 second(s)\nstat::number_of_executed_units: 900\n";
        let run = read_log("decode", 600, log).unwrap();
        assert_eq!((run.executions, run.coverage, run.findings), (900, 321, 0));
        let crashed = format!("{log}SUMMARY: libFuzzer: deadly signal\n");
        assert_eq!(read_log("decode", 600, &crashed).unwrap().findings, 1);
        assert_eq!(read_log("decode", 600, "error: could not compile"), None);
    }

    #[test]
    fn every_target_has_seeds_and_words() {
        let manifest = std::fs::read_to_string(workspace_root().join("fuzz/Cargo.toml")).unwrap();
        let paths = manifest
            .lines()
            .filter(|line| line.starts_with("path = \"fuzz_targets/"));
        assert_eq!(paths.count(), TARGETS.len());
        for (target, seeds, words, most) in TARGETS {
            assert!(
                manifest.contains(&format!("\"fuzz_targets/{target}.rs\"")),
                "{target}"
            );
            let folder = tempfile::tempdir().unwrap();
            write_seeds(seeds, folder.path()).unwrap();
            let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
            assert!(files.len() >= 3, "{target}");
            for file in files {
                let length = file.unwrap().metadata().unwrap().len();
                assert!(length <= u64::from(most), "{target}");
            }
            let words = workspace_root().join(format!("fuzz/{words}.dict"));
            assert!(words.is_file() || target == "repair_lines");
        }
    }
}
