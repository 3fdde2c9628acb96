//! `claw serve` with the real CLI and a scripted model, killed and started again.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use claw_gateway::client::{Client, EventsMessage, Followed, NewInput};
use claw_gateway::{Answer, AnswerOutcome, DialectName, Pending, SessionSpec};
use claw_server::{Fact, SessionEvent, SessionId};
use claw_store::{ReadLimit, SessionKey, SqliteOptions, SqliteStore, Store, TenantId};
use claw_testkit::processes;
use claw_testkit::real_cli::{TIMEOUT, World};
use serde_json::Value;

/// How long a session without a process is watched: a CLI that is started shows within this time.
const WATCH: Duration = Duration::from_millis(500);
/// How many lines of the gateway's log an error shows.
const LOG_LINES: usize = 25;

/// A gateway in a home folder, and the model of its agents.
pub(crate) struct Stage {
    pub(crate) world: World,
    /// The folders `HOME` and `CLAUDE_CONFIG_DIR`.
    home: PathBuf,
    config: PathBuf,
    settings: Vec<(&'static str, OsString)>,
    gateway: Option<(Child, Client)>,
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.gateway.take().map(|(mut child, _)| child.kill());
        let _ = signal("KILL", &processes::carrying(&self.marks()));
    }
}

impl Stage {
    pub(crate) async fn new() -> Result<Self> {
        let world = World::new().await?;
        Ok(Self {
            home: world.folder().join("home"),
            config: world.config(),
            world,
            settings: Vec::new(),
            gateway: None,
        })
    }

    /// Sets a variable of the gateway.
    pub(crate) fn set(&mut self, name: &'static str, value: impl Into<OsString>) {
        self.settings.push((name, value.into()));
    }

    /// Starts the gateway. Its interactions wait for 30 days, unless this is set.
    pub(crate) fn serve(&mut self) -> Result<()> {
        let folder = self.world.folder();
        let mut command = Command::new(env!("CARGO_BIN_EXE_claw"));
        command
            .args([
                "serve",
                "--json",
                "--listen",
                "127.0.0.1:0",
                "--log",
                "info",
            ])
            .env_clear()
            .envs(self.world.environment())
            .env("HOME", &self.home)
            .env("CLAUDE_CONFIG_DIR", &self.config)
            .env("CLAW_DATA", folder.join("data"))
            .env("CLAW_ROOT", self.world.project())
            .env("CLAW_CLAUDE", self.world.binary())
            .env("CLAW_PASS_ENV", "DISABLE_TELEMETRY,DISABLE_AUTOUPDATER")
            .env("CLAW_INTERACTION_TIMEOUT", "30d")
            .envs(self.settings.iter().map(|(name, value)| (name, value)))
            .current_dir(self.world.project())
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let log = File::options().append(true).create(true).open(self.log())?;
        let mut child = command.stderr(log).spawn()?;
        let mut line = String::new();
        let stdout = child.stdout.take().context("claw serve has no output")?;
        tokio::task::block_in_place(|| BufReader::new(stdout).read_line(&mut line))?;
        let started: Value = serde_json::from_str(&line).context("claw serve did not start")?;
        let text = |name: &str| started[name].as_str().context("a member is missing");
        let token = std::fs::read_to_string(text("token_file")?)?;
        let client = Client::new(text("url")?, token.trim())?;
        self.gateway = Some((child, client));
        Ok(())
    }

    fn log(&self) -> PathBuf {
        self.world.folder().join("log")
    }

    pub(crate) fn client(&self) -> Result<&Client> {
        let (_, client) = self.gateway.as_ref().context("no gateway runs")?;
        Ok(client)
    }

    /// The process of the gateway.
    pub(crate) fn gateway_pid(&self) -> Option<u32> {
        self.gateway.as_ref().map(|(child, _)| child.id())
    }

    /// What every process of this stage has in its environment.
    fn marks(&self) -> [String; 2] {
        let folder = self.world.folder().join("tmp");
        ["TMPDIR", "CLAUDE_CODE_TMPDIR"].map(|name| format!("{name}={}", folder.display()))
    }

