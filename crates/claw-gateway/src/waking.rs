//! Claims, starts and releases the sessions of this process.
//!
//! A command is stored only while the session has an owner that reads its inbox; otherwise this
//! process claims the session first. If this process then ends, the session has a dead owner, and
//! another process takes it over.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use claw_server::SessionId;
use claw_store::{
    Claim, ClaimReason, NewCommand, Owner, SessionRow, SessionState, StoreError, Submitted,
};
use tokio::sync::{Mutex as AsyncMutex, Notify};
use tokio::time::Instant;

use crate::command::Command;
use crate::error::GatewayError;
use crate::owner;
use crate::places;
use crate::tenant::Tenant;

mod attaching;
mod decisions;
mod parked;
mod starting;

pub(crate) use self::decisions::End;
use self::decisions::{Failures, NextStep, Place, next_step, place};

/// The delays after which a session that another process owns is checked again: its owner may have
/// released it before it received the command.
const RECHECKS: [Duration; 4] = [
    Duration::from_secs(2),
    Duration::from_secs(8),
    Duration::from_secs(30),
    Duration::from_secs(60),
];
/// The delay before a takeover that has failed is repeated.
const TAKE_OVER_AGAIN: Duration = Duration::from_secs(1);
/// The reason recorded for the commands of a session that is closed.
const CLOSED: &str = "the session was closed before its turn came";

/// The state of a session in this process while a task uses it.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    /// Held while the session is claimed or released, and while a command is submitted.
    pub(crate) lock: AsyncMutex<()>,
    /// The highest position of the inbox that this process knows of.
    pub(crate) submitted: AtomicU64,
    /// Wakes the task of a session that waits for its place.
    received: Notify,
    /// Whether an interaction has an answer, and its command could not be stored.
    is_answered: AtomicBool,
}

/// The slots of the sessions that are in use.
#[derive(Debug, Default)]
pub(crate) struct Slots(Mutex<HashMap<SessionId, Arc<Slot>>>);

impl Slots {
    fn get(&self, session_id: SessionId) -> Arc<Slot> {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Unused slots are dropped, so that the map stays bounded.
        if slots.len() >= 1024 {
            slots.retain(|_, slot| Arc::strong_count(slot) > 1);
        }
        Arc::clone(slots.entry(session_id).or_default())
    }

    pub(crate) fn are_unlocked(&self) -> bool {
        let slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slots.values().all(|slot| slot.lock.try_lock().is_ok())
    }
}

/// A session that this process has claimed.
pub(crate) struct Claimed {
    pub(crate) session_id: SessionId,
    pub(crate) claim: Arc<Claim>,
    pub(crate) slot: Arc<Slot>,
    number: i64,
    /// Its [settings](crate::SessionSpec), as they are stored.
    attributes: Bytes,
    /// Whether the log may have inputs that were accepted and not sent.
    has_queued: bool,
}

impl Claimed {
    /// Returns the highest position of the inbox that this process knows of.
    pub(crate) fn submitted(&self) -> u64 {
        self.slot.submitted.load(Ordering::SeqCst)
    }

    pub(crate) fn set_submitted(&self, position: u64) {
        self.slot.submitted.fetch_max(position, Ordering::SeqCst);
    }
}

impl Tenant {
    fn place(&self, session_id: SessionId, row: &SessionRow) -> Place {
        let claim = self.log.claimed(session_id);
        place(&self.node, claim.map(|claim| claim.epoch()), row)
    }

    /// Stores a command, and wakes the session.
    pub(crate) async fn submit(
        self: &Arc<Self>,
        session_id: SessionId,
        command: NewCommand,
    ) -> Result<Submitted, GatewayError> {
        let slot = self.slots.get(session_id);
        let guard = slot.lock.lock().await;
        if self.is_leaving() {
            let reason = "it is shutting down".to_owned();
            return Err(GatewayError::Unavailable { reason });
        }
        let row = self.row(session_id).await?;
        let place = self.place(session_id, &row);
        let claimed = match place {
            Place::Ended => {
                // The client may not have received the first response.
                let repeat = self.store.find_command(&row.key, command).await?;
                return repeat.ok_or(GatewayError::Ended);
            }
            Place::Free(reason) => Some(self.claim_new(session_id, &row, reason, &slot).await?),
            Place::Here | Place::Elsewhere => None,
        };
        let body = command.body.clone();
        let submitted = self.store.submit(&row.key, command).await;
        if let (Some(claimed), Ok(submitted)) = (&claimed, &submitted)
            && place == Place::Free(ClaimReason::Open)
            && self.change_asleep(claimed, submitted.position, &body).await
        {
            return Ok(*submitted);
        }
        let position = submitted.as_ref().map_or(0, |command| command.position);
        slot.submitted.fetch_max(position, Ordering::SeqCst);
        slot.received.notify_one();
        drop(guard);
        match claimed {
            Some(claimed) if submitted.is_ok() => self.run_if_needed(claimed),
            // The command may be stored: the owner reads the inbox.
            Some(claimed) => drop(tokio::spawn(Arc::clone(self).run(claimed))),
            None if place == Place::Elsewhere => {
                let is_repeat = submitted.as_ref().is_ok_and(|command| command.is_repeat);
                let row = self.row(session_id).await?;
                if !is_repeat && row.state == SessionState::Ended {
                    return Err(GatewayError::Ended);
                }
                // The owner may have released the session before the command was stored.
                if row.owner.is_none() && row.state != SessionState::Ended {
                    self.wake(session_id, &slot).await?;
                }
                tokio::spawn(Arc::clone(self).recheck(session_id, slot));
            }
            None => {}
        }
        Ok(submitted?)
    }

