//! The sessions of one tenant in this process.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use claw_server::{
    Controller, EventLog, Follower, MobileProjection, SessionId, SessionSetup, UiProjection,
};
use claw_store::{ClaimReason, NodeRef, SessionKey, SessionRow, SessionState, Store, TenantId};
use tokio::sync::Mutex as AsyncMutex;

use crate::audit::Audit;
use crate::error::GatewayError;
use crate::frame::{Events, StreamJson};
use crate::gateway::Settings;
use crate::owner;
use crate::spec::SessionSpec;
use crate::store_log::StoreLog;

/// What this process knows of a session while a task uses it.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    /// Held while the session is claimed or released.
    pub(crate) lock: AsyncMutex<()>,
    /// The highest position of the inbox that a client of this process has submitted.
    pub(crate) submitted: AtomicU64,
}

pub(crate) struct Tenant {
    pub(crate) id: TenantId,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) log: StoreLog,
    pub(crate) controller: Controller,
    pub(crate) settings: Arc<Settings>,
    pub(crate) node: NodeRef,
    pub(crate) events: Follower<Events>,
    pub(crate) lines: Follower<StreamJson>,
    slots: Mutex<HashMap<SessionId, Arc<Slot>>>,
    numbers: Arc<Mutex<HashMap<SessionId, i64>>>,
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
    ) -> Self {
        let log = StoreLog::new(Arc::clone(&store), id.clone());
        let shared: Arc<dyn EventLog> = Arc::new(log.clone());
        let controller = Controller::builder()
            .log(Arc::clone(&shared))
            .interaction_timeout(settings.interaction_timeout)
            .queued(settings.queued)
            .build();
        let numbers: Arc<Mutex<HashMap<SessionId, i64>>> = Arc::default();
        let known = Arc::clone(&numbers);
        let number = move |session| {
            let known = known.lock().unwrap_or_else(PoisonError::into_inner);
            known.get(&session).copied().unwrap_or_default()
        };
        Self {
            id,
            store,
            log,
            controller,
            settings,
            node,
            events: Follower::new(Arc::clone(&shared), |_| Events::default()),
            lines: Follower::new(Arc::clone(&shared), |_| StreamJson::default()),
            ui: Follower::new(Arc::clone(&shared), move |session| {
                UiProjection::new(number(session))
            }),
            audit: Follower::new(Arc::clone(&shared), |_| Audit::default()),
            mobile: Follower::new(shared, |session| MobileProjection::new(session.to_string())),
            slots: Mutex::default(),
            numbers,
        }
    }

    pub(crate) fn key(&self, session_id: SessionId) -> Result<SessionKey, GatewayError> {
        Ok(self.log.key(session_id)?)
    }

    /// Returns the row of a session, and remembers its number for the dialect `ui`.
    pub(crate) async fn row(&self, session_id: SessionId) -> Result<SessionRow, GatewayError> {
        let row = self.store.get(&self.key(session_id)?).await?;
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        numbers.insert(session_id, row.number);
        Ok(row)
    }

    fn slot(&self, session_id: SessionId) -> Arc<Slot> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        // Slots without a user are dropped, so that the map stays bounded.
        if slots.len() >= 1024 {
            slots.retain(|_, slot| Arc::strong_count(slot) > 1);
        }
        Arc::clone(slots.entry(session_id).or_default())
    }

    /// Wakes a session for a command at a position of its inbox, unless it is awake somewhere.
    pub(crate) async fn wake(
        self: &Arc<Self>,
        session_id: SessionId,
        position: u64,
    ) -> Result<(), GatewayError> {
        let slot = self.slot(session_id);
        slot.submitted.fetch_max(position, Ordering::SeqCst);
        let _guard = slot.lock.lock().await;
        // An owner that ends after this looks at the position again.
        if self.controller.number(session_id).is_some() {
            return Ok(());
        }
        let row = self.row(session_id).await?;
        let reason = match (&row.owner, row.state) {
            (_, SessionState::Ended) => return Err(GatewayError::Ended),
            // It reads the inbox itself. If it is dead, its sessions are taken over.
            (Some(owner), _) if owner.node.node != self.node.node => return Ok(()),
            (Some(_), _) => ClaimReason::Takeover,
            (None, _) => ClaimReason::Open,
        };
        self.claim(session_id, &row, reason, Arc::clone(&slot))
            .await
    }

    async fn claim(
        self: &Arc<Self>,
        session_id: SessionId,
        row: &SessionRow,
        reason: ClaimReason,
        slot: Arc<Slot>,
    ) -> Result<(), GatewayError> {
        let mut spec: SessionSpec = serde_json::from_slice(&row.attributes)
            .map_err(|error| GatewayError::invalid(error.to_string()))?;
        // The folder may have been replaced by a link since the session was created.
        spec.confine(&self.settings.roots)?;
        let epoch = self.log.claim(session_id, &self.node, reason).await?;
        let setup = SessionSetup::new(spec.apply((self.settings.options)()))
            .reopen(session_id)
            .epoch(epoch)
            .number(row.number)
            .tenant(self.id.as_str())
            .folder(&spec.folder);
        if let Err(error) = self.controller.open(setup).await {
            let asleep = SessionState::Asleep;
            self.log.release(session_id, epoch, asleep).await?;
            return Err(error.into());
        }
        tokio::spawn(owner::own(Arc::clone(self), session_id, epoch, slot));
        Ok(())
    }

    /// Takes a session whose owner is gone, and records how its work ended.
    pub(crate) async fn take_over(
        self: &Arc<Self>,
        session_id: SessionId,
    ) -> Result<(), GatewayError> {
        let slot = self.slot(session_id);
        let _guard = slot.lock.lock().await;
        if self.controller.number(session_id).is_some() {
            return Ok(());
        }
        let row = self.row(session_id).await?;
        let takeover = ClaimReason::Takeover;
        self.claim(session_id, &row, takeover, Arc::clone(&slot))
            .await
    }

    /// Puts all sessions of this process to sleep.
    pub(crate) async fn sleep_all(&self, grace: Duration) {
        let asleep = self
            .controller
            .sessions()
            .into_iter()
            .map(async |session_id| {
                let _ = self.controller.sleep(session_id, grace).await;
                // The owner releases the session after its end.
                while self.log.claimed(session_id).is_some() {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            });
        futures_util::future::join_all(asleep).await;
    }
}