    /// The processes of sessions: holders, CLIs and their commands.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let mut pids = processes::carrying(&self.marks());
        pids.retain(|pid| Some(*pid) != self.gateway_pid());
        pids
    }

    /// Kills the gateway and all processes of sessions with SIGKILL, in an order that differs with
    /// `number`.
    ///
    /// They are stopped before, so that none acts on the death of another: a CLI whose holder dies
    /// first receives SIGTERM, and fails its call.
    pub(crate) async fn kill_all(&mut self, number: usize) -> Result<()> {
        let mut pids = self.processes();
        ensure!(pids.len() >= 2, "no holder with a CLI: {pids:?}");
        pids.extend(self.gateway_pid());
        let first = number % pids.len();
        pids.rotate_left(first);
        signal("STOP", &pids)?;
        signal("KILL", &pids)?;
        self.gateway_ends()?;
        self.no_processes().await
    }

    /// Stops the gateway alone with SIGSTOP.
    pub(crate) fn stop_gateway(&self) -> Result<()> {
        signal("STOP", self.gateway_pid().as_slice())
    }

    /// Kills the gateway alone with SIGKILL.
    pub(crate) fn kill_gateway(&mut self) -> Result<()> {
        signal("KILL", self.gateway_pid().as_slice())?;
        self.gateway_ends()
    }

    fn gateway_ends(&mut self) -> Result<()> {
        let (mut child, _) = self.gateway.take().context("no gateway runs")?;
        child.wait()?;
        Ok(())
    }

    pub(crate) async fn no_processes(&self) -> Result<()> {
        let end = || async { Ok(self.processes().is_empty().then_some(())) };
        let ended = eventually("the processes of sessions end", end).await;
        let lines = self.processes().into_iter().map(processes::command_line);
        ended.with_context(|| lines.collect::<Vec<_>>().join("; "))
    }

    /// Moves to another home folder. Nothing of the old one is left.
    pub(crate) fn move_home(&mut self) -> Result<()> {
        std::fs::remove_dir_all(&self.config)?;
        std::fs::remove_dir_all(&self.home)?;
        self.home = self.world.folder().join("other");
        self.config = self.home.join(".claude");
        Ok(std::fs::create_dir(&self.home)?)
    }

    /// The session files.
    pub(crate) fn session_files(&self) -> Vec<PathBuf> {
        let projects = std::fs::read_dir(self.config.join("projects"));
        let projects = projects.into_iter().flatten().flatten();
        let folders = projects.filter_map(|project| std::fs::read_dir(project.path()).ok());
        let mut paths: Vec<PathBuf> = folders
            .flatten()
            .flatten()
            .map(|file| file.path())
            .collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
        paths
    }

    pub(crate) async fn store(&self) -> Result<Arc<dyn Store>> {
        let path = self.world.folder().join("data").join("claw.db");
        Ok(Arc::new(
            SqliteStore::open(path, SqliteOptions::default()).await?,
        ))
    }

    /// Creates a session and sends a prompt.
    pub(crate) async fn begin(&self, set: impl FnOnce(&mut SessionSpec)) -> Result<SessionId> {
        let mut spec = SessionSpec::new(self.world.project());
        set(&mut spec);
        let session = self.client()?.create(&spec).await?.id;
        self.input(session, "Go.").await?;
        Ok(session)
    }

    pub(crate) async fn input(&self, session: SessionId, text: &str) -> Result<()> {
        let input = NewInput::text(text).key(text);
        self.client()?.input(session, &input).await?;
        Ok(())
    }

    /// Waits until this number of interactions is pending, in the order of their calls.
    pub(crate) async fn asked(&self, session: SessionId, count: usize) -> Result<Vec<Pending>> {
        let client = self.client()?;
        let asked = || async move {
            let pending = client.pending(Some(session)).await?;
            Ok(Some(pending).filter(|pending| pending.len() >= count))
        };
        let mut asked = eventually("the agent asks", asked).await?;
        asked.sort_by(|a, b| a.interaction.tool_use_id.cmp(&b.interaction.tool_use_id));
        Ok(asked)
    }

    /// Waits until the CLI has written these calls to the session file, which it does after it
    /// asks.
    pub(crate) async fn written(&self, calls: &[&str]) -> Result<()> {
        let written = || async {
            let text = self.session_files().pop().map(std::fs::read_to_string);
            let text = text.transpose()?.filter(|text| has_calls(text, calls));
            Ok(text.map(|_| ()))
        };
        eventually("the session file has the calls", written).await
    }

    /// Waits until the copy of the session file in the store has these calls.
    pub(crate) async fn mirrored(&self, session: SessionId, calls: &[&str]) -> Result<()> {
        let (store, key) = (&self.store().await?, &key_of(session)?);
        let mirrored = || async move {
            for (name, _) in store.mirrored_files(key).await? {
                let limit = ReadLimit::default();
                let lines = store.mirrored(key, &name, 0, limit).await?.concat();
                if has_calls(&String::from_utf8_lossy(&lines), calls) {
                    return Ok(Some(()));
                }
            }
            Ok(None)
        };
        eventually("the store has the calls", mirrored).await
    }

    /// Waits until the session sleeps, and checks that no process runs then.
    pub(crate) async fn sleeps(&self, session: SessionId) -> Result<()> {
        let client = self.client()?;
        let asleep = || async move {
            let state = client.get(session).await?.state;
            Ok((state == "asleep").then_some(()))
        };
        if let Err(error) = eventually("the session sleeps", asleep).await {
            bail!("{error}: {}", self.story(session).await?);
        }
        tokio::time::sleep(WATCH).await;
        let running = self.processes();
        ensure!(
            running.is_empty(),
            "processes of a sleeping session: {running:?}"
        );
        Ok(())
    }

    pub(crate) async fn answer(&self, pending: &Pending, answer: &Answer) -> Result<()> {
        let (session, id) = (pending.session, pending.interaction.id.as_str());
        let outcome = self.client()?.answer(session, id, answer).await?;
        ensure!(outcome == AnswerOutcome::Won, "{outcome:?}");
        Ok(())
    }

    /// Reads the events of a session until they are complete, which may be in the future.
    pub(crate) async fn until(
        &self,
        session: SessionId,
        what: &str,
        are_complete: impl Fn(&[SessionEvent]) -> bool,
    ) -> Result<Vec<SessionEvent>> {
        let mut events: Vec<SessionEvent> = Vec::new();
        let mut follow = self.client()?.follow(session, DialectName::Events, 0);
        let reading = async {
            loop {
                match follow.next().await.context("the stream ended")?? {
                    Followed::Frame(frame) => {
                        let message = serde_json::from_str(frame.message.get())?;
                        if let EventsMessage::Event(event) = message {
                            events.push(*event);
                        }
                    }
                    Followed::Lost { after, .. } => events.retain(|one| one.sequence <= after),
                    _ => {}
                }
                if are_complete(&events) {
                    return anyhow::Ok(());
                }
            }
        };
        match tokio::time::timeout(TIMEOUT, reading).await {
            Ok(read) => read?,
            Err(_) => bail!("{what} did not happen: {}", story(&events)),
        }
        Ok(events)
    }

    /// Waits until this number of inputs is over, and no turn runs.
    pub(crate) async fn done(&self, session: SessionId, count: usize) -> Result<Vec<SessionEvent>> {
        let are_done = |events: &[SessionEvent]| {
            let (mut over, mut turns) = (0, 0);
            for event in events {
                match &event.fact {
                    Fact::InputProcessed(_) | Fact::InputFailed(_) => over += 1,
                    Fact::TurnStarted(_) => turns += 1,
                    Fact::TurnEnded(_) => turns -= 1,
                    _ => {}
                }
            }
            over >= count && turns <= 0
        };
        self.until(session, "the end of an input", are_done).await
    }

    /// Returns the events of a session so far, as text.
    async fn story(&self, session: SessionId) -> Result<String> {
        let last = self.client()?.get(session).await?.last;
        let is_last =
            |events: &[SessionEvent]| events.last().is_some_and(|one| one.sequence >= last);
        let events = self.until(session, "the last event", is_last);
        Ok(story(&events.await?))
    }

    /// Closes the session, and waits until its processes are gone.
    pub(crate) async fn end(&self, session: SessionId) -> Result<()> {
        self.client()?.close(session).await?;
        self.no_processes().await
    }

    /// Adds the end of the gateway's log to an error.
    pub(crate) fn explain<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|error| {
            let text = std::fs::read_to_string(self.log()).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            let end = lines[lines.len().saturating_sub(LOG_LINES)..].join("\n");
            anyhow::anyhow!("{error:#}\n{end}")
        })
    }
}

