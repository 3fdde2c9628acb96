//! Opens sessions, and runs each of them to its end.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use rusty_claw::{Attached, BoxFuture, MessageStream, Session, StartError};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::cli_requests::QUEUE;
use super::clock::SteadyClock;
use super::close_signal::{CloseAsked, CloseSignal, close_signal};
use super::closing::FLUSH;
use super::command::Command;
use super::continuing::continue_turn;
use super::parking::{Wait, Waking, refuse_calls};
use super::permission_bridge::PermissionBridge;
use super::rearming::{Inherited, inherited, split};
use super::recorder::Recorder;
use super::recovery;
use super::redelivery::end_delivered;
use super::rest;
use super::scheduled_prompts::ScheduledPrompts;
use super::session::SessionLoop;
use super::setup::{SessionSetup, Start};
use super::shared::Shared;
use super::slot::SessionSlot;
use super::state::SessionState;
use super::upcoming_calls::UpcomingCalls;
use super::watchers::Watchers;
use super::{Controller, ControllerError};
use crate::event::{Fact, Lifecycle, LifecycleState, Opened, SessionEvent};
use crate::interactions::InteractionGroups;
use crate::log::{EventLog, LogError, PageLimit};
use crate::rules::PathContext;
use crate::session_id::SessionId;

/// How much of the log is read at once.
const PAGE: PageLimit = PageLimit::events(1024).bytes(1024 * 1024);

/// The reason recorded when a running CLI was attached to.
const ATTACHED: &str = "the next owner attached to the running process";
/// How much longer than a policy decision it may take until all pending requests have arrived.
const REPEATING: Duration = Duration::from_secs(10);

/// The reason recorded for a session that did not get to start.
const CLOSED_EARLY: &str = "it was closed before it had started";

