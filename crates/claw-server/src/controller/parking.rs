//! Lets a session wait for an answer without a process.
//!
//! When the process of a session is gone and an interaction is open, [`Parking::settle`] parks its
//! call in the session file, or withdraws the interactions. When the session is opened again, the
//! CLI asks for the parked call, and the answer is delivered to that request. Until then nothing is
//! written to the CLI, and commands for the agent are deferred.
//!
//! What cannot be parked, such as a dialog, waits for a [continued turn](super::continuing).

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rusty_claw::Options;
use rusty_claw::hook::{Hook, HookOutput, PreToolUseInput};
use rusty_claw::permission::PermissionMode;
use rusty_claw::sessions::{SessionCalls, SessionLibrary};
use rusty_claw::transport::custody;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::call_ledger::CallLedger;
use super::cli_requests::{CancelFlag, CliRequest};
use super::clock::now_ms;
use super::close_signal::close_signal;
use super::command::Command;
use super::open::{close_orphans, rebuild, settle_log};
use super::rearming::{Inherited, asks_for_the_same};
use super::recorder::Recorder;
use super::session::SessionLoop;
use super::watchers::Watchers;
use super::{Controller, ControllerError, SessionSetup};
use crate::event::{
    Fact, InputFailure, InputId, Interaction, InteractionId, Lifecycle, LifecycleState,
};
use crate::interactions::AnswerRefused;
use crate::parking::{Logged, Plan, Withdrawal, asks_for_call, plan};
use crate::registry::CliResponse;
use crate::session_id::SessionId;

/// How long a process that is ending may take until it no longer writes the session file.
const WRITER_ENDS: Duration = Duration::from_secs(5);
/// How long the CLI may take to ask for a parked call, after it has started.
const ASKS_AGAIN: Duration = Duration::from_secs(30);
/// How long a continued turn may take to ask again. It calls the model.
const TURN_ASKS: Duration = Duration::from_secs(600);
/// The timeout of the hook that denies calls. It decides at once; this ends a hang.
const HOOK: Duration = Duration::from_secs(60);
/// The ticket of a request that was already decided. The tickets of the SDK are counted from 0.
const DECIDED: u64 = u64::MAX;

const WAITS: &str = "it waits for an answer without a process";
const CUT_OFF: &str = "its process ended while it worked";
const NOT_ASKED: &str = "the CLI did not ask for this call again";
const ANOTHER: &str = "the CLI asked for another call";
const REFUSED: &str = "This call may have run already, or its answer no longer counts. It is not run \
                       again: check its effects, and make a new call if it is still needed.";

/// How the calls of a session are parked.
#[derive(Debug, Clone)]
pub(super) struct Parking {
    pub(super) library: SessionLibrary,
    /// The folder in which the CLI starts.
    pub(super) folder: PathBuf,
    pub(super) mode: PermissionMode,
    /// Whether the CLI asks for a parked call again.
    pub(super) repeats_calls: bool,
}

/// What the CLI must do so that an interaction of its predecessor is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// It asks for the parked call.
    Call,
    /// It continues the cut turn, and asks for the same.
    Turn {
        /// Whether it has reported that it continues the turn.
        is_continued: bool,
    },
}

/// The wait for a CLI that has started.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waking {
    pub(super) wait: Wait,
    by: Instant,
}

impl Waking {
    pub(super) fn new(wait: Wait) -> Self {
        let limit = match wait {
            Wait::Call => ASKS_AGAIN,
            Wait::Turn { .. } => TURN_ASKS,
        };
        let by = Instant::now() + limit;
        Self { wait, by }
    }

    pub(super) fn by(&self) -> Instant {
        self.by
    }
}

/// What became of the open interactions of a process that is gone.
#[derive(Debug, PartialEq)]
pub(super) enum Settled {
    /// There were none.
    Nothing,
    /// One stays open.
    Waits(Wait),
    /// They are withdrawn. These calls may have run, without a result.
    Interrupted(Vec<String>),
}

/// A session that may be parked.
#[derive(Debug)]
pub(super) struct Parkable {
    situation: Situation,
    parking: Parking,
    /// The last event that it includes.
    sequence: u64,
}

/// What the log has about the running turn.
#[derive(Debug, Clone)]
struct Situation {
    conversation: String,
    open: Vec<Interaction>,
    calls: CallLedger,
}

impl Situation {
    /// `None` if there is nothing to decide.
    fn of(recorder: &Recorder) -> Option<Self> {
        let state = &recorder.state;
        let open: Vec<Interaction> = state.interactions.open().cloned().collect();
        if open.is_empty() && state.calls.allowed.is_empty() {
            return None;
        }
        Some(Self {
            conversation: state.record.cli_session_id.clone().unwrap_or_default(),
            open,
            calls: state.calls.clone(),
        })
    }

