//! The entry of a session in its controller: its id, and how it ended.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use tokio::sync::{mpsc, watch};

use super::activity::Activity;
use super::close_signal::CloseSignal;
use super::command::Command;
use super::error::ControllerError;
use super::setup::SessionSetup;
use super::shared::{SessionHandle, Shared};
use super::shutdown::SessionClosed;
use crate::session_id::SessionId;

pub(super) const REPORTS: usize = 1024;

pub(super) const COMMANDS: usize = 32;

/// Reserves a session id until it is dropped. Dropping it reports the end of the session in every
/// case.
pub(super) struct SessionSlot {
    shared: Weak<Shared>,
    pub(super) session_id: SessionId,
    pub(super) number: i64,
    ended: watch::Sender<Option<Arc<SessionClosed>>>,
    pub(super) activity: watch::Sender<Activity>,
    pub(super) closed: Option<SessionClosed>,
    /// The reason to report when there is no `closed`.
    pub(super) why: String,
    pub(super) stored: Arc<AtomicU64>,
}

impl Drop for SessionSlot {
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
            if let Some(handle) = shared.sessions().remove(&self.session_id) {
                shared.grants.session_ended(&handle.tenant, self.session_id);
            }
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
    /// Reserves the id of a session, a random one if it has none, and registers the session.
    pub(super) fn reserve(
        self: &Arc<Self>,
        setup: &SessionSetup,
        close: CloseSignal,
    ) -> Result<(SessionSlot, mpsc::Receiver<Command>), ControllerError> {
        let session_id = setup.id.unwrap_or_else(SessionId::random);
        let counted = || self.next_number.fetch_add(1, Ordering::Relaxed);
        let number = setup.number.unwrap_or_else(counted);
        let (commands, received) = mpsc::channel(COMMANDS);
        let (ended, end) = watch::channel(None);
        let (active, activity) = watch::channel(Activity::Busy);
        let mut sessions = self.sessions();
        // Checked under the lock: `shutdown` sets this first and then lists the open sessions.
        if self.is_shutting_down.load(Ordering::SeqCst) {
            return Err(ControllerError::ShuttingDown);
        }
        if sessions.contains_key(&session_id) {
            return Err(ControllerError::AlreadyOpen { session_id });
        }
        let handle = SessionHandle {
            tenant: setup.tenant.as_str().into(),
            number,
            commands,
            close,
            activity,
            end,
        };
        sessions.insert(session_id, handle);
        let slot = SessionSlot {
            shared: Arc::downgrade(self),
            session_id,
            number,
            ended,
            activity: active,
            closed: None,
            why: "the program dropped the session before it had ended".to_owned(),
            stored: Arc::default(),
        };
        Ok((slot, received))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use futures_util::future::join_all;

    use super::super::Controller;
    use super::super::close_signal::close_signal;
    use super::*;

    fn setup(id: u128) -> SessionSetup {
        SessionSetup::new(rusty_claw::Options::new()).id(SessionId::from(id))
    }

    #[tokio::test]
    async fn commands_wait_for_room_and_fail_when_the_session_ends() {
        let controller = Controller::builder().build();
        let (close, _asked) = close_signal();
        let slot = controller.shared.reserve(&setup(1), close);
        let (slot, mut received) = slot.unwrap();
        let commands = (0..COMMANDS + 2).map(|_| controller.interrupt(SessionId::from(1)));
        let mut commands = join_all(commands).boxed();
        assert!((&mut commands).now_or_never().is_none());
        assert_eq!(received.len(), COMMANDS);
        // Each received command makes room for one waiting sender, and no more.
        let taken = received.recv().await;
        assert_eq!(received.len(), COMMANDS - 1);
        assert!((&mut commands).now_or_never().is_none());
        assert_eq!(received.len(), COMMANDS);
        drop((taken, slot, received));
        for result in commands.await {
            let error = result.unwrap_err();
            let is_gone = matches!(error, ControllerError::NoSession { .. });
            assert!(is_gone, "{error}");
        }
    }

    #[tokio::test]
    async fn the_oldest_end_of_a_session_is_forgotten() {
        let controller = Controller::builder().build();
        let last = u128::try_from(REPORTS).unwrap() + 1;
        for id in 1..=last {
            let (close, _asked) = close_signal();
            let slot = controller.shared.reserve(&setup(id), close);
            let (mut slot, _received) = slot.unwrap();
            slot.closed = Some(SessionClosed::lost(SessionId::from(id), String::new(), 0));
        }
        let report = |id| controller.shared.report(id).map(|report| report.session_id);
        let forgotten = report(SessionId::from(1)).unwrap_err();
        assert!(matches!(forgotten, ControllerError::NoSession { .. }));
        assert_eq!(report(SessionId::from(2)).unwrap(), SessionId::from(2));
        assert_eq!(
            report(SessionId::from(last)).unwrap(),
            SessionId::from(last)
        );
    }
}
