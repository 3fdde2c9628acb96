//! Opens sessions, and runs each of them to its end.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use rusty_claw::{MessageStream, Options, Session};
use tokio::sync::{mpsc, oneshot};

use super::cli_requests::QUEUE;
use super::clock::SteadyClock;
use super::close_signal::{CloseAsked, CloseSignal, close_signal};
use super::closing::FLUSH;
use super::command::Command;
use super::permission_bridge::PermissionBridge;
use super::recorder::Recorder;
use super::session::SessionLoop;
use super::setup::{SessionSetup, Start};
use super::shared::Shared;
use super::slot::SessionSlot;
use super::upcoming_calls::UpcomingCalls;
use super::watchers::Watchers;
use super::{Controller, ControllerError};
use crate::event::{Fact, Lifecycle, LifecycleState, SessionEvent};
use crate::interactions::InteractionGroups;
use crate::log::{EventLog, LogError, PageLimit};
use crate::rules::PathContext;

/// The reason recorded for a session that did not get to start.
const CLOSED_EARLY: &str = "it was closed before it had started";

impl Controller {
    /// Opens a session and returns its id.
    ///
    /// # Errors
    /// The CLI does not start, the log fails, the id is in use, or the history is wrong. Returns
    /// [`ControllerError::ShuttingDown`] if the session is closed before it has started.
    ///
    /// Dropping the future closes the session in the background; its id stays in use until then.
    /// Writes to the log that have started are completed.
    pub async fn open(&self, setup: SessionSetup) -> Result<i64, ControllerError> {
        let (close, asked) = close_signal();
        let unless_dropped = close.when_dropped();
        let (opened, result) = oneshot::channel();
        let shared = Arc::clone(&self.shared);
        tokio::spawn(live(shared, Box::new(setup), close, asked, opened));
        let result = result.await;
        unless_dropped.keep();
        result.unwrap_or_else(|_| Err(ControllerError::ShuttingDown))
    }
}

/// Runs a session, from reserving its id to its report. All third-party code is called from here,
/// so that a caller cannot cancel it.
async fn live(
    shared: Arc<Shared>,
    setup: Box<SessionSetup>,
    close: CloseSignal,
    asked: CloseAsked,
    opened: oneshot::Sender<Result<i64, ControllerError>>,
) {
    let taken = contained(async {
        tokio::select! {
            taken = shared.reserve(setup.id, close) => taken,
            () = asked.is_due() => Err(ControllerError::ShuttingDown),
        }
    });
    let taken = taken.await;
    let (mut slot, commands) = match taken.and_then(|taken| taken) {
        Ok(taken) => taken,
        Err(error) => {
            if matches!(error, ControllerError::Log(_) | ControllerError::Panicked) {
                // The session has no id yet, so none of its front ends can be notified.
                let notices = &shared.notices;
                notices.error(format!("a session could not be opened: {error}"));
            }
            let _ = opened.send(Err(error));
            return;
        }
    };
    // Boxed, so that the state of the startup is not kept while the session runs.
    let beginning = Box::pin(begin(shared, setup, &mut slot, commands, asked));
    let begun = contained(beginning).await;
    let mut running = match begun.and_then(|begun| begun) {
        Ok(running) => running,
        Err(error) => {
            slot.why = error.to_string();
            drop(slot);
            let _ = opened.send(Err(error));
            return;
        }
    };
    // If the receiver is gone, a close was requested.
    let _ = opened.send(Ok(slot.session_id));
    let ran = match contained(Box::pin(running.run())).await {
        Ok(ran) => ran,
        Err(_) => Err(LogError::new(
            "code of the session panicked, so its last events were not stored",
        )),
    };
    match contained(Box::pin(running.finish(ran))).await {
        Ok(closed) => slot.closed = Some(closed),
        Err(panicked) => slot.why = panicked.to_string(),
    }
    drop(slot);
}