impl Controller {
    /// Opens a session and returns its id.
    ///
    /// # Errors
    /// The CLI does not start, the log fails, or the id is in use. Returns
    /// [`ControllerError::ShuttingDown`] if the session is closed before it has started.
    ///
    /// Dropping the future closes the session in the background; its id stays in use until then.
    /// Writes to the log that have started are completed.
    pub async fn open(&self, setup: SessionSetup) -> Result<SessionId, ControllerError> {
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
    opened: oneshot::Sender<Result<SessionId, ControllerError>>,
) {
    let (mut slot, commands) = match shared.reserve(&setup, close) {
        Ok(taken) => taken,
        Err(error) => {
            let _ = opened.send(Err(error));
            return;
        }
    };
    let notices = shared.notices.clone();
    // Boxed, so that the state of the startup is not kept while the session runs.
    let beginning = Box::pin(begin(shared, setup, &mut slot, commands, asked));
    let begun = contained(beginning).await;
    let mut running = match begun.and_then(|begun| begun) {
        Ok(running) => running,
        Err(error) => {
            if matches!(error, ControllerError::Log(_) | ControllerError::Panicked) {
                // Front ends receive only stored events, so they are not notified of this.
                notices.error(format!("a session could not be opened: {error}"));
            }
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
        Err(_) => Err(LogError::unavailable(
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
    mut setup: Box<SessionSetup>,
    slot: &mut SessionSlot,
    commands: mpsc::Receiver<Command>,
    asked: CloseAsked,
) -> Result<Box<SessionLoop>, ControllerError> {
    let session_id = slot.session_id;
    if shared.used().contains(&session_id) {
        // Clients that resume the earlier session would see this one.
        return Err(ControllerError::HasHistory { session_id });
    }
    let log = Arc::clone(&shared.log);
    let (continues, epoch) = (setup.continues, setup.epoch);
    let state = tokio::select! {
        state = rebuild(&log, session_id, continues, epoch) => state?,
        () = asked.is_due() => return Err(ControllerError::ShuttingDown),
    };
    let tenant = state.record.opened.as_ref().map(|opened| &opened.tenant);
    if tenant.is_some_and(|tenant| *tenant != setup.tenant) {
        return Err(ControllerError::NoSession { session_id });
    }
    for grant in &state.record.grants {
        shared.grants.add(&setup.tenant, grant.clone());
    }
    let watchers = Watchers::new(shared.unsent, shared.limits.sink_timeout);
    let closes = asked.clone();
    let is_attaching = matches!(setup.start, Start::Attach(_));
    if is_attaching && !(state.record.was_abandoned() && state.record.offset.is_some()) {
        return Err(ControllerError::NotRunning { session_id });
    }
    let mut recorder = Recorder::new(session_id, state, log, watchers, asked);
    recorder.is_held = setup.is_held;
    slot.stored = recorder.stored();
    let library = setup.library(&recorder.state.record);
    let parking = setup.parking(&recorder.state.record);
    let seen = recorder.state.builder.sequence();
    for listen in std::mem::take(&mut setup.sinks) {
        let (log, listener) = (recorder.log(), listen(slot.number, seen));
        recorder.watchers.add(session_id, seen, log, listener);
    }
    let wait = match is_attaching {
        true => None,
        false => tokio::select! {
            settled = settle_log(&mut recorder, &mut setup) => settled?,
            () = closes.is_due() => return Err(ControllerError::ShuttingDown),
        },
    };

    let (asks, from_cli) = mpsc::channel(QUEUE);
    let mut options = setup.options.include_partial_messages(true);
    if let Some(conversation) = &recorder.state.record.cli_session_id {
        // A fork has its own conversation after its first turn, and must not be forked again.
        options = options.resume(conversation.as_str()).fork_session(false);
    }
    options = refuse_calls(options, &recorder.state.calls);
    if let Some(Wait::Turn { .. }) = wait {
        options = continue_turn(options);
    }
    let folder = match setup.folder {
        Some(folder) => {
            options = options.cwd(&folder);
            folder
        }
        None => match (options.working_folder(), &recorder.state.record.opened) {
            (Some(folder), _) => folder.to_owned(),
            (None, Some(opened)) => {
                options = options.cwd(&opened.folder);
                opened.folder.clone().into()
            }
            (None, None) => std::env::current_dir().unwrap_or_default(),
        },
    };
    let earlier = recorder.state.record.opened.as_ref();
    let opened = Opened {
        tenant: setup.tenant.clone(),
        folder: folder.to_string_lossy().into_owned(),
        number: slot.number,
        options: setup
            .stored_options
            .or_else(|| earlier.and_then(|opened| opened.options.clone())),
    };
    let opened = (earlier != Some(&opened)).then_some(opened);
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
    let options = bridge.serve(options);
    let started = match setup.start {
        Start::New(start) => {
            opened
                .into_iter()
                .for_each(|opened| recorder.fact(Fact::Opened(opened)));
            start_new(&mut recorder, start(options), wait).await
        }
        Start::Attach(attach) => {
            let from = recorder.state.detached();
            let repeats_calls = parking.as_ref().is_some_and(|it| it.repeats_calls);
            attach_to(&mut recorder, opened, attach(options, from), repeats_calls).await
        }
    };
    let Begun {
        session,
        messages,
        inherited,
        wait,
    } = match started {
        Ok(started) => started,
        Err(error) => {
            recorder.watchers.finish(FLUSH).await;
            return Err(error);
        }
    };
    let repeats_by = Instant::now().checked_add(limits.policy_timeout + REPEATING);
    let repeats_by = repeats_by.filter(|_| wait.is_none());
    Ok(Box::new(SessionLoop {
        recorder,
        closes,
        session,
        messages,
        commands,
        asks: from_cli,
        grants,
        tenant: setup.tenant,
        folder,
        library,
        limits,
        groups: InteractionGroups::default(),
        clock: SteadyClock::start(),
        upcoming: UpcomingCalls::default(),
        scheduled: ScheduledPrompts::default(),
        activity: slot.activity.clone(),
        waiting: HashMap::new(),
        inherited,
        repeats_by,
        parking,
        is_parking: false,
        waking: wait.map(Waking::new),
        deferred: Vec::new(),
        lost: None,
        sending: None,
        stopping: None,
        closing: None,
        is_released: false,
        flush_by: None,
    }))
}

/// Completes the log of an owner that is gone, and ends what it left open. Returns what the next CLI
/// must do, if an interaction waits.
pub(super) async fn settle_log(
    recorder: &mut Recorder,
    setup: &mut SessionSetup,
) -> Result<Option<Wait>, ControllerError> {
    if let Some(prepare) = setup.prepare.take() {
        let prepared = prepare(recorder.state.record.cli_session_id.clone());
        prepared.await.map_err(ControllerError::Start)?;
    }
    if recorder.state.record.was_abandoned() {
        // Before it is ready, a CLI prints no message, and the output may be that of an earlier one.
        let is_ready = recorder.state.record.lifecycle != Some(LifecycleState::Starting);
        let rest = setup.rest.take().filter(|_| is_ready);
        let is_complete = rest::record(recorder, rest).await;
        let library = setup.library(&recorder.state.record);
        end_delivered(recorder, library.as_ref()).await;
        if recorder.state.record.offset.is_some() && !is_complete {
            recovery::complete(recorder, library).await?;
        }
    }
    match setup.parking(&recorder.state.record) {
        Some(parking) => Ok(parking.settle_orphans(recorder).await),
        None => {
            close_orphans(recorder);
            Ok(None)
        }
    }
}

/// A started CLI.
struct Begun {
    session: Session,
    messages: MessageStream,
    /// The interactions that it will repeat.
    inherited: Vec<Inherited>,
    /// What it must do, if an interaction waits.
    wait: Option<Wait>,
}

/// Starts the CLI and records `Starting` and `Ready`. On failure, no process is left.
async fn start_new(
    recorder: &mut Recorder,
    starting: BoxFuture<'static, Result<(Session, MessageStream), StartError>>,
    wait: Option<Wait>,
) -> Result<Begun, ControllerError> {
    recorder.starting();
    recorder.commit().await?;
    let started = tokio::select! {
        biased;
        () = recorder.close.is_due() => Err(ControllerError::ShuttingDown),
        started = starting => started.map_err(ControllerError::Start),
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
            if wait.is_some() {
                // The interaction goes on waiting.
                over.state = LifecycleState::Parked;
                recorder.fact(Fact::Lifecycle(over));
            } else {
                recorder.ended(over);
            }
            recorder.commit().await?;
            return Err(error);
        }
    };
    recorder.fact(Fact::Lifecycle(Lifecycle::new(LifecycleState::Ready)));
    if let Err(error) = recorder.commit().await {
        session.close().await;
        return Err(error.into());
    }
    let mut inherited = match wait {
        Some(_) => inherited(&recorder.state.interactions),
        None => Vec::new(),
    };
    inherited.retain(|one| one.answer.is_none());
    Ok(Begun {
        session,
        messages,
        inherited,
        wait,
    })
}

/// Attaches to the running CLI, and records that. Nothing is recorded on failure.
async fn attach_to(
    recorder: &mut Recorder,
    opened: Option<Opened>,
    attaching: BoxFuture<'static, Result<Attached, StartError>>,
    repeats_calls: bool,
) -> Result<Begun, ControllerError> {
    let attached = tokio::select! {
        biased;
        () = recorder.close.is_due() => Err(ControllerError::ShuttingDown),
        attached = attaching => attached.map_err(ControllerError::Attach),
    }?;
    recorder.state.builder.attach();
    opened
        .into_iter()
        .for_each(|opened| recorder.fact(Fact::Opened(opened)));
    let mut ready = Lifecycle::new(LifecycleState::Ready);
    ready.reason = Some(ATTACHED.to_owned());
    recorder.fact(Fact::Lifecycle(ready));
    let left = inherited(&recorder.state.interactions);
    let (mut inherited, gone) = split(left, attached.pending);
    let mut wait = None;
    for one in gone.into_iter().filter(|one| one.answer.is_none()) {
        if repeats_calls && recorder.state.calls.parks(&one.interaction) {
            // The CLI was started for this call, and has not asked for it yet.
            inherited.push(one);
            wait = Some(Wait::Call);
        } else {
            recorder.fact(Fact::InteractionWithdrawn(one.interaction.id));
        }
    }
    if let Err(error) = recorder.commit().await {
        // Another owner is attached, or will be: the CLI must not be closed.
        let _ = attached.session.detach().await;
        return Err(error.into());
    }
    Ok(Begun {
        session: attached.session,
        messages: attached.messages,
        inherited,
        wait,
    })
}

async fn contained<T>(future: impl Future<Output = T>) -> Result<T, ControllerError> {
    let done = AssertUnwindSafe(future).catch_unwind().await;
    done.map_err(|_| ControllerError::Panicked)
}

/// Rebuilds the state of a session from its log.
pub(super) async fn rebuild(
    log: &Arc<dyn EventLog>,
    session_id: SessionId,
    continues: bool,
    epoch: Option<u64>,
) -> Result<SessionState, ControllerError> {
    let latest = log.latest(session_id).await?;
    if latest.sequence > 0 && !continues {
        return Err(ControllerError::HasHistory { session_id });
    }
    let epoch = epoch.unwrap_or(latest.epoch.saturating_add(1));
    let checkpoint = log.checkpoint(session_id).await?;
    // An engine that does not sync may lose the end of the log and keep a later checkpoint.
    let checkpoint = checkpoint.filter(|saved| saved.sequence <= latest.sequence);
    let restored = checkpoint.and_then(|saved| SessionState::restore(epoch, &saved));
    let mut state = restored.unwrap_or_else(|| SessionState::new(epoch));
    let mut page = log.read(session_id, state.builder.sequence(), PAGE).await?;
    while let Some(last) = page.last() {
        // Another core reads and decodes the next page.
        let (log, after) = (Arc::clone(log), last.sequence);
        let mut next = JoinSet::new();
        next.spawn(async move { log.read(session_id, after, PAGE).await });
        let seen = state.builder.sequence();
        let is_next = |(event, before): (&Arc<SessionEvent>, u64)| event.sequence == before + 1;
        if !page.iter().zip(seen..).all(is_next) {
            return Err(ControllerError::Incomplete { session_id });
        }
        state.replay(&page);
        // A log in memory never yields, so let other tasks run.
        tokio::task::yield_now().await;
        page = match next.join_next().await {
            Some(Ok(page)) => page?,
            _ => return Err(ControllerError::Panicked),
        };
    }
    Ok(state)
}

/// Records the end of what the previous owner left open.
pub(super) fn close_orphans(recorder: &mut Recorder) {
    for fact in recorder.state.interactions.abandoned() {
        recorder.fact(fact);
    }
    if recorder.state.record.was_abandoned() {
        let mut lost = Lifecycle::new(LifecycleState::Lost);
        lost.reason = Some("the program that ran the session ended first".to_owned());
        let tasks = recorder.state.builder.progress().background_tasks();
        if tasks > 0 {
            lost.lost.push(format!("{tasks} tasks in the background"));
        }
        recorder.ended(lost);
    }
}