    /// Blocks the thread.
    fn plan(&self, file: Option<&SessionCalls>, parking: &Parking) -> Plan {
        // The CLI writes the canonical path of its folder.
        let folder = std::fs::canonicalize(&parking.folder);
        let folder = folder.unwrap_or_else(|_| parking.folder.clone());
        let logged = Logged {
            open: &self.open,
            allowed: &self.calls.allowed,
            denied: &self.calls.denied,
            folder: &folder.to_string_lossy(),
            repeats_calls: parking.repeats_calls,
            is_parked: self.calls.is_parked() && parking.repeats_calls,
        };
        plan(logged, file)
    }

    /// Whether an interaction has expired.
    fn has_expired(&self, id: &InteractionId) -> bool {
        let mut open = self.open.iter();
        let one = open.find(|one| one.id == *id);
        one.and_then(|one| one.expires_at_ms)
            .is_some_and(|at| at <= now_ms())
    }

    /// Parks a call as planned. Blocks the thread.
    fn park(&self, parking: &Parking) -> Plan {
        let Parking { library, mode, .. } = parking;
        let id = self.conversation.as_str();
        let until = std::time::Instant::now() + WRITER_ENDS;
        while matches!(library.writer(id), Ok(Some(_))) && std::time::Instant::now() < until {
            std::thread::sleep(Duration::from_millis(50));
        }
        let file = library.calls(id).ok();
        let plan = self.plan(file.as_ref(), parking);
        let Plan::Park { call, .. } = &plan else {
            return plan;
        };
        match library.park(id, call, mode.as_str()) {
            Ok(_) => plan,
            Err(error) => Plan::Interrupted {
                unknown_calls: Vec::new(),
                withdrawn: Withdrawal::all(&self.open, &error.to_string()),
            },
        }
    }
}

impl Parkable {
    /// Whether the session file has the call, and no other one may run. Blocks the thread.
    fn is_safe(&self) -> bool {
        let file = self.parking.library.calls(&self.situation.conversation);
        let plan = self.situation.plan(file.ok().as_ref(), &self.parking);
        matches!(plan, Plan::Park { withdrawn, .. } if withdrawn.is_empty())
    }
}

impl Parking {
    /// Decides about the open interactions of a process that is gone, and records that. If the log
    /// has no state `Parked` for a parked call, it is recorded.
    pub(super) async fn settle(&self, recorder: &mut Recorder) -> Settled {
        let Some(situation) = Situation::of(recorder) else {
            return Settled::Nothing;
        };
        let (parking, open) = (self.clone(), situation.open.clone());
        let shared = Arc::new(situation);
        let situation = Arc::clone(&shared);
        let parked = rusty_claw::runtime::spawn_blocking(move || shared.park(&parking)).await;
        let plan = parked.unwrap_or_else(|_| Plan::Interrupted {
            unknown_calls: situation.calls.allowed.clone(),
            withdrawn: Withdrawal::all(&open, CUT_OFF),
        });
        let (withdrawn, settled) = match plan {
            Plan::Nothing => return Settled::Nothing,
            Plan::Park { withdrawn, .. } => (withdrawn, Settled::Waits(Wait::Call)),
            Plan::Continue {
                interaction,
                withdrawn,
            } if situation.has_expired(&interaction) => {
                // The turn is not continued only to deny this.
                recorder.fact(Fact::InteractionExpired(interaction));
                (withdrawn, Settled::Interrupted(Vec::new()))
            }
            Plan::Continue { withdrawn, .. } => {
                let is_continued = false;
                (withdrawn, Settled::Waits(Wait::Turn { is_continued }))
            }
            Plan::Interrupted {
                unknown_calls,
                withdrawn,
            } => (withdrawn, Settled::Interrupted(unknown_calls)),
        };
        for Withdrawal { id, reason } in withdrawn {
            recorder.withdraw(id, &reason);
        }
        if matches!(settled, Settled::Waits(_)) {
            fail_unbegun(recorder);
        }
        let is_recorded = recorder.state.record.lifecycle == Some(LifecycleState::Parked);
        if matches!(settled, Settled::Waits(_)) && !is_recorded {
            let mut parked = Lifecycle::new(LifecycleState::Parked);
            parked.reason = Some(WAITS.to_owned());
            recorder.fact(Fact::Lifecycle(parked));
        }
        settled
    }

