//! What the clones of a controller share.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicI64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{mpsc, watch};

use super::activity::Activity;
use super::close_signal::CloseSignal;
use super::command::Command;
use super::error::ControllerError;
use super::grant_book::GrantBook;
use super::notices::Notices;
use super::policy_runner::PolicyRunner;
use super::session::Limits;
use super::shutdown::SessionClosed;
use crate::grants::PermissionPolicy;
use crate::log::{EventLog, MemoryLog};
use crate::session_id::SessionId;

#[derive(Clone)]
pub(super) struct SessionHandle {
    pub(super) tenant: Arc<str>,
    /// The number of the session in UI messages.
    pub(super) number: i64,
    pub(super) commands: mpsc::Sender<Command>,
    pub(super) close: CloseSignal,
    pub(super) activity: watch::Receiver<Activity>,
    pub(super) end: watch::Receiver<Option<Arc<SessionClosed>>>,
}

impl SessionHandle {
    pub(super) async fn ended(mut self, session_id: SessionId) -> Arc<SessionClosed> {
        let end = self.end.wait_for(Option::is_some).await;
        let closed = end.ok().and_then(|end| end.clone());
        // `SessionSlot` sends a report before it is dropped.
        closed.unwrap_or_else(|| Arc::new(SessionClosed::lost(session_id, String::new(), 0)))
    }
}

pub(super) struct Shared {
    pub(super) log: Arc<dyn EventLog>,
    /// The default log. It is private, so the events of a session are dropped when it ends.
    pub(super) own_log: Option<Arc<MemoryLog>>,
    pub(super) policy: Arc<dyn PermissionPolicy>,
    pub(super) tenants: HashMap<String, Arc<dyn PermissionPolicy>>,
    pub(super) grants: Arc<GrantBook>,
    pub(super) policy_runner: Arc<PolicyRunner>,
    pub(super) notices: Notices,
    pub(super) limits: Limits,
    pub(super) unsent: usize,
    /// The number of the next session that is opened without one.
    pub(super) next_number: AtomicI64,
    /// How the latest sessions ended, for late callers.
    pub(super) reports: Mutex<VecDeque<Arc<SessionClosed>>>,
    /// Ids of ended sessions whose events are in no log.
    pub(super) used: Mutex<HashSet<SessionId>>,
    pub(super) is_shutting_down: AtomicBool,
    pub(super) sessions: Mutex<HashMap<SessionId, SessionHandle>>,
}

impl Shared {
    pub(super) fn handle(&self, session_id: SessionId) -> Option<SessionHandle> {
        self.sessions().get(&session_id).cloned()
    }

    /// Returns the open session of a tenant with this number.
    pub(super) fn numbered(&self, tenant: &str, number: i64) -> Option<SessionId> {
        let sessions = self.sessions();
        let is_meant =
            |handle: &SessionHandle| handle.number == number && *handle.tenant == *tenant;
        let found = sessions.iter().find(|(_, handle)| is_meant(handle));
        found.map(|(session_id, _)| *session_id)
    }

    pub(super) fn report(
        &self,
        session_id: SessionId,
    ) -> Result<Arc<SessionClosed>, ControllerError> {
        let reports = self.reports();
        let report = reports
            .iter()
            .rev()
            .find(|one| one.session_id == session_id);
        let report = report.map(Arc::clone);
        report.ok_or(ControllerError::NoSession { session_id })
    }

    pub(super) fn policy_of(&self, tenant: &str) -> Arc<dyn PermissionPolicy> {
        let own = self.tenants.get(tenant);
        Arc::clone(own.unwrap_or(&self.policy))
    }

    // Nothing panics while one of these locks is held.

    pub(super) fn reports(&self) -> MutexGuard<'_, VecDeque<Arc<SessionClosed>>> {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn used(&self) -> MutexGuard<'_, HashSet<SessionId>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn sessions(&self) -> MutexGuard<'_, HashMap<SessionId, SessionHandle>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
