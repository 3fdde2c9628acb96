//! A CLI that plays turns at random.
//!
//! It does not share the turn engine of `fake-claude`. This one draws each step from the seed of its
//! run, waits on the paused clock, is dropped at any await point, and records what it receives and
//! runs for the checker, which a process with threads, pipes and signals cannot do. `fake-claude`
//! plays what a script says, with the flags, control requests and frames of the CLI, and must stay a
//! process of 3 MB without a runtime, which an engine for both clocks would not.

mod connection;
mod turn;

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::time::Duration;

use claw_server::SessionId;
use rusty_claw::transport::{Exit, InMemoryCli};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, WriteHalf};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Instant, sleep_until};

use crate::dice::Dice;
use crate::file::SessionFile;
use crate::record::Recorder;

/// How the CLI was started.
pub(crate) struct Setup {
    pub(crate) session: SessionId,
    pub(crate) args: Vec<String>,
    pub(crate) folder: PathBuf,
    pub(crate) recorder: Recorder,
    pub(crate) dice: Dice,
}

/// Why a step of the CLI was not completed.
enum Stop {
    Interrupted,
    Ended,
}

struct Script {
    writer: WriteHalf<InMemoryCli>,
    lines: UnboundedReceiver<Value>,
    session: SessionId,
    recorder: Recorder,
    dice: Dice,
    file: SessionFile,
    is_resumed: bool,
    mirrors: bool,
    /// The number of this process among those of the session, and of its messages.
    life: usize,
    messages: u64,
    requests: u64,
    is_initialized: bool,
    /// The id of the hook that is called before each tool.
    hook: Option<Value>,
    prompts: VecDeque<Value>,
    /// The requests without an answer, and the answers.
    open: BTreeMap<String, Value>,
    answers: BTreeMap<String, Value>,
    is_interrupted: bool,
    is_ended: bool,
}

/// Runs until the CLI exits. Dropping the future kills it.
pub(crate) async fn run(cli: InMemoryCli, setup: Setup) {
    let (reader, writer) = tokio::io::split(cli);
    let mut reader = BufReader::new(reader);
    let (sender, lines) = unbounded_channel();
    let has = |flag: &str| setup.args.iter().any(|arg| arg.starts_with(flag));
    let (is_resumed, mirrors) = (has("--resume"), has("--session-mirror"));
    let life = setup
        .recorder
        .of(setup.session, |seen| seen.agent.lives.len());
    setup
        .recorder
        .note(format!("CLI {life} starts, resumed: {is_resumed}"));
    let mut script = Script {
        writer,
        lines,
        file: SessionFile::open(&setup.folder, setup.session),
        session: setup.session,
        recorder: setup.recorder,
        dice: setup.dice,
        is_resumed,
        mirrors,
        life,
        messages: 0,
        requests: 0,
        is_initialized: false,
        hook: None,
        prompts: VecDeque::new(),
        open: BTreeMap::new(),
        answers: BTreeMap::new(),
        is_interrupted: false,
        is_ended: false,
    };
    let reading = async {
        let mut line = String::new();
        while reader.read_line(&mut line).await.is_ok_and(|read| read > 0) {
            let _ = sender.send(serde_json::from_str(&line).unwrap());
            line.clear();
        }
        drop(sender);
        std::future::pending::<()>().await;
    };
    tokio::select! {
        biased;
        () = script.main() => {}
        () = reading => {}
    }
    script.recorder.note(format!("CLI {life} exits"));
    reader
        .into_inner()
        .unsplit(script.writer)
        .exit(Exit::Code(0));
}

impl Script {
    async fn main(&mut self) {
        let _: Result<(), Stop> = async {
            while !self.is_initialized {
                self.receive(None).await?;
            }
            if self.is_resumed {
                self.resume().await?;
            }
            loop {
                while self.prompts.is_empty() {
                    self.is_interrupted = false;
                    self.receive(None).await?;
                }
                if let Some(prompt) = self.prompts.pop_front() {
                    self.turn(&prompt).await?;
                }
            }
        }
        .await;
    }

    /// Handles the next line, or returns at a time.
    async fn receive(&mut self, until: Option<Instant>) -> Result<bool, Stop> {
        let at = until.unwrap_or_else(|| Instant::now() + Duration::from_secs(1_000_000));
        tokio::select! {
            biased;
            line = self.lines.recv() => match line {
                Some(line) => self.handle(&line).await?,
                None => return Err(Stop::Ended),
            },
            () = sleep_until(at) => return Ok(false),
        }
        match self.is_ended {
            true => Err(Stop::Ended),
            false => Ok(true),
        }
    }

    /// Works for some time.
    async fn work(&mut self, most_ms: u64) -> Result<(), Stop> {
        let until = Instant::now() + self.dice.pause(Duration::from_millis(most_ms));
        while self.receive(Some(until)).await? {
            if self.is_interrupted {
                return Err(Stop::Interrupted);
            }
        }
        Ok(())
    }

    /// Waits for the answer to a request.
    async fn answer(&mut self, id: &str) -> Result<Value, Stop> {
        loop {
            if let Some(answer) = self.answers.remove(id) {
                self.open.remove(id);
                return Ok(answer);
            }
            if self.is_interrupted {
                return Err(Stop::Interrupted);
            }
            self.receive(None).await?;
        }
    }

    async fn request(&mut self, request: &Value) -> Result<String, Stop> {
        self.requests += 1;
        let id = format!("ask-{}-{}", self.life, self.requests);
        let line = json!({"type": "control_request", "request_id": id, "request": request});
        self.open.insert(id.clone(), line.clone());
        self.print(&line).await?;
        Ok(id)
    }

    async fn print(&mut self, line: &Value) -> Result<(), Stop> {
        let text = format!("{line}\n");
        let written = self.writer.write_all(text.as_bytes()).await;
        written.map_err(|_| Stop::Ended)
    }
}
