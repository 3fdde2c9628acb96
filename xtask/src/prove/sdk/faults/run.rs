//! One driver, one fault, and what is left of it.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
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
        .stderr(Stdio::null())
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
    let told = first_line(&mut child, limit + DEAF);
    let hangs = told
        .as_deref()
        .is_none_or(|line| line.contains(r#""hang""#));
    let (leaked, gone_after) = if hangs {
        // Who has not let go leaves nothing behind yet.
        (Vec::new(), None)
    } else {
        watched.wait()
    };
    // The end of its input tells a driver to go.
    drop(child.stdin.take());
    let ended = watched.end(&mut child);
    let told = match told {
        Some(line) => serde_json::from_str(&line)
            .with_context(|| format!("the driver of {} printed {line:?}", driver.name))?,
        None => Told {
            outcome: "hang".to_owned(),
            error: Some("the driver says nothing at all".to_owned()),
            ..Told::default()
        },
    };
    ended?;
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

/// The first line of a driver's output, when it comes in time.
fn first_line(child: &mut Child, limit: Duration) -> Option<String> {
    let stdout = child.stdout.take()?;
    let (line, told) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        if BufReader::new(stdout).read_line(&mut text).is_ok() && !text.is_empty() {
            // Nobody listens any more when it came too late.
            let _ = line.send(text);
        }
    });
    told.recv_timeout(limit).ok()
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

    /// Ends whatever is left, the host included.
    fn end(&self, child: &mut Child) -> Result<()> {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(2) && child.try_wait()?.is_none() {
            std::thread::sleep(GLANCE);
        }
        if child.try_wait()?.is_none() {
            processes::kill(&[-i64::from(self.host)])?;
            child.wait()?;
        }
        let left: Vec<i64> = self.others().into_iter().map(i64::from).collect();
        processes::kill(&left)
    }
}
