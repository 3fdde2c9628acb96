//! The place of a session among the others: its number, how it is reached, how it ended.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use tokio::sync::{mpsc, watch};

use super::close_request::CloseRequest;
use super::command::Command;
use super::ending::SessionClosed;
use super::{ControllerError, Shared};
use crate::log::PageLimit;

/// How many ends of sessions are remembered.
pub(super) const REPORTS: usize = 1024;

/// How many commands may be on their way to a session.
pub(super) const COMMANDS: usize = 32;

/// How a session is reached.
#[derive(Clone)]
pub(super) struct Address {
    pub(super) commands: mpsc::Sender<Command>,
    pub(super) close: CloseRequest,
    end: watch::Receiver<Option<Arc<SessionClosed>>>,
}

impl Address {
    /// Waits until the session has ended.
    pub(super) async fn ended(mut self, session_id: i64) -> Arc<SessionClosed> {
        let end = self.end.wait_for(Option::is_some).await;
        let closed = end.ok().and_then(|end| end.clone());
        // The sender says something before it goes.
        closed.unwrap_or_else(|| Arc::new(SessionClosed::lost(session_id, String::new(), 0)))
    }
}

/// A session's number, taken until this is dropped. Then whoever waits for the end of the session
/// is told, whatever happened.
pub(super) struct Place {
    shared: Weak<Shared>,
    pub(super) session_id: i64,
    ended: watch::Sender<Option<Arc<SessionClosed>>>,
    /// How the session ended.
    pub(super) closed: Option<SessionClosed>,
    /// When there is no such report: what is known instead of it.
    pub(super) why: String,
    pub(super) stored: Arc<AtomicU64>,
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
    pub(super) fn address(&self, session_id: i64) -> Option<Address> {
        self.sessions().get(&session_id).cloned()
    }

    /// How a session ended that is not open.
    pub(super) fn report(&self, session_id: i64) -> Result<Arc<SessionClosed>, ControllerError> {
        let reports = self.reports();
        let report = reports
            .iter()
            .rev()
            .find(|one| one.session_id == session_id);
        let report = report.map(Arc::clone);
        report.ok_or(ControllerError::NoSession { session_id })
    }

    /// Takes a number, this one or any, and makes the session known under it.
    pub(super) async fn take_place(
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
            if !is_open && self.log.read(id, 0, PageLimit::events(1)).await?.is_empty() {
                return Ok(id);
            }
            step = step.saturating_mul(2);
        }
    }
}
