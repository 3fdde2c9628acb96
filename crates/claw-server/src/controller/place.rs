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

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use futures_util::future::join_all;

    use super::super::Controller;
    use super::super::close_request::close_request;
    use super::*;

    #[tokio::test]
    async fn commands_wait_for_room_and_fail_when_the_session_ends() {
        let controller = Controller::builder().build();
        let (close, _asked) = close_request();
        let place = controller.shared.take_place(Some(1), close).await;
        let (place, mut received) = place.unwrap();
        let commands = (0..COMMANDS + 2).map(|_| controller.interrupt(1));
        let mut commands = join_all(commands).boxed();
        assert!((&mut commands).now_or_never().is_none());
        assert_eq!(received.len(), COMMANDS);
        // Each that is taken makes room for one that waits, and no more.
        let taken = received.recv().await;
        assert_eq!(received.len(), COMMANDS - 1);
        assert!((&mut commands).now_or_never().is_none());
        assert_eq!(received.len(), COMMANDS);
        drop((taken, place, received));
        for result in commands.await {
            let error = result.unwrap_err();
            let is_gone = matches!(error, ControllerError::NoSession { session_id: 1 });
            assert!(is_gone, "{error}");
        }
    }

    #[tokio::test]
    async fn the_oldest_end_of_a_session_is_forgotten() {
        let controller = Controller::builder().build();
        let last = i64::try_from(REPORTS).unwrap() + 1;
        for id in 1..=last {
            let (close, _asked) = close_request();
            let place = controller.shared.take_place(Some(id), close).await;
            let (mut place, _received) = place.unwrap();
            place.closed = Some(SessionClosed::lost(id, String::new(), 0));
        }
        let report = |id| controller.shared.report(id).map(|report| report.session_id);
        assert!(matches!(
            report(1),
            Err(ControllerError::NoSession { session_id: 1 })
        ));
        assert_eq!(report(2).unwrap(), 2);
        assert_eq!(report(last).unwrap(), last);
    }
}