    /// Settles what the previous owner left open. Returns what the next CLI must do, if an
    /// interaction waits.
    pub(super) async fn settle_orphans(&self, recorder: &mut Recorder) -> Option<Wait> {
        if recorder.state.record.was_abandoned() {
            // The CLI of a host that was killed must not write any more.
            custody::sweep().await;
        }
        match self.settle(recorder).await {
            Settled::Waits(wait) => return Some(wait),
            Settled::Nothing => close_orphans(recorder),
            Settled::Interrupted(unknown_calls) => {
                let mut lost = Lifecycle::new(LifecycleState::Lost);
                lost.reason = Some(CUT_OFF.to_owned());
                lost.unknown_calls = unknown_calls;
                recorder.ended(lost);
            }
        }
        None
    }
}

/// Records inputs as failed that the process has received, and that are not in the parked turn: the
/// next process does not know of them.
fn fail_unbegun(recorder: &mut Recorder) {
    let state = &recorder.state;
    let sent = state.queue.in_flight().iter();
    let unbegun: Vec<InputId> = sent
        .filter(|id| !state.builder.is_in_turn(id))
        .cloned()
        .collect();
    for id in unbegun {
        let failure = InputFailure::new(id, "the process ended first").indeterminate();
        recorder.fact(Fact::InputFailed(failure));
    }
}

/// Adds a hook that denies calls which must not run again, before any rule, grant or mode.
pub(super) fn refuse_calls(options: Options, ledger: &CallLedger) -> Options {
    if ledger.refused.is_empty() {
        return options;
    }
    let refused: Arc<[String]> = ledger.refused.as_slice().into();
    let hook = Hook::pre_tool_use(move |input: PreToolUseInput, _| {
        let is_refused = refused.iter().any(|call| *input.tool_use_id == **call);
        async move {
            if is_refused {
                HookOutput::deny(REFUSED)
            } else {
                HookOutput::none()
            }
        }
    });
    options.hook(hook.timeout(HOOK))
}

impl Controller {
    /// Does what [`Controller::open`] does for the open interactions of a lost owner, without
    /// starting the CLI: parks the call of one of them, or ends the turn. Returns the interaction
    /// that waits without a process, if there is one. The setup must have [`SessionSetup::parks`].
    ///
    /// # Errors
    /// The session is open, the log fails, or the session files cannot be prepared.
    pub async fn park_abandoned(
        &self,
        mut setup: SessionSetup,
    ) -> Result<Option<InteractionId>, ControllerError> {
        let (close, asked) = close_signal();
        let (slot, _commands) = self.shared.reserve(&setup, close)?;
        let log = Arc::clone(&self.shared.log);
        let state = rebuild(&log, slot.session_id, true, setup.epoch).await?;
        let watchers = Watchers::new(self.shared.unsent, self.shared.limits.sink_timeout);
        let mut recorder = Recorder::new(slot.session_id, state, log, watchers, asked);
        let wait = settle_log(&mut recorder, &mut setup).await?;
        recorder.commit().await?;
        let mut open = recorder.state.interactions.open();
        let waits = open.next().filter(|_| wait.is_some());
        Ok(waits.map(|one| one.id.clone()))
    }

    /// Parks a session that waits for an answer: kills its CLI, and keeps the interaction open. It
    /// continues when the session is [reopened](SessionSetup::reopen). Returns false if the session
    /// does not wait, if something else runs in it, or if the call could not be parked.
    ///
    /// # Errors
    /// There is no such session.
    ///
    /// Dropping the future does not cancel a kill that has begun.
    pub async fn park(&self, session_id: SessionId) -> Result<bool, ControllerError> {
        let parkable = |reply| Command::Parkable { reply };
        let Some(parkable) = self.send_command(session_id, parkable).await? else {
            return Ok(false);
        };
        let sequence = parkable.sequence;
        let is_safe = rusty_claw::runtime::spawn_blocking(move || parkable.is_safe()).await;
        let park = |reply| Command::Park { sequence, reply };
        if !is_safe.unwrap_or(false) || !self.send_command(session_id, park).await? {
            return Ok(false);
        }
        let closed = self.ended(session_id).await?;
        Ok(closed.state == LifecycleState::Parked)
    }
}

impl SessionLoop {
    /// Returns what is needed to decide whether the session can be parked, if it only waits.
    pub(super) fn parkable(&self) -> Option<Parkable> {
        let mut open = self.recorder.state.interactions.open();
        let one = open.next().filter(|_| open.next().is_none())?;
        let is_call = asks_for_call(&one.kind);
        let is_busy = self.sending.is_some()
            || self.stopping.is_some()
            || self.closing.is_some()
            || self.is_parking
            || self.waking.is_some()
            || self.has_unbegun()
            || self.session.background_tasks() > 0;
        let waits = is_call && self.waiting.len() == 1 && self.waiting.contains_key(&one.id);
        if is_busy || !waits {
            return None;
        }
        Some(Parkable {
            situation: Situation::of(&self.recorder)?,
            parking: self.parking.clone()?,
            sequence: self.recorder.state.builder.sequence(),
        })
    }

