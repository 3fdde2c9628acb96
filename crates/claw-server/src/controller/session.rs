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

use super::cli_requests::{CliRequest, PendingReply};
use super::clock::SteadyClock;
use super::closing::{Closing, CutOff, FLUSH};
use super::command::Command;
use super::forwarder::Listener;
use super::grant_book::GrantBook;
use super::input::{Input, InputReceipt};
use super::queue::Next;
use super::recorder::Recorder;
use super::upcoming_calls::UpcomingCalls;
use super::watching::Watch;
use super::{ControllerError, content};
use crate::event::{AcceptedInput, Fact, InputFailure, InputId, InteractionId};
use crate::interactions::InteractionGroups;
use crate::log::LogError;
use crate::registry::CliResponse;

/// Delay before an interrupt that failed is repeated.
pub(super) const TRY_AGAIN: Duration = Duration::from_secs(1);
/// How much is read before it is stored, so that a slow log is called less often.
pub(super) const BATCH_LINES: usize = 64;
pub(super) const BATCH_BYTES: usize = 256 * 1024;

pub(super) struct SessionLoop {
    pub(super) recorder: Recorder,
    pub(super) session: Session,
    pub(super) messages: MessageStream,
    pub(super) commands: mpsc::Receiver<Command>,
    pub(super) asks: mpsc::Receiver<CliRequest>,
    pub(super) grants: Arc<GrantBook>,
    pub(super) tenant: String,
    pub(super) folder: PathBuf,
    pub(super) limits: Limits,
    /// Interactions that are held back so that others can join them.
    pub(super) groups: InteractionGroups,
    pub(super) clock: SteadyClock,
    pub(super) upcoming: UpcomingCalls,
    pub(super) waiting: HashMap<InteractionId, PendingReply>,
    pub(super) sending: Option<BoxFuture<'static, Result<Turn, SessionError>>>,
    /// An interrupt for an urgent input. Resolves to whether it succeeded.
    pub(super) stopping: Option<BoxFuture<'static, bool>>,
    pub(super) closing: Option<Closing>,
    /// Once the CLI is gone, until when sinks may accept the remaining messages.
    pub(super) flush_by: Option<Instant>,
}

#[derive(Debug, Clone)]
pub(super) struct Limits {
    pub(super) interaction_timeout: Option<Duration>,
    pub(super) policy_timeout: Duration,
    pub(super) queued: usize,
    /// How long a sink may accept nothing while it blocks the session.
    pub(super) sink_timeout: Option<Duration>,
}

/// Why the loop woke up.
enum Wakeup {
    Line(Option<Line>),
    CliRequest(CliRequest),
    Command(Command),
    /// The controller is gone; no more commands can arrive.
    ControllerDropped,
    Sent(Result<Turn, SessionError>),
    /// Whether an interrupt for an urgent input succeeded.
    Stopped(bool),
    Closed(CloseReport),
    /// The CLI is gone, and a sink is behind.
    Ended,
    /// A deadline has passed, there is room again, or a close was requested.
    Woken,
}

