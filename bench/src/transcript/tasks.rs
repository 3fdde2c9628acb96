//! Runs programs side by side and measures each: time, processor, peak memory.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use claw_testkit::figure::{Figure, Spread, quick};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::corpora::Source;
use crate::process::{measured, on_cores};
use crate::rounds::{Rounds, spread};

const PRIVATE: &str = "XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME TMPDIR";

/// The number of runs of each contender. It is fixed, so that a run cannot be stopped at a good
/// result.
pub(super) fn rounds() -> usize {
    if quick() { 1 } else { 7 }
}

/// A command line over session files.
#[derive(Debug)]
pub struct Task<'a> {
    name: &'static str,
    program: PathBuf,
    args: Vec<OsString>,
    source: &'a Source,
    most: i32,
    output: Option<PathBuf>,
}

impl<'a> Task<'a> {
    /// A program that finds these session files wherever it looks for some.
    pub fn new(name: &'static str, program: impl Into<PathBuf>, source: &'a Source) -> Self {
        Self {
            name,
            program: program.into(),
            args: Vec::new(),
            source,
            most: 0,
            output: None,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item: Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// The highest exit code that means that the work was done.
    #[must_use]
    pub fn may_exit_with(self, most: i32) -> Self {
        Self { most, ..self }
    }

    /// Names the folder that it writes. It is removed before each run, so that no run finds its work
    /// done.
    #[must_use]
    pub fn onto(mut self, output: &Path) -> Self {
        self.output = Some(output.to_owned());
        self.args([output])
    }

    /// Runs it once and returns what it printed.
    ///
    /// # Errors
    /// Returns an error with its standard error if it fails.
    pub fn printed(&self) -> Result<Vec<u8>> {
        self.run()?;
        Ok(fs::read(self.stdout())?)
    }

    /// Runs it once and decodes the JSON that it printed.
    ///
    /// # Errors
    /// Returns an error if it fails or prints something else.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T> {
        let printed = serde_json::from_slice(&self.printed()?);
        printed.with_context(|| format!("{} printed something else", self.name))
    }

    fn stdout(&self) -> PathBuf {
        self.source.private.path().join("stdout")
    }

    /// Runs it once.
    ///
    /// # Errors
    /// Returns an error with its standard error if it fails.
    pub fn run(&self) -> Result<Took> {
        if let Some(output) = self.output.as_deref().filter(|output| output.exists()) {
            fs::remove_dir_all(output)?;
        }
        let private = self.source.private.path();
        let mut command = measured("measure", private)?;
        // Caches and settings of a program are not written to the session folder.
        for name in PRIVATE.split_whitespace() {
            command.env(name, private);
        }
        // The port is closed: network requests of a program fail at once.
        for name in ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"] {
            command.env(name, "http://127.0.0.1:9");
        }
        let output = command
            .env("HOME", &self.source.home)
            .env("CLAUDE_CONFIG_DIR", self.source.config())
            .envs([("LANG", "C.UTF-8"), ("TZ", "UTC"), ("NO_COLOR", "1")])
            .args([self.stdout().into(), OsString::from(self.most.to_string())])
            .arg(&self.program)
            .args(&self.args)
            .stdin(Stdio::null())
            .output()?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{}: {errors}", self.name);
        Ok(serde_json::from_slice(&output.stdout)?)
    }
}

/// What one run took.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Took {
    /// Seconds.
    pub wall: f64,
    /// Seconds on processors, of the program and its children.
    pub processor: f64,
    /// The largest resident memory, in bytes.
    pub peak: f64,
}

/// `measure STDOUT CODE PROGRAM [ARGUMENTS]`: runs one program, whose exit code may be up to CODE, and
/// prints what it took.
///
/// Each run needs its own process: the kernel keeps the largest peak of all children that a process
/// has waited for, so only a process with one child can read that child's peak. A child's peak begins
/// with the memory of the process that started it, which is small here.
pub(super) fn measure(args: &[String]) -> Result<()> {
    let [stdout, most, program, args @ ..] = args else {
        bail!("usage: measure STDOUT CODE PROGRAM [ARGUMENTS]");
    };
    // The bars are for two processors.
    on_cores(2)?;
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null());
    command.stdout(File::create(stdout)?);
    let begin = Instant::now();
    let status = command.status();
    let wall = begin.elapsed().as_secs_f64();
    let status = status.with_context(|| format!("{program} did not start"))?;
    let most: i32 = most.parse()?;
    let is_done = status.code().is_some_and(|code| code <= most);
    ensure!(is_done, "{status}");
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let took = Took {
        wall,
        processor: seconds(usage.user_time()) + seconds(usage.system_time()),
        // Linux counts in kibibytes.
        peak: usage.max_rss() as f64 * 1024.0,
    };
    println!("{}", serde_json::to_string(&took)?);
    Ok(())
}

fn seconds(time: TimeVal) -> f64 {
    time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6
}

/// What all runs of all contenders took.
#[derive(Debug)]
pub struct Runs {
    /// Seconds.
    pub walls: Rounds,
    all: Vec<(&'static str, Vec<Took>)>,
}

impl Runs {
    /// Runs all of them again and again, taking turns, after a round that does not count.
    ///
    /// # Errors
    /// Returns the first error of a task.
    pub fn measure(tasks: &[Task<'_>]) -> Result<Self> {
        // The files of the corpus are not to be written to the disk while programs are timed.
        Command::new("sync").status()?;
        for task in tasks {
            task.run()?;
        }
        let names: Vec<_> = tasks.iter().map(|task| task.name).collect();
        let mut all: Vec<_> = names.iter().map(|name| (*name, Vec::new())).collect();
        let walls = Rounds::measure(rounds(), &names, |at| {
            let took = tasks[at].run()?;
            all[at].1.push(took);
            Ok(took.wall)
        })?;
        Ok(Self { walls, all })
    }

    /// The peak memory of a contender.
    ///
    /// # Errors
    /// Returns an error if it was not measured.
    pub fn peak(&self, name: &str) -> Result<Spread> {
        let found = self.all.iter().find(|(known, _)| *known == name);
        let (_, runs) = found.with_context(|| format!("{name} was not measured"))?;
        spread(&runs.iter().map(|took| took.peak).collect::<Vec<_>>())
    }

    /// Adds a table of all contenders as the first notes of a figure: right behind a list, it would be
    /// a part of that.
    ///
    /// # Errors
    /// Returns an error if there were no rounds.
    pub fn with_table(&self, mut figure: Figure, bytes: u64) -> Result<Figure> {
        let mut rows = vec![
            "| who | time (min–max) | processor | peak memory | MB/s |".to_owned(),
            "|---|---|---|---|---|".to_owned(),
        ];
        for (name, runs) in &self.all {
            let of = |value: fn(&Took) -> f64| spread(&runs.iter().map(value).collect::<Vec<_>>());
            let wall = of(|took| took.wall)?;
            rows.push(format!(
                "| {name} | {} | {:.2} s | {:.1} MB | {:.0} |",
                in_seconds(wall),
                of(|took| took.processor)?.median,
                of(|took| took.peak)?.median / 1e6,
                bytes as f64 / wall.median / 1e6,
            ));
        }
        figure.notes.splice(0..0, rows);
        Ok(figure)
    }
}

/// Times in words.
pub fn in_seconds(Spread { median, min, max }: Spread) -> String {
    format!("{median:.3} s ({min:.3}–{max:.3})")
}
