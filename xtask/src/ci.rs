//! The CI jobs: one table, run the same way on a laptop and on a build machine.
//!
//! `.ci/run` and the workflow file only start `cargo xtask ci`. A new job is a new line in [`JOBS`].

mod arrows;
mod cargo_jobs;
#[cfg(test)]
mod defects;
pub(crate) mod examples;
mod fuzz_smoke;
mod job;
mod msrv;
mod neutral;
mod process;
pub(crate) mod readme;
mod size;
pub(crate) mod source_files;
pub(crate) mod tools;
mod typescript;
mod unsafe_code;

use std::io::Write as _;

use anyhow::{Result, bail};

use job::Job;
use job::Runs::{Full, Quick};

/// The figures that do not depend on the load of the machine. `cargo xtask prove protocol` also
/// measures speed and the age of the fuzzing record; CI fuzzes in its own job.
const PROVE_QUICK: &[&str] = &[
    "prove",
    "protocol",
    "--quick",
    "--only",
    "types,recordings,samples,documents,hostile,memory,reference",
];

/// The SDK on the real CLI and on its stand-in. CPU time, other SDKs and figures with their own job
/// are measured by `cargo xtask prove sdk`.
const PROVE_SDK_QUICK: &[&str] = &[
    "prove",
    "sdk",
    "--quick",
    "--only",
    "smoke,permissions,tools,elicitations,verbs,hooks,options,typescript,settings,moved,attach,faults,faults-real,turns,cost-idle,sessions,messages",
];

/// Session files, on the real CLI and on a fifth of the corpora. Times are measured by
/// `cargo xtask prove transcript`, beside other tools, on an idle machine.
const PROVE_TRANSCRIPT_QUICK: &[&str] = &[
    "prove",
    "transcript",
    "--quick",
    "--only",
    "bytes,traps,usage-truth,mutations,repair,redact,kinds,memory,follow",
];

/// The server's projections over recordings and made-up sessions.
const PROVE_SERVER_QUICK: &[&str] = &["prove", "server", "--quick"];

/// Sessions on stores. Times are measured by `cargo xtask prove store`, on an idle machine.
const PROVE_STORE_QUICK: &[&str] = &[
    "prove",
    "store",
    "--quick",
    "--only",
    "contract-one,laws,answers,killed",
];

/// Every job, in the order of a full run: the cheap and most often failing ones come first.
#[rustfmt::skip] // One line per job is what makes it a table.
const JOBS: &[Job] = &[
    Job::call("fmt", Quick, "sources are formatted", cargo_jobs::fmt),
    Job::call("size", Quick, "no source file is too long", size::run),
    Job::call("neutral", Quick, "no machine paths, host names or keys", neutral::run),
    Job::call("unsafe", Quick, "unsafe code in one module only", unsafe_code::run),
    Job::call("arrows", Quick, "dependencies point one way", arrows::run),
    Job::call("clippy", Quick, "all targets, warnings denied", cargo_jobs::clippy),
    Job::call("test", Quick, "nextest without retries", cargo_jobs::test),
    Job::call("doctest", Quick, "examples in doc comments run", cargo_jobs::doctest),
    Job::xtask("generated", Quick, "generated files are not stale", &["codegen", "--check"]),
    Job::call("typescript", Quick, "the TypeScript client compiles and its tests pass", typescript::run),
    Job::call("examples", Full, "examples run without a key", examples::run),
    Job::call("readme", Full, "the README's commands work as printed", readme::run),
    Job::call("docs", Full, "rustdoc, warnings denied", cargo_jobs::docs),
    Job::call("msrv", Full, "the declared Rust is enough", msrv::run),
    Job::call("deny", Full, "licences, bans and sources", cargo_jobs::deny),
    Job::call("advisories", Full, "no dependency has a known vulnerability", cargo_jobs::advisories),
    Job::xtask("record-quick", Full, "recordings match the CLI", &["record", "--verify", "--quick"]),
    Job::xtask("drift", Full, "nothing of the CLI is untyped", &["drift"]),
    Job::xtask("prove-quick", Full, "the protocol's bars hold", PROVE_QUICK),
    Job::xtask("prove-sdk-quick", Full, "the SDK's bars hold", PROVE_SDK_QUICK),
    Job::xtask("prove-transcript-quick", Full, "session files keep their bars", PROVE_TRANSCRIPT_QUICK),
    Job::xtask("prove-server-quick", Full, "front ends can rely on events", PROVE_SERVER_QUICK),
    Job::xtask("prove-store-quick", Full, "nothing acknowledged is lost", PROVE_STORE_QUICK),
    Job::call("fuzz-smoke", Full, "1,000 fixed inputs per fuzz target", fuzz_smoke::run),
];

