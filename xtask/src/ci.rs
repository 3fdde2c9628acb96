//! The CI jobs: one table, run the same way on a laptop and on a build machine.
//!
//! `.ci/run` and the workflow file only start `cargo xtask ci`. A new job is a new line in [`JOBS`].

mod arrows;
mod cargo_jobs;
mod guards;
pub(crate) mod job;
mod listed;
mod msrv;
pub(crate) mod named_tests;
mod neutral;
mod nightly;
pub(crate) mod process;
pub(crate) mod source_files;
pub(crate) mod tests;
pub(crate) mod tools;
mod typescript;
mod unsafe_code;

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Result, bail};

use job::Job;
use job::Runs::{Full, Local, Nightly, Quick};

/// Every job, in the order of a run: the cheap and most often failing ones come first.
///
/// A nightly job also runs in `all` if the paths that it guards have changed since it last passed:
/// see [`guards`].
#[rustfmt::skip] // One line per job is what makes it a table.
const JOBS: &[Job] = &[
    Job::new("fmt", Quick, "sources are formatted", cargo_jobs::fmt),
    Job::new("size", Quick, "no budget of lines, files or import cycles is exceeded", crate::size::run),
    Job::new("neutral", Quick, "no machine paths, host names or keys", neutral::run),
    Job::new("unsafe", Quick, "unsafe code in one module only", unsafe_code::run),
    Job::new("arrows", Quick, "dependencies point one way", arrows::run),
    Job::new("listed", Quick, "lock files are current, pages and named tests exist", listed::run),
    Job::new("clippy", Quick, "all targets, warnings denied", cargo_jobs::clippy),
    Job::new("build", Quick, "programs, tests and examples, once for all jobs", cargo_jobs::build),
    Job::new("test", Full, "tests without retries, some on the real CLI", tests::run),
    Job::new("changed", Local, "the tests of changed crates and of those that depend on them", tests::run_changed),
    Job::new("generated", Quick, "generated files are not stale", cargo_jobs::generated),
    Job::new("typescript", Quick, "the TypeScript client compiles and its tests pass", typescript::run),
    Job::new("defaults", Full, "the product builds without warnings with default features", cargo_jobs::defaults),
    Job::new("doctest", Full, "examples in doc comments run", cargo_jobs::doctest),
    Job::new("docs", Full, "rustdoc, warnings denied", cargo_jobs::docs),
    Job::new("deny", Nightly, "licences, bans and sources", cargo_jobs::deny),
    Job::new("msrv", Nightly, "the declared Rust version is enough", msrv::run),
    Job::new("advisories", Nightly, "no dependency has a known vulnerability", cargo_jobs::advisories),
    Job::new("record", Nightly, "a tenth of the recordings match the CLI", nightly::record),
    Job::new("drift", Nightly, "nothing of the CLI is untyped", nightly::drift),
    Job::new("fuzz", Nightly, "each fuzz target for some seconds", nightly::fuzz),
    Job::new("simulation", Nightly, "20,000 seeds of the simulation", nightly::simulation),
    Job::new("store", Nightly, "the contract of a store on a NATS server", nightly::store),
    Job::new("planted", Nightly, "the contract suite and the checker find planted bugs", nightly::planted),
    Job::new("proofs", Nightly, "slow figures on the real CLI, at small sizes", nightly::proofs),
    Job::new("bench", Nightly, "every bench runs to its end, at small sizes", nightly::bench),
];

/// What to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Names of jobs, or the sets `all`, `quick` and `nightly`.
    jobs: Vec<String>,
    /// Print the jobs and the sets they belong to.
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if args.list {
        return list();
    }
    let jobs = select(&args.jobs, |job| guards::has_changed(job.name))?;
    let outcomes = std::env::var_os(job::SUMMARY).map(PathBuf::from);
    let failed = job::run_all(&jobs, outcomes.as_deref())?;
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
fn select(names: &[String], has_changed: impl Fn(&Job) -> bool) -> Result<Vec<&'static Job>> {
    if names.is_empty() {
        bail!(
            "no jobs given: name `all`, `quick`, `nightly` or names from `cargo xtask ci --list`"
        );
    }
    for name in names {
        let is_set = ["all", "quick", "nightly"].contains(&name.as_str());
        if !is_set && JOBS.iter().all(|job| job.name != name) {
            bail!("there is no CI job `{name}`: `cargo xtask ci --list` lists them");
        }
    }
    let wanted = |job: &&Job| {
        names.iter().any(|name| match name.as_str() {
            "all" => match job.runs {
                Quick | Full => true,
                Local => false,
                Nightly => has_changed(job),
            },
            "quick" => [Local, Quick].contains(&job.runs),
            "nightly" => job.runs == Nightly,
            name => job.name == name,
        })
    };
    Ok(JOBS.iter().filter(wanted).collect())
}

#[cfg(test)]
mod table {
    use super::*;

    fn names(wanted: &[&str], has_changed: bool) -> Vec<&'static str> {
        let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
        let jobs = select(&wanted, |_| has_changed).unwrap();
        jobs.iter().map(|job| job.name).collect()
    }

    #[test]
    fn sets_contain_one_another_and_nightly_jobs_run_after_a_change() {
        let [quick, all, changed] = [("quick", false), ("all", false), ("all", true)]
            .map(|(set, has_changed)| names(&[set], has_changed));
        assert!(quick.len() < all.len() && all.len() < changed.len());
        let only_quick: Vec<_> = quick.iter().filter(|job| !all.contains(job)).collect();
        assert_eq!(only_quick, [&"changed"]);
        assert_eq!(changed.len() + only_quick.len(), JOBS.len());
    }

    #[test]
    fn a_job_named_twice_runs_once_in_table_order() {
        assert_eq!(names(&["size", "fmt", "size"], false), ["fmt", "size"]);
    }

    #[test]
    fn an_unknown_job_is_an_error_and_not_an_empty_run() {
        let error = select(&["formt".to_owned()], |_| true).unwrap_err();
        assert!(error.to_string().contains("`formt`"), "{error}");
        assert!(select(&[], |_| true).is_err());
    }

    #[test]
    fn the_workflow_runs_all_jobs_of_a_push_and_of_a_night() {
        let workflow = include_str!("../../.github/workflows/ci.yml");
        assert!(workflow.contains("'schedule' && 'nightly' || 'all'"));
        assert!(workflow.contains("run: bash .ci/run \"$JOBS\""));
    }

    #[test]
    fn nightly_jobs_guard_paths_and_only_they() {
        for job in JOBS {
            let guards = guards::paths(job.name);
            assert_eq!(job.runs == Nightly, !guards.is_empty(), "{}", job.name);
            for path in guards {
                let list = ["ls-files", "--error-unmatch", "--", path];
                let found = process::Cmd::new("git").args(list).text();
                assert!(found.is_ok(), "no file matches {path}");
            }
        }
    }

    #[test]
    fn names_are_unique() {
        for (index, job) in JOBS.iter().enumerate() {
            let is_new = JOBS[..index].iter().all(|earlier| earlier.name != job.name);
            assert!(is_new, "{}", job.name);
        }
    }
}
