//! The sessions of one tenant in this process.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use claw_server::{
    Activity, Controller, EventLog, Follower, MobileProjection, SessionId, UiProjection,
};
use claw_store::{NodeRef, SessionKey, SessionRow, Store, TenantId};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use crate::audit::Audit;
use crate::error::GatewayError;
use crate::frame::{Events, StreamJson};
use crate::gateway::Settings;
use crate::numbers::Numbers;
use crate::places::Places;
use crate::store_log::StoreLog;
use crate::waking::Slots;

/// How much longer than the grace a shutdown may take, while a CLI or the store does not respond.
const OVERTIME: Duration = Duration::from_secs(20);

pub(crate) struct Tenant {
    pub(crate) id: TenantId,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) log: StoreLog,
    pub(crate) controller: Controller,
    pub(crate) settings: Arc<Settings>,
    pub(crate) node: NodeRef,
    /// Becomes true when the gateway shuts down: nothing is claimed after that.
    pub(crate) leaving: watch::Receiver<bool>,
    pub(crate) events: Follower<Events>,
    pub(crate) lines: Follower<StreamJson>,
    pub(crate) slots: Slots,
    numbers: Arc<Mutex<Numbers>>,
    pub(crate) places: Arc<Places>,
    /// Wakes the task that waits for interactions that expire: a session with one has been released.
    pub(crate) expiring: Arc<Notify>,
    pub(crate) ui: Follower<UiProjection>,
    pub(crate) mobile: Follower<MobileProjection>,
    pub(crate) audit: Follower<Audit>,
}

impl Tenant {
    pub(crate) fn new(
        id: TenantId,
        store: Arc<dyn Store>,
        node: NodeRef,
        settings: Arc<Settings>,
        leaving: watch::Receiver<bool>,
        places: Arc<Places>,
    ) -> Self {
        let log = StoreLog::new(Arc::clone(&store), id.clone());
        let log = log.reporting_to(settings.host.clone());
        let shared: Arc<dyn EventLog> = Arc::new(log.clone());
        let controller = Controller::builder()
            .log(Arc::clone(&shared))
            .interaction_timeout(settings.interaction_timeout)
            .queued(settings.queued)
            .build();
        let numbers: Arc<Mutex<Numbers>> = Arc::default();
        let known = Arc::clone(&numbers);
        let number = move |session| {
            let known = known.lock().unwrap_or_else(PoisonError::into_inner);
            known.get(session).unwrap_or_default()
        };
        Self {
            id,
            store,
            log,
            controller,
            settings,
            node,
            leaving,
            events: Follower::new(Arc::clone(&shared), |_| Events::default()),
            lines: Follower::new(Arc::clone(&shared), |_| StreamJson::default()),
            ui: Follower::new(Arc::clone(&shared), move |session| {
                UiProjection::new(number(session))
            }),
            audit: Follower::new(Arc::clone(&shared), |_| Audit::default()),
            mobile: Follower::new(shared, |session| MobileProjection::new(session.to_string())),
            slots: Slots::default(),
            numbers,
            places,
            expiring: Arc::default(),
        }
    }

    pub(crate) fn key(&self, session_id: SessionId) -> Result<SessionKey, GatewayError> {
        Ok(self.log.key(session_id)?)
    }

    /// Returns the row of a session, and keeps its number for the dialect `ui`.
    pub(crate) async fn row(&self, session_id: SessionId) -> Result<SessionRow, GatewayError> {
        let row = self.store.get(&self.key(session_id)?).await?;
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        numbers.insert(session_id, row.number);
        Ok(row)
    }

    pub(crate) fn is_leaving(&self) -> bool {
        *self.leaving.borrow()
    }

    /// Puts a session to sleep when it has nothing to do. If it still works after `left`, its CLI is
    /// left to the next owner, or is closed if it cannot outlive this process.
    async fn leave(&self, session_id: SessionId, left: Duration) {
        if self.settings.host.is_some()
            && let Ok(mut activity) = self.controller.activity(session_id)
        {
            let rests = activity.wait_for(|activity| matches!(activity, Activity::Idle { .. }));
            let rests = tokio::time::timeout(left, rests).await.is_ok();
            if !rests {
                // A session that only waits for an answer needs no process meanwhile.
                let is_parked = self.controller.park(session_id).await.unwrap_or(false);
                if is_parked || self.controller.release(session_id).await.unwrap_or(false) {
                    return;
                }
            }
        }
        let _ = self.controller.sleep(session_id, left).await;
    }

    /// Puts all sessions of this process to sleep. The gateway must be leaving.
    pub(crate) async fn sleep_all(&self, grace: Duration) {
        let by = Instant::now() + grace;
        let asleep = async {
            loop {
                let claimed = self.log.all_claimed();
                // A session whose slot is locked may be about to be claimed.
                if claimed.is_empty() && self.slots.are_unlocked() {
                    return;
                }
                let left = by.saturating_duration_since(Instant::now());
                let asleep = claimed.into_iter();
                let asleep = asleep.map(|session_id| self.leave(session_id, left));
                futures_util::future::join_all(asleep).await;
                // The owners release their sessions shortly after the CLIs end.
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        if tokio::time::timeout(grace + OVERTIME, asleep)
            .await
            .is_err()
        {
            tracing::warn!("some sessions were not put to sleep; they are taken over");
        }
    }
}