    /// Applies a change of settings to a session that has no other commands, and releases the
    /// session, so that no CLI starts only for the change. Returns whether both are done.
    async fn change_asleep(&self, claimed: &Claimed, position: u64, body: &[u8]) -> bool {
        let (session_id, epoch) = (claimed.session_id, claimed.claim.epoch());
        let is_next = self.log.applied(session_id, epoch) == position.checked_sub(1);
        if let Ok(Command::Change(change)) = serde_json::from_slice(body)
            && is_next
            // A call that waits keeps the mode and the rules under which it was asked.
            && !self.has_pending(claimed).await
            && self.store_change(session_id, &change).await.is_ok()
        {
            self.log.set_applied(session_id, position);
            let asleep = SessionState::Asleep;
            return self.log.store_applied(session_id, epoch).await.is_ok()
                && self.log.release(session_id, epoch, asleep).await.is_ok();
        }
        false
    }

    /// Wakes a session that another process has released without applying all commands.
    async fn recheck(self: Arc<Self>, session_id: SessionId, slot: Arc<Slot>) {
        for pause in RECHECKS {
            tokio::time::sleep(pause).await;
            if let Err(error) = self.wake(session_id, &slot).await {
                tracing::warn!(%session_id, %error, "a session was not woken");
            }
        }
    }

    async fn wake(
        self: &Arc<Self>,
        session_id: SessionId,
        slot: &Arc<Slot>,
    ) -> Result<(), GatewayError> {
        let _guard = slot.lock.lock().await;
        let row = self.row(session_id).await?;
        if let Place::Free(reason) = self.place(session_id, &row)
            && !self.is_leaving()
        {
            let claimed = self.claim_new(session_id, &row, reason, slot).await?;
            self.run_if_needed(claimed);
        }
        Ok(())
    }

    /// Claims and runs a session that has no owner, because an interaction has expired or has an
    /// answer.
    pub(crate) async fn wake_for_interaction(
        self: &Arc<Self>,
        session_id: SessionId,
    ) -> Result<(), GatewayError> {
        let slot = self.slots.get(session_id);
        let _guard = slot.lock.lock().await;
        let row = self.row(session_id).await?;
        match self.place(session_id, &row) {
            // It may be about to be released.
            Place::Here => slot.is_answered.store(true, Ordering::SeqCst),
            Place::Free(reason) if !self.is_leaving() => {
                // A start that fails is repeated.
                slot.is_answered.store(true, Ordering::SeqCst);
                let claimed = self.claim_new(session_id, &row, reason, &slot).await?;
                tokio::spawn(Arc::clone(self).run(claimed));
            }
            _ => {}
        }
        Ok(())
    }

    /// Claims a session that was owned by `gone`, or that this node claimed without receiving the
    /// result, and runs it.
    pub(crate) async fn take_over(
        self: &Arc<Self>,
        session_id: SessionId,
        gone: Option<&Owner>,
    ) -> Result<(), GatewayError> {
        let slot = self.slots.get(session_id);
        let _guard = slot.lock.lock().await;
        let row = self.row(session_id).await?;
        let place = self.place(session_id, &row);
        // Another node may have claimed it first.
        let is_gone = gone.is_some() && row.owner.as_ref() == gone;
        let is_free = is_gone || place == Place::Free(ClaimReason::Takeover);
        if self.is_leaving() || place == Place::Here || !is_free {
            return Ok(());
        }
        let takeover = ClaimReason::Takeover;
        let claimed = self.claim(session_id, &row, takeover, &slot).await?;
        tokio::spawn(Arc::clone(self).run(claimed));
        Ok(())
    }

