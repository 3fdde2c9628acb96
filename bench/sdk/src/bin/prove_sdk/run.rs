//! Runs one driver through one fault, and looks for processes that are left.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use claw_testkit::figure::quick;
use claw_testkit::processes::{self, RUN};
use claw_testkit::{FakeScript, Step};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::program;
use crate::rows::Row;

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
pub(crate) struct Driver {
    pub(crate) name: &'static str,
    pub(crate) program: PathBuf,
    /// Arguments before those that all drivers take.
    pub(crate) args: Vec<OsString>,
}

/// What a driver prints.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Report {
    pub(crate) outcome: String,
    pub(crate) messages: u64,
    pub(crate) ordered: bool,
    pub(crate) error: Option<String>,
    pub(crate) ms: f64,
    pub(crate) peak_kib: u64,
    pub(crate) receipt_ms: Option<f64>,
    #[serde(flatten)]
    pub(crate) notes: Map<String, Value>,
}

/// The result of a fault.
#[derive(Debug, Clone, Default)]
pub(crate) struct Run {
    pub(crate) report: Report,
    /// The command lines of processes that were alive after [`leak_after`].
    pub(crate) leaked: Vec<String>,
    /// When the last process was gone.
    pub(crate) gone_after: Option<Duration>,
    /// The answer to a permission request that the CLI received.
    pub(crate) answer: Option<Value>,
}

impl Run {
    /// How many messages were unread when the turn was interrupted.
    pub(crate) fn unread(&self) -> Option<u64> {
        self.report.notes.get("unread")?.as_u64()
    }

    /// The reason of a denied permission.
    pub(crate) fn deny(&self) -> Option<&str> {
        let response = self.answer.as_ref()?.get("response")?;
        (response.get("behavior")? == "deny").then_some(())?;
        response.get("message")?.as_str()
    }
}

/// Runs a driver through a row.
pub(crate) fn run(driver: &Driver, row: &Row) -> Result<Run> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let cli = folder.path().join("claude");
    std::os::unix::fs::symlink(program("fake-claude")?, &cli)?;
    let answers = folder.path().join("answers.ndjson");
    let script = script(row, &answers)?;
    std::fs::write(folder.path().join("fake-claude.json"), script.to_json()?)?;
    let id = folder.path().display().to_string();
    let limit = row.limit();
    let errors = folder.path().join("driver-errors.txt");
    let mut child = Command::new(&driver.program)
        .args(&driver.args)
        .arg(&cli)
        .args([row.name, &limit.as_secs().to_string()])
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder.path())
        .env(RUN, &id)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(std::fs::File::create(&errors)?)
        .process_group(0)
        .spawn()
        .with_context(|| format!("the driver of {} did not start", driver.name))?;
    let watched = Watched {
        host: child.id(),
        settings: vec![
            format!("{RUN}={id}"),
            format!("RUSTY_CLAW_CUSTODY={}.", child.id()),
        ],
    };
    let heard = first_line(&mut child, limit + DEAF);
    // A process that it left behind may hold its output open.
    let broke = match heard {
        Heard::Line(_) => false,
        Heard::End => true,
        Heard::Silence => child.try_wait()?.is_some(),
    };
    let hangs = match &heard {
        Heard::Line(line) => line.contains(r#""hang""#),
        Heard::End | Heard::Silence => true,
    };
    let (leaked, gone_after) = if hangs {
        // The session is still open.
        (Vec::new(), None)
    } else {
        watched.wait()
    };
    // A driver ends at the end of its input.
    drop(child.stdin.take());
    let status = watched.end(&mut child)?;
    if broke {
        // A defect of the driver, not of the SDK.
        bail!(
            "the driver of {} failed in the row {}: {status}: {}",
            driver.name,
            row.name,
            last_lines(&errors)
        );
    }
    let report = match heard {
        Heard::Line(line) => serde_json::from_str(&line)
            .with_context(|| format!("the driver of {} printed {line:?}", driver.name))?,
        Heard::End | Heard::Silence => Report {
            outcome: "hang".to_owned(),
            error: Some("the driver runs and prints nothing".to_owned()),
            ..Report::default()
        },
    };
    let answer = std::fs::read_to_string(&answers).ok();
    Ok(Run {
        report,
        leaked,
        gone_after,
        answer: answer.and_then(|answer| serde_json::from_str(answer.lines().next()?).ok()),
    })
}

/// The fault's script. Quick runs have a tenth of the messages and of the silence.
fn script(row: &Row, answers: &Path) -> Result<FakeScript> {
    let mut script = FakeScript::fault(row.fault)?;
    let steps = script.turns.iter_mut().flat_map(|turn| &mut turn.steps);
    for step in steps {
        match step {
            Step::Flood(flood) if quick() && row.is_scaled => flood.count /= 10,
            Step::SleepMs(ms) if quick() => *ms /= 10,
            Step::Permission(permission) => permission.record = Some(answers.to_owned()),
            _ => {}
        }
    }
    Ok(script)
}

/// The end of what a driver printed on standard error.
fn last_lines(errors: &Path) -> String {
    let bytes = std::fs::read(errors).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.split_at(lines.len().saturating_sub(10)).1;
    if last.is_empty() {
        "it printed no error".to_owned()
    } else {
        last.join(" / ")
    }
}

/// The output of a driver.
enum Heard {
    Line(String),
    /// Its output ended without a line.
    End,
    /// Nothing in time.
    Silence,
}

/// The first line of a driver's output.
fn first_line(child: &mut Child, limit: Duration) -> Heard {
    let Some(stdout) = child.stdout.take() else {
        return Heard::End;
    };
    let (line, lines) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        if BufReader::new(stdout).read_line(&mut text).is_ok() && !text.is_empty() {
            // The receiver is gone if the line is late.
            let _ = line.send(text);
        }
    });
    match lines.recv_timeout(limit) {
        Ok(line) => Heard::Line(line),
        Err(RecvTimeoutError::Disconnected) => Heard::End,
        Err(RecvTimeoutError::Timeout) => Heard::Silence,
    }
}

/// The processes of a run.
struct Watched {
    host: u32,
    settings: Vec<String>,
}

impl Watched {
    /// All but the host itself.
    fn others(&self) -> Vec<u32> {
        let mut others = processes::carrying(&self.settings);
        others.retain(|pid| *pid != self.host);
        others
    }

    /// Waits until all but the host are gone; returns those that were late, and the time.
    fn wait(&self) -> (Vec<String>, Option<Duration>) {
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

    /// Kills all that is left; returns the status of the host.
    fn end(&self, child: &mut Child) -> Result<ExitStatus> {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(2) && child.try_wait()?.is_none() {
            std::thread::sleep(GLANCE);
        }
        if child.try_wait()?.is_none() {
            processes::kill(&[-i64::from(self.host)])?;
        }
        let status = child.wait()?;
        let left: Vec<i64> = self.others().into_iter().map(i64::from).collect();
        processes::kill(&left)?;
        Ok(status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::ROWS;

    #[test]
    fn driver_that_fails_is_an_error_and_no_hang() {
        let driver = Driver {
            name: "a peer",
            program: "sh".into(),
            args: ["-c", "echo 'no such module' >&2; exit 3", "driver"]
                .map(OsString::from)
                .to_vec(),
        };
        let error = run(&driver, &ROWS[0]).expect_err("the driver fails");
        let error = error.to_string();
        assert!(error.contains("exit status: 3"), "{error}");
        assert!(error.contains("no such module"), "{error}");
    }
}
