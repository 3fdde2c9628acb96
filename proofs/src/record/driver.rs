//! Runs one scenario against the real CLI and keeps every byte of the exchange.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use claw_testkit::processes;
use claw_testkit::recordings::pins;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use super::api::Api;
use super::neutral::{Machine, Neutral};
use super::scenario::{Exit, Place, Scenario, Step, user_frame};
use super::tape::{Tape, read_stdout, reply_frame};
use super::{files, frame, json_text};

/// The CLI's key; any text, because the API is scripted.
const KEY: &str = "recording-key-000000";
/// The arguments every host passes.
const FIXED_ARGS: &str = "--output-format stream-json --verbose --input-format stream-json";

/// One finished run, already independent of this machine. What is serialized is known beside its
/// lines.
#[derive(Debug, Serialize)]
pub(super) struct Recording {
    pub(super) name: String,
    about: String,
    cli_version: String,
    argv: Vec<String>,
    cwd: String,
    env: BTreeMap<String, String>,
    /// Absent when a signal ended the process.
    exit_code: Option<i32>,
    /// The signal that ended the process.
    signal: Option<i32>,
    /// The first characters of stderr.
    stderr: String,
    /// How many writes and lines followed each other: `in 1, out 4, eof`.
    exchange: String,
    #[serde(skip)]
    pub(super) stdin: Vec<u8>,
    #[serde(skip)]
    pub(super) stdout: Vec<String>,
    #[serde(skip)]
    pub(super) sessions: Vec<(PathBuf, Vec<u8>)>,
}

/// Runs a scenario in a fresh root, behind those that it continues.
pub(super) async fn record(chain: &[Scenario], binary: &Path) -> Result<Recording> {
    // The name has a constant length, so that nothing that depends on lengths differs between runs.
    let folder = tempfile::Builder::new()
        .prefix("cr-")
        .rand_bytes(6)
        .tempdir_in("/tmp")?;
    let root = folder.path().to_str();
    let root = root.context("the temporary folder's name is not text")?;
    let mut vars = BTreeMap::new();
    let mut last = None;
    for scenario in chain {
        let run = run_in(root, scenario, binary, &mut vars).await;
        last = Some(run.with_context(|| format!("scenario {}", scenario.name))?);
    }
    last.context("no scenario")
}

