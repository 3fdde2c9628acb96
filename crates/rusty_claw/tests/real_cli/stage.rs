//! A session of the real CLI in its own world, and everything that the CLI printed.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context as TaskContext, Poll, ready};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use claw_testkit::real_cli::{LAB, TIMEOUT, ToolResult, World, real_cli};
use claw_testkit::{ApiRequest, Turn};
use rusty_claw::control::messages::McpServerConfig;
use rusty_claw::transport::{ChildProcess, Connection, Launch, Transport};
use rusty_claw::{BoxFuture, MessageStream, Options, Session, StartError, TurnOutcome};
use serde_json::Value;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::watch;

/// Options that start the CLI in a world.
pub(crate) fn options(world: &World) -> Options {
    let options = Options::new()
        .cli_path(world.binary())
        .cwd(world.project())
        .env_clear();
    let environment = world.environment().into_iter();
    environment.fold(options, |options, (name, value)| options.env(name, value))
}

/// A stdio MCP server with tools that ask: `proofs/src/lab.rs`.
pub(crate) fn lab() -> McpServerConfig {
    let program = real_cli().lab;
    McpServerConfig::stdio(program.to_string_lossy(), vec![LAB.to_owned()])
}

/// The last answer of a model.
pub(crate) fn done() -> Turn {
    Turn::text("Done.")
}

/// Waits at most [`TIMEOUT`].
pub(crate) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> Result<T> {
    let done = tokio::time::timeout(TIMEOUT, future).await;
    done.with_context(|| format!("not within {} s: {what}", TIMEOUT.as_secs()))
}

/// Kills the CLI of a session.
pub(crate) fn kill(session: &Session) -> Result<()> {
    let pid = session.pid().context("there is no process")?;
    Ok(claw_testkit::processes::kill(&[i64::from(pid)])?)
}

/// The session file with this id.
pub(crate) fn session_file(world: &World, id: &str) -> Result<String> {
    for project in std::fs::read_dir(world.config().join("projects"))? {
        let file = project?.path().join(format!("{id}.jsonl"));
        if file.is_file() {
            return Ok(std::fs::read_to_string(file)?);
        }
    }
    anyhow::bail!("there is no session file of {id}")
}

/// A running session and its world.
pub(crate) struct Stage {
    pub(crate) world: World,
    pub(crate) session: Session,
    heard: watch::Receiver<Vec<Value>>,
    printed: Printed,
}

impl Stage {
    pub(crate) async fn start(world: World, options: Options) -> Result<Self> {
        let printed = Printed::default();
        let (session, messages) = Session::start_on(Tap(printed.clone()), options).await?;
        let (sender, heard) = watch::channel(Vec::new());
        tokio::spawn(listen(messages, sender));
        Ok(Self {
            world,
            session,
            heard,
            printed,
        })
    }

    /// Starts a session in a new world with a model that answers with these turns.
    pub(crate) async fn open(
        turns: impl IntoIterator<Item = Turn>,
        set: impl FnOnce(Options) -> Options,
    ) -> Result<Self> {
        let world = World::with(turns).await?;
        let options = set(options(&world));
        Self::start(world, options).await
    }

    /// Like [`Stage::open`], and sends a prompt that must succeed.
    pub(crate) async fn play(
        turns: impl IntoIterator<Item = Turn>,
        set: impl FnOnce(Options) -> Options,
    ) -> Result<Self> {
        let stage = Self::open(turns, set).await?;
        let outcome = stage.ask("go").await?;
        ensure!(outcome.is_success(), "the turn {outcome}");
        Ok(stage)
    }

    /// Sends a prompt and waits for its outcome.
    pub(crate) async fn ask(&self, prompt: &str) -> Result<TurnOutcome> {
        let turn = self.session.send(prompt).await?;
        soon(prompt, turn.outcome()).await
    }

    /// Sends another prompt, which the model answers with "Hello again.": the session still works.
    pub(crate) async fn ask_again(&self) -> Result<()> {
        let next = self.ask("and now?").await?;
        ensure!(next.text() == Some("Hello again."), "the next turn {next}");
        Ok(())
    }

    /// The messages so far.
    pub(crate) fn heard(&self) -> Vec<Value> {
        self.heard.borrow().clone()
    }

    /// Waits for a message, or finds it among those that came.
    pub(crate) async fn until(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Result<Value> {
        let mut heard = self.heard.clone();
        let all = soon(what, heard.wait_for(|all| all.iter().any(&fits))).await?;
        let all = all.ok().with_context(|| format!("never: {what}"))?;
        Ok(all.iter().find(|it| fits(it)).cloned().unwrap_or_default())
    }

    /// The lines that the CLI has printed, control frames included.
    pub(crate) fn printed(&self) -> Vec<Value> {
        self.printed.lines()
    }

    /// The requests for messages that reached the model.
    pub(crate) fn requests(&self) -> Vec<ApiRequest> {
        self.world.message_requests()
    }

    /// The result of the call `toolu_<id>`, as the model received it.
    pub(crate) fn tool_result(&self, id: &str) -> Result<ToolResult> {
        Ok(self.world.tool_result(&format!("toolu_{id}"))?)
    }

    /// Checks that the model received this text in the result of a call.
    pub(crate) fn told(&self, id: &str, wanted: &str) -> Result<()> {
        let text = self.tool_result(id)?.text;
        ensure!(text.contains(wanted), "the result of {id} is {text:?}");
        Ok(())
    }

    /// Checks which files are in the project: those that allowed calls made, not those of denied
    /// calls.
    pub(crate) fn files(&self, there: &[&str], absent: &[&str]) -> Result<()> {
        let missing = there.iter().find(|name| !self.world.has_file(name));
        ensure!(missing.is_none(), "{missing:?} is not there");
        let unwanted = absent.iter().find(|name| self.world.has_file(name));
        ensure!(unwanted.is_none(), "{unwanted:?} is there");
        Ok(())
    }

    pub(crate) async fn end(self) {
        self.session.close().await;
    }
}

async fn listen(mut messages: MessageStream, heard: watch::Sender<Vec<Value>>) {
    while let Some(received) = messages.next_message().await {
        let message = serde_json::from_slice(received.raw.as_bytes()).unwrap_or_default();
        heard.send_modify(|heard| heard.push(message));
    }
}

/// The output of a CLI.
#[derive(Clone, Default)]
struct Printed(Arc<Mutex<Vec<u8>>>);

impl Printed {
    fn lines(&self) -> Vec<Value> {
        lines(&self.0.lock().unwrap())
    }
}

/// The lines of an output that are JSON.
pub(crate) fn lines(bytes: &[u8]) -> Vec<Value> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect()
}

/// Starts the CLI and copies its output.
struct Tap(Printed);

impl Transport for Tap {
    fn open(self: Box<Self>, launch: Launch) -> BoxFuture<'static, Result<Connection, StartError>> {
        Box::pin(async move {
            let mut connection = Box::new(ChildProcess::new()).open(launch).await?;
            connection.reader = Box::new(Copying {
                reader: connection.reader,
                printed: self.0,
            });
            Ok(connection)
        })
    }
}

struct Copying {
    reader: Box<dyn AsyncRead + Send + Unpin>,
    printed: Printed,
}

impl AsyncRead for Copying {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut TaskContext<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.reader).poll_read(cx, buffer))?;
        let mut printed = self.printed.0.lock().unwrap();
        printed.extend_from_slice(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

/// Pauses so that the system can do something that sends no signal.
pub(crate) async fn pause(millis: u64) {
    tokio::time::sleep(Duration::from_millis(millis)).await;
}
