//! Runs one driver through one fault, and looks for processes that are left.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use claw_testkit::figure::quick;
use claw_testkit::processes::{self, RUN};
use claw_testkit::{FakeScript, Step};
use serde_json::Value;

use super::driver::Report;
use super::rows::Row;
use crate::process::{fake_cli, isolate};

/// The driver of our SDK.
pub const OURS: &str = "faults-ours";

/// How long a process may live after the host has closed the session. Quick runs allow more: CI may
/// share its processors.
fn leak_after() -> Duration {
    Duration::from_secs(if quick() { 12 } else { 5 })
}
/// A driver reports by itself that it hangs. One that does not is killed after this time.
const DEAF: Duration = Duration::from_secs(30);
/// How long to look for processes that end late.
const LOOKED_FOR: Duration = Duration::from_secs(15);
const GLANCE: Duration = Duration::from_millis(50);

/// A program that runs one query with some SDK.
#[derive(Debug, Clone)]
pub struct Driver {
    /// The name of the SDK.
    pub name: &'static str,
    /// The program.
    pub program: PathBuf,
    /// Arguments before those that all drivers take.
    pub args: Vec<OsString>,
}

impl Driver {
    /// A driver that is one of this program's own [`Program`](crate::Program)s.
    ///
    /// # Errors
    /// Returns an error if this program has no path.
    pub fn own(name: &'static str, program: &str) -> Result<Self> {
        Ok(Self {
            name,
            program: std::env::current_exe()?,
            args: vec![program.into()],
        })
    }
}

/// The result of a fault.
#[derive(Debug, Clone)]
pub struct Run {
    /// What the driver printed.
    pub report: Report,
    /// The command lines of processes that were alive late.
    pub leaked: Vec<String>,
    /// When the last process was gone.
    pub gone_after: Option<Duration>,
    /// The answer to a permission request that the CLI received.
    pub answer: Option<Value>,
}

impl Run {
    /// How many messages were unread when the turn was interrupted.
    pub fn unread(&self) -> Option<u64> {
        self.report.notes.get("unread")?.as_u64()
    }
}

/// Runs a driver through a row.
///
/// # Errors
/// Returns an error if the driver fails, which says nothing about its SDK.
pub fn run(driver: &Driver, row: &Row) -> Result<Run> {
    let home = tempfile::tempdir()?;
    let folder = home.path();
    let (answers, errors) = (folder.join("answers.ndjson"), folder.join("errors.txt"));
    let cli = fake_cli(folder, &script(row, &answers)?)?;
    let mut command = Command::new(&driver.program);
    isolate(&mut command, folder)
        .args(&driver.args)
        .arg(&cli)
        .args([row.name, &row.limit().as_secs().to_string()])
        .env(RUN, folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(std::fs::File::create(&errors)?)
        .process_group(0);
    let started = command.spawn();
    let child = started.with_context(|| format!("the driver of {} did not start", driver.name))?;
    let mark = format!("{RUN}={}", folder.display());
    let custody = format!("RUSTY_CLAW_CUSTODY={}.", child.id());
    let mut host = Host {
        child,
        settings: [mark, custody],
    };
    let report: Report = match host.first_line(row.limit() + DEAF) {
        Ok(line) => serde_json::from_str(&line)
            .with_context(|| format!("the driver of {} printed {line:?}", driver.name))?,
        Err(RecvTimeoutError::Timeout) if host.child.try_wait()?.is_none() => Report {
            outcome: "hang".to_owned(),
            error: Some("the driver runs and prints nothing".to_owned()),
            ..Report::default()
        },
        // A process that it left behind may hold its output open.
        Err(_) => {
            let (status, errors) = (host.end()?, std::fs::read(&errors)?);
            let errors = String::from_utf8_lossy(&errors).replace('\n', " / ");
            let (sdk, row) = (driver.name, row.name);
            bail!("the driver of {sdk} failed in {row}: {status}: {errors}");
        }
    };
    // After a hang the session is still open.
    let is_closed = report.outcome != "hang";
    let waited = is_closed.then(|| host.wait_for_others());
    let (leaked, gone_after) = waited.unwrap_or_default();
    host.end()?;
    let answer = std::fs::read_to_string(&answers).ok();
    Ok(Run {
        report,
        leaked,
        gone_after,
        answer: answer.and_then(|answer| serde_json::from_str(answer.lines().next()?).ok()),
    })
}

/// Runs all drivers through all rows, one after another. Rows in which nothing happens for long run
/// beside the others.
///
/// # Errors
/// Returns the first error of a driver.
pub fn run_all(drivers: &[Driver], rows: &[Row]) -> Result<Vec<Vec<Run>>> {
    let busy = Mutex::new(());
    let run = |driver, row: &Row| {
        let _turn = (!row.waits).then(|| busy.lock());
        run(driver, row)
    };
    std::thread::scope(|scope| {
        let start = |row| {
            let drivers = drivers.iter();
            drivers.map(move |driver| scope.spawn(move || run(driver, row)))
        };
        let started: Vec<Vec<_>> = rows.iter().map(|row| start(row).collect()).collect();
        let join = |run: ScopedJoinHandle<'_, Result<Run>>| {
            run.join().map_err(|_| anyhow!("a run panicked")).flatten()
        };
        started
            .into_iter()
            .map(|runs| runs.into_iter().map(join).collect())
            .collect()
    })
}

