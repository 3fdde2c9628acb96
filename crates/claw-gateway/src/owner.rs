//! The owner of a session: applies the commands of its inbox, and copies its interactions to the
//! store, where any process can answer them.
//!
//! The owner is one loop, which never waits for the agent:
//! - Commands are applied in order. A command that cannot be applied now is
//!   [kept](commands::Commands) and retried. Inputs wait behind kept inputs, and inputs and changes
//!   of settings behind kept changes.
//! - The command for a stored answer may be missing: the process that stored the answer crashed, or
//!   the inbox was full. So the owner also reads stored answers at an interval.
//! - The position that is stored as applied is below every kept command, so that the next owner
//!   receives them.
//! - The loop ends with the session. If the claim is lost, or the session is deleted, it stops the
//!   CLI at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use claw_server::event::{Fact, LifecycleState};
use claw_server::interactions::AnswerRefused;
use claw_server::{
    Activity, ControllerError, EventLog as _, LogError, LogStream, LogUpdate, SessionClosed,
    SessionEvent,
};
use claw_store::{
    BoxFuture, BoxStream, Claim, Closing, InteractionFilter, InteractionId, NewInteraction, Store,
    StoreError,
};
use futures_util::StreamExt as _;
use rusty_claw::permission::PermissionMode;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior};

use crate::places::{self, Place};
use crate::tenant::Tenant;
use crate::waking::{Claimed, End};

mod apply;
mod commands;
mod idling;
mod reported_mode;
mod settings;

pub(crate) use self::apply::{fail_unapplied, has_close, has_command};
use self::commands::Commands;
use self::idling::{MEMORY_LOOK, changed};
use self::reported_mode::ReportedMode;

/// The delay before a failed call is retried.
pub(crate) const RETRY: Duration = Duration::from_millis(200);
/// The interval at which the owner reads stored answers to open interactions.
const LOOK: Duration = Duration::from_secs(2);
/// The number of applied commands after which their position is stored without an event.
const UNSTORED: u64 = 64;

/// Runs the owner of a session that the controller has opened, until the session ends.
pub(crate) async fn own(tenant: &Arc<Tenant>, claimed: &Claimed, place: &Place) -> End {
    let (session_id, epoch) = (claimed.session_id, claimed.claim.epoch());
    let applied = tenant.log.applied(session_id, epoch);
    let mut owner = Owner {
        tenant,
        claimed,
        place,
        commands: Commands::new(applied.unwrap_or_default()),
        inbox: None,
        updates: None,
        after: claimed.claim.last(),
        uncopied: None,
        open: BTreeSet::new(),
        changing: None,
        giving: BTreeMap::new(),
        activity: tenant.controller.activity(session_id).ok(),
        recorded_idle: None,
        waits_since: None,
        too_large: None,
        mode: ReportedMode::default(),
        unstored_mode: None,
    };
    let closed = match owner.inherit().await {
        Ok(()) => owner.run().await,
        Err(lost) => {
            // The next owner starts its own CLI.
            let _ = tenant.controller.sleep(session_id, Duration::ZERO).await;
            Err(lost)
        }
    };
    claimed.set_submitted(owner.commands.seen());
    let released = closed.as_ref().ok().and_then(Option::as_ref);
    let is_released = released.is_some_and(|closed| closed.log_error == Some(LogError::Fenced));
    // The pending interactions can no longer be answered, unless the CLI goes on.
    let parked = released.and_then(|closed| closed.parked.as_ref());
    let parked = parked.and_then(|id| InteractionId::new(id.as_str()).ok());
    let waits = parked.iter().map(|id| id.as_str().to_owned()).collect();
    let withdrawn = match is_released {
        true => Ok(()),
        false => withdraw_except(&tenant.store, &claimed.claim, &waits).await,
    };
    let (Ok(closed), Ok(())) = (closed, withdrawn) else {
        return End::ClaimLost;
    };
    let Some(closed) = closed else {
        return End::Lost {
            has_queued: true,
            reason: String::new(),
        };
    };
    if let Some(host) = &tenant.settings.host
        && closed.log_error.is_none()
    {
        // The holder keeps output that no event includes, which is of no use now.
        host.end(&tenant.hosted(claimed)).await;
    }
    if let Some(interaction) = parked {
        let reason = closed.reason.clone();
        return End::Parked {
            interaction,
            reason,
        };
    }
    let has_queued = !closed.queued.is_empty();
    if let Some(reason) = owner.too_large
        && closed.state == LifecycleState::Asleep
    {
        return End::Lost { has_queued, reason };
    }
    match closed.state {
        LifecycleState::Closed => End::Closed,
        LifecycleState::Asleep => End::Asleep { has_queued },
        // After an error of the log, it may have queued inputs that the report does not name.
        _ => End::Lost {
            has_queued: has_queued || closed.log_error.is_some(),
            reason: closed.reason.clone(),
        },
    }
}