    /// Whether the CLI has an input that it has not begun. It would be lost.
    fn has_unbegun(&self) -> bool {
        let state = &self.recorder.state;
        let mut sent = state.queue.in_flight().iter();
        sent.any(|id| !state.builder.is_in_turn(id))
    }

    /// Begins to park the session, unless something has happened since `sequence`. The CLI is killed
    /// when that is stored.
    pub(super) fn park(&mut self, sequence: u64) -> bool {
        if self.parkable().is_none_or(|now| now.sequence != sequence) {
            return false;
        }
        self.is_parking = true;
        let parking = Lifecycle::new(LifecycleState::Parking);
        self.recorder.fact(Fact::Lifecycle(parking));
        let session = self.session.clone();
        self.recorder.then(move || {
            tokio::spawn(async move { session.kill().await });
        });
        true
    }

    /// Handles a command that must not reach the CLI now. Returns the others.
    pub(super) fn unless_asleep(&mut self, command: Command) -> Option<Command> {
        match command {
            Command::Answer { answers, reply } if self.is_parking => {
                let reason = "the session is about to wait without a process".to_owned();
                let refused = Err(AnswerRefused::NotStored { reason });
                let _ = reply.send(vec![refused; answers.len()]);
                None
            }
            // A parked call keeps the mode under which it was asked.
            command @ (Command::Answer { .. }
            | Command::Session {
                is_change: true, ..
            }) if self.waking.is_some() => {
                self.deferred.push(command);
                None
            }
            command @ Command::Interrupt { .. } if self.waits_for_call() => {
                self.deferred.push(command);
                None
            }
            command => Some(command),
        }
    }

    /// Whether nothing may be written to the CLI.
    pub(super) fn is_silent(&self) -> bool {
        self.is_parking || self.waking.is_some()
    }

    pub(super) fn waits_for_turn(&self) -> bool {
        self.waking.is_some() && !self.waits_for_call()
    }

    fn waits_for_call(&self) -> bool {
        self.waking.is_some_and(|waking| waking.wait == Wait::Call)
    }

    /// If a policy allows the parked call while a decision of a person waits for it, that decision
    /// counts.
    pub(super) fn prefer_person(&self, asked: CliRequest) -> CliRequest {
        match asked {
            CliRequest::Decided {
                interaction,
                response: CliResponse::Permission(answer),
                stored,
                ..
            } if answer.is_allow() && self.has_answer_for(&interaction) => CliRequest::Ask {
                ticket: DECIDED,
                interaction,
                reply: stored,
                cancelled: CancelFlag::when(|| false),
            },
            asked => asked,
        }
    }

    /// Whether an answer waits for a request that asks for the same.
    fn has_answer_for(&self, asked: &Interaction) -> bool {
        let is_answer = |command: &Command| matches!(command, Command::Answer { .. });
        let is_same = |one: &Inherited| asks_for_the_same(&one.interaction, asked);
        self.deferred.iter().any(is_answer) && self.inherited.iter().any(is_same)
    }

    /// Ends the wait for the parked call after a request of the CLI, which was for this call or for
    /// another one.
    pub(super) fn woken(&mut self, reason: &str) {
        if self.waking.take().is_none() {
            return;
        }
        for one in std::mem::take(&mut self.inherited) {
            self.recorder.withdraw(one.interaction.id, reason);
        }
        for command in std::mem::take(&mut self.deferred) {
            self.command(command);
        }
    }

    pub(super) fn was_asked(&mut self) {
        self.woken(ANOTHER);
    }

    /// Ends the turn if the CLI does not ask for the parked call.
    pub(super) fn end_wait(&mut self) {
        let Some(waking) = self.waking else { return };
        let is_late = Instant::now() >= waking.by;
        let is_over = self.recorder.state.builder.turn().is_none();
        if is_late || is_over {
            self.woken(NOT_ASKED);
        }
        // A continued turn may go on without asking.
        if is_late && !is_over && waking.wait == Wait::Call {
            self.lost = Some(NOT_ASKED);
            let session = self.session.clone();
            tokio::spawn(async move { session.kill().await });
        }
    }

    /// Settles the open interactions when the process has ended, if they outlive it.
    pub(super) async fn settle(&mut self, lifecycle: &Lifecycle) -> Settled {
        let ends = lifecycle.state == LifecycleState::Closed && !self.is_parking;
        match self.parking.clone() {
            Some(parking) if !ends => parking.settle(&mut self.recorder).await,
            _ => Settled::Nothing,
        }
    }
}

/// The answers to [`Command::Parkable`].
pub(super) type ParkableReply = oneshot::Sender<Option<Parkable>>;
