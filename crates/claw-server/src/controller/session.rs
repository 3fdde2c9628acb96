//! The loop of one session.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::FutureExt as _;
use rusty_claw::sessions::SessionLibrary;
use rusty_claw::{BoxFuture, CloseReport, MessageStream, Session, SessionError, Turn};
use rusty_claw_protocol::Line;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::ControllerError;
use super::activity::Activity;
use super::cli_requests::{CliRequest, PendingReply};
use super::clock::SteadyClock;
use super::close_signal::CloseAsked;
use super::closing::{Closing, CutOff, FLUSH};
use super::command::Command;
use super::forwarder::Listener;
use super::grant_book::GrantBook;
use super::parking::{Parking, Waking};
use super::rearming::Inherited;
use super::recorder::Recorder;
use super::scheduled_prompts::ScheduledPrompts;
use super::upcoming_calls::UpcomingCalls;
use super::watching::Watch;
use crate::event::{Fact, InteractionId};
use crate::interactions::{AnswerRefused, InteractionGroups};
use crate::log::LogError;
use crate::registry::CliResponse;

/// How much is read before it is stored, so that a slow log is called less often.
pub(super) const BATCH_LINES: usize = 64;
pub(super) const BATCH_BYTES: usize = 256 * 1024;

pub(super) struct SessionLoop {
    pub(super) recorder: Recorder,
    /// Wakes the loop when a close is requested.
    pub(super) closes: CloseAsked,
    pub(super) session: Session,
    pub(super) messages: MessageStream,
    pub(super) commands: mpsc::Receiver<Command>,
    pub(super) asks: mpsc::Receiver<CliRequest>,
    pub(super) grants: Arc<GrantBook>,
    pub(super) tenant: String,
    pub(super) folder: PathBuf,
    /// The session files of the CLI, if they can be located.
    pub(super) library: Option<SessionLibrary>,
    pub(super) limits: Limits,
    /// Interactions that are held back so that others can join them.
    pub(super) groups: InteractionGroups,
    pub(super) clock: SteadyClock,
    pub(super) upcoming: UpcomingCalls,
    pub(super) scheduled: ScheduledPrompts,
    pub(super) activity: watch::Sender<Activity>,
    pub(super) waiting: HashMap<InteractionId, PendingReply>,
    /// The interactions that the previous owner left to this one, and that the CLI has not repeated.
    pub(super) inherited: Vec<Inherited>,
    /// Until when the CLI repeats them.
    pub(super) repeats_by: Option<Instant>,
    pub(super) sending: Option<BoxFuture<'static, Result<Turn, SessionError>>>,
    /// How calls are parked, if they are.
    pub(super) parking: Option<Parking>,
    /// Whether the CLI is killed so that the session can wait without it.
    pub(super) is_parking: bool,
    /// While the CLI has not asked again: what it must do.
    pub(super) waking: Option<Waking>,
    /// Commands that wait until it has asked.
    pub(super) deferred: Vec<Command>,
    /// Why the CLI was killed, if the session is lost.
    pub(super) lost: Option<&'static str>,
    /// An interrupt for an urgent input. Resolves to whether it succeeded.
    pub(super) stopping: Option<BoxFuture<'static, bool>>,
    pub(super) closing: Option<Closing>,
    /// Whether the CLI is left to the next owner.
    pub(super) is_released: bool,
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
    /// The pending append is done.
    Stored(Result<(), LogError>),
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
            self.on_time();
            self.close_when_due();
            self.recorder.flush()?;
            self.report_activity();
            if self.is_released {
                self.recorder.commit().await?;
                // As if the next owner were here already: nothing is recorded, and the CLI goes on.
                return Err(LogError::Fenced);
            }
            match self.next().await {
                Wakeup::Line(Some(line)) => {
                    if self.lines(line) {
                        return self.recorder.commit().await;
                    }
                }
                Wakeup::Line(None) => return self.recorder.commit().await,
                Wakeup::Stored(stored) => stored?,
                Wakeup::CliRequest(asked) => self.asked(asked),
                Wakeup::Command(command) => self.command(command),
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
                        self.recorder.state.queue.was_not_stopped();
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
        let reads = has_room && self.recorder.has_room();
        let wake = self.wake_at();
        let is_closing = self.closing.is_some();
        let sending = if_any(self.sending.as_mut());
        let stopping = if_any(self.stopping.as_mut());
        let closing = if_any(self.closing.as_mut().and_then(Closing::future));
        tokio::select! {
            stored = self.recorder.appended() => Wakeup::Stored(stored),
            line = self.messages.next(), if reads => Wakeup::Line(line),
            Some(asked) = self.asks.recv() => Wakeup::CliRequest(asked),
            command = self.commands.recv(), if !is_closing || !self.commands.is_closed() => {
                command.map_or(Wakeup::ControllerDropped, Wakeup::Command)
            }
            () = self.closes.changed() => Wakeup::Woken,
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
        let interactions = &self.recorder.state.interactions;
        let open = self
            .waiting
            .iter()
            .filter(|(id, _)| interactions.get(id).is_some());
        // Nothing expires while the session is parked.
        let expires = !self.is_parking;
        let expiry = open.filter_map(|(_, one)| one.expires_at).min();
        let expiry = expiry.filter(|_| expires);
        let closing = self.closing.as_ref().and_then(Closing::wake_at);
        let flush = self
            .flush_by
            .filter(|_| !self.recorder.watchers.are_empty());
        let stalled = self.recorder.watchers.look_at();
        let unclaimed = self.repeats_by;
        let unclaimed = unclaimed.filter(|_| expires && !self.inherited.is_empty());
        [
            unclaimed,
            self.waking.map(|waking| waking.by()),
            held,
            expiry,
            closing,
            flush,
            stalled,
        ]
        .into_iter()
        .flatten()
        .fold(at, Instant::min)
    }

    /// Processes a line and those already available. Returns whether the output has ended.
    pub(super) fn lines(&mut self, mut line: Line) -> bool {
        let (mut lines, mut bytes) = (0, 0);
        let has_ended = loop {
            lines += 1;
            bytes += line.raw().as_bytes().len();
            self.withdraw_cancelled();
            self.upcoming.line(&line);
            self.scheduled.line(&line);
            self.note_continued(&line);
            self.recorder.line(line, self.messages.offset());
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
        has_ended
    }

    /// Handles deadlines: opens interactions that were held back, denies expired ones.
    fn on_time(&mut self) {
        let interactions = &self.recorder.state.interactions;
        self.groups.grow_while(|id| interactions.get(id).is_some());
        for interaction in self.groups.take(self.clock.now_ms()) {
            self.recorder.fact(Fact::InteractionOpened(interaction));
        }
        self.end_wait();
        if self.is_parking {
            return;
        }
        if self.repeats_by.is_some_and(|by| Instant::now() >= by) {
            self.withdraw_inherited();
        }
        let mut over = Vec::new();
        for id in self.unanswered() {
            if let Some(interaction) = self.recorder.state.interactions.get(&id) {
                let response = CliResponse::expired(&interaction.kind);
                over.extend(self.waiting.remove(&id).map(|one| (one, response)));
                self.recorder.fact(Fact::InteractionExpired(id));
            }
        }
        self.respond(over);
    }

    pub(super) fn command(&mut self, command: Command) {
        let Some(command) = self.unless_asleep(command) else {
            return;
        };
        // A refusal does not wait for earlier events, because the log cannot store them now.
        let trouble = self.recorder.trouble();
        match command {
            Command::Input { input, reply } => {
                if let Some(error) = trouble {
                    let _ = reply.send(Err(error.into()));
                    return;
                }
                let receipt = self.input(input);
                self.recorder.then(move || {
                    let _ = reply.send(receipt);
                });
            }
            Command::Answer { answers, reply } => {
                if let Some(error) = trouble {
                    let reason = error.to_string();
                    let refused = Err(AnswerRefused::NotStored { reason });
                    let _ = reply.send(vec![refused; answers.len()]);
                    return;
                }
                let results = self.answers(answers);
                self.recorder.then(move || {
                    let _ = reply.send(results);
                });
            }
            Command::Grant { change, reply } => {
                let result = self.change_grant(change);
                self.recorder.then(move || {
                    let _ = reply.send(result);
                });
            }
            Command::Pending { reply } => {
                let open = self.recorder.state.interactions.open();
                let open = open.cloned().collect();
                self.recorder.then(move || {
                    let _ = reply.send(open);
                });
            }
            Command::Interrupt { turn, reply } => {
                if turn.is_some() && turn != self.recorder.state.builder.turn() {
                    let _ = reply.send(Ok(()));
                    return;
                }
                let session = self.session.clone();
                // The CLI may respond late, and the loop does not wait for it.
                tokio::spawn(async move {
                    let answer = session.interrupt().await;
                    let _ = reply.send(answer.map(|_| ()).map_err(ControllerError::Session));
                });
            }
            Command::SleepIfIdle {
                idle_for,
                close,
                reply,
            } => {
                let _ = reply.send(self.sleep_if_idle(idle_for, &close));
            }
            Command::Release { reply } => {
                self.is_released = self.recorder.is_held && self.closing.is_none();
                let _ = reply.send(self.is_released);
            }
            Command::Parkable { reply } => {
                let _ = reply.send(self.parkable());
            }
            Command::Park { sequence, reply } => {
                let _ = reply.send(trouble.is_none() && self.park(sequence));
            }
            Command::Session { reply, .. } => {
                let _ = reply.send(self.session.clone());
            }
            Command::Watch {
                listener,
                after,
                reply,
            } => {
                let _ = reply.send(self.watch(listener, after));
            }
        }
    }

    /// Adds a sink that has seen the events up to `after`, or up to where its dialect is.
    fn watch(&mut self, listener: Box<dyn Listener>, after: u64) -> Result<Watch, ControllerError> {
        let session_id = self.recorder.session_id;
        let latest = self.recorder.stored().load(Ordering::Acquire);
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

    /// Starts to close. Running work may finish until then; the earliest deadline applies.
    fn close(&mut self, by: Instant) {
        match &mut self.closing {
            Some(closing) => closing.by(by),
            None => self.closing = Some(Closing::new(by)),
        }
    }

    fn close_when_due(&mut self) {
        let turn = self.recorder.state.builder.turn();
        if self.flush_by.is_some_and(|by| Instant::now() >= by) {
            // A sink that does not read must not delay the others. The events are in the log.
            self.recorder.watchers.leave_behind();
        }
        let Some(closing) = &mut self.closing else {
            return;
        };
        let rests = turn.is_none() && self.sending.is_none() && self.recorder.state.queue.rests();
        if closing.is_due(rests) {
            let session = self.session.clone();
            let open = self.recorder.state.interactions.open();
            let cut_off = CutOff {
                turn,
                interactions: open.map(|interaction| interaction.id.clone()).collect(),
            };
            // A graceful end would answer the requests that wait.
            let is_sleep = self.recorder.close.is_sleep();
            let keeps = is_sleep && self.parking.is_some() && !cut_off.interactions.is_empty();
            let end = async move {
                match keeps {
                    true => session.kill().await,
                    false => session.close().await,
                }
            };
            closing.begin(Box::pin(end), cut_off);
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
