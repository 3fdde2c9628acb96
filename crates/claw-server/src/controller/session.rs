//! The loop of one session.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use rusty_claw::{BoxFuture, CloseReport, MessageStream, Prompt, Session, SessionError, Turn};
use rusty_claw_protocol::Line;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::asks::FromCli;
use super::command::Command;
use super::ending::{Closing, CutOff, FLUSH};
use super::expected::ExpectedAsks;
use super::forwarder::Listener;
use super::grant_book::GrantBook;
use super::input::{Input, InputReceipt};
use super::prompting::Waiting;
use super::queue::Next;
use super::recorder::Recorder;
use super::steady_clock::SteadyClock;
use super::watching::Watch;
use super::{ControllerError, content};
use crate::event::{AcceptedInput, Fact, InputFailure, InputId, PromptId};
use crate::log::LogError;
use crate::prompts::PromptGroups;
use crate::registry::nobody_answered;

/// How long after a CLI that would not stop its turn is told so again.
pub(super) const TRY_AGAIN: Duration = Duration::from_secs(1);
/// How much is read before it is stored, so that a log that is slow is asked less often.
pub(super) const BATCH_LINES: usize = 64;
pub(super) const BATCH_BYTES: usize = 256 * 1024;

/// A session that runs.
pub(super) struct Running {
    pub(super) recorder: Recorder,
    pub(super) session: Session,
    pub(super) messages: MessageStream,
    pub(super) commands: mpsc::Receiver<Command>,
    pub(super) asks: mpsc::Receiver<FromCli>,
    pub(super) grants: Arc<GrantBook>,
    pub(super) tenant: String,
    /// Where the agent works.
    pub(super) folder: PathBuf,
    pub(super) limits: Limits,
    /// Prompts that are held back for others to join them.
    pub(super) groups: PromptGroups,
    pub(super) clock: SteadyClock,
    pub(super) expected: ExpectedAsks,
    /// Who waits for an answer.
    pub(super) waiting: HashMap<PromptId, Waiting>,
    /// The input that is being written.
    pub(super) sending: Option<BoxFuture<'static, Result<Turn, SessionError>>>,
    /// A turn is being stopped to make way; says whether it was.
    pub(super) stopping: Option<BoxFuture<'static, bool>>,
    pub(super) closing: Option<Closing>,
    /// Until when those who watch have time for what is left, when the CLI is gone.
    pub(super) flush_by: Option<Instant>,
}

/// What a session may use.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    pub(super) prompt_timeout: Option<Duration>,
    pub(super) policy_timeout: Duration,
    pub(super) queued: usize,
    /// How long a sink that holds up the session may take nothing.
    pub(super) sink_timeout: Option<Duration>,
}

/// What the loop woke up for.
enum Happened {
    Line(Option<Line>),
    FromCli(FromCli),
    Command(Command),
    /// The controller is gone; nobody can reach the session any more.
    Forgotten,
    Sent(Result<Turn, SessionError>),
    /// Whether a turn was stopped to make way.
    Stopped(bool),
    Closed(CloseReport),
    /// The CLI is gone, and somebody who watches is behind.
    Ended,
    /// Time has passed, or there is room again.
    Woken,
}

impl Running {
    /// Runs until the CLI's output ends.
    pub(super) async fn run(&mut self) -> Result<(), LogError> {
        loop {
            if let Some(by) = self.recorder.close.by() {
                self.close(by);
            }
            self.deliver();
            self.on_time().await?;
            self.close_when_due();
            match self.next().await {
                Happened::Line(Some(line)) => {
                    if self.lines(line).await? {
                        return Ok(());
                    }
                }
                Happened::Line(None) => return Ok(()),
                Happened::FromCli(asked) => self.asked(asked).await?,
                Happened::Command(command) => self.command(command).await?,
                Happened::Forgotten => self.close(Instant::now()),
                Happened::Sent(sent) => {
                    self.sending = None;
                    if let Err(error) = sent {
                        // The end of the session says what became of it; a CLI that is slow may
                        // still take it.
                        tracing::warn!(%error, "an input was not written");
                    }
                }
                Happened::Stopped(is_stopped) => {
                    self.stopping = None;
                    if !is_stopped {
                        self.recorder.queue.was_not_stopped();
                    }
                }
                Happened::Closed(report) => {
                    if let Some(closing) = &mut self.closing {
                        closing.closed(report);
                    }
                }
                Happened::Ended => {
                    self.flush_by.get_or_insert(Instant::now() + FLUSH);
                }
                Happened::Woken => {}
            }
        }
    }

