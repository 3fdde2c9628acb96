//! Runs programs side by side and measures each: time, processor, peak memory.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::program;
use crate::source::Source;
use claw_testkit::figure::Spread;

/// One command line, with the only environment that it gets.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    pub(crate) name: String,
    program: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    /// Exit codes that mean that the work was done.
    done: Vec<i32>,
    /// What it writes; removed before each run, so that no run finds the work done.
    output: Option<PathBuf>,
}

impl Task {
    /// A program that finds `source` wherever it looks for session files, and no network.
    pub(crate) fn new(name: &str, program: impl Into<PathBuf>, source: &Source) -> Self {
        let environment = [
            ("HOME", source.home().as_os_str()),
            ("CLAUDE_CONFIG_DIR", source.config().as_os_str()),
            // Caches and settings of a program are not written to the session folder.
            ("XDG_CACHE_HOME", source.private().as_os_str()),
            ("XDG_CONFIG_HOME", source.private().as_os_str()),
            ("XDG_DATA_HOME", source.private().as_os_str()),
            ("XDG_STATE_HOME", source.private().as_os_str()),
            ("TMPDIR", source.private().as_os_str()),
            ("PATH", "/usr/local/bin:/usr/bin:/bin".as_ref()),
            ("LANG", "C.UTF-8".as_ref()),
            ("TZ", "UTC".as_ref()),
            ("NO_COLOR", "1".as_ref()),
            // The port is closed: network requests of a program fail at once.
            ("http_proxy", "http://127.0.0.1:9".as_ref()),
            ("https_proxy", "http://127.0.0.1:9".as_ref()),
            ("HTTP_PROXY", "http://127.0.0.1:9".as_ref()),
            ("HTTPS_PROXY", "http://127.0.0.1:9".as_ref()),
        ];
        Self {
            name: name.to_owned(),
            program: program.into(),
            arguments: Vec::new(),
            environment: environment
                .into_iter()
                .map(|(key, value)| (key.into(), value.to_owned()))
                .collect(),
            done: vec![0],
            output: None,
        }
    }

    pub(crate) fn args<A: Into<OsString>>(
        mut self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// It writes this file or folder.
    pub(crate) fn onto(mut self, output: &Path) -> Self {
        self.output = Some(output.to_owned());
        self
    }

    /// These exit codes too mean that the work was done.
    pub(crate) fn may_exit_with(mut self, codes: &[i32]) -> Self {
        self.done.extend(codes);
        self
    }
}

/// What one run took.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Took {
    /// Seconds.
    pub(crate) wall: f64,
    /// Seconds on processors, of the program and its children.
    pub(crate) processor: f64,
    /// Bytes.
    pub(crate) peak: f64,
    code: Option<i32>,
}

/// Starts programs through `measure`.
pub(crate) struct Runner {
    measure: PathBuf,
    folder: tempfile::TempDir,
}

impl Runner {
    /// Finds the program that measures.
    pub(crate) fn find() -> Result<Self> {
        Ok(Self {
            measure: program("measure")?,
            folder: tempfile::tempdir()?,
        })
    }

    /// Runs once and returns the output.
    pub(crate) fn output(&self, task: &Task) -> Result<(Vec<u8>, Took)> {
        let printed = self.folder.path().join("stdout");
        let took = self.run(task, &printed)?;
        let output =
            std::fs::read(&printed).with_context(|| format!("{} printed nothing", task.name))?;
        Ok((output, took))
    }

    /// Runs all of them again and again, taking turns, after a round that does not count.
    pub(crate) fn rounds(&self, tasks: &[Task], rounds: usize) -> Result<Rounds> {
        // What an earlier group wrote (an export of everything is hundreds of megabytes) is not to be
        // written to the disk while this one is timed.
        let _ = Command::new("sync").status();
        let printed = self.folder.path().join("stdout");
        let mut all: Vec<(String, Vec<Took>)> = tasks
            .iter()
            .map(|task| (task.name.clone(), Vec::new()))
            .collect();
        for round in 0..=rounds {
            // Each begins a round in its turn, so that none always runs after the same other one.
            for step in 0..tasks.len() {
                let index = (round + step) % tasks.len();
                let (Some(task), Some((_, runs))) = (tasks.get(index), all.get_mut(index)) else {
                    continue;
                };
                let took = self.run(task, &printed)?;
                if round > 0 {
                    runs.push(took);
                }
            }
        }
        Ok(Rounds { all })
    }

    fn run(&self, task: &Task, printed: &Path) -> Result<Took> {
        let report = self.folder.path().join("report.json");
        let errors = self.folder.path().join("stderr");
        // A report of an earlier run must not pass for this one's.
        if report.exists() {
            std::fs::remove_file(&report)?;
        }
        if let Some(output) = &task.output {
            clear(output)?;
        }
        let mut command = on_two_processors(&self.measure)?;
        command
            .arg(&report)
            .arg(&task.program)
            .args(&task.arguments)
            .env_clear()
            .envs(task.environment.iter().map(|(key, value)| (key, value)))
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(std::fs::File::create(printed)?)
            .stderr(std::fs::File::create(&errors)?);
        let status = command.status().context("measure did not start")?;
        let stderr = || {
            let text = std::fs::read(&errors).unwrap_or_default();
            let text = String::from_utf8_lossy(&text).replace('\n', " ");
            text.chars().take(300).collect::<String>()
        };
        ensure!(status.success(), "{}: {}", task.name, stderr());
        let took: Took = serde_json::from_slice(&std::fs::read(&report)?)
            .context("measure wrote something else than its report")?;
        ensure!(
            took.code.is_some_and(|code| task.done.contains(&code)),
            "{} ended with {:?}: {}",
            task.name,
            took.code,
            stderr()
        );
        Ok(took)
    }
}

