//! How sessions begin, and that each of them comes to an end.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use rusty_claw::{MessageStream, Options, Session};
use tokio::sync::{mpsc, oneshot};

use super::asks::{Door, QUEUE};
use super::close_request::{CloseAsked, CloseRequest, close_request};
use super::command::Command;
use super::ending::FLUSH;
use super::expected::ExpectedAsks;
use super::place::Place;
use super::recorder::Recorder;
use super::session::Running;
use super::setup::{SessionSetup, Start};
use super::steady_clock::SteadyClock;
use super::watchers::Watchers;
use super::{Controller, ControllerError, Shared};
use crate::event::{Fact, Lifecycle, LifecycleState, SessionEvent};
use crate::log::{EventLog, LogError, PageLimit};
use crate::prompts::PromptGroups;
use crate::rules::Surroundings;

/// What is said of a session that did not get to start.
const CLOSED_EARLY: &str = "it was closed before it had started";

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
            if matches!(error, ControllerError::Log(_) | ControllerError::Panicked) {
                // The session has no id yet, so none of its front ends can be notified.
                let notices = &shared.notices;
                notices.error(format!("a session could not be opened: {error}"));
            }
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
        folder: folder.clone(),
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
        let stored = log.read(session_id, 0, PageLimit::events(1)).await?;
        return match stored.is_empty() {
            true => Ok(()),
            false => Err(ControllerError::HasHistory { session_id }),
        };
    };
    let stored = log
        .read(
            session_id,
            last.sequence.saturating_sub(1),
            PageLimit::events(2),
        )
        .await?;
    // What is the same event may have been written and read again on its way here.
    let is_last = |one: &SessionEvent| {
        let stamp = |one: &SessionEvent| (one.sequence, one.epoch, one.at_ms, one.turn);
        stamp(one) == stamp(last) && one.fact.kind() == last.fact.kind()
    };
    let why = match stored.as_slice() {
        // A log of this process alone knows nothing of what happened in another.
        [] if log
            .read(session_id, 0, PageLimit::events(1))
            .await?
            .is_empty() =>
        {
            return Ok(());
        }
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

impl Shared {
    fn policy_of(&self, tenant: &str) -> Arc<dyn crate::grants::PermissionPolicy> {
        let own = self.tenants.get(tenant);
        Arc::clone(own.unwrap_or(&self.policy))
    }
}
