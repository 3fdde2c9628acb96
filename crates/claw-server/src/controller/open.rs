//! How sessions begin, and that each of them has an end.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use futures_util::FutureExt as _;
use rusty_claw::{MessageStream, Options, Session};
use tokio::sync::{mpsc, oneshot, watch};

use super::asks::Door;
use super::close_request::{CloseAsked, CloseRequest, close_request};
use super::command::Command;
use super::ending::{FLUSH, SessionClosed};
use super::expected::ExpectedAsks;
use super::recorder::Recorder;
use super::session::Running;
use super::setup::{SessionSetup, Start};
use super::steady_clock::SteadyClock;
use super::watchers::Watchers;
use super::{Address, Controller, ControllerError, Shared};
use crate::event::{Fact, Lifecycle, LifecycleState, SessionEvent};
use crate::log::{EventLog, LogError};
use crate::prompts::PromptGroups;
use crate::rules::Surroundings;

/// What is said of a session that did not get to start.
const CLOSED_EARLY: &str = "it was closed before it had started";

/// How many ends of sessions are remembered.
const REPORTS: usize = 1024;

/// How many commands may be on their way to a session.
const COMMANDS: usize = 32;

impl Controller {
    /// Opens a session, and returns what clients call it.
    ///
    /// # Errors
    /// The CLI does not start, the log fails, the number is taken, or the history is not one
    /// session's. A session that is closed before it has started is [`ControllerError::ShuttingDown`].
    ///
    /// Dropping the future closes what was begun, in the background: the number is free again when
    /// that is done. What was being written to the log is written.
    pub async fn open(&self, setup: SessionSetup) -> Result<i64, ControllerError> {
        let (close, asked) = close_request();
        let unless_dropped = close.when_dropped();
        let (opened, told) = oneshot::channel();
        let shared = Arc::clone(&self.shared);
        tokio::spawn(live(shared, Box::new(setup), close, asked, opened));
        let told = told.await;
        unless_dropped.keep();
        told.unwrap_or_else(|_| Err(ControllerError::ShuttingDown))
    }
}

/// The life of a session, from its number to its report. Everything that is other people's code
/// is called from here on, and none of it is the caller's to drop.
async fn live(
    shared: Arc<Shared>,
    setup: Box<SessionSetup>,
    close: CloseRequest,
    asked: CloseAsked,
    opened: oneshot::Sender<Result<i64, ControllerError>>,
) {
    let taken = contained(async {
        tokio::select! {
            taken = shared.take_place(setup.id, close) => taken,
            () = asked.is_due() => Err(ControllerError::ShuttingDown),
        }
    });
    let taken = taken.await;
    let (mut place, commands) = match taken.and_then(|taken| taken) {
        Ok(taken) => taken,
        Err(error) => {
            let _ = opened.send(Err(error));
            return;
        }
    };
    // In boxes: what is needed to begin is not kept for as long as the session runs.
    let beginning = Box::pin(begin(shared, setup, &mut place, commands, asked));
    let begun = contained(beginning).await;
    let mut running = match begun.and_then(|begun| begun) {
        Ok(running) => running,
        Err(error) => {
            place.why = error.to_string();
            drop(place);
            let _ = opened.send(Err(error));
            return;
        }
    };
    // When nobody waits for it, it was asked to close already.
    let _ = opened.send(Ok(place.session_id));
    let ran = match contained(Box::pin(running.run())).await {
        Ok(ran) => ran,
        Err(_) => Err(LogError::new(
            "a part of the session panicked, so the last of what happened was not stored",
        )),
    };
    match contained(Box::pin(running.finish(ran))).await {
        Ok(closed) => place.closed = Some(closed),
        Err(panicked) => place.why = panicked.to_string(),
    }
    drop(place);
}

