//! Runs one scenario against the real CLI and keeps every byte of the exchange.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, BufReader};
use tokio::process::{Child, Command};

use super::api::Api;
use super::neutral::{Machine, Neutral};
use super::place::Place;
use super::scenario::{Exit, Scenario, Step, user_frame};
use super::tape::{Tape, read_stdout, reply_frame};
use super::{files, frame};

/// The CLI's key; any text, because the API is scripted.
const KEY: &str = "recording-key-000000";
/// The arguments every host passes.
const FIXED_ARGS: [&str; 5] = [
    "--output-format",
    "stream-json",
    "--verbose",
    "--input-format",
    "stream-json",
];

/// One finished run, already independent of this machine.
#[derive(Debug)]
pub(super) struct Recording {
    pub(super) args: Vec<String>,
    pub(super) env: BTreeMap<String, String>,
    pub(super) stdin: Vec<u8>,
    pub(super) stdout: Vec<String>,
    /// Runs of `in` and `out` lines in the order they happened, ended by `eof`.
    pub(super) exchange: Vec<(&'static str, usize)>,
    pub(super) exit: Exit,
    pub(super) stderr: String,
    pub(super) sessions: Vec<(PathBuf, Vec<u8>)>,
}

/// Runs a scenario in a fresh root, behind those that it continues.
pub(super) async fn record(chain: &[Scenario], binary: &Path) -> Result<Recording> {
    // The name has a constant length, so that nothing that depends on lengths differs between runs.
    let root = tempfile::Builder::new()
        .prefix("cr-")
        .rand_bytes(6)
        .tempdir_in("/tmp")?;
    let mut vars = BTreeMap::new();
    let mut last = None;
    for scenario in chain {
        let run = run_in(root.path(), scenario, binary, &mut vars);
        last = Some(
            run.await
                .with_context(|| format!("scenario {}", scenario.name))?,
        );
    }
    last.ok_or_else(|| anyhow!("no scenario"))
}

async fn run_in(
    root: &Path,
    scenario: &Scenario,
    binary: &Path,
    vars: &mut BTreeMap<String, String>,
) -> Result<Recording> {
    let root_text = root
        .to_str()
        .context("the temporary folder's name is not text")?;
    let home = root.join("home/user");
    files::lay_out(root, scenario)?;
    let place = Place {
        root: root_text,
        vars,
    };
    let api = Api::start(scenario, &place).await?;

    let fixed = if scenario.bare_args {
        &[][..]
    } else {
        &FIXED_ARGS[..]
    };
    let args: Vec<String> = fixed
        .iter()
        .map(|a| (*a).to_owned())
        .chain(scenario.args.iter().map(|a| place.text(a)))
        .collect();
    let env = environment(scenario, &place, api.port());
    let mut command = match scenario.config_dir_kib {
        None => Command::new(binary),
        Some(size) => {
            let script = format!(
                "mount -t tmpfs -o size={size}k tmpfs \"$CLAUDE_CONFIG_DIR\" && exec \"$0\" \"$@\""
            );
            let mut private = Command::new("unshare");
            private
                .args(["--user", "--map-root-user", "--mount", "sh", "-c", &script])
                .arg(binary);
            private
        }
    };
    let mut child = command
        .args(&args)
        .env_clear()
        .envs(&env)
        .current_dir(place.text(&scenario.cwd))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .context("the CLI did not start")?;
    let pid = child.id();

    let tape = Arc::new(Tape::new(child.stdin.take(), scenario, root_text));
    let stdout = child.stdout.take().context("no stdout")?;
    let stderr = child.stderr.take().context("no stderr")?;
    let reader = tokio::spawn(read_stdout(stdout, Arc::clone(&tape)));
    let errors = tokio::spawn(async move {
        let mut text = Vec::new();
        BufReader::new(stderr)
            .read_to_end(&mut text)
            .await
            .map(|_| text)
    });

    let limit = Duration::from_secs(scenario.within_s);
    let played = play(scenario, &tape, &api, root_text, vars, &mut child);
    let outcome = match tokio::time::timeout(limit, played).await {
        Ok(outcome) => outcome,
        Err(_) => Err(anyhow!("timed out after {limit:?}")),
    };
    let status = match outcome {
        Ok(status) => status,
        Err(error) => {
            child.start_kill().ok();
            let stderr = tokio::time::timeout(Duration::from_secs(2), errors).await;
            let stderr = stderr
                .ok()
                .and_then(Result::ok)
                .and_then(Result::ok)
                .unwrap_or_default();
            bail!("{error}\n{}", tape.report(&api, &stderr));
        }
    };
    reader.await.context("the reader of stdout failed")??;
    let stderr = errors.await.context("the reader of stderr failed")??;
    let exit = exit_of(status);
    ensure!(
        exit == scenario.exit,
        "the CLI ended with {exit:?}, not {:?}\n{}",
        scenario.exit,
        tape.report(&api, &stderr)
    );
    if let Some(problem) = api.problem() {
        bail!("{problem}\n{}", tape.report(&api, &stderr));
    }

    // A name as short as "vm" also occurs by chance in ids.
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = Some(host.trim())
        .filter(|name| name.len() > 5)
        .unwrap_or_default();
    let neutral = Neutral::new(&Machine {
        root: root_text,
        port: api.port(),
        uid: std::fs::metadata(root)?.uid(),
        pid,
        host,
        binary: binary.to_str().unwrap_or_default(),
        key: KEY,
    })
    .long_text(scenario.long_text);
    let sessions = if scenario.sessions {
        files::sessions(&home, &neutral)?
    } else {
        Vec::new()
    };
    let tape = tape.lock();
    let recording = Recording {
        args: args.iter().map(|a| neutral.text(a).into_owned()).collect(),
        env: env
            .iter()
            .filter(|(name, _)| !name.contains("KEY") && !name.contains("TOKEN"))
            .map(|(name, value)| (name.clone(), neutral.text(value).into_owned()))
            .collect(),
        stdin: neutral.bytes(&tape.stdin),
        stdout: tape
            .stdout
            .iter()
            .map(|line| neutral.stdout_line(line))
            .collect(),
        exchange: tape.exchange.clone(),
        exit,
        stderr: neutral.stderr(&String::from_utf8_lossy(&stderr)),
        sessions,
    };
    // A path that was cut in two by a stream of deltas would slip through the replacements.
    let mark = root
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    for text in recording
        .stdout
        .iter()
        .map(String::as_str)
        .chain([recording.stderr.as_str()])
    {
        for secret in [mark.as_str(), KEY, host] {
            ensure!(
                secret.is_empty() || !text.contains(secret),
                "{secret} of this machine is still in the recording: {}",
                text.chars().take(300).collect::<String>()
            );
        }
    }
    Ok(recording)
}

fn environment(scenario: &Scenario, place: &Place<'_>, port: u16) -> BTreeMap<String, String> {
    let mut env: BTreeMap<String, String> = [
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
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .collect();
    for (name, value) in &scenario.env {
        match value {
            Some(value) => env.insert(name.clone(), place.text(value)),
            None => env.remove(name),
        };
    }
    env
}

fn exit_of(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Code(-1),
    }
}

async fn play(
    scenario: &Scenario,
    tape: &Tape,
    api: &Api,
    root: &str,
    vars: &mut BTreeMap<String, String>,
    child: &mut Child,
) -> Result<ExitStatus> {
    let mut run = Run {
        tape,
        api,
        root,
        vars,
        cursor: 0,
        number: 0,
    };
    for step in &scenario.steps {
        run.number += 1;
        tape.lock().doing = format!("step {}: {step:?}", run.number);
        match step {
            Step::Signal(name) => signal(child, name).await?,
            step => run.step(step).await?,
        }
    }
    tape.lock().doing = "waiting for the end of the process".to_owned();
    // After a signal the end must come from the signal, not from the closed pipe.
    if !scenario.steps.iter().any(|s| matches!(s, Step::Signal(_))) {
        tape.close().await;
    }
    Ok(child.wait().await?)
}

async fn signal(child: &Child, name: &str) -> Result<()> {
    let pid = child.id().context("the CLI has already ended")?;
    let status = Command::new("kill")
        .args(["-s", name, &pid.to_string()])
        .status()
        .await?;
    ensure!(status.success(), "could not send SIG{name}");
    Ok(())
}

/// The state of a run between two steps.
struct Run<'a> {
    tape: &'a Tape,
    api: &'a Api,
    root: &'a str,
    vars: &'a mut BTreeMap<String, String>,
    /// The first line that no step has waited for.
    cursor: usize,
    /// The number of the step, which the ids of control requests show. `ask` counts twice.
    number: usize,
}

