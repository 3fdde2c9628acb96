//! One driver, one fault, and what is left of it.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use claw_testkit::{FakeScript, Step};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::processes::{self, RUN};
use super::rows::Row;

/// How long a process may live after the host let go of it.
pub(super) const LEAK_AFTER: Duration = Duration::from_secs(5);
/// A driver says itself that it hangs; one that cannot even do that is ended.
const DEAF: Duration = Duration::from_secs(30);
/// Who does not let go of a process at all, or only later, is told apart.
const LOOKED_FOR: Duration = Duration::from_secs(15);
const GLANCE: Duration = Duration::from_millis(50);

/// A program that runs one query with some SDK.
#[derive(Debug, Clone)]
pub(crate) struct Driver {
    pub(crate) name: &'static str,
    pub(crate) program: PathBuf,
    /// What comes before the arguments that all drivers take.
    pub(crate) args: Vec<OsString>,
}

/// What a driver prints.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Told {
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

/// What came of a fault.
#[derive(Debug, Clone, Default)]
pub(crate) struct Run {
    pub(crate) told: Told,
    /// Processes that were alive [`LEAK_AFTER`] the host let go, and what they are.
    pub(crate) leaked: Vec<String>,
    /// When the last process was gone.
    pub(crate) gone_after: Option<Duration>,
    /// The answer to a permission question, as the CLI got it.
    pub(crate) answer: Option<Value>,
}

impl Run {
    /// How many messages waited to be read when the turn was interrupted.
    pub(crate) fn unread(&self) -> Option<u64> {
        self.told.notes.get("unread")?.as_u64()
    }

    /// Why a tool was not allowed to run, when that was the answer.
    pub(crate) fn deny(&self) -> Option<&str> {
        let response = self.answer.as_ref()?.get("response")?;
        (response.get("behavior")? == "deny").then_some(())?;
        response.get("message")?.as_str()
    }
}

/// Runs a driver through a row.
pub(crate) fn run(driver: &Driver, row: &Row, fake: &Path, quick: bool) -> Result<Run> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let cli = folder.path().join("claude");
    std::os::unix::fs::symlink(fake, &cli)?;
    let answers = folder.path().join("answers.ndjson");
    let script = script(row, quick, &answers)?;
    std::fs::write(folder.path().join("fake-claude.json"), script.to_json()?)?;
    let id = uuid::Uuid::new_v4();
    let limit = row.limit(quick);
    let errors = folder.path().join("driver-errors.txt");
    let mut child = Command::new(&driver.program)
        .args(&driver.args)
        .arg(&cli)
        .args([row.name, &limit.as_secs().to_string()])
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder.path())
        .env(RUN, id.to_string())
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
    // Also when a process that it left behind holds its output open.
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
        // Who has not let go leaves nothing behind yet.
        (Vec::new(), None)
    } else {
        watched.wait()
    };
    // The end of its input tells a driver to go.
    drop(child.stdin.take());
    let status = watched.end(&mut child)?;
    if broke {
        // Ours to mend: it says nothing about the SDK.
        bail!(
            "the driver of {} broke down in the row {}: {status}: {}",
            driver.name,
            row.name,
            last_lines(&errors)
        );
    }
    let told = match heard {
        Heard::Line(line) => serde_json::from_str(&line)
            .with_context(|| format!("the driver of {} printed {line:?}", driver.name))?,
        Heard::End | Heard::Silence => Told {
            outcome: "hang".to_owned(),
            error: Some("the driver runs and says nothing at all".to_owned()),
            ..Told::default()
        },
    };
    let answer = std::fs::read_to_string(&answers).ok();
    Ok(Run {
        told,
        leaked,
        gone_after,
        answer: answer.and_then(|answer| serde_json::from_str(answer.lines().next()?).ok()),
    })
}

/// The fault's script. Quick runs have a tenth of the messages and of the silence.
fn script(row: &Row, quick: bool, answers: &Path) -> Result<FakeScript> {
    let mut script = FakeScript::fault(row.fault)?;
    let steps = script.turns.iter_mut().flat_map(|turn| &mut turn.steps);
    for step in steps {
        match step {
            Step::Flood(flood) if quick && row.is_scaled => flood.count /= 10,
            Step::SleepMs(ms) if quick => *ms /= 10,
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

/// What a driver printed.
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
    let (line, told) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        if BufReader::new(stdout).read_line(&mut text).is_ok() && !text.is_empty() {
            // Nobody listens any more when it came too late.
            let _ = line.send(text);
        }
    });
    match told.recv_timeout(limit) {
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

    /// Waits until all but the host are gone; says which were not in time, and when they were.
    fn wait(&self) -> (Vec<String>, Option<Duration>) {
        let begin = Instant::now();
        let mut late = Vec::new();
        loop {
            let others = self.others();
            let waited = begin.elapsed();
            if others.is_empty() || waited >= LOOKED_FOR {
                return (late, others.is_empty().then_some(waited));
            }
            if late.is_empty() && waited >= LEAK_AFTER {
                late.extend(others.into_iter().map(processes::command_line));
            }
            std::thread::sleep(GLANCE);
        }
    }

    /// Ends whatever is left, the host included; says how that ended.
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
    use super::super::rows::ROWS;
    use super::*;

    #[test]
    fn a_driver_that_breaks_down_is_an_error_and_no_hang() {
        let driver = Driver {
            name: "a peer",
            program: "sh".into(),
            args: ["-c", "echo 'no such module' >&2; exit 3", "driver"]
                .map(OsString::from)
                .to_vec(),
        };
        let error = run(&driver, &ROWS[0], Path::new("/bin/true"), true).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("exit status: 3"), "{error}");
        assert!(error.contains("no such module"), "{error}");
    }
}