/// Has the CLI started, with all that a session needs.
async fn begin(
    shared: Arc<Shared>,
    setup: Box<SessionSetup>,
    place: &mut Place,
    commands: mpsc::Receiver<Command>,
    asked: CloseAsked,
) -> Result<Box<Running>, ControllerError> {
    let session_id = place.session_id;
    history_of_one_session(session_id, &setup.history)?;
    if setup.history.is_empty() && shared.used().contains(&session_id) {
        // Those who come again to the one before would see this one.
        return Err(ControllerError::HasHistory { session_id });
    }
    let epoch = setup.history.last().map_or(0, |event| event.epoch);
    let log = Arc::clone(&shared.log);
    let watchers = Watchers::new(shared.unsent, shared.limits.sink_timeout);
    let mut recorder = Recorder::new(session_id, epoch.saturating_add(1), log, watchers, asked);
    place.stored = recorder.stored();
    for event in &setup.history {
        recorder.replay(event);
    }
    let seen = recorder.ledger.sequence();
    let log = recorder.log();
    tokio::select! {
        fits = fits_the_log(log.as_ref(), session_id, setup.history.last()) => fits?,
        () = recorder.close.is_due() => return Err(ControllerError::ShuttingDown),
    }
    for listen in setup.sinks {
        let (log, listener) = (recorder.log(), listen(session_id, seen));
        recorder.watchers.add(session_id, seen, log, listener);
    }
    take_over(&mut recorder, &setup.history);
    drop(setup.history);

    let (asks, from_cli) = mpsc::unbounded_channel();
    let mut options = setup.options.include_partial_messages(true);
    let folder = match setup.folder {
        Some(folder) => {
            options = options.cwd(&folder);
            folder
        }
        None => match options.working_folder() {
            Some(folder) => folder.to_owned(),
            None => std::env::current_dir().unwrap_or_default(),
        },
    };
    let mut surroundings = Surroundings::new(&folder);
    if let Some(home) = setup.home {
        surroundings = surroundings.home(home);
    }
    let door = Door {
        session_id,
        policy: shared.policy_of(&setup.tenant),
        tenant: setup.tenant.clone(),
        grants: Arc::clone(&shared.grants),
        surroundings,
        deciding: Arc::clone(&shared.deciding),
        policy_timeout: shared.limits.policy_timeout,
        asks,
    };
    let (limits, grants) = (shared.limits.clone(), Arc::clone(&shared.grants));
    // Whoever lets go of the controller closes its sessions, this one too.
    drop(shared);
    let (session, messages) = match start(&mut recorder, setup.start, door.serve(options)).await {
        Ok(started) => started,
        Err(error) => {
            recorder.watchers.finish(FLUSH).await;
            return Err(error);
        }
    };
    Ok(Box::new(Running {
        recorder,
        session,
        messages,
        commands,
        asks: from_cli,
        grants,
        tenant: setup.tenant,
        folder,
        limits,
        groups: PromptGroups::default(),
        clock: SteadyClock::start(),
        expected: ExpectedAsks::default(),
        waiting: HashMap::new(),
        sending: None,
        stopping: None,
        closing: None,
        flush_by: None,
    }))
}

/// Starts the CLI, between two events. When this fails, nothing of it runs.
async fn start(
    recorder: &mut Recorder,
    start: Start,
    options: Options,
) -> Result<(Session, MessageStream), ControllerError> {
    recorder.fact(Fact::Lifecycle(Lifecycle::new(LifecycleState::Starting)));
    recorder.commit().await?;
    let started = tokio::select! {
        biased;
        () = recorder.close.is_due() => Err(ControllerError::ShuttingDown),
        started = start(options) => started.map_err(ControllerError::Start),
    };
    let (session, messages) = match started {
        Ok(started) => started,
        Err(error) => {
            let (state, reason) = match &error {
                ControllerError::Start(error) => (LifecycleState::Lost, error.to_string()),
                _ => (LifecycleState::Closed, CLOSED_EARLY.to_owned()),
            };
            let mut over = Lifecycle::new(state);
            over.reason = Some(reason);
            recorder.ended(over);
            recorder.commit().await?;
            return Err(error);
        }
    };
    recorder.fact(Fact::Lifecycle(Lifecycle::new(LifecycleState::Ready)));
    if let Err(error) = recorder.commit().await {
        session.close().await;
        return Err(error.into());
    }
    Ok((session, messages))
}

/// Waits for what may panic, and says that it did.
async fn contained<T>(future: impl Future<Output = T>) -> Result<T, ControllerError> {
    let done = AssertUnwindSafe(future).catch_unwind().await;
    done.map_err(|_| ControllerError::Panicked)
}

/// Refuses events that cannot be what happened in one session: with one missing, out of place or
/// doubled, nobody knows what is open.
fn history_of_one_session(
    session_id: i64,
    history: &[SessionEvent],
) -> Result<(), ControllerError> {
    let follows = |pair: &[SessionEvent]| match pair {
        [one, next] => next.sequence == one.sequence.saturating_add(1) && next.epoch >= one.epoch,
        _ => true,
    };
    let why = if !history.windows(2).all(follows) {
        "its events do not follow each other: give all of them, in order"
    } else if history.first().is_some_and(|first| first.sequence != 1) {
        "it does not begin with the first event: give all of them"
    } else {
        return Ok(());
    };
    Err(ControllerError::WrongHistory { session_id, why })
}