async fn begin(
    shared: Arc<Shared>,
    setup: Box<SessionSetup>,
    slot: &mut SessionSlot,
    commands: mpsc::Receiver<Command>,
    asked: CloseAsked,
) -> Result<Box<SessionLoop>, ControllerError> {
    let session_id = slot.session_id;
    history_of_one_session(session_id, &setup.history)?;
    if setup.history.is_empty() && shared.used().contains(&session_id) {
        // Clients that resume the earlier session would see this one.
        return Err(ControllerError::HasHistory { session_id });
    }
    let epoch = setup.history.last().map_or(0, |event| event.epoch);
    let log = Arc::clone(&shared.log);
    let watchers = Watchers::new(shared.unsent, shared.limits.sink_timeout);
    let mut recorder = Recorder::new(session_id, epoch.saturating_add(1), log, watchers, asked);
    slot.stored = recorder.stored();
    for event in &setup.history {
        recorder.replay(event);
    }
    let seen = recorder.builder.sequence();
    let log = recorder.log();
    tokio::select! {
        fits = fits_the_log(log.as_ref(), session_id, setup.history.last()) => fits?,
        () = recorder.close.is_due() => return Err(ControllerError::ShuttingDown),
    }
    for listen in setup.sinks {
        let (log, listener) = (recorder.log(), listen(session_id, seen));
        recorder.watchers.add(session_id, seen, log, listener);
    }
    close_orphans(&mut recorder, &setup.history);
    drop(setup.history);

    let (asks, from_cli) = mpsc::channel(QUEUE);
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
    let mut path_context = PathContext::new(&folder);
    if let Some(home) = setup.home {
        path_context = path_context.home(home);
    }
    let bridge = PermissionBridge {
        session_id,
        policy: shared.policy_of(&setup.tenant),
        tenant: setup.tenant.clone(),
        grants: Arc::clone(&shared.grants),
        path_context,
        folder: folder.clone(),
        policy_runner: Arc::clone(&shared.policy_runner),
        policy_timeout: shared.limits.policy_timeout,
        asks,
    };
    let (limits, grants) = (shared.limits.clone(), Arc::clone(&shared.grants));
    // Do not keep the controller alive: dropping its last handle closes this session too.
    drop(shared);
    let (session, messages) = match start(&mut recorder, setup.start, bridge.serve(options)).await {
        Ok(started) => started,
        Err(error) => {
            recorder.watchers.finish(FLUSH).await;
            return Err(error);
        }
    };
    Ok(Box::new(SessionLoop {
        recorder,
        session,
        messages,
        commands,
        asks: from_cli,
        grants,
        tenant: setup.tenant,
        folder,
        limits,
        groups: InteractionGroups::default(),
        clock: SteadyClock::start(),
        upcoming: UpcomingCalls::default(),
        waiting: HashMap::new(),
        sending: None,
        stopping: None,
        closing: None,
        flush_by: None,
    }))
}

/// Starts the CLI and records `Starting` and `Ready`. On failure, no process is left.
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

async fn contained<T>(future: impl Future<Output = T>) -> Result<T, ControllerError> {
    let done = AssertUnwindSafe(future).catch_unwind().await;
    done.map_err(|_| ControllerError::Panicked)
}

/// Rejects histories with missing, misplaced or duplicate events, from which the open state cannot
/// be derived.
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

/// Rejects a history that differs from the log, unless the log has no events of the session: new
/// events would follow a gap, or the events of another session.
async fn fits_the_log(
    log: &dyn EventLog,
    session_id: i64,
    last: Option<&SessionEvent>,
) -> Result<(), ControllerError> {
    let read = |after, most| log.read(session_id, after, PageLimit::events(most));
    let Some(last) = last else {
        return match read(0, 1).await?.is_empty() {
            true => Ok(()),
            false => Err(ControllerError::HasHistory { session_id }),
        };
    };
    let stored = read(last.sequence.saturating_sub(1), 2).await?;
    // The same event may differ slightly after serialization, so compare only these parts.
    let is_last = |one: &SessionEvent| {
        let stamp = |one: &SessionEvent| (one.sequence, one.epoch, one.at_ms, one.turn);
        stamp(one) == stamp(last) && one.fact.kind() == last.fact.kind()
    };
    let why = match stored.as_slice() {
        // A log in memory has no events of an earlier process.
        [] if read(0, 1).await?.is_empty() => return Ok(()),
        [] => "the log ends before it does",
        [same] if is_last(same) => return Ok(()),
        [same, ..] if is_last(same) => return Err(ControllerError::HasHistory { session_id }),
        _ => "the log has another event in the slot of its last one",
    };
    Err(ControllerError::WrongHistory { session_id, why })
}

/// Records the end of what the previous owner left open.
fn close_orphans(recorder: &mut Recorder, history: &[SessionEvent]) {
    for fact in recorder.interactions.abandoned() {
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