    /// Repeats a takeover, or a claim, that the store has failed.
    pub(crate) async fn take_over_later(
        self: Arc<Self>,
        session_id: SessionId,
        gone: Option<Owner>,
    ) {
        while !self.is_leaving() {
            tokio::time::sleep(TAKE_OVER_AGAIN).await;
            match self.take_over(session_id, gone.as_ref()).await {
                Err(error) if !is_final(&error) => {
                    tracing::debug!(%session_id, %error, "a session is taken over later");
                }
                _ => return,
            }
        }
    }

    /// Claims a session. If the store fails, the claim may have succeeded. This process checks that
    /// later, because no other process would run the session.
    async fn claim_new(
        self: &Arc<Self>,
        session_id: SessionId,
        row: &SessionRow,
        reason: ClaimReason,
        slot: &Arc<Slot>,
    ) -> Result<Claimed, GatewayError> {
        let claimed = self.claim(session_id, row, reason, slot).await;
        if claimed.as_ref().is_err_and(|error| !is_final(error)) {
            tokio::spawn(Arc::clone(self).take_over_later(session_id, None));
        }
        claimed
    }

    async fn claim(
        &self,
        session_id: SessionId,
        row: &SessionRow,
        reason: ClaimReason,
        slot: &Arc<Slot>,
    ) -> Result<Claimed, GatewayError> {
        self.log.claim(session_id, &self.node, reason).await?;
        let claim = self.log.claimed(session_id);
        let claim = claim.ok_or(StoreError::Fenced { by: None })?;
        // A process that ended may have left commands that this one does not know of.
        slot.submitted
            .fetch_max(claim.submitted(), Ordering::SeqCst);
        Ok(Claimed {
            session_id,
            claim,
            slot: Arc::clone(slot),
            number: row.number,
            attributes: row.attributes.clone(),
            has_queued: reason == ClaimReason::Takeover,
        })
    }

    /// Runs a session if it has pending commands or inputs, and releases it otherwise.
    fn run_if_needed(self: &Arc<Self>, claimed: Claimed) {
        let tenant = Arc::clone(self);
        let applied = tenant
            .log
            .applied(claimed.session_id, claimed.claim.epoch());
        let has_unapplied = applied.is_some_and(|applied| claimed.submitted() > applied);
        match claimed.has_queued || has_unapplied {
            true => tokio::spawn(tenant.run(claimed)),
            false => tokio::spawn(async move {
                // A command may have been stored meanwhile.
                if let Some(again) = tenant.settle(claimed, End::NotStarted).await {
                    tenant.run(again).await;
                }
            }),
        };
    }

    /// Waits for a place among the awake sessions, and runs a session until it sleeps or ends. If it
    /// fails and has commands, it is started again after a delay. It stays claimed meanwhile, so that
    /// it is taken over if this process ends.
    async fn run(self: Arc<Self>, mut claimed: Claimed) {
        let mut failures = Failures::default();
        let mut found = self.find_cli(&claimed).await;
        let place = loop {
            if found.is_some() {
                break self.places.enter_running();
            }
            let end = match self.enter(&claimed).await {
                Ok(place) => break place,
                Err(end) => end,
            };
            claimed = match self.settle(claimed, end).await {
                Some(next) => next,
                None => return,
            };
        };
        loop {
            let begin = Instant::now();
            let mut end = match self.start(&claimed, found.take()).await {
                Ok(token) => {
                    // The owner reads stored answers.
                    claimed.slot.is_answered.store(false, Ordering::SeqCst);
                    let end = owner::own(&self, &claimed, &place).await;
                    drop(token);
                    end
                }
                Err(end) => end,
            };
            let applied = self.log.applied(claimed.session_id, claimed.claim.epoch());
            let has_applied = applied > Some(claimed.claim.applied());
            failures.record(&end, begin.elapsed(), has_applied);
            if let Some(ended) = self.end_unstarted(&claimed, &failures).await {
                end = ended;
            }
            claimed = match self.settle(claimed, end).await {
                Some(next) => next,
                None => return,
            };
            let mut leaving = self.leaving.clone();
            tokio::select! {
                () = tokio::time::sleep(failures.delay(self.settings.restart_delay)) => {}
                _ = leaving.wait_for(|is_leaving| *is_leaving) => {}
            }
            // The CLI still runs if the store failed while it was attached to.
            found = self.find_cli(&claimed).await;
        }
    }