/// What to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Names of jobs, or the sets `all` and `quick`.
    jobs: Vec<String>,
    /// Print the jobs and the sets they belong to.
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if args.list {
        return list();
    }
    let failed = job::run_all(&select(&args.jobs)?)?;
    if failed > 0 {
        // Returning an error would print a line after the summary, whose last line scripts read.
        std::process::exit(1);
    }
    Ok(())
}

fn list() -> Result<()> {
    let mut out = std::io::stdout().lock();
    for job in JOBS {
        writeln!(out, "{:<12} {:<8} {}", job.name, job.runs.label(), job.what)?;
    }
    Ok(())
}

/// Turns names into jobs, in the order of the table and each once.
fn select(names: &[String]) -> Result<Vec<&'static Job>> {
    if names.is_empty() {
        bail!("no jobs given: name `all`, `quick` or names from `cargo xtask ci --list`");
    }
    for name in names {
        let known = name == "all" || name == "quick" || JOBS.iter().any(|job| job.name == name);
        if !known {
            bail!("there is no CI job `{name}`: `cargo xtask ci --list` names them");
        }
    }
    let wanted = |job: &&Job| {
        names.iter().any(|name| match name.as_str() {
            "all" => true,
            "quick" => job.runs == Quick,
            name => job.name == name,
        })
    };
    Ok(JOBS.iter().filter(wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(wanted: &[&str]) -> Vec<&'static str> {
        let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
        select(&wanted)
            .unwrap()
            .iter()
            .map(|job| job.name)
            .collect()
    }

    #[test]
    fn quick_is_a_true_part_of_all() {
        let (quick, all) = (names(&["quick"]), names(&["all"]));
        assert!(quick.len() < all.len());
        assert!(quick.iter().all(|job| all.contains(job)));
    }

    #[test]
    fn a_job_named_twice_runs_once_in_table_order() {
        assert_eq!(names(&["size", "fmt", "size"]), ["fmt", "size"]);
    }

    #[test]
    fn an_unknown_job_is_an_error_and_not_an_empty_run() {
        let error = select(&["formt".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("`formt`"), "{error}");
        assert!(select(&[]).is_err());
    }

    /// The workflow splits the full run over machines, so a job that no entry names runs nowhere.
    #[test]
    fn the_workflow_runs_every_job_of_a_full_run_once() {
        let workflow = include_str!("../../.github/workflows/ci.yml");
        let entries: Vec<Vec<&str>> = workflow
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("jobs: "))
            .map(|jobs| jobs.split_whitespace().collect())
            .collect();
        let mut run: Vec<&str> = entries.iter().flat_map(|jobs| names(jobs)).collect();
        let mut all = names(&["all"]);
        run.sort_unstable();
        all.sort_unstable();
        assert_eq!(run, all);
    }

    #[test]
    fn names_are_unique() {
        for (index, job) in JOBS.iter().enumerate() {
            assert!(
                JOBS[..index].iter().all(|earlier| earlier.name != job.name),
                "{}",
                job.name
            );
        }
    }
}