struct Owner<'a> {
    tenant: &'a Arc<Tenant>,
    claimed: &'a Claimed,
    place: &'a Place,
    commands: Commands,
    inbox: Option<BoxStream<'static, Result<claw_store::Command, StoreError>>>,
    updates: Option<LogStream>,
    /// The last event whose interaction was copied to the store.
    after: u64,
    /// An event whose interaction could not be copied. It is retried.
    uncopied: Option<Arc<SessionEvent>>,
    /// The interactions in the store that have not ended.
    open: BTreeSet<String>,
    /// A setting that is being changed in the CLI.
    changing: Option<JoinHandle<Result<(), ControllerError>>>,
    /// The answers that the controller has, and that are not recorded yet.
    giving: BTreeMap<String, JoinHandle<Result<(), AnswerRefused>>>,
    activity: Option<watch::Receiver<Activity>>,
    /// Since when the session is idle, as it is recorded in its place.
    recorded_idle: Option<Instant>,
    /// Since when it only waits for an answer, or since when this was last tried to be parked.
    waits_since: Option<Instant>,
    /// The reason why the CLI is ended, if it uses too much memory.
    too_large: Option<String>,
    mode: ReportedMode,
    /// A mode that is not stored yet.
    unstored_mode: Option<PermissionMode>,
}

/// Another process owns the session, or it was deleted.
struct ClaimLost;

impl ClaimLost {
    /// Returns `ClaimLost` if the claim is lost, and `None` after any other error, so that the call
    /// is repeated.
    fn check<T>(result: Result<T, StoreError>) -> Result<Option<T>, Self> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error) if is_lost(&error) => Err(Self),
            Err(error) => {
                tracing::debug!(%error, "the store failed, and the call is repeated");
                Ok(None)
            }
        }
    }
}

fn is_lost(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Fenced { .. } | StoreError::Deleted | StoreError::NotFound { .. }
    )
}