/// Calls `look` every 50 ms until it returns a value. The test kit's function of this name takes a
/// closure whose future is not known to be `Send`.
async fn eventually<T, F>(what: &str, look: impl Fn() -> F) -> Result<T>
where
    F: Future<Output = Result<Option<T>>>,
{
    let begin = Instant::now();
    loop {
        if let Some(found) = look().await? {
            return Ok(found);
        }
        ensure!(
            begin.elapsed() < TIMEOUT,
            "{what}: not within {} s",
            TIMEOUT.as_secs()
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn signal(name: &str, pids: &[u32]) -> Result<()> {
    let pids: Vec<i64> = pids.iter().copied().map(i64::from).collect();
    Ok(processes::signal(name, &pids)?)
}

/// The key of a session in the store.
pub(crate) fn key_of(session: SessionId) -> Result<SessionKey> {
    let session = claw_store::SessionId::new(&session.to_string())?;
    Ok(SessionKey::new(TenantId::new("default")?, session))
}

fn has_calls(lines: &str, calls: &[&str]) -> bool {
    let has = |call: &&str| lines.contains(&format!(r#""id":"{call}""#));
    calls.iter().all(has)
}

/// What happened in a session, in one line.
pub(crate) fn story(events: &[SessionEvent]) -> String {
    let steps = events.iter().map(|event| match &event.fact {
        Fact::Lifecycle(now) => format!("{} {:?}", now.state.as_str(), now.unknown_calls),
        Fact::TurnEnded(ended) => format!("turn {}", ended.ending.as_str()),
        Fact::InputFailed(failure) => format!("input failed: {failure:?}"),
        Fact::InteractionAnswered(answer) => format!("answered {}", answer.id.as_str()),
        Fact::InteractionWithdrawn(id) => format!("withdrawn {} {:?}", id.as_str(), event.extra),
        fact => fact.kind().to_owned(),
    });
    steps.collect::<Vec<_>>().join(", ")
}