    /// Waits until something happens. Lines are read only while those who watch can take more;
    /// everything else is never held up by them.
    async fn next(&mut self) -> Happened {
        let has_room = self.recorder.watchers.have_room();
        let room = self.recorder.watchers.room();
        let wake = self.wake_at();
        let is_closing = self.closing.is_some();
        let sending = async {
            match &mut self.sending {
                Some(sending) => sending.await,
                None => std::future::pending().await,
            }
        };
        let stopping = async {
            match &mut self.stopping {
                Some(stopping) => stopping.await,
                None => std::future::pending().await,
            }
        };
        let closing = async {
            match self.closing.as_mut().and_then(Closing::future) {
                Some(closing) => closing.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            line = self.messages.next(), if has_room => Happened::Line(line),
            Some(asked) = self.asks.recv() => Happened::FromCli(asked),
            command = self.commands.recv(), if !is_closing || !self.commands.is_closed() => {
                command.map_or(Happened::Forgotten, Happened::Command)
            }
            () = self.recorder.close.changed() => Happened::Woken,
            sent = sending => Happened::Sent(sent),
            is_stopped = stopping => Happened::Stopped(is_stopped),
            report = closing => Happened::Closed(report),
            _ = self.session.ended(), if !has_room && self.flush_by.is_none() => Happened::Ended,
            () = room.notified(), if !has_room => Happened::Woken,
            () = tokio::time::sleep_until(wake) => Happened::Woken,
        }
    }

    /// When there is something to do at the latest.
    fn wake_at(&self) -> Instant {
        let idle = Duration::from_secs(3600);
        let at = Instant::now() + idle;
        let held = self.groups.due_ms().map(|due| self.clock.at(due));
        // What is held back is asked before it expires.
        let desk = &self.recorder.desk;
        let open = self.waiting.iter().filter(|(id, _)| desk.get(id).is_some());
        let expiry = open.filter_map(|(_, one)| one.expires_at).min();
        let closing = self.closing.as_ref().and_then(Closing::wake_at);
        let flush = self
            .flush_by
            .filter(|_| !self.recorder.watchers.are_empty());
        let stalled = self.recorder.watchers.look_at();
        [held, expiry, closing, flush, stalled]
            .into_iter()
            .flatten()
            .fold(at, Instant::min)
    }

    /// Takes a line and those that are there already. Says whether the output has ended.
    async fn lines(&mut self, mut line: Line) -> Result<bool, LogError> {
        let (mut lines, mut bytes) = (0, 0);
        let has_ended = loop {
            lines += 1;
            bytes += line.raw().as_bytes().len();
            self.withdraw_taken_back();
            self.expected.line(&line);
            self.recorder.line(line);
            if lines >= BATCH_LINES || bytes >= BATCH_BYTES {
                break false;
            }
            line = match self.messages.next().now_or_never() {
                Some(Some(next)) => next,
                Some(None) => break true,
                None => break false,
            };
        };
        self.groups.expect_more(self.expected.any());
        self.recorder.commit().await?;
        Ok(has_ended)
    }

    /// Does what is due: asks what was held back, denies what nobody answered.
    async fn on_time(&mut self) -> Result<(), LogError> {
        let desk = &self.recorder.desk;
        self.groups.grow_while(|id| desk.get(id).is_some());
        for prompt in self.groups.take(self.clock.now_ms()) {
            self.recorder.fact(Fact::PromptAsked(prompt));
        }
        // Those that were asked just now are open when this is stored.
        self.recorder.commit().await?;
        let mut over = Vec::new();
        for id in self.unanswered() {
            if let Some(prompt) = self.recorder.desk.get(&id) {
                over.push((id.clone(), nobody_answered(&prompt.kind)));
                self.recorder.fact(Fact::PromptExpired(id));
            }
        }
        self.recorder.commit().await?;
        for (id, told) in over {
            self.tell(&id, told);
        }
        Ok(())
    }

    async fn command(&mut self, command: Command) -> Result<(), LogError> {
        match command {
            Command::Input { input, reply } => {
                let receipt = self.input(input).await;
                let failed = receipt.as_ref().err().cloned();
                let _ = reply.send(receipt.unwrap_or_else(|error| Err(error.into())));
                return failed.map_or(Ok(()), Err);
            }
            Command::Answer { answers, reply } => {
                let results = self.answers(answers).await?;
                let _ = reply.send(results);
            }
            Command::Pending { reply } => {
                let _ = reply.send(self.recorder.desk.open().cloned().collect());
            }
            Command::Interrupt { reply } => {
                let session = self.session.clone();
                // The CLI answers when it likes, and the loop does not wait for it.
                tokio::spawn(async move {
                    let answer = session.interrupt().await;
                    let _ = reply.send(answer.map(|_| ()).map_err(ControllerError::Session));
                });
            }
            Command::Watch {
                listener,
                after,
                reply,
            } => {
                let _ = reply.send(self.watch(listener, after));
            }
        }
        Ok(())
    }

    /// Somebody looks who has seen the events up to a sequence, or the dialect has.
    fn watch(&mut self, listener: Box<dyn Listener>, after: u64) -> Result<Watch, ControllerError> {
        let session_id = self.recorder.session_id;
        let latest = self.recorder.ledger.sequence();
        let after = after.max(listener.sequence());
        if after > latest {
            return Err(ControllerError::AheadOfLog {
                session_id,
                after,
                latest,
            });
        }
        let log = self.recorder.log();
        let watchers = &mut self.recorder.watchers;
        Ok(watchers.add(session_id, latest, log, listener))
    }

    async fn input(
        &mut self,
        input: Input,
    ) -> Result<Result<InputReceipt, ControllerError>, LogError> {
        if self.closing.is_some() {
            return Ok(Err(ControllerError::ShuttingDown));
        }
        if let Err(error) = content::prompt(&input.content) {
            return Ok(Err(error));
        }
        match self.recorder.queue.check(&input, self.limits.queued) {
            Err(error) => Ok(Err(error)),
            Ok(Some(repeat)) => Ok(Ok(repeat)),
            Ok(None) => {
                let id = InputId::new(uuid::Uuid::new_v4().to_string());
                let receipt = InputReceipt {
                    id: id.clone(),
                    is_repeat: false,
                    turn_id: input.turn_id.clone(),
                };
                let mut accepted = AcceptedInput::new(id, input.content);
                accepted.key = input.key;
                accepted.mode = input.mode;
                accepted.turn_id = input.turn_id;
                accepted.from = input.from;
                accepted.metadata = input.metadata;
                self.recorder.accepted(accepted);
                self.recorder.commit().await?;
                Ok(Ok(receipt))
            }
        }
    }

    /// Writes the next input when it is its time.
    fn deliver(&mut self) {
        while self.sending.is_none() && self.closing.is_none() {
            match self.recorder.queue.next(self.recorder.ledger.turn()) {
                Next::Send(input) => {
                    // It was looked at when it came in.
                    let Ok(prompt) = content::prompt(&input.content) else {
                        let why = "it is neither a text nor a list of content blocks";
                        let failure = InputFailure::new(input.id, why);
                        self.recorder.fact(Fact::InputFailed(failure));
                        continue;
                    };
                    let prompt: Prompt = prompt.with_id(input.id.as_str());
                    self.recorder.ledger.sent(input.id);
                    let session = self.session.clone();
                    self.sending = Some(Box::pin(async move { session.send(prompt).await }));
                }
                Next::Interrupt => {
                    let session = self.session.clone();
                    self.stopping = Some(Box::pin(async move {
                        let Err(error) = session.interrupt().await else {
                            return true;
                        };
                        tracing::warn!(%error, "a turn was not stopped; it is tried again");
                        tokio::time::sleep(TRY_AGAIN).await;
                        false
                    }));
                }
                Next::Wait => return,
            }
        }
    }

    /// Begins to close: what runs may end first, until then. The shortest of all that was said
    /// counts.
    fn close(&mut self, by: Instant) {
        match &mut self.closing {
            Some(closing) => closing.by(by),
            None => self.closing = Some(Closing::new(by)),
        }
    }

    fn close_when_due(&mut self) {
        let turn = self.recorder.ledger.turn();
        if self.flush_by.is_some_and(|by| Instant::now() >= by) {
            // Nobody needs to know less because somebody does not read. It is in the log.
            self.recorder.watchers.leave_behind();
        }
        let Some(closing) = &mut self.closing else {
            return;
        };
        let rests = turn.is_none() && self.sending.is_none() && self.recorder.queue.rests();
        if closing.is_due(rests) {
            let session = self.session.clone();
            let open = self.recorder.desk.open();
            let cut_off = CutOff {
                turn,
                prompts: open.map(|prompt| prompt.id.clone()).collect(),
            };
            closing.begin(Box::pin(async move { session.close().await }), cut_off);
        }
        if closing.is_over_time() {
            // Somebody does not take what the session said last. It is in the log.
            self.recorder.watchers.leave_behind();
        }
    }
}