fn clear(output: &Path) -> Result<()> {
    let removed = if output.is_dir() {
        std::fs::remove_dir_all(output)
    } else if output.exists() {
        std::fs::remove_file(output)
    } else {
        Ok(())
    };
    removed.with_context(|| format!("cannot remove {}", output.display()))
}

/// The bars are for two processors: on a larger machine, all contenders get two of them.
fn on_two_processors(program: &Path) -> Result<Command> {
    if std::thread::available_parallelism()?.get() <= 2 {
        return Ok(Command::new(program));
    }
    let mut command = Command::new("taskset");
    command.args(["-c", "0,1"]).arg(program);
    Ok(command)
}

/// What all runs of all contenders took.
#[derive(Debug)]
pub(crate) struct Rounds {
    all: Vec<(String, Vec<Took>)>,
}

impl Rounds {
    /// One quantity of a contender.
    pub(crate) fn spread(&self, name: &str, quantity: fn(&Took) -> f64) -> Result<Spread> {
        let values: Vec<f64> = self.of(name)?.iter().map(quantity).collect();
        Spread::of(&values).with_context(|| format!("no rounds of {name}"))
    }

    /// How many times as long the first took as the second, within each round.
    pub(crate) fn ratio(&self, name: &str, other: &str) -> Result<Spread> {
        let pairs = self.of(name)?.iter().zip(self.of(other)?);
        let ratios: Vec<f64> = pairs.map(|(one, other)| one.wall / other.wall).collect();
        Spread::of(&ratios).with_context(|| format!("no rounds of {name} and {other}"))
    }

    /// The one of these with the smallest median time.
    pub(crate) fn fastest<'a>(&self, names: &[&'a str]) -> Result<&'a str> {
        let mut fastest: Option<(&str, f64)> = None;
        for name in names {
            let median = self.spread(name, |took| took.wall)?.median;
            if fastest.is_none_or(|(_, best)| median < best) {
                fastest = Some((name, median));
            }
        }
        Ok(fastest.context("there is nobody to compare with")?.0)
    }

    /// A table of all contenders, for the notes of a figure.
    pub(crate) fn table(&self, bytes: u64) -> Result<Vec<String>> {
        let mut rows = vec![
            "| who | time (min–max) | processor | peak memory | MB/s |".to_owned(),
            "|---|---|---|---|---|".to_owned(),
        ];
        for (name, _) in &self.all {
            let wall = self.spread(name, |took| took.wall)?;
            rows.push(format!(
                "| {name} | {:.3} s ({:.3}–{:.3}) | {:.2} s | {:.1} MB | {:.0} |",
                wall.median,
                wall.min,
                wall.max,
                self.spread(name, |took| took.processor)?.median,
                self.spread(name, |took| took.peak)?.median / 1e6,
                bytes as f64 / wall.median / 1e6,
            ));
        }
        Ok(rows)
    }

    fn of(&self, name: &str) -> Result<&[Took]> {
        self.all
            .iter()
            .find_map(|(found, runs)| (found == name).then_some(runs.as_slice()))
            .with_context(|| format!("{name} was not measured"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn took(wall: f64) -> Took {
        Took {
            wall,
            processor: wall,
            peak: 1e6,
            code: Some(0),
        }
    }

    fn rounds() -> Rounds {
        let runs = |walls: &[f64]| walls.iter().copied().map(took).collect();
        Rounds {
            all: vec![
                ("slow".to_owned(), runs(&[4.0, 9.0, 8.0])),
                ("fast".to_owned(), runs(&[1.0, 3.0, 2.0])),
            ],
        }
    }

    #[test]
    fn ratios_are_taken_within_a_round() {
        let ratio = rounds().ratio("slow", "fast").unwrap();
        assert_eq!((ratio.median, ratio.min, ratio.max), (4.0, 3.0, 4.0));
        assert!(rounds().ratio("slow", "nobody").is_err());
    }

    #[test]
    fn the_smallest_median_is_the_fastest() {
        assert_eq!(rounds().fastest(&["slow", "fast"]).unwrap(), "fast");
        assert!(rounds().fastest(&[]).is_err());
    }

    #[test]
    fn a_table_has_a_row_for_each_contender() {
        let table = rounds().table(8_000_000).unwrap();
        assert_eq!(table.len(), 4);
        assert_eq!(
            table[2],
            "| slow | 8.000 s (4.000–9.000) | 8.00 s | 1.0 MB | 1 |"
        );
    }
}