/// The fault's script. Quick runs have a tenth of the messages and of the silence.
fn script(row: &Row, answers: &Path) -> Result<FakeScript> {
    let mut script = FakeScript::fault(row.fault)?;
    for step in script.turns.iter_mut().flat_map(|turn| &mut turn.steps) {
        match step {
            Step::Flood(flood) if quick() && row.is_scaled => flood.count /= 10,
            Step::SleepMs(ms) if quick() => *ms /= 10,
            Step::Permission(permission) => permission.record = Some(answers.to_owned()),
            _ => {}
        }
    }
    Ok(script)
}

/// A driver and the processes of its run.
struct Host {
    child: Child,
    /// How its processes are recognized.
    settings: [String; 2],
}

impl Host {
    /// The first line of the output. The end of it without a line is `Disconnected`.
    fn first_line(&mut self, limit: Duration) -> Result<String, RecvTimeoutError> {
        let output = self.child.stdout.take();
        let stdout = output.ok_or(RecvTimeoutError::Disconnected)?;
        let (line, lines) = mpsc::channel();
        std::thread::spawn(move || {
            let mut text = String::new();
            if BufReader::new(stdout).read_line(&mut text).is_ok() && !text.is_empty() {
                // The receiver is gone if the line is late.
                let _ = line.send(text);
            }
        });
        lines.recv_timeout(limit)
    }

    /// The processes other than the driver.
    fn others(&self) -> Vec<u32> {
        let mut others = processes::carrying(&self.settings);
        others.retain(|pid| *pid != self.child.id());
        others
    }

    /// Waits until the others are gone; returns those that were late, and the time.
    fn wait_for_others(&self) -> (Vec<String>, Option<Duration>) {
        let begin = Instant::now();
        let mut late = Vec::new();
        loop {
            let others = self.others();
            let waited = begin.elapsed();
            if others.is_empty() || waited >= LOOKED_FOR {
                return (late, others.is_empty().then_some(waited));
            }
            if late.is_empty() && waited >= leak_after() {
                late.extend(others.into_iter().map(processes::command_line));
            }
            std::thread::sleep(GLANCE);
        }
    }

    /// Ends the driver and kills what is left; returns the status of the driver.
    fn end(&mut self) -> std::io::Result<ExitStatus> {
        // It ends at the end of its input.
        drop(self.child.stdin.take());
        let begin = Instant::now();
        while self.child.try_wait()?.is_none() {
            if begin.elapsed() > Duration::from_secs(2) {
                processes::kill(&[-i64::from(self.child.id())])?;
            }
            std::thread::sleep(GLANCE);
        }
        let left: Vec<i64> = self.others().into_iter().map(i64::from).collect();
        processes::kill(&left)?;
        self.child.wait()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// The first 120 characters, without line breaks and column separators, for a table.
pub fn one_line(text: &str) -> String {
    let text: String = text.chars().take(120).collect();
    text.replace(['\n', '\r'], " ").replace('|', "\\|")
}