impl SessionLoop {
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
                Wakeup::Line(Some(line)) => {
                    if self.lines(line).await? {
                        return Ok(());
                    }
                }
                Wakeup::Line(None) => return Ok(()),
                Wakeup::CliRequest(asked) => self.asked(asked).await?,
                Wakeup::Command(command) => self.command(command).await?,
                Wakeup::ControllerDropped => self.close(Instant::now()),
                Wakeup::Sent(sent) => {
                    self.sending = None;
                    if let Err(error) = sent {
                        // The events that follow decide its outcome; a slow CLI may still accept
                        // it.
                        tracing::warn!(%error, "an input was not written");
                    }
                }
                Wakeup::Stopped(is_stopped) => {
                    self.stopping = None;
                    if !is_stopped {
                        self.recorder.queue.was_not_stopped();
                    }
                }
                Wakeup::Closed(report) => {
                    if let Some(closing) = &mut self.closing {
                        closing.closed(report);
                    }
                }
                Wakeup::Ended => {
                    self.flush_by.get_or_insert(Instant::now() + FLUSH);
                }
                Wakeup::Woken => {}
            }
        }
    }

    /// Waits for the next wakeup. Lines are read only while all sinks have room; nothing else waits
    /// for the sinks.
    async fn next(&mut self) -> Wakeup {
        let has_room = self.recorder.watchers.have_room();
        let room = self.recorder.watchers.room();
        let wake = self.wake_at();
        let is_closing = self.closing.is_some();
        let sending = if_any(self.sending.as_mut());
        let stopping = if_any(self.stopping.as_mut());
        let closing = if_any(self.closing.as_mut().and_then(Closing::future));
        tokio::select! {
            line = self.messages.next(), if has_room => Wakeup::Line(line),
            Some(asked) = self.asks.recv() => Wakeup::CliRequest(asked),
            command = self.commands.recv(), if !is_closing || !self.commands.is_closed() => {
                command.map_or(Wakeup::ControllerDropped, Wakeup::Command)
            }
            () = self.recorder.close.changed() => Wakeup::Woken,
            sent = sending => Wakeup::Sent(sent),
            is_stopped = stopping => Wakeup::Stopped(is_stopped),
            report = closing => Wakeup::Closed(report),
            _ = self.session.ended(), if !has_room && self.flush_by.is_none() => Wakeup::Ended,
            () = room.notified(), if !has_room => Wakeup::Woken,
            () = tokio::time::sleep_until(wake) => Wakeup::Woken,
        }
    }

    /// Returns the next deadline, in an hour at most.
    fn wake_at(&self) -> Instant {
        let idle = Duration::from_secs(3600);
        let at = Instant::now() + idle;
        let held = self.groups.due_ms().map(|due| self.clock.at(due));
        // Interactions that are held back are opened before they expire.
        let interactions = &self.recorder.interactions;
        let open = self
            .waiting
            .iter()
            .filter(|(id, _)| interactions.get(id).is_some());
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

    /// Processes a line and those already available. Returns whether the output has ended.
    async fn lines(&mut self, mut line: Line) -> Result<bool, LogError> {
        let (mut lines, mut bytes) = (0, 0);
        let has_ended = loop {
            lines += 1;
            bytes += line.raw().as_bytes().len();
            self.withdraw_cancelled();
            self.upcoming.line(&line);
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
        self.groups.expect_more(self.upcoming.any());
        self.recorder.commit().await?;
        Ok(has_ended)
    }

    /// Handles deadlines: opens interactions that were held back, denies expired ones.
    async fn on_time(&mut self) -> Result<(), LogError> {
        let interactions = &self.recorder.interactions;
        self.groups.grow_while(|id| interactions.get(id).is_some());
        for interaction in self.groups.take(self.clock.now_ms()) {
            self.recorder.fact(Fact::InteractionOpened(interaction));
        }
        // This opens them, so that they can expire below.
        self.recorder.commit().await?;
        let mut over = Vec::new();
        for id in self.unanswered() {
            if let Some(interaction) = self.recorder.interactions.get(&id) {
                over.push((id.clone(), CliResponse::expired(&interaction.kind)));
                self.recorder.fact(Fact::InteractionExpired(id));
            }
        }
        self.recorder.commit().await?;
        for (id, response) in over {
            self.resolve(&id, response);
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
                let _ = reply.send(self.recorder.interactions.open().cloned().collect());
            }
            Command::Interrupt { reply } => {
                let session = self.session.clone();
                // The CLI may respond late, and the loop does not wait for it.
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

    /// Adds a sink that has seen the events up to `after`, or up to where its dialect is.
    fn watch(&mut self, listener: Box<dyn Listener>, after: u64) -> Result<Watch, ControllerError> {
        let session_id = self.recorder.session_id;
        let latest = self.recorder.builder.sequence();
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

    /// Sends the next input when it is due, or interrupts the turn for an urgent one.
    fn deliver(&mut self) {
        while self.sending.is_none() && self.closing.is_none() {
            match self.recorder.queue.next(self.recorder.builder.turn()) {
                Next::Send(input) => {
                    // It was checked when it was accepted.
                    let Ok(prompt) = content::prompt(&input.content) else {
                        let why = "it is neither a text nor a list of content blocks";
                        let failure = InputFailure::new(input.id, why);
                        self.recorder.fact(Fact::InputFailed(failure));
                        continue;
                    };
                    let prompt: Prompt = prompt.with_id(input.id.as_str());
                    self.recorder.builder.sent(input.id);
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

    /// Starts to close. Running work may finish until then; the earliest deadline applies.
    fn close(&mut self, by: Instant) {
        match &mut self.closing {
            Some(closing) => closing.by(by),
            None => self.closing = Some(Closing::new(by)),
        }
    }

    fn close_when_due(&mut self) {
        let turn = self.recorder.builder.turn();
        if self.flush_by.is_some_and(|by| Instant::now() >= by) {
            // A sink that does not read must not delay the others. The events are in the log.
            self.recorder.watchers.leave_behind();
        }
        let Some(closing) = &mut self.closing else {
            return;
        };
        let rests = turn.is_none() && self.sending.is_none() && self.recorder.queue.rests();
        if closing.is_due(rests) {
            let session = self.session.clone();
            let open = self.recorder.interactions.open();
            let cut_off = CutOff {
                turn,
                interactions: open.map(|interaction| interaction.id.clone()).collect(),
            };
            closing.begin(Box::pin(async move { session.close().await }), cut_off);
        }
        if closing.is_over_time() {
            // A sink does not accept the last messages. They are in the log.
            self.recorder.watchers.leave_behind();
        }
    }
}

/// Awaits a future; never returns without one.
async fn if_any<F: Future>(future: Option<F>) -> F::Output {
    match future {
        Some(future) => future.await,
        None => std::future::pending().await,
    }
}