impl Owner<'_> {
    /// Makes the interactions in the store those that are open in the log. The previous owner may
    /// have ended between the two.
    async fn inherit(&mut self) -> Result<(), ClaimLost> {
        let (controller, session_id) = (&self.tenant.controller, self.claimed.session_id);
        let Ok(open) = controller.open_interactions(session_id).await else {
            // The session has ended.
            return Ok(());
        };
        let (store, claim) = (&self.tenant.store, &self.claimed.claim);
        for interaction in open {
            let id = interaction.id.as_str().to_owned();
            let opened = Fact::InteractionOpened(interaction);
            while let Err(error) = copy(store, claim, &opened).await {
                match error {
                    StoreError::Unavailable { .. } | StoreError::Full { .. } => {
                        tokio::time::sleep(RETRY).await;
                    }
                    error if is_lost(&error) => return Err(ClaimLost),
                    error => {
                        tracing::warn!(%error, "an interaction cannot be answered");
                        break;
                    }
                }
            }
            self.open.insert(id);
        }
        let withdrawn = withdraw_except(store, claim, &self.open).await;
        ClaimLost::check(withdrawn).map(|_| ())
    }

    /// Runs until the session ends. Returns the reason, if it is known.
    async fn run(&mut self) -> Result<Option<Arc<SessionClosed>>, ClaimLost> {
        let (controller, session_id) = (self.tenant.controller.clone(), self.claimed.session_id);
        let ended = controller.ended(session_id);
        tokio::pin!(ended);
        let mut ticks = tokio::time::interval(RETRY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut looks = tokio::time::interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut memory = tokio::time::interval_at(Instant::now() + MEMORY_LOOK, MEMORY_LOOK);
        memory.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let settings = Arc::clone(&self.tenant.settings);
        let (idle, min_idle) = (settings.idle, settings.min_idle);
        let is_limited = settings.memory_limit.is_some();
        loop {
            let has_streams = self.inbox.is_some() && self.updates.is_some();
            let is_idle = has_streams && self.is_stored();
            let sleeps_at = self.idle_since().and_then(|since| since.checked_add(idle));
            let done = tokio::select! {
                closed = &mut ended => return Ok(closed.ok()),
                next = next(&mut self.inbox) => self.received(next).await,
                next = next(&mut self.updates), if self.uncopied.is_none() => {
                    self.updated(next).await
                }
                _ = ticks.tick(), if !is_idle => self.retry().await,
                _ = looks.tick(), if !self.open.is_empty() => self.give_answers().await,
                () = changed(&mut self.activity) => Ok(()),
                () = places::at(sleeps_at) => {
                    self.rest(idle).await;
                    Ok(())
                }
                () = self.place.asked() => {
                    self.rest(min_idle).await;
                    Ok(())
                }
                _ = memory.tick(), if is_limited && self.too_large.is_none() => {
                    self.check_memory().await;
                    Ok(())
                }
            };
            if let Err(lost) = done {
                // The next owner starts its own CLI.
                let _ = controller.sleep(session_id, Duration::ZERO).await;
                return Err(lost);
            }
        }
    }

    /// Whether everything that was received is applied and stored.
    fn is_stored(&self) -> bool {
        self.uncopied.is_none() && self.unstored_mode.is_none() && self.commands.are_applied()
    }

    /// Retries everything that failed.
    async fn retry(&mut self) -> Result<(), ClaimLost> {
        let (store, claim) = (&self.tenant.store, &self.claimed.claim);
        if self.inbox.is_none() {
            self.inbox = ClaimLost::check(store.inbox(claim).await)?;
        }
        if self.updates.is_none() {
            let log = &self.tenant.log;
            self.updates = match log.subscribe(self.claimed.session_id, self.after).await {
                Err(LogError::Fenced | LogError::Deleted) => return Err(ClaimLost),
                updates => updates.ok(),
            };
        }
        if let Some(event) = self.uncopied.take() {
            self.copy(event).await?;
        }
        self.store_mode().await?;
        self.retry_commands().await
    }

    async fn updated(
        &mut self,
        next: Option<Result<LogUpdate, LogError>>,
    ) -> Result<(), ClaimLost> {
        match next {
            Some(Ok(LogUpdate::Event(event))) => {
                let has_room = matches!(event.fact, Fact::InputProcessed(_));
                if let Some(mode) = self.mode.changed(&event) {
                    self.unstored_mode = Some(mode);
                    self.store_mode().await?;
                }
                self.copy(event).await?;
                match has_room {
                    true => self.retry_commands().await,
                    false => Ok(()),
                }
            }
            Some(Ok(_)) => Ok(()),
            Some(Err(LogError::Fenced | LogError::Deleted)) => Err(ClaimLost),
            Some(Err(_)) | None => {
                self.updates = None;
                Ok(())
            }
        }
    }

    /// Copies the change of an interaction to the store. If the store is unavailable or full, the
    /// copy is retried; after other errors it is skipped, so that the session continues.
    async fn copy(&mut self, event: Arc<SessionEvent>) -> Result<(), ClaimLost> {
        match copy(&self.tenant.store, &self.claimed.claim, &event.fact).await {
            Err(StoreError::Fenced { .. } | StoreError::Deleted) => return Err(ClaimLost),
            Err(StoreError::Unavailable { .. } | StoreError::Full { .. }) => {
                self.uncopied = Some(event);
                return Ok(());
            }
            // An interaction that was opened under another claim may not exist.
            Ok(()) | Err(StoreError::NotFound { .. }) => {}
            Err(error) => tracing::warn!(%error, "an interaction cannot be answered"),
        }
        self.after = event.sequence;
        match &event.fact {
            Fact::InteractionOpened(opened) => {
                self.open.insert(opened.id.as_str().to_owned());
            }
            Fact::InteractionExpired(id) | Fact::InteractionWithdrawn(id) => {
                self.open.remove(id.as_str());
            }
            Fact::InteractionAnswered(answer) => {
                self.open.remove(answer.id.as_str());
            }
            _ => {}
        }
        Ok(())
    }
}