    /// Waits for a place among the awake sessions. Fails if the session is closed first, or the
    /// gateway shuts down.
    async fn enter(&self, claimed: &Claimed) -> Result<places::Place, End> {
        let mut leaving = self.leaving.clone();
        let entering = self.places.enter(claimed.session_id);
        tokio::pin!(entering);
        // An earlier process may have stored a close.
        claimed.slot.received.notify_one();
        loop {
            tokio::select! {
                biased;
                place = &mut entering => return Ok(place),
                _ = leaving.wait_for(|is_leaving| *is_leaving) => return Err(End::NotStarted),
                () = claimed.slot.received.notified() => {}
            }
            if owner::has_close(self, claimed).await {
                return Err(self.end_closed(claimed).await);
            }
        }
    }

    /// Releases a session, or claims it again if it has pending commands or inputs.
    async fn settle(&self, mut claimed: Claimed, end: End) -> Option<Claimed> {
        let (session_id, epoch) = (claimed.session_id, claimed.claim.epoch());
        claimed.has_queued = match &end {
            End::Asleep { has_queued } | End::Lost { has_queued, .. } => *has_queued,
            End::GivenUp { .. } => false,
            _ => claimed.has_queued,
        };
        if matches!(end, End::GivenUp { .. }) {
            claimed.slot.is_answered.store(false, Ordering::SeqCst);
        }
        loop {
            let guard = claimed.slot.lock.lock().await;
            let is_recorded = match &end {
                End::Closed => owner::fail_unapplied(self, &claimed, CLOSED).await,
                End::GivenUp { reason } => owner::fail_unapplied(self, &claimed, reason).await,
                _ => true,
            };
            if !is_recorded {
                if self.is_leaving() {
                    // The next process finishes this.
                    self.log.abandon(session_id, epoch);
                    return None;
                }
                drop(guard);
                tokio::time::sleep(owner::RETRY).await;
                continue;
            }
            if let Err(error) = self.log.store_applied(session_id, epoch).await {
                tracing::debug!(%session_id, %error, "a next owner receives commands again");
            }
            let applied = self.log.applied(session_id, epoch);
            let has_unapplied = applied.is_some_and(|applied| claimed.submitted() > applied);
            let is_answered = claimed.slot.is_answered.load(Ordering::SeqCst);
            let has_work = has_unapplied || claimed.has_queued || is_answered;
            let has_work = match &end {
                // Inputs wait until the call is answered.
                End::Parked { interaction, .. } => {
                    let is_due = self.is_due(&claimed, interaction).await;
                    // Kept until a start succeeds: the command for the answer may be missing.
                    claimed.slot.is_answered.fetch_or(is_due, Ordering::SeqCst);
                    is_due
                }
                _ => has_work,
            };
            let settled = match next_step(&end, has_work, self.is_leaving()) {
                NextStep::Release(state) => {
                    // Its holder may wait: not every line of the CLI is in the log.
                    self.end_cli(&claimed).await;
                    let released = self.log.release(session_id, epoch, state).await;
                    self.expiring.notify_one();
                    match (&end, released) {
                        (End::Parked { interaction, .. }, Ok(())) => {
                            self.claim_answered(&claimed, interaction).await
                        }
                        (_, released) => released.map(|()| None).map_err(GatewayError::from),
                    }
                }
                NextStep::Abandon => {
                    self.log.abandon(session_id, epoch);
                    Ok(None)
                }
                NextStep::Restart => self.claim_again(&claimed).await,
            };
            match settled {
                Ok(next) => return next,
                Err(error) if is_final(&error) => {
                    self.log.abandon(session_id, epoch);
                    return None;
                }
                Err(error) => tracing::warn!(%session_id, %error, "a session is not released"),
            }
            drop(guard);
            tokio::time::sleep(owner::RETRY).await;
        }
    }

    /// Claims a session again that this process owns. Each start has its own epoch, so that a
    /// delayed write of the start before is fenced.
    async fn claim_again(&self, claimed: &Claimed) -> Result<Option<Claimed>, GatewayError> {
        let session_id = claimed.session_id;
        let row = self.row(session_id).await?;
        let current = self.log.claimed(session_id);
        let is_current = current.is_some_and(|claim| claim.epoch() == claimed.claim.epoch());
        let reason = match self.place(session_id, &row) {
            Place::Here if is_current => ClaimReason::Open,
            // The response to a claim was lost.
            Place::Free(ClaimReason::Takeover) => ClaimReason::Takeover,
            _ => {
                self.log.abandon(session_id, claimed.claim.epoch());
                return Ok(None);
            }
        };
        let again = self.claim(session_id, &row, reason, &claimed.slot).await?;
        Ok(Some(Claimed {
            has_queued: claimed.has_queued,
            ..again
        }))
    }
}

/// Whether a session is over, so that a call need not be repeated.
fn is_final(error: &GatewayError) -> bool {
    matches!(
        error,
        GatewayError::Ended | GatewayError::Deleted | GatewayError::NotFound { .. }
    )
}