impl Run<'_> {
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

    async fn until(&mut self, kind: &str, text: Option<&str>) -> Result<()> {
        let wanted = |line: &str| frame::matches(line, kind, text);
        self.cursor = self.tape.until(self.cursor, wanted).await? + 1;
        Ok(())
    }

    /// Waits for what stdout does not show.
    async fn wait_for(&self, what: &str, done: impl Fn() -> bool) -> Result<()> {
        while !done() {
            ensure!(!self.tape.lock().ended, "the CLI ended before {what}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok(())
    }

    async fn step(&mut self, step: &Step) -> Result<()> {
        match step {
            Step::Say(prompt) => self.send(&user_frame(prompt)).await,
            Step::Ask(prompt) => {
                self.number += 1;
                self.send(&user_frame(prompt)).await;
                self.until("result", None).await?;
            }
            Step::Send(frame) => self.send(frame).await,
            Step::Raw(content) => self.tape.write(&content.bytes()).await,
            Step::Until(kind) => self.until(kind, None).await?,
            Step::UntilText(kind, text) => self.until(kind, Some(text)).await?,
            Step::Asked(times) => {
                let what = format!("it sent {times} requests");
                self.wait_for(&what, || self.api.asked() >= *times).await?;
            }
            Step::Control(request) => {
                let id = format!("r{}", self.number);
                let start = self.tape.lock().stdout.len();
                self.send(
                    &json!({"type": "control_request", "request_id": id, "request": request}),
                )
                .await;
                self.tape
                    .until(start, |line| frame::replies_to(line, &id))
                    .await?;
            }
            Step::Release(n, answer) => {
                let id = self.tape.lock().held.get(*n).cloned();
                let id = id.with_context(|| format!("no held request {n}"))?;
                if let Some(reply) = reply_frame(&id, answer) {
                    self.tape.write_line(&self.place().text(&reply)).await;
                }
            }
            Step::Capture { name, kind, path } => {
                let wanted = |line: &str| {
                    frame::matches(line, kind, None) && frame::text(line, path).is_some()
                };
                let at = self.tape.until(0, wanted).await?;
                let value = frame::text(&self.tape.lock().stdout[at], path).unwrap_or_default();
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
                self.wait_for(&what, || files::any_contains(&projects, text))
                    .await?;
            }
            Step::SleepMs(time) => tokio::time::sleep(Duration::from_millis(*time)).await,
            Step::Close => self.tape.close().await,
            Step::Signal(_) => {}
        }
        Ok(())
    }
}