async fn copy(store: &Arc<dyn Store>, claim: &Claim, fact: &Fact) -> Result<(), StoreError> {
    let (id, closing) = match fact {
        Fact::InteractionOpened(opened) => (&opened.id, None),
        Fact::InteractionExpired(id) => (id, Some(Closing::Expired)),
        Fact::InteractionWithdrawn(id) => (id, Some(Closing::Withdrawn)),
        // The store already has the answer, unless a rule decided.
        Fact::InteractionAnswered(answer) => (&answer.id, Some(Closing::Withdrawn)),
        _ => return Ok(()),
    };
    let Ok(id) = InteractionId::new(id.as_str()) else {
        tracing::warn!("the id of an interaction is too long: it cannot be answered");
        return Ok(());
    };
    match (fact, closing) {
        (_, Some(closing)) => {
            store.close_interaction(claim, &id, closing).await?;
        }
        (Fact::InteractionOpened(opened), None) => {
            let request = serde_json::to_vec(opened).unwrap_or_default().into();
            let expires_at_ms = opened.expires_at_ms;
            let new = NewInteraction {
                id,
                request,
                expires_at_ms,
            };
            store.open_interaction(claim, new).await?;
        }
        _ => {}
    }
    Ok(())
}

/// Ends the pending interactions of a session that are not open.
pub(crate) async fn withdraw_except(
    store: &Arc<dyn Store>,
    claim: &Claim,
    open: &BTreeSet<String>,
) -> Result<(), StoreError> {
    let key = claim.key();
    let filter = InteractionFilter {
        session: Some(key.session.clone()),
        ..InteractionFilter::pending(key.tenant.clone())
    };
    for one in repeat(|| store.interactions(&filter)).await? {
        if open.contains(one.id.as_str()) {
            continue;
        }
        repeat(|| store.close_interaction(claim, &one.id, Closing::Withdrawn)).await?;
    }
    Ok(())
}

/// Returns the next item of a stream. Never completes if there is no stream.
async fn next<T>(stream: &mut Option<BoxStream<'static, T>>) -> Option<T> {
    match stream {
        Some(stream) => stream.next().await,
        None => std::future::pending().await,
    }
}

/// Repeats a call while the store is unavailable or full.
async fn repeat<'a, T>(
    call: impl Fn() -> BoxFuture<'a, Result<T, StoreError>>,
) -> Result<T, StoreError> {
    loop {
        match call().await {
            Err(StoreError::Unavailable { .. } | StoreError::Full { .. }) => {
                tokio::time::sleep(RETRY).await;
            }
            result => return result,
        }
    }
}