async fn run_in(
    root: &str,
    scenario: &Scenario,
    binary: &Path,
    vars: &mut BTreeMap<String, String>,
) -> Result<Recording> {
    files::lay_out(Path::new(root), scenario)?;
    let place = Place { root, vars };
    let api = Api::start(scenario, &place).await?;
    let fixed = FIXED_ARGS.split(' ').filter(|_| !scenario.bare_args);
    let own = scenario.args.iter().map(|arg| place.text(arg));
    let args: Vec<String> = fixed.map(str::to_owned).chain(own).collect();
    let port = api.0.address().port();
    let env = environment(scenario, &place, port);
    let mut child = program(scenario, binary)
        .args(&args)
        .env_clear()
        .envs(&env)
        .current_dir(place.text(scenario.cwd()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .context("the CLI did not start")?;
    let pid = child.id().context("the CLI has no process")?;
    let tape = Arc::new(Tape::new(child.stdin.take(), scenario, root));
    let stdout = child.stdout.take().context("no stdout")?;
    let mut stderr = child.stderr.take().context("no stderr")?;
    let reader = tokio::spawn(read_stdout(stdout, Arc::clone(&tape)));
    let errors = tokio::spawn(async move {
        let mut text = Vec::new();
        stderr.read_to_end(&mut text).await.map(|_| text)
    });

    let mut run = Run {
        tape: &tape,
        api: &api,
        root,
        vars,
        child: &mut child,
        cursor: 0,
        number: 0,
    };
    let limit = Duration::from_secs(scenario.within_s.unwrap_or(60));
    let outcome = timeout(limit, run.play(&scenario.steps)).await;
    let mut outcome = outcome.unwrap_or_else(|_| Err(anyhow!("timed out after {limit:?}")));
    let stderr = match &outcome {
        Ok(_) => {
            reader.await.context("the reader of stdout failed")??;
            errors.await.context("the reader of stderr failed")??
        }
        // A process that the CLI started may keep the pipe open.
        Err(_) => {
            child.start_kill().ok();
            let text = timeout(Duration::from_secs(2), errors).await;
            let text = text.ok().and_then(Result::ok).and_then(Result::ok);
            text.unwrap_or_default()
        }
    };
    let wanted = scenario.exit;
    if let Ok(exit) = outcome
        && exit != wanted
    {
        outcome = Err(anyhow!("the CLI ended with {exit:?}, not {wanted:?}"));
    }
    if let Err(error) = outcome.and_then(|_| api.0.finish().map_err(Into::into)) {
        bail!("{error}\n{}", tape.report(&api, &stderr));
    }

    // A name as short as "vm" also occurs by chance in ids.
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = Some(host.trim()).filter(|name| name.len() > 5);
    let machine = Machine {
        root,
        port,
        uid: std::fs::metadata(root)?.uid(),
        pid,
        host: host.unwrap_or_default(),
        binary: binary.to_str().unwrap_or_default(),
        key: KEY,
    };
    let neutral = Neutral::new(&machine, scenario.long_text);
    let mut sessions = Vec::new();
    if scenario.sessions {
        sessions = files::sessions(&Path::new(root).join("home/user"), &neutral)?;
    }
    let tape = tape.lock();
    let is_public = |(name, _): &(&String, _)| !name.contains("KEY") && !name.contains("TOKEN");
    let env = env.iter().filter(is_public);
    let (exit_code, signal) = match scenario.exit {
        Exit::Code(code) => (Some(code), None),
        Exit::Signal(signal) => (None, Some(signal)),
    };
    let exchange = tape.exchange.iter().map(|run| match run {
        ("eof", _) => "eof".to_owned(),
        (direction, count) => format!("{direction} {count}"),
    });
    let recording = Recording {
        name: scenario.name.clone(),
        about: scenario.about.clone(),
        cli_version: pins().cli,
        cwd: scenario.cwd().to_owned(),
        argv: args.iter().map(|arg| neutral.text(arg)).collect(),
        env: env
            .map(|(name, value)| (name.clone(), neutral.text(value)))
            .collect(),
        stdin: neutral.bytes(&tape.stdin),
        stdout: tape
            .stdout
            .iter()
            .map(|line| neutral.stdout_line(line))
            .collect(),
        exchange: exchange.collect::<Vec<_>>().join(", "),
        exit_code,
        signal,
        stderr: neutral.stderr(&String::from_utf8_lossy(&stderr)),
        sessions,
    };
    // A path that was cut in two by a stream of deltas would slip through the replacements.
    let mark = root.rsplit('/').next().unwrap_or(root);
    for text in recording.stdout.iter().chain([&recording.stderr]) {
        let mut secrets = [mark, KEY].into_iter().chain(host);
        if let Some(secret) = secrets.find(|secret| text.contains(*secret)) {
            let start: String = text.chars().take(300).collect();
            bail!("{secret} of this machine is still in the recording: {start}");
        }
    }
    Ok(recording)
}

/// The CLI, on a small file system of its own if the scenario asks for one.
fn program(scenario: &Scenario, binary: &Path) -> Command {
    let Some(size) = scenario.config_dir_kib else {
        return Command::new(binary);
    };
    let script = format!(
        "mount -t tmpfs -o size={size}k tmpfs \"$CLAUDE_CONFIG_DIR\" && exec \"$0\" \"$@\""
    );
    let mut private = Command::new("unshare");
    let options = ["--user", "--map-root-user", "--mount", "sh", "-c"];
    private.args(options).arg(script).arg(binary);
    private
}

fn environment(scenario: &Scenario, place: &Place<'_>, port: u16) -> BTreeMap<String, String> {
    let fixed = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("HOME", &place.text("/home/user")),
        ("CLAUDE_CONFIG_DIR", &place.text("/home/user/.claude")),
        ("CLAUDE_CODE_TMPDIR", &format!("{}/tmp", place.root)),
        ("ANTHROPIC_BASE_URL", &format!("http://127.0.0.1:{port}")),
        ("ANTHROPIC_API_KEY", KEY),
        ("LANG", "C.UTF-8"),
        ("SHELL", "/bin/bash"),
        ("USER", "user"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
    ];
    let owned = fixed.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mut env = BTreeMap::from(owned);
    for (name, value) in &scenario.env {
        match value {
            Some(value) => env.insert(name.clone(), place.text(value)),
            None => env.remove(name),
        };
    }
    env
}

/// A run and its state between two steps.
struct Run<'a> {
    tape: &'a Tape,
    api: &'a Api,
    root: &'a str,
    vars: &'a mut BTreeMap<String, String>,
    child: &'a mut Child,
    /// The first line that no step has waited for.
    cursor: usize,
    /// The number of the step, which the ids of control requests show. `ask` counts twice.
    number: usize,
}

impl Run<'_> {
    /// Runs the steps and waits for the end of the process.
    async fn play(&mut self, steps: &[Step]) -> Result<Exit> {
        for step in steps {
            self.number += 1;
            self.tape.lock().doing = format!("step {}: {step:?}", self.number);
            self.step(step).await?;
        }
        self.tape.lock().doing = "waiting for the end of the process".to_owned();
        // After a signal the end must come from the signal, not from the closed pipe.
        if !steps.iter().any(|step| matches!(step, Step::Signal(_))) {
            self.tape.close().await;
        }
        let status = self.child.wait().await?;
        let code = Exit::Code(status.code().unwrap_or(-1));
        Ok(status.signal().map_or(code, Exit::Signal))
    }

    fn place(&self) -> Place<'_> {
        Place {
            root: self.root,
            vars: self.vars,
        }
    }

    async fn send(&self, frame: &Value) {
        let line = self.place().text(&frame.to_string());
        self.tape.write_line(&line).await;
    }

    async fn until(&mut self, kind: &str, text: &str) -> Result<()> {
        let wanted = |line: &str| frame::matches(line, kind, text);
        self.cursor = self.tape.until(self.cursor, wanted).await? + 1;
        Ok(())
    }

    /// Waits for what stdout does not show.
    async fn wait_for(&self, what: &str, done: impl Fn() -> bool) -> Result<()> {
        while !done() {
            ensure!(!self.tape.lock().ended, "the CLI ended before {what}");
            sleep(Duration::from_millis(5)).await;
        }
        Ok(())
    }

    async fn step(&mut self, step: &Step) -> Result<()> {
        match step {
            Step::Say(prompt) => self.send(&user_frame(prompt)).await,
            Step::Ask(prompt) => {
                self.number += 1;
                self.send(&user_frame(prompt)).await;
                self.until("result", "").await?;
            }
            Step::Send(frame) => self.send(frame).await,
            Step::Raw(content) => self.tape.write(&content.bytes()).await,
            Step::Until(kind) => self.until(kind, "").await?,
            Step::UntilText(kind, text) => self.until(kind, text).await?,
            Step::Asked(times) => {
                let what = format!("it sent {times} requests");
                self.wait_for(&what, || self.api.asked() >= *times).await?;
            }
            Step::Control(request) => {
                let id = format!("r{}", self.number);
                let start = self.tape.lock().stdout.len();
                let frame =
                    json!({"type": "control_request", "request_id": id, "request": request});
                self.send(&frame).await;
                let is_reply = |line: &str| frame::replies_to(line, &id);
                self.tape.until(start, is_reply).await?;
            }
            Step::Release(n, answer) => {
                let id = self.tape.lock().held.get(*n).cloned();
                let id = id.with_context(|| format!("no held request {n}"))?;
                if let Some(reply) = reply_frame(&id, answer) {
                    self.send(&reply).await;
                }
            }
            Step::Capture { name, kind, path } => {
                let value = |line: &str| json_text::string_at(line, path);
                let wanted = |line: &str| frame::matches(line, kind, "") && value(line).is_some();
                let at = self.tape.until(0, wanted).await?;
                let value = value(&self.tape.lock().stdout[at]).unwrap_or_default();
                self.vars.insert(name.clone(), value);
            }
            Step::CaptureAsked { name, from, to } => {
                let found = self.api.find_asked(&self.place().text(from), to);
                let found = found.with_context(|| format!("no request holds {from}…{to}"))?;
                self.vars.insert(name.clone(), found);
            }
            Step::Api(turns) => self.api.add(turns, &self.place())?,
            Step::Saved(text) => {
                let projects = Path::new(self.root).join("home/user/.claude/projects");
                let what = format!("{text} was saved");
                let is_saved = || files::any_contains(&projects, text);
                self.wait_for(&what, is_saved).await?;
            }
            Step::SleepMs(time) => sleep(Duration::from_millis(*time)).await,
            Step::Close => self.tape.close().await,
            Step::Signal(name) => {
                let pid = self.child.id().context("the CLI has already ended")?;
                processes::signal(name, &[i64::from(pid)])?;
            }
        }
        Ok(())
    }
}