/// Refuses a history that is not what the log has, as far as the log has anything: what comes next
/// would stand behind a gap, or behind what another session did.
async fn fits_the_log(
    log: &dyn EventLog,
    session_id: i64,
    last: Option<&SessionEvent>,
) -> Result<(), ControllerError> {
    let Some(last) = last else {
        let stored = log.read(session_id, 0, 1).await?;
        return match stored.is_empty() {
            true => Ok(()),
            false => Err(ControllerError::HasHistory { session_id }),
        };
    };
    let stored = log
        .read(session_id, last.sequence.saturating_sub(1), 2)
        .await?;
    // What is the same event may have been written and read again on its way here.
    let is_last = |one: &SessionEvent| {
        let stamp = |one: &SessionEvent| (one.sequence, one.epoch, one.at_ms, one.turn);
        stamp(one) == stamp(last) && one.fact.kind() == last.fact.kind()
    };
    let why = match stored.as_slice() {
        // A log of this process alone knows nothing of what happened in another.
        [] if log.read(session_id, 0, 1).await?.is_empty() => return Ok(()),
        [] => "the log ends before it does",
        [same] if is_last(same) => return Ok(()),
        [same, ..] if is_last(same) => return Err(ControllerError::HasHistory { session_id }),
        _ => "the log has another event in the place of its last one",
    };
    Err(ControllerError::WrongHistory { session_id, why })
}

/// Ends what the owner before left open.
fn take_over(recorder: &mut Recorder, history: &[SessionEvent]) {
    for fact in recorder.desk.abandoned() {
        recorder.fact(fact);
    }
    let states = history.iter().rev().filter_map(|event| match &event.fact {
        Fact::Lifecycle(lifecycle) => Some(&lifecycle.state),
        _ => None,
    });
    let is_over = |state: &&LifecycleState| {
        matches!(
            state,
            LifecycleState::Lost | LifecycleState::Closed | LifecycleState::Asleep
        )
    };
    if !history.is_empty() && !states.take(1).any(|state| is_over(&state)) {
        let mut lost = Lifecycle::new(LifecycleState::Lost);
        lost.reason = Some("the program that ran the session ended first".to_owned());
        recorder.ended(lost);
    }
}

/// A session's number, taken until this is dropped. Then whoever waits for the end of the session
/// is told, whatever happened.
struct Place {
    shared: Weak<Shared>,
    session_id: i64,
    ended: watch::Sender<Option<Arc<SessionClosed>>>,
    /// How the session ended.
    closed: Option<SessionClosed>,
    /// When there is no such report: what is known instead of it.
    why: String,
    stored: Arc<AtomicU64>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let was_open = self.closed.is_some();
        let closed = self.closed.take().unwrap_or_else(|| {
            let why = std::mem::take(&mut self.why);
            SessionClosed::lost(self.session_id, why, self.stored.load(Ordering::Acquire))
        });
        let closed = Arc::new(closed);
        if let Some(shared) = self.shared.upgrade() {
            if was_open {
                let mut reports = shared.reports();
                if reports.len() >= REPORTS {
                    reports.pop_front();
                }
                reports.push_back(Arc::clone(&closed));
            }
            shared.sessions().remove(&self.session_id);
            if let Some(log) = &shared.own_log {
                log.forget(self.session_id);
                if was_open {
                    shared.used().insert(self.session_id);
                }
            }
        }
        self.ended.send_replace(Some(closed));
    }
}

impl Shared {
    /// Takes a number, this one or any, and makes the session known under it.
    async fn take_place(
        self: &Arc<Self>,
        id: Option<i64>,
        close: CloseRequest,
    ) -> Result<(Place, mpsc::Receiver<Command>), ControllerError> {
        let session_id = match id {
            Some(id) => id,
            None => self.unused_id().await?,
        };
        let (commands, received) = mpsc::channel(COMMANDS);
        let (ended, end) = watch::channel(None);
        let mut sessions = self.sessions();
        // Under the lock: whoever shuts down sets this first and then looks who is open.
        if self.is_shutting_down.load(Ordering::SeqCst) {
            return Err(ControllerError::ShuttingDown);
        }
        if sessions.contains_key(&session_id) {
            return Err(ControllerError::AlreadyOpen { session_id });
        }
        let address = Address {
            commands,
            close,
            end,
        };
        sessions.insert(session_id, address);
        // No session gets this number by itself later, when the log has forgotten this one.
        let next = session_id.saturating_add(1);
        self.next_id.fetch_max(next, Ordering::Relaxed);
        let place = Place {
            shared: Arc::downgrade(self),
            session_id,
            ended,
            closed: None,
            why: "the program let go of the session before it had ended".to_owned(),
            stored: Arc::default(),
        };
        Ok((place, received))
    }

    /// A number that no session has, and none had as far as the log knows. Where numbers are taken
    /// it looks ever further ahead: a log may have had millions of sessions, and each look is a
    /// read.
    async fn unused_id(&self) -> Result<i64, ControllerError> {
        let mut step: i64 = 1;
        loop {
            let id = self.next_id.fetch_add(step, Ordering::Relaxed);
            let is_open = self.sessions().contains_key(&id);
            if !is_open && self.log.read(id, 0, 1).await?.is_empty() {
                return Ok(id);
            }
            step = step.saturating_mul(2);
        }
    }

    fn policy_of(&self, tenant: &str) -> Arc<dyn crate::grants::PermissionPolicy> {
        let own = self.tenants.get(tenant);
        Arc::clone(own.unwrap_or(&self.policy))
    }
}
